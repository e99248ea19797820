"""Errors of releases about a center: from an exact law, or from trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, isnan, nan
from typing import cast

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
    """Errors of the releases at one point about a center, in units of y.

    Attributes
    ----------
    c68, c95 : float
        C(q), the smallest c with q% of the releases within c of the center; inf where too many fail, and 0 where c is
        rounding.
    c68_low, c68_high : float
        Limits of the true C(68) with 95% confidence; equal to c68 where it is exact.
    median : float
        Median of the answers; NaN without any.
    failure, fallback : float
        Share of the releases without an answer, and share answered by a cruder method.
    exact : bool
        Whether the errors are computed from an exact law.
    how : str
        How they were computed, in words.
    gap : float
        Distance from the center to the algorithm's own target (Mechanism.target), which no epsilon buys down. NaN where
        it is not computed, or there is no target.
    noise : float
        C(68) about that target; NaN as the gap. The two do not add up: c68 is at most gap + noise.
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
        """Divide c68, c68_low and c68_high by a standard error; if it is 0 or undefined, inf, or NaN for no error."""
        usable = 0 < standard_error < inf
        c68, low, high = (
            bound / standard_error if usable else inf if bound > 0 else nan
            for bound in (self.c68, self.c68_low, self.c68_high)
        )
        return c68, low, high


def refuse_without_sampling_error(source: LinearModel | Dataset) -> None:
    """Raise ValueError, a sentence, where no line can be fitted, or there is no sampling error to compare with."""
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
    """Measure the errors about OLS on each data set at every point, from laws or, where a point lacks one, trials.

    Source: C(68) and C(95) of Section "Error Metric".

    Parameters
    ----------
    datasets : sequence of Dataset
        Data sets, in the unit square.
    mechanism : Mechanism
        Algorithm with its hyperparameters.
    budget : Budget
        Epsilon and the points of each release, and what the algorithm may spend.
    run : Run
        Trials where there is no law, and the seed.
    parts : bool
        Whether gap and noise are computed; otherwise they are NaN.

    Returns
    -------
    list of list of ErrorSummary
        By data set and point.

    Raises
    ------
    ValueError
        Where the accounting of the budget leaves the mechanism out.
    """
    budget = paid(mechanism, budget)
    laws = mechanism.laws(datasets, budget.epsilon, budget.at)
    without = [i for i, laws_of_data in enumerate(laws) if any(law is None for law in laws_of_data)]
    drawn = draw([datasets[i] for i in without], mechanism, budget, run) if without else []
    centers = [ols(data, budget)[0] for data in datasets]
    targets = [mechanism.target(data, budget.at) for data in datasets] if parts else None
    return summarise(laws, dict(zip(without, drawn, strict=True)), centers, targets)


def ols(data: Dataset, budget: Budget) -> tuple[Floats, Floats]:
    """Return the OLS predictions and their standard errors, shapes (len(at),), in units of y; cached with the data."""
    at = budget.at
    return data.cached(
        ("OLS", *at), lambda: (data.predict(at), data.standard_error(at)), small_value=True
    )


def draw(
    datasets: Sequence[Dataset], mechanism: Mechanism, budget: Budget, run: Run
) -> list[Floats]:
    """Draw the trials on each data set, shape (trials, len(at)), in units of y, every data set from its own stream.

    ValueError where the accounting of the budget leaves the mechanism out.
    """
    checkpoint()
    at, epsilon = np.array(budget.at), paid(mechanism, budget).epsilon
    streams = [release_stream(run.seed, data, mechanism, epsilon, at) for data in datasets]
    return mechanism.releases(datasets, epsilon, at, run.trials, streams)


def release_stream(
    seed: int, data: Dataset, mechanism: Mechanism, epsilon: float, at: Floats
) -> np.random.Generator:
    """Return the generator of one experiment's draws, which belongs to all that determines the release.

    If epsilon or at were left out, releases at two budgets, or at two points, would share their noise, and the
    difference of both would give the data away. A seed that others know makes no noise: such draws illustrate.

    Parameters
    ----------
    seed : int
        Seed, 0 or more, else ValueError.
    data : Dataset
        Records, recognised by their digest.
    mechanism : Mechanism
        Algorithm, recognised by its hyperparameters.
    epsilon : float
        Epsilon that the mechanism spends.
    at : array, shape (m,)
        Points of the release, in the unit square.
    """
    return stream(seed, data.digest, repr(mechanism), float(epsilon), at.tolist())


def summarise(
    laws: Sequence[Sequence[Law | None]],
    trials: Mapping[int, Floats],
    centers: Sequence[Floats],
    targets: Sequence[Floats] | None = None,
) -> list[list[ErrorSummary]]:
    """Compute the errors on each data set about each of its centers; laws of one kind are measured together.

    Parameters
    ----------
    laws : sequence of sequence of Law or None
        Law by data set and point, None where there is none.
    trials : mapping of int to array, shape (trials, points)
        Estimates by number of the data set, in units of y. They count for all points of a data set that lacks a law at
        any point.
    centers : sequence of array, shape (points,)
        Center of the errors, by data set and point, in units of y.
    targets : sequence of array, shape (points,), optional
        Target of the algorithm, as the centers; without it gap and noise are NaN.

    Returns
    -------
    list of list of ErrorSummary
        By data set and point.

    Raises
    ------
    ValueError
        Where a data set has neither all laws nor trials.
    """
    checkpoint()
    exact = [all(law is not None for law in of_data) for of_data in laws]
    if not all(exact[i] or i in trials for i in range(len(laws))):
        raise ValueError("trials must be given where a law is not known, got None")
    cells = [(i, j) for i, of_data in enumerate(centers) for j in range(len(of_data))]
    center = {(i, j): float(centers[i][j]) for i, j in cells}
    law = {(i, j): cast(Law, laws[i][j]) for i, j in cells if exact[i]}
    measured = measure_together(list(law.values()), (68, 95), [center[cell] for cell in law])
    summaries = {}
    for cell, (bounds, median) in zip(law, measured, strict=True):
        summaries[cell] = _of_law(law[cell], center[cell], bounds, median)
    for i, j in cells:
        if not exact[i]:
            summaries[i, j] = _of_trials(trials[i][:, j], center[i, j])
    if targets is not None:
        target = {(i, j): float(targets[i][j]) for i, j in cells}
        gaps = {cell: float(without_rounding(abs(target[cell] - center[cell]))) for cell in cells}
        # Where the target is the center, the noise is C(68).
        noise = {cell: nan if isnan(target[cell]) else summaries[cell].c68 for cell in cells}
        apart = [cell for cell in cells if 0 < gaps[cell] < inf]
        with_law = [cell for cell in apart if cell in law]
        about = [target[cell] for cell in with_law]
        bounds = bounds_together([law[cell] for cell in with_law], (68,), about)
        noise |= zip(with_law, bounds[:, 0].tolist(), strict=True)
        for i, j in apart:
            if not exact[i]:
                noise[i, j] = error_bound(trials[i][:, j], target[i, j], 68)
        for cell in cells:
            summaries[cell] = replace(summaries[cell], gap=gaps[cell], noise=noise[cell])
    return [[summaries[i, j] for j in range(len(of_data))] for i, of_data in enumerate(centers)]


def _of_law(law: Law, center: float, bounds: Floats, median: float) -> ErrorSummary:
    interval = law.error_bound_interval(68, center) if not law.exact else (bounds[0], bounds[0])
    c68, low, high, c95 = without_rounding([bounds[0], *interval, bounds[1]]).tolist()
    return ErrorSummary(
        c68, low, high, c95, median, law.failure, float(law.fallback), law.exact, law.how
    )


def _of_trials(estimates: Floats, center: float) -> ErrorSummary:
    errors, trials = _sorted_errors(estimates, center), estimates.size
    answers = np.sort(estimates)  # NaN last
    answered = trials - int(np.isnan(estimates).sum())
    ranks = (_rank(trials, 68), *_ranks_around(trials, 68, 0.95), _rank(trials, 95))
    c68, low, high, c95 = without_rounding(_bounds_at(errors, *ranks)).tolist()
    median = float(answers[(answered - 1) // 2] + answers[answered // 2]) / 2 if answered else nan
    failure = 1 - answered / trials
    return ErrorSummary(c68, low, high, c95, median, failure, 0.0, False, f"{trials:,} trials")


def error_bound(estimates: ArrayLike, center: float, q: float) -> float:
    """Compute the empirical C(q): the smallest c with at least q% of the trials within c of center.

    Source: Section "Error Metric".

    Parameters
    ----------
    estimates : array, shape (trials,)
        Estimates in units of y; NaN = failed, infinitely far off.
    center : float
        Center of the errors, in units of y.
    q : float
        Percentage, in [0, 100].

    Returns
    -------
    float
        C(q) in units of y; inf where too many trials failed.

    Raises
    ------
    ValueError
        Where q is out of range, or estimates are empty or not one-dimensional.

    Examples
    --------
    >>> error_bound([0.0, 0.5, np.nan, 0.25], center=0.25, q=75), error_bound([0.5, np.nan], center=0.25, q=75)
    (0.25, inf)
    """
    validate.inside(0, 100, q=q)
    errors = _sorted_errors(estimates, center)
    return _bounds_at(errors, _rank(errors.size, float(q)))[0]


def error_bound_interval(
    estimates: ArrayLike, center: float, q: float, confidence: float = 0.95
) -> tuple[float, float]:
    """Return order statistics of the errors that hold the true C(q) with at least this confidence.

    The number of trials within C(q) is binomial(trials, q/100), whatever the law: no assumption.

    Parameters
    ----------
    estimates : array, shape (trials,)
        Estimates in units of y; NaN = failed.
    center : float
        Center of the errors, in units of y.
    q : float
        Percentage, in [0, 100].
    confidence : float
        Probability, in (0, 1).

    Returns
    -------
    tuple of float
        Lower and upper limit in units of y; 0 or inf where no trial is a limit.

    Raises
    ------
    ValueError
        Where an argument is out of range, or estimates are empty or not one-dimensional.
    """
    validate.inside(0, 100, q=q)
    validate.inside(0, 1, closed="neither", confidence=confidence)
    errors = _sorted_errors(estimates, center)
    low, high = _bounds_at(errors, *_ranks_around(errors.size, float(q), float(confidence)))
    return low, high


def _rank(trials: int, q: float) -> int:
    """Return the rank of C(q) among the sorted errors, from 1; 0 for q = 0."""
    return int(np.ceil(q / 100 * trials - 1e-9))


@lru_cache(32)
def _ranks_around(trials: int, q: float, confidence: float) -> tuple[int, int]:
    """Return the ranks, from 1, of the sorted errors that hold C(q)."""
    tail = (1 - confidence) / 2
    at_most = bdtr(np.arange(trials + 1, dtype=float), trials, q / 100)
    low = int(np.searchsorted(at_most, tail, side="right"))  # P(count < low) <= tail
    return low, int(np.searchsorted(at_most, 1 - tail, side="left")) + 1  # P(count >= high) <= tail


def _bounds_at(errors: Floats, *ranks: int) -> list[float]:
    """Return the sorted errors at these ranks, from 1: 0 before the first error and inf after the last."""
    return [
        0.0 if rank < 1 else inf if rank > errors.size else float(errors[rank - 1])
        for rank in ranks
    ]


def _sorted_errors(estimates: ArrayLike, center: float) -> Floats:
    """Return |estimates - center| in ascending order, failures as inf."""
    errors = np.abs(
        float_array(estimates, "estimates", missing_as_nan=True) - validate.number("center", center)
    )
    if errors.ndim != 1 or errors.size == 0:
        raise ValueError(
            f"estimates must be one-dimensional and not empty, got shape {errors.shape}"
        )
    return np.sort(np.where(np.isnan(errors), inf, errors))
