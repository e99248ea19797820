"""The parts of the Sweep page that need Streamlit."""
