"""Laws that have a name: a point mass, Laplace, Gaussian and Student-t."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, inf, isnan, lgamma, log, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from ..support import validate
from ..support.types import Floats, Integers
from .base import Law
from .solver import Unknowns


class _Located(Law):
    """Law whose median is its location."""

    location: float

    @property
    def median(self) -> float:
        return self.location

    @classmethod
    def samples(cls, laws: Sequence[Any]) -> Floats:
        """Compute 64 quantiles of every law, half of them on either side of the location; shape (laws, 64)."""
        return np.array([law.ppf((np.arange(64) + 0.5) / 64) for law in laws])


@dataclass(frozen=True)
class PointMass(_Located):
    """Law of a deterministic answer; a NaN location is certain failure."""

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
        return ndtr((np.asarray(t, dtype=float) - self.location) / self.scale)

    def ppf(self, q: ArrayLike) -> Floats:
        return self.location + self.scale * ndtri(np.asarray(q, dtype=float))

    def logpdf(self, t: ArrayLike) -> Floats:
        z = (np.asarray(t, dtype=float) - self.location) / self.scale
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
        return stdtr(self.df, (np.asarray(t, dtype=float) - self.location) / self.scale)

    def ppf(self, q: ArrayLike) -> Floats:
        q = np.asarray(q, dtype=float)
        return self.location + self.scale * _student_quantiles(self.df, q)

    def logpdf(self, t: ArrayLike) -> Floats:
        z = (np.asarray(t, dtype=float) - self.location) / self.scale
        return log(self._top) - log(self.scale) - (self.df + 1) / 2 * np.log1p(z * z / self.df)

    @cached_property
    def _top(self) -> float:
        """Density of T at 0, by the Gaussian's where df is above 10^7 and lgamma has no digits left."""
        if self.df > 1e7:
            return (1 - 0.25 / self.df) / sqrt(2 * pi)
        return exp(lgamma(self.df / 2 + 0.5) - lgamma(self.df / 2)) / sqrt(self.df * pi)

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


def _student_quantiles(df: Floats | float, q: Floats) -> Floats:
    """Compute the quantiles of T, NaN outside [0, 1]; same shape as q."""
    inside = (q > 0) & (q < 1)
    z = stdtrit(df, np.where(inside, q, 0.5))
    return np.where(inside, z, np.where(q == 0, -inf, np.where(q == 1, inf, np.nan)))
