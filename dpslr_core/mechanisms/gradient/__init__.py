"""Regression by noisy gradient descent (Algorithms 6 and 7 of the paper)."""
