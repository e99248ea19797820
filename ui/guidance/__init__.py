"""The parts of the Guidance page that need Streamlit."""
