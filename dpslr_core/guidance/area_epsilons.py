"""The epsilon at which the noise in each of many areas is no larger than the sampling error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import ceil, floor, inf, log, log1p, log10
from typing import Any

import numpy as np
import pandas as pd

from ..dataset import Dataset
from ..experiments.errors import draw, ols
from ..mechanisms.accounting import admitted, paid
from ..mechanisms.base import Mechanism
from ..support.run import Budget, Run
from ..support.workers import in_order, one_thread
from .required_values import EPSILONS

BATCH = 12  # areas handed to a worker at a time
_PER_DECADE = 48  # values of epsilon, 4.9% from one to the next
_LEAST, _MOST = (round(_PER_DECADE * log10(end)) for end in EPSILONS)
_LONGEST = _PER_DECADE // 2  # step where one side alone is known: with longer ones a value nearer by is easily missed
_SHARE = 0.68 - 1e-12  # of the releases, within one standard error; but for rounding
_SLOPE = log(10) / _PER_DECADE  # of the excess, from one value to the next, where the rate is proportional to epsilon
_FARTHEST = 0.01  # that a value counts as off by, as a factor

Area = tuple[Any, Dataset, Mechanism, float | None]  # label, data set, mechanism, and where to start


def passing_epsilon(
    data: Dataset, mechanism: Mechanism, budget: Budget, run: Run, start: float | None = None
) -> float | None:
    """The smallest of 48 epsilons a decade for which C(68) at the first point is at most one standard error.

    epsilon pays for all points of the budget together. start: near which the search begins, if not at the budget's own
    epsilon; it goes down while that is enough, else up, within EPSILONS. Where the error falls steadily with epsilon
    the result depends on neither; where it does not, a value further off can be missed. None where no epsilon up to
    EPSILONS[1] is enough, or where the data set has no sampling error. As required_epsilon, but all that is asked is
    the share of the releases within a standard error of OLS, which needs no root finding.
    """
    centers, errors = ols(data, budget)
    center, error = float(centers[0]), float(errors[0])
    if not 0 < error < inf:
        return None

    def share(epsilon: float) -> float:
        tried = replace(budget, epsilon=epsilon)
        if not admitted([mechanism], tried):
            return 0.0
        alone = mechanism.first_point_alone(paid(mechanism, tried))
        law = mechanism.law(data, alone.epsilon, alone.at)[0]
        if law is None:
            return float(np.mean(np.abs(draw(data, mechanism, alone, run)[:, 0] - center) <= error))
        low, high = law.cdf(np.array([center - error, center + error]))
        return float(high - low)

    near = round(_PER_DECADE * log10(start or budget.epsilon))
    number = _smallest(lambda number: _excess(share(_epsilon(number))), min(max(near, _LEAST), _MOST))
    return None if number is None else _epsilon(number)


def _epsilon(number: int) -> float:
    """The values that are looked at."""
    return 10.0 ** (number / _PER_DECADE)


def _smallest(excess: Callable[[int], float], start: int) -> int | None:
    """The smallest number whose excess is not below 0, None where none is.

    Between one that is not enough and one that is, the next is at the root predicted off both, or halfway.
    """
    ends, steps = _ends(excess, start), 0
    if len(ends) < 2:
        return _LEAST if True in ends else None
    (below, short), (above, over) = ends[False], ends[True]
    while above - below > 1:
        steps += 1
        root = below + (above - below) * (short / (short - over) if steps % 3 else 0.5)
        number = min(ceil(root), above - 1)
        if (new := excess(number)) < 0:
            below, short = number, new
        else:
            above, over = number, new
    return above


def _ends(excess: Callable[[int], float], start: int) -> dict[bool, tuple[int, float]]:
    """A number that is enough (True) and one that is not, each with its excess; one alone where the numbers end.

    Steps go to the root predicted off the last number, then off the last two.
    """
    ends, number, last, slope = dict[bool, tuple[int, float]](), start, (start, 0.0), _SLOPE
    while True:
        new = excess(number)
        if number != last[0]:
            slope = min(max((new - last[1]) / (number - last[0]), 0.01 * _SLOPE), _SLOPE)
        ends[new >= 0] = last = number, new
        if len(ends) == 2 or number == (_LEAST if new >= 0 else _MOST):
            return ends
        step = min(floor(abs(new) / slope) + 1, _LONGEST)
        number = min(max(number - step if new >= 0 else number + step, _LEAST), _MOST)


def _excess(share: float) -> float:
    """By what factor, in logarithms, the rate of an exponential share is too large; below 0: it is not enough."""
    rate = log1p(-min(share, 1 - 1e-16)) / log1p(-_SHARE)
    return log(min(max(rate, _FARTHEST), 1 / _FARTHEST))


def passing_epsilons(areas: Sequence[Area], budget: Budget, run: Run) -> pd.DataFrame:
    """passing_epsilon of each area by its own algorithm: group, mechanism, passes_from (NaN where it does not pass).

    areas: label, data set, mechanism and start of each. The work is shared among run.workers.
    """
    batches = [list(areas[start : start + BATCH]) for start in range(0, len(areas), BATCH)]
    task = partial(_of_batch, budget=budget, run=run)
    rows = [row for part in in_order(task, batches, run.workers) for row in part]
    return pd.DataFrame(rows, columns=["group", "mechanism", "passes_from"])


def best_epsilons(
    best: pd.DataFrame,
    datasets: Mapping[Any, Dataset],
    mechanisms: Mapping[str, Mechanism],
    budget: Budget,
    run: Run,
) -> pd.DataFrame:
    """passing_epsilons of all areas, each by the algorithm in its row of best.

    best: of best_by_area, at the first point of the budget, which is the one of the epsilon that was measured.
    datasets: by label. mechanisms: by name.
    """
    tasks = area_tasks(best, datasets, mechanisms, budget.epsilon)
    return not_above(budget.epsilon, best, passing_epsilons(tasks, replace(budget, epsilon=1.0), run))


def area_tasks(
    best: pd.DataFrame, datasets: Mapping[Any, Dataset], mechanisms: Mapping[str, Mechanism], epsilon: float
) -> list[Area]:
    """What passing_epsilons is asked, for these data sets.

    The noise falls roughly as 1/epsilon, which says where to start; off trials the result may depend on the start, so
    that there it is always the same.
    """
    rows = best.set_index("group")
    tasks = []
    for label, data in datasets.items():
        row = rows.loc[label]
        start = float(epsilon * row["ratio"]) if row["exact"] and 0 < row["ratio"] < inf else None
        tasks.append((label, data, mechanisms[str(row["mechanism"])], start))
    return tasks


def not_above(epsilon: float, best: pd.DataFrame, epsilons: pd.DataFrame) -> pd.DataFrame:
    """The epsilons, where an area passes at the epsilon that was measured no larger than it.

    That one is enough, and may lie between two values of the search.
    """
    passes = best.set_index("group")["ratio"].reindex(epsilons["group"]).to_numpy() < 1
    capped = np.minimum(epsilons["passes_from"], epsilon)
    return epsilons.assign(passes_from=epsilons["passes_from"].where(~passes, capped))


def _of_batch(batch: Sequence[Area], budget: Budget, run: Run) -> list[tuple[Any, str, float]]:
    """The rows of some areas."""
    with one_thread():
        return [
            (label, mechanism.name, np.nan if value is None else value)
            for label, data, mechanism, start in batch
            for value in [passing_epsilon(data, mechanism, budget, run, start)]
        ]
