"""The row that leads through the steps, the question with its answer, and the links for a class."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpslr_core.experiments.lesson.settings import STEPS, Lesson
from dpslr_core.text.lesson.words import TITLES

from ..inputs.link_value import SharedWidget
from ..links import same_tab
from ..plain import plain
from .link import choose, go_to
from .steps import Step

THEMES = {"light": "light_theme", "dark": "dark_theme"}  # names, and what Streamlit calls them in the address


def step_row(lesson: Lesson) -> None:
    """Back, next, and the steps."""
    widget = SharedWidget("step_choice")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button("◀ Back", key="step_back", disabled=lesson.step == 1, on_click=go_to, args=(lesson.step - 1,))
        st.button("Next ▶", key="step_next", disabled=lesson.step == STEPS, on_click=go_to, args=(lesson.step + 1,))
        st.segmented_control(
            "Step", range(1, STEPS + 1), key=widget.key(lesson.step), on_change=choose, args=("step", widget),
            required=True, format_func=lambda step: f"{step} {TITLES[step - 1]}", label_visibility="collapsed",
        )  # fmt: skip
        with st.popover("Show to a class", type="tertiary"):
            for_a_class(lesson)


def question(step: Step, number: int, place: DeltaGenerator) -> None:
    """The question; its answer stays hidden until it is asked for, and then stands in its place."""
    st.markdown(f"**{plain(step.text.question)}**")
    if st.toggle("Show the answer", key=f"answer_{number}"):
        with place.container(border=True):
            st.markdown(plain(step.answer()))


def for_a_class(lesson: Lesson) -> None:
    """The link that shows everybody the same numbers, and the view without menus, in light and in dark."""
    query = lesson.to_query()
    st.markdown("Whoever opens this link sees the same numbers:")
    here = (st.context.url or "/lesson").partition("?")[0]  # as the browser knows it, below any base path
    st.code(here + (f"?{urlencode(query)}" if query else ""), language=None)
    st.markdown("The view without menus, for a projector:")
    for name, theme in THEMES.items():
        link = same_tab("lesson", query | {"embed": "true", "embed_options": theme}, f"Presenter view, {name}")
        st.markdown(link, unsafe_allow_html=True)
    if st.context.is_embedded:
        st.markdown(same_tab("lesson", query, "Leave the presenter view"), unsafe_allow_html=True)
