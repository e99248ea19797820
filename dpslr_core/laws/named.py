"""The laws that have a name: a point mass, Laplace, Gaussian and Student-t."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import asinh, exp, inf, isnan, lgamma, log, log1p, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from ..support import validate
from ..support.types import Floats, Integers
from .base import Law, shares_of
from .many.distances import bounds_of_many


class _Located(Law):
    """A law whose median is its location."""

    location: float

    @property
    def median(self) -> float:
        return self.location


@dataclass(frozen=True)
class PointMass(_Located):
    """The law of a deterministic answer; a NaN location is certain failure."""

    location: float

    @property
    def failure(self) -> float:
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

    def _mass_and_rate(self, c: float, center: float) -> tuple[float, float]:
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
        validate.generator(rng=rng)
        return rng.laplace(self.location, self.scale, size)


def _laplace_bound(share: float, away: float) -> float:
    """C of standard Laplace noise about a center this far from its location.

    The mass within c is exp(-away) sinh(c) for c <= away, and 1 - exp(-c) cosh(away) for larger c.
    """
    if 2 * share <= 1 - exp(-2 * away):
        return asinh(share * exp(away)) if away < 700 else away + log(2 * share)
    return inf if share == 1 else away + log1p(exp(-2 * away)) - log(2) - log1p(-share)


@dataclass(frozen=True)
class Gaussian(_Located):
    """Density exp(-(t - location)^2 / (2 scale^2)) / (scale sqrt(2 pi))."""

    location: float
    scale: float

    def cdf(self, t: ArrayLike) -> Floats:
        return ndtr((np.asarray(t, dtype=float) - self.location) / self.scale)

    def ppf(self, q: ArrayLike) -> Floats:
        return self.location + self.scale * ndtri(np.asarray(q, dtype=float))

    def logpdf(self, t: ArrayLike) -> Floats:
        z = (np.asarray(t, dtype=float) - self.location) / self.scale
        with np.errstate(over="ignore"):
            return -0.5 * z * z - log(self.scale) - 0.5 * log(2 * pi)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        validate.generator(rng=rng)
        return rng.normal(self.location, self.scale, size)


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
        return self.location + self.scale * _student_quantiles(self.df, q)

    def logpdf(self, t: ArrayLike) -> Floats:
        z = (np.asarray(t, dtype=float) - self.location) / self.scale
        return log(self._top) - log(self.scale) - (self.df + 1) / 2 * np.log1p(z * z / self.df)

    @cached_property
    def _top(self) -> float:
        """The density of T at 0; from 10^7 degrees of freedom on, where lgamma has no digits left, the Gaussian's."""
        if self.df > 1e7:
            return (1 - 0.25 / self.df) / sqrt(2 * pi)
        return exp(lgamma(self.df / 2 + 0.5) - lgamma(self.df / 2)) / sqrt(self.df * pi)

    @classmethod
    def measured(cls, laws: Sequence[Any], qs: Sequence[float], centers: Floats) -> tuple[Floats, Floats]:
        """As Law.measured, by one search for all."""
        location, scale, df, top = np.array([(law.location, law.scale, law.df, law._top) for law in laws]).T

        def quantiles(q: Floats, law: Integers) -> Floats:
            return location[law] + scale[law] * _student_quantiles(df[law], q)

        def at(t: Floats, law: Integers) -> tuple[Floats, Floats]:
            z, freedom = (t - location[law]) / scale[law], df[law]
            fall = np.exp(-0.5 * (freedom + 1) * np.log1p(z * z / freedom))
            return stdtr(freedom, z), top[law] * fall / scale[law]

        return bounds_of_many(shares_of(qs), centers, quantiles, at), location

    def _bounds(self, shares: Floats, center: float) -> Floats:
        return self.measured([self], (100 * shares).tolist(), np.array([center]))[0][0]

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        validate.generator(rng=rng)
        return self.location + self.scale * rng.standard_t(self.df, size)


def _student_quantiles(df: Floats | float, q: Floats) -> Floats:
    """The quantiles of T, NaN outside [0, 1]; same shape as q."""
    inside = (q > 0) & (q < 1)
    z = stdtrit(df, np.where(inside, q, 0.5))
    return np.where(inside, z, np.where(q == 0, -inf, np.where(q == 1, inf, np.nan)))
