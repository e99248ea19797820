"""The histogram of pairwise estimates with their median, before and after one person is moved."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from ...experiments.lesson.medians import PairwiseEstimates
from ...experiments.lesson.people import POINT, SCORE
from ...support.types import Floats
from ..base import figure_of
from ..compare import OLS_LINE, THEIL_SEN_LINE
from .moved import HEIGHT

LOW, HIGH, WIDTH = -20.0, 140.0, 4.0  # points; estimates beyond are counted in the bins at the ends
MOST = 22  # pairs in a bin: the height of the picture


def histogram(estimates: PairwiseEstimates) -> go.Figure:
    """Bars of the estimates now, an outline of those before, and lines at the median and at OLS."""
    moved = estimates.moved
    traces = [_bars(estimates.after)]
    if moved.moved:
        traces.append(_outline(estimates.before))
    rows = moved.predictions([POINT])
    looks = (("median", "theil_sen", THEIL_SEN_LINE), ("OLS", "ols", OLS_LINE))
    for name, column, look in looks:
        before, after = (float(SCORE.from_unit(value)) for value in rows[column])
        if moved.moved:
            traces.append(_upright(before, f"{name}, before", {**look, "width": 1.2}))
        traces.append(_upright(after, name, {**look, "width": 3.5}))
    across = {"title": {"text": "pairwise estimates at 15 hours (points)"}, "range": [LOW, HIGH]}
    up = {"title": {"text": "pairs"}, "range": [0, MOST]}
    return figure_of(traces, HEIGHT, xaxis=across, yaxis=up, bargap=0.05)


def _counts(estimates: Floats) -> tuple[Floats, Floats]:
    """The middles of the bins, and how many estimates are in each, those beyond the ends in the last."""
    inside = np.clip(SCORE.from_unit(estimates), LOW, HIGH - 1e-9)
    counts, edges = np.histogram(inside, np.arange(LOW, HIGH + WIDTH, WIDTH))
    return edges[:-1] + WIDTH / 2, counts.astype(float)


def _bars(estimates: Floats) -> dict[str, Any]:
    middles, counts = _counts(estimates)
    colour = {"color": "rgba(231, 109, 68, 0.5)"}
    return {"type": "bar", "x": middles, "y": counts, "name": "pairs", "marker": colour}


def _outline(estimates: Floats) -> dict[str, Any]:
    middles, counts = _counts(estimates)
    line = {"color": "#808080", "width": 1.5, "shape": "hvh"}
    return {"type": "scatter", "mode": "lines", "x": middles, "y": counts, "name": "pairs, before", "line": line}


def _upright(place: float, name: str, look: dict[str, Any]) -> dict[str, Any]:
    return {"type": "scatter", "mode": "lines", "x": [place] * 2, "y": [0, MOST], "name": name, "line": look}
