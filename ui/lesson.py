"""The Lesson page: its values in the link, the row of steps, each step with its picture and control, and its files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from dpslr_core import charts
from dpslr_core.charts.curves import Room
from dpslr_core.charts.privacy import odds_chart
from dpslr_core.charts.records import moved_scatter
from dpslr_core.lesson import classes, pictures, settings, steps, text
from dpslr_core.lesson.settings import HOURS, POINT, SCORE, STEPS, TEN, Lesson
from dpslr_core.text.data import moved_sentence
from dpslr_core.text.phrases import SEEDED

from . import show
from .cache import kept
from .inputs import ends, set_to
from .link import LinkValue, SharedWidget, same_tab
from .moved import Mover
from .show import on_a_phone

LINKED = {
    f.name: LinkValue(f.name, partial(settings.read, f.name), partial(settings.written, f.name)) for f in fields(Lesson)
}
THEMES = {"light": "light_theme", "dark": "dark_theme"}  # names, and what Streamlit calls them in the address
PANEL = 360  # pixels of a panel of private lines
_TEXT = 1.25  # size of text in the style of pages that are shown to a class
# Seconds for a large class at a small ε, once for all sessions: no data of anybody's go in.
_for_all_sessions = kept(64, scope="global", spinner="Computing the output distributions …")
_class_errors = _for_all_sessions(classes.class_errors)
_class_lines = _for_all_sessions(classes.class_lines)


def lesson_now() -> Lesson:
    """The lesson of the link and the controls; the link is brought up to date."""
    lesson = Lesson(**{name: linked.take() for name, linked in LINKED.items()})
    for linked in LINKED.values():
        linked.put()
    return lesson


def _choose(name: str, widget: SharedWidget) -> None:
    """Take the value of a widget as a setting's; where nothing is chosen the setting stays."""
    chosen = widget.chosen()
    if chosen is not None:
        st.session_state[name] = chosen


def step_row(lesson: Lesson) -> None:
    """Back, next, the steps, and the links for a class."""
    widget = SharedWidget("step_choice")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button("◀ Back", key="step_back", disabled=lesson.step == 1, on_click=set_to, args=("step", lesson.step - 1))
        st.button(
            "Next ▶", key="step_next", disabled=lesson.step == STEPS, on_click=set_to, args=("step", lesson.step + 1)
        )
        st.segmented_control(
            "Step", range(1, STEPS + 1), key=widget.key(lesson.step), on_change=_choose, args=("step", widget),
            required=True, format_func=lambda step: f"{step} {text.TITLES[step - 1]}", label_visibility="collapsed",
        )  # fmt: skip
        with st.popover("Show to a class", type="tertiary"):
            query = lesson.to_query()
            st.markdown("Whoever opens this link sees the same numbers:")
            here = (st.context.url or "/lesson").partition("?")[0]  # as the browser knows it, below any base path
            st.code(here + (f"?{urlencode(query)}" if query else ""), language=None)
            st.markdown("The view without menus, for a projector:")
            for name, theme in THEMES.items():
                shown = query | {"embed": "true", "embed_options": theme}
                link = same_tab("lesson", shown, f"Presenter view, {name}")
                st.markdown(link, unsafe_allow_html=True)
            if st.context.is_embedded:
                st.markdown(same_tab("lesson", query, "Leave the presenter view"), unsafe_allow_html=True)


@dataclass(frozen=True)
class Step:
    """Parts of one step on the page. table: the numbers of the picture."""

    text: text.StepText
    picture: Callable[[], None]
    control: Callable[[], None]
    table: Callable[[], pd.DataFrame]


def step_of(lesson: Lesson) -> Step:
    """The lesson's step; Damaged where it needs the stored errors of many classes and they cannot be read."""
    return (_leaving, _median, _noise, _promise, _hiding, _choice)[lesson.step - 1](lesson)


def _leaving(lesson: Lesson) -> Step:
    """1: a line from ten people, and one who leaves."""
    words, table = text.leaving_text(lesson.leaver), steps.leaving_table

    def picture() -> None:
        drawn = pictures.people_with_lines(lesson.leaver)
        show.chart(drawn, words.picture, table(), "leaving", told=False, on_select=_leave)

    def control() -> None:
        _stops("leaver", "Who leaves?", range(len(TEN) + 1), lambda person: f"person {person}" if person else "nobody")
        st.caption("Or click on a person in the picture.")

    return Step(words, picture, control, table)


def _leave() -> None:
    for chosen in st.session_state["chart_leaving"].selection[pictures.LEAVER]:
        st.session_state["leaver"] = int(chosen["person"])


def _median(lesson: Lesson) -> Step:
    """2: pairwise estimates and their median while one person is moved."""
    mover = Mover("person", settings.ten_people(), HOURS, SCORE)
    moved = steps.person_moved(lesson)
    words, table = text.median_text(moved), partial(steps.pairs_table, moved)

    def picture() -> None:
        left, right = st.columns(2)
        with left:
            show.picture(
                moved_scatter(moved, HOURS, SCORE, (POINT,)), moved_sentence(moved, POINT, HOURS, SCORE), "person",
                told=False, on_select=partial(mover.clicked, "chart_person"), selection_mode="points",
            )  # fmt: skip
        with right:
            show.picture(pictures.histogram(moved), words.picture, "pairs", told=False)
        with st.expander("The numbers in these pictures"):
            show.numbers(table(), "pairs")

    def control() -> None:
        mover.choice("Person")
        mover.sliders()
        mover.put_back()

    return Step(words, picture, control, table)


def _noise(lesson: Lesson) -> Step:
    """3: private lines in one class."""
    data = settings.class_of(lesson)
    errors = _class_errors(data, lesson.class_epsilon)
    words = text.lines_text(lesson, errors)

    def picture() -> None:
        narrow = on_a_phone()
        lines = _class_lines(data, lesson.class_epsilon)
        panels = charts.spaghetti(data, lines, HOURS, SCORE, height=PANEL)
        show.panels(panels, words.picture, "noise", 1 if narrow else 3)
        st.caption(SEEDED)
        with st.expander("The numbers in these pictures"):
            show.numbers(table(), "noise", note=SEEDED)
        st.caption(f"{text.ABOUT_ALGORITHMS} {text.WHY_THESE}")

    def table() -> pd.DataFrame:
        return steps.lines_table(_class_lines(data, lesson.class_epsilon))

    return Step(words, picture, _epsilon, table)


def _promise(lesson: Lesson) -> Step:
    """4: the privacy loss that epsilon allows."""
    change = steps.change_of(lesson)
    words, odds = text.odds_text(steps.somebody_moved(lesson), change), steps.odds_table(change)
    mover = Mover("person", settings.ten_people(), HOURS, SCORE, steps.UNMOVED)

    def picture() -> None:
        show.chart(odds_chart(change, odds, SCORE), words.picture, odds, "odds", told=False)

    def control() -> None:
        _epsilon()
        with st.expander("Move the person"):
            mover.choice("Person")
            mover.sliders()

    return Step(words, picture, control, lambda: odds)


def _hiding(lesson: Lesson) -> Step:
    """5: the error beside the sampling error, in the median of many classes."""
    errors = classes.median_class(lesson)
    words = text.sizes_text(lesson, classes.median_class(lesson, over="students"))
    table = partial(steps.errors_table, errors)

    def picture() -> None:
        show.chart(pictures.error_bars(errors), words.picture, table(), "sizes", told=False)
        st.caption(text.BARS)

    control = partial(_stops, "students", "Students", settings.SIZES, "{:,}".format)
    return Step(words, picture, control, table)


def _choice(lesson: Lesson) -> Step:
    """6: which algorithm, and why."""
    errors = classes.median_class(lesson, over="scatter")
    words, table = text.choice_text(lesson, errors), partial(steps.errors_table, errors)

    def picture() -> None:
        figure = pictures.ratio_curves(errors, lesson.scatter, Room(on_a_phone(), _TEXT))
        show.chart(figure, words.picture, table(), "choice", told=False)

    control = partial(_stops, "scatter", "Scatter of the scores, points", settings.SCATTERS, "{:g}".format)
    return Step(words, picture, control, table)


def _epsilon() -> None:
    _stops("class_epsilon", "Privacy budget ε", settings.EPSILONS, "{:g}".format)
    ends("← more private", "more accurate →")


def _stops(name: str, label: str, stops: Sequence[float], words: Callable[[float], str]) -> None:
    """A slider over the stops of one setting."""
    widget = SharedWidget(f"{name}_choice")
    key = widget.key(st.session_state[name])
    st.select_slider(label, stops, key=key, format_func=words, on_change=_choose, args=(name, widget))
