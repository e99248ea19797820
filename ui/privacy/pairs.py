"""The pair that the page looks at: algorithm, point, and the record that is moved."""

from __future__ import annotations

import streamlit as st

from dpslr_core.audit import audit
from dpslr_core.audit.loss import Loss
from dpslr_core.audit.pair import Pair, pair_of
from dpslr_core.audit.search import middle_to_corner
from dpslr_core.experiments.cost.of_algorithm import law_cost
from dpslr_core.experiments.moved import MovedRecord
from dpslr_core.mechanisms import MaximumObservedSensitivity, Mechanism
from dpslr_core.privacy import Budget
from dpslr_core.privacy.accounting import paid
from dpslr_core.text.phrases import format_amount

from ..cache import kept, key_of
from ..controls import BOUND
from ..moved import KEY, LINKED, Mover
from ..plain import plain
from ..settings import View
from ..work.ask import Work, within_budget

USUAL = "CenteredStats"
EXAMPLE = "privacy_example"  # session-state key: the data that a first move was made for
NOT_PRIVATE = MaximumObservedSensitivity()


def first_move(view: View, mover: Mover) -> None:
    """So that the first picture shows something: the middle record goes to the corner farthest from the line, once."""
    shown = key_of((view.data, view.x, view.y))
    if st.session_state.get(EXAMPLE) == shown:
        return
    st.session_state[EXAMPLE] = shown
    if mover.moved.moved or KEY in st.query_params:
        return
    row, x, y = middle_to_corner(view.data)
    places = {f"{KEY}_x": float(view.x.from_unit(x)), f"{KEY}_y": float(view.y.from_unit(y))}
    st.session_state.update({KEY: row + 1, **places})
    for linked in LINKED:
        linked.put()


def algorithm_choice(view: View) -> Mechanism:
    """One of the private algorithms of the sidebar, or the method that is not private."""
    private = [m for m in view.scenario.admitted if m.guarantee(view.scenario.epsilon).private]
    named = {m.name: m for m in (*private, NOT_PRIVATE)}
    names = list(named)
    usual = names.index(USUAL) if USUAL in names else 0
    chosen = st.selectbox("Algorithm", names, usual, key="privacy_of", **BOUND)
    return named.get(str(chosen), named[names[usual]])


def point_choice(view: View) -> int:
    """The number of the point to look at, from 0."""
    at = view.scenario.at
    labels = [format_amount(float(view.x.from_unit(point)), 6) for point in at]
    if len(at) == 1:
        return 0
    chosen = st.segmented_control(
        f"Look at {plain(view.x.label)}", labels, default=labels[0], key="privacy_at", required=True, **BOUND
    )
    return labels.index(str(chosen)) if chosen in labels else 0


def pair(view: View, moved: MovedRecord, mechanism: Mechanism, number: int) -> Pair | None:
    """The pair; None where no output distribution is known, with a sentence where it is out of reach at this size."""
    s = view.scenario
    work = Work(f"privacy {key_of((view.data, mechanism, s.at))}", "the records n, the points x_new or the matchings k")
    within_budget(law_cost(mechanism, view.data.n, len(s.at)).times(4), work)
    try:
        return _pair(moved, mechanism, view.scenario.budget, number)
    except ValueError as problem:
        st.warning(plain(problem))
        return None


@kept(32)
def loss(moved: MovedRecord, mechanism: Mechanism, budget: Budget) -> Loss:
    """The loss of a move where no output distribution is known: of all that the algorithm may publish."""
    return audit(mechanism, moved.before, moved.after, paid(mechanism, budget).epsilon, budget.at)


@kept(32, spinner="Computing the output distributions …")
def _pair(moved: MovedRecord, mechanism: Mechanism, budget: Budget, number: int) -> Pair | None:
    """pair_of, kept in the session: the data may be an upload."""
    return pair_of(moved, mechanism, budget, number)
