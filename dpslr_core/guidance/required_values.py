"""Values of epsilon or n from which on an algorithm's error is small enough, or another algorithm is the best one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import ceil, floor, inf, log, log10

import numpy as np
from scipy.optimize import brentq

from ..dataset import Dataset
from ..experiments.crossings import Crossing, crossings
from ..experiments.errors import refuse_without_sampling_error
from ..experiments.expected import expected_error
from ..experiments.sweep import WHOLE, SweepBatch, combine, plan_sweep, simulated
from ..mechanisms.base import Mechanism
from ..privacy import Budget
from ..sources.linear import LinearModel
from ..support import validate
from ..support.run import Run
from ..support.workers import one_thread
from .evidence import TRIALS, simulated_errors, simulated_spreads
from .recommendation import Recommendation

EPSILONS, LOG_EPSILONS = (1e-3, 1e3), (-3.0, 3.0)
SIZES = (10, 10_240)
RATIOS = (0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10)
DATASETS, DATASETS_OF_OTHERS = 10, 6  # simulated by default; for algorithms not recommended
RECORDS = 3_000  # in all data sets simulated at one value, where that leaves enough of them: their cost grows with n
_RUN = Run(trials=100)
# Decades: the shortest steps of a scan where an area does not pass, and where it does.
_BELOW, _ABOVE = 0.25, 0.125
# Decades: tolerance of a required epsilon before it is rounded, and of a required n.
_NEAR, _NEAR_N = 6e-4 / log(10), 0.02 / log(10)
_DIGITS = 3  # significant digits of a required epsilon
# Decades from the required value at which a curve is measured, too.
_AROUND = (-1.0, -0.5, 0.5, 1.0)
_FARTHEST = 2.0  # decades that an error counts as off by
# Factors by which a parameter is multiplied or divided to find a switch point.
_LADDER = tuple(2.0**step for step in range(1, 6))
_RANGE = {"n": (10, 5_000), "epsilon": EPSILONS}


def decades(times: float) -> float:
    """Return how many decades a number is above 1, negative if below; 2 at most."""
    return float(
        np.clip(
            log10(times) if 0 < times < inf else inf if times > 0 else -inf, -_FARTHEST, _FARTHEST
        )
    )


def next_step(excess: float) -> float:
    """Return the decades of epsilon to go on from an excess: errors fall hardly faster than epsilon grows."""
    return _ABOVE if excess >= 0 else max(-excess, _BELOW)


def ends_of_passing(
    excess: Callable[[float], float],
    low: float,
    high: float,
    tolerance: float,
    step: Callable[[float], float] = next_step,
    enough: float = inf,
) -> Iterator[float]:
    """Yield the ends of the stretches in which an excess is 0 or more, ascending: begin, end, begin, end, ...

    Parameters
    ----------
    excess : callable
        Finite number, a function of the logarithm (base 10) of a parameter.
    low, high : float
        Logarithms between which to look; low is the first end where the excess is 0 or more there.
    tolerance : float
        Largest distance from an end to where the sign changes; at the end itself the excess is 0 or more.
    step : callable
        Distance from an excess to the next point; shorter stretches can be missed.
    enough : float
        Excess from which on nothing larger is looked at.
    """
    at, current = low, excess(low)
    if current >= 0:
        yield low
    while at < high and current < enough:
        before, last = at, current
        at = min(at + step(last), high)
        current = excess(at)
        if (current >= 0) != (last >= 0):
            yield _end_between(excess, before, at, tolerance)


def _end_between(
    excess: Callable[[float], float], low: float, high: float, tolerance: float
) -> float:
    """Return a logarithm at which the excess is 0 or more, near to where its sign changes."""
    root = brentq(excess, low, high, xtol=tolerance / 4, rtol=1e-12)
    sign, last = (1, high) if excess(high) >= 0 else (-1, low)
    nearby = (root + sign * step for step in (0.0, *tolerance * 2.0 ** np.arange(-1, 40)))
    return next((at for at in nearby if sign * (last - at) > 0 and excess(at) >= 0), last)


@dataclass(frozen=True)
class RequiredValue:
    """Smallest epsilon or n at which C(68) is at most r standard errors; ``value`` is None if none up to ``most`` is.

    ``at_least`` is the smallest value looked at; a value equal to it is an upper bound.
    """

    mechanism: str
    value: float | None
    at_least: float
    most: float


@dataclass(frozen=True)
class NoiseCurve:
    """Error of an algorithm about OLS against epsilon, and the epsilon at which it comes down to r.

    Attributes
    ----------
    epsilons : tuple of float
        Values of epsilon, ascending.
    ratios : tuple of float
        Expected error about OLS over simulated data sets at each epsilon, at the point where it is largest; infinite
        where too many releases have no answer.
    """

    required: RequiredValue
    epsilons: tuple[float, ...]
    ratios: tuple[float, ...]
    datasets: int


def noise_curve(
    model: LinearModel,
    budget: Budget,
    mechanism: Mechanism,
    r: float = 1.0,
    datasets: int = DATASETS,
    run: Run = _RUN,
) -> NoiseCurve:
    """Find the epsilon at which the expected error about OLS over simulated data sets is r; keep all errors on the way.

    Parameters
    ----------
    model, datasets : LinearModel and int. Model of the simulated data sets, and their number.
    budget : Budget. Its epsilon is not used.
    r : float. Target at every point, in standard deviations of the OLS prediction; above 0, else ValueError.
    """
    validate.positive(r=r)
    refuse_without_sampling_error(model)
    data = simulated(model, run.seed, range(datasets))
    errors: dict[float, float] = {}

    def error(epsilon: float) -> float:
        if epsilon not in errors:
            spent = replace(budget, epsilon=epsilon)
            errors[epsilon] = _largest_error(model, spent, mechanism, data, run)
        return errors[epsilon]

    with one_thread():
        value = _smallest_epsilon(error, r)
        for distance in _AROUND:
            error(float(np.clip((value or EPSILONS[1]) * 10**distance, *EPSILONS)))
    epsilons, ratios = zip(*sorted(errors.items()), strict=True)
    return NoiseCurve(RequiredValue(mechanism.name, value, *EPSILONS), epsilons, ratios, datasets)


def required_n(
    model: LinearModel,
    budget: Budget,
    mechanism: Mechanism,
    r: float = 1.0,
    datasets: int = DATASETS,
    run: Run = _RUN,
) -> RequiredValue:
    """Find the smallest n for which the expected error about OLS over simulated data sets is at most r at every point.

    Arguments as of noise_curve, whatever the n of the model; the budget with its epsilon.
    n is doubled from 10 to 10,240 and the first stretch that leads below r searched; known to 2%, and with the
    Monte-Carlo error of few data sets. All else is as in the model.
    """
    validate.positive(r=r)
    refuse_without_sampling_error(model)

    @cache
    def error(n: int) -> float:
        sized = replace(model, n=n)
        data = simulated(sized, run.seed, range(datasets))
        return _largest_error(sized, budget, mechanism, data, run)

    low, high = SIZES
    doubled = (log10(low), log10(high), _NEAR_N, lambda _: log10(2))
    with one_thread():
        first = next(ends_of_passing(lambda at: _excess(error(round(10**at)), r), *doubled), None)
    return RequiredValue(mechanism.name, None if first is None else float(round(10**first)), *SIZES)


def _largest_error(
    model: LinearModel,
    budget: Budget,
    mechanism: Mechanism,
    datasets: Sequence[Dataset],
    run: Run,
) -> float:
    """Return the expected error about OLS at the point where it is largest."""
    about_ols = simulated_spreads(model, budget, mechanism, datasets, run)[:, 0]
    return max(expected_error(about_ols[:, [i]]).value for i in range(about_ols.shape[1]))


def _excess(ratio: float, r: float) -> float:
    """Return the decades by which a ratio is below r, negative where it is above."""
    return decades(r / ratio if ratio else inf)


def rounded_up(epsilon: float) -> float:
    """Round an epsilon up to three digits."""
    unit = 10.0 ** (floor(log10(epsilon)) - _DIGITS + 1)
    return float(f"{ceil(epsilon / unit * (1 - 1e-12)) * unit:.{_DIGITS}g}")


def _smallest_epsilon(ratio: Callable[[float], float], r: float) -> float | None:
    """Find the smallest epsilon at which the ratio is at most r, rounded up to three digits; None where there is none.

    With trials the rounded epsilon may not be enough: then it is the next that is.
    """
    first = next(ends_of_passing(lambda at: _excess(ratio(10**at), r), *LOG_EPSILONS, _NEAR), None)
    if first is None or first == LOG_EPSILONS[0]:
        return None if first is None else EPSILONS[0]
    unit = 10.0 ** (floor(first) - _DIGITS + 1)
    units = ceil(10**first / unit * (1 - 1e-12))
    tried = (float(f"{(units + more) * unit:.{_DIGITS}g}") for more in range(10**_DIGITS))
    return next((rounded for rounded in tried if ratio(rounded) <= r), 10**first)


Task = tuple[LinearModel, Budget, Mechanism, float, int, Run]


def curve_tasks(recommendation: Recommendation, r: float) -> list[Task]:
    """List the arguments of noise_curve for each algorithm of a recommendation; the target r is in standard errors.

    The recommended one is run on all data sets of the answer, so that its epsilon passes there; others on few.
    """
    model, budget, run = recommendation.model, recommendation.budget, recommendation.run
    counts = {recommendation.algorithm: recommendation.datasets}
    few = _affordable(model.n, 3, DATASETS_OF_OTHERS)
    return [(model, budget, m, r, counts.get(m.name, few), run) for m in recommendation.mechanisms]


def size_tasks(recommendation: Recommendation, r: float) -> list[Task]:
    """List the arguments of required_n for each algorithm of a recommendation; the target r is in standard errors."""
    model, budget, run = (
        recommendation.model,
        recommendation.budget,
        Run(TRIALS, recommendation.run.seed),
    )
    return [(model, budget, m, r, DATASETS, run) for m in recommendation.mechanisms]


def _affordable(n: float, fewest: int, most: int) -> int:
    """Return the number of data sets of n records to simulate, between fewest and most."""
    return max(min(fewest, most), min(most, int(RECORDS / n)))


@dataclass(frozen=True)
class SwitchPoint:
    """Value at which another algorithm becomes the best as one parameter moves away from its present value.

    Attributes
    ----------
    end : float
        Last value looked at.
    successor : str, optional
        Algorithm that takes over.
    crossing : Crossing, optional
        Value of the switch and its interval; None where no other algorithm is better up to ``end``.
    """

    parameter: str
    end: float
    successor: str | None
    crossing: Crossing | None


# The candidates' errors at one value of a parameter.
ErrorsAtValue = Callable[[str, float], SweepBatch]


def candidates_at(
    recommendation: Recommendation, parameter: str, value: float, datasets: int = 20
) -> SweepBatch:
    """Measure the candidates' errors on data sets with another n or epsilon; on fewer data sets where n is large.

    Parameters
    ----------
    recommendation : Recommendation
        Its candidates and guesses are used.
    parameter : str
        Parameter of sweep, else ValueError.
    value : float
        Value of the parameter.
    datasets : int
        Largest number of simulated data sets.
    """
    r = recommendation
    n = value if parameter == "n" else r.model.n
    plan = plan_sweep(parameter, [value], r.model, r.budget, r.candidates)
    return simulated_errors(plan, r.run, _affordable(n, 4, datasets)).batches[0]


def switch_point(
    recommendation: Recommendation, parameter: str, direction: int, at_value: ErrorsAtValue
) -> SwitchPoint:
    """Find the nearest switch point below or above the present n or epsilon (direction -1 or 1), all else as it is.

    Halves or doubles the parameter until another candidate has the smallest error, and reads the crossing off the
    values so far. Up to 32 times the present value, n from 10 to 5,000. ``at_value`` is candidates_at, or a function
    that keeps what it returns. ValueError where parameter is neither "n" nor "epsilon".
    """
    if parameter not in _RANGE:
        raise ValueError(f"parameter must be one of {list(_RANGE)}, got {parameter!r}")
    present, now = recommendation.present(parameter), recommendation.algorithm
    low, high = _RANGE[parameter]
    batches = [at_value(parameter, present)]
    for factor in _LADDER:
        value = present * factor**direction
        value = float(round(value)) if parameter in WHOLE else value
        if not low <= value <= high:
            continue
        batches.append(at_value(parameter, value))
        sweep = combine(batches)
        errors = sweep.frame[sweep.frame["value"] == value].set_index("mechanism")["error"]
        best = str(errors.idxmin())
        if now not in (None, best) and np.isfinite(errors[best]):
            nearest = sorted(
                crossings(sweep, now, best),
                key=lambda crossing: abs(np.log(crossing.value / present)),
            )
            if nearest:
                return SwitchPoint(parameter, value, best, nearest[0])
    return SwitchPoint(parameter, batches[-1].value, None, None)
