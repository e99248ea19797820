"""The pictures of a report: what is drawn, and how a drawing becomes SVG or PNG."""
