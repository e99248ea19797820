"""Lesson: six steps for a class, each one thing to move and one question."""

import streamlit as st

from ui.lesson import frame, steps, taken
from ui.lesson.link import lesson_now
from ui.page import answer, begin

begin("Lesson", shown=True, settings="none")
lesson = lesson_now()
frame.step_row(lesson)
taken.declare(lesson)
step = steps.STEPS[lesson.step - 1](lesson)
answer(step.text.headline, step.text.context)
told = st.container()
picture, side = st.columns([3, 1])
with picture:
    step.picture()
with side:
    step.control()
    frame.question(step, lesson.step, told)
taken.take_step_away(lesson, step)
