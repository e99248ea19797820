"""The parts of the Findings page that need Streamlit."""
