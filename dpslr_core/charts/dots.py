"""A quantile dot plot: each dot is as likely as any other."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from ..sources.axis import UNIT_Y, Axis
from .styles import style

BINS = 24
_WIDTHS = (3, 6, 12, 25, 50, 100, 1000, 10_000)  # half widths of the picture, in standard errors


def dot_plot(dots: pd.DataFrame, name: str, place: pd.Series, y: Axis = UNIT_Y) -> Any:
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
    x = alt.X(
        "estimate:Q", scale=alt.Scale(domain=ends, nice=False, zero=False), title=f"released prediction: {y.label}"
    )
    tallest = max(float(drawn["height"].max()) + 1 if len(drawn) else 1, 8)
    up = alt.Y("height:Q", scale=alt.Scale(domain=[0, tallest]), axis=None)
    edges = y.from_unit([center - error, center + error])
    band = alt.Chart(pd.DataFrame({"estimate": [edges[0]], "to": [edges[1]]})).mark_rect(opacity=0.18, color="#808080")
    points = alt.Chart(drawn).mark_circle(size=150, color=style(name)["color"], opacity=1)
    return alt.layer(band.encode(x=x, x2=alt.X2("to:Q")), points.encode(x=x, y=up), height=260)


def _window(answered: np.ndarray, center: float, error: float) -> tuple[float, float]:
    """Limits about the center, in steps of standard errors, that hold nine of ten dots."""
    if not error > 0 or not len(answered):
        return center - 0.5, center + 0.5
    needed = float(np.quantile(np.abs(answered - center), 0.9)) / error
    half = next((width for width in _WIDTHS if width >= needed), _WIDTHS[-1])
    return center - half * error, center + half * error
