"""Lesson: six steps for a class, each one thing to move and one question."""

from ui.sessions import note_address

note_address()  # the other imports may take seconds

from functools import partial
from urllib.parse import urlencode

import streamlit as st

from dpslr_core.lesson.pictures import step_picture
from dpslr_core.report.metadata import lesson_metadata
from dpslr_core.report.scripts import lesson_script
from dpslr_core.sources.stored import Damaged
from ui import takeaway
from ui.lesson import lesson_now, step_of, step_row
from ui.page import answer, begin
from ui.plain import plain
from ui.private_names import end_page
from ui.takeaway import drawn, take_away

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
    st.markdown(f"**{plain(step.text.question)}**")
    if st.toggle("Show the answer", key=f"answer_{lesson.step}"):
        with answered.container(border=True):
            st.markdown(plain(step.text.answer))
take_away(
    page="lesson", name=f"lesson_{lesson.step}", query=urlencode(lesson.to_query()),
    table=step.table(), script=partial(lesson_script, lesson),
    picture=lambda: drawn(step_picture(lesson), step.text.picture),
)  # fmt: skip
