"""Checks of arguments, random streams, workers and the writing of numbers, for every floor; the version."""

VERSION = "0.2.0"  # of the project: pyproject.toml reads it here
