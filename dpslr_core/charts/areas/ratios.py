"""The error beside the sampling error in every one of many areas, for two algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from ...sources.axis import UNIT_Y, Axis
from ...text.phrases import format_amount
from ..base import BOTTOM, TOP, error_range
from ..labels import apart
from ..rows import BELOW, GREEN, round_ticks, unframed
from ..styles import shade

HEIGHT, RIGHT = 400, 150  # pixels of the picture, and beside it for the names of the curves
WIDE = "width > 480"  # where there is room for names beside the curves
MOST_DOTS = 400  # areas up to which each has a dot of its own
PER_STEP, STEPS = 20, (4, 24)  # areas of a step of the middle line at least, and how many steps there are
LIGHTNESS = (0.38, 0.6)  # of the two colours, so that they differ without hue too


def area_ratios(here: pd.DataFrame, names: Sequence[str], y: Axis = UNIT_Y) -> alt.LayerChart:
    """C(68) in standard errors of each area, the areas in order of their standard error; the region below 1 is named.

    here: rows of by_group at one point; names: one or two algorithms. A line runs through the medians of neighbouring
    areas, in a band from the 10th to the 90th percentile; few areas have dots. Areas without sampling error are left
    out; an error without bound stands at the upper edge.
    """
    dots = _places(here, names, y)
    middle = pd.concat([_steps(rows, str(name)) for name, rows in dots.groupby("algorithm", sort=False)])
    span = _span(dots["ratio"])
    colours = alt.Color(
        "algorithm:N", legend=None,
        scale=alt.Scale(domain=list(names), range=[shade(n, tone) for n, tone in zip(names, LIGHTNESS, strict=False)]),
    )  # fmt: skip
    x, up = _axes(dots, span)
    base = alt.Chart(middle).encode(x=x, color=colours)
    wide_band = dots["place"].nunique() > MOST_DOTS
    layers = [
        *_region(up),
        base.mark_area(opacity=0.3 if wide_band else 0.1, clip=True).encode(y=up("low"), y2=alt.Y2("high:Q")),
        *([] if wide_band else [_dots(dots, x, up, colours)]),
        base.mark_line(strokeWidth=3.5, clip=True).encode(y=up("middle")),
        _names(middle, span, colours, up),
    ]
    return alt.LayerChart(layer=layers, height=HEIGHT, config=unframed())


def _span(ratios: pd.Series) -> tuple[float, float]:
    """The ends of the axis: all but a few areas are within, the others at its ends."""
    bounded = ratios[ratios < TOP]
    return error_range(bounded.quantile([0.01, 0.99]) if len(bounded) else [1.0])


def _places(here: pd.DataFrame, names: Sequence[str], y: Axis) -> pd.DataFrame:
    """The rows to draw: algorithm, place of the area by standard error, ratio, and words for the pointer."""
    rows = here[here["mechanism"].isin(list(names)) & (here["standard_error"] > 0)]
    order = rows.drop_duplicates("group").sort_values("standard_error", kind="stable")["group"]
    place = pd.Series(np.arange(1, len(order) + 1), index=order.to_numpy())
    unit = f" {y.unit}" if y.unit else ""
    return pd.DataFrame({
        "algorithm": rows["mechanism"].astype("str"),
        "area": rows["group"].astype("str"),
        "n": rows["n"],
        "place": place.loc[rows["group"]].to_numpy(),
        "ratio": rows["ratio"].clip(BOTTOM, TOP),
        "error": [f"±{format_amount(bound * y.scale)}{unit}" for bound in rows["c68"]],
    }).reset_index(drop=True)  # fmt: skip


def _steps(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """The median of neighbouring areas and the 10th and 90th percentile: algorithm, place, low, middle, high."""
    ordered = rows.sort_values("place")
    count = int(np.clip(len(rows) // PER_STEP, *STEPS))
    steps = [part for part in np.array_split(np.arange(len(rows)), count) if part.size]
    places, ratios = ordered["place"].to_numpy(), ordered["ratio"].to_numpy()
    low, middle, high = np.array([np.quantile(ratios[part], (0.1, 0.5, 0.9)) for part in steps]).T
    at = np.array([places[part].mean() for part in steps])
    at[[0, -1]] = places[0], places[-1]
    return pd.DataFrame({"algorithm": name, "place": at, "low": low, "middle": middle, "high": high})


def _axes(dots: pd.DataFrame, span: tuple[float, float]) -> tuple[alt.X, Any]:
    """The axis of the areas, and a maker of axes of ratios."""
    last = int(dots["place"].max())
    x = alt.X(
        "place:Q",
        scale=alt.Scale(domain=[1, max(last, 2)], nice=False, range=[0, {"expr": f"{WIDE} ? width - {RIGHT} : width"}]),
        axis=alt.Axis(title=f"{last:,} areas, smallest standard error first", tickCount=6, grid=False, format=",d"),
    )
    scale = alt.Scale(type="log", domain=list(span), clamp=True, nice=False)
    look = alt.Axis(
        title="error C(68) / standard error",
        values=[tick for tick in round_ticks(span) if span[0] <= tick <= span[1]],
        format=",~r",
        gridOpacity=0.5,
        labelOverlap=False,
    )
    return x, lambda field: alt.Y(f"{field}:Q", scale=scale, axis=look)


def _region(up: Any) -> list[Any]:
    """The region below 1, its name and its edge."""
    right = {"expr": f"{WIDE} ? width - {RIGHT} : width"}
    region = alt.Chart(pd.DataFrame({"low": [BOTTOM], "high": [1.0]}))
    across: dict[str, Any] = {"x": alt.XValue(0), "x2": alt.X2Value(right)}
    note = alt.Chart(pd.DataFrame({"note": [BELOW]})).mark_text(
        align="left", color=GREEN, fontSize=14, fontWeight="bold"
    )
    return [
        region.mark_rect(color=GREEN, opacity=0.16, clip=True).encode(**across, y=up("high"), y2=alt.Y2("low:Q")),
        region.mark_rule(color=GREEN, strokeWidth=2).encode(**across, y=up("high")),
        note.encode(text=alt.Text("note:N"), x=alt.XValue(8), y=alt.YValue({"expr": "height - 12"})),
    ]


def _dots(dots: pd.DataFrame, x: alt.X, up: Any, colours: alt.Color) -> alt.Chart:
    tooltip = [
        alt.Tooltip("area:N", title="Area"),
        alt.Tooltip("algorithm:N", title="Algorithm"),
        alt.Tooltip("n:Q", title="Records", format=",d"),
        alt.Tooltip("error:N", title="68% of releases within"),
        alt.Tooltip("ratio:Q", title="In standard errors", format=",.3~r"),
    ]
    points = alt.Chart(dots).mark_circle(size=16, opacity=0.45, clip=True)
    return points.encode(x=x, y=up("ratio"), color=colours, tooltip=tooltip)


def _names(middle: pd.DataFrame, span: tuple[float, float], colours: alt.Color, up: Any) -> alt.Chart:
    """The names at the right ends of the lines, apart from each other; inside the picture where it is narrow."""
    ends = middle.groupby("algorithm", sort=False).last().reset_index().sort_values("middle", ignore_index=True)
    low, high = np.log(span)
    heights = apart(np.log(ends["middle"].clip(*span)), 0.07 * (high - low), low, high)
    text = alt.Chart(ends.assign(middle=np.exp(heights))).mark_text(
        align={"expr": f"{WIDE} ? 'left' : 'right'"}, dy={"expr": f"{WIDE} ? 0 : -12"}, fontSize=14, fontWeight="bold"
    )
    return text.encode(
        x=alt.XValue({"expr": f"{WIDE} ? width - {RIGHT - 8} : width - 4"}),
        y=up("middle"),
        text=alt.Text("algorithm:N"),
        color=colours,
    )
