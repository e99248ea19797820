"""Expected error of an algorithm: C(68) over all its releases on many simulated data sets.

Each release counts with its distance from the center of its own data set, in standard errors of that data set. So OLS
has 1 about the true line: 68% of Gaussian errors are within 0.994 standard deviations.

>>> spreads = spreads_of([[None], [None]], {0: np.array([[1.0], [3.0]]), 1: np.array([[2.0], [np.nan]])},
...                      centers=np.array([[0.0], [0.0]]), units=np.array([[1.0], [1.0]]))
>>> round(expected_error(spreads).value, 1)
2.9
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import scipy  # .interpolate is loaded where it is first used: a first chart does not wait for it
from numpy.typing import ArrayLike
from scipy.special import logit

from ..laws.base import Law, solve_all
from ..laws.solver import Unknowns
from ..support.types import Floats
from .errors import error_bound

SHARE = 0.68
# Shares of the answers whose distances stand for a law; the shares between follow by interpolation.
LEVELS = np.array([0.01, 0.1, 0.3, 0.5, 0.68, 0.84, 0.95, 0.995])
# How far the releases on one data set are from a center at one point, in units of a standard error.
SPREAD = np.dtype([("c68", float), ("answered", float), ("distances", float, LEVELS.size)])
_QUANTILES, _FEWEST = 4_000, 20  # distances that stand for all laws together, for one at least
_NEAR = 0.05  # shares on both sides of SHARE between which the density of the distances is read off
_LEAST = 1e-12  # standard errors, in the place of no distance


def spreads_of(
    laws: Sequence[Sequence[Law | None]],
    trials: Mapping[int, Floats],
    centers: ArrayLike,
    units: ArrayLike,
) -> np.ndarray:
    """Measure how far releases are from the centers of their data sets: dtype SPREAD, shape (data sets, points).

    Parameters
    ----------
    laws : sequence of sequence of Law or None
        Law by data set and point.
    trials : mapping of int to array, shape (trials, points)
        Estimates by number of the data set, in units of y; needed where a law is not known.
    centers, units : array, shape (data sets, points)
        Centers, and the units of the distances, both in units of y.
    """
    centers, units = np.asarray(centers, dtype=float), np.asarray(units, dtype=float)
    usable = np.isfinite(centers) & (units > 0) & np.isfinite(units)
    spreads = np.zeros(centers.shape, SPREAD)
    spreads["c68"] = np.inf
    spreads["distances"] = 1.0  # of no weight where nothing is answered
    cells = [(i, j) for i, j in np.ndindex(centers.shape) if usable[i, j] and i not in trials]
    known_laws = [law for law in (laws[i][j] for i, j in cells) if law is not None]
    if len(known_laws) < len(cells):
        raise ValueError("trials must be given where a law is not known, got None")
    if cells:
        where = tuple(np.array(cells).T)
        spreads[where] = _spreads_of_laws(known_laws, centers[where], units[where])
    for i, drawn in trials.items():
        for j in np.flatnonzero(usable[i]).tolist():
            spreads[i, j] = _spread_of_trials(drawn[:, j], centers[i, j], units[i, j])
    return spreads


def _spreads_of_laws(laws: Sequence[Law], centers: Floats, units: Floats) -> np.ndarray:
    spreads = np.zeros(len(laws), SPREAD)
    answered = np.array([1 - law.failure for law in laws])
    masses = np.column_stack([answered[:, None] * LEVELS, np.full(len(laws), SHARE)])
    law, column = np.nonzero((masses > 0) & (masses <= answered[:, None]))
    distances = np.full(masses.shape, np.inf)
    distances[law, column] = solve_all(laws, Unknowns(law, masses[law, column], centers[law]))
    distances /= units[:, None]
    spreads["c68"], spreads["answered"] = distances[:, -1], answered
    spreads["distances"] = np.where(answered[:, None] > 0, distances[:, :-1], 1.0)
    return spreads


def _spread_of_trials(estimates: Floats, center: float, unit: float) -> tuple[float, float, Floats]:
    answers = estimates[~np.isnan(estimates)]
    distances = np.ones(LEVELS.size)
    if answers.size:
        distances = np.quantile(np.abs(answers - center), LEVELS, method="hazen") / unit
    return (
        error_bound(estimates, center, 100 * SHARE) / unit,
        answers.size / estimates.size,
        distances,
    )


class ExpectedError(NamedTuple):
    """C(68) over the releases on all data sets, in standard errors.

    Attributes
    ----------
    value : float
        C(68); infinite where more than 32% of the releases fail.
    influence : array, shape (data sets,)
        Influence of each data set on the value, which is their mean to first order; they are independent.
    """

    value: float
    influence: Floats

    @property
    def monte_carlo_error(self) -> float:
        """Standard error of the value; NaN for one data set, or where the value is infinite."""
        return _standard_error(self.influence)

    def difference_error(self, other: ExpectedError) -> float:
        """Return the standard error of the difference of two values over the same data sets; inf if unknown."""
        if np.isinf(self.value) or np.isinf(other.value):
            return np.inf
        error = _standard_error(self.influence - other.influence)
        return np.inf if np.isnan(error) else error


def expected_error(spreads: np.ndarray) -> ExpectedError:
    """Compute C(68) over the releases on all data sets and at all points.

    Each law stands as equally likely distances, interpolated between those of LEVELS (the logarithm against the
    log-odds of the share, without overshooting). As a rule the value is within 0.2% of C(68) of the mixture of all
    laws, within 1% on few data sets of few records.
    The error of the value is the error of the mean mass within it, over the density of the distances there.

    Parameters
    ----------
    spreads : array of SPREAD, shape (data sets, points)
        Distances, from spreads_of.
    """
    return expected_errors(spreads[:, None])[0]


def expected_errors(spreads: np.ndarray) -> list[ExpectedError]:
    """Compute expected_error of each mechanism from spreads of shape (data sets, mechanisms, points)."""
    if not spreads.size:
        return []
    count = max(_FEWEST, -(-_QUANTILES * spreads.shape[1] // spreads.size))
    shares = np.clip((np.arange(count) + 0.5) / count, LEVELS[0], LEVELS[-1])
    logarithms = np.log(np.maximum(spreads["distances"], _LEAST))
    distances = np.exp(
        scipy.interpolate.PchipInterpolator(logit(LEVELS), logarithms, axis=-1)(logit(shares))
    )
    weights = np.broadcast_to(
        spreads["answered"][..., None] / distances[:, 0].size, distances.shape
    )
    return [_pooled(distances[:, i], weights[:, i]) for i in range(spreads.shape[1])]


def _pooled(distances: Floats, weights: Floats) -> ExpectedError:
    """Compute C(68) of weighted distances, both of shape (data sets, points, distances)."""
    order = np.argsort(distances, axis=None)
    ascending, sorted_weights = distances.ravel()[order], weights.ravel()[order]
    mass = np.cumsum(sorted_weights)
    answered, middles = float(mass[-1]), mass - sorted_weights / 2
    if answered < SHARE - 1e-9:
        return ExpectedError(np.inf, np.full(len(distances), np.nan))
    value = float(np.interp(SHARE, middles, ascending))
    within = len(distances) * (weights * (distances <= value)).sum(axis=(1, 2))
    half = max(_NEAR, 2 * np.nan_to_num(_standard_error(within)))
    low, high = max(SHARE - half, 0.0), min(SHARE + half, answered)
    near, far = np.interp([low, high], middles, ascending)
    return ExpectedError(value, (SHARE - within) * (far - near) / (high - low))


def _standard_error(numbers: Floats) -> float:
    """Return the standard error of a mean of independent numbers; NaN of one number."""
    return float(np.std(numbers, ddof=1) / np.sqrt(numbers.size)) if numbers.size > 1 else np.nan
