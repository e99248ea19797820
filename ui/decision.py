"""The first fold of Small areas: which one algorithm to publish, from which epsilon on, and for which areas not."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

import pandas as pd
import streamlit as st

from dpslr_core.charts.areas import PICKED, passing_curves
from dpslr_core.guidance.area_epsilons import Question
from dpslr_core.guidance.decision import MANY, SAMPLE, Decision, areas_of, usable_areas
from dpslr_core.sources.choices import GuessedAreas, UploadedFile
from dpslr_core.sources.files import read_file
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.sources.linear import X_SHAPES, XShape
from dpslr_core.sources.numbers import mostly_numbers
from dpslr_core.sources.public_areas import COLUMNS as GUESS_OF
from dpslr_core.sources.public_areas import read_guesses, read_sizes
from dpslr_core.sources.tables import area_labels, region_columns
from dpslr_core.text import decision as text
from dpslr_core.text.data import shown_group
from dpslr_core.text.phrases import joined, place_on

from . import show, takeaway, work
from .areas import (
    FAILING,
    ON_ALL_CORES,
    USUAL,
    Answered,
    Areas,
    all_areas,
    distributions,
    failures,
    how_sure,
    memo,
    offered_to_publish,
)
from .cache import kept
from .ends import end_page
from .guidance import typed_guesses
from .inputs import number_text
from .link import KEEP, LINK, bound, set_to
from .plain import plain
from .pooling import HELP, helping
from .settings import EPSILON, UPLOADED, View, link, unit_of
from .upload import ENDINGS, Uploaded

TARGETS = tuple(f"{percent}%" for percent in range(50, 101, 5))
QUESTION_HELP = "The whole line: the predictions at all points and the slope. A flat line never passes in the slope."
FLAT_HELP = (
    "A flat line has no slope, as NoisyIntercept's. It counts as passing only where this is on."
)
GUESSES_HELP = (
    "Simulate the areas from a public file of their numbers of records and from guesses. No "
    "value of the data is used, "
    "nor their sizes. Where file and guesses are public, you may act on the answer."
)
FILE_HELP = (
    f"A column of names and one of numbers of records. Columns {', '.join(GUESS_OF)} are guesses "
    "where areas differ, in the units of the data."
)
NEEDS_SIZES = "Upload a public file with a row for each area: its name, and its number of records."
EVERY_HELP = (
    "Measure all of them: exact counts. "
    "Else {} of {:,} are drawn at random, by their labels alone, and stand for all."
)
MOST_POINTS = 2  # of which each is said where something else is published
PUBLIC = "public_areas"  # session-state key: the file of public numbers as it was read
UNASKED = 3.0  # times what a page computes without asking: the decision is what this page is for
KEY = "chart_decision"


def publish_choice(view: View) -> tuple[Question, float]:
    """Draw the choice of what is published; return the question, and the point that is looked at."""
    offered = offered_to_publish(view)
    first = next(iter(offered))
    chosen = st.segmented_control(
        f"You publish, of {plain(view.y.name)} by {plain(view.x.label)}",
        offered,
        default=first,
        required=True,
        help=QUESTION_HELP,
        **bound("question", offered, first),
    )
    return offered.get(str(chosen), offered[first])


def target_choice() -> float:
    """Draw the slider of the share of areas that should pass, and return it."""
    chosen = st.select_slider(
        "Areas that should pass", TARGETS, USUAL["target"], **bound("target", TARGETS)
    )
    return int(chosen.removesuffix("%")) / 100


def on_guesses(view: View) -> View:
    """Draw the form of public guesses; return a view of areas simulated from these; the page ends where one is missing.

    No value of private data is used, nor how many records their areas have, nor which areas there are.
    """
    takeaway.begin_anew()  # what was warned of is of the data
    public = _public_file(view)
    if public is None and (
        view.scenario.source.origin == "private" or len(view.grouped.groups) < 2
    ):
        st.info(NEEDS_SIZES)
        end_page()
    known = (
        ()
        if public is None
        else [GUESS_OF[name] for name in GUESS_OF if name in public.table.names]
    )
    common = typed_guesses(view, known)
    try:
        if public is None:
            sizes, guesses, name = view.grouped.sizes, common, view.grouped.name
            areas, n = tuple(sizes), tuple(sizes.values())
        else:
            frame = read_sizes(public.table, *_columns(public, view), public.name)
            areas, n, name = tuple(frame["group"]), tuple(frame["n"].tolist()), public.name
            guesses = read_guesses(public.table, view.x, view.y, common)
        source = GuessedAreas(name=name, x=view.x, y=view.y, areas=areas, n=n, **guesses)
        grouped = _guessed(source)
    except ValueError as problem:
        st.error(takeaway.warned(f"{str(problem)[0].upper()}{str(problem)[1:]}"))
        end_page()
    label = shown_group("", grouped)
    scenario = view.scenario.model_copy(update={"source": source, "group": ""})
    guessed = replace(
        view, scenario=scenario, grouped=grouped, group=label, data=grouped.dataset(label)
    )
    ungrouped = view.scenario.model_copy(update={"group": ""})  # no label of the data
    takeaway.declare(guessed, link(replace(view, scenario=ungrouped)))
    st.caption(plain(text.guesses_sentence(source)))
    return guessed


def _public_file(view: View) -> Uploaded | None:
    """Draw the place of the file of public numbers; return it as it was read, in this session."""
    file = st.file_uploader(
        "A public file with a row for each area", ENDINGS, key="public_file", help=FILE_HELP
    )
    read: Uploaded | None = st.session_state.get(PUBLIC)
    if file is not None and (read is None or read.file_id != file.file_id):
        read = Uploaded(file.name, file.file_id, read_file(file.getvalue(), file.name))
        st.session_state[PUBLIC] = read
    if read is None or read.table.readable:
        return read
    st.error(takeaway.warned(" ".join(problem.message for problem in read.table.problems)))
    end_page()


def _columns(public: Uploaded, view: View) -> tuple[str, str]:
    """Draw the choice of the columns of labels and of numbers of records, and return both."""
    source, others = (
        view.scenario.source,
        [name for name in public.table.names if name not in GUESS_OF],
    )
    numbers = [
        name for name in others if mostly_numbers(public.table.column(name).dropna().astype("str"))
    ]
    texts = [name for name in others if name not in numbers]
    group = source.group_column if isinstance(source, UploadedFile) else ""
    label = group if group in others else next(iter([*texts, *others]))
    size = next((name for name in others if name.lower() == "n"), [*others, *numbers][-1])
    left, right = st.columns(2)
    return (
        left.selectbox(
            "Names of the areas", others, others.index(label), key="public_label", **KEEP
        ),
        right.selectbox("Number of records", others, others.index(size), key="public_size", **KEEP),
    )


@kept(4)
def _guessed(source: GuessedAreas) -> GroupedData:
    return source.load()


def every_area(count: int) -> bool:
    """Whether all areas are to be measured, where a random sample would stand for them."""
    if count <= MANY:
        return True
    return st.toggle(
        f"All {count:,} areas", key="all_areas", help=EVERY_HELP.format(SAMPLE, count), **LINK
    )


def decision_of(
    areas: Areas,
    question: Question,
    target: float,
    early: Callable[[Decision], None] | None = None,
    only: Collection[str] = (),
) -> Decision:
    """The decision at this point and the scenario's epsilon; with progress while the epsilons are sought.

    Of a random sample where there are many areas, or where the time was too short for all. early: called with the
    decision by the first areas, where the others take some seconds. only: as for Areas.epsilons.
    """
    work.current_run().allow(UNASKED * work.AT_ONCE)
    every = areas.groups.datasets

    def by(passing: pd.DataFrame) -> Decision:
        reached = {label: every[label] for label in sorted(passing["group"].unique())}
        of = usable_areas(every, areas.budget, question) if len(reached) < len(every) else None
        s = areas.view.scenario
        return Decision(passing, areas_of(reached), s.epsilon, target, question, areas.flat, of)

    return by(
        areas.epsilons(
            question, None if early is None else lambda passing: early(by(passing)), only
        )
    )


def others(areas: Areas, question: Question, target: float) -> dict[str, Decision]:
    """Return the decisions on what else could be published; none where there are many areas, which take long."""
    at = areas.view.scenario.at
    if areas.count >= ON_ALL_CORES:
        return {}
    asked: dict[str, tuple[Areas, Question]] = {
        place_on(areas.view.x, point): (replace(areas, at=point), "prediction")
        for point in (at if len(at) <= MOST_POINTS else at[:1])
        if question != "prediction" or point != areas.at
    }
    asked |= {"the slope": (areas, "slope")} if question != "slope" else {}
    asked |= {"the whole line": (areas, "line")} if question != "line" else {}
    return {name: decision_of(*of, target) for name, of in asked.items()}


def other_shape(areas: Areas, decided: Decision) -> str:
    """Return what the answer on guesses would be were x of another shape, for the same algorithm; else nothing."""
    source = areas.view.scenario.source
    if not isinstance(source, GuessedAreas) or decided.mechanism is None:
        return ""
    shape: XShape = "uniform" if source.x_shape == "skewed" else "skewed"
    other = source.model_copy(update={"x_shape": shape})
    scenario = areas.view.scenario.model_copy(update={"source": other})
    view = replace(areas.view, scenario=scenario, grouped=_guessed(other))
    changed = decision_of(
        replace(areas, view=view), decided.question, decided.target, only=(decided.mechanism,)
    )
    return text.shape_sentence(decided, changed, X_SHAPES[shape])


def stands_on(view: View) -> str:
    """Return whether one may act on the answer."""
    return text.STANDS_ON.get(view.scenario.source.origin, "")


def smallest_button(decision: Decision) -> None:
    """Draw the button that sets the smallest epsilon for the target, where that is another."""
    if decision.smallest is not None and (label := text.smallest_label(decision)):
        taken = number_text(decision.smallest[1])
        st.button(
            label, key="smallest_epsilon", type="primary", on_click=set_to, args=("epsilon", taken)
        )


def picture(decision: Decision, pooled: pd.DataFrame | None = None, early: bool = False) -> None:
    """Draw the number of areas that pass against epsilon; a click, or the button above, chooses epsilon.

    pooled: of ui.pooling.pooled_curve. early: to look at alone, as more areas are to come.
    """
    if early:
        show.vega(passing_curves(decision), text.picture_sentence(decision), "decision_early")
        return
    curves = passing_curves(decision, EPSILON.stops, pooled)
    show.vega(curves, text.picture_sentence(decision), "decision", on_select=_pick)
    if pooled is not None:
        st.caption(
            plain(
                f"{text.pooled_sentence(pooled, decision.epsilon, decision.target)} "
                f"{text.POOLED_CURVE}"
            )
        )


def _pick() -> None:
    for chosen in st.session_state[KEY].selection[PICKED]:
        set_to("epsilon", number_text(float(chosen["epsilon"])))


def failing(answered: Answered) -> None:
    """Draw the areas that do not pass, in the units of y, counts by algorithm and by region, and a map."""
    areas, decision = answered.areas, answered.decided
    if decision is None or not decision.count:
        st.info("No ε is sought: no chosen algorithm has an exact output distribution.")
        return
    left = decision.failing()
    st.markdown(plain(joined(text.failing_sentence(decision), text.question_sentence(decision))))
    if len(left):
        y = areas.view.y
        slope = decision.question == "slope"
        scale, unit = (y.scale / areas.view.x.scale, "") if slope else (y.scale, unit_of(y))
        show.numbers(text.failing_table(decision, scale, unit), "failing")
    with st.expander("The table to decide by: areas that pass, by algorithm and ε"):
        st.markdown(plain(joined(text.counts_sentence(decision), text.target_sentence(decision))))
        show.numbers(text.algorithms_table(decision), "decision")
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


VIEWS: dict[str, Callable[[Answered], None]] = {
    FAILING: failing,
    "All areas": all_areas,
    "Distribution over areas": distributions,
    HELP: helping,
    "How sure": how_sure,
    "No answer": failures,
    "Memo and files": memo,
}
