"""Lines drawn by their regression depth."""
