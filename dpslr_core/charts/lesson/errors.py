"""The error beside the sampling error in the median class: bars, and curves over the scatter of the scores."""

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

REACH = 10.0  # points from OLS


def error_bars(errors: pd.DataFrame) -> go.Figure:
    """The 68% error of each algorithm in the median class, beside the sampling error; whiskers: the middle half.

    errors: of errors.median_class. A bar is filled as far as noise alone goes; what the gap to OLS adds is hollow.
    Bars that leave the picture end in an arrow; their size stands beside the name.
    """
    error = float(errors["standard_error"].iloc[0]) * SCORE.scale
    in_points = errors.assign(**{n: errors[n] * SCORE.scale for n in ("c68", "c68_low", "c68_high", "noise")})
    traces: list[dict[str, Any]] = [_bar(f"sampling error<br>±{points(error / SCORE.scale)}", 0.0, error, "#808080")]
    for row in in_points.itertuples():
        colour, label = style(row.algorithm)["color"], _label(row.algorithm, row.c68)
        noise = min(row.noise, row.c68)
        traces += [_bar(label, 0.0, noise, colour), _bar(label, noise, row.c68, colour, hollow=True)]
        if row.c68_low < REACH:
            traces.append(_whisker(label, row.c68_low, row.c68_high))
        if row.c68 > REACH:
            traces.append(_arrow(label, colour))
    band = {"type": "rect", "yref": "y domain", "x0": 0, "x1": error, "y0": 0, "y1": 1, "fillcolor": BAND,
            "line": {"width": 0}, "layer": "below"}  # fmt: skip
    across = {"title": {"text": "points from OLS, at 15 hours"}, "range": [0, 1.05 * REACH]}
    up = {"title": {"text": ""}, "autorange": "reversed", "type": "category", "automargin": True}
    return figure_of(traces, HEIGHT, shapes=[band], barmode="overlay", xaxis=across, yaxis=up)


def _label(name: str, size: float) -> str:
    return f"{name}<br>±{points(size / SCORE.scale)}" if np.isfinite(size) else name


def _bar(label: str, low: float, high: float, colour: str, hollow: bool = False) -> dict[str, Any]:
    low, high = min(low, REACH), min(high, REACH)
    return {
        "type": "bar", "orientation": "h", "base": [low], "x": [high - low], "y": [label], "width": 0.35,
        "marker": {"color": "rgba(0, 0, 0, 0)" if hollow else colour, "line": {"color": colour, "width": 2}},
        "showlegend": False, "hoverinfo": "skip",
    }  # fmt: skip


def _whisker(label: str, low: float, high: float) -> dict[str, Any]:
    """From one quartile of the classes to the other."""
    return {
        "type": "scatter", "mode": "lines+markers", "x": [low, min(high, REACH)], "y": [label, label],
        "line": {"color": "#808080", "width": 3}, "showlegend": False, "hoverinfo": "skip",
        "marker": {"symbol": "line-ns", "size": 16, "line": {"width": 3, "color": "#808080"}},
    }  # fmt: skip


def _arrow(label: str, colour: str) -> dict[str, Any]:
    return {
        "type": "scatter", "mode": "markers", "x": [REACH * 1.015], "y": [label], "showlegend": False,
        "hoverinfo": "skip", "marker": {"symbol": "triangle-right", "size": 22, "color": colour},
    }  # fmt: skip


def over_scatter(errors: pd.DataFrame, scatter: float, room: Room) -> go.Figure:
    """The ratio of each algorithm's error to the sampling error over the scatter; a line at the chosen one.

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
    up = {**logarithmic((0.1, 100)), "title": {"text": "error / sampling error"}, "range": [-1, 2]}
    return named_curves(traces, HEIGHT, room, [line_at_one("y"), chosen], xaxis=across, yaxis=up)
