"""Six released lines of two algorithms on the same people: ``python -m benchmarks start``."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from dpslr_core.experiments.same_people import (
    ALGORITHMS,
    AT,
    COLUMNS,
    EPSILONS,
    LINES,
    PEOPLE,
    SEED,
    people,
)
from dpslr_core.experiments.same_people import STORED as STORED
from dpslr_core.mechanisms.base import Mechanism

ABOUT = {"digits": 4}


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


def made() -> dict[str, pd.DataFrame]:
    """Return the tables that ``load`` of dpslr_core.experiments.same_people reads."""
    tables = [measured(n, mechanism) for n, mechanism in product(PEOPLE, ALGORITHMS)]
    return {name: pd.concat([table[name] for table in tables]) for name in COLUMNS}
