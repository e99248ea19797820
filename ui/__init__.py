"""What the pages share and what needs Streamlit."""
