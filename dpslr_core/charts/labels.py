"""The names of curves beside their right ends, apart from each other; a legend below where there is no room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from ..support.types import Floats
from .base import figure_of

LINE, LETTER = 17, 7.2  # pixels from one name to the next, and of a letter
ABOVE, BELOW = 30, 60  # pixels above and below the plot
LEGEND_LINE, PER_LINE = 22, 2  # of a legend: pixels of a line, and names in it on a narrow screen


@dataclass(frozen=True)
class Room:
    """What is known of the screen: whether it is narrow, and how much larger than usual text is drawn."""

    narrow: bool = False
    text_size: float = 1.0


USUAL = Room()


class _End(NamedTuple):
    """Where a curve ends, in the units of the plot; the height there and its mean, as shares of the plot's height."""

    name: str
    color: str
    x: float
    y: float
    height: float
    mean: float


def apart(heights: ArrayLike, gap: float, low: float, high: float) -> Floats:
    """The places nearest to these heights, by least squares, that ascend by a gap at least, moved into [low, high].

    heights: where labels would stand, the lowest label first. Labels of curves that end at one height are centred.
    """
    steps = gap * np.arange(np.size(heights))
    placed = _ascending(np.asarray(heights, dtype=float) - steps)
    return np.asarray(np.clip(placed, low, max(low, high - gap * (steps.size - 1))) + steps)


def _ascending(values: Floats) -> Floats:
    """The nearest ascending values by least squares: at i the largest over j <= i of the least mean over j .. k >= i.

    scipy.optimize.isotonic_regression, without the 0.4 s that its import costs the first chart of a server.
    """
    places = np.arange(values.size)
    sums = np.append(0.0, values.cumsum())
    lengths = places[None, :] + 1 - places[:, None]
    means = np.where(lengths > 0, (sums[None, 1:] - sums[:-1, None]) / np.maximum(lengths, 1), np.inf)
    least = np.minimum.accumulate(means[:, ::-1], axis=1)[:, ::-1]  # over k >= i, for each j
    return np.where(lengths > 0, least, -np.inf).max(axis=0, initial=-np.inf)


def named_curves(
    traces: Sequence[dict[str, Any]], height: int, room: Room = USUAL, shapes: Sequence[Any] = (), **axes: Any
) -> go.Figure:
    """figure_of with each curve's name at its right end; with a compact legend where the screen is narrow.

    traces: x ascending; those of showlegend False are not named. axes: xaxis and yaxis, with their ranges. A thin line
    leads from a curve that ends early, or whose name had to move, to its name.
    """
    ends = [_end(trace, **axes) for trace in traces if trace.get("showlegend", True)]
    inner, line = height - ABOVE - BELOW, LINE * room.text_size
    if room.narrow or len(ends) * line > inner:
        extra = round(LEGEND_LINE * room.text_size) * -(-len(ends) // PER_LINE)
        margin = {"l": 50, "r": 10, "t": ABOVE, "b": BELOW + extra}
        return figure_of(traces, height + extra, shapes=[*shapes], margin=margin, **axes)
    gap = line / inner
    ends.sort(key=lambda end: (round(end.height / gap), end.mean))
    places = apart([end.height for end in ends], gap, gap / 2, 1 - gap / 2)
    longest = max((len(end.name) for end in ends), default=0)
    return figure_of(
        traces, height, shapes=[*shapes, *_leaders(ends, places, **axes)], showlegend=False,
        margin={"l": 60, "r": 20 + LETTER * room.text_size * longest, "t": ABOVE, "b": BELOW},
        annotations=[_label(end, place) for end, place in zip(ends, places, strict=True)], **axes,
    )  # fmt: skip


def _end(trace: dict[str, Any], xaxis: dict[str, Any], yaxis: dict[str, Any]) -> _End:
    """The last point of a curve that is inside the picture's width."""
    x, y = (np.asarray(trace[side], dtype=float) for side in "xy")
    height, across = _share(y, yaxis), _share(x, xaxis)
    inside = np.flatnonzero(np.isfinite(height) & (across <= 1 + 1e-9))
    name, color = str(trace["name"]), trace["line"]["color"]
    if not inside.size:
        return _End(name, color, np.nan, np.nan, 1.0, 1.0)
    last, heights = inside[-1], np.clip(height[inside], 0, 1)
    mean = np.interp(np.linspace(0, 1, 101), across[inside], heights).mean()
    return _End(name, color, float(x[last]), float(y[last]), float(heights[-1]), float(mean))


def _share(values: Floats, axis: dict[str, Any]) -> Floats:
    """How far along an axis values are: 0 at its first end, 1 at its last."""
    low, high = axis["range"]
    with np.errstate(divide="ignore", invalid="ignore"):
        placed = np.log10(values) if axis.get("type") == "log" else values
    return np.asarray((placed - low) / (high - low))


def _leaders(ends: Sequence[_End], places: Sequence[float] | Floats, **axes: Any) -> list[dict[str, Any]]:
    """Thin lines from the ends of curves to the right edge, at the heights of their names."""
    edge = _value(1.0, axes["xaxis"])
    return [
        {
            "type": "line", "x0": end.x, "y0": end.y, "x1": edge, "y1": _value(float(place), axes["yaxis"]),
            "line": {"color": end.color, "width": 1, "dash": "dot"}, "layer": "below",
        }
        for end, place in zip(ends, places, strict=True)
        if 0 < end.height < 1
    ]  # fmt: skip


def _value(share: float, axis: dict[str, Any]) -> float:
    """The value so far along an axis."""
    low, high = axis["range"]
    value = low + share * (high - low)
    return float(10**value if axis.get("type") == "log" else value)


def _label(end: _End, place: float) -> dict[str, Any]:
    return {
        "text": end.name, "font": {"color": end.color}, "showarrow": False, "xref": "paper", "yref": "paper",
        "x": 1, "y": float(place), "xanchor": "left", "yanchor": "middle", "xshift": 5,
    }  # fmt: skip
