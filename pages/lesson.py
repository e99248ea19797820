"""Lesson: seven steps for a class, each one thing to move, one guess, and one thing to see."""

from ui.first import note_address

note_address()  # the other imports may take seconds

from functools import partial
from urllib.parse import urlencode

import streamlit as st

from dpslr_core.lesson import step_table
from dpslr_core.lesson.guesses import guess_of
from dpslr_core.lesson.pictures import step_picture
from dpslr_core.lesson.settings import STEPS
from dpslr_core.lesson.text import ABOUT_ALGORITHMS
from dpslr_core.report.metadata import lesson_metadata
from dpslr_core.report.scripts import lesson_script
from dpslr_core.sources.stored import Damaged
from dpslr_core.text.phrases import SEEDED
from ui import show, takeaway
from ui.ends import end_page
from ui.lesson import (
    STYLE,
    ask,
    control,
    draw,
    for_a_class,
    game,
    guessed,
    lesson_now,
    step_row,
    step_words,
    title,
    turns,
)
from ui.page import add_style, answer, begin
from ui.plain import plain
from ui.takeaway import drawn, take_away

NOTES = {
    "noise": (SEEDED,),
    "promise": (SEEDED,),
    "people": (ABOUT_ALGORITHMS,),
    "choice": (ABOUT_ALGORITHMS,),
}

begin(shown=True, settings="none")
add_style(STYLE)
lesson = lesson_now()
step_row(lesson)
takeaway.declare(lesson_metadata(lesson), urlencode(lesson.to_query()))
try:
    words, guess = step_words(lesson), guess_of(lesson)
except (
    Damaged
) as problem:  # raised by the stored errors of the last two steps; the other steps work
    st.warning(plain(problem))
    end_page()
answer(words.headline, crumb=f"step {lesson.number} of {len(STEPS)} · {title(lesson)}")
picture, side = st.columns([3, 1] if not st.context.is_embedded else [2, 1])
below = st.container(key="lesson_below")
with picture:
    draw(lesson, words.picture)
with side, st.container(key="lesson_side"):
    control(lesson)
    ask(lesson, guess, words, below)
    game(lesson)
if show.on_a_phone():
    turns(lesson)
    for_a_class(lesson)
st.caption(" ".join(map(plain, (words.context, *NOTES.get(lesson.step, ())))))
with st.expander("The numbers in this picture"):
    show.numbers(
        step_table(lesson), f"lesson_{lesson.step}", note=SEEDED if lesson.step == "noise" else ""
    )
take_away(
    page="lesson",
    name=f"lesson_{lesson.step}",
    query=urlencode(lesson.to_query()),
    table=step_table(lesson),
    script=partial(lesson_script, lesson),
    picture=lambda: drawn(step_picture(lesson, lesson.step in guessed()), words.picture),
)
