"""Where another algorithm would be recommended as n or epsilon moves away from its present value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..experiments.sweep.crossings import Crossing, crossings
from ..experiments.sweep.plan import WHOLE, plan_sweep
from ..experiments.sweep.results import Sweep, SweepBatch, combine
from .recommendation import Recommendation
from .simulated_errors import simulated_errors

DATASETS, FEWEST = 20, 4
RECORDS = 3_000  # in all data sets together, where that leaves enough of them: their cost grows with n
_LADDER = tuple(2.0**step for step in range(1, 6))
_RANGE = {"n": (10, 5_000), "epsilon": (1e-3, 1e3)}


@dataclass(frozen=True)
class SwitchPoint:
    """Where another algorithm becomes the best as one parameter moves away from its present value.

    crossing: where, and how sure; None where no other is better up to ``end``, the last value looked at. other: the
    algorithm that takes over.
    """

    parameter: str
    end: float
    other: str | None
    crossing: Crossing | None


Measure = Callable[[str, float], SweepBatch]  # the candidates' errors at one value of a parameter


def switch_points(
    recommendation: Recommendation, parameter: str, datasets: int = DATASETS, workers: int | str = 1
) -> tuple[SwitchPoint, SwitchPoint]:
    """The nearest switch points below and above the present n or epsilon ("n", "epsilon"), all else as it is.

    Doubles and halves the parameter until another candidate has the smallest mean error, and reads the crossing off
    the values so far. Up to 32 times the present value, n from 10 to 5,000. ValueError for other parameters.
    """

    def at_value(parameter: str, value: float) -> SweepBatch:
        return candidates_at(recommendation, parameter, value, datasets, workers)

    below, above = (switch_point(recommendation, parameter, direction, at_value) for direction in (-1, 1))
    return below, above


def candidates_at(
    recommendation: Recommendation, parameter: str, value: float, datasets: int = DATASETS, workers: int | str = 1
) -> SweepBatch:
    """The candidates' errors on data sets with another n or epsilon; on fewer where n is large.

    recommendation: whose candidates and guesses are used.
    parameter: a parameter of sweep, else ValueError.
    value: of the parameter.
    datasets: the number of simulated data sets at most.
    workers: as in by_group.
    """
    r = recommendation
    n = value if parameter == "n" else r.model.n
    datasets = max(min(datasets, FEWEST), min(datasets, int(RECORDS / n)))
    plan = plan_sweep(parameter, [value], r.model, r.budget, r.candidates)
    return simulated_errors(plan, replace(r.run, workers=workers), datasets)[0]


def switch_point(recommendation: Recommendation, parameter: str, direction: int, at_value: Measure) -> SwitchPoint:
    """The nearest switch point on one side, direction -1 or 1, by a function that measures at one value.

    ValueError where parameter is neither "n" nor "epsilon".
    """
    if parameter not in _RANGE:
        raise ValueError(f"parameter must be one of {list(_RANGE)}, got {parameter!r}")
    here, now = recommendation.present(parameter), recommendation.algorithm
    batches = [at_value(parameter, here)]
    for value in _values(parameter, here, direction):
        batches.append(at_value(parameter, value))
        sweep = combine(batches)
        other = _winner(sweep, value)
        if other is not None and now is not None and other != now:
            nearest = sorted(crossings(sweep, now, other), key=lambda crossing: abs(np.log(crossing.value / here)))
            if nearest:
                return SwitchPoint(parameter, value, other, nearest[0])
    return SwitchPoint(parameter, batches[-1].value, None, None)


def _values(parameter: str, here: float, direction: int) -> list[float]:
    """The ladder of values on one side, the nearest first."""
    low, high = _RANGE[parameter]
    values = [here * factor**direction for factor in _LADDER]
    values = [float(round(value)) if parameter in WHOLE else value for value in values]
    return [value for value in values if low <= value <= high]


def _winner(sweep: Sweep, value: float) -> str | None:
    """The mechanism with the smallest mean error at a value."""
    rows = sweep.frame[sweep.frame["value"] == value].sort_values("mean", kind="stable")
    return str(rows["mechanism"].iloc[0]) if np.isfinite(rows["mean"].iloc[0]) else None
