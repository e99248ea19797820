"""The parts of the Paper page that need Streamlit."""
