"""The Methods page: a card for each algorithm, read off its dataclass, with a live picture where it has one."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import fields
from itertools import groupby
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from dpslr_core.charts.maps import depth_example, depth_surface
from dpslr_core.mechanisms import DeepestLine, Mechanism
from dpslr_core.paper.figures import figure_named
from dpslr_core.paper.pictures import for_page
from dpslr_core.privacy import Accounting, Budget, accounting
from dpslr_core.scenario import Scenario
from dpslr_core.text import methods as text
from dpslr_core.text.phrases import in_full, listed
from dpslr_core.text.privacy import kinds

from . import show
from .cache import kept
from .plain import plain
from .settings import CHOSEN


class Live(NamedTuple):
    """A diagram, its parameter that a slider moves, and the slider's stops."""

    figure: str
    parameter: str
    stops: tuple[float, ...]


CONTENTS, NOT_HERE = "go-to", "not-here"  # anchors
_EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
LIVE = {
    "NoisyStats": Live("noisy-ratio", "epsilon", _EPSILONS),
    "DPExpTheilSen": Live("exponential-density", "epsilon", _EPSILONS),
    "DPWideTheilSen": Live("widened-density", "theta", (0.0, 0.005, 0.01, 0.02, 0.05, 0.1)),
    "DPSSTheilSen": Live("smooth-sensitivity", "epsilon", _EPSILONS),
    "DPGDPure": Live("descent", "epsilon", (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)),
}


def contents(cards: Sequence[type[Mechanism]]) -> None:
    """Links to the cards, by family, and to what is not here."""
    with st.container(key=CONTENTS):
        st.subheader("Go to", anchor=CONTENTS)
        families = groupby(cards, lambda algorithm: algorithm.family)
        rows = [
            f"- {family.value[0].upper()}{family.value[1:]}: {', '.join(f'[{a.__name__}](#{a.__name__})' for a in own)}"
            for family, own in families
        ]
        st.markdown("\n".join([*rows, f"- [Not here, and why](#{NOT_HERE})"]))


def kinds_of_guarantee() -> None:
    """Every kind of guarantee with its number at the current epsilon."""
    epsilon = st.session_state[CHOSEN][0].epsilon
    with st.expander(f"Kinds of guarantee at ε = {plain(in_full(epsilon))}"):
        for name, value, sentences in kinds(epsilon):
            st.markdown(f"**{plain(name)}: {plain(value)}.** {plain(sentences)}")


def card(algorithm: type[Mechanism], said: dict[str, str]) -> None:
    """Docstring, guarantee, ledger, hyperparameters, corrections.

    said: by correction, the card where it stands already; this card's are added.
    """
    scenario: Scenario = st.session_state[CHOSEN][0]
    epsilon, records = scenario.epsilon, scenario.records_per_person
    mechanism, budget = algorithm(), Budget(epsilon, accounting=Accounting(records=records))
    guarantee = accounting.guarantee(mechanism, budget)
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.subheader(mechanism.name, anchor=mechanism.name, width="content")
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
            rows = [(f.name, "all pairs" if f.default is None else str(f.default), f.metadata["help"])
                    for f in fields(algorithm)]  # fmt: skip
            table = pd.DataFrame(rows, columns=["hyperparameter", "default", "meaning"])
            with st.expander("Hyperparameters"):
                st.dataframe(table, hide_index=True, width="stretch")
        for correction in algorithm.corrections:
            if correction not in said:
                st.markdown(f"*Corrected from print.* {correction}")
        if before := list(dict.fromkeys(said[each] for each in algorithm.corrections if each in said)):
            st.markdown(f"*Corrected from print*, as {listed(f'[{name}](#{name})' for name in before)}.")
        said |= {each: mechanism.name for each in algorithm.corrections if each not in said}
        if algorithm.source:
            st.caption(f"Source: {algorithm.source}.")
        st.caption(f"[To the list](#{CONTENTS})")


@st.fragment
def _picture(live: Live) -> None:
    """The slider, what the picture says at its place, and the picture."""
    figure = figure_named(live.figure)
    parameter = next(p for p in figure.parameters if p.name == live.parameter)
    value = st.select_slider(
        parameter.label, live.stops, parameter.default, key=f"live_{figure.name}", format_func=lambda stop: f"{stop:g}"
    )
    sentence, charts = _drawn(live, value)
    st.markdown(plain(sentence))
    for title, chart in charts.items():
        show.vega(chart, f"{title}. {sentence}", f"live_{figure.name}")


@kept(sum(len(live.stops) for live in LIVE.values()), scope="global")
def _drawn(live: Live, value: float) -> tuple[str, dict[str, Any]]:
    """What a picture says at a stop of its slider, and its charts by title."""
    figure = figure_named(live.figure)
    settings = figure.settings({live.parameter: value})
    frame = figure.compute(settings)
    charts = {title: for_page(panel) for title, panel in figure.panels(frame, settings).items()}
    return str(figure.agrees(frame, settings)), charts


@st.fragment
def _depth() -> None:
    """The scores of all lines on simulated records, computed and drawn when they are asked for."""
    if st.toggle("Show the scores of all lines in three dimensions", key="live_depth"):
        epsilon = st.select_slider("ε", _EPSILONS, 2.0, key="live_depth_epsilon", format_func="{:g}".format)
        lines = _scores()
        show.picture(depth_surface(lines, epsilon), text.depth_sentence(lines, epsilon), "live_depth")


_scores = kept(1, scope="global")(depth_example)
