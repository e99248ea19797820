"""Laws that have a name: a point mass, Laplace, Gaussian and Student-t."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan, log, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logit, ndtr, ndtri, poch, stdtr, stdtrit

from ..support import validate
from ..support.types import Floats, Integers
from .base import Law
from .solver import Unknowns

_LOGISTIC = logit((np.arange(64) + 0.5) / 64)


class _Located(Law):
    """Law of location + scale Z with a law of Z that is symmetric about 0."""

    location: float
    scale: float

    @property
    def median(self) -> float:
        return self.location

    def _standardised(self, t: ArrayLike) -> Floats:
        """Compute Z at the releases t, same shape."""
        return (np.asarray(t, dtype=float) - self.location) / self.scale

    @classmethod
    def samples(cls, laws: Sequence[Any]) -> Floats:
        """Compute 64 quantiles of a logistic law for every law, where a search begins; shape (laws, 64)."""
        location, scale = np.array([(law.location, law.scale) for law in laws]).T[:, :, None]
        return location + scale * _LOGISTIC


@dataclass(frozen=True)
class PointMass(Law):
    """Law of a deterministic answer; a NaN location is certain failure."""

    location: float

    @property
    def median(self) -> float:
        return self.location

    @property
    def failure(self) -> float:
        return 1.0 if isnan(self.location) else 0.0

    def cdf(self, t: ArrayLike) -> Floats:
        return (np.asarray(t, dtype=float) >= self.location).astype(float)

    def ppf(self, q: ArrayLike) -> Floats:
        q = np.asarray(q, dtype=float)
        return np.where((q >= 0) & (q <= 1), self.location, np.nan)

    def logpdf(self, t: ArrayLike) -> Floats:
        """Return +inf at the location and -inf elsewhere, as a point mass has no density; same shape as t."""
        return np.where(np.asarray(t, dtype=float) == self.location, np.inf, -np.inf)

    @classmethod
    def solve(cls, laws: Sequence[Any], unknowns: Unknowns) -> Floats:
        location = np.array([law.location for law in laws])[unknowns.law]
        return np.where(np.isnan(unknowns.center), location, np.abs(location - unknowns.center))


@dataclass(frozen=True)
class Laplace(_Located):
    """Law with the density exp(-|t - location| / scale) / (2 scale)."""

    location: float
    scale: float

    def cdf(self, t: ArrayLike) -> Floats:
        z = self._standardised(t)
        return np.where(z < 0, 0.5 * np.exp(-np.abs(z)), 1 - 0.5 * np.exp(-np.abs(z)))

    def ppf(self, q: ArrayLike) -> Floats:
        q = np.asarray(q, dtype=float)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(q < 0.5, np.log(2 * q), -np.log(2 * (1 - q)))
        return self.location + self.scale * z

    def logpdf(self, t: ArrayLike) -> Floats:
        z = self._standardised(t)
        return -np.abs(z) - np.log(2 * self.scale)

    @classmethod
    def tails(cls, laws: Sequence[Any], number: Integers, t: Floats) -> Floats:
        location, scale = np.array([(law.location, law.scale) for law in laws]).T[:, number]
        z = (t - location) / scale
        tail = 0.5 * np.exp(-np.abs(z))
        return np.array(
            [np.where(z < 0, tail, 1 - tail), np.where(z < 0, 1 - tail, tail), tail / scale]
        )

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        validate.generator(rng=rng)
        return rng.laplace(self.location, self.scale, size)


@dataclass(frozen=True)
class Gaussian(_Located):
    """Law with the density exp(-(t - location)^2 / (2 scale^2)) / (scale sqrt(2 pi))."""

    location: float
    scale: float

    def cdf(self, t: ArrayLike) -> Floats:
        return ndtr(self._standardised(t))

    def ppf(self, q: ArrayLike) -> Floats:
        return self.location + self.scale * ndtri(np.asarray(q, dtype=float))

    def logpdf(self, t: ArrayLike) -> Floats:
        z = self._standardised(t)
        with np.errstate(over="ignore"):
            return -0.5 * z * z - log(self.scale) - 0.5 * log(2 * pi)

    @classmethod
    def tails(cls, laws: Sequence[Any], number: Integers, t: Floats) -> Floats:
        location, scale = np.array([(law.location, law.scale) for law in laws]).T[:, number]
        z = (t - location) / scale
        return np.array([ndtr(z), ndtr(-z), np.exp(-0.5 * z * z) / (scale * sqrt(2 * pi))])

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        validate.generator(rng=rng)
        return rng.normal(self.location, self.scale, size)


@dataclass(frozen=True)
class StudentT(_Located):
    """Law of location + scale T with T Student-t of df degrees of freedom."""

    location: float
    scale: float
    df: float

    def cdf(self, t: ArrayLike) -> Floats:
        return stdtr(self.df, self._standardised(t))

    def ppf(self, q: ArrayLike) -> Floats:
        z = np.where(np.equal(q, 0), -np.inf, stdtrit(self.df, q))  # scipy has inf there
        return self.location + self.scale * z

    def logpdf(self, t: ArrayLike) -> Floats:
        z = self._standardised(t)
        return log(self._top) - log(self.scale) - (self.df + 1) / 2 * np.log1p(z * z / self.df)

    @cached_property
    def _top(self) -> float:
        """Density of T at 0, Gamma((df + 1) / 2) / (Gamma(df / 2) sqrt(pi df))."""
        df = min(self.df, 1e15)  # from there on the density is the Gaussian's
        return float(poch(df / 2, 0.5)) / sqrt(df * pi)

    @classmethod
    def tails(cls, laws: Sequence[Any], number: Integers, t: Floats) -> Floats:
        location, scale, df, top = np.array(
            [(law.location, law.scale, law.df, law._top) for law in laws]
        ).T[:, number]
        z = (t - location) / scale
        fall = np.exp(-0.5 * (df + 1) * np.log1p(z * z / df))
        return np.array([stdtr(df, z), stdtr(df, -z), top * fall / scale])

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        validate.generator(rng=rng)
        return self.location + self.scale * rng.standard_t(self.df, size)
