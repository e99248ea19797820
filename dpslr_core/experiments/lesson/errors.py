"""Steps 3, 5 and 6: the noise of three algorithms in a class, beside its sampling error."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from ...dataset import Dataset
from ..comparison import Comparison, compare
from ..curves import private_lines
from .people import ALGORITHMS, AT, POINT, students
from .settings import SCATTERS, SIZES, Lesson

LINES = 20  # private lines that are drawn of each algorithm
COLUMNS = ["algorithm", "c68", "standard_error", "ratio"]


def class_of(lesson: Lesson) -> Dataset:
    """The class of the lesson."""
    return students(lesson.students, lesson.scatter)


def private_lines_of(lesson: Lesson) -> pd.DataFrame:
    """Twenty releases of each algorithm, as private_lines."""
    released: Comparison = compare(class_of(lesson), ALGORITHMS, lesson.class_epsilon, AT, trials=LINES)
    return private_lines(released, 0, LINES)


def errors_of(lesson: Lesson) -> pd.DataFrame:
    """algorithm, c68, standard_error, ratio at 15 hours, in the unit square, in the order of ALGORITHMS.

    Read off the exact output distributions.
    """
    data = class_of(lesson)
    center, error = float(data.predict(POINT)[0]), float(data.standard_error(POINT)[0])
    rows = []
    for mechanism in ALGORITHMS:
        law = mechanism.law(data, lesson.class_epsilon, AT)[0]
        assert law is not None  # up to MOST records all three are exact
        c68 = law.error_bound(68, center)
        rows.append((mechanism.name, c68, error, c68 / error))
    return pd.DataFrame(rows, columns=COLUMNS)


def errors_over(name: str, lessons: Iterable[Lesson]) -> pd.DataFrame:
    """errors_of several lessons, with the value of the setting of this name in front."""
    return pd.concat([errors_of(each).assign(**{name: getattr(each, name)}) for each in lessons], ignore_index=True)


def over_sizes(lesson: Lesson) -> pd.DataFrame:
    """errors_of the lesson for each size of the class, with a column students."""
    return errors_over("students", [_with(lesson, students=size) for size in SIZES])


def over_scatters(lesson: Lesson) -> pd.DataFrame:
    """errors_of the lesson for each scatter of the scores, with a column scatter."""
    return errors_over("scatter", [_with(lesson, scatter=scatter) for scatter in SCATTERS])


def _with(lesson: Lesson, students: int | None = None, scatter: float | None = None) -> Lesson:
    """What errors depend on alone, with another size or scatter."""
    return Lesson(
        class_epsilon=lesson.class_epsilon,
        students=students or lesson.students,
        scatter=scatter or lesson.scatter,
    )
