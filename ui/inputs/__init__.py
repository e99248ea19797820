"""Inputs of the sidebar that Streamlit has no single widget for."""
