"""How much epsilon, or how many records, would be enough for each algorithm of a recommendation."""

from __future__ import annotations

from collections.abc import Iterator

from ...mechanisms.base import Mechanism
from ...privacy import Budget
from ...sources.linear import LinearModel
from ...support.run import Run
from ..recommendation import Recommendation
from ..required_values import NoiseCurve, RequiredValue, noise_curve, required_n
from ..simulated_errors import TRIALS

RATIOS = (0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10)
DATASETS, FEWEST, RECORDS = 6, 3, 3_000  # data sets of algorithms that are not recommended
CurveTask = tuple[LinearModel, Budget, Mechanism, float, int, Run]


def curve_tasks(recommendation: Recommendation, r: float) -> list[CurveTask]:
    """The arguments of noise_curve for each algorithm.

    The recommended one is run on all data sets of the answer, so that its epsilon passes there; others on few.
    """
    model, budget, run = recommendation.model, recommendation.budget, recommendation.run
    few = max(FEWEST, min(DATASETS, RECORDS // model.n))
    counts = {recommendation.algorithm: recommendation.datasets}
    return [(model, budget, m, r, counts.get(m.name, few), run) for m in recommendation.mechanisms]


def required_curves(recommendation: Recommendation, r: float = 1.0) -> Iterator[NoiseCurve]:
    """noise_curve of each algorithm, as they are measured; r: the target in standard errors."""
    return (noise_curve(*task) for task in curve_tasks(recommendation, r))


def required_sizes(recommendation: Recommendation, r: float = 1.0) -> Iterator[RequiredValue]:
    """required_n of each algorithm, as they are measured."""
    run = _run(recommendation)
    return (
        required_n(recommendation.model, recommendation.budget, mechanism, r, run=run)
        for mechanism in recommendation.mechanisms
    )


def _run(recommendation: Recommendation) -> Run:
    return Run(TRIALS, recommendation.run.seed)
