"""Several server processes behind one address: ``python -m serve --workers 2``."""
