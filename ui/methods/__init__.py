"""The parts of the Methods page that need Streamlit."""
