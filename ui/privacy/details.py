"""What stands below the picture on the Privacy page: one of several views, chosen by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from dpslr_core.audit.pair import Pair
from dpslr_core.audit.spending import ledgers
from dpslr_core.charts.privacy import views as charts
from dpslr_core.charts.privacy.loss import loss_chart
from dpslr_core.experiments.moved import MovedRecord
from dpslr_core.mechanisms import Mechanism
from dpslr_core.text.privacy import views as text
from dpslr_core.text.privacy.kinds import kinds
from dpslr_core.text.privacy.pair import picture_sentence

from .. import show
from ..controls import BOUND
from ..plain import plain
from ..settings import View
from . import pairs

PRIORS = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99)
EPSILONS = (0.5, 1.0, 2.0, 4.0, 5.3, 8.0, 16.0)
OPPORTUNITY = (
    "The method of Opportunity Insights reads the scale of its noise off the data. So one record changes it too, "
    "and no ε holds for all answers."
)


@dataclass(frozen=True)
class Shown:
    """What all views draw from: the view, algorithm, move and number of the point; the pair, if there is one."""

    view: View
    mechanism: Mechanism
    moved: MovedRecord
    number: int
    pair: Pair | None


def draw(shown: Shown) -> None:
    """The choice of a view, and the view."""
    chosen = st.segmented_control("Details", list(VIEWS), key="privacy_view", default="Odds", required=True, **BOUND)
    VIEWS.get(str(chosen), _odds)(shown)


def _pair(shown: Shown) -> Pair | None:
    """The pair, or a sentence where there is none."""
    if shown.pair is None:
        st.info(f"No exact output distribution of {plain(shown.mechanism.name)} is known: choose another algorithm.")
    return shown.pair


def _odds(shown: Shown) -> None:
    if (pair := _pair(shown)) is None:
        return
    prior = st.select_slider(
        "Belief before the release", PRIORS, value=0.1, key="prior", format_func=text.probability, **BOUND
    )
    told = text.belief_sentence(pair, prior, shown.moved.moved)
    show.picture(charts.belief_chart(pair, prior, shown.view.y), told, "beliefs")


def _attack(shown: Shown) -> None:
    if (pair := _pair(shown)) is not None:
        table = charts.tradeoff_table(pair)
        show.chart(charts.tradeoff_chart(pair), text.attack_sentence(pair), table, "tradeoff")


def _losses(shown: Shown) -> None:
    """The numbers of the picture above."""
    if (pair := _pair(shown)) is None:
        return
    if len(pair.atoms):
        show.numbers(pair.atoms, "outcomes")
    show.numbers(pair.table(shown.view.y), "losses")


def _not_private(shown: Shown) -> None:
    st.caption(plain(OPPORTUNITY))
    pair = pairs.pair(shown.view, shown.moved, pairs.NOT_PRIVATE, shown.number)
    if pair is not None:
        show.picture(loss_chart(pair, shown.view.y), picture_sentence(pair), "not_private")


def _ledgers(shown: Shown) -> None:
    scenario = shown.view.scenario
    rows = ledgers(scenario.admitted, scenario.budget)
    told = text.ledger_sentence(rows, scenario.epsilon, scenario.records_per_person)
    if rows.empty:
        st.info(told)
        return
    show.chart(charts.ledger_chart(rows), told, rows, "ledgers")


def _kinds(shown: Shown) -> None:
    """Every kind of guarantee with its number at the current epsilon."""
    for kind in kinds(shown.view.scenario.epsilon):
        st.markdown(f"**{plain(kind.name)}: {plain(kind.value)}.** {plain(kind.sentences)}")


def _large(shown: Shown) -> None:
    """Staircase noise, at an epsilon of its own."""
    written = "{:g}".format
    epsilon = float(st.select_slider("ε", EPSILONS, 16.0, written, key="staircase_epsilon", **BOUND))
    st.markdown(plain(text.large_epsilon_sentence(epsilon)))
    show.picture(charts.staircase_chart(epsilon), text.staircase_sentence(epsilon), "staircase")


VIEWS: dict[str, Callable[[Shown], None]] = {
    "Odds": _odds,
    "Attack": _attack,
    "Numbers": _losses,
    "Not private": _not_private,
    "Ledgers": _ledgers,
    "Kinds of guarantee": _kinds,
    "What ε = 16 promises": _large,
}
