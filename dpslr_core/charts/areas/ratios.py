"""The error beside the sampling error in every one of many areas, for two algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd

from ...sources.axis import UNIT_Y, Axis
from ...text.phrases import format_amount
from ..base import BOTTOM, TOP, error_range
from ..labels import apart
from ..rows import BELOW, GREEN
from ..styles import shade
from ..vega import SHAPES, Spec, expression, layer, nominal, quantitative, with_data

HEIGHT, RIGHT = 400, 150  # pixels of the picture, and beside it for the names of the curves
WIDE = "width > 480"  # where there is room for names beside the curves
MOST_DOTS = 400  # areas up to which each has a dot of its own
PER_STEP, STEPS = 20, (4, 24)  # areas of a step of the middle line at least, and how many steps there are
LIGHTNESS = (0.38, 0.6)  # of the two colours, so that they differ without hue too


def area_ratios(here: pd.DataFrame, names: Sequence[str], y: Axis = UNIT_Y) -> Spec:
    """C(68) in standard errors of each area, the areas in order of their standard error; the region below 1 is named.

    here: rows of by_group at one point; names: one or two algorithms. A line runs through the medians of neighbouring
    areas, in a band from the 10th to the 90th percentile; few areas have dots. Areas without sampling error are left
    out; an error without bound stands at the upper edge.
    """
    dots = _places(here, names, y)
    middle = pd.concat([_steps(rows, str(name)) for name, rows in dots.groupby("algorithm", sort=False)])
    span, last = _span(dots["ratio"]), int(dots["place"].max())
    many = dots["place"].nunique() > MOST_DOTS
    below = pd.DataFrame({"low": [BOTTOM], "high": [1.0], "note": [BELOW]})
    shape = _shape(tuple(names), last, span, many)
    return with_data(shape, dots=dots[:0] if many else dots, middle=middle, names=_names(middle, span), below=below)


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


def _names(middle: pd.DataFrame, span: tuple[float, float]) -> pd.DataFrame:
    """The last points of the lines, moved apart so that their names have room."""
    ends = middle.groupby("algorithm", sort=False).last().reset_index().sort_values("middle", ignore_index=True)
    low, high = np.log(span)
    heights = apart(np.log(ends["middle"].clip(*span)), 0.07 * (high - low), low, high)
    return ends.assign(middle=np.exp(heights))


@lru_cache(SHAPES)
def _shape(names: tuple[str, ...], last: int, span: tuple[float, float], many: bool) -> Spec:
    """The shape of area_ratios. last: the number of areas; span: the ends of the axis of ratios; many: without dots."""
    right = expression(f"{WIDE} ? width - {RIGHT} : width")
    x_scale = {"domain": [1, max(last, 2)], "nice": False, "range": [0, right]}
    x_axis = {"title": f"{last:,} areas, smallest standard error first", "tickCount": 6, "grid": False, "format": ",d"}
    y_scale = {"type": "log", "domain": list(span), "clamp": True, "nice": False}
    y_axis = {"title": "error C(68) / standard error", "format": ",~r", "gridOpacity": 0.5}
    tones = [shade(name, tone) for name, tone in zip(names, LIGHTNESS, strict=False)]

    def y(field: str) -> Spec:
        return {"y": quantitative(field, scale=y_scale, axis=y_axis)}

    color = {"color": nominal("algorithm", legend=None, scale={"domain": list(names), "range": tones})}
    x = {"x": quantitative("place", scale=x_scale, axis=x_axis)} | color
    across = {"x": {"value": 0}, "x2": {"value": right}}
    tooltip = [
        nominal("area", title="Area"),
        nominal("algorithm", title="Algorithm"),
        quantitative("n", title="Records", format=",d"),
        nominal("error", title="68% of releases within"),
        quantitative("ratio", title="In standard errors", format=",.3~r"),
    ]
    bold = {"type": "text", "fontSize": 14, "fontWeight": "bold"}
    note = {"text": nominal("note"), "x": {"value": 8}, "y": {"value": expression("height - 12")}}
    name = {"align": expression(f"{WIDE} ? 'left' : 'right'"), "dy": expression(f"{WIDE} ? 0 : -12")}
    name_at = {"x": {"value": expression(f"{WIDE} ? width - {RIGHT - 8} : width - 4")}, "text": nominal("algorithm")}
    band = {"type": "area", "opacity": 0.3 if many else 0.1, "clip": True}
    layers = [
        layer("below", {"type": "rect", "color": GREEN, "opacity": 0.16, "clip": True},
              across | y("high") | {"y2": {"field": "low"}}),
        layer("below", {"type": "rule", "color": GREEN, "strokeWidth": 2}, across | y("high")),
        layer("below", bold | {"align": "left", "color": GREEN}, note),
        layer("middle", band, x | y("low") | {"y2": {"field": "high"}}),
        layer("dots", {"type": "circle", "size": 16, "opacity": 0.45, "clip": True},
              x | y("ratio") | {"tooltip": tooltip}),
        layer("middle", {"type": "line", "strokeWidth": 3.5, "clip": True}, x | y("middle")),
        layer("names", bold | name, y("middle") | color | name_at),
    ]  # fmt: skip
    return {"layer": layers, "height": HEIGHT}
