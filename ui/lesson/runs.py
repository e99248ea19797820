"""The numbers of step 3, kept for all sessions: they hold no data of anybody's."""

from __future__ import annotations

import pandas as pd

from dpslr_core.charts.labels import Room
from dpslr_core.experiments.lesson import errors
from dpslr_core.experiments.lesson.settings import Lesson

from ..cache import kept
from ..compare.picture import on_a_phone

_SPINNER = "Computing the output distributions …"  # seconds for a large class at a small ε, once for all sessions
_TEXT = 1.25  # of the style of pages that are shown to a class


def room() -> Room:
    """What charts need to know of the screen."""
    return Room(on_a_phone(), _TEXT)


def errors_of(lesson: Lesson) -> pd.DataFrame:
    """errors.errors_of."""
    return _errors_of(_measured(lesson))


def private_lines_of(lesson: Lesson) -> pd.DataFrame:
    """errors.private_lines_of."""
    return _private_lines_of(_measured(lesson))


def _measured(lesson: Lesson) -> Lesson:
    """What errors depend on alone."""
    return Lesson(class_epsilon=lesson.class_epsilon, students=lesson.students, scatter=lesson.scatter)


_errors_of = kept(64, scope="global", spinner=_SPINNER)(errors.errors_of)
_private_lines_of = kept(64, scope="global", spinner=_SPINNER)(errors.private_lines_of)
