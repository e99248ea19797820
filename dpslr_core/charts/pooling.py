"""Pictures of pooled areas: releases beside pooled predictions."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..sources.axis import UNIT_Y, Axis
from .vega import GREY, Spec, axis, layer, looks, nominal, quantitative, with_data, xy

RELEASED, POOLED = "released alone", "pooled, with its interval"
COLORS = {RELEASED: GREY, POOLED: "#2a6fbb"}
HEIGHT = 380
MARGIN = 0.1  # margin above and below the intervals, as a share of their span


def pooled_picture(pooled: pd.DataFrame, y: Axis = UNIT_Y) -> Spec:
    """Draw the released and the pooled prediction of each area, in ascending order of releases; intervals are bars.

    Parameters
    ----------
    pooled : DataFrame
        Rows of ``pool_areas`` at one point, in the units of y. A release outside of the picture is drawn at its edge.
    y : Axis
        Units of the picture.
    """
    rows = pooled.sort_values("released", kind="stable", ignore_index=True)
    low, high = _ends(rows)
    shared = {"area": rows["group"].astype("str"), "place": np.arange(1, len(rows) + 1)}
    inside = rows["released"].clip(low, high)
    dots = pd.concat([
        pd.DataFrame(shared | {"what": RELEASED, "value": inside, "number": rows["released"]}),
        pd.DataFrame(shared | {"what": POOLED, "value": rows["pooled"], "number": rows["pooled"]}),
    ])  # fmt: skip
    bars = pd.DataFrame(shared | {"low": rows["low"], "high": rows["high"]})
    x = axis(
        f"{len(rows):,} areas, lowest release first",
        (0.0, len(rows) + 1.0),
        tickCount=6,
        grid=False,
    )
    up = axis(y.label, (low, high))
    color = looks(
        "what", list(COLORS), {"title": None, "orient": "bottom"}, color=[*COLORS.values()]
    )
    tooltip = [
        nominal("area", title="Area"),
        nominal("what", title=" "),
        quantitative("number", title=y.name),
    ]
    bar = {"type": "rule", "color": COLORS[POOLED], "opacity": 0.35, "clip": True}
    dot = {"type": "point", "size": 22 if len(rows) <= 400 else 8, "opacity": 0.9}
    filled = {
        "condition": {"test": f"datum.what === '{POOLED}'", "value": COLORS[POOLED]},
        "value": "transparent",
    }
    layers = [
        layer("bars", bar, xy(x, up, "place", "low") | {"y2": {"field": "high"}}),
        layer(
            "dots", dot, xy(x, up, "place", "value") | color | {"fill": filled, "tooltip": tooltip}
        ),
    ]
    return with_data({"layer": layers, "height": HEIGHT}, bars=bars, dots=dots)


def outside(pooled: pd.DataFrame) -> int:
    """Count the releases beyond the vertical axis of the picture of pooled lines, which are not visible there."""
    low, high = _ends(pooled)
    return int(((pooled["released"] < low) | (pooled["released"] > high)).sum())


def _ends(pooled: pd.DataFrame) -> tuple[float, float]:
    """Return the ends of the vertical axis of `pooled_picture`."""
    low, high = float(pooled["low"].min()), float(pooled["high"].max())
    return low - MARGIN * (high - low), high + MARGIN * (high - low)
