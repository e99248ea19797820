"""Equation that a release gives for the line at a point, and the intervals that follow from the equation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, cached_property

import numpy as np
from scipy.special import log_ndtr, ndtri, stdtrit

from ..support.types import Floats


class Target(Enum):
    """Quantity that an interval should hold."""

    TRUE_LINE = "true line"  # a confidence interval: sampling error and noise
    OLS = "OLS on these data"  # a privacy interval: noise alone


@dataclass(frozen=True, eq=False)
class Intervals:
    """Intervals of `size` releases at m points, in units of y.

    Attributes
    ----------
    estimate : array, shape (size, m)
        Released predictions; NaN where the release has no answer.
    low, high : array, shape (size, m)
        Ends; -inf and inf where the release does not identify the slope.
    sampling : array, shape (size, m)
        Half the width of the interval that sampling error alone would make; 0 in a privacy interval.
    level : float
        Share of releases whose interval should hold the target.
    target : Target
    """

    estimate: Floats
    low: Floats
    high: Floats
    sampling: Floats
    level: float
    target: Target

    @property
    def width(self) -> Floats:
        """Width high - low, shape (size, m)."""
        return self.high - self.low

    @property
    def identified(self) -> np.ndarray:
        """Whether both ends are finite, shape (size, m)."""
        return np.isfinite(self.width)

    def hold(self, value: Floats) -> np.ndarray:
        """Whether low <= value <= high, shape (size, m), for a value of shape (m,) or (size, m)."""
        return (self.low <= value) & (value <= self.high)


_NODES, _HALVINGS = 65, 60
_LARGEST_FREEDOM = 1e12
_THIN = 1e-6  # a standard deviation or scale below this counts as 0


def critical_value(
    level: float, sampling: Floats, noise: Floats, is_laplace: bool, freedom: Floats
) -> Floats:
    """Compute how many standard deviations on either side hold the share `level`, shape (size, m).

    A sum of normal and Laplace variables is taken for one normal and one Laplace variable with the same variance and
    kurtosis. That Laplace variable has the share sqrt(sum v_j^2) / sum of all of the variance. Exact where one noise or
    none matters. The estimated variance adds the excess of a t quantile over a normal one, with Satterthwaite's degrees
    freedom (total / sampling)^2.

    Parameters
    ----------
    level : float
    sampling : array, shape (size, m)
        Variance of the sampling error.
    noise : array, shape (k, size, m)
        Variances of k independent noises.
    is_laplace : bool
        Whether the noises are Laplace, not Gaussian.
    freedom : array, shape (size, 1)
        Degrees of freedom of the estimated sampling variance.
    """
    total = sampling + noise.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (
            np.nan_to_num(np.sqrt((noise**2).sum(axis=0)) / total)
            if is_laplace
            else np.zeros_like(total)
        )
        degrees = np.nan_to_num(freedom * (total / sampling) ** 2, nan=np.inf, posinf=np.inf)
    upper = (1 + level) / 2
    wider = stdtrit(np.minimum(degrees, _LARGEST_FREEDOM), upper) - ndtri(upper)
    return np.interp(share, np.linspace(0, 1, _NODES), _quantiles(level)) + wider


@cache
def _quantiles(level: float) -> Floats:
    """Solve P(|sqrt(1 - w) Z + sqrt(w / 2) Lap(1)| <= t) = level for t by bisection, w = 0, ..., 1; shape (_NODES,)."""
    share = np.linspace(0, 1, _NODES)
    low, high = np.zeros(_NODES), np.full(_NODES, 4.0 - 2 * np.log1p(-level))
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        beyond = 2 * upper_tail(middle, np.sqrt(1 - share), np.sqrt(share / 2)) > 1 - level
        low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
    return 0.5 * (low + high)


def upper_tail(t: Floats, deviation: Floats, scale: Floats) -> Floats:
    """Compute P(deviation Z + scale Lap(1) > t) for t >= 0, all of one shape.

    With s = deviation and b = scale, the normal density integrated against the Laplace tail gives
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
    """Equation T(p) = nvar (p - height) - product: 0 at the estimate, of mean 0 at the target p, to first order.

    Attributes
    ----------
    height : array, shape (size, m), in units of y
        Height of the estimated line above the centre of the records.
    nvar : array, shape (size, 1)
        Noisy n var(x).
    product : array, shape (size, m)
        Noisy ncov(x, y) times the distance of the point from that centre.
    constant, by_distance : array, shape (k, size, m)
        A noise moves T by (constant + by_distance (p - height)) times a Laplace or normal variable of variance 1.
    sampling : array, shape (size, m)
        Variance of T from the errors of the records; 0 for OLS on these records.
    freedom : array, shape (size, 1)
        Degrees of freedom of the estimate of `sampling`; inf where `sampling` is a public bound.
    is_laplace : bool
        Whether the noise is Laplace, not Gaussian.
    released_offset : array, shape (size, m), or None
        p - height at the released prediction, where the distance of the point is only known by a bound, without its
        sign: intervals then reach equally far on both sides. None: the estimate of this equation is released.
    """

    height: Floats
    nvar: Floats
    product: Floats
    constant: Floats
    by_distance: Floats
    sampling: Floats
    freedom: Floats
    is_laplace: bool
    released_offset: Floats | None = None

    def of_ols(self) -> LineEquation:
        """Return the equation whose target is OLS on these records: the noise alone."""
        return replace(
            self, sampling=np.zeros_like(self.sampling), freedom=np.full_like(self.nvar, np.inf)
        )

    @cached_property
    def distance(self) -> Floats:
        """Offset p - height at the estimate, shape (size, m); NaN where nvar <= 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.nvar > 0, self.product / self.nvar, np.nan)

    @cached_property
    def noise(self) -> Floats:
        """Variances of T from the k noises at the estimate, shape (k, size, m)."""
        return (self.constant + self.by_distance * np.nan_to_num(self.distance)) ** 2

    def critical(self, level: float) -> Floats:
        """Compute critical_value of this equation, in standard deviations, shape (size, m)."""
        return critical_value(level, self.sampling, self.noise, self.is_laplace, self.freedom)

    def fieller(self, level: float) -> Intervals:
        """Solve T(p)^2 <= q^2 var T(p) for p (Fieller 1954), q the critical value; no end where the p make no interval.

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
        identified = (lead > 0) & (self.nvar > 0)
        middle = self.distance if self.released_offset is None else self.released_offset
        if self.released_offset is not None:
            half = np.maximum(middle - low, high - middle)
            low, high = middle - half, middle + half
        alone = critical_value(level, self.sampling, 0 * self.noise, False, self.freedom)
        with np.errstate(divide="ignore", invalid="ignore"):
            sampling = np.where(self.nvar > 0, alone * np.sqrt(self.sampling) / self.nvar, np.nan)
        return Intervals(
            np.where(self.nvar > 0, self.height + middle, np.nan),
            np.where(identified, self.height + low, -np.inf),
            np.where(identified, self.height + high, np.inf),
            sampling,
            level,
            Target.TRUE_LINE if np.any(self.sampling > 0) else Target.OLS,
        )
