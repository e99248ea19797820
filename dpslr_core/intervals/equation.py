"""What a release says about the line at each point, as one equation, and the intervals that follow from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, cached_property

import numpy as np
from scipy.special import log_ndtr, ndtri, stdtrit

from ..support.types import Floats


class Target(Enum):
    """What an interval is for."""

    TRUE_LINE = "true line"  # a confidence interval: sampling error and noise
    OLS = "OLS on these data"  # a privacy interval: noise alone


@dataclass(frozen=True, eq=False)
class Intervals:
    """Intervals of size releases at m points, in units of y.

    estimate: what is released, shape (size, m); NaN where the release has no answer.
    low, high: the ends, shape (size, m); -inf and inf where the release does not say: the slope is not identified.
    sampling: half the width of the interval that sampling error alone would make, shape (size, m); 0 in a privacy
    interval.
    level: the share of releases whose interval should hold the target.
    """

    estimate: Floats
    low: Floats
    high: Floats
    sampling: Floats
    level: float
    target: Target

    def __repr__(self) -> str:
        """Their size, level and target; arrays of many releases would fill the screen."""
        releases, points = self.low.shape
        return (
            f"Intervals(releases={releases}, points={points}, level={self.level:g}, "
            f"target={self.target.value!r})"
        )

    @property
    def width(self) -> Floats:
        """high - low, shape (size, m)."""
        return self.high - self.low

    @property
    def identified(self) -> np.ndarray:
        """Whether both ends are finite, shape (size, m)."""
        return np.isfinite(self.width)

    def hold(self, value: Floats) -> np.ndarray:
        """Whether low <= value <= high, shape (size, m); value: of shape (m,) or (size, m)."""
        return (self.low <= value) & (value <= self.high)


_NODES, _HALVINGS = 65, 60
_LARGEST_FREEDOM = 1e12
_THIN = 1e-6  # a Laplace part below this share of the deviation is none


def critical_value(
    level: float, sampling: Floats, noise: Floats, heavy: bool, freedom: Floats
) -> Floats:
    """The number of standard deviations on either side that holds a share level, shape (size, m).

    sampling: the variance of the sampling error, shape (size, m), estimated with freedom degrees of freedom, shape
    (size, 1).
    noise: the variances of independent noises, shape (k, size, m); heavy: Laplace, otherwise Gaussian.

    A sum of normal and Laplace variables is taken for one normal and one Laplace variable of the same variance and
    kurtosis: that Laplace variable has the share sqrt(sum v_j^2) / sum of all of the variance. Exact where one noise or
    none matters. The estimated variance adds what a t quantile adds to a normal one, with Satterthwaite's degrees
    freedom (total / sampling)^2.
    """
    total = sampling + noise.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (
            np.nan_to_num(np.sqrt((noise**2).sum(axis=0)) / total)
            if heavy
            else np.zeros_like(total)
        )
        degrees = np.nan_to_num(freedom * (total / sampling) ** 2, nan=np.inf, posinf=np.inf)
    upper = (1 + level) / 2
    wider = stdtrit(np.minimum(degrees, _LARGEST_FREEDOM), upper) - ndtri(upper)
    return np.interp(share, np.linspace(0, 1, _NODES), _quantiles(level)) + wider


@cache
def _quantiles(level: float) -> Floats:
    """t with P(|sqrt(1 - w) Z + sqrt(w / 2) Lap(1)| <= t) = level, for w = 0, ..., 1; shape (_NODES,), by bisection."""
    share = np.linspace(0, 1, _NODES)
    low, high = np.zeros(_NODES), np.full(_NODES, 4.0 - 2 * np.log1p(-level))
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        beyond = 2 * upper_tail(middle, np.sqrt(1 - share), np.sqrt(share / 2)) > 1 - level
        low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
    return 0.5 * (low + high)


def upper_tail(t: Floats, deviation: Floats, scale: Floats) -> Floats:
    """P(deviation Z + scale Lap(1) > t) for t >= 0, all of one shape.

    With s = deviation and b = scale, the normal density against the tail of the Laplace law:
    Phi(-t/s) + (e^(s^2 / 2b^2) / 2) (e^(-t/b) Phi(t/s - s/b) - e^(t/b) Phi(-t/s - s/b)).
    """
    s, b = np.maximum(deviation, _THIN), np.maximum(scale, _THIN)
    grow = 0.5 * (s / b) ** 2
    with np.errstate(over="ignore", under="ignore"):
        mixed = np.exp(grow - t / b + log_ndtr(t / s - s / b)) - np.exp(
            grow + t / b + log_ndtr(-t / s - s / b)
        )
        normal = np.exp(log_ndtr(-t / s))
    return np.where(scale < _THIN, normal, normal + 0.5 * mixed)


@dataclass(frozen=True, eq=False)
class LineEquation:
    """T(p) = nvar (p - height) - product, which is 0 at the estimate and has mean 0 at the target p, to first order.

    height: of the estimated line above the centre of the records, shape (size, m), in units of y.
    nvar: noisy n var(x), shape (size, 1).
    product: noisy ncov(x, y) times the distance of the point from that centre, shape (size, m).
    constant, by_distance: each noise moves T by N(0 or Laplace, variance 1) times constant + by_distance (p - height);
    shapes (k, size, m).
    sampling: the variance of T from the errors of the records, shape (size, m); 0 for OLS on these records.
    freedom: degrees of freedom of the estimate of sampling, shape (size, 1); inf where it is a public bound.
    heavy: the noise is Laplace, otherwise Gaussian.
    own: p - height at the released prediction, shape (size, m), where the distance is a bound and its sign unknown:
    intervals then reach as far on the other side. None: at the estimate of this equation.
    """

    height: Floats
    nvar: Floats
    product: Floats
    constant: Floats
    by_distance: Floats
    sampling: Floats
    freedom: Floats
    heavy: bool
    own: Floats | None = None

    def of_ols(self) -> LineEquation:
        """The same for OLS on these records: the noise alone."""
        return replace(
            self, sampling=np.zeros_like(self.sampling), freedom=np.full_like(self.nvar, np.inf)
        )

    @cached_property
    def distance(self) -> Floats:
        """p - height at the estimate, shape (size, m); NaN where nvar <= 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.nvar > 0, self.product / self.nvar, np.nan)

    @cached_property
    def noise(self) -> Floats:
        """The variances of T from each noise at the estimate, shape (k, size, m)."""
        return (self.constant + self.by_distance * np.nan_to_num(self.distance)) ** 2

    def critical(self, level: float) -> Floats:
        """Standard deviations on either side, shape (size, m)."""
        return critical_value(level, self.sampling, self.noise, self.heavy, self.freedom)

    def fieller(self, level: float) -> Intervals:
        """All p with T(p)^2 <= q^2 var T(p) (Fieller 1954), as one interval; no end where that is no interval.

        var T = A + 2 B d + D d^2 with d = p - height, so that (nvar^2 - q^2 D) d^2 - 2 (nvar product + q^2 B) d +
        product^2 - q^2 A <= 0. Where nvar <= q sqrt(D) noise alone could explain nvar: every slope remains possible.
        """
        squared = self.critical(level) ** 2
        a = self.sampling + (self.constant**2).sum(axis=0)
        b, d = (self.constant * self.by_distance).sum(axis=0), (self.by_distance**2).sum(axis=0)
        lead, middle = self.nvar**2 - squared * d, self.nvar * self.product + squared * b
        with np.errstate(divide="ignore", invalid="ignore"):
            root = np.sqrt(np.maximum(middle**2 - lead * (self.product**2 - squared * a), 0))
            low, high = (middle - root) / lead, (middle + root) / lead
        known = (lead > 0) & (self.nvar > 0)
        middle = self.distance if self.own is None else self.own
        if self.own is not None:
            half = np.maximum(middle - low, high - middle)
            low, high = middle - half, middle + half
        alone = critical_value(level, self.sampling, 0 * self.noise, False, self.freedom)
        with np.errstate(divide="ignore", invalid="ignore"):
            sampling = np.where(self.nvar > 0, alone * np.sqrt(self.sampling) / self.nvar, np.nan)
        return Intervals(
            np.where(self.nvar > 0, self.height + middle, np.nan),
            np.where(known, self.height + low, -np.inf),
            np.where(known, self.height + high, np.inf),
            sampling,
            level,
            Target.TRUE_LINE if np.any(self.sampling > 0) else Target.OLS,
        )
