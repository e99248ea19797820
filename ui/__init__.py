"""Modules that the pages share, and all code that needs Streamlit."""
