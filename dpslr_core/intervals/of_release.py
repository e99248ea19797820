"""Intervals and a slope test as post-processing of a release: the data are not read again."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from ..support import validate
from ..support.run import QUARTERS
from ..support.types import Floats
from .equation import Intervals, LineEquation, Target

_AT_ONCE = 400_000  # simulated releases held at a time


@runtime_checkable
class Released(Protocol):
    """Statistics that a mechanism released beside predictions, with the public facts of its noise."""

    def equation(self, at: ArrayLike) -> LineEquation:
        """Return the equation of the line at m points `at`, shape (m,), in units of x."""


def confidence_interval(
    release: Released,
    at: ArrayLike = QUARTERS,
    level: float = 0.95,
    *,
    target: Target = Target.TRUE_LINE,
) -> Intervals:
    """Compute intervals for the true line at m points, from sampling error and noise, at no further privacy budget.

    By Fieller's method: no end where the slope is not identified. Private, as a function of released and public
    numbers.

    Parameters
    ----------
    release : Released
        Result of release_statistics of a mechanism, with one release or `size` releases.
    at : array-like, shape (m,), in units of x
        Finite points.
    level : float
        Share of intervals that should hold the target, between 0 and 1.
    target : Target
        The true line, or OLS on these records as in privacy_interval.

    Returns
    -------
    Intervals
        With ends of shape (size, m), in units of y.

    Raises
    ------
    ValueError
        Where level or at is out of range.
    TypeError
        Where release does not come from release_statistics.

    Examples
    --------
    >>> from dpslr_core import Dataset
    >>> from dpslr_core.mechanisms import CenteredStats
    >>> data = Dataset(x=[i / 199 for i in range(200)], y=[0.3 + 0.4 * (i % 7 == 0) for i in range(200)])
    >>> release = CenteredStats().release_statistics(data, epsilon=8.0, size=1, rng=np.random.default_rng(7))
    >>> full, private = confidence_interval(release, at=0.5), privacy_interval(release, at=0.5)
    >>> bool((private.width < full.width).all()), bool(private.hold(data.predict(0.5)).all())
    (True, True)
    """
    validate.inside(0, 1, closed="neither", level=level)
    points, level = validate.points(at=at), float(level)
    if not isinstance(release, Released):
        raise TypeError(
            "release must come from a mechanism's release_statistics, got "
            f"{validate.given(release)}"
        )
    equation = release.equation(points)
    equation = equation if target is Target.TRUE_LINE else equation.of_ols()
    return equation.fieller(level)


def privacy_interval(
    release: Released,
    at: ArrayLike = QUARTERS,
    level: float = 0.95,
) -> Intervals:
    """Compute intervals for OLS on these records at m points, from the noise alone, at no further privacy budget.

    As confidence_interval, which has an example.

    Parameters
    ----------
    release : Released
        Result of release_statistics of a mechanism.
    at : array-like, shape (m,), in units of x
        Finite points.
    level : float
        Share of intervals that should hold the OLS prediction, between 0 and 1.

    Returns
    -------
    Intervals
        With ends of shape (size, m), in units of y.
    """
    return confidence_interval(release, at, level, target=Target.OLS)


TEST_REPETITIONS = 399


class SlopeTest(NamedTuple):
    """Result of ``slope_test``, named as in scipy: F as `statistic` and p as `pvalue`, shape (size,) each."""

    statistic: Floats
    pvalue: Floats


def slope_test(
    release: Any, repetitions: int = TEST_REPETITIONS, *, rng: np.random.Generator
) -> SlopeTest:
    """Test the hypothesis that the true slope is 0, for every release, at no further privacy budget.

    F = ncov^2 / (nvar sigma_e^2), 0 where nvar <= 0. p = (1 + #{F* >= F}) / (1 + repetitions) with F* of releases from
    data with slope 0 that are otherwise as the release describes them. Source: Alabi and Vadhan (2022).

    Parameters
    ----------
    release : result of CenteredStats.release_statistics
        Or any release with a method ``simulated`` that draws releases of data with a given slope.
    repetitions : int
        Simulated releases per release, 19 or more. The smallest p value is 1 / (repetitions + 1).
    rng : Generator
        Source of the simulated releases.

    Returns
    -------
    SlopeTest
        F and p, shape (size,) each.

    Raises
    ------
    ValueError
        Where the release has no ``simulated``, or repetitions < 19.

    Examples
    --------
    >>> from dpslr_core import Dataset
    >>> from dpslr_core.mechanisms import CenteredStats
    >>> data = Dataset(x=[i / 199 for i in range(200)], y=[0.2 + i / 400 for i in range(200)])
    >>> release = CenteredStats().release_statistics(data, epsilon=8.0, size=1, rng=np.random.default_rng(7))
    >>> slope_test(release, rng=np.random.default_rng(7)).pvalue.tolist()
    [0.0025]
    """
    validate.generator(rng=rng)
    validate.integer(19, repetitions=repetitions)
    if not hasattr(release, "simulated"):
        raise ValueError(
            "release must describe its data well enough to simulate them, got "
            f"{type(release).__name__}"
        )
    statistic, p_values, step = f_statistic(release), [], max(1, _AT_ONCE // repetitions)
    for first in range(0, release.nvar.size, step):
        batch = release.take(slice(first, first + step))
        null = f_statistic(batch.simulated(repetitions, rng, slope=0.0)).reshape(-1, repetitions)
        p_values.append(
            (1 + (null >= statistic[first : first + step, None]).sum(axis=1)) / (1 + repetitions)
        )
    return SlopeTest(statistic, np.concatenate(p_values))


def f_statistic(release: Any) -> Floats:
    """Compute ncov^2 / (nvar sigma_e^2), shape (size,); 0 where nvar <= 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = release.ncov**2 / (release.nvar * release.residual_sd**2)
    return np.where(release.nvar > 0, ratio, 0.0)
