"""A quantile dot plot: each dot is as likely as any other."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..sources.axis import UNIT_Y, Axis
from .styles import style
from .vega import Spec, layer, quantitative, with_data

BINS = 24
_WIDTHS = (3, 6, 12, 25, 50, 100, 1000, 10_000)  # half widths of the picture, in standard errors


def dot_plot(dots: pd.DataFrame, name: str, place: pd.Series, y: Axis = UNIT_Y) -> Spec:
    """Dots stacked in bins about OLS, with the band of one standard error; those beyond the picture at its ends.

    dots: estimate, in the unit square, as quantile_dots gives them. place: center and standard_error of OLS there.
    """
    center, error = float(place["center"]), float(place["standard_error"])
    low, high = _window(dots["estimate"].dropna().to_numpy(), center, error)
    answered = dots["estimate"].dropna().clip(low, high)
    bins = np.clip(((answered - low) / (high - low) * BINS).astype(int), 0, BINS - 1)
    middle = low + (bins + 0.5) * (high - low) / BINS
    drawn = pd.DataFrame({"estimate": y.from_unit(middle), "height": bins.groupby(bins).cumcount() + 0.5})
    ends = [float(end) for end in y.from_unit([low, high])]
    edges = y.from_unit([center - error, center + error])
    band = pd.DataFrame({"estimate": [edges[0]], "to": [edges[1]]})
    scale = {"domain": ends, "nice": False, "zero": False}
    x = quantitative("estimate", scale=scale, title=f"released prediction: {y.label}")
    tallest = max(float(drawn["height"].max()) + 1 if len(drawn) else 1, 8)
    up = quantitative("height", scale={"domain": [0, tallest]}, axis=None)
    layers = [
        layer("band", {"type": "rect", "opacity": 0.18, "color": "#808080"}, {"x": x, "x2": {"field": "to"}}),
        layer("dots", {"type": "circle", "size": 150, "opacity": 1, "color": style(name)["color"]}, {"x": x, "y": up}),
    ]
    return with_data({"layer": layers, "height": 260}, band=band, dots=drawn)


def _window(answered: np.ndarray, center: float, error: float) -> tuple[float, float]:
    """Limits about the center, in steps of standard errors, that hold nine of ten dots."""
    if not error > 0 or not len(answered):
        return center - 0.5, center + 0.5
    needed = float(np.quantile(np.abs(answered - center), 0.9)) / error
    half = next((width for width in _WIDTHS if width >= needed), _WIDTHS[-1])
    return center - half * error, center + half * error
