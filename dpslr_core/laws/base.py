"""Exact output distributions ("laws") of mechanisms on one fixed data set.

Every law offers the same verbs, vectorised over their argument: ``cdf(t)``, ``ppf(q)``, ``logpdf(t)``,
``sample(size, rng)``, the mass ``failure`` of no answer, and ``error_bounds(qs, center)``. Where a law can fail,
cdf tends to 1 - failure; ppf is NaN beyond that mass and a failed draw is NaN.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import asinh, exp, inf, isfinite, isnan, lgamma, log, log1p, pi, sqrt
from sys import float_info
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from .. import _validate
from .._types import Floats


class Law(ABC):
    """The exact distribution of one released number; ``failure`` is the probability of no answer."""

    failure: float = 0.0
    exact: ClassVar[bool] = True  # False: known up to an error that error_bound_interval tells
    resolution: ClassVar[float] = 1e-12  # of error bounds, relative

    @property
    def how(self) -> str:
        """How the law is known, in two words."""
        return "exact law"

    @abstractmethod
    def cdf(self, t: ArrayLike) -> Floats:
        """P(release <= t), failures excluded; same shape as t."""

    @abstractmethod
    def ppf(self, q: ArrayLike) -> Floats:
        """The smallest t with cdf(t) >= q; NaN where q exceeds 1 - failure or lies outside [0, 1]."""

    @abstractmethod
    def logpdf(self, t: ArrayLike) -> Floats:
        """The logarithm of the density at t, -inf outside the support; same shape as t."""

    @property
    def median(self) -> float:
        """The median of the answers, given that there is one."""
        return float(self.ppf(0.5 * (1 - self.failure)))

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """size independent draws by inverting the cdf, shape (size,); NaN = failed."""
        _validate.generator(rng=rng)
        return self.ppf(rng.random(size))

    def error_bound(self, q: float, center: float) -> float:
        """C(q): the smallest c with P(|release - center| <= c) >= q/100; inf where failures exceed 1 - q/100.

        A failed release counts as infinitely far off. Raises ValueError unless 0 <= q <= 100.
        """
        return float(self.error_bounds((q,), center)[0])

    def error_bounds(self, qs: Sequence[float], center: float) -> Floats:
        """C(q) for each q, shape (len(qs),): the numbers that error_bound gives, found together."""
        bounds = self._decided(qs, center)
        if (open_ := np.isnan(bounds)).any():
            bounds[open_] = self._bounds(np.asarray(qs)[open_] / 100, float(center))
        return bounds

    def measure(self, qs: Sequence[float], center: float) -> tuple[Floats, float]:
        """C(q) for each q and the median: what a table tells of a law."""
        return self.error_bounds(qs, center), self.median

    def error_bound_interval(self, q: float, center: float) -> tuple[float, float]:
        """Bounds on C(q) where the law itself is known up to an error; the value twice where it is exact."""
        bound = self.error_bound(q, center)
        return bound, bound  # a law that is not exact says more

    def _decided(self, qs: Sequence[float], center: float) -> Floats:
        """Those of the C(q) that are 0 or infinite whatever the law, and NaN for the others."""
        for q in qs:
            _validate.inside(0, 100, q=q)
        possible = 1 - self.failure if isfinite(center) else -inf
        return np.array([0.0 if q == 0 else np.nan if q / 100 <= possible else inf for q in qs])

    def _bounds(self, shares: Floats, center: float) -> Floats:
        """The smallest distances from center within which these shares above 0 lie, to a relative ``resolution``."""
        highs = self._enough(shares, center).tolist()
        return np.array([self._smallest(*one, center) for one in zip(shares.tolist(), highs, strict=True)])

    def _enough(self, shares: Floats, center: float) -> Floats:
        """For each share some c within which so much lies: the larger distance to the ends of its quantiles."""
        tails = (1 - self.failure - shares) / 2
        return np.abs(self.ppf(np.array([tails, 1 - self.failure - tails])) - center).max(axis=0)

    def _smallest(self, share: float, high: float, center: float) -> float:
        """The smallest c up to high with mass at least share within c of center, by Newton's method in a bracket.

        Each step goes a hair beyond the root that it sees, so that the bracket closes around it; where steps leave
        the bracket or do not shrink, it is halved.
        """
        low, c, last = 0.0, high, inf
        while max(self.resolution * high, float_info.min) < high - low < inf:
            mass, rate = self._within(c, center)
            step = (share - mass) / rate if rate > 0 else inf
            if mass >= share:
                high, step = c, step - 0.5 * self.resolution * c
            else:
                low, step = c, step + 0.5 * self.resolution * c
            if not (low < c + step < high and abs(step) <= 0.5 * abs(last)):
                step = 0.5 * (low + high) - c
            last, c = step, c + step
        return high

    def _within(self, c: float, center: float) -> tuple[float, float]:
        """P(|release - center| <= c) and its derivative."""
        ends = np.array([center - c, center + c])
        low, high = self.cdf(ends)
        return float(high - low), float(np.exp(self.logpdf(ends)).sum())


class _Located(Law):
    """A law about its median, location."""

    location: float

    @property
    def median(self) -> float:
        return self.location


@dataclass(frozen=True)
class PointMass(_Located):
    """The law of a deterministic answer; a NaN location is certain failure."""

    location: float

    @property
    def failure(self) -> float:  # type: ignore[override]
        return 1.0 if isnan(self.location) else 0.0

    def cdf(self, t: ArrayLike) -> Floats:
        return (np.asarray(t, dtype=float) >= self.location).astype(float)

    def ppf(self, q: ArrayLike) -> Floats:
        q = np.asarray(q, dtype=float)
        return np.where((q >= 0) & (q <= 1), self.location, np.nan)

    def logpdf(self, t: ArrayLike) -> Floats:
        """+inf at the location: a point mass has no density."""
        return np.where(np.asarray(t, dtype=float) == self.location, np.inf, -np.inf)

    def _bounds(self, shares: Floats, center: float) -> Floats:
        return np.full(shares.shape, abs(self.location - center))

    def _within(self, c: float, center: float) -> tuple[float, float]:
        return float(abs(self.location - center) <= c), 0.0


@dataclass(frozen=True)
class Laplace(_Located):
    """Density exp(-|t - location| / scale) / (2 scale)."""

    location: float
    scale: float

    def cdf(self, t: ArrayLike) -> Floats:
        z = (np.asarray(t, dtype=float) - self.location) / self.scale
        return np.where(z < 0, 0.5 * np.exp(-np.abs(z)), 1 - 0.5 * np.exp(-np.abs(z)))

    def ppf(self, q: ArrayLike) -> Floats:
        q = np.asarray(q, dtype=float)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(q < 0.5, np.log(2 * q), -np.log(2 * (1 - q)))
        return self.location + self.scale * z

    def logpdf(self, t: ArrayLike) -> Floats:
        z = (np.asarray(t, dtype=float) - self.location) / self.scale
        return -np.abs(z) - np.log(2 * self.scale)

    def _bounds(self, shares: Floats, center: float) -> Floats:
        away = abs(center - self.location) / self.scale
        return self.scale * np.array([_laplace_bound(share, away) for share in shares.tolist()])

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        _validate.generator(rng=rng)
        return rng.laplace(self.location, self.scale, size)


def _laplace_bound(share: float, away: float) -> float:
    """C of standard Laplace noise about a center this far from its location.

    The mass within c is exp(-away) sinh(c) for c <= away, and 1 - exp(-c) cosh(away) for larger c.
    """
    if 2 * share <= 1 - exp(-2 * away):
        return asinh(share * exp(away)) if away < 700 else away + log(2 * share)
    return inf if share == 1 else away + log1p(exp(-2 * away)) - log(2) - log1p(-share)


@dataclass(frozen=True)
class StudentT(_Located):
    """location + scale T with T Student-t of df degrees of freedom."""

    location: float
    scale: float
    df: float

    def cdf(self, t: ArrayLike) -> Floats:
        return stdtr(self.df, (np.asarray(t, dtype=float) - self.location) / self.scale)

    def ppf(self, q: ArrayLike) -> Floats:
        q = np.asarray(q, dtype=float)
        inside = (q > 0) & (q < 1)
        z = stdtrit(self.df, np.where(inside, q, 0.5))
        z = np.where(inside, z, np.where(q == 0, -np.inf, np.where(q == 1, np.inf, np.nan)))
        return self.location + self.scale * z

    def logpdf(self, t: ArrayLike) -> Floats:
        z = (np.asarray(t, dtype=float) - self.location) / self.scale
        return log(self._top) - log(self.scale) - (self.df + 1) / 2 * np.log1p(z * z / self.df)

    @cached_property
    def _top(self) -> float:
        """The density of T at 0; from 10^7 degrees of freedom on, where lgamma has no digits left, the Gaussian's."""
        if self.df > 1e7:
            return (1 - 0.25 / self.df) / sqrt(2 * pi)
        return exp(lgamma(self.df / 2 + 0.5) - lgamma(self.df / 2)) / sqrt(self.df * pi)

    def _within(self, c: float, center: float) -> tuple[float, float]:
        low, high = (center - c - self.location) / self.scale, (center + c - self.location) / self.scale
        fall = -0.5 * (self.df + 1) * np.log1p(np.array([low, high]) ** 2 / self.df)
        rate = float(self._top * np.exp(fall).sum() / self.scale)
        return float(stdtr(self.df, high) - stdtr(self.df, low)), rate

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        _validate.generator(rng=rng)
        return self.location + self.scale * rng.standard_t(self.df, size)
