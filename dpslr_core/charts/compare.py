"""Charts of one data set: its records, the output CDFs, the private lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from scipy.special import ndtr

from ..dataset import Dataset
from ..sources.axis import UNIT_X, UNIT_Y, Axis
from ..support.types import Floats
from .base import figure_of
from .labels import USUAL, Room, named_curves
from .styles import style

BAND = "rgba(128, 128, 128, 0.22)"
OLS_LINE: dict[str, Any] = {"color": "#4d74b8", "width": 2.5}
THEIL_SEN_LINE: dict[str, Any] = {"color": "#d55e00", "width": 2.5, "dash": "dash"}
RECORDS = 400  # records in each panel of private lines
MANY_POINTS, TOO_MANY_POINTS = 2_000, 20_000  # above: WebGL markers; above: a density


def output_cdf(
    curves: pd.DataFrame,
    center: float,
    standard_error: float,
    limits: tuple[float, float],
    y: Axis = UNIT_Y,
    room: Room = USUAL,
) -> go.Figure:
    """Output CDFs at one point with the band of one standard error about OLS and the Gaussian curve.

    curves: mechanism, kind ("exact" or "trials"), estimate, cdf, with estimate, center, standard_error and
    limits in the unit square; drawn in the units of y. room: for the names of the curves. Trials are named only where
    there is no exact curve beside them.
    """
    traces, shapes = [], []
    if standard_error > 0:
        grid = np.linspace(*limits, 200)
        traces.append({
            "type": "scatter", "name": "standard error (Gaussian)", "opacity": 0.45, "mode": "lines",
            "x": y.from_unit(grid), "y": ndtr((grid - center) / standard_error),
            "line": {"color": "#808080", "width": 5},
        })  # fmt: skip
        low, high = y.from_unit([center - standard_error, center + standard_error])
        shapes = [_across(low, high, fillcolor=BAND, line={"width": 0}, layer="below")]
    exact = set(curves["mechanism"][curves["kind"] == "exact"])
    for (name, kind), curve in curves.groupby(["mechanism", "kind"], sort=False, observed=True):
        trials = kind == "trials"
        traces.append({
            "type": "scatter", "name": f"{name} (trials)" if trials else str(name), "legendgroup": str(name),
            "x": y.from_unit(curve["estimate"]), "y": curve["cdf"].to_numpy(), "mode": "lines",
            "showlegend": not trials or name not in exact,
            "line": {**style(str(name)), "width": 1 if trials else 2, "shape": "hv" if trials else "linear"},
        })  # fmt: skip
    released = {"title": {"text": f"released prediction: {y.label}"}, "range": list(y.from_unit(limits))}
    share = {"title": {"text": "share of releases at or below"}, "range": [-0.02, 1.02], "tickformat": ".0%"}
    return named_curves(traces, 520, room, shapes, xaxis=released, yaxis=share)


def _across(low: float, high: float, **look: Any) -> dict[str, Any]:
    """A shape from low to high on the x axis over the whole height."""
    return {"type": "rect", "yref": "y domain", "x0": low, "x1": high, "y0": 0, "y1": 1} | look


def scatter(
    data: Dataset,
    lines: pd.DataFrame,
    x: Axis = UNIT_X,
    y: Axis = UNIT_Y,
    at: Sequence[float] = (),
    zoom: bool = False,
) -> go.Figure:
    """The records with the OLS and Theil-Sen lines and the band of one standard error of the OLS prediction.

    lines: x, ols, low, high, theil_sen in the unit square. The axes show the public bounds, so that pictures of
    different groups compare, or, with zoom, the records.
    """
    across = x.from_unit(lines["x"])
    band = {"type": "scatter", "x": across, "mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    line = {"type": "scatter", "x": across, "mode": "lines"}
    traces = [
        record_markers(data.x, data.y, x, y),
        band | {"y": y.from_unit(lines["low"]), "showlegend": False},
        band
        | {"y": y.from_unit(lines["high"]), "fill": "tonexty", "fillcolor": BAND, "name": "OLS ± one standard error"},
        line | {"y": y.from_unit(lines["ols"]), "name": "OLS", "line": OLS_LINE},
        line | {"y": y.from_unit(lines["theil_sen"]), "name": "Theil–Sen", "line": THEIL_SEN_LINE},
    ]
    dotted = {"color": "#808080", "width": 1, "dash": "dot"}
    marks = [_across(float(point), float(point), line=dotted) for point in x.from_unit(at)]
    return figure_of(traces, 450, shapes=marks, **axes_of(data, x, y, zoom))


def axes_of(data: Dataset, x: Axis, y: Axis, zoom: bool = False) -> dict[str, dict[str, Any]]:
    """The axes of records: the public bounds or, with zoom, the records."""
    sides = [_around(data.x), _around(data.y)] if zoom else [(-0.02, 1.02), (-0.05, 1.05)]
    return {
        f"{name}axis": {"title": {"text": axis.label}, "range": list(axis.from_unit(side))}
        for name, axis, side in zip("xy", (x, y), sides, strict=True)
    }


def _around(values: Floats) -> tuple[float, float]:
    """The range of the values with a margin of a tenth."""
    low, high = float(values.min()), float(values.max())
    margin = 0.1 * (high - low) or 0.01
    return low - margin, high + margin


def record_markers(x_unit: Floats, y_unit: Floats, x: Axis, y: Axis) -> dict[str, Any]:
    """The records as markers, as WebGL markers where there are many, as a density where there are too many."""
    where = {"x": x.from_unit(x_unit), "y": y.from_unit(y_unit), "name": "records"}
    if x_unit.size > TOO_MANY_POINTS:
        return where | {"type": "histogram2d", "nbinsx": 80, "nbinsy": 60, "colorscale": "Blues", "showscale": False}
    many = x_unit.size > MANY_POINTS
    marker = {"color": "#3fa0dc", "size": 3 if many else 6, "opacity": 0.55}
    return where | {"type": "scattergl" if many else "scatter", "mode": "markers", "marker": marker}


def spaghetti(
    data: Dataset, lines: pd.DataFrame, x: Axis = UNIT_X, y: Axis = UNIT_Y, columns: int = 2, residuals: bool = False
) -> go.Figure:
    """Private lines over the records, one panel per algorithm.

    lines: mechanism, trial, x, y, rows in drawing order, in the unit square. At most RECORDS records are drawn in
    each panel, spread evenly over the data. residuals: distances from the OLS line are drawn in place of y.
    """
    names = list(dict.fromkeys(lines["mechanism"]))
    rows = max(1, -(-len(names) // columns))
    pick = np.linspace(0, data.n - 1, min(RECORDS, data.n)).astype(int)

    def height(across: Floats, up: Floats) -> Floats:
        return y.scale * (up - data.predict(across)) if residuals else y.from_unit(up)

    heights = height(data.x[pick], data.y[pick])
    records = {
        "type": "scatter",
        "x": x.from_unit(data.x[pick]),
        "y": heights,
        "mode": "markers",
        "marker": {"color": "#808080", "size": 3, "opacity": 0.45},
        "hoverinfo": "skip",
    }
    drawn = lines.assign(x=x.from_unit(lines["x"]), y=height(lines["x"].to_numpy(), lines["y"].to_numpy()))
    traces: list[dict[str, Any]] = []
    for place, name in enumerate(names):
        axes = {"xaxis": _axis_name("x", place), "yaxis": _axis_name("y", place)}
        traces += [records | axes, _broken_lines(drawn[drawn["mechanism"] == name], name) | axes]
    sides = {"range": list(y.from_unit([-0.25, 1.25])), "title": y.label}
    if residuals:
        most = 3 * max(float(np.abs(heights).max(initial=0.0)), 1e-9 * y.scale)
        sides = {"range": [-most, most], "title": "distance from OLS"}
    return figure_of(traces, 60 + 230 * rows, showlegend=False, **_panels(names, rows, columns, x, sides))


def _axis_name(letter: str, place: int) -> str:
    return letter if place == 0 else f"{letter}{place + 1}"


def _panels(names: Sequence[str], rows: int, columns: int, x: Axis, up: dict[str, Any]) -> dict[str, object]:
    """Axes and titles of a grid of panels that share the ranges of the public bounds."""
    across = list(x.from_unit([-0.02, 1.02]))
    width, height = 1 / columns, 1 / rows
    panels: dict[str, object] = {}
    titles = []
    for place, name in enumerate(names):
        row, column = divmod(place, columns)
        left, bottom = column * width, 1 - (row + 1) * height
        right, top = left + 0.94 * width, bottom + height - 0.18 / rows
        last = place + columns >= len(names)
        panels[f"xaxis{place + 1}"] = {
            "domain": [left, right], "anchor": _axis_name("y", place), "range": across,
            "showticklabels": last, "title": {"text": x.label if last else ""},
        }  # fmt: skip
        panels[f"yaxis{place + 1}"] = {
            "domain": [bottom, top], "anchor": _axis_name("x", place), "range": up["range"],
            "showticklabels": column == 0,
            "title": {"text": up["title"] if column == 0 and row == (rows - 1) // 2 else ""},
        }  # fmt: skip
        where = {
            "x": (left + right) / 2,
            "y": top,
            "xref": "paper",
            "yref": "paper",
            "xanchor": "center",
            "yanchor": "bottom",
        }
        titles.append({"text": name, "showarrow": False, "font": {"size": 14}} | where)
    return panels | {"annotations": titles}


def _broken_lines(drawn: pd.DataFrame, name: str) -> dict[str, object]:
    """All lines of one algorithm as one trace, a gap after each; single points where a trial has only one."""
    ends = int(drawn.groupby("trial").size().max()) if len(drawn) else 1
    across, up = (drawn[side].to_numpy().reshape(-1, ends) for side in ("x", "y"))
    gap = np.full((len(across), 1), np.nan)
    colour = style(name)["color"]
    return {
        "type": "scatter",
        "x": np.hstack([across, gap]).ravel(),
        "y": np.hstack([up, gap]).ravel(),
        "mode": "lines" if ends > 1 else "markers",
        "line": {"color": colour, "width": 1.2},
        "marker": {"color": colour, "size": 6, "symbol": "line-ew-open"},
        "opacity": 0.65,
        "name": name,
    }
