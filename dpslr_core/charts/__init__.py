"""Frames in, pictures out: Vega-Lite specifications, and figures of Plotly's where a person explores."""

from .curves import output_cdf
from .styles import style

__all__ = [
    "output_cdf",
    "style",
]
