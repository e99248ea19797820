"""The same jobs from a terminal."""

from .commands import main

__all__ = [
    "main",
]
