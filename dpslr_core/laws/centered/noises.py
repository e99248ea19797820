"""The two kinds of noise: one of them, and the sum of two independent ones of different scales."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtr

from ...support.types import Floats

_APART = 1e-4  # scales nearer than this, relative, are moved apart about their mean; it changes tails by 1e-9
_NO_WEIGHT = 1e-10  # nodes of less weight are left out
_LEAST = 1e-12  # of the larger scale: a smaller one counts as this

Kind = Literal["Laplace", "Gaussian"]


class Part(NamedTuple):
    """One term of the tails and densities of sums of two noises, arrays of shape (m,).

    For c >= 0, P(sum > c) is the total over the parts of tail * profile(-rate * c), the density likewise.
    """

    rate: Floats
    tail: Floats
    density: Floats


class Noise(NamedTuple):
    """Noise of scale one, symmetric about 0; tail and density are functions of z >= 0.

    ladder: from 0 to where less than 1e-8 of the mass is beyond; a few nodes resolve the density between two rungs.
    parts: of sums of two noises with these scales, shape (m,) each, of which one at least is above 0.
    part_tail, part_density: the profiles of the parts, functions of z <= 0 and of the array for their values, if any.
    few: nodes and weights for averages of smooth functions. far: (reach, depth): where V = 0 is at least so many scales
    of its noise away though e be as large as the reach, averages over e are smooth, for Laplace noise but for kinks of
    at most this ``bent`` (see Sums.smooth).
    """

    variance: float
    tail: Callable[[Floats], Floats]
    density: Callable[[Floats], Floats]
    ladder: Floats
    draw: Callable[[np.random.Generator, int], Floats]
    parts: Callable[[Floats, Floats], tuple[Part, ...]]
    part_tail: Callable[..., Floats]
    part_density: Callable[..., Floats]
    few: tuple[Floats, Floats]
    far: tuple[float, float]
    bent: float

    def between(self, low: Floats, high: Floats) -> Floats:
        """P(low < noise < high), without cancellation; same shape as low and high."""
        near, far = self.tail(np.abs(low)), self.tail(np.abs(high))
        return np.where(low * high < 0, 1 - near - far, np.abs(near - far))

    def above(self, z: Floats) -> Floats:
        """P(noise > z) for any z, same shape."""
        tail = self.tail(np.abs(z))
        return np.where(z > 0, tail, 1 - tail)


def _laplace(z: Floats) -> Floats:
    """The tail of Laplace noise and its density, which are the same."""
    return 0.5 * np.exp(-z)


def _gaussian_tail(z: Floats) -> Floats:
    return ndtr(-z)


def _gaussian_density(z: Floats) -> Floats:
    return np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)


def _two_laplace(first: Floats, second: Floats) -> tuple[Part, ...]:
    """P(sum > c) = (h^2 e^(-c/h) - l^2 e^(-c/l)) / (2 (h^2 - l^2)), h and l the larger and the smaller scale."""
    high, low = np.maximum(first, second), np.minimum(first, second)
    middle, apart = 0.5 * (high + low), np.maximum(0.5 * (high - low), 0.5 * _APART * high)
    high, low = middle + apart, np.maximum(middle - apart, _LEAST * high)
    ratio = low / high
    slow = 0.5 / ((1 - ratio) * (1 + ratio))
    fast = -slow * ratio**2
    return Part(1 / high, slow, slow / high), Part(1 / low, fast, fast / low)


def _two_gaussian(first: Floats, second: Floats) -> tuple[Part, ...]:
    """The sum is Gaussian, and its variance the sum of both."""
    rate = 1 / np.hypot(first, second)
    return (Part(rate, np.ones_like(rate), rate),)


def _laguerre(count: int) -> tuple[Floats, Floats]:
    """Nodes and weights for averages over Laplace noise, so many on either side of 0 but for those of no weight."""
    e, weight = np.polynomial.laguerre.laggauss(count)
    e, weight = np.concatenate([-e[::-1], e]), np.concatenate([weight[::-1], weight])
    return e[weight > _NO_WEIGHT], weight[weight > _NO_WEIGHT] / weight[weight > _NO_WEIGHT].sum()


def _hermite(count: int) -> tuple[Floats, Floats]:
    """Nodes and weights for averages over Gaussian noise."""
    e, weight = np.polynomial.hermite_e.hermegauss(count)
    return e, weight / weight.sum()


_LAPLACE = Noise(
    variance=2.0,
    tail=_laplace,
    density=_laplace,
    ladder=np.array([0.0, 1.5, 4.0, 8.0, 14.0, 20.0]),
    draw=lambda rng, size: rng.laplace(size=size),
    parts=_two_laplace,
    part_tail=np.exp,
    part_density=np.exp,
    few=_laguerre(20),
    far=(8.0, 16.0),
    bent=0.5,
)
_GAUSSIAN = Noise(
    variance=1.0,
    tail=_gaussian_tail,
    density=_gaussian_density,
    ladder=np.array([0.0, 2.0, 4.0, 6.0]),
    draw=lambda rng, size: rng.standard_normal(size),
    parts=_two_gaussian,
    part_tail=ndtr,
    part_density=_gaussian_density,
    few=_hermite(11),
    far=(6.0, 10.0),
    bent=np.inf,
)


def noise_of(kind: Kind) -> Noise:
    """The noise of this kind."""
    return _LAPLACE if kind == "Laplace" else _GAUSSIAN
