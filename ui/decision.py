"""The decision on Small areas: the algorithm to publish, the epsilon it needs, and the areas that fail."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial

import streamlit as st

from dpslr_core.charts.areas import PICKED, passing_curves
from dpslr_core.guidance.area_epsilons import Question
from dpslr_core.guidance.decision import MANY, SAMPLE, Decision, areas_of, usable_areas
from dpslr_core.report.content import MeasuredAreas, report_on_areas
from dpslr_core.report.document import Report
from dpslr_core.report.scripts import areas_command, areas_script
from dpslr_core.sources.choices import GuessedAreas, UploadedFile
from dpslr_core.sources.linear import X_SHAPES, XShape
from dpslr_core.sources.public_areas import COLUMNS as GUESS_OF
from dpslr_core.sources.public_areas import NEEDED, read_guesses, read_sizes
from dpslr_core.text import decision as text
from dpslr_core.text.data import shown_group
from dpslr_core.text.phrases import joined, place_on

from . import show, takeaway, work
from .areas import (
    FAILING,
    GUESSES,
    NONE_CHOSEN,
    USUAL,
    Areas,
    AreasAnswer,
    all_areas,
    distributions,
    offered_to_publish,
    page_query,
    public_file,
    shown_rows,
)
from .cache import kept
from .ends import Container, end_page
from .guidance import typed_guesses
from .inputs import number_text
from .link import KEEP, LINK, bound, set_to, unused_of_link
from .plain import plain
from .pooling import HELP, covariates, helping
from .settings import EPSILON, UPLOADED, View, link, unit_of, warn_of_file
from .takeaway import of_report, report_buttons, take_away
from .upload import Uploaded

TARGETS = tuple(f"{percent}%" for percent in range(50, 101, 5))
QUESTION_HELP = "The whole line: the predictions at all points and the slope. A flat line never passes in the slope."
GUESSES_HELP = (
    "Simulate the areas from a public file of their numbers of records and from guesses. No "
    "value of the data is used, "
    "nor their sizes. Where file and guesses are public, you may act on the answer."
)
NEEDS_SIZES = "Upload a public file with a row for each area: its name, and its number of records."
NOT_YET = (
    f"Nothing was computed on your file yet. For an answer to act on, switch to “{GUESSES}”. A choice "
    "that looks at the true file is not private."
)
EVERY_HELP = (
    "Measure all of them: exact counts. "
    "Else {} of {:,} are drawn at random, by their labels alone, and stand for all."
)
UNASKED = (
    3.0  # times AT_ONCE that the decision may take without asking, as it is the page's purpose
)
KEY = "chart_decision"


def publish_choice(view: View) -> tuple[Question, float]:
    """Draw the choice of what is published; return the question, and the point that is looked at."""
    offered = offered_to_publish(view)
    first = next(iter(offered))
    chosen = st.segmented_control(
        f"What will be published about {plain(view.y.name)}?",
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


def on_the_data(view: View, warnings: Container) -> View:
    """Return the view; of a file that somebody uploaded nothing is computed before a click asks for it.

    Parameters
    ----------
    view : View
        Data that the sidebar describes.
    warnings : container
        Where it is said what was lost of the file.
    """
    if view.scenario.source.origin == "private":
        file = work.Work(f"areas of the file {st.session_state[UPLOADED].digest}")
        if not work.is_granted(file):
            st.info(NOT_YET)
            st.button(
                "Decide on the true file", key="true_file", on_click=work.grant, args=(file.what,)
            )
            end_page()
        with warnings:
            warn_of_file(view)
    return view


def on_guesses(view: View) -> View:
    """Draw the form of public guesses and return a view of simulated areas; end the page if a guess is missing.

    No value of private data is used, nor how many records their areas have, nor which areas there are.
    """
    takeaway.begin_anew()  # earlier warnings are about the data
    public = public_file()
    if public is None and (
        view.scenario.source.origin == "private" or len(view.grouped.groups) < 2
    ):
        st.info(NEEDS_SIZES)
        end_page()
    given = (
        ()
        if public is None
        else [GUESS_OF[name] for name in GUESS_OF if name in public.table.names]
    )
    common = typed_guesses(view, given)
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
    ungrouped = view.scenario.model_copy(update={"group": ""})  # a label would come from the data
    takeaway.declare(guessed, link(replace(view, scenario=ungrouped)))
    st.caption(plain(text.guesses_sentence(source)))
    return guessed


def _columns(public: Uploaded, view: View) -> tuple[str, str]:
    """Draw the choice of the columns of labels and of numbers of records, and return both; ValueError without two."""
    source = view.scenario.source
    names = [name for name in public.table.names if name not in GUESS_OF]
    if len(names) < 2:
        raise ValueError(
            f"the columns of {public.name} are {', '.join(public.table.names)}. {NEEDED}"
        )
    group = source.group_column if isinstance(source, UploadedFile) else ""
    label = names.index(group) if group in names else 0
    size = names.index("n") if "n" in names else len(names) - 1
    left, right = st.columns(2)
    return (
        left.selectbox("Names of the areas", names, label, key="public_label", **KEEP),
        right.selectbox("Number of records", names, size, key="public_size", **KEEP),
    )


_guessed = kept(4)(GuessedAreas.load)


def every_area(count: int) -> bool:
    """Return whether all areas are measured; draw the switch where a random sample would stand for them."""
    if count <= MANY:
        return True
    return st.toggle(
        f"All {count:,} areas", key="all_areas", help=EVERY_HELP.format(SAMPLE, count), **LINK
    )


def decision_of(
    areas: Areas, question: Question, target: float, only: Collection[str] = ()
) -> Decision:
    """Decide at this point and the scenario's epsilon, with a bar while the epsilons are sought.

    The decision is of a random sample if there are many areas, or if the time was too short for all.

    Parameters
    ----------
    areas : Areas
        Areas, and the point that is looked at.
    question : Question
        Published quantity.
    target : float
        Share of the areas that should pass.
    only : collection of str, optional
        Names of the algorithms; empty for all that are sought.
    """
    work.current_run().allow(UNASKED * work.AT_ONCE)
    every, passing = areas.groups.datasets, areas.epsilons(question, only)
    reached = {label: every[label] for label in sorted(passing["group"].unique())}
    area_count = usable_areas(every, areas.budget, question) if len(reached) < len(every) else None
    epsilon = areas.view.scenario.epsilon
    return Decision(passing, areas_of(reached), epsilon, target, question, area_count)


def other_decisions(areas: Areas, decided: Decision) -> dict[str, Decision]:
    """Return the decisions on the other quantities that could be published, by their names in a sentence."""
    question = decided.question
    questions: dict[str, tuple[Areas, Question]] = {
        place_on(areas.view.x, point): (replace(areas, at=point), "prediction")
        for point in areas.view.scenario.at
        if question != "prediction" or point != areas.at
    }
    questions |= {"the slope": (areas, "slope")} if question != "slope" else {}
    questions |= {"the whole line": (areas, "line")} if question != "line" else {}
    return {name: decision_of(*arguments, decided.target) for name, arguments in questions.items()}


def what_else(areas: Areas, decided: Decision) -> str:
    """Return the sentence on the epsilons that other published quantities need, and on another shape of x."""
    everything = text.others_sentence(decided, other_decisions(areas, decided))
    return joined(everything, other_shape(areas, decided))


def other_shape(areas: Areas, decided: Decision) -> str:
    """Return the sentence on the answer for another shape of x, with the same algorithm; empty unless on guesses."""
    source = areas.view.scenario.source
    if not isinstance(source, GuessedAreas) or decided.mechanism is None:
        return ""
    shape: XShape = "uniform" if source.x_shape == "skewed" else "skewed"
    reshaped = source.model_copy(update={"x_shape": shape})
    scenario = areas.view.scenario.model_copy(update={"source": reshaped})
    view = replace(areas.view, scenario=scenario, grouped=_guessed(reshaped))
    changed = decision_of(
        replace(areas, view=view), decided.question, decided.target, only=(decided.mechanism,)
    )
    return text.shape_sentence(decided, changed, X_SHAPES[shape])


def stands_on(view: View) -> str:
    """Return the sentence on whether one may act on the answer."""
    return text.STANDS_ON.get(view.scenario.source.origin, "")


def smallest_button(decision: Decision) -> None:
    """Draw the button that sets epsilon to the smallest that reaches the target, if that is not set already."""
    if decision.smallest is not None and (label := text.smallest_label(decision)):
        epsilon_text = number_text(decision.smallest[1])
        st.button(
            label,
            key="smallest_epsilon",
            type="primary",
            on_click=set_to,
            args=("epsilon", epsilon_text),
        )


def picture(decision: Decision) -> None:
    """Draw the number of areas that pass against epsilon; a click in the picture sets epsilon."""
    curves = passing_curves(decision, EPSILON.stops)
    show.vega(curves, text.picture_sentence(decision), "decision", on_select=_pick)


def _pick() -> None:
    """Set epsilon to the clicked one."""
    for chosen in st.session_state[KEY].selection[PICKED]:
        set_to("epsilon", number_text(float(chosen["epsilon"])))


def failing(answered: AreasAnswer) -> None:
    """Draw the areas that do not pass, in the units of y, and the counts by algorithm and epsilon."""
    areas, decision = answered.areas, answered.decided
    if decision is None or not decision.count:
        st.info("No passing ε is computed: no chosen algorithm has an exact output distribution.")
        return
    failed = decision.failing()
    st.markdown(plain(joined(*text.about(decision))))
    if len(failed):
        y = areas.view.y
        slope = decision.question == "slope"
        scale, unit = (y.scale / areas.view.x.scale, "") if slope else (y.scale, unit_of(y))
        show.numbers(text.failing_table(decision, scale, unit), "failing")
    with st.expander("The table to decide by: areas that pass, by algorithm and ε"):
        st.markdown(plain(text.counts_sentence(decision)))
        show.numbers(text.algorithms_table(decision), "decision")


def memo(answered: AreasAnswer) -> None:
    """Draw the report, and the files to take away."""
    areas, decided = answered.areas, answered.decided
    view, at = areas.view, areas.at
    if decided is None or not decided.count:
        st.info(NONE_CHOSEN if decided is None else plain(text.headline(decided)))
        return
    if view.scenario.source.origin == "private":
        st.info(
            f"A memo to act on is made with the switch “{GUESSES}”. This one is for behind "
            "closed doors."
        )
    epsilons = areas.epsilons()
    public = covariates(areas)
    query, every = page_query(view), len(areas.groups.datasets)
    sample = len(decided.areas) if len(decided.areas) < every else None
    published_else = other_decisions(areas, decided)
    warned, unused = takeaway.warnings(), unused_of_link()

    def report() -> Report:
        measured = MeasuredAreas(
            answered.measured,
            epsilons,
            areas.groups.rejected,
            areas.trials,
            decided,
            0 if sample is None else every,
            published_else,
        )
        return report_on_areas(view, at, measured, f"/small_areas?{query}", (*unused(), *warned))

    report_buttons(
        "A page to hand on: answer, picture, table, what it protects, what comes next; all areas "
        "in its appendix.",
        query,
        report,
    )
    take_away(
        page="small_areas",
        scenario=view.scenario,
        query=query,
        table=shown_rows(areas, answered.measured, epsilons),
        script=partial(
            areas_script, view, at, areas.trials, decided.question, decided.target, public, sample
        ),
        command=areas_command(view, at, sample),
        more={"point": place_on(view.x, at)},
        picture=lambda: of_report(report()),
    )


VIEWS: dict[str, Callable[[AreasAnswer], None]] = {
    FAILING: failing,
    "All areas": all_areas,
    "Distribution over areas": distributions,
    HELP: helping,
    "Memo and files": memo,
}
