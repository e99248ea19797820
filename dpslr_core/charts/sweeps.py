"""Charts of sweeps: the frames of sweep and interval_widths in, pictures out."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pandas as pd

from ..experiments.crossings import LINEAR
from ..support.types import Floats
from .base import BOTTOM, error_range
from .labels import LETTER, LINE, USUAL, Room, apart
from .styles import dash_lengths, style
from .vega import SHAPES, Spec, expression, layer, nominal, quantitative, with_data

HEIGHT = 420  # pixels
GREY = "#808080"
Span = tuple[float, float]


def error_curves(frame: pd.DataFrame, span: Span, label: str, error: str, room: Room = USUAL) -> Spec:
    """Mean error of every algorithm along the parameter, with its band of 95% Monte-Carlo error and the line at 1.

    frame: of sweep, its values in the units they are drawn in; span: the ends of the parameter's axis in the same;
    label, error: titles of the axes. Both axes are logarithmic, but that of a parameter in LINEAR. Where a mean is
    infinite the curve has a gap and an open circle stands at the median. room: for the names of the curves.
    """
    ends = error_range(np.append(frame["mean"], frame["median"]))
    known = np.isfinite(frame["low"]) & np.isfinite(frame["high"]) & (frame["high"] > frame["low"])
    bands = frame.assign(low=frame["low"].clip(lower=BOTTOM).where(known), high=frame["high"].where(known))
    medians = frame[~np.isfinite(frame["mean"]) & np.isfinite(frame["median"])]
    return _curves(frame, span, ends, (label, error), room, bands, medians)


def width_curves(frame: pd.DataFrame, span: Span, label: str, width: str, room: Room = USUAL) -> Spec:
    """Median widths of intervals of every algorithm and of OLS along the parameter, on logarithmic axes.

    frame: of interval_widths, in the units that are drawn; span, label, room: as in error_curves; width: the title. A
    curve has a gap where most intervals lack an end.
    """
    widths = frame["width"].to_numpy(float)
    ends = _round_ends(widths[np.isfinite(widths) & (widths > 0)])
    return _curves(frame.assign(mean=widths), span, ends, (label, width), room)


def _round_ends(widths: Floats) -> Span:
    """Half decades about all widths, so that pictures of neighbouring settings compare."""
    halves = 2 * np.log10(widths) if widths.size else np.zeros(1)
    low, high = np.floor(halves.min()), np.ceil(halves.max())
    return float(10 ** (low / 2)), float(10 ** (max(high, low + 1) / 2))


def _curves(
    frame: pd.DataFrame,
    span: Span,
    ends: Span,
    titles: tuple[str, str],
    room: Room,
    bands: pd.DataFrame | None = None,
    medians: pd.DataFrame | None = None,
) -> Spec:
    """The means of a frame as curves, in the given spans of both axes; below them bands, above them medians."""
    frame = frame.assign(mechanism=frame["mechanism"].astype("str")).sort_values("value", kind="stable")
    names = tuple(dict.fromkeys(frame["mechanism"]))
    linear = bool(frame["parameter"].isin(LINEAR).any()) or span[0] <= 0
    means = frame["mean"].to_numpy(float)
    frame["mean"] = np.where(np.isfinite(means) & (means > 0), means, np.nan)
    legend = room.narrow or len(names) * LINE * room.text_size > HEIGHT - 70
    right = 0 if legend else round(20 + LETTER * room.text_size * max(map(len, names), default=0))
    shape = _shape(names, _widened(span, linear), linear, ends, titles, right, bands is not None)
    data = {"curves": frame[["mechanism", "value", "mean"]], "names": _names(frame, ends, LINE * room.text_size)}
    if bands is not None and medians is not None:
        data["bands"] = bands[["mechanism", "value", "low", "high"]].sort_values("value", kind="stable")
        data["medians"] = medians[["mechanism", "value", "median", "infinite_share"]]
        data["one"] = pd.DataFrame({"mean": [1.0]})
    return with_data(shape, **data)


def _widened(span: Span, linear: bool) -> Span:
    """The range of an axis with a margin of a fortieth, of its decades where it is logarithmic."""
    low, high = span if linear else np.log10(span)
    margin = (high - low) / 40 or 0.05
    ends = np.array([low - margin, high + margin])
    first, last = ends if linear else 10**ends
    return float(first), float(last)


def _names(frame: pd.DataFrame, ends: Span, line: float) -> pd.DataFrame:
    """The last point of each curve, and the height where its name has room: mechanism, value, mean, name_at."""
    known = frame.dropna(subset=["mean"])
    last = known.groupby("mechanism", sort=False).last().reset_index()
    logs = (np.log(last["mean"].clip(*ends).to_numpy()) - np.log(ends[0])) / np.log(ends[1] / ends[0])
    paths = known.assign(path=np.log(known["mean"])).groupby("mechanism", sort=False)["path"].mean()
    gap = line / (HEIGHT - 70)
    order = np.lexsort((last["mechanism"].map(paths), np.round(logs / gap)))
    heights = apart(logs[order], gap, gap / 2, 1 - gap / 2)
    placed = last.iloc[order].assign(name_at=ends[0] * (ends[1] / ends[0]) ** heights)
    return placed[["mechanism", "value", "mean", "name_at"]].reset_index(drop=True)


@lru_cache(SHAPES)
def _shape(
    names: tuple[str, ...], across: Span, linear: bool, up: Span, titles: tuple[str, str], right: int, errors: bool
) -> Spec:
    """The shape of both pictures.

    names: of the algorithms. across, up: the ends of the axes, the first of which may be linear. right: pixels for the
    names beside the curves; 0: a legend below them. errors: whether there are bands, medians and a line at 1.
    """
    edge = expression(f"width - {right}") if right else expression("width")
    kind: Spec = {"type": "linear", "zero": False} if linear else {"type": "log"}
    scale = kind | {"domain": list(across), "nice": False}
    shared = {"labelOverlap": "greedy", "titleLimit": 600}
    x_axis = {"title": titles[0], "tickCount": 8, "format": "~g" if linear else ",~r", "grid": False} | shared
    x = quantitative("value", scale=scale | {"range": [0, edge]}, axis=x_axis)
    y_axis = {"title": titles[1], "format": ",~r", "gridOpacity": 0.5} | shared

    def y(field: str) -> Spec:
        return quantitative(field, scale={"type": "log", "domain": list(up), "nice": False}, axis=y_axis)

    below = {"title": None, "orient": "bottom", "columns": 2, "symbolType": "stroke", "symbolSize": 300}
    looks = {"color": [style(name)["color"] for name in names], "strokeDash": [dash_lengths(name) for name in names]}
    look = {
        channel: nominal("mechanism", scale={"domain": list(names), "range": values}, legend=None if right else below)
        for channel, values in looks.items()
    }
    color = {"color": look["color"]}
    tooltip = [
        nominal("mechanism", title="algorithm"),
        quantitative("value", title=titles[0], format=",.4~g"),
        quantitative("mean", title=titles[1], format=",.3~g"),
    ]
    curve, at = {"x": x, "y": y("mean")}, {"x": x, "y": y("name_at")}
    layers = [
        layer("curves", {"type": "line", "strokeWidth": 2, "clip": True}, curve | look),
        layer("curves", {"type": "point", "filled": True, "size": 20, "opacity": 1, "clip": True}, curve | color),
        layer("curves", {"type": "point", "size": 300, "opacity": 0, "clip": True}, curve | {"tooltip": tooltip}),
    ]
    if right:
        name = {"type": "text", "align": "left", "fontSize": 12, "fontWeight": "bold"}
        leader = {"type": "rule", "strokeDash": [1, 3], "strokeWidth": 1}
        layers += [
            layer("names", leader, curve | color | {"x2": {"value": edge}, "y2": {"field": "name_at"}}),
            layer("names", name, at | color | {"x": {"value": expression(f"width - {right - 6}")},
                                               "text": nominal("mechanism")}),
        ]  # fmt: skip
    move = {"name": "move", "select": {"type": "interval", "zoom": "wheel![event.shiftKey]"}, "bind": "scales"}
    layers[0] |= {"params": [move]} if right else {}  # by dragging, not with a finger that scrolls the page
    return {"layer": [*_errors(x, y, color, titles, edge), *layers] if errors else layers, "height": HEIGHT}


def _errors(x: Spec, y: Callable[[str], Spec], color: Spec, titles: tuple[str, str], edge: Spec) -> list[Spec]:
    """Bands of the 95% Monte-Carlo error, open circles at medians where a mean is infinite, and the line at 1."""
    tooltip = [
        nominal("mechanism", title="algorithm"),
        quantitative("value", title=titles[0], format=",.4~g"),
        quantitative("median", title="median", format=",.3~g"),
        quantitative("infinite_share", title="infinite on this share of data sets", format=".0%"),
    ]
    band, circle = {"type": "area", "opacity": 0.16, "clip": True}, {"type": "point", "size": 60, "strokeWidth": 2}
    one = {"type": "rule", "color": GREY, "strokeDash": [2, 3], "strokeWidth": 2}
    return [
        layer("one", one, {"x": {"value": 0}, "x2": {"value": edge}, "y": y("mean")}),
        layer("bands", band, {"x": x, "y": y("low"), "y2": {"field": "high"}} | color),
        layer("medians", circle | {"clip": True}, {"x": x, "y": y("median"), "tooltip": tooltip} | color),
    ]
