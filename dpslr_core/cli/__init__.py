"""The same jobs from a terminal: ``dpslr --help``, or ``python -m dpslr_core --help``."""

from .group import main

__all__ = [
    "main",
]
