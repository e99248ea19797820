"""What one algorithm costs on one data set: its law with its errors, and draws of it."""

from __future__ import annotations

from functools import cache

import numpy as np

from ...mechanisms.base import Mechanism
from ...pairs import is_complete, pair_count
from ...pairs.ranks import CROSSOVER
from ...support.types import Floats
from ...support.work.limits import Cost
from .table import MILLISECONDS, SIZES, TRIALS

POINTS, STEPS = 2, 30  # with which the table was measured
# Of k random matchings: seconds for each estimate in a draw and in a conditional law, and for each such law.
DRAWN, LISTED, EACH_LAW = 5e-8, 1.2e-7, 2e-3
LAWS, ESTIMATES = (32, 256), 4_000_000  # conditional laws at least and as a rule, and estimates in all of them
BYTES = 40  # held for each pairwise estimate that is listed: the estimate, its place and what is made of them
FORMED, EACH_FORMED = 1_000_000, 64  # estimates formed at a time by draws, and bytes for each
RECORD = 200  # bytes held for each record


def law_cost(mechanism: Mechanism, n: int, points: int) -> Cost:
    """The exact law at so many points, with its errors; nothing where there is none."""
    k = getattr(mechanism, "k", None)
    if not is_complete(n, k):
        estimates = pair_count(n, k) * points
        laws = int(np.clip(ESTIMATES // estimates, *LAWS))
        return Cost(LAWS[1] * EACH_LAW + LISTED * laws * estimates, laws * estimates * BYTES / 1e6)
    return Cost(points / POINTS * _measured(mechanism, n)[0], _listed(mechanism, n, points))


def draw_cost(mechanism: Mechanism, n: int, points: int, trials: int) -> Cost:
    """So many releases at so many points."""
    k = getattr(mechanism, "k", None)
    if not is_complete(n, k):
        estimates = pair_count(n, k) * points
        return Cost(trials * (DRAWN * estimates + 1e-5), max(FORMED, estimates) * EACH_FORMED / 1e6)
    _, first, more = _measured(mechanism, n)
    factor = mechanism.steps / STEPS if hasattr(mechanism, "steps") else points / POINTS
    return Cost(factor * (first + more * trials / TRIALS), _listed(mechanism, n, points))


def has_law(mechanism: Mechanism) -> bool:
    """Whether an algorithm has exact laws."""
    return bool(_rows(type(mechanism).__name__)[0].any())


def _listed(mechanism: Mechanism, n: int, points: int) -> float:
    """Megabytes of what grows with the records, or with their pairs where these are listed."""
    pairs = pair_count(n, None) * points if mechanism.by_ranks and n < CROSSOVER else 0
    return (pairs * BYTES + RECORD * n) / 1e6


def _measured(mechanism: Mechanism, n: int) -> list[float]:
    """Seconds of the law, of the first releases, and of TRIALS more, between the sizes that were measured.

    Never less for more records. Beyond the largest size in proportion to n log n.
    """
    beyond = max(1.0, n * np.log(n) / (SIZES[-1] * np.log(SIZES[-1])))
    rows = _rows(type(mechanism).__name__)
    return [beyond * float(np.interp(np.log(n), np.log(SIZES), row)) / 1000 for row in rows]


@cache
def _rows(name: str) -> Floats:
    """Milliseconds by size, never falling, shape (3, sizes); the largest of all where an algorithm is unknown."""
    names = [name] if name in MILLISECONDS else list(MILLISECONDS)
    rows = np.max([np.array(MILLISECONDS[each], dtype=float) for each in names], axis=0)
    return np.maximum.accumulate(rows, axis=1)
