"""Sheets of the lesson to print: all steps as one page of HTML."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..charts.curves import Room
from ..charts.vega import svg_element, with_text_of
from ..lesson.guesses import guess_of
from ..lesson.pictures import step_picture
from ..lesson.settings import STEPS, Lesson
from ..lesson.text import TITLES, step_text
from ..support.readable import legible
from .document import environment

PAPER = 640  # pixels of a picture's width
PRINTED = 20  # pixels of type in pictures, which are printed at half their size
ABOUT = {
    False: "Write down a guess before you see the answer. Everything is invented or simulated.",
    True: "For the teacher: the answers are computed for the settings of the link.",
}


def sheet(lesson: Lesson, link: str, solved: bool, code: str = "") -> str:
    """Make a page of HTML to print, with all steps in the state of `lesson`.

    Parameters
    ----------
    lesson : Lesson
        Settings of the steps.
    link : str
        Link of the lesson.
    solved : bool
        Whether to print the answers, also in the pictures.
    code : str
        Address of a picture of the link, such as a QR code.

    Raises
    ------
    Damaged
        If the stored errors of classes cannot be read.
    """
    from markupsafe import Markup

    def steps() -> Iterator[dict[str, Any]]:
        for step, title in zip(STEPS, TITLES, strict=True):
            at_step = replace(lesson, step=step)
            words = step_text(at_step)
            drawn = svg_element(
                with_text_of(
                    step_picture(at_step, solved, room=Room(text_size=PRINTED / 12)), PRINTED
                ),
                words.picture,
                PAPER,
                f"step step-{step}",
            )
            yield {
                "title": title,
                "words": words,
                "picture": Markup(drawn),
                "guess": guess_of(at_step),
            }

    def escaped(text: Any) -> Markup:
        return text if isinstance(text, Markup) else Markup(html.escape(legible(str(text))))

    template = environment(autoescape=True, finalize=escaped).get_template("lesson_sheet.html.j2")
    title = "One line, ten people: solutions" if solved else "One line, ten people"
    return template.render(
        title=title, about=ABOUT[solved], link=link, code=code, steps=list(steps()), solved=solved
    )
