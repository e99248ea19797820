"""Lesson: six steps for a class, each one thing to move and one question."""

from ui.sessions import note_address

note_address()  # the other imports may take seconds

from urllib.parse import urlencode

import streamlit as st

from dpslr_core.report.metadata import lesson_metadata
from dpslr_core.sources.stored import Damaged
from ui import takeaway
from ui.lesson import lesson_now, question, step_of, step_row, take_step_away
from ui.page import answer, begin
from ui.plain import plain
from ui.private_names import end_page

begin("Lesson", shown=True, settings="none")
lesson = lesson_now()
step_row(lesson)
takeaway.declare(lesson_metadata(lesson), urlencode(lesson.to_query()))
try:
    step = step_of(lesson)
except Damaged as problem:  # the stored errors of steps 5 and 6; the other steps work
    st.warning(plain(problem))
    end_page()
answer(step.text.headline, step.text.context)
answered = st.container()
picture, side = st.columns([3, 1])
with picture:
    step.picture()
with side:
    step.control()
    question(step, lesson.step, answered)
take_step_away(lesson, step)
