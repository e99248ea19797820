"""Intervals and a slope test as post-processing of a release: the data are not looked at again."""

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
    """What a mechanism released beside predictions, with all that is public about its noise."""

    def equation(self, at: ArrayLike) -> LineEquation:
        """What it says about the line at the points of at, shape (m,)."""


def confidence_interval(
    release: Released,
    at: ArrayLike = QUARTERS,
    level: float = 0.95,
    *,
    target: Target = Target.TRUE_LINE,
) -> Intervals:
    """Where the true line lies at each point: sampling error and noise together, at no further privacy budget.

    release: what release_statistics of a mechanism returns, of one or several releases.
    at: shape (m,), finite.
    level: between 0 and 1.
    target: the true line, or OLS on these records: see privacy_interval.

    By Fieller's method: no end where the slope is not identified. Private, as a function of what was released and of
    what is public. ValueError names the argument that cannot be, TypeError where release is nothing that a mechanism
    released.

    >>> from dpslr_core import Dataset
    >>> from dpslr_core.mechanisms import CenteredStats
    >>> data = Dataset(x=[i / 199 for i in range(200)], y=[0.3 + 0.4 * (i % 7 == 0) for i in range(200)])
    >>> release = CenteredStats().release_statistics(data, epsilon=8.0, size=1, rng=np.random.default_rng(7))
    >>> found, private = confidence_interval(release, at=0.5), privacy_interval(release, at=0.5)
    >>> bool((private.width < found.width).all()), bool(private.hold(data.predict(0.5)).all())
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
    """Where OLS on these records lies at each point: noise alone; otherwise as confidence_interval."""
    return confidence_interval(release, at, level, target=Target.OLS)


TEST_REPETITIONS = 399


class SlopeTest(NamedTuple):
    """What ``slope_test`` finds, named as the tests of scipy name it.

    statistic, pvalue: F and p of each release, shape (size,).
    """

    statistic: Floats
    pvalue: Floats


def slope_test(
    release: Any, repetitions: int = TEST_REPETITIONS, *, rng: np.random.Generator
) -> SlopeTest:
    """Test of the hypothesis that the true slope is 0, for each release; it costs no privacy budget.

    release: from CenteredStats.release_statistics, or another that can be ``simulated`` with a slope of 0.
    repetitions: simulated releases for each; the smallest p value is 1 / (repetitions + 1).

    F = ncov^2 / (nvar sigma_e^2), 0 where nvar <= 0. p = (1 + #{F* >= F}) / (1 + repetitions) with F* of releases from
    data with slope 0 that are otherwise as the release describes them. ValueError where the release tells no residual
    variance, or repetitions < 19. Source: Alabi and Vadhan (2022).
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
        part = release.take(slice(first, first + step))
        null = f_statistic(part.simulated(repetitions, rng, slope=0.0)).reshape(-1, repetitions)
        p_values.append(
            (1 + (null >= statistic[first : first + step, None]).sum(axis=1)) / (1 + repetitions)
        )
    return SlopeTest(statistic, np.concatenate(p_values))


def f_statistic(release: Any) -> Floats:
    """ncov^2 / (nvar sigma_e^2), shape (size,); 0 where nvar <= 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = release.ncov**2 / (release.nvar * release.residual_sd**2)
    return np.where(release.nvar > 0, ratio, 0.0)
