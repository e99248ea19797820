"""The parts of the Compare page that need Streamlit."""
