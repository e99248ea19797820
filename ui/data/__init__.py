"""The parts of the Data page that need Streamlit."""
