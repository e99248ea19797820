"""Errors of releases about a center: off an exact law, or off trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, isnan, nan

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr

from ..dataset import ROUNDING, Dataset, without_rounding
from ..laws.base import Law, bounds_together, measure_together
from ..mechanisms.base import Mechanism
from ..privacy import Budget
from ..privacy.accounting import paid
from ..sources.linear import LinearModel
from ..support import validate
from ..support.columns import float_array
from ..support.run import Run, checkpoint, stream
from ..support.types import Floats


@dataclass(frozen=True)
class ErrorSummary:
    """The errors of one release about a center, in units of y.

    c68, c95: C(q), the smallest c with q% of the releases within c of the center; inf where too many fail, and 0 where
    c is rounding. c68_low and c68_high hold the true C(68) with 95% confidence; they are c68 where it is exact.
    median: of the answers; NaN without any. failure: the share of releases without an answer; fallback: the share
    answered by a cruder method. exact: read off an exact law; how: in words.

    The two sources of the error: gap, the distance from the center to the algorithm's own target (Mechanism.target),
    which no epsilon buys down; and noise, C(68) about that target. They do not add up: c68 is at most gap + noise. NaN
    where they are not asked for, or there is no target.
    """

    c68: float
    c68_low: float
    c68_high: float
    c95: float
    median: float
    failure: float
    fallback: float
    exact: bool
    how: str
    gap: float = nan
    noise: float = nan

    def ratios(self, standard_error: float) -> tuple[float, float, float]:
        """c68, c68_low and c68_high over a standard error; where that is 0 or undefined, inf, or NaN for no error."""
        usable = 0 < standard_error < inf
        c68, low, high = (
            bound / standard_error if usable else inf if bound > 0 else nan
            for bound in (self.c68, self.c68_low, self.c68_high)
        )
        return c68, low, high


def refuse_without_sampling_error(source: LinearModel | Dataset) -> None:
    """ValueError, a sentence, where errors cannot be measured in standard errors: there are none, or no line."""
    if isinstance(source, Dataset):
        why_no_line = "x is constant" if source.x_is_constant else ""
        why_no_error = "all records lie on one line" if source.residual_sd == 0 else ""
    else:  # standard deviations that the data set of such a model takes for rounding
        flat, exact = (variance <= ROUNDING**2 for variance in (source.var_x, source.var_e))
        why_no_line = (
            f"the variance of x, σₓ², is {source.var_x:g}: take a larger one" if flat else ""
        )
        why_no_error = (
            f"the residual variance, σₑ², is {source.var_e:g}: take a larger one" if exact else ""
        )
    if why_no_line:
        raise ValueError(f"no line can be fitted, as {why_no_line}")
    if why_no_error:
        raise ValueError(f"there is no sampling error to compare with, as {why_no_error}")


def measure(
    datasets: Sequence[Dataset], mechanism: Mechanism, budget: Budget, run: Run, parts: bool = True
) -> list[list[ErrorSummary]]:
    """The errors about OLS of each data set at every point, off laws where each point has one, else off trials.

    parts: whether gap and noise are asked for.

    ValueError where the accounting of the budget leaves the mechanism out.
    Source: C(68) and C(95) of Section "Error Metric".
    """
    budget = paid(mechanism, budget)
    laws = mechanism.laws(datasets, budget.epsilon, budget.at)
    without = [i for i, each in enumerate(laws) if any(law is None for law in each)]
    drawn = draw([datasets[i] for i in without], mechanism, budget, run) if without else []
    centers = [ols(data, budget)[0] for data in datasets]
    targets = [mechanism.target(data, budget.at) for data in datasets] if parts else None
    return summarise(laws, dict(zip(without, drawn, strict=True)), centers, targets)


def ols(data: Dataset, budget: Budget) -> tuple[Floats, Floats]:
    """The OLS predictions and their standard errors, each of shape (len(at),); cached with the data."""
    at = budget.at
    return data.cached(("OLS", *at), lambda: (data.predict(at), data.standard_error(at)), few=True)


def draw(
    datasets: Sequence[Dataset], mechanism: Mechanism, budget: Budget, run: Run
) -> list[Floats]:
    """The trials on each data set, shape (trials, len(at)), in units of y, each data set from a stream of its own.

    ValueError where the accounting of the budget leaves the mechanism out.
    """
    checkpoint()
    at, epsilon = np.array(budget.at), paid(mechanism, budget).epsilon
    streams = [release_stream(run.seed, data, mechanism, epsilon, at) for data in datasets]
    return mechanism.releases(datasets, epsilon, at, run.trials, streams)


def release_stream(
    seed: int, data: Dataset, mechanism: Mechanism, epsilon: float, at: Floats
) -> np.random.Generator:
    """The generator of one experiment's draws, of its own for whatever determines the release.

    seed: 0 or more, else ValueError.
    data: known by its digest.
    mechanism: known by its hyperparameters.
    epsilon: what the mechanism spends.
    at: the points, shape (m,).

    Were epsilon or at left out, releases at two budgets, or at two points, would share their noise, and the
    difference of both would give the data away. A seed that others know makes no noise: such draws illustrate.
    """
    return stream(seed, data.digest, repr(mechanism), float(epsilon), at.tolist())


def summarise(
    laws: Sequence[Sequence[Law | None]],
    trials: Mapping[int, Floats],
    centers: Sequence[Floats],
    targets: Sequence[Floats] | None = None,
) -> list[list[ErrorSummary]]:
    """The errors of each data set about each of its centers, shape (points,); laws of one kind are measured together.

    laws: of each data set and point. trials: by number of the data set, shape (trials, points); they count for all
    points where the law of one is not known, else ValueError. targets: of the algorithm, as centers; without them gap
    and noise are NaN.
    """
    checkpoint()
    known = [[law for law in each if law is not None] for each in laws]
    exact = {
        i: some
        for i, (some, each) in enumerate(zip(known, laws, strict=True))
        if len(some) == len(each)
    }
    if len(exact.keys() | trials.keys()) < len(laws):
        raise ValueError("trials must be given where a law is not known, got None")
    cells = [(i, j) for i, center in enumerate(centers) for j in range(center.size)]
    of_law = [(i, j) for i, j in cells if i in exact]
    about = [float(centers[i][j]) for i, j in of_law]
    numbers = measure_together([exact[i][j] for i, j in of_law], (68, 95), about)
    measured = dict(zip(of_law, numbers, strict=True))
    summaries = [
        [
            _of_law(exact[i][j], center, *measured[i, j])
            if i in exact
            else _of_trials(trials[i][:, j], center)
            for j, center in enumerate(of_data.tolist())
        ]
        for i, of_data in enumerate(centers)
    ]
    if targets is None:
        return summaries
    gaps = [
        without_rounding(np.abs(target - center))
        for target, center in zip(targets, centers, strict=True)
    ]
    apart = [(i, j) for i, j in cells if 0 < gaps[i][j] < inf]
    of_law = [(i, j) for i, j in apart if i in exact]
    about = [float(targets[i][j]) for i, j in of_law]
    noises = dict(
        zip(
            of_law,
            bounds_together([exact[i][j] for i, j in of_law], 68, about).tolist(),
            strict=True,
        )
    )
    noises |= {
        (i, j): error_bound(trials[i][:, j], targets[i][j], 68) for i, j in apart if i not in exact
    }
    for i, j in cells:  # where the target is the center, the noise is C(68)
        gap, e = float(gaps[i][j]), summaries[i][j]
        noise = nan if isnan(targets[i][j]) else noises.get((i, j), e.c68)
        summaries[i][j] = replace(e, gap=gap, noise=noise)
    return summaries


def _of_law(law: Law, center: float, bounds: Floats, median: float) -> ErrorSummary:
    interval = law.error_bound_interval(68, center) if not law.exact else (bounds[0], bounds[0])
    c68, low, high, c95 = without_rounding([bounds[0], *interval, bounds[1]]).tolist()
    return ErrorSummary(
        c68, low, high, c95, median, law.failure, float(law.fallback), law.exact, law.how
    )


def _of_trials(estimates: Floats, center: float) -> ErrorSummary:
    errors, answers, trials = (
        _sorted_errors(estimates, center),
        np.sort(estimates),
        estimates.size,
    )  # NaN last
    answered = trials - int(np.isnan(estimates).sum())
    ranks = (_rank(trials, 68), *_ranks_around(trials, 68, 0.95), _rank(trials, 95))
    c68, low, high, c95 = without_rounding(_bounds_at(errors, *ranks)).tolist()
    median = float(answers[(answered - 1) // 2] + answers[answered // 2]) / 2 if answered else nan
    failure = 1 - answered / trials
    return ErrorSummary(c68, low, high, c95, median, failure, 0.0, False, f"{trials:,} trials")


def error_bound(estimates: ArrayLike, center: float, q: float) -> float:
    """The empirical C(q): the smallest c with at least q% of the trials within c of center.

    estimates: shape (trials,), in units of y; NaN = failed, infinitely far off, so inf where too many failed.
    q: in [0, 100]. ValueError where it is not, or estimates are empty or not one-dimensional.
    Source: Section "Error Metric".

    >>> error_bound([0.0, 0.5, np.nan, 0.25], center=0.25, q=75), error_bound([0.5, np.nan], center=0.25, q=75)
    (0.25, inf)
    """
    validate.inside(0, 100, q=q)
    errors = _sorted_errors(estimates, center)
    return _bounds_at(errors, _rank(errors.size, float(q)))[0]


def error_bound_interval(
    estimates: ArrayLike, center: float, q: float, confidence: float = 0.95
) -> tuple[float, float]:
    """Order statistics of the errors that hold the true C(q) with at least this confidence.

    estimates: shape (trials,), in units of y, NaN = failed. How many of them fall within C(q) is
    binomial(trials, q/100), whatever the law: no assumption. ValueError where estimates are empty or not
    one-dimensional.
    """
    validate.inside(0, 100, q=q)
    validate.inside(0, 1, closed="neither", confidence=confidence)
    errors = _sorted_errors(estimates, center)
    low, high = _bounds_at(errors, *_ranks_around(errors.size, float(q), float(confidence)))
    return low, high


def _rank(trials: int, q: float) -> int:
    """The rank of C(q) among the sorted errors, from 1; 0 where none is needed."""
    return int(np.ceil(q / 100 * trials - 1e-9))


@lru_cache(32)
def _ranks_around(trials: int, q: float, confidence: float) -> tuple[int, int]:
    """The ranks of the sorted errors that hold C(q), from 1."""
    tail = (1 - confidence) / 2
    at_most = bdtr(np.arange(trials + 1, dtype=float), trials, q / 100)
    low = int(np.searchsorted(at_most, tail, side="right"))  # P(count < low) <= tail
    return low, int(np.searchsorted(at_most, 1 - tail, side="left")) + 1  # P(count >= high) <= tail


def _bounds_at(errors: Floats, *ranks: int) -> list[float]:
    """The sorted errors at these ranks, from 1: 0 before the first one and inf after the last."""
    return [
        0.0 if rank < 1 else inf if rank > errors.size else float(errors[rank - 1])
        for rank in ranks
    ]


def _sorted_errors(estimates: ArrayLike, center: float) -> Floats:
    """|estimates - center| in ascending order, failures as inf."""
    errors = np.abs(
        float_array(estimates, "estimates", missing_as_nan=True) - validate.number("center", center)
    )
    if errors.ndim != 1 or errors.size == 0:
        raise ValueError(
            f"estimates must be one-dimensional and not empty, got shape {errors.shape}"
        )
    return np.sort(np.where(np.isnan(errors), inf, errors))
