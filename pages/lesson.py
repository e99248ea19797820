"""Lesson: six steps for a class, each one thing to move and one question."""

from ui.sessions.opened import note_address

note_address()  # the other imports may take seconds

import streamlit as st

from dpslr_core.sources.files.stored import Damaged
from ui.lesson import frame, steps, taken
from ui.lesson.link import lesson_now
from ui.page import answer, begin
from ui.plain import plain
from ui.work.run import end_page

begin("Lesson", shown=True, settings="none")
lesson = lesson_now()
frame.step_row(lesson)
taken.declare(lesson)
try:
    step = steps.STEPS[lesson.step - 1](lesson)
except Damaged as problem:  # the stored errors of steps 5 and 6; the other steps work
    st.warning(plain(problem))
    end_page()
answer(step.text.headline, step.text.context)
told = st.container()
picture, side = st.columns([3, 1])
with picture:
    step.picture()
with side:
    step.control()
    frame.question(step, lesson.step, told)
taken.take_step_away(lesson, step)
