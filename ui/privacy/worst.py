"""The search for the worst replacement: a button, a bar while it lasts, and what it came upon."""

from __future__ import annotations

import streamlit as st

from dpslr_core.audit.search import SIDE, Searched, rows_worth_trying, worst_replacement
from dpslr_core.dataset import Dataset
from dpslr_core.mechanisms import Mechanism
from dpslr_core.privacy import Budget
from dpslr_core.privacy.accounting import paid
from dpslr_core.text.privacy.pair import search_sentence

from ..cache import kept, key_of
from ..moved import KEY
from ..plain import plain
from ..settings import View
from ..work.run import current_run

FOUND, ALL = "worst_replacement", "worst_of_many"  # session-state keys: what a search came upon, and the toggle's
MANY = 100  # records that are tried on request


def search_button(view: View, mechanism: Mechanism) -> None:
    """Start a search; when it is over the worst replacement is the move that the page shows."""
    rows = rows_worth_trying(view.data, MANY if st.session_state.get(ALL) else 0)
    places = f"{len(rows) * SIDE**2:,} replacements: {len(rows)} records, each at {SIDE**2} places."
    if st.button("Worst replacement", key="worst", help=places):
        searched = _search(view, mechanism, rows)
        worst = searched.worst
        if worst is not None:
            places_moved = {"x": float(view.x.from_unit(worst.x)), "y": float(view.y.from_unit(worst.y))}
            st.session_state.update({KEY: worst.row + 1, **{f"{KEY}_{side}": v for side, v in places_moved.items()}})
        st.session_state[FOUND] = _about(view, mechanism), search_sentence(searched, mechanism.name, view)
        st.rerun()
    st.toggle(f"Try {min(MANY, view.data.n)} records", key=ALL, help="Otherwise only extremes and large residuals.")


def last_search(view: View, mechanism: Mechanism) -> None:
    """What the last search came upon, as long as it was one of these data, this algorithm and this budget."""
    about, sentence = st.session_state.get(FOUND, ("", ""))
    if about == _about(view, mechanism):
        st.caption(plain(sentence))


def _about(view: View, mechanism: Mechanism) -> str:
    return key_of((view.data, mechanism, view.scenario.budget, view.x, view.y))


def _search(view: View, mechanism: Mechanism, rows: list[int]) -> Searched:
    """Row by row, each kept, so that a search that was interrupted goes on where it stopped."""
    current_run().asked_for()
    bar, worst = st.progress(0.0), None
    for number, row in enumerate(rows):
        bar.progress(number / len(rows), f"{number * SIDE**2:,} of {len(rows) * SIDE**2:,} replacements …")
        searched = _row(view.data, mechanism, view.scenario.budget, row)
        if searched.worst is not None and (worst is None or searched.worst.loss.measured > worst.loss.measured):
            worst = searched.worst
    bar.empty()
    total = len(rows) * SIDE**2
    return Searched(total, total, worst)


@kept(4 * MANY)
def _row(data: Dataset, mechanism: Mechanism, budget: Budget, row: int) -> Searched:
    """The worst place of one record."""
    (searched,) = worst_replacement(mechanism, data, paid(mechanism, budget).epsilon, budget.at, [row])
    return searched
