"""The laws of predictions from noisy centred sums: the verbs of a law, each one sum over the nodes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from ...dataset import Dataset
from ...support import validate
from ...support.types import Floats, Integers
from ..base import Law, by_number
from ..mixture import ClippedLaw
from .nodes import NoisySpread, Sums, find_nodes
from .noises import Kind, Noise, Part, noise_of

_ROUGH = 64  # terms of a rough law
_FARTHEST = 1e300  # farther t count as this far
_CHUNK = 30_000  # terms at a time; they fit into the cache


def centered_laws(
    kind: Kind, data: Dataset, scales: Floats, at: Floats, ridge: bool, ends: tuple[float, float] | None
) -> list[Law]:
    """The law of the prediction at each x of at, shape (m,).

    kind: of the noise on the sums of u, w, u^2 and uw.
    data: the records, in the unit square.
    scales: of these noises, in this order, shape (4,) or longer.
    at: the points, shape (m,), in units of x.
    ridge: whether the slope is shrunk, see slope_per_covariance.
    ends: lower and upper, which predictions are clipped to, in units of y; None: they are not.

    A cdf(t) is off by about 1e-7 as a rule; 6e-6 is the most that was found. Laws share their nodes where they can.
    Source: this project's own.
    """
    sums = Sums(data.n, data.x_mean - 0.5, data.y_mean - 0.5, data.nvar, data.ncov, *scales[:4].tolist())
    spreads: dict[tuple[float | None, bool], NoisySpread] = {}
    laws: list[Law] = []
    for z in (at - 0.5).tolist():
        asked = sums.crossing(z, noise_of(kind)), sums.smooth(z, noise_of(kind))
        law = CenteredLaw(spreads.setdefault(asked, NoisySpread(kind, sums, *asked)), z, ridge)
        laws.append(law if ends is None else ClippedLaw(law, *ends))
    return laws


def slope_per_covariance(
    kind: Kind, v: Floats, u_mean: Floats, scales: Sequence[float] | Floats, ridge: bool
) -> Floats:
    """a / C: 1 / V, or V / (V^2 + s^2) with ridge; 0 where V <= 0; same shape as V and the noisy mean of u.

    s^2 = var(noise of C) + var(noise of V), to first order at the noisy mean of u and at mean w = 0, the middle of its
    range. The slope is then the mean of a slope that is N(0, 1) beforehand, given C: the ridge is s^2 / V.
    kind, scales: as for centered_laws.
    """
    s_u, s_w, s_uu, s_uw = scales[:4]
    squares = s_uw**2 + u_mean**2 * s_w**2 + s_uu**2 + 4 * u_mean**2 * s_u**2
    with np.errstate(divide="ignore", over="ignore"):
        factor = v / (v * v + noise_of(kind).variance * squares) if ridge else 1 / v
    return np.where(v > 0, factor, 0.0)


class Terms(NamedTuple):
    """A weighted average of sums of two noises about different places, which rise; arrays of shape (m,)."""

    place: Floats
    first: Floats
    second: Floats
    weight: Floats

    def take(self, which: np.ndarray) -> Terms:
        """The terms with these numbers."""
        return Terms(*(column[which] for column in self))


class Averages(NamedTuple):
    """What averages over terms are made of: weights left and right of each place, and parts with the weights in them.

    below[i] and above[i]: of the terms before the i-th place and of the others, shapes (m + 1,). The rates of the parts
    have the minus sign of the profiles.
    """

    place: Floats
    below: Floats
    above: Floats
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, terms: Terms, noise: Noise) -> Averages:
        """Those of terms whose places rise."""
        weight, below, above = terms.weight, np.zeros(terms.weight.size + 1), np.zeros(terms.weight.size + 1)
        np.cumsum(weight, out=below[1:])
        np.cumsum(weight[::-1], out=above[-2::-1])
        parts = noise.parts(terms.first, terms.second)
        return cls(terms.place, below, above, tuple(Part(-p.rate, weight * p.tail, weight * p.density) for p in parts))


@dataclass(frozen=True)
class CenteredLaw(Law):
    """The law of 1/2 + mean w + a (z - mean u), all of them noisy, a = C / V; of 1/2 + mean w where V <= 0.

    spread: the law of (mean u, V), shared by the points of one data set; z: the point, from the middle of the range.
    """

    spread: NoisySpread
    z: float
    ridge: bool

    @property
    def fallback(self) -> float:
        """P(V <= 0): the probability that the release is a flat line."""
        return self.spread.nodes_and_fallback[1]

    @property
    def least_tail(self) -> float:
        """As good as its cdf: light nodes are left out, which a far tail may consist of."""
        return 1e-6

    @cached_property
    def terms(self) -> Terms:
        """One term for each node, and one for the flat line; the places are in units of y."""
        sums, (nodes, fallback) = self.spread.sums, self.spread.nodes_and_fallback
        slope = slope_per_covariance(self.spread.kind, nodes.v, nodes.u_mean, sums[-4:], self.ridge)
        lever = (self.z - nodes.u_mean) * slope
        of_w, of_uw = np.abs(1 / sums.n - nodes.u_mean * lever) * sums.of_w, np.abs(lever) * sums.of_uw
        middle = 0.5 + sums.w_mean
        terms = Terms(
            np.append(middle + lever * nodes.covariance, middle),
            np.append(of_w, sums.of_w / sums.n),
            np.append(of_uw, 0.0),
            np.append(nodes.weight, fallback),
        )
        return terms.take(np.argsort(terms.place))

    @cached_property
    def _sums(self) -> Averages:
        return Averages.of(self.terms, self.spread.noise)

    def cdf(self, t: ArrayLike) -> Floats:
        t = np.asarray(t, dtype=float)
        return self._tails_and_density(t.ravel())[0].reshape(t.shape)

    def logpdf(self, t: ArrayLike) -> Floats:
        t = np.asarray(t, dtype=float)
        with np.errstate(divide="ignore"):
            return np.log(self._tails_and_density(t.ravel())[2]).reshape(t.shape)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """size independent draws, shape (size,): a term for each, then two noises.

        Raises ValueError unless rng is a numpy.random.Generator.
        """
        validate.generator(rng=rng)
        weight, draw = self.terms.weight, self.spread.noise.draw
        chosen = self.terms.take(rng.choice(weight.size, size=size, p=weight / weight.sum()))
        return chosen.place + chosen.first * draw(rng, size) + chosen.second * draw(rng, size)

    def _tails_and_density(self, t: Floats) -> Floats:
        """P(release <= t), P(release > t) and the density at t; shape (3, len(t))."""
        rows = max(1, _CHUNK // self.terms.place.size)
        chunks = [self._chunk(self._sums, t[i : i + rows]) for i in range(0, max(t.size, 1), rows)]
        return np.concatenate(chunks, axis=1)

    def _chunk(self, sums: Averages, t: Floats) -> Floats:
        """_tails_and_density from these sums, in one array."""
        noise, values, t = self.spread.noise, np.zeros((3, t.size)), np.clip(t, -_FARTHEST, _FARTHEST)
        away = np.subtract.outer(t, sums.place)
        distance, shared = np.abs(away), noise.part_density is noise.part_tail
        with np.errstate(under="ignore", over="ignore"):
            for part in sums.parts:
                z = distance * part.rate
                if not shared:
                    values[2] += np.vecdot(noise.part_density(z), part.density)
                tail = noise.part_tail(z, z)
                if shared:
                    values[2] += np.vecdot(tail, part.density)
                values[1] += np.vecdot(np.copysign(tail, away, out=tail), part.tail)
        place = np.searchsorted(sums.place, t, side="right")
        values[0] = sums.below[place] - values[1]
        values[1] += sums.above[place]
        return values

    @property
    def kind(self) -> Hashable:
        """The class of laws, and the kind of noise."""
        return type(self), self.spread.kind, self.ridge

    @classmethod
    def tails(cls, laws: Sequence[Any], number: Integers, t: Floats) -> Floats:
        find_nodes(law.spread for law in laws)
        tails = np.empty((3, t.size))
        for i, places in by_number(number):
            tails[:, places] = laws[i]._tails_and_density(t[places])
        return tails

    @classmethod
    def samples(cls, laws: Sequence[Any]) -> Floats:
        """What the mechanism releases for evenly spread noises."""
        sums = Sums(*np.array([law.spread.sums for law in laws]).T[:, :, None])
        kind, ridge = laws[0].spread.kind, laws[0].ridge
        z = np.array([law.z for law in laws])[:, None]
        u, w, uu, uw = _EVENLY[kind]
        u_mean, w_mean = sums.u_mean + sums.of_u * u / sums.n, sums.w_mean + sums.of_w * w / sums.n
        v = sums.of_uu * (sums.center_of_v(u) + uu)
        covariance = sums.ncov - sums.of_u * u * w_mean - sums.u_mean * sums.of_w * w + sums.of_uw * uw
        slope = slope_per_covariance(kind, v, u_mean, np.array(sums[-4:]), ridge)
        return 0.5 + w_mean + slope * covariance * (z - u_mean)


_GOLDEN = 1.1673039782614187  # root of x^5 = x + 1: steps by its powers fill a cube evenly
_SPREAD = (0.5 + np.outer(1 / _GOLDEN ** np.arange(1, 5), np.arange(1, 129))) % 1  # of (0, 1)^4, shape (4, 128)
_EVENLY = {
    "Laplace": np.where(_SPREAD < 0.5, np.log(2 * _SPREAD), -np.log(2 * (1 - _SPREAD))),
    "Gaussian": ndtri(_SPREAD),
}
