"""What all charts share: one colour and one dash per algorithm, by its place in MECHANISMS, and one layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from ..mechanisms import MECHANISMS

# One per algorithm, in the order of MECHANISMS: families share a hue, members differ in dash.
COLOURS = (
    "#8a8a8a", "#8a8a8a", "#1f83c4", "#5bb5e8", "#9a6fd0", "#d55e00", "#e0a100", "#cc6fa0", "#5b52c9", "#1a9a76",
    "#3dbd93", "#6aa51e", "#9c5b3f",
)  # fmt: skip
DASHES = (
    "solid", "dot", "solid", "dash", "dashdot", "solid", "dash", "dashdot", "longdashdot", "dot", "dash", "solid",
    "longdash",
)  # fmt: skip


def style(name: str) -> dict[str, str]:
    """The colour and dash of an algorithm; with k matchings it keeps its colour and is dotted finely."""
    names = [algorithm.__name__ for algorithm in MECHANISMS]
    plain = max((n for n in names if name.startswith(n)), key=len, default=names[0])
    place = names.index(plain)
    dash = DASHES[place % len(DASHES)] if name == plain else "2px,3px"
    return {"color": COLOURS[place % len(COLOURS)], "dash": dash}


def figure_of(traces: Sequence[dict[str, Any]], height: int, **layout: Any) -> go.Figure:
    """A figure with what all figures share: margins, legend below, no title (the sentence above is the title).

    Made from one dictionary that plotly checks once; add_trace and its kin check every step and take four times as
    long.
    """
    shared = {
        "height": height,
        "margin": {"l": 60, "r": 15, "t": 30, "b": 50},
        "legend": {"orientation": "h", "yref": "container", "yanchor": "bottom", "y": 0, "x": 0},
        "hovermode": "closest",
    }
    return go.Figure({"data": list(traces), "layout": shared | layout})
