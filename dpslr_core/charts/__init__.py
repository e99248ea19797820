"""Frames in, pictures out: Vega-Lite specifications, and figures of Plotly's where a person explores."""

from .curves import output_cdf
from .records import scatter, spaghetti
from .styles import style

__all__ = [
    "output_cdf",
    "scatter",
    "spaghetti",
    "style",
]
