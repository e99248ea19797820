"""Errors of the lesson's three algorithms in one simulated class, and their medians over many classes.

The medians take minutes to compute and come with the project as a stored table, which the last two steps show.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from ..dataset import Dataset
from ..mechanisms.base import Mechanism
from ..sources.samples import stored_file
from ..sources.stored import read_tables
from .settings import ALGORITHMS, AT, POINT, Lesson

COLUMNS = ["algorithm", "c68", "standard_error", "ratio", "noise", "gap"]
CLASSES = 25  # number of simulated classes; the quartiles of 25 are errors of a class
STORED = stored_file("lesson.json")
# Median and quartiles over the classes of the error, medians of the rest, and the share of classes whose error is
# below the sampling error.
STORED_COLUMNS = [
    "class_epsilon",
    "scatter",
    "students",
    "algorithm",
    "c68",
    "c68_low",
    "c68_high",
    "standard_error",
    "ratio",
    "noise",
    "gap",
    "below",
]


def class_errors(
    data: Dataset, epsilon: float, mechanisms: Sequence[Mechanism] = ALGORITHMS
) -> pd.DataFrame:
    """Compute errors at 15 hours in one class from the exact output distributions, a row for each mechanism.

    Parameters
    ----------
    data : Dataset
        The class; at most MOST students, so that all laws are exact.
    epsilon : float
        Budget of a release at both points of AT.
    mechanisms : sequence of Mechanism
        Algorithms to compare.

    Returns
    -------
    DataFrame
        COLUMNS, in the unit square: ``c68`` is the 68% error about OLS, ``noise`` the 68% error about the algorithm's
        own target, ``gap`` the distance of the target from OLS, ``ratio`` c68 over the standard error.
    """
    center, error = float(data.predict(POINT)[0]), float(data.standard_error(POINT)[0])
    rows = []
    for mechanism in mechanisms:
        law, target = mechanism.law(data, epsilon, AT)[0], float(mechanism.target(data, AT)[0])
        assert law is not None  # up to MOST records all three are exact
        c68 = law.error_bound(68, center)
        rows.append(
            (
                mechanism.name,
                c68,
                error,
                c68 / error,
                law.error_bound(68, target),
                abs(target - center),
            )
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def load(path: Path = STORED) -> pd.DataFrame:
    """Read the stored medians over classes, with STORED_COLUMNS.

    Raises
    ------
    Damaged
        A ValueError: the file is missing or holds no such table.
    """
    columns = {"classes": STORED_COLUMNS}
    return read_tables(path, columns, "errors", "python -m benchmarks lesson_classes --save")[
        "classes"
    ]


@cache
def _stored() -> pd.DataFrame:
    return load()


def median_class(lesson: Lesson, over: str = "") -> pd.DataFrame:
    """Return STORED_COLUMNS of the median class of the lesson's budget, scatter and size: one row for each algorithm.

    Parameters
    ----------
    lesson : Lesson
        Settings of the class.
    over : str
        "scatter" or "students": the median classes of all scatters or sizes are returned, not the lesson's alone.
    """
    table = _stored()
    chosen = {
        "class_epsilon": lesson.tabled_epsilon,
        "scatter": lesson.scatter,
        "students": lesson.students,
    }
    fixed = [table[name] == value for name, value in chosen.items() if name != over]
    return table[np.logical_and.reduce(fixed)].reset_index(drop=True)
