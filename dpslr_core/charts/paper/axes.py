"""Axes of panels as altair's channels."""

from __future__ import annotations

from typing import Any

import altair as alt

from ..rows import round_ticks
from .look import Look, Scale

GREY = "#808080"


def across(look: Look, field: str = "x") -> alt.X:
    """The channel of a field along x."""
    return alt.X(f"{field}:Q", scale=scale_of(look.x), axis=axis_of(look.x))


def up(look: Look, field: str = "y") -> alt.Y:
    """The channel of a field along y."""
    return alt.Y(f"{field}:Q", scale=scale_of(look.y), axis=axis_of(look.y))


def scale_of(axis: Scale) -> alt.Scale:
    """Ends and kind of an axis."""
    kind: dict[str, Any] = {"type": "log"} if axis.log else {}
    domain: dict[str, Any] = {} if axis.ends is None else {"domain": list(axis.ends)}
    return alt.Scale(**kind, **domain, nice=False, zero=False)


def axis_of(axis: Scale) -> alt.Axis:
    """Title and ticks of an axis; a short logarithmic one has its ticks at round numbers."""
    ticks: dict[str, Any] = {"values": round_ticks(axis.ends)} if axis.log and axis.ends else {}
    return alt.Axis(title=axis.title, format=axis.format, grid=True, labelOverlap=True, titleLimit=600, **ticks)
