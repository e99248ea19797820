"""Intervals as bars: sampling error and noise in two colours, and a hundred simulated ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..sources.axis import UNIT_Y, Axis
from ..support.types import Floats
from .styles import GREY_LINE, Figure, figure_of
from .vega import GREEN, LEGEND, Spec, axis, layer, looks, rule, with_data, xy

NOISE, HELD, MISSED = "#e08a3c", "#7a93a8", "#d1334b"
BAND = "rgba(128, 128, 128, 0.22)"
_WIDEST = 8.0  # times the OLS interval that the picture shows on either side


def interval_bars(
    rows: pd.DataFrame, ols: tuple[float, float, float], y: Axis = UNIT_Y, phone: bool = False
) -> Figure:
    """One release's intervals at one point, a bar for each algorithm in the order of rows.

    rows: algorithm, estimate, low, high, sampling, own_low, own_high in the unit square. ols: OLS and the ends of its
    interval. Drawn in the units of y; bars that leave the picture end in an arrow.
    """
    half, ends = max(ols[2] - ols[1], 1e-9), rows[["low", "high", "estimate"]].to_numpy()
    away = float(np.abs(ends[np.isfinite(ends)] - ols[0]).max(initial=half))
    reach = 1.08 * min(away, _WIDEST * half)
    window = ols[0] - reach, ols[0] + reach
    names = rows["algorithm"].tolist()
    whole = np.clip(rows[["low", "high"]].to_numpy(), *window)
    part = rows["estimate"].to_numpy()[:, None] + np.outer(rows["sampling"], [-1, 1])
    inner = np.clip(part, whole[:, :1], whole[:, 1:])
    own = rows[["own_low", "own_high"]].to_numpy().ravel()
    marks = np.where((own > window[0]) & (own < window[1]), own, np.nan)
    traces = [
        _bars(names, whole, y, ("with noise: 95% confidence interval", NOISE, 7)),
        _bars(names, inner, y, ("sampling error alone", GREEN, 15)),
        {
            "type": "scatter", "mode": "markers", "name": "privacy interval: where OLS lies",
            "x": y.from_unit(marks), "y": [each for each in names for _ in range(2)],
            "marker": {"symbol": "line-ns", "size": 20, "line": GREY_LINE},
        },
        {
            "type": "scatter", "mode": "markers", "name": "released prediction",
            "x": y.from_unit(rows["estimate"].where(rows["estimate"].between(*window))), "y": names,
            "marker": {"size": 9, "color": "#ffffff", "line": {"width": 2, "color": "#222222"}},
        },
        *(
            {
                "type": "scatter", "mode": "markers", "showlegend": False, "hoverinfo": "skip", "cliponaxis": False,
                "x": [float(y.from_unit(end))] * int(beyond.sum()), "y": rows["algorithm"][beyond].tolist(),
                "marker": {"symbol": f"triangle-{side}", "size": 13, "color": NOISE},
            }
            for side, end, beyond in (
                ("left", window[0], rows["low"] < window[0]), ("right", window[1], rows["high"] > window[1])
            )
        ),
        {
            "type": "scatter", "mode": "lines", "name": "OLS and its 95% interval, not private", "x": [None],
            "y": names[:1], "line": GREY_LINE,
        },
    ]  # fmt: skip
    middle, sides = float(y.from_unit(ols[0])), y.from_unit(ols[1:])
    tall = {"yref": "y domain", "y0": 0, "y1": 1}
    shapes = [
        {"type": "rect", "x0": float(sides[0]), "x1": float(sides[1]), "fillcolor": BAND, "layer": "below",
         "line": {"width": 0}, **tall},
        {"type": "line", "x0": middle, "x1": middle, "line": GREY_LINE, **tall},
    ]  # fmt: skip
    across = {"title": {"text": y.label}, "range": list(y.from_unit(window))}
    up = {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": names[::-1],
        "automargin": True,
    }
    height = (150 if phone else 110) + 44 * len(names)
    return figure_of(traces, height + 40, shapes=shapes, xaxis=across, yaxis=up)


def _bars(names: list[str], ends: Floats, y: Axis, look: tuple[str, str, int]) -> dict[str, Any]:
    """One trace of horizontal bars with gaps between; those without numbers are left out.

    ends: shape (m, 2). look: name, colour and width.
    """
    name, color, width = look
    known = np.isfinite(ends).all(axis=1, keepdims=True)
    broken = np.column_stack([np.where(known, ends, np.nan), np.full(len(names), np.nan)])
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": y.from_unit(broken).ravel(),
        "y": [each for each in names for _ in range(3)],
        "line": {"color": color, "width": width},
    }


def hundred_intervals(simulated: pd.DataFrame, truth: float, y: Axis = UNIT_Y) -> Spec:
    """Simulated intervals side by side: those that miss the line are thicker and of another colour.

    simulated: number, low, high, held, in the unit square; truth: the height of the line.
    """
    ends = simulated[["low", "high"]].to_numpy()
    finite = np.abs(ends[np.isfinite(ends)] - truth)
    reach = (
        1.1 * float(min(np.quantile(finite, 0.97), 4 * np.median(finite))) if finite.size else 0.5
    )
    window = truth - reach, truth + reach
    low, high = y.from_unit(np.clip(ends, *window)).T
    names = ["holds the line", "misses it"]
    drawn = pd.DataFrame({"number": simulated["number"], "low": low, "high": high})
    drawn["held"] = np.where(simulated["held"], *names)
    bottom, top = map(float, y.from_unit(window))
    x = axis(
        "simulated data set, one release each", (0.0, len(simulated) + 1.0), format="d", grid=False
    )
    up = axis(y.label, (bottom, top), format=",~r")
    look = looks("held", names, LEGEND, color=[HELD, MISSED], strokeWidth=[2, 5])
    layers = [
        rule("y", up, float(y.from_unit(truth)), strokeDash=[1, 0]),
        layer(
            "intervals",
            {"type": "rule"},
            xy(x, up, "number", "low") | {"y2": {"field": "high"}} | look,
        ),
    ]
    return with_data({"layer": layers, "height": 380}, intervals=drawn)
