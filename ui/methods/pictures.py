"""Live pictures on the cards of the Methods page: the paper's diagrams, each with one slider."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, NamedTuple

import streamlit as st

from dpslr_core.mechanisms import Mechanism
from dpslr_core.paper.figures import figure_named
from dpslr_core.paper.pictures import for_page

from .. import show
from ..cache import kept
from ..plain import plain


class Live(NamedTuple):
    """A diagram, its parameter that a slider moves, and the slider's stops."""

    figure: str
    parameter: str
    stops: tuple[float, ...]


_EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
LIVE = {
    "NoisyStats": Live("noisy-ratio", "epsilon", _EPSILONS),
    "DPExpTheilSen": Live("exponential-density", "epsilon", _EPSILONS),
    "DPWideTheilSen": Live("widened-density", "theta", (0.0, 0.005, 0.01, 0.02, 0.05, 0.1)),
    "DPSSTheilSen": Live("smooth-sensitivity", "epsilon", _EPSILONS),
    "DPGDPure": Live("descent", "epsilon", (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)),
}


def live_picture(algorithm: type[Mechanism]) -> None:
    """The diagram of an algorithm, where it has one."""
    live = LIVE.get(algorithm.__name__)
    if live is not None:
        _picture(live)


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
        show.vega(deepcopy(chart), f"{title}. {sentence}", f"live_{figure.name}")  # a copy, for larger text changes it


@kept(sum(len(live.stops) for live in LIVE.values()), scope="global")
def _drawn(live: Live, value: float) -> tuple[str, dict[str, Any]]:
    """What a picture says at a stop of its slider, and its charts by title."""
    figure = figure_named(live.figure)
    settings = figure.settings({live.parameter: value})
    frame = figure.compute(settings)
    charts = {title: for_page(panel) for title, panel in figure.panels(frame, settings).items()}
    return str(figure.agrees(frame, settings)), charts
