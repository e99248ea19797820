"""The sentences of the Privacy page."""
