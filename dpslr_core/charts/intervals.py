"""Intervals as bars: sampling error and noise in two colours, and a hundred simulated intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..sources.axis import UNIT_Y, Axis
from .vega import (
    GREEN,
    GREY,
    Spec,
    axis,
    band,
    layer,
    nominal,
    rule,
    with_data,
)

NOISE = "#e08a3c"
_WIDEST = 8.0  # largest half width of the picture, in widths of the OLS interval


def interval_bars(rows: pd.DataFrame, ols: tuple[float, float, float], y: Axis = UNIT_Y) -> Spec:
    """Draw one release's intervals at one point, a bar for each algorithm; bars that leave the picture end in an arrow.

    Parameters
    ----------
    rows : DataFrame
        In drawing order: algorithm, estimate, low, high, sampling, own_low, own_high, in the unit square.
    ols : tuple of float
        OLS and the ends of its interval, in the unit square.
    y : Axis
        Units of the picture.
    """
    half, ends = max(ols[2] - ols[1], 1e-9), rows[["low", "high", "estimate"]].to_numpy()
    away = float(np.abs(ends[np.isfinite(ends)] - ols[0]).max(initial=half))
    reach = 1.08 * min(away, _WIDEST * half)
    window = ols[0] - reach, ols[0] + reach
    total = np.clip(rows[["low", "high"]].to_numpy(), *window)
    sampling = rows["estimate"].to_numpy()[:, None] + np.outer(rows["sampling"], [-1, 1])
    inner = np.clip(sampling, total[:, :1], total[:, 1:])
    marked = rows[["estimate", "own_low", "own_high"]].to_numpy()
    marked = np.where((marked > window[0]) & (marked < window[1]), marked, np.nan)
    columns = ["low", "high", "inner_low", "inner_high", "estimate", "own_low", "own_high"]
    drawn = pd.DataFrame(y.from_unit(np.hstack([total, inner, marked])), columns=columns)
    drawn = drawn.assign(
        algorithm=rows["algorithm"].to_numpy(),
        left=np.where(rows["low"] < window[0], "◀", ""),
        right=np.where(rows["high"] > window[1], "▶", ""),
    )
    first, last = map(float, y.from_unit(window))
    x = axis(y.label, (first, last), grid=False)
    names = nominal("algorithm", sort=None, axis={"title": None, "labelLimit": 190, "ticks": False})

    def bar(mark: Spec, low: str, high: str) -> Spec:
        return layer("bars", mark, {"x": x | {"field": low}, "x2": {"field": high}, "y": names})

    def at(mark: Spec, field: str, **more: Spec) -> Spec:
        return layer("bars", mark, {"x": x | {"field": field}, "y": names, **more})

    own = {"type": "tick", "size": 22, "thickness": 2, "color": GREY}
    arrow = {"type": "text", "fontSize": 22, "color": NOISE}
    dot = {
        "type": "circle",
        "size": 90,
        "opacity": 1,
        "color": "#ffffff",
        "stroke": "#222222",
        "strokeWidth": 2,
    }
    ends_of_ols = [float(end) for end in y.from_unit(ols[1:])]
    layers = [
        band(x, (ends_of_ols[0], ends_of_ols[1])),
        rule("x", x, float(y.from_unit(ols[0])), strokeDash=[1, 0]),
        bar({"type": "rule", "color": NOISE, "strokeWidth": 7}, "low", "high"),
        bar({"type": "rule", "color": GREEN, "strokeWidth": 15}, "inner_low", "inner_high"),
        at(own, "own_low"),
        at(own, "own_high"),
        at(dot, "estimate"),
        *(at(arrow, end, text=nominal(side)) for end, side in (("low", "left"), ("high", "right"))),
    ]
    return with_data({"layer": layers, "height": {"step": 44}}, bars=drawn)
