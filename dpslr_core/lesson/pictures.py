"""Pictures of the lesson: people with lines, pairwise estimates, errors beside the sampling error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..charts.base import BOTTOM, TOP, figure_of, line_at_one, logarithmic
from ..charts.compare import BAND, OLS_LINE, THEIL_SEN_LINE, axes_of
from ..charts.labels import Room, named_curves
from ..charts.moved import CLICKABLE, HEIGHT, chosen_record, upright
from ..charts.styles import style
from ..support.types import Floats
from .settings import HOURS, POINT, SCORE
from .steps import Leaving, PairwiseEstimates
from .text import points

LOW, HIGH, WIDTH = -20.0, 140.0, 4.0  # points; pairwise estimates beyond are counted in the bins at the ends
MOST = 22  # pairs in a bin: the height of the picture
REACH = 10.0  # points from OLS in the picture of errors
GREY = "#808080"
_ENDS = np.array([0.0, 1.0])


def people_with_lines(leaving: Leaving) -> go.Figure:
    """Step 1: the ten people by their numbers, the line of those who stay and, dotted, the line of all ten.

    The first trace holds the people in their order, so that a click names one.
    """
    everyone, lines = leaving.everyone, [("OLS, all ten", leaving.everyone)]
    if leaving.leaver:
        lines.append((f"OLS without person {leaving.leaver}", leaving.remaining))
    people = {
        "type": "scatter", "mode": "markers+text", "name": "people",
        "x": HOURS.from_unit(everyone.x), "y": SCORE.from_unit(everyone.y),
        "text": [str(number) for number in range(1, everyone.n + 1)], "textposition": "top center",
        "marker": {"color": "#3fa0dc", "size": 12}, "hoverinfo": "x+y",
    }  # fmt: skip
    traces = [{**people, **CLICKABLE}]
    for number, (name, data) in enumerate(lines, 1):
        look = OLS_LINE if number == len(lines) else {**OLS_LINE, "width": 2, "dash": "dot"}
        traces.append({
            "type": "scatter", "mode": "lines", "name": name, "x": HOURS.from_unit(_ENDS),
            "y": SCORE.from_unit(data.predict(_ENDS)), "line": {**look, "width": look["width"] + 0.5},
        })  # fmt: skip
    if leaving.leaver:
        row = leaving.leaver - 1
        traces.append(chosen_record((float(everyone.x[row]), float(everyone.y[row])), "leaves", HOURS, SCORE))
    mark = upright(float(HOURS.from_unit(POINT)))
    return figure_of(traces, HEIGHT, shapes=[mark], **axes_of(everyone, HOURS, SCORE))


def histogram(estimates: PairwiseEstimates) -> go.Figure:
    """Step 2: bars of the pairwise estimates now, an outline of those before, and lines at the median and at OLS."""
    moved = estimates.moved
    traces = [_bars(estimates.after)]
    if moved.moved:
        traces.append(_outline(estimates.before))
    rows = moved.predictions([POINT])
    looks = (("median", "theil_sen", THEIL_SEN_LINE), ("OLS", "ols", OLS_LINE))
    for name, column, look in looks:
        before, after = (float(SCORE.from_unit(value)) for value in rows[column])
        if moved.moved:
            traces.append(_height(before, f"{name}, before", {**look, "width": 1.2}))
        traces.append(_height(after, name, {**look, "width": 3.5}))
    across = {"title": {"text": "pairwise estimates at 15 hours (points)"}, "range": [LOW, HIGH]}
    up = {"title": {"text": "pairs"}, "range": [0, MOST]}
    return figure_of(traces, HEIGHT, xaxis=across, yaxis=up, bargap=0.05)


def _counts(estimates: Floats) -> tuple[Floats, Floats]:
    """The middles of the bins, and the number of estimates in each; the last bins hold those beyond the ends."""
    inside = np.clip(SCORE.from_unit(estimates), LOW, HIGH - 1e-9)
    counts, edges = np.histogram(inside, np.arange(LOW, HIGH + WIDTH, WIDTH))
    return edges[:-1] + WIDTH / 2, counts.astype(float)


def _bars(estimates: Floats) -> dict[str, Any]:
    middles, counts = _counts(estimates)
    colour = {"color": "rgba(231, 109, 68, 0.5)"}
    return {"type": "bar", "x": middles, "y": counts, "name": "pairs", "marker": colour}


def _outline(estimates: Floats) -> dict[str, Any]:
    middles, counts = _counts(estimates)
    line = {"color": GREY, "width": 1.5, "shape": "hvh"}
    return {"type": "scatter", "mode": "lines", "x": middles, "y": counts, "name": "pairs, before", "line": line}


def _height(height: float, name: str, look: dict[str, Any]) -> dict[str, Any]:
    """A trace: an upright line at one height of the lines."""
    return {"type": "scatter", "mode": "lines", "x": [height] * 2, "y": [0, MOST], "name": name, "line": look}


def error_bars(errors: pd.DataFrame) -> go.Figure:
    """Step 5: the 68% error of each algorithm in the median class, beside the sampling error.

    errors: of median_class. A bar is filled as far as noise alone goes; what the gap to OLS adds is hollow. Whiskers
    hold the middle half of the classes. A bar that leaves the picture ends in an arrow; the name says its size.
    """
    error = float(errors["standard_error"].iloc[0]) * SCORE.scale
    in_points = errors.assign(**{n: errors[n] * SCORE.scale for n in ("c68", "c68_low", "c68_high", "noise")})
    traces = [_bar(f"sampling error<br>±{points(error / SCORE.scale)}", 0.0, error, GREY)]
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
        "line": {"color": GREY, "width": 3}, "showlegend": False, "hoverinfo": "skip",
        "marker": {"symbol": "line-ns", "size": 16, "line": {"width": 3, "color": GREY}},
    }  # fmt: skip


def _arrow(label: str, colour: str) -> dict[str, Any]:
    return {
        "type": "scatter", "mode": "markers", "x": [REACH * 1.015], "y": [label], "showlegend": False,
        "hoverinfo": "skip", "marker": {"symbol": "triangle-right", "size": 22, "color": colour},
    }  # fmt: skip


def ratio_curves(errors: pd.DataFrame, scatter: float, room: Room) -> go.Figure:
    """Step 6: the ratio of each algorithm's error to the sampling error over the scatter; a line at the chosen one.

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
    chosen = upright(scatter, {"color": GREY, "width": 3})
    ends = (float(errors["scatter"].min()) / 1.1, float(errors["scatter"].max()) * 1.1)
    across = {**logarithmic(ends), "title": {"text": "scatter of the scores about the line (points)"},
              "range": np.log10(ends).tolist()}  # fmt: skip
    up = {**logarithmic((0.1, 100)), "title": {"text": "error / sampling error"}, "range": [-1, 2]}
    return named_curves(traces, HEIGHT, room, [line_at_one("y"), chosen], xaxis=across, yaxis=up)
