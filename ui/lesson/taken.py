"""What is taken away from a step of the lesson."""

from __future__ import annotations

from functools import partial
from urllib.parse import urlencode

from dpslr_core.experiments.lesson.settings import Lesson
from dpslr_core.report.metadata import lesson_metadata
from dpslr_core.report.scripts import lesson_script

from ..takeaway import saved_as
from ..takeaway.panel import Shown, drawn, take_away
from .steps import Step


def declare(lesson: Lesson) -> None:
    """What the tables below say of themselves."""
    saved_as.declare(lesson_metadata(lesson), urlencode(lesson.to_query()))


def take_step_away(lesson: Lesson, step: Step) -> None:
    """The table, the picture and the script of the step that is shown."""

    def picture() -> bytes:
        from dpslr_core.charts.lesson.saved import saved_picture

        return drawn(saved_picture(lesson, step.table()), step.text.picture)

    take_away(Shown(
        page="lesson", name=f"lesson_{lesson.step}", scenario=None, query=urlencode(lesson.to_query()),
        table=step.table(), script=partial(lesson_script, lesson), picture=picture,
    ))  # fmt: skip
