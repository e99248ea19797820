"""Charts of sweeps: frames of sweep in, figures out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..experiments.sweep.crossings import LINEAR
from ..support.types import Floats
from .base import BOTTOM, error_range, line_at_one, logarithmic
from .labels import USUAL, Room, named_curves
from .styles import faded, style


def error_curves(
    frame: pd.DataFrame, span: tuple[float, float], label: str, error: str, room: Room = USUAL
) -> go.Figure:
    """Mean error of every algorithm along the parameter, with its band of 95% Monte-Carlo error and the line at 1.

    frame: of sweep, its values in the units they are drawn in; span: the ends of the parameter's axis in the same;
    label, error: titles of the axes. Both axes are logarithmic, but that of a parameter in LINEAR. Where a mean is
    infinite the curve has a gap and an open circle stands at the median. room: for the names of the curves.
    """
    traces: list[dict[str, Any]] = []
    for name, rows in frame.groupby("mechanism", sort=False, observed=True):
        ordered = rows.sort_values("value")
        traces += [_band(str(name), ordered), _curve(str(name), ordered), _medians(str(name), ordered)]
    ends = error_range(np.append(frame["mean"], frame["median"]))
    up = {"title": {"text": error}, "range": list(np.log10(ends)), **logarithmic(ends)}
    linear = bool(frame["parameter"].isin(LINEAR).any()) or span[0] <= 0
    across = {"title": {"text": label}, "range": _widened(span, linear), **({} if linear else logarithmic(span))}
    drawn = [trace for trace in traces if len(trace["x"])]
    return named_curves(drawn, 430, room, [line_at_one("y")], xaxis=across, yaxis=up)


def width_curves(
    frame: pd.DataFrame, span: tuple[float, float], label: str, width: str, room: Room = USUAL
) -> go.Figure:
    """Median widths of intervals of every algorithm and of OLS along the parameter, on logarithmic axes.

    frame: of interval_widths, in the units that are drawn; span, label, room: as in error_curves; width: the title. A
    curve has a gap where most intervals lack an end.
    """
    widths = frame["width"].to_numpy(float)
    ends = _round_ends(widths[np.isfinite(widths) & (widths > 0)])
    traces = [
        _curve(str(name), rows.sort_values("value").assign(mean=rows["width"]))
        for name, rows in frame.groupby("mechanism", sort=False, observed=True)
    ]
    up = {"title": {"text": width}, "range": list(np.log10(ends)), **logarithmic(ends)}
    linear = bool(frame["parameter"].isin(LINEAR).any()) or span[0] <= 0
    across = {"title": {"text": label}, "range": _widened(span, linear), **({} if linear else logarithmic(span))}
    return named_curves(traces, 430, room, xaxis=across, yaxis=up)


def _round_ends(widths: Floats) -> tuple[float, float]:
    """Half decades about all widths, so that pictures of neighbouring settings compare."""
    halves = 2 * np.log10(widths) if widths.size else np.zeros(1)
    low, high = np.floor(halves.min()), np.ceil(halves.max())
    return float(10 ** (low / 2)), float(10 ** (max(high, low + 1) / 2))


def _widened(span: tuple[float, float], linear: bool) -> list[float]:
    """The range of an axis with a margin of a fortieth; where it is logarithmic, in decades."""
    low, high = span if linear else np.log10(span)
    margin = (high - low) / 40 or 0.05
    return [float(low - margin), float(high + margin)]


def _curve(name: str, rows: pd.DataFrame) -> dict[str, Any]:
    """The means, with a gap where one is infinite."""
    means = rows["mean"].to_numpy(float)
    return {
        "type": "scatter", "mode": "lines+markers", "name": name, "legendgroup": name,
        "x": rows["value"].to_numpy(float), "y": np.where(np.isfinite(means), means, np.nan),
        "line": {**style(name), "width": 2}, "marker": {"size": 4, "color": style(name)["color"]},
        "hovertemplate": f"{name}<br>%{{x:.4g}}: %{{y:.3g}}<extra></extra>",
    }  # fmt: skip


def _medians(name: str, rows: pd.DataFrame) -> dict[str, Any]:
    """Open circles at the medians where the mean is infinite and the median is not."""
    rows = rows[~np.isfinite(rows["mean"]) & np.isfinite(rows["median"])]
    told = f"{name}<br>%{{x:.4g}}: median %{{y:.3g}}<br>infinite on %{{customdata:.0%}} of data sets<extra></extra>"
    return {
        "type": "scatter", "mode": "markers", "name": f"{name} (median)", "legendgroup": name, "showlegend": False,
        "x": rows["value"].to_numpy(float), "y": rows["median"].to_numpy(float),
        "customdata": rows["infinite_share"].to_numpy(float), "hovertemplate": told,
        "marker": {"symbol": "circle-open", "size": 8, "color": style(name)["color"]},
    }  # fmt: skip


def _band(name: str, rows: pd.DataFrame) -> dict[str, Any]:
    """The 95% Monte-Carlo error as filled areas, one for each stretch of neighbouring values where it is known."""
    x, low, high = (rows[column].to_numpy(float) for column in ("value", "low", "high"))
    known = np.isfinite(low) & np.isfinite(high) & (high > low)
    across: list[Floats] = []
    up: list[Floats] = []
    for stretch in np.split(np.arange(x.size), np.flatnonzero(np.diff(known)) + 1):
        if stretch.size > 1 and known[stretch[0]]:
            across += [x[stretch], x[stretch][::-1], np.array([np.nan])]
            up += [high[stretch], np.maximum(low[stretch], BOTTOM)[::-1], np.array([np.nan])]
    return {
        "type": "scatter", "mode": "lines", "name": f"{name} (95%)", "legendgroup": name, "showlegend": False,
        "x": np.concatenate([*across, []]), "y": np.concatenate([*up, []]), "fill": "toself",
        "fillcolor": faded(name, 0.16), "line": {"width": 0}, "hoverinfo": "skip",
    }  # fmt: skip
