"""Confidence and privacy intervals as post-processing of a release: the data are not looked at again."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from ..support import validate
from ..support.run import QUARTERS
from .bootstrap import REPETITIONS, bootstrap_intervals
from .equation import LineEquation
from .result import Intervals, Method, Target

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
