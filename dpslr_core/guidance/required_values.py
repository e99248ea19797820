"""The smallest epsilon, or n, at which an algorithm's error about OLS is small enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import ceil, exp, floor, inf, log, log10, sqrt

import numpy as np
from numpy.typing import ArrayLike

from ..dataset import Dataset
from ..experiments.errors import measure
from ..mechanisms.base import Mechanism
from ..privacy import Budget
from ..privacy.accounting import Accounting, Rule, admitted
from ..sources.linear import LinearModel
from ..support import validate
from ..support.run import QUARTERS, Run
from ..support.workers import one_thread
from .simulated_errors import simulated_error

EPSILONS = (1e-3, 1e3)
SIZES = (10, 10_240)
DATASETS = 10
_RUN, _MANY = Run(trials=100), Run(trials=1000)
_PER_DECADE = 4
_STEPS, _NEAR = 20, 6e-4  # of the search in a quarter of a decade; the relative width at which it ends
_DIGITS = 3  # significant digits of a required epsilon
_BEYOND = 4  # values of a curve beyond the required one


@dataclass(frozen=True)
class RequiredValue:
    """The smallest epsilon or n at which C(68) is at most so many standard errors; None where none up to ``most`` is.

    at_least: the smallest value looked at; a value equal to it is an upper bound.
    """

    mechanism: str
    value: float | None
    at_least: float
    most: float


@dataclass(frozen=True)
class NoiseCurve:
    """The error of an algorithm about OLS against epsilon, and where it comes down to r.

    ratios: C(68) / sigma averaged over simulated data sets, at the point where it is largest; infinite where too many
    releases have no answer. epsilons and ratios are of equal length, the epsilons ascending.
    """

    required: RequiredValue
    epsilons: tuple[float, ...]
    ratios: tuple[float, ...]
    datasets: int


def required_epsilon(
    data: Dataset,
    mechanism: Mechanism,
    r: float = 1.0,
    at: ArrayLike = QUARTERS,
    run: Run = _MANY,
    *,
    accounting: Rule = Accounting.PAPER,
) -> RequiredValue:
    """The smallest epsilon for which C(68) about OLS is at most r standard errors at every point, on one data set.

    data: the records, in the unit square.
    mechanism: the algorithm with its hyperparameters.
    r: the target, in standard errors; above 0.
    at: the points, shape (m,), which epsilon pays for together.
    run: trials where there is no law, and the seed.
    accounting: what the algorithm may spend of each epsilon, as in compare.

    Four values a decade between 0.001 and 1,000 are looked at, and the first stretch that leads below r is searched:
    where the error does not fall steadily with epsilon, what lies between two of these values can be missed. The value
    is rounded up to three digits, so that it is enough. Off exact laws, or off so many trials; these are drawn anew at
    each epsilon, so that it is known to their Monte-Carlo error alone.
    ValueError where r or another argument is out of range. Source: the criterion of Section "Error Metric".
    """
    validate.positive(r=r)
    standard_errors = data.standard_error(at).tolist()

    @cache
    def ratio(epsilon: float) -> float:
        budget = Budget(epsilon, at, accounting)
        if not admitted([mechanism], budget):
            return inf
        (errors,) = measure([data], mechanism, budget, run, parts=False)
        return _largest([e.ratios(unit)[0] for e, unit in zip(errors, standard_errors, strict=True)])

    with one_thread():
        return RequiredValue(mechanism.name, _first_below(ratio, r, *EPSILONS), *EPSILONS)


def noise_curve(
    model: LinearModel,
    budget: Budget,
    mechanism: Mechanism,
    r: float = 1.0,
    datasets: int = DATASETS,
    run: Run = _RUN,
) -> NoiseCurve:
    """As required_epsilon, for C(68) / sigma averaged over simulated data sets; with all measured on the way.

    model: of the simulated data sets.
    budget: the points that epsilon pays for together, and what the algorithm may spend of it; its epsilon is not used.
    mechanism: the algorithm with its hyperparameters.
    r: the target at every point, in standard deviations of the OLS prediction; above 0, else ValueError.
    datasets: the number of simulated data sets.
    run: trials where there is no law, and the seed.
    """
    validate.positive(r=r)
    simulated = [model.replicate(run.seed, number) for number in range(datasets)]  # they keep their sorted pairs
    measured: dict[float, float] = {}

    def ratio(epsilon: float) -> float:
        if epsilon not in measured:
            tried = replace(budget, epsilon=epsilon)
            left_out = not admitted([mechanism], tried)
            ratios = inf if left_out else simulated_error(model, tried, mechanism, simulated, run)
            measured[epsilon] = _largest(ratios)
        return measured[epsilon]

    with one_thread():
        required = RequiredValue(mechanism.name, _first_below(ratio, r, *EPSILONS), *EPSILONS)
        for step in range(1, _BEYOND + 1):
            ratio(min((required.value or EPSILONS[1]) * 10 ** (step / _BEYOND), EPSILONS[1]))
    epsilons = sorted(measured)
    return NoiseCurve(required, tuple(epsilons), tuple(measured[epsilon] for epsilon in epsilons), datasets)


def required_n(
    model: LinearModel,
    budget: Budget,
    mechanism: Mechanism,
    r: float = 1.0,
    datasets: int = DATASETS,
    run: Run = _RUN,
) -> RequiredValue:
    """The smallest n for which C(68) / sigma, averaged over simulated data sets, is at most r at every point.

    model: of the simulated data sets, whatever its n.
    budget: epsilon and the points.
    mechanism: the algorithm with its hyperparameters.
    r: the target, in standard deviations of the OLS prediction; above 0, else ValueError.
    datasets: the number of simulated data sets.
    run: trials where there is no law, and the seed.

    n is doubled from 10 to 10,240 and the first stretch that leads below r halved; known to 2%, and with the
    Monte-Carlo error of so few data sets. All else is as in the model.
    """
    validate.positive(r=r)

    @cache
    def ratio_of(n: int) -> float:
        sized = replace(model, n=n)
        simulated = (sized.replicate(run.seed, number) for number in range(datasets))
        return _largest(simulated_error(sized, budget, mechanism, simulated, run))

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
    return _enough(ratio, r, _searched(ratio, r, *bracket))


def _searched(ratio: Callable[[float], float], r: float, below: float, above: float) -> float:
    """A value at which the ratio is at most r, little above one at which it is not: by secants and halving."""
    low, high = log(below), log(above)
    for step in range(_STEPS):
        if high - low < _NEAR:
            break
        excesses = [log(max(ratio(exp(end)), 1e-300) / r) for end in (low, high)]
        share = 0.5
        if step % 3 < 2 and np.isfinite(excesses[0]):
            share = min(max(excesses[0] / (excesses[0] - excesses[1]) + 0.02 * (-1) ** step, 0.02), 0.98)
        middle = low + share * (high - low)
        low, high = (low, middle) if ratio(exp(middle)) <= r else (middle, high)
    return exp(high)


def _enough(ratio: Callable[[float], float], r: float, value: float) -> float:
    """The value rounded up to three digits, and up again where it is not enough: off trials it may not be."""
    unit = 10.0 ** (floor(log10(value)) - _DIGITS + 1)
    units = ceil(value / unit * (1 - 1e-12))
    tried = (float(f"{(units + more) * unit:.{_DIGITS}g}") for more in range(10**_DIGITS))
    return next((rounded for rounded in tried if ratio(rounded) <= r), value)
