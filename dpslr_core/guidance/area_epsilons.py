"""The epsilon at which the noise in each of many areas is no larger than the sampling error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import inf, sqrt
from typing import Any

import numpy as np
import pandas as pd

from ..dataset import Dataset
from ..experiments.errors import draw, error_bound, ols
from ..mechanisms.accounting import admitted, paid
from ..mechanisms.base import Mechanism
from ..support.run import Budget, Run
from ..support.workers import in_order, one_thread
from .required_values import EPSILONS

BATCH = 12  # areas handed to a worker at a time
_STEP = 10**0.25
_CLOSE = 1.05

Area = tuple[Any, Dataset, Mechanism]


def passing_epsilon(data: Dataset, mechanism: Mechanism, budget: Budget, run: Run) -> float | None:
    """The smallest epsilon, to 5%, for which C(68) at the first point of the budget is at most one standard error.

    epsilon pays for all points of the budget together. From the budget's own epsilon the search goes down while that
    is enough, else up, in quarters of a decade within EPSILONS, then by halving: where the error does not fall
    steadily with epsilon, a value further off can be missed. The epsilon returned is enough. None where none up to
    EPSILONS[1] is, or where the data set has no sampling error. As required_epsilon, but an exact law is asked only
    for P(|release - OLS| <= standard error), which needs no root finding.
    """
    centers, errors = ols(data, budget)
    center, error = float(centers[0]), float(errors[0])
    if not 0 < error < inf:
        return None

    def enough(epsilon: float) -> bool:
        tried = replace(budget, epsilon=epsilon)
        if not admitted([mechanism], tried):
            return False
        alone = mechanism.first_point_alone(paid(mechanism, tried))
        law = mechanism.law(data, alone.epsilon, alone.at)[0]
        if law is None:
            return error_bound(draw(data, mechanism, alone, run)[:, 0], center, 68) <= error
        low, high = law.cdf(np.array([center - error, center + error]))
        return bool(high - low >= 0.68)

    return _smallest(enough, min(max(budget.epsilon, EPSILONS[0]), EPSILONS[1]))


def _smallest(enough: Callable[[float], bool], start: float) -> float | None:
    """The smallest value that is enough, in steps from the start and then by halving; None where none is."""
    value, starts_enough = start, enough(start)
    while True:
        following = max(value / _STEP, EPSILONS[0]) if starts_enough else min(value * _STEP, EPSILONS[1])
        if following == value:
            return value if starts_enough else None
        if enough(following) != starts_enough:
            break
        value = following
    below, above = sorted((value, following))
    while above > _CLOSE * below:
        middle = sqrt(below * above)
        below, above = (below, middle) if enough(middle) else (middle, above)
    return above


def passing_epsilons(areas: Sequence[Area], budget: Budget, run: Run) -> pd.DataFrame:
    """passing_epsilon of each area by its own algorithm: group, mechanism, passes_from (NaN where it does not pass).

    areas: label, data set and mechanism of each. The work is shared among run.workers.
    """
    batches = [list(areas[start : start + BATCH]) for start in range(0, len(areas), BATCH)]
    task = partial(_of_batch, budget=budget, run=run)
    rows = [row for part in in_order(task, batches, run.workers) for row in part]
    return pd.DataFrame(rows, columns=["group", "mechanism", "passes_from"])


def _of_batch(batch: Sequence[Area], budget: Budget, run: Run) -> list[tuple[Any, str, float]]:
    """The rows of some areas."""
    with one_thread():
        return [
            (label, mechanism.name, np.nan if value is None else value)
            for label, data, mechanism in batch
            for value in [passing_epsilon(data, mechanism, budget, run)]
        ]
