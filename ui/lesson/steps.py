"""The six steps: of each its sentences, its picture, its one control, and the answer to its question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from dpslr_core import charts
from dpslr_core.charts.lesson.errors import error_bars, over_scatter
from dpslr_core.charts.lesson.moved import HEIGHT, moved_scatter, people_with_lines
from dpslr_core.charts.lesson.odds import odds_chart
from dpslr_core.charts.lesson.pairwise import histogram
from dpslr_core.experiments.lesson import errors, odds, tables
from dpslr_core.experiments.lesson.leaving import Leaving
from dpslr_core.experiments.lesson.medians import PairwiseEstimates, person_moved
from dpslr_core.experiments.lesson.people import HOURS, POINT, SCORE, SCORES, ten_people
from dpslr_core.experiments.lesson.settings import EPSILONS, SCATTERS, SIZES, Lesson
from dpslr_core.text.lesson import errors as error_text
from dpslr_core.text.lesson import leaving as leaving_text
from dpslr_core.text.lesson import medians as median_text
from dpslr_core.text.lesson import odds as odds_text
from dpslr_core.text.lesson.moved import moved_sentence
from dpslr_core.text.lesson.words import ABOUT_ALGORITHMS, WHY_THESE, StepText
from dpslr_core.text.phrases import SEEDED

from .. import show
from ..compare.picture import on_a_phone
from ..moved.mover import Mover
from . import runs
from .controls import stop_choice


@dataclass(frozen=True)
class Step:
    """What the page shows of a step; the answer is computed when it is asked for. table: the numbers of the picture."""

    text: StepText
    picture: Callable[[], None]
    control: Callable[[], None]
    answer: Callable[[], str]
    table: Callable[[], pd.DataFrame]


def leaving(lesson: Lesson) -> Step:
    """1: a line from ten people, and one who leaves."""
    leaving = Leaving(lesson.leaver)
    text, table = leaving_text.step_text(leaving), partial(tables.leaving_table, leaving)

    def picture() -> None:
        everyone, lines = leaving.everyone, [("OLS, all ten", leaving.everyone)]
        if lesson.leaver:
            lines.append((f"OLS without person {lesson.leaver}", leaving.remaining))
        chosen = lesson.leaver - 1 if lesson.leaver else None
        figure = people_with_lines(everyone, lines, chosen, HOURS, SCORE, POINT)
        select: dict[str, Any] = {"on_select": _leave, "selection_mode": "points"}
        show.chart(figure, text.picture, table(), "leaving", told=False, **select)

    def control() -> None:
        stop_choice("leaver", "Who leaves?", range(11), lambda person: f"person {person}" if person else "nobody")
        st.caption("Or click on a person in the picture.")

    return Step(text, picture, control, lambda: leaving_text.answer(leaving), table)


def _leave() -> None:
    for point in st.session_state["chart_leaving"].selection.points:
        if point.get("curve_number") == 0:
            st.session_state["leaver"] = int(point["point_index"]) + 1


def median(lesson: Lesson) -> Step:
    """2: pairwise estimates and their median while one person is moved."""
    mover = Mover("person", ten_people(), HOURS, SCORE)
    estimates = PairwiseEstimates(person_moved(lesson))
    text, table = median_text.step_text(estimates), partial(tables.pairs_table, estimates)

    def picture() -> None:
        moved, (left, right) = estimates.moved, st.columns(2)
        with left:
            scatter = moved_scatter(moved, HOURS, SCORE, (POINT,))
            told = moved_sentence(moved, POINT, HOURS, SCORE)
            select = {"on_select": lambda: mover.clicked("chart_person"), "selection_mode": "points"}
            show.picture(scatter, told, "person", told=False, **select)
        with right:
            show.picture(histogram(estimates), text.picture, "pairs", told=False)
        with st.expander("The numbers in these pictures"):
            show.numbers(table(), "pairs")

    return Step(text, picture, lambda: _mover(mover), lambda: median_text.answer(estimates), table)


def _mover(mover: Mover) -> None:
    mover.choice("Person")
    mover.sliders()
    mover.put_back()


def noise(lesson: Lesson) -> Step:
    """3: private lines."""
    measured = runs.errors_of(lesson)
    text = error_text.lines_text(lesson, measured)

    def picture() -> None:
        lines = runs.private_lines_of(lesson)
        narrow = on_a_phone()
        figure = charts.spaghetti(errors.class_of(lesson), lines, HOURS, SCORE, columns=1 if narrow else 3)
        if not narrow:
            figure.update_layout(height=HEIGHT, margin_t=10, margin_b=60)
            figure.update_annotations(font_size=18)
        show.chart(figure, text.picture, tables.lines_table(lines), "noise", SEEDED, told=False)
        st.caption(f"{ABOUT_ALGORITHMS} {WHY_THESE}")

    def table() -> pd.DataFrame:
        return tables.lines_table(runs.private_lines_of(lesson))

    return Step(text, picture, lambda: _epsilon(lesson), lambda: error_text.lines_answer(measured), table)


def promise(lesson: Lesson) -> Step:
    """4: what epsilon promises."""
    moved, change = odds.somebody_moved(lesson), odds.change(lesson)
    text, rows = odds_text.step_text(moved, change), change.odds(SCORES)
    table = partial(odds.odds_table, rows, SCORE)
    mover = Mover("person", ten_people(), HOURS, SCORE, odds.UNMOVED)

    def picture() -> None:
        show.chart(odds_chart(change, rows, SCORE), text.picture, table(), "odds", told=False)

    def control() -> None:
        _epsilon(lesson)
        with st.expander("Move the person"):
            mover.choice("Person")
            mover.sliders()

    return Step(text, picture, control, lambda: odds_text.answer(change), table)


def hiding(lesson: Lesson) -> Step:
    """5: the error beside the sampling error, in the median of many classes."""
    measured = errors.median_class(lesson)
    text, table = error_text.sizes_text(lesson, measured), partial(tables.errors_table, measured)

    def picture() -> None:
        show.chart(error_bars(measured), text.picture, table(), "sizes", told=False)
        st.caption(error_text.BARS)

    def control() -> None:
        stop_choice("students", "Students", SIZES, lambda size: f"{size:,}")

    return Step(text, picture, control, lambda: error_text.sizes_answer(errors.over_sizes(lesson), lesson), table)


def choice(lesson: Lesson) -> Step:
    """6: which algorithm, and why."""
    text, everywhere = error_text.choice_text(lesson, errors.median_class(lesson)), errors.over_scatters(lesson)
    table = partial(tables.errors_table, everywhere)

    def picture() -> None:
        figure = over_scatter(everywhere, lesson.scatter, runs.room())
        show.chart(figure, text.picture, table(), "choice", told=False)

    def control() -> None:
        stop_choice("scatter", "Scatter of the scores, points", SCATTERS, lambda scatter: f"{scatter:g}")

    return Step(text, picture, control, lambda: error_text.choice_answer(everywhere, lesson), table)


def _epsilon(lesson: Lesson) -> None:
    stop_choice("class_epsilon", "Privacy budget ε", EPSILONS, lambda epsilon: f"{epsilon:g}")


STEPS: tuple[Callable[[Lesson], Step], ...] = (leaving, median, noise, promise, hiding, choice)
