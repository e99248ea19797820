"""What all charts share: one layout, its axes and how texts are shown."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from ..text.phrases import format_amount

TOP, BOTTOM = 1e4, 1e-3  # the largest range of errors that is drawn, in standard errors
_HALF_DECADE = 0.5


def line_at_one(axis: str) -> dict[str, Any]:
    """The shape at 1 on "x" or "y", all across the other: there the error is one standard error."""
    other = "y" if axis == "x" else "x"
    place = {f"{axis}0": 1, f"{axis}1": 1, f"{other}0": 0, f"{other}1": 1, f"{other}ref": f"{other} domain"}
    return {"type": "line", **place, "line": {"color": "#808080", "dash": "dot", "width": 2}}


def figure_of(traces: Sequence[dict[str, Any]], height: int, **layout: Any) -> go.Figure:
    """A figure with what all figures share: margins, legend below, no title (the sentence above is the title).

    Made from one dictionary that plotly checks once; add_trace and its kin check every step and take longer.
    Titles and annotations are shown letter by letter: a column name in them is no markup.
    """
    shared = {
        "height": height,
        "margin": {"l": 60, "r": 15, "t": 30, "b": 50},
        "legend": {"orientation": "h", "yref": "container", "yanchor": "bottom", "y": 0, "x": 0},
        "hovermode": "closest",
        "uirevision": "kept",  # what the legend hides stays hidden when a slider moves
    }
    return go.Figure({"data": list(traces), "layout": shared | _titles_as_text(layout)})


def as_text(text: str) -> str:
    """What plotly shows as this text: it reads <a href>, <b>, <br>, &lt; and, with MathJax, $...$ as markup."""
    return escape(text, quote=False).replace("$", "&#36;")


def _titles_as_text(layout: dict[str, Any]) -> dict[str, Any]:
    """The layout with the titles of its axes and its annotations as_text."""
    safe = dict(layout)
    for name, part in layout.items():
        if isinstance(part, dict) and "title" in part:
            safe[name] = part | {"title": part["title"] | {"text": as_text(part["title"]["text"])}}
        elif name == "annotations":
            safe[name] = [note | {"text": as_text(note["text"])} for note in part]
    return safe


def error_range(errors: ArrayLike) -> tuple[float, float]:
    """The ends of an axis of errors, in half decades about 1, so that pictures of neighbouring settings compare.

    errors: in standard errors; those that are infinite or beyond BOTTOM and TOP leave the picture.
    """
    numbers = np.asarray(errors, dtype=float)
    numbers = np.clip(numbers[np.isfinite(numbers) & (numbers > 0)], BOTTOM, TOP)
    logs = np.append(np.log10(numbers), [-0.4, 0.9])
    low, high = np.floor(logs.min() / _HALF_DECADE), np.ceil(logs.max() / _HALF_DECADE)
    return float(10 ** (low * _HALF_DECADE)), float(10 ** (high * _HALF_DECADE))


def logarithmic(span: ArrayLike) -> dict[str, Any]:
    """A logarithmic axis with ticks at round numbers, the more of them the shorter it is."""
    low, high = np.log10(span)
    decades = np.arange(np.floor(low), np.ceil(high) + 1)
    enough = {1.2: (1, 2, 3, 5, 7), 3: (1, 2, 5), 6: (1, 3)}
    digits = next((digits for most, digits in enough.items() if high - low <= most), (1,))
    ticks = [digit * 10**decade for decade in decades for digit in digits]
    return {"type": "log", "tickvals": ticks, "ticktext": [format_amount(float(value), 1) for value in ticks]}
