"""Released lines of two algorithms on the same people, for budgets and numbers of people: the pictures of Start."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from ..dataset import Dataset
from ..mechanisms import DeepestLine, NoisyStats
from ..mechanisms.base import Mechanism
from ..sources.choices import Synthetic
from ..sources.samples import stored_file
from ..sources.stored import read_tables

PEOPLE = tuple(range(50, 501, 50))
EPSILONS = tuple(round(0.2 * number, 1) for number in range(1, 26))
USUAL = {"epsilon": 2.0, "people": 250}  # at first, as on the other pages
BEST, SIMPLEST = ALGORITHMS = (DeepestLine(), NoisyStats())
AT = (0.25, 0.75)  # a line is released by its heights at both
LINES, SEED = 6, 0
KEYS = ["n", "epsilon", "algorithm"]
COLUMNS = {"errors": [*KEYS, "ratio"], "lines": [*KEYS, "quarter", "three_quarters"]}
STORED = stored_file("start.json")


def people(n: int) -> Dataset:
    """Simulate n people as the other pages do by default."""
    return Synthetic(n=n).load().dataset()


def measured(n: int, mechanism: Mechanism) -> dict[str, pd.DataFrame]:
    """Measure an algorithm on n people at each of EPSILONS: the tables "errors" and "lines" with their COLUMNS.

    Errors have the ratio of the 68% error at x = 0.25 to the standard error there. Lines have the heights of LINES
    releases at both points of AT, NaN where a release has no line.
    """
    data = people(n)
    center, standard_error = float(data.predict(AT)[0]), float(data.standard_error(AT)[0])
    errors, lines = [], []
    for epsilon in EPSILONS:
        keys = (n, epsilon, mechanism.name)
        law = mechanism.law(data, epsilon, AT)[0]
        assert law is not None  # of so few people both are exact
        errors.append((*keys, law.error_bound(68, center) / standard_error))
        released = mechanism.release(data, epsilon, AT, LINES, rng=np.random.default_rng(SEED))
        lines += [(*keys, *heights) for heights in released.tolist()]
    rows = {"errors": errors, "lines": lines}
    return {name: pd.DataFrame(rows[name], columns=columns) for name, columns in COLUMNS.items()}


def load(path: Path = STORED) -> dict[str, pd.DataFrame]:
    """Read the stored tables of COLUMNS; Damaged, a ValueError, where the file is missing or holds no such tables."""
    return read_tables(path, COLUMNS, "lines", "python -m benchmarks start --save")
