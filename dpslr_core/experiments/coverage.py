"""Coverage of intervals, as counted on simulated data sets and stored, and exact limits of counted shares."""

from __future__ import annotations

from bisect import bisect_left
from pathlib import Path

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
    """Compute exact confidence limits for the number of members of a population that have a property.

    The evidence is a random sample, drawn without replacement. The limits are the last numbers at which neither tail
    beyond ``held`` is rarer than (1 - certainty) / 2. If all members were drawn, both limits are ``held``.

    Parameters
    ----------
    held : int
        Number of members of the sample that have the property.
    drawn : int
        Size of the sample.
    of : int
        Size of the population.
    certainty : float
        Least probability that the number lies within the limits.

    Returns
    -------
    low, high : int
        Least and greatest number.
    """
    tail = (1 - certainty) / 2
    # Members that were seen are there, with the property and without it.
    counts = range(held, of - drawn + held + 1)

    def at_most(having: int, seen: int) -> float:
        possible = np.arange(max(0, drawn - of + having), seen + 1)
        logs = (
            _log_choose(having, possible)
            + _log_choose(of - having, drawn - possible)
            - _log_choose(of, np.array(drawn))
        )
        return float(np.exp(logs).sum())

    fewest = bisect_left(counts, True, key=lambda having: 1 - at_most(having, held - 1) > tail)
    most = bisect_left(counts, True, key=lambda having: at_most(having, held) <= tail) - 1
    return counts[fewest], counts[max(most, fewest)]


def _log_choose(n: int, k: Integers) -> Floats:
    chosen: Floats = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return chosen


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
