"""Claims of the introduction and of the experimental outline."""
