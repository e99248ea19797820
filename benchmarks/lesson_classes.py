"""Errors of the lesson's algorithms over many simulated classes: ``python -m benchmarks lesson_classes``."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from dpslr_core.lesson.classes import CLASSES, STORED_COLUMNS, class_errors
from dpslr_core.lesson.classes import STORED as STORED
from dpslr_core.lesson.settings import SCATTERS, SIZES, TABLED, students
from dpslr_core.support.workers import in_order

ABOUT = {"digits": 4, "classes": CLASSES}


def made() -> dict[str, pd.DataFrame]:
    """Return the table that ``load`` of dpslr_core.lesson.classes reads."""
    frames = in_order(_of_one_kind, list(product(SCATTERS, SIZES)), -1)
    return {"classes": pd.concat(frames, ignore_index=True)}


def _of_one_kind(kind: tuple[float, int]) -> pd.DataFrame:
    return errors_in_classes(*kind)


def errors_in_classes(scatter: float, size: int, classes: int = CLASSES) -> pd.DataFrame:
    """Compute medians over simulated classes of one size: STORED_COLUMNS for each of TABLED and each algorithm.

    Errors are in the unit square; ``scatter`` is the deviation of scores about the line, in points.
    """
    every = [students(size, scatter, number) for number in range(classes)]
    measured = pd.concat(
        [
            class_errors(data, epsilon).assign(class_epsilon=epsilon)
            for data in every
            for epsilon in TABLED
        ]
    )
    rows = []
    for (epsilon, name), errors in measured.groupby(["class_epsilon", "algorithm"], sort=False):
        low, middle, high = np.quantile(errors["c68"], [0.25, 0.5, 0.75], method="inverted_cdf")
        # A median is infinite where half of the values or more are.
        medians = np.quantile(
            errors[["standard_error", "ratio", "noise", "gap"]], 0.5, axis=0, method="inverted_cdf"
        )
        below = float((errors["ratio"] < 1).mean())
        rows.append((epsilon, scatter, size, name, middle, low, high, *medians, below))
    return pd.DataFrame(rows, columns=STORED_COLUMNS)
