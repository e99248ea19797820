"""Draws of private medians, one for each list."""
