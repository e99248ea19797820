"""Released lines of two algorithms on the same people, for budgets and numbers of people: the pictures of Start."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ..dataset import Dataset
from ..mechanisms import DeepestLine, NoisyStats
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


def load(path: Path = STORED) -> dict[str, pd.DataFrame]:
    """Read the stored tables of COLUMNS; Damaged, a ValueError, where the file is missing or holds no such tables."""
    return read_tables(path, COLUMNS, "lines", "python -m benchmarks start --save")
