"""What comparisons, sweeps and guidance cost, from what their algorithms cost on one data set."""

from __future__ import annotations

from collections.abc import Sequence

from ...mechanisms.base import Mechanism
from ...pairs import is_complete
from ...privacy import Budget
from ...privacy.accounting import paid
from ...sources.linear import LinearModel
from ...support.work.limits import Cost
from ..sweep import SweepPlan
from .of_algorithm import draw_cost, has_law, law_cost

OVERHEAD = 5e-4  # seconds for each algorithm on each data set: what is done around its law
SIMULATED = 2e-7  # seconds to simulate a record, and to fit OLS to it
HELD = 300  # bytes of a released number in a comparison, and of the numbers that a table of it makes


def compare_cost(n: int, mechanisms: Sequence[Mechanism], points: int, trials: int) -> Cost:
    """compare on n records: the laws of all algorithms, which are kept, and draws of those without."""
    laws = [law_cost(m, n, points) for m in mechanisms if has_law(m)]
    draws = [draw_cost(m, n, points, trials) for m in mechanisms if not has_law(m)]
    held = sum(law.megabytes for law in laws) + len(mechanisms) * trials * points * HELD / 1e6
    drawn = max((draw_cost(m, n, points, trials).megabytes for m in mechanisms), default=0.0)
    seconds = sum(cost.seconds for cost in (*laws, *draws))
    return Cost(seconds + len(mechanisms) * OVERHEAD, max(held, drawn))


def sweep_cost(plan: SweepPlan, trials: int) -> Cost:
    """One data set at every value of a sweep."""
    total = Cost()
    for setting in plan.settings:
        n = setting.source.n
        total += Cost(n * SIMULATED * len(plan.names))
        for mechanism in setting.mechanisms:
            points = len(mechanism.first_point_alone(paid(mechanism, setting.budget)).at)
            total += errors_cost(mechanism, n, points, trials, averaged=plan.averaged)
    return total


def errors_cost(mechanism: Mechanism, n: int, points: int, trials: int, averaged: bool = True) -> Cost:
    """The errors of one algorithm on one data set: off its law, else off so many draws.

    averaged: over data sets, where k random matchings are drawn too.
    """
    matched = averaged and not is_complete(n, getattr(mechanism, "k", None))
    of_law = has_law(mechanism) and not matched
    cost = law_cost(mechanism, n, points) if of_law else draw_cost(mechanism, n, points, trials)
    return cost + Cost(OVERHEAD)


def guidance_cost(
    model: LinearModel, budget: Budget, mechanisms: Sequence[Mechanism], datasets: int, trials: int
) -> Cost:
    """The errors of algorithms on simulated data sets about the truth at all points, and the noise of the best one."""
    points = len(budget.at)
    each = [errors_cost(m, model.n, points, trials).times(_points_apart(m, model.n, points)) for m in mechanisms]
    costliest = max((cost.seconds for cost in each), default=0.0)
    one = sum(each, Cost(model.n * SIMULATED + costliest))
    return one.times(datasets)


def _points_apart(mechanism: Mechanism, n: int, points: int) -> int:
    """How often the points are gone through: matchings are drawn for each of them."""
    return 1 if is_complete(n, getattr(mechanism, "k", None)) else points


def affordable_count(cost: Cost, limit: Cost, most: int, block: int = 1) -> int:
    """How many runs of this cost stay within a limit: a number of whole blocks, or most; 0 where not even one does."""
    if cost.megabytes > limit.megabytes:
        return 0
    count = most if cost.seconds * most <= limit.seconds else int(limit.seconds / cost.seconds)
    return count if count >= most else count // block * block
