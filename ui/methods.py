"""The Methods page: a tile for each idea, and a card for each algorithm, read off its dataclass."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from dpslr_core.charts.maps import depth_example, depth_surface
from dpslr_core.experiments import Comparison
from dpslr_core.experiments.comparison import compare_one
from dpslr_core.experiments.ranking import NOT_PRIVATE, ranking
from dpslr_core.mechanisms import DeepestLine, Mechanism
from dpslr_core.paper.figures import figure_named
from dpslr_core.paper.pictures import for_page
from dpslr_core.paper.results import said_of
from dpslr_core.privacy import Accounting, Budget, accounting
from dpslr_core.scenario import Scenario
from dpslr_core.support.run import Run
from dpslr_core.text import methods as text
from dpslr_core.text.phrases import in_full
from dpslr_core.text.privacy import kinds

from . import show
from .cache import kept
from .inputs import chosen_text
from .link import options_text, set_to
from .plain import plain
from .settings import CHOSEN, DEFAULT


class Live(NamedTuple):
    """Diagram with a slider.

    Attributes
    ----------
    figure : str
        Name of the figure.
    parameter : str
        Parameter of the figure that the slider moves.
    stops : tuple of float
        Stops of the slider.
    """

    figure: str
    parameter: str
    stops: tuple[float, ...]


CARD = "card"  # name in the link of the open card
PICTURES = Path(__file__).with_name("ideas")
SHOWN = 2  # names in a tile; the rest is one click away
_EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
LIVE = {
    "NoisyStats": Live("noisy-ratio", "epsilon", _EPSILONS),
    "DPExpTheilSen": Live("exponential-density", "epsilon", _EPSILONS),
    "DPWideTheilSen": Live("widened-density", "theta", (0.0, 0.005, 0.01, 0.02, 0.05, 0.1)),
    "DPSSTheilSen": Live("smooth-sensitivity", "epsilon", _EPSILONS),
    "DPGDPure": Live("descent", "epsilon", (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)),
}


@kept(1, scope="global")
def all_ranked(cards: tuple[type[Mechanism], ...]) -> pd.DataFrame:
    """Rank all algorithms on the usual data.

    Returns
    -------
    pandas.DataFrame
        Ranking with the column family: private algorithms first, in each class the best first.
    """
    mechanisms, data = [card() for card in cards], DEFAULT.source.load().dataset()
    parts = []
    for mechanism in mechanisms:
        with suppress(ValueError):  # raised by a user's own algorithm
            parts.append(
                compare_one(data, mechanism, DEFAULT.budget, Run(DEFAULT.trials, DEFAULT.seed))
            )
    ranked = ranking(Comparison.of(parts).summary, mechanisms, DEFAULT.at[0], DEFAULT.epsilon)
    families = {mechanism.name: mechanism.family for mechanism in mechanisms}
    return ranked.assign(family=ranked["algorithm"].map(families))


def kinds_of_guarantee() -> None:
    """Draw every kind of guarantee with its number at the current epsilon."""
    epsilon = st.session_state[CHOSEN][0].epsilon
    with st.popover(f"Kinds of guarantee at ε = {plain(in_full(epsilon))}", type="tertiary"):
        for name, value, sentences in kinds(epsilon):
            st.markdown(f"**{plain(name)}: {plain(value)}.** {plain(sentences)}")


def ideas(ranked: pd.DataFrame) -> list[pd.DataFrame]:
    """Split the ranking by ideas.

    Returns
    -------
    list of pandas.DataFrame
        Private algorithms of each idea, the idea with the smallest error first; last the algorithms without privacy.
    """
    private = ranked["guarantee_class"] != NOT_PRIVATE
    groups = [rows for _, rows in ranked[private].groupby("family", sort=False)]
    return [*sorted(groups, key=lambda rows: float(rows["c68"].iloc[0])), ranked[~private]]


def tiles(groups: Sequence[pd.DataFrame]) -> None:
    """Draw a tile for each idea, two in a row."""
    for start in range(0, len(groups), 2):
        for column, rows in zip(st.columns(2), groups[start : start + 2], strict=False):
            with column, st.container(border=True, height="stretch"):
                _tile(rows)


def _tile(rows: pd.DataFrame) -> None:
    """Draw an idea: its picture, its name, one line, its algorithms, and the error of the best."""
    family, names = rows["family"].iloc[0], rows["algorithm"].tolist()
    title, line = text.IDEAS[family]
    picture = PICTURES / f"{family.name.lower()}.svg"
    with st.container(horizontal=True, vertical_alignment="center"):
        if picture.exists():
            st.image(str(picture), width=132, alt="")  # the name beside it says the same
        with st.container(gap=None, width="stretch"):
            with st.container(horizontal=True, horizontal_alignment="distribute", gap="xsmall"):
                st.markdown(f"**{title}**", width="content")
                st.markdown(text.best_error(rows.iloc[0]), width="content")
            st.markdown(line)
            with st.container(horizontal=True, gap="small", vertical_alignment="center"):
                card_buttons(names[:SHOWN])
                if rest := names[SHOWN:]:
                    with st.popover(f":primary[{len(rest)} more]", type="tertiary"):
                        card_buttons(rest)


def card_buttons(names: Sequence[str]) -> None:
    """Draw the names of algorithms; a click opens the card of the algorithm."""
    for name in names:
        label = f":primary[{name}]"
        st.button(
            label,
            key=f"card_{name}",
            type="tertiary",
            on_click=set_to,
            args=(CARD, name),
            width="content",
        )


def open_card(cards: Sequence[type[Mechanism]]) -> None:
    """Open the card that the link or a click names."""
    by_name = {algorithm.__name__: algorithm for algorithm in cards}
    name = chosen_text(CARD, ["", *by_name], "", lambda card: card or "none", options_text(by_name))
    if name:
        st.dialog(name, width="large", on_dismiss=partial(set_to, CARD, ""))(_card)(by_name[name])


def _card(algorithm: type[Mechanism]) -> None:
    """Draw guarantee, docstring, picture, ledger, hyperparameters and corrections of an algorithm."""
    scenario: Scenario = st.session_state[CHOSEN][0]
    epsilon, records = scenario.epsilon, scenario.records_per_person
    mechanism, budget = algorithm(), Budget(epsilon, accounting=Accounting(records=records))
    guarantee = accounting.guarantee(mechanism, budget)
    st.badge(str(guarantee), color="blue" if guarantee.private else "orange")
    st.markdown(inspect.getdoc(algorithm) or "")
    if algorithm.__name__ in LIVE:
        _picture(LIVE[algorithm.__name__])
    if algorithm is DeepestLine:
        _depth()
    if reason := getattr(guarantee, "reason", ""):
        st.markdown(f"No guarantee: {reason}.")
    spent = accounting.spent(mechanism, budget)
    if spent and (sentence := text.budget_sentence(mechanism, spent, records)):
        st.markdown(sentence)
    if fields(algorithm):
        rows = [
            (f.name, "all pairs" if f.default is None else str(f.default), f.metadata["help"])
            for f in fields(algorithm)
        ]
        table = pd.DataFrame(rows, columns=["hyperparameter", "default", "meaning"])
        with st.expander("Hyperparameters"):
            st.dataframe(table, hide_index=True, width="stretch")
    for correction in algorithm.corrections:
        st.markdown(f"*Corrected from print.* {correction}")
    if algorithm.source:
        st.caption(f"Source{' in the paper' if algorithm.in_paper else ''}: {algorithm.source}.")


def _picture(live: Live) -> None:
    """Draw the slider of a diagram, the sentence at the slider's stop, and the charts."""
    figure = figure_named(live.figure)
    parameter = next(p for p in figure.parameters if p.name == live.parameter)
    value = st.select_slider(
        parameter.label,
        live.stops,
        parameter.default,
        key=f"live_{figure.name}",
        format_func=lambda stop: f"{stop:g}",
    )
    sentence, charts = _drawn(live, value)
    st.markdown(plain(sentence))
    for title, chart in charts.items():
        show.vega(chart, f"{title}. {sentence}", f"live_{figure.name}")


@kept(sum(len(live.stops) for live in LIVE.values()), scope="global")
def _drawn(live: Live, value: float) -> tuple[str, dict[str, Any]]:
    """Return sentence and charts (by title) of a diagram at one stop of its slider."""
    figure = figure_named(live.figure)
    settings = figure.settings({live.parameter: value})
    frame = figure.compute(settings)
    charts = {title: for_page(panel) for title, panel in figure.panels(frame, settings).items()}
    return said_of(figure, frame, settings), charts


def _depth() -> None:
    """Draw the scores of all lines on simulated records, computed only once they are asked for."""
    if st.toggle("Show the scores of all lines in three dimensions", key="live_depth"):
        epsilon = st.select_slider(
            "ε", _EPSILONS, 2.0, key="live_depth_epsilon", format_func="{:g}".format
        )
        lines = _scores()
        sentence = text.depth_sentence(lines, epsilon)
        st.markdown(plain(sentence))
        show.explored(depth_surface(lines, epsilon), sentence, "live_depth")


_scores = kept(1, scope="global")(depth_example)
