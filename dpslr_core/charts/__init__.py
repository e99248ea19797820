"""Frames in, figures out. No state."""

from .compare import output_cdf, scatter, spaghetti
from .styles import style

__all__ = [
    "output_cdf",
    "scatter",
    "spaghetti",
    "style",
]
