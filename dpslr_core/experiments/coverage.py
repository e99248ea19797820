"""Coverage of intervals, as counted on simulated data sets and stored, and exact limits of counted shares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import gammaln

from ..audit.scores import clopper_pearson
from ..sources.samples import stored_file
from ..sources.stored import read_tables
from ..support.types import Floats, Integers

STORED = stored_file("coverage.json")
CERTAINTY = 0.95
COLUMNS = (
    "setting",
    "epsilon",
    "algorithm",
    "method",
    "target",
    "held",
    "datasets",
    "width",
    "identified",
)


def hypergeometric_limits(
    held: int, drawn: int, of: int, certainty: float = 0.95
) -> tuple[int, int]:
    """Return the exact limits of a count in a finite population, from a random sample drawn without replacement.

    The ends are the last counts at which no tail beyond ``held`` is rarer than (1 - certainty) / 2. If all were drawn,
    both are ``held``.

    Parameters
    ----------
    held : int
        Number of members of the sample that have the property.
    drawn : int
        Size of the sample.
    of : int
        Size of the population.
    certainty : float
        Probability that the limits hold the number of members of the population that have the property, at least.
    """
    tail = (1 - certainty) / 2
    # Members that were seen are there, with the property and without it.
    low, high = held, of - drawn + held

    def first(enough: Callable[[int], bool], start: int, end: int) -> int:
        """Find the first number from ``start`` that is enough, as all larger ones are; ``end`` if none is."""
        while start < end:
            middle = (start + end) // 2
            start, end = (start, middle) if enough(middle) else (middle + 1, end)
        return start

    def at_most(count: int, having: int) -> float:
        seen = np.arange(max(0, drawn - of + having), min(count, having, drawn) + 1)
        logs = (
            _log_choose(having, seen)
            + _log_choose(of - having, drawn - seen)
            - _log_choose(of, np.array(drawn))
        )
        return float(np.exp(logs).sum())

    fewest = first(lambda having: 1 - at_most(held - 1, having) > tail, low, high) if held else 0
    most = first(lambda having: at_most(held, having) <= tail, low, high + 1) - 1
    return fewest, max(most, fewest)


def _log_choose(n: int, k: Integers) -> Floats:
    chosen: Floats = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return chosen


def joined(releases: Sequence[Any]) -> Any:
    """Concatenate releases of one kind on data sets of one size; values that are no arrays are taken from the first."""
    first = releases[0]
    arrays = [f.name for f in fields(first) if isinstance(getattr(first, f.name), np.ndarray)]
    concatenated = {
        name: np.concatenate([getattr(release, name) for release in releases]) for name in arrays
    }
    return type(first)(
        **{f.name: concatenated.get(f.name, getattr(first, f.name)) for f in fields(first)}
    )


def load(path: Path = STORED) -> pd.DataFrame:
    """Read the stored coverages and their limits (Clopper and Pearson), columns coverage, low and high beside COLUMNS.

    An infinite width is a width without an end. Damaged, a ValueError, where the file is missing or holds another
    table.
    """
    columns = {"coverage": COLUMNS}
    table = read_tables(
        path, columns, "coverage of intervals", "python -m benchmarks coverage --save"
    )["coverage"]
    low, high = clopper_pearson(table["held"], table["datasets"], 1 - CERTAINTY)
    return table.assign(coverage=table["held"] / table["datasets"], low=low, high=high)
