"""The lesson's values in the session and in the link, so that a class sees the same numbers."""

from __future__ import annotations

from dataclasses import fields
from functools import partial

import streamlit as st

from dpslr_core.experiments.lesson.settings import Lesson, read, written

from ..inputs.link_value import LinkValue, SharedWidget

LINKED = {f.name: LinkValue(f.name, partial(read, f.name), partial(written, f.name)) for f in fields(Lesson)}


def lesson_now() -> Lesson:
    """What the link and the controls say; the link is brought up to date."""
    lesson = Lesson(**{name: linked.take() for name, linked in LINKED.items()})
    for linked in LINKED.values():
        linked.put()
    return lesson


def choose(name: str, widget: SharedWidget) -> None:
    """Take the value of a widget as a setting's; where nothing is chosen the setting stays."""
    chosen = widget.chosen()
    if chosen is not None:
        st.session_state[name] = chosen


def go_to(step: int) -> None:
    """Turn to a step."""
    st.session_state["step"] = step
