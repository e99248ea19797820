"""The first fold of Small areas: which one algorithm to publish, from which epsilon on, and for which areas not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pandas as pd
import streamlit as st

from dpslr_core.charts.areas import PICKED, passing_curves, passing_map
from dpslr_core.guidance.area_epsilons import QUESTIONS, Question
from dpslr_core.guidance.decision import MANY, SAMPLE, Decision, areas_of, guessed_areas, usable_areas
from dpslr_core.guidance.recommendation import guessed_scenario
from dpslr_core.sources.choices import UploadedFile
from dpslr_core.sources.grouping import SMALLEST, GroupedData
from dpslr_core.sources.linear import LinearModel
from dpslr_core.sources.shapes import read_shapes
from dpslr_core.sources.tables import area_labels, region_columns
from dpslr_core.text import decision as text

from . import show, takeaway, work
from .areas import USUAL, Areas
from .cache import kept
from .guidance import typed_guesses
from .inputs import number_text
from .link import LINK, bound, set_to
from .plain import plain
from .settings import EPSILON, UPLOADED, View, unit_of
from .upload import Uploaded

TARGETS = tuple(f"{percent}%" for percent in range(50, 101, 5))
QUESTION_HELP = "Whose C(68) an area must have below its standard error to pass. A flat line never passes in the slope."
TARGET_HELP = "The share of the areas that should pass."
GUESSES_HELP = (
    "Keep the names of the areas and their numbers of rows, unusable rows too, and simulate records from guesses that "
    "you type. No value of the data is used. Where names and numbers are public, you may act on the answer."
)
EVERY_HELP = (
    "Measure all of them: exact counts. Else {} of {:,} are drawn at random, by their labels alone, and stand for all."
)
WIDTH = 180  # pixels of a slider in the row of controls
UNASKED = 3.0  # times what a page computes without asking: the decision is what this page is for
KEY = "chart_decision"


def question_choice() -> Question:
    """What must pass, of every area."""
    chosen = st.segmented_control(
        "What must pass",
        QUESTIONS,
        default=USUAL["question"],
        required=True,
        help=QUESTION_HELP,
        **bound("question", QUESTIONS),
    )
    return cast("Question", chosen or USUAL["question"])


def target_choice() -> float:
    """The share of areas that should pass."""
    chosen = st.select_slider(
        "Target", TARGETS, USUAL["target"], help=TARGET_HELP, width=WIDTH, **bound("target", TARGETS)
    )
    return int(chosen.removesuffix("%")) / 100


def on_guesses(view: View) -> View:
    """A view of areas of the same names and sizes, simulated from typed guesses; the page ends where one is missing."""
    typed: dict[str, Any] = typed_guesses(view)
    takeaway.declare(guessed_scenario(view.scenario, view.public_n, typed))
    sizes = pd.DataFrame(view.grouped.planned_sizes.items(), columns=["group", "n"])
    frame = _guessed(sizes, LinearModel(SMALLEST, **typed), view.scenario.seed)
    grouped = GroupedData(f"Guesses for {view.grouped.name}", text.ON_GUESSES, view.x, view.y, frame)
    label = grouped.groups[0]
    return replace(view, grouped=grouped, group=label, data=grouped.dataset(label))


@kept(4)
def _guessed(sizes: pd.DataFrame, model: LinearModel, seed: int) -> pd.DataFrame:
    return guessed_areas(sizes, model, seed)


def every_area(count: int) -> bool:
    """Whether all areas are to be measured, where a random sample would stand for them."""
    if count <= MANY:
        return True
    return st.toggle(f"All {count:,} areas", key="all_areas", help=EVERY_HELP.format(SAMPLE, count), **LINK)


def decision_of(
    areas: Areas, question: Question, target: float, early: Callable[[Decision], None] | None = None
) -> Decision:
    """The decision at this point and the scenario's epsilon; with progress while the epsilons are sought.

    Of a random sample where there are many areas, or where the time was too short for all. early: called with the
    decision by the first areas, where the others take some seconds.
    """
    work.current_run().allow(UNASKED * work.AT_ONCE)
    every = areas.groups.datasets

    def by(passing: pd.DataFrame) -> Decision:
        reached = {label: every[label] for label in sorted(passing["group"].unique())}
        of = usable_areas(every, areas.budget, question) if len(reached) < len(every) else None
        s = areas.view.scenario
        return Decision(passing, areas_of(reached), s.epsilon, target, question, areas.flat, of)

    return by(areas.epsilons(question, None if early is None else lambda passing: early(by(passing))))


def picture(decision: Decision, pooled: pd.DataFrame | None = None, early: bool = False) -> None:
    """The share of areas that pass against epsilon; a click, or the button above, chooses epsilon.

    pooled: of ui.pooling.pooled_curve. early: to look at alone, as more areas are to come.
    """
    if early:
        show.vega(passing_curves(decision, room=show.room()), text.picture_sentence(decision), "decision_early")
        return
    curves = passing_curves(decision, EPSILON.stops, show.room(), pooled)
    if decision.smallest is not None and (label := text.smallest_label(decision)):
        st.button(label, key="smallest_epsilon", on_click=set_to, args=("epsilon", number_text(decision.smallest[1])))
    show.vega(curves, text.picture_sentence(decision), "decision", on_select=_pick)
    if pooled is not None:
        st.caption(plain(f"{text.pooled_sentence(pooled, decision.epsilon, decision.target)} {text.POOLED_CURVE}"))


def _pick() -> None:
    for chosen in st.session_state[KEY].selection[PICKED]:
        set_to("epsilon", number_text(float(chosen["epsilon"])))


def tables(areas: Areas, decision: Decision) -> None:
    """What each algorithm reaches, and the areas that do not pass, in the units of y."""
    left = decision.failing()
    with st.expander("The table to decide by: areas that pass, by algorithm and ε"):
        st.markdown(plain(text.counts_sentence(decision)))
        show.numbers(text.algorithms_table(decision), "decision")
    if len(left):
        y = areas.view.y
        slope = decision.question == "slope"
        scale, unit = (y.scale / areas.view.x.scale, "") if slope else (y.scale, unit_of(y))
        with st.expander(plain(text.failing_sentence(decision))):
            show.numbers(text.failing_table(decision, scale, unit), "failing")
    _map(decision)
    _regions(areas, decision)


def _regions(areas: Areas, decision: Decision) -> None:
    """Counts by a further column of the uploaded file, such as the county."""
    uploaded, source = st.session_state.get(UPLOADED), areas.view.scenario.source
    if uploaded is None or not isinstance(source, UploadedFile) or not source.group_column:
        return
    labels = decision.areas["group"].tolist()
    columns = _region_columns(uploaded, source.group_column, tuple(labels))
    if not columns:
        return
    with st.expander("Counts by a larger region"):
        column = str(st.selectbox("Count areas by", columns, key="area_region"))
        table = decision.by_region(area_labels(uploaded.table, source.group_column, column, labels))
        st.markdown(plain(text.regions_sentence(table, column, decision.target, decision.sampled)))
        show.numbers(text.regions_table(table, column), "regions", {"share": show.PERCENT})


@kept(4)
def _region_columns(uploaded: Uploaded, group: str, areas: tuple[str, ...]) -> list[str]:
    return region_columns(uploaded.table, group, areas)


def _map(decision: Decision) -> None:
    """A map of the areas that pass, of shapes that the user has; they stay in the session's memory."""
    with st.expander("Map of the areas (your own GeoJSON)"):
        st.caption("The file stays in the server's memory for this session only; it is never written to disk.")
        file = st.file_uploader("Shapes of the areas, as GeoJSON", type=["geojson", "json"], key="area_shapes")
        if file is None:
            return
        try:
            shapes = read_shapes(file.getvalue(), decision.areas["group"].astype("str").tolist())
        except ValueError as problem:
            st.error(plain(str(problem)))
            return
        verdicts, name = decision.verdicts(), decision.mechanism or str(decision.algorithms["mechanism"].iloc[0])
        sentence = text.map_sentence(decision, name, len(shapes.missing))
        drawn = passing_map(shapes.features, {str(area): verdict for area, verdict in verdicts.items()})
        show.vega(drawn, sentence, "area_map", told=True)
