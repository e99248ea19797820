"""The pictures of the Privacy page."""
