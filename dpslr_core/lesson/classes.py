"""Errors of the lesson's three algorithms in one simulated class, and their medians over many classes.

The medians take minutes to compute and come with the project as a stored table, which the last two steps show.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from ..dataset import Dataset
from ..mechanisms.base import Mechanism
from ..sources.samples import stored_file
from ..sources.stored import read_stored, write_stored
from ..support.workers import in_order
from .settings import ALGORITHMS, AT, POINT, SCATTERS, SIZES, TABLED, Lesson, students

COLUMNS = ["algorithm", "c68", "standard_error", "ratio", "noise", "gap"]
CLASSES = 25  # in the stored table, so that its quartiles are classes
STORED = stored_file("lesson.json")
# Over the classes: median and quartiles of the error, medians of the rest, and the share below the sampling error.
STORED_COLUMNS = ["class_epsilon", "scatter", "students", "algorithm", "c68", "c68_low", "c68_high", "standard_error",
                  "ratio", "noise", "gap", "below"]  # fmt: skip


def class_errors(data: Dataset, epsilon: float, mechanisms: Sequence[Mechanism] = ALGORITHMS) -> pd.DataFrame:
    """Errors at 15 hours in one class, read off the exact output distributions.

    Returns
    -------
    DataFrame
        COLUMNS for each mechanism, in the unit square. c68: the 68% error about OLS. noise: the 68% error about
        the algorithm's own target. gap: the distance of that target from OLS.
    """
    center, error = float(data.predict(POINT)[0]), float(data.standard_error(POINT)[0])
    rows = []
    for mechanism in mechanisms:
        law, target = mechanism.law(data, epsilon, AT)[0], float(mechanism.target(data, AT)[0])
        assert law is not None  # up to MOST records all three are exact
        c68 = law.error_bound(68, center)
        rows.append((mechanism.name, c68, error, c68 / error, law.error_bound(68, target), abs(target - center)))
    return pd.DataFrame(rows, columns=COLUMNS)


def errors_in_classes(scatter: float, size: int, classes: int = CLASSES) -> pd.DataFrame:
    """Medians over simulated classes of one size: STORED_COLUMNS for each of TABLED and each algorithm.

    scatter: of the scores about the line, in points. Errors in the unit square.
    """
    every = [students(size, scatter, number) for number in range(classes)]
    measured = pd.concat(
        [class_errors(data, epsilon).assign(class_epsilon=epsilon) for data in every for epsilon in TABLED]
    )
    rows = []
    for (epsilon, name), errors in measured.groupby(["class_epsilon", "algorithm"], sort=False):
        low, middle, high = np.quantile(errors["c68"], [0.25, 0.5, 0.75], method="inverted_cdf")
        # A median is infinite where half of the values or more are.
        others = np.quantile(errors[["standard_error", "ratio", "noise", "gap"]], 0.5, axis=0, method="inverted_cdf")
        below = float((errors["ratio"] < 1).mean())
        rows.append((epsilon, scatter, size, name, middle, low, high, *others, below))
    return pd.DataFrame(rows, columns=STORED_COLUMNS)


def many_classes(workers: int | str = 1) -> Iterator[pd.DataFrame]:
    """errors_in_classes for every scatter and size of the lesson; takes minutes."""
    return in_order(_of_one_kind, list(product(SCATTERS, SIZES)), workers)


def _of_one_kind(kind: tuple[float, int]) -> pd.DataFrame:
    return errors_in_classes(*kind)


def save(table: pd.DataFrame, path: Path = STORED) -> None:
    """Write the table of many_classes, numbers to four digits; Unwritable where the file cannot be written."""
    numbers = table[STORED_COLUMNS].map(lambda value: float(f"{value:.4g}") if isinstance(value, float) else value)
    write_stored(json.dumps({"classes": CLASSES, **numbers.to_dict("list")}), path)


def load(path: Path = STORED) -> pd.DataFrame:
    """The stored table of many_classes; Damaged, a ValueError, where the file is missing or holds no such table."""
    return read_stored(path, lambda stored: pd.DataFrame(stored)[STORED_COLUMNS], "errors", "dpslr lesson-classes")


@cache
def _stored() -> pd.DataFrame:
    return load()


def median_class(lesson: Lesson, over: str = "") -> pd.DataFrame:
    """STORED_COLUMNS of the median class of the lesson's budget, scatter and size: one row for each algorithm.

    over: "scatter" or "students", for the median classes of all scatters or sizes in place of the lesson's.
    """
    table = _stored()
    chosen = {"class_epsilon": lesson.tabled_epsilon, "scatter": lesson.scatter, "students": lesson.students}
    fixed = [table[name] == value for name, value in chosen.items() if name != over]
    return table[np.logical_and.reduce(fixed)].reset_index(drop=True)
