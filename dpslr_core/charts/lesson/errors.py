"""Noise beside sampling error: intervals of one class, and curves over the scatter of the scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ...experiments.lesson.people import SCORE
from ...text.lesson.words import points
from ..base import BOTTOM, TOP, figure_of, line_at_one, logarithmic
from ..compare import BAND
from ..labels import Room, named_curves
from ..styles import style
from .moved import HEIGHT

REACH = 10.0  # points on either side of OLS
_SAMPLING = "sampling error"


def intervals(errors: pd.DataFrame) -> go.Figure:
    """For each algorithm the interval about OLS that holds 68% of its releases, over the band of one standard error.

    errors: of errors_of. Bars that leave the picture end in an arrow; their size stands beside the name.
    """
    error = float(errors["standard_error"].iloc[0]) * SCORE.scale
    rows = [(_SAMPLING, error, "#808080")]
    rows += [(row.algorithm, row.c68 * SCORE.scale, style(row.algorithm)["color"]) for row in errors.itertuples()]
    labels = [f"{name}<br>±{points(size / SCORE.scale)}" if np.isfinite(size) else name for name, size, _ in rows]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter", "mode": "lines+markers", "name": name, "showlegend": False, "hoverinfo": "skip",
            "x": [-min(size, REACH), min(size, REACH)], "y": [label, label], "line": {"color": colour, "width": 14},
            "marker": {"color": colour, "size": 20, "symbol": _ends(size)},
        }
        for (name, size, colour), label in zip(rows, labels, strict=True)
    ]  # fmt: skip
    band = {"type": "rect", "yref": "y domain", "x0": -error, "x1": error, "y0": 0, "y1": 1, "fillcolor": BAND,
            "line": {"width": 0}, "layer": "below"}  # fmt: skip
    across = {"title": {"text": "points from OLS, at 15 hours"}, "range": [-1.05 * REACH, 1.05 * REACH]}
    up = {"title": {"text": ""}, "autorange": "reversed", "type": "category", "automargin": True}
    return figure_of(traces, HEIGHT, shapes=[band], xaxis=across, yaxis=up)


def _ends(size: float) -> list[str]:
    return ["triangle-left", "triangle-right"] if size > REACH else ["line-ns", "line-ns"]


def over_scatter(errors: pd.DataFrame, scatter: float, room: Room) -> go.Figure:
    """The ratio of each algorithm's noise to the sampling error over the scatter; a line at the chosen one.

    errors: of over_scatters. Ratios beyond the picture's range leave it.
    """
    traces = [
        {
            "type": "scatter", "mode": "lines+markers", "name": str(name), "x": rows["scatter"].to_numpy(),
            "y": np.clip(rows["ratio"].to_numpy(), BOTTOM, TOP), "line": {**style(str(name)), "width": 3},
            "marker": {"size": 8},
        }
        for name, rows in errors.groupby("algorithm", sort=False)
    ]  # fmt: skip
    chosen = {"type": "line", "x0": scatter, "x1": scatter, "y0": 0, "y1": 1, "yref": "y domain",
              "line": {"color": "#808080", "width": 3}}  # fmt: skip
    ends = (float(errors["scatter"].min()) / 1.1, float(errors["scatter"].max()) * 1.1)
    across = {**logarithmic(ends), "title": {"text": "scatter of the scores about the line (points)"},
              "range": np.log10(ends).tolist()}  # fmt: skip
    up = {**logarithmic((0.1, 100)), "title": {"text": "noise / sampling error"}, "range": [-1, 2]}
    return named_curves(traces, HEIGHT, room, [line_at_one("y"), chosen], xaxis=across, yaxis=up)
