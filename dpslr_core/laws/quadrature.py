"""Common ground of laws of noisy sums: kinds of noise, closed forms for two noises, and quadrature over another.

Given one or two of its noises, the tails of a law have a closed form, which is averaged over these noises. Panels end
at the kinks of the closed form; on a panel it is smooth, so that few nodes of Gauss-Legendre quadrature are enough.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from ..support.types import Floats, Integers
from .base import Law

Kind = Literal["Laplace", "Gaussian"]
_APART = 1e-4  # relative difference to which nearer scales are moved apart; changes tails by 1e-9
_LEAST = 1e-12  # least ratio of the smaller scale to the larger; below, the ratio counts as this


class TailTerm(NamedTuple):
    """Term of the tails and densities of sums of two noises, arrays of one shape.

    For c >= 0, P(sum > c) is the total of tail * tail_profile(-rate * c) over the terms, and the density the total of
    density * density_profile(-rate * c); the profiles are those of Noise.
    """

    rate: Floats
    tail: Floats
    density: Floats


class Noise(NamedTuple):
    """Noise of scale one, symmetric about 0.

    Attributes
    ----------
    variance : float
    tail, density : functions of z >= 0
    ladder : ends of panels, from 0 to where hardly any mass is beyond, on which a few nodes resolve the density
    draw : function of a generator and a shape
    tail_terms : function that makes the TailTerms of a sum of two noises from their scales, not both 0
    tail_profile, density_profile : functions of z <= 0, see TailTerm
    """

    variance: float
    tail: Callable[[Floats], Floats]
    density: Callable[[Floats], Floats]
    ladder: Floats
    draw: Callable[[np.random.Generator, int | tuple[int, ...]], Floats]
    tail_terms: Callable[[Floats, Floats], tuple[TailTerm, ...]]
    tail_profile: Callable[..., Floats]
    density_profile: Callable[..., Floats]

    def between(self, low: Floats, high: Floats) -> Floats:
        """Compute P(low < noise < high), without cancellation; same shape as low and high."""
        near, far = self.tail(np.abs(low)), self.tail(np.abs(high))
        return np.where(low * high < 0, 1 - near - far, np.abs(near - far))

    def above(self, z: Floats) -> Floats:
        """Compute P(noise > z) for z of any sign, same shape."""
        tail = self.tail(np.abs(z))
        return np.where(z > 0, tail, 1 - tail)


def _laplace(z: Floats) -> Floats:
    """Compute the tail of Laplace noise, which is also its density."""
    return 0.5 * np.exp(-z)


def _gaussian_density(z: Floats) -> Floats:
    return np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)


def _two_laplace(first: Floats, second: Floats) -> tuple[TailTerm, ...]:
    """Make the terms of P(sum > c) = (h^2 e^(-c/h) - l^2 e^(-c/l)) / (2 (h^2 - l^2)), scales h > l."""
    high, low = np.maximum(first, second), np.minimum(first, second)
    middle, apart = 0.5 * (high + low), np.maximum(0.5 * (high - low), 0.5 * _APART * high)
    high, low = middle + apart, np.maximum(middle - apart, _LEAST * high)
    ratio = low / high
    slow = 0.5 / ((1 - ratio) * (1 + ratio))
    fast = -slow * ratio**2
    return TailTerm(1 / high, slow, slow / high), TailTerm(1 / low, fast, fast / low)


def _two_gaussian(first: Floats, second: Floats) -> tuple[TailTerm, ...]:
    """Make the term of a sum of two Gaussian noises, a Gaussian with the sum of the variances."""
    rate = 1 / np.hypot(first, second)
    return (TailTerm(rate, np.ones_like(rate), rate),)


NOISES: dict[Kind, Noise] = {
    "Laplace": Noise(
        variance=2.0,
        tail=_laplace,
        density=_laplace,
        ladder=np.array([0.0, 1.5, 4.0, 8.0, 14.0, 20.0]),
        draw=lambda rng, size: rng.laplace(size=size),
        tail_terms=_two_laplace,
        tail_profile=np.exp,
        density_profile=np.exp,
    ),
    "Gaussian": Noise(
        variance=1.0,
        tail=lambda z: ndtr(-z),
        density=_gaussian_density,
        ladder=np.array([0.0, 2.0, 4.0, 6.0]),
        draw=lambda rng, size: rng.standard_normal(size),
        tail_terms=_two_gaussian,
        tail_profile=ndtr,
        density_profile=_gaussian_density,
    ),
}


@cache
def legendre(count: int) -> tuple[Floats, Floats]:
    """Compute the nodes and weights of Gauss-Legendre quadrature on [-1, 1], shape (count,) each."""
    return np.polynomial.legendre.leggauss(count)


def panels(edges: Floats, low: ArrayLike, high: ArrayLike) -> tuple[Integers, Floats, Floats]:
    """Cut every row into panels between its neighbouring edges: (row, low, high), shape (panels,), row by row.

    `edges`, shape (rows, k), may be in any order; they are clipped to [low, high].
    """
    edges = np.sort(np.clip(edges, low, high), axis=1)
    row, column = np.nonzero(edges[:, 1:] > edges[:, :-1])
    return row, edges[row, column], edges[row, column + 1]


def nodes(low: Floats, high: Floats, count: int) -> tuple[Floats, Floats]:
    """Compute Gauss-Legendre nodes of panels from low to high and their weights, shape (panels, count) each."""
    x, weight = legendre(count)
    half = 0.5 * (high - low)[:, None]
    return 0.5 * (low + high)[:, None] + half * x, half * weight


class AveragedLaw(Law):
    """Law whose tails and density, ``Law.tails``, are computed together."""

    def cdf(self, t: ArrayLike) -> Floats:
        return self._tail_row(t, 0)

    def logpdf(self, t: ArrayLike) -> Floats:
        with np.errstate(divide="ignore"):
            return np.log(self._tail_row(t, 2))

    def _tail_row(self, t: ArrayLike, which: int) -> Floats:
        """Compute row `which` of ``tails`` at t, with its limits at infinite t; same shape as t."""
        t = np.asarray(t, dtype=float)
        values = self.tails([self], np.zeros(t.size, dtype=np.int64), t.ravel())[which].reshape(
            t.shape
        )
        ends = np.where(t > 0, 1 - self.failure, 0.0) if which == 0 else 0.0
        return np.where(np.isinf(t), ends, np.where(np.isnan(t), np.nan, values))
