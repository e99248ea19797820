"""The first fold of Small areas: which one algorithm to publish, from which epsilon on, and for which areas not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pandas as pd
import streamlit as st

from dpslr_core.charts.areas import PICKED, passing_curves
from dpslr_core.guidance.area_epsilons import QUESTIONS, Question
from dpslr_core.guidance.decision import Decision, areas_of, guessed_areas
from dpslr_core.guidance.recommendation import guessed_scenario
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.sources.linear import LinearModel
from dpslr_core.text import decision as text

from . import show, takeaway
from .areas import USUAL, Areas
from .cache import kept
from .controls import BOUND, EPSILON
from .guidance import typed_guesses
from .inputs import set_to
from .plain import plain
from .settings import View, unit_of

TARGETS = tuple(f"{percent}%" for percent in range(50, 101, 5))
QUESTION_HELP = "Whose C(68) an area must have below its standard error to pass. A flat line never passes in the slope."
TARGET_HELP = "The share of the areas that should pass."
GUESSES_HELP = (
    "Keep the names and sizes of the areas, which are public, and simulate their records from guesses that you type. "
    "No record is looked at, so that you may act on the answer."
)
WIDTH = 180  # pixels of a slider in the row of controls
LEAST_RECORDS = 3  # of an area
KEY = "chart_decision"


def question_choice() -> Question:
    """What must pass, of every area."""
    chosen = st.segmented_control(
        "What must pass",
        QUESTIONS,
        default=USUAL["question"],
        key="question",
        required=True,
        help=QUESTION_HELP,
        **BOUND,
    )
    return cast("Question", chosen or USUAL["question"])


def target_choice() -> float:
    """The share of areas that should pass."""
    chosen = st.select_slider("Target", TARGETS, USUAL["target"], key="target", help=TARGET_HELP, width=WIDTH, **BOUND)
    return int(chosen.removesuffix("%")) / 100


def on_guesses(view: View) -> View:
    """A view of areas of the same names and sizes, simulated from typed guesses; the page ends where one is missing."""
    typed: dict[str, Any] = typed_guesses(view)
    takeaway.declare(guessed_scenario(view.scenario, view.data.n, typed))
    sizes = pd.DataFrame({"group": list(view.grouped.sizes), "n": list(view.grouped.sizes.values())})
    frame = _guessed(sizes[sizes["n"] >= LEAST_RECORDS], LinearModel(LEAST_RECORDS, **typed), view.scenario.seed)
    grouped = GroupedData(f"Guesses for {view.grouped.name}", text.ON_GUESSES, view.x, view.y, frame)
    label = grouped.groups[0]
    return replace(view, grouped=grouped, group=label, data=grouped.dataset(label))


@kept(4)
def _guessed(sizes: pd.DataFrame, model: LinearModel, seed: int) -> pd.DataFrame:
    return guessed_areas(sizes, model, seed)


def decision_of(areas: Areas, question: Question, target: float) -> Decision:
    """The decision at this point and the scenario's epsilon; with progress while the epsilons are sought."""
    return Decision(
        areas.epsilons(question), areas_of(areas.groups.datasets), areas.view.scenario.epsilon, target, question,
        areas.flat,
    )  # fmt: skip


def picture(decision: Decision) -> None:
    """The share of areas that pass against epsilon; a click chooses epsilon."""
    curves = passing_curves(decision.curves(), decision.target, decision.epsilon, EPSILON.stops, show.room())
    show.vega(curves, text.picture_sentence(decision), "decision", on_select=_pick)


def _pick() -> None:
    for chosen in st.session_state[KEY].selection[PICKED]:
        set_to("epsilon", float(chosen["epsilon"]))


def tables(areas: Areas, decision: Decision) -> None:
    """What each algorithm reaches, and the areas that do not pass, in the units of y."""
    left = decision.failing()
    with st.expander("ε by algorithm"):
        show.numbers(text.algorithms_table(decision), "decision", {"share": show.PERCENT})
    if len(left):
        y = areas.view.y
        slope = decision.question == "slope"
        scale, unit = (y.scale / areas.view.x.scale, "") if slope else (y.scale, unit_of(y))
        with st.expander(plain(text.failing_sentence(decision))):
            show.numbers(text.failing_table(decision, scale, unit), "failing")
