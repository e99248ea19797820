"""The smallest epsilon, or n, at which an algorithm's noise is small enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import exp, log, sqrt

import numpy as np
from numpy.typing import ArrayLike

from .. import _validate
from ..dataset import Dataset
from ..experiments import measure
from ..mechanisms import Mechanism
from ..mechanisms.base import QUARTERS
from ..run import Budget, Run
from ..sources import LinearModel
from ..workers import one_thread
from .simulated_errors import simulated_noise

EPSILONS = (1e-3, 1e3)
SIZES = (10, 10_240)
DATASETS = 10
_RUN = Run(trials=100)
_PER_DECADE = 4
_HALVINGS = 10  # of a quarter of a decade: to 0.06%


@dataclass(frozen=True)
class RequiredValue:
    """The smallest epsilon or n at which C(68) is at most so many standard errors; None where none up to ``most`` is.

    at_least: the smallest value looked at; a value equal to it is an upper bound.
    """

    mechanism: str
    value: float | None
    at_least: float
    most: float

    @property
    def text(self) -> str:
        """The value to three digits, or that it is not reachable."""
        if self.value is None:
            return f"not reachable up to {self.most:,.6g}"
        shown = f"{self.value:,.0f}" if self.value >= 1000 else f"{self.value:.3g}"
        return f"{shown} or less" if self.value <= self.at_least else shown


def required_epsilon(
    data: Dataset, mechanism: Mechanism, r: float = 1.0, at: ArrayLike = QUARTERS, trials: int = 1000, seed: int = 0
) -> RequiredValue:
    """The smallest epsilon for which C(68) about OLS is at most r standard errors at every point, on one data set.

    epsilon pays for all points together. Four values a decade between 0.001 and 1,000 are looked at, and the first
    stretch that leads below r is halved until epsilon is known to 0.1%: where the error does not fall steadily with
    epsilon, what lies between two of these values can be missed. Off exact laws, or off so many trials; these are
    drawn anew at each epsilon, so that it is known to their Monte-Carlo error alone.
    ValueError where r or another argument is out of range.
    """
    _validate.positive(r=r)
    run, standard_errors = Run(trials, seed), data.standard_error(at).tolist()

    def ratio(epsilon: float) -> float:
        errors = measure(data, mechanism, Budget(epsilon, at), run)
        return _largest([e.ratios(unit)[0] for e, unit in zip(errors, standard_errors, strict=True)])

    with one_thread():
        return RequiredValue(mechanism.name, _first_below(ratio, r, *EPSILONS), *EPSILONS)


def required_epsilon_simulated(
    model: LinearModel, at: ArrayLike, mechanism: Mechanism, r: float = 1.0, datasets: int = DATASETS, run: Run = _RUN
) -> RequiredValue:
    """As required_epsilon, for C(68) / sigma averaged over simulated data sets: at most r at every point."""
    _validate.positive(r=r)
    simulated = [model.replicate(run.seed, number) for number in range(datasets)]  # they keep their sorted pairs

    def ratio(epsilon: float) -> float:
        return _largest(simulated_noise(model, Budget(epsilon, at), mechanism, simulated, run))

    with one_thread():
        return RequiredValue(mechanism.name, _first_below(ratio, r, *EPSILONS), *EPSILONS)


def required_n(
    model: LinearModel,
    budget: Budget,
    mechanism: Mechanism,
    r: float = 1.0,
    datasets: int = DATASETS,
    run: Run = _RUN,
) -> RequiredValue:
    """The smallest n for which C(68) / sigma, averaged over simulated data sets, is at most r at every point.

    n is doubled from 10 to 10,240 and the first stretch that leads below r halved; known to 2%, and with the
    Monte-Carlo error of so few data sets. All else is as in the model.
    """
    _validate.positive(r=r)

    @cache
    def ratio_of(n: int) -> float:
        sized = replace(model, n=n)
        simulated = (sized.replicate(run.seed, number) for number in range(datasets))
        return _largest(simulated_noise(sized, budget, mechanism, simulated, run))

    low, high = SIZES
    with one_thread():
        doubled = [low * 2**i for i in range(int(np.log2(high / low)) + 1)]
        bracket = _bracket(lambda n: ratio_of(round(n)), r, doubled)
        if bracket is None:
            return RequiredValue(mechanism.name, None, low, high)
        below, above = (round(n) for n in bracket)
        while above > 1.02 * below and above - below > 1:
            middle = round(sqrt(below * above))
            below, above = (below, middle) if ratio_of(middle) <= r else (middle, above)
    return RequiredValue(mechanism.name, float(above), low, high)


def _largest(ratios: ArrayLike) -> float:
    """The largest ratio, infinite where one is undefined: no sampling error to compare with."""
    return float(np.max(np.where(np.isnan(ratios), np.inf, ratios)))


def _bracket(ratio: Callable[[float], float], r: float, values: Sequence[float]) -> tuple[float, float] | None:
    """The first value at which the ratio is at most r and the one before it (itself for the first), or None."""
    before = values[0]
    for value in values:
        if ratio(value) <= r:
            return before, value
        before = value
    return None


def _first_below(ratio: Callable[[float], float], r: float, low: float, high: float) -> float | None:
    """The smallest value at which the ratio is at most r, by a scan of a logarithmic grid and halving."""
    steps = round(_PER_DECADE * np.log10(high / low))
    bracket = _bracket(ratio, r, np.geomspace(low, high, steps + 1).tolist())
    if bracket is None:
        return None
    if bracket[0] == bracket[1]:
        return bracket[1]
    below, above = log(bracket[0]), log(bracket[1])
    for _ in range(_HALVINGS):
        middle = 0.5 * (below + above)
        below, above = (below, middle) if ratio(exp(middle)) <= r else (middle, above)
    return exp(above)
