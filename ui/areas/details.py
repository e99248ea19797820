"""What stands below the picture of the areas: one of several views, chosen by name."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from dpslr_core.charts.areas import distribution as area_charts
from dpslr_core.text import areas as text

from .. import show
from ..compare.picture import room
from ..controls import BOUND
from ..settings import View
from . import intervals, runs
from .table import COLUMNS, all_areas, shown_table


def draw(view: View, at: float, measured: pd.DataFrame, seek: bool, flat: bool) -> None:
    """The choice of a view, and the view.

    measured: the algorithms among which the best was sought, at the point. seek: whether the smallest epsilons are
    wanted. flat: whether a line without slope passes too.
    """
    chosen = st.segmented_control(
        "Details", list(VIEWS), key="area_details", default="All areas", required=True, **BOUND
    )
    VIEWS.get(str(chosen), _areas)(view, at, measured, seek, flat)


def _areas(view: View, at: float, measured: pd.DataFrame, seek: bool, flat: bool) -> None:
    if measured.empty:
        st.info("Choose a differentially private algorithm in the sidebar.")
        return
    all_areas(view, at, measured, seek, flat)


def _distributions(view: View, at: float, measured: pd.DataFrame, seek: bool, flat: bool) -> None:
    """The CDFs over areas of C(68) / standard error, of every algorithm that is chosen."""
    known = set(measured["mechanism"]) if len(measured) else set()
    others = tuple(mechanism for mechanism in view.scenario.admitted if mechanism.name not in known)
    if others:
        measured = pd.concat([measured, runs.measured_at(view, at, others)])
    chosen = _by_standard_error(measured)
    s = view.scenario
    ranked = text.ranked_shares(chosen, s.admitted, s.epsilon, s.accounting, flat)
    curves = area_charts.ratio_curves(chosen)
    sentence = text.ratio_sentence(ranked, chosen["group"].nunique())
    show.chart(area_charts.ratio_cdf(curves, room=room()), sentence, curves, "ratios")
    show.numbers(shown_table(ranked), "shares", COLUMNS, height="content")


def _by_standard_error(measured: pd.DataFrame) -> pd.DataFrame:
    """The rows of the areas in a range of standard errors."""
    order = measured.drop_duplicates("group").sort_values("standard_error", kind="stable")["group"].to_numpy()
    low, high = st.slider(
        "Areas by standard error, smallest to largest", 0, 100, (0, 100), format="%d%%", key="se_range", **BOUND
    )
    inside = order[int(low / 100 * len(order)) : max(int(high / 100 * len(order)), 1)]
    return measured[measured["group"].isin(inside if len(inside) else order)]


def _failures(view: View, at: float, measured: pd.DataFrame, seek: bool, flat: bool) -> None:
    dots = runs.failure_dots(view, runs.groups_of(view.grouped).datasets)
    sentence = text.failure_sentence(dots, runs.area_trials(view))
    show.chart(area_charts.failures(dots), sentence, dots, "failures")


def _how_sure(view: View, at: float, measured: pd.DataFrame, seek: bool, flat: bool) -> None:
    intervals.draw(view, at)


VIEWS: dict[str, Callable[[View, float, pd.DataFrame, bool, bool], None]] = {
    "All areas": _areas,
    "Distribution over areas": _distributions,
    "How sure": _how_sure,
    "When NoisyStats has no answer": _failures,
}
