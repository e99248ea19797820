"""Which point the Compare page looks at, and how wide its picture is."""

from __future__ import annotations

import numpy as np
import streamlit as st

from dpslr_core.charts.labels import Room
from dpslr_core.experiments import Comparison
from dpslr_core.text.phrases import format_amount, place_on

from ..controls import BOUND
from ..inputs.larger_text import text_size
from ..plain import plain
from ..settings import View, link
from ..takeaway.saved_as import page_query

WIDTHS = ("auto", "3", "6", "12", "25", "50", "100", "200", "400", "1000")


def point_choice(view: View) -> float:
    """The point of x_new to look at, in the unit square; chosen in the user's units."""
    labels = {_label(view, point): point for point in view.scenario.at}
    shown = st.segmented_control(
        f"Look at {plain(view.x.label)}", list(labels), default=next(iter(labels)), key="look_at", **BOUND,
        required=True,
    )  # fmt: skip
    return labels.get(str(shown), view.scenario.at[0])


def _label(view: View, point: float) -> str:
    return format_amount(float(view.x.from_unit(point)), 6)


def point_query(view: View) -> str:
    """The query of the link, with the point that is looked at."""
    return page_query(link(view), {"look_at": _label(view, view.scenario.at[0])})


def at_point(view: View, at: float) -> dict[str, object]:
    """The point that is looked at, for what a saved table says of itself."""
    return {"point": place_on(view.x, at)}


def picture_width() -> str:
    """The chosen half width of the output distributions in standard errors."""
    with st.popover("Width"):
        width = st.select_slider(
            "Width of the output distributions, ± standard errors", WIDTHS, value="auto", key="width", **BOUND
        )
    return str(width)


def limits(view: View, comparison: Comparison, at: float, width: str) -> tuple[float, float]:
    """The picture's limits in the unit square: so many standard errors about OLS.

    "auto" takes the first width that is twice the 68% error of the second-best algorithm that errs at all, so that
    it moves in steps and pictures of neighbouring settings compare.
    """
    center, error = float(view.data.predict([at])[0]), float(view.data.standard_error([at])[0])
    if not error > 0:
        return (-0.5, 1.5) if not np.isfinite(center) else (center - 0.5, center + 0.5)
    if width != "auto":
        return center - float(width) * error, center + float(width) * error
    found = comparison.summary.loc[comparison.summary["at"] == at, "c68"].to_numpy()
    bounds = np.sort(found[np.isfinite(found) & (found > 0)])
    needed = 2 * bounds[min(1, bounds.size - 1)] / error if bounds.size else 3.0
    half = next((float(w) for w in WIDTHS[1:] if float(w) >= needed), float(WIDTHS[-1]))
    return center - half * error, center + half * error


def room() -> Room:
    """What charts need to know of the screen."""
    return Room(on_a_phone(), text_size())


def on_a_phone() -> bool:
    """Whether the browser calls itself mobile; the server cannot know how wide its window is."""
    return "Mobi" in (st.context.headers.get("User-Agent") or "")
