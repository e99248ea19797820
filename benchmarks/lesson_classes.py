"""Errors of the lesson's algorithms over many simulated classes: ``python -m benchmarks lesson_classes``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from dpslr_core.lesson.classes import CLASSES, STORED, STORED_COLUMNS, class_errors
from dpslr_core.lesson.settings import SCATTERS, SIZES, TABLED, students
from dpslr_core.sources.stored import write_tables
from dpslr_core.support.workers import in_order


def rows(saved: bool = False) -> Iterator[str]:
    """The median error of each algorithm over the classes of each scatter and size; saved: also as a table."""
    tables = []
    for table in in_order(_of_one_kind, list(product(SCATTERS, SIZES)), -1):
        tables.append(table)
        scatter, size = table.loc[0, ["scatter", "students"]]
        medians = table.pivot(index="algorithm", columns="class_epsilon", values="c68")
        yield f"{size:,} students, scatter {scatter:g}\n{medians.to_string(float_format='{:.3g}'.format)}\n"
    if saved:
        save(pd.concat(tables, ignore_index=True), STORED)


def errors_in_classes(scatter: float, size: int, classes: int = CLASSES) -> pd.DataFrame:
    """Medians over simulated classes of one size: STORED_COLUMNS for each of TABLED and each algorithm.

    scatter: of the scores about the line, in points. Errors in the unit square.
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
        others = np.quantile(
            errors[["standard_error", "ratio", "noise", "gap"]], 0.5, axis=0, method="inverted_cdf"
        )
        below = float((errors["ratio"] < 1).mean())
        rows.append((epsilon, scatter, size, name, middle, low, high, *others, below))
    return pd.DataFrame(rows, columns=STORED_COLUMNS)


def _of_one_kind(kind: tuple[float, int]) -> pd.DataFrame:
    return errors_in_classes(*kind)


def save(table: pd.DataFrame, path: Path) -> None:
    """Write a table for load of dpslr_core.lesson.classes."""
    write_tables({"classes": table[STORED_COLUMNS]}, path, 4, classes=CLASSES)
