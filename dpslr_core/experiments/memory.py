"""Megabytes that runs hold at once, by what they list: known before they start."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..mechanisms.base import Mechanism
from ..pairs import is_complete, pair_count
from ..pairs.ranks import CROSSOVER
from ..privacy import Budget
from ..privacy.accounting import paid
from ..sources.linear import LinearModel
from .sweep import SweepPlan

BYTES = 40  # held for each pairwise estimate that is listed: the estimate, its place and what is made of them
RECORD = 200  # bytes held for each record
RELEASED = 300  # bytes of a released number in a comparison, and of the numbers that a table of it makes
LAWS, ESTIMATES = (32, 256), 4_000_000  # conditional laws of k random matchings, fewest and most; estimates in all
FORMED, EACH_FORMED = 1_000_000, 64  # estimates of random matchings formed at a time by draws, and bytes for each


def law_memory(mechanism: Mechanism, n: int, points: int) -> float:
    """Megabytes of the exact law at a number of points."""
    k = getattr(mechanism, "k", None)
    if is_complete(n, k):
        pairs = pair_count(n, None) * points if mechanism.by_ranks and n < CROSSOVER else 0
        return (pairs * BYTES + RECORD * n) / 1e6
    estimates = pair_count(n, k) * points
    return int(np.clip(ESTIMATES // estimates, *LAWS)) * estimates * BYTES / 1e6


def draw_memory(mechanism: Mechanism, n: int, points: int) -> float:
    """Megabytes of releases at a number of points, however many releases: they are drawn a few at a time."""
    k = getattr(mechanism, "k", None)
    if is_complete(n, k):
        return law_memory(mechanism, n, points)
    return max(FORMED, pair_count(n, k) * points) * EACH_FORMED / 1e6


def compare_memory(n: int, mechanisms: Sequence[Mechanism], points: int, trials: int) -> float:
    """Megabytes of compare on n records: the laws of all algorithms, which are kept, and draws one after the other."""
    held = sum(law_memory(m, n, points) for m in mechanisms) + len(mechanisms) * trials * points * RELEASED / 1e6
    return max(held, *(draw_memory(m, n, points) for m in mechanisms), 0.0)


def sweep_memory(plan: SweepPlan) -> float:
    """Megabytes of a sweep, one data set after the other; where it averages, random matchings are drawn too."""
    of_errors = draw_memory if plan.averaged else law_memory
    return max(
        of_errors(m, setting.source.n, len(m.first_point_alone(paid(m, setting.budget)).at))
        for setting in plan.settings
        for m in setting.mechanisms
    )


def guidance_memory(model: LinearModel, budget: Budget, mechanisms: Sequence[Mechanism]) -> float:
    """Megabytes of the errors of algorithms on simulated data sets, one after the other."""
    return max((draw_memory(m, model.n, len(budget.at)) for m in mechanisms), default=0.0)
