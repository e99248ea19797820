"""Intervals and a slope test as post-processing of a release: the data are not looked at again."""

from __future__ import annotations

from math import floor
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from ..support import validate
from ..support.run import QUARTERS
from ..support.types import Floats
from .equation import Intervals, LineEquation, Method, Target

REPETITIONS = 400
_ROUNDING = 1e-9
_AT_ONCE = 400_000  # simulated releases held at a time


class Simulable(Protocol):
    """A release that describes data well enough to simulate them; its arrays have the shape (size,)."""

    @property
    def fallback(self) -> np.ndarray:
        """Whether the slope has no answer, shape (size,)."""

    def predict(self, at: ArrayLike) -> Floats:
        """The released line, shape (size, len(at))."""

    def simulated(
        self, count: int, rng: np.random.Generator, errors: bool = True, slope: float | None = None
    ) -> Simulable:
        """count releases from simulated data for each, those of one release together; errors: with new y, too."""

    def part(self, first: int, last: int) -> Simulable:
        """Those releases."""


def bootstrap_intervals(
    release: Any, at: Floats, level: float, errors: bool, repetitions: int, rng: np.random.Generator
) -> Intervals:
    """The middle share level of the predictions of simulated releases: percentile intervals.

    at: shape (m,). errors: for the true line; otherwise for OLS on these records. A simulated release without a slope
    counts as infinitely far off on either side. Source: Ferrando, Wang and Sheldon (2022), with x fixed.
    """
    validate.generator(rng=rng)
    validate.integer(20, repetitions=repetitions)
    estimate = release.predict(at)
    step = max(1, _AT_ONCE // repetitions)
    ends = [
        _percentiles(release.take(slice(first, first + step)), at, level, errors, repetitions, rng)
        for first in range(0, len(estimate), step)
    ]
    low, high = np.concatenate(ends, axis=1)
    known = ~release.fallback[:, None] & np.isfinite(low) & np.isfinite(high)
    return Intervals(
        np.where(release.fallback[:, None], np.nan, estimate),
        np.where(known, low, -np.inf),
        np.where(known, high, np.inf),
        np.full(estimate.shape, np.nan),
        level,
        Target.TRUE_LINE if errors else Target.OLS,
        "bootstrap",
    )


def _percentiles(
    release: Any, at: Floats, level: float, errors: bool, repetitions: int, rng: np.random.Generator
) -> Floats:
    """The lower and the upper ends, shape (2, size, m): as many simulated predictions are cut on either side."""
    simulated = release.simulated(repetitions, rng, errors)
    lines = simulated.predict(at).reshape(-1, repetitions, at.size)
    lost = simulated.fallback.reshape(-1, repetitions, 1)
    cut = floor((repetitions + 1) * (1 - level) / 2 + _ROUNDING)
    low, high = max(cut - 1, 0), min(repetitions - cut, repetitions - 1)
    lower = np.partition(np.where(lost, -np.inf, lines), low, axis=1)[:, low]
    upper = np.partition(np.where(lost, np.inf, lines), high, axis=1)[:, high]
    return np.array([lower, upper])


METHODS: tuple[Method, ...] = ("fieller", "normal theory", "bootstrap")


@runtime_checkable
class Released(Protocol):
    """What a mechanism released beside predictions, with all that is public about its noise."""

    def equation(self, at: ArrayLike) -> LineEquation:
        """What it says about the line at the points of at, shape (m,)."""


def confidence_interval(
    release: Released | Intervals,
    at: ArrayLike = QUARTERS,
    level: float = 0.95,
    method: Method = "fieller",
    *,
    rng: np.random.Generator | None = None,
    repetitions: int = REPETITIONS,
) -> Intervals:
    """Where the true line lies at each point: sampling error and noise together, at no further privacy budget.

    release: what release_statistics of a mechanism returns, of one or several releases. Intervals that a mechanism
    paid for, with release_intervals, are returned as they are.
    at: shape (m,), finite.
    level: between 0 and 1.
    method: "fieller", which has no end where the slope is not identified; "normal theory", narrower where n var(x)
    is little more than its noise; or "bootstrap", for releases that describe their data well enough.
    rng, repetitions: for the bootstrap.

    Private, as a function of what was released and of what is public. ValueError names the argument that cannot be.

    >>> from dpslr_core import Dataset
    >>> from dpslr_core.mechanisms import CenteredStats
    >>> data = Dataset(x=[i / 199 for i in range(200)], y=[0.3 + 0.4 * (i % 7 == 0) for i in range(200)])
    >>> release = CenteredStats().release_statistics(data, epsilon=8.0, size=1, rng=np.random.default_rng(7))
    >>> found, private = confidence_interval(release, at=0.5), privacy_interval(release, at=0.5)
    >>> bool((private.width < found.width).all()), bool(private.hold(data.predict(0.5)).all())
    (True, True)
    """
    return _interval(release, at, level, Target.TRUE_LINE, _How(method, repetitions, rng))


def privacy_interval(
    release: Released | Intervals,
    at: ArrayLike = QUARTERS,
    level: float = 0.95,
    method: Method = "fieller",
    *,
    rng: np.random.Generator | None = None,
    repetitions: int = REPETITIONS,
) -> Intervals:
    """Where OLS on these records lies at each point: noise alone; otherwise as confidence_interval."""
    return _interval(release, at, level, Target.OLS, _How(method, repetitions, rng))


class _How(NamedTuple):
    """The method, and what a bootstrap needs."""

    method: Method
    repetitions: int
    rng: np.random.Generator | None


def _interval(release: Any, at: ArrayLike, level: float, target: Target, how: _How) -> Intervals:
    method, repetitions, rng = how
    validate.inside(0, 1, closed="neither", level=level)
    validate.one_of(METHODS, method=method)
    points = validate.points(at=at)
    if isinstance(release, Intervals):
        return _as_released(release, points.size, level, target)
    if not isinstance(release, Released):
        raise ValueError(f"release must come from a mechanism's release_statistics, got {type(release).__name__}")
    if method == "bootstrap":
        if not hasattr(release, "simulated"):
            raise ValueError(f"method 'bootstrap' needs a release that tells sigma_e, got {type(release).__name__}")
        if rng is None:
            raise ValueError("method 'bootstrap' needs rng, a numpy.random.Generator")
        return bootstrap_intervals(release, points, float(level), target is Target.TRUE_LINE, repetitions, rng)
    equation = release.equation(points)
    equation = equation if target is Target.TRUE_LINE else equation.of_ols()
    return equation.fieller(float(level)) if method == "fieller" else equation.normal_theory(float(level))


def _as_released(release: Intervals, points: int, level: float, target: Target) -> Intervals:
    """Intervals that were paid for; ValueError where they are for other points, another level or another target."""
    if release.level != level or release.target is not target or release.low.shape[1] != points:
        raise ValueError(
            f"release holds {release.low.shape[1]} intervals for the {release.target.value} at level "
            f"{release.level:g}; others need a release of their own"
        )
    return release


TEST_REPETITIONS = 399


def slope_test(release: Any, repetitions: int = TEST_REPETITIONS, *, rng: np.random.Generator) -> Floats:
    """p values of the hypothesis that the true slope is 0, shape (size,); they cost no privacy budget.

    release: from CenteredStats.release_statistics, or another that can be ``simulated`` with a slope of 0.
    repetitions: simulated releases for each; the smallest p value is 1 / (repetitions + 1).

    F = ncov^2 / (nvar sigma_e^2), 0 where nvar <= 0. p = (1 + #{F* >= F}) / (1 + repetitions) with F* of releases from
    data with slope 0 that are otherwise as the release describes them. ValueError where the release tells no residual
    variance, or repetitions < 19. Source: Alabi and Vadhan (2022).
    """
    validate.generator(rng=rng)
    validate.integer(19, repetitions=repetitions)
    if not hasattr(release, "simulated"):
        raise ValueError(f"release must describe its data well enough to simulate them, got {type(release).__name__}")
    size, step = release.nvar.size, max(1, _AT_ONCE // repetitions)
    parts = [release.take(slice(first, first + step)) for first in range(0, size, step)]
    return np.concatenate([_p_values(part, repetitions, rng) for part in parts])


def _p_values(release: Any, repetitions: int, rng: np.random.Generator) -> Floats:
    null = f_statistic(release.simulated(repetitions, rng, slope=0.0)).reshape(-1, repetitions)
    return (1 + (null >= f_statistic(release)[:, None]).sum(axis=1)) / (1 + repetitions)


def f_statistic(release: Any) -> Floats:
    """ncov^2 / (nvar sigma_e^2), shape (size,); 0 where nvar <= 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = release.ncov**2 / (release.nvar * release.residual_sd**2)
    return np.where(release.nvar > 0, ratio, 0.0)
