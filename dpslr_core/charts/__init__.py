"""Frames in, figures out. No state."""

from .base import style
from .compare import output_cdf, scatter, spaghetti

__all__ = [
    "output_cdf",
    "scatter",
    "spaghetti",
    "style",
]
