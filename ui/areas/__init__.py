"""The parts of the Small areas page that need Streamlit."""
