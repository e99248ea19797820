"""The Privacy page: its pair of output distributions, the search for the worst replacement, and the views below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlencode

import streamlit as st

from dpslr_core.audit import audit
from dpslr_core.audit.loss import SIDE, Loss, Searched, rows_worth_trying, worst_replacement
from dpslr_core.audit.moved import MovedRecord
from dpslr_core.audit.pair import Pair, pair_of
from dpslr_core.audit.spending import ledgers
from dpslr_core.charts import privacy as charts
from dpslr_core.dataset import Dataset
from dpslr_core.experiments.curves import prediction_table
from dpslr_core.mechanisms import MaximumObservedSensitivity, Mechanism
from dpslr_core.privacy import Budget
from dpslr_core.privacy.accounting import paid
from dpslr_core.text import privacy as text
from dpslr_core.text.data import moved_sentence
from dpslr_core.text.phrases import spent_on
from dpslr_core.text.privacy import picture_sentence, probability, search_sentence

from . import show
from .cache import kept, key_of
from .link import bound
from .moved import Mover, ask_for_laws, moved_query
from .plain import plain
from .planned import USUAL, last_answer
from .settings import View, link
from .takeaway import page_query
from .work import Work, current_run, progress, server_limit

NOT_PRIVATE = MaximumObservedSensitivity()


def usual_algorithm() -> tuple[str, str]:
    """Return the algorithm that the page begins with, and the reason."""
    last = last_answer()
    if last.algorithm:
        return last.algorithm, f"{last.algorithm}, as {last.page} named it."
    return USUAL, f"{USUAL} is usually the strongest."


def pair(view: View, moved: MovedRecord, mechanism: Mechanism, number: int) -> Pair | None:
    """Return the output distributions before and after the move.

    Returns
    -------
    Pair or None
        None if no output distribution is known; with a warning if it is out of reach at this size.
    """
    ask_for_laws("privacy", view, mechanism)
    try:
        return _pair_of(moved, mechanism, view.scenario.budget, number)
    except ValueError as problem:
        st.warning(plain(problem))
        return None


@kept(32)
def loss(moved: MovedRecord, mechanism: Mechanism, budget: Budget) -> Loss:
    """Measure the privacy loss of a move without an output distribution, over all that the algorithm may publish."""
    return audit(mechanism, moved.before, moved.after, paid(mechanism, budget).epsilon, budget.at)


# Kept in the session: the data may be an upload.
_pair_of = kept(32, spinner="Computing the output distributions …")(pair_of)


FOUND = "worst_replacement"  # session-state key: the last search and its sentence
ROWS = 100  # searched rows that are kept


def search_button(view: View, mover: Mover, mechanism: Mechanism) -> None:
    """Draw the button that searches the worst replacement; the search then moves the record there.

    The search goes row by row. Each row is kept, so that an interrupted search goes on where it stopped.
    """
    rows = rows_worth_trying(view.data)
    total, about, budget = len(rows) * SIDE**2, about_search(view, mechanism), view.scenario.budget
    places = f"{total:,} replacements: {len(rows)} records, each at {SIDE**2} places."
    if st.button("Worst place", key="worst", help=places):
        current_run().allow(server_limit()[0])  # the click has asked for the work
        work = Work(f"worst {about}", "the records to try")
        words = f"of {total:,} replacements …"
        arriving = progress(
            list(enumerate(rows)), work, lambda numbered: f"{numbered[0] * SIDE**2:,} {words}"
        )
        searched = [_row(view.data, mechanism, budget, row).worst for _, row in arriving]
        worst = max(
            (candidate for candidate in searched if candidate is not None),
            key=lambda candidate: candidate.loss.measured,
            default=None,
        )
        if worst is not None:
            mover.put_to(
                worst.row, float(view.x.from_unit(worst.x)), float(view.y.from_unit(worst.y))
            )
        st.session_state[FOUND] = (
            about,
            search_sentence(Searched(total, total, worst), mechanism.name, view),
        )
        st.rerun()


def about_search(view: View, mechanism: Mechanism) -> str:
    """Return the key of a search: data, algorithm, budget and axes, for which alone its sentence is true."""
    return key_of((view.data, mechanism, view.scenario.budget, view.x, view.y))


@kept(4 * ROWS)
def _row(data: Dataset, mechanism: Mechanism, budget: Budget, row: int) -> Searched:
    """Search the worst replacement of one record."""
    (searched,) = worst_replacement(
        mechanism, data, paid(mechanism, budget).epsilon, budget.at, [row]
    )
    return searched


PRIORS = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99)


@dataclass(frozen=True)
class Looked:
    """Move that all views draw from.

    Attributes
    ----------
    view : View
        Data and settings of the sidebar.
    mechanism : Mechanism
        Chosen algorithm.
    moved : MovedRecord
        Data before and after the move.
    number : int
        Index of the point that is looked at in the scenario's `at`.
    facts : PairFacts or None
        Facts of the move, if the output distributions are known.
    """

    view: View
    mechanism: Mechanism
    moved: MovedRecord
    number: int
    facts: text.PairFacts | None


def _facts_or_note(shown: Looked) -> text.PairFacts | None:
    """Return the facts; draw a sentence if there are none."""
    if shown.facts is None:
        st.info(
            f"No exact output distribution of {plain(shown.mechanism.name)} is known: choose "
            "another algorithm."
        )
    return shown.facts


def _beliefs(shown: Looked) -> None:
    """Draw the choice of a belief and how far a release can change it."""
    if (facts := _facts_or_note(shown)) is None:
        return
    prior = st.select_slider(
        "Belief before the release",
        PRIORS,
        value=PRIOR,
        format_func=text.probability,
        **bound("prior", PRIORS, text.probability),
    )
    sentence = text.belief_sentence(facts, prior)
    show.vega(
        charts.belief_chart(facts.pair, prior, shown.view.y),
        sentence,
        "beliefs",
        sentence_above=True,
    )


def _attack(shown: Looked) -> None:
    """Draw the errors of the best attack on the release."""
    if (facts := _facts_or_note(shown)) is not None:
        table = charts.tradeoff_table(facts.pair)
        show.chart(
            charts.tradeoff_chart(facts.pair), text.attack_sentence(facts.pair), table, "tradeoff"
        )


def _outcomes(shown: Looked) -> None:
    """Draw the odds of each outcome, the outcomes that are no numbers, and the predictions of both lines."""
    if (facts := _facts_or_note(shown)) is not None:
        show.vega(
            charts.odds_curve(facts.pair, shown.view.y),
            picture_sentence(facts),
            "outcome_odds",
            sentence_above=True,
        )
        if len(facts.pair.atoms):
            show.numbers(facts.pair.atoms, "outcomes")
        show.numbers(facts.pair.table(shown.view.y), "losses")
    moved, view = shown.moved, shown.view
    st.caption(plain(moved_sentence(moved, view.scenario.at[shown.number], view.x, view.y)))
    both = {"before": moved.before, "after": moved.after} if moved.moved else {"": moved.before}
    show.numbers(prediction_table(both, view.scenario.at, view.x, view.y), "predictions")


def _ledgers(shown: Looked) -> None:
    """Draw what the budget pays for, by algorithm."""
    scenario = shown.view.scenario
    rows = ledgers(scenario.admitted, scenario.budget, partial(spent_on, x=shown.view.x))
    sentence = text.ledger_sentence(rows, scenario.epsilon, scenario.records_per_person)
    if rows.empty:
        st.info(sentence)
        return
    show.chart(charts.ledger_chart(rows), sentence, rows, "ledgers")


VIEWS: dict[str, Callable[[Looked], None]] = {
    "Beliefs": _beliefs,
    "Attack": _attack,
    "Odds of each outcome": _outcomes,
    "What the budget pays for": _ledgers,
}


CHOICES = {
    "privacy_of": "",
    "privacy_at": "",
    "privacy_view": "Beliefs",
}  # usual values; a widget never has the value ""
PRIOR = 0.1  # belief at first


def link_query(view: View) -> str:
    """Return the query of the page's link: algorithm, point, view, belief, record and position."""
    prior = st.session_state.get("prior", PRIOR)
    belief = "" if prior in (None, PRIOR) else urlencode({"prior": probability(prior)})
    return "&".join(filter(None, (page_query(link(view), CHOICES), belief, moved_query())))
