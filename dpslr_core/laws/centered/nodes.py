"""The noisy n var(x) and mean of x as weighted points: positive weights, so that what is made of them is a law."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...support.run import checkpoint
from ...support.types import Floats, Integers
from .noises import Kind, Noise, noise_of
from .panels import LIGHT, cut, noise_nodes

_SWEEP = 3.0  # scales by which the conditional law may move over a panel
_BEND = 4.0  # scales of V's noise by which V may move over a panel of the noise on Su
_DEEP = 14.0  # where V = 0 is more scales than this below the centre of V, it is of no account
_NOTHING = 1e-7  # where V > 0 is less likely than this, it is left out
_NEAR_ZERO = 4.0 ** np.arange(-10, 3)  # V, in scales of its noise, between which lines turn from steep to flat
_CROSSING = np.concatenate([-(4.0 ** -np.arange(4)), 4.0 ** -np.arange(4), [0.0]])
_TOGETHER = 8  # spreads whose nodes are computed together: they fit into the cache
_NODES = "nodes_and_fallback"


class Sums(NamedTuple):
    """What releases start from: n, the means of u = x - 1/2 and w = y - 1/2, n var(x) and n cov(x, y).

    of_u .. of_uw: the scales of the noise on the sums of u, w, u^2 and uw. Numbers of one data set, or arrays.
    """

    n: Any
    u_mean: Any
    w_mean: Any
    nvar: Any
    ncov: Any
    of_u: Any
    of_w: Any
    of_uu: Any
    of_uw: Any

    def take(self, which: Integers) -> Sums:
        """Those with these numbers, of arrays."""
        return Sums(*(part[which] for part in self))

    def center_of_v(self, e: Any) -> Any:
        """V without the noise on Suu, in scales of that noise, given the noise e on Su in its scales; same shape."""
        moved = self.of_u * e
        return (self.nvar - 2 * self.u_mean * moved - moved * moved / self.n) / self.of_uu

    def noise_at_center(self, v: float) -> tuple[Any, Any]:
        """The two noises e on Su for which center_of_v is -v, for v >= 0."""
        reach = np.sqrt(self.nvar / self.n + self.u_mean**2 + v * self.of_uu / self.n)
        per_scale = self.n / self.of_u
        return (-self.u_mean - reach) * per_scale, (-self.u_mean + reach) * per_scale

    def crossing(self, z: float, noise: Noise) -> float | None:
        """The noise on Su, in its scales, that moves the mean of u to z; None where V is far above 0 there."""
        e = (z - self.u_mean) * self.n / self.of_u
        return e if abs(e) < noise.ladder[-1] and self.center_of_v(e) < _DEEP else None

    def smooth(self, z: float, noise: Noise) -> bool:
        """Whether the average over the other noises is a smooth function of e, at the point z.

        V = 0 is far away, and the prediction moves with e by little against the two largest of its other noises: one
        alone would leave a kink.
        """
        reach, depth = noise.far
        if min(self.center_of_v(reach), self.center_of_v(-reach)) < depth:
            return False
        slope, lever = self.ncov / self.nvar, (z - self.u_mean) / self.nvar
        moved = self.of_u * (lever * (2 * slope * self.u_mean - self.w_mean) - slope / self.n)
        others = (1 / self.n - self.u_mean * lever) * self.of_w, lever * self.of_uw, slope * lever * self.of_uu
        _, second, first = sorted(map(abs, others))
        return bool(moved * moved <= noise.bent * first * second)


class Nodes(NamedTuple):
    """Weighted points of the law of (noisy mean of u, V), V > 0; arrays of shape (m,).

    u_mean, v: the noisy mean of u and V = Suu - n (mean of u)^2.
    covariance: the centre of Suw - (mean of u) Sw, whose noise is left.
    weight: positive, adding up to P(V > 0).
    """

    u_mean: Floats
    v: Floats
    covariance: Floats
    weight: Floats


@dataclass(frozen=True)
class NoisySpread:
    """The law of the noisy mean of u and of V, as weighted points.

    kind: of the noise. crossing: see Sums.crossing; near it panels are short. smooth: see Sums.smooth; then no panels
    are needed for the noise on Su.
    """

    kind: Kind
    sums: Sums
    crossing: float | None
    smooth: bool

    @property
    def noise(self) -> Noise:
        return noise_of(self.kind)

    @cached_property
    def nodes_and_fallback(self) -> tuple[Nodes, float]:
        """The points, and P(V <= 0)."""
        return _nodes_of([self])[0]


def find_nodes(spreads: Iterable[NoisySpread]) -> None:
    """Compute nodes_and_fallback of spreads with one kind of noise, a few at a time, which is faster; cached there."""
    unknown = [spread for spread in {id(each): each for each in spreads}.values() if _NODES not in vars(spread)]
    for start in range(0, len(unknown), _TOGETHER):
        checkpoint()
        some = unknown[start : start + _TOGETHER]
        for spread, found in zip(some, _nodes_of(some), strict=True):
            vars(spread)[_NODES] = found


def _nodes_of(spreads: Sequence[NoisySpread]) -> list[tuple[Nodes, float]]:
    """nodes_and_fallback of each, whose numbers depend on no other one."""
    noise, sums = spreads[0].noise, Sums(*np.array([spread.sums for spread in spreads]).T)
    area, e, weight = _outer_nodes(noise, sums, spreads)
    mine = sums.take(area)
    center, moved = mine.center_of_v(e), mine.of_u * e
    covariance = mine.ncov - moved * mine.w_mean
    positive = np.bincount(area, weight * noise.above(-center), len(spreads)).astype(float)
    row, v, mass = _inner_nodes(noise, center, weight, covariance / mine.of_uw)
    mass *= _factors(positive, area[row], mass)[area[row]]
    u_mean = mine.u_mean + moved / mine.n
    order = np.argsort(area[row].astype(np.uint16), kind="stable")
    row = row[order]
    columns = u_mean[row], v[order] * mine.of_uu[row], covariance[row], mass[order]
    ends = np.cumsum(np.bincount(area[row], minlength=len(spreads)))[:-1]
    nodes = zip(*(np.split(column, ends) for column in columns), strict=True)
    return [(Nodes(*each), max(1 - share, 0.0)) for each, share in zip(nodes, positive.tolist(), strict=True)]


def _factors(totals: Floats, area: Integers, weight: Floats) -> Floats:
    """What the weights of each spread are to be multiplied by to have these totals, same shape; 1 where none are."""
    sums = np.bincount(area, weight, totals.size)
    return np.where(sums > 0, totals, 1.0) / np.where(sums > 0, sums, 1.0)


def _outer_nodes(noise: Noise, sums: Sums, spreads: Sequence[NoisySpread]) -> tuple[Integers, Floats, Floats]:
    """(number of the spread, e, weight) of nodes for the noise e on Su; arrays of shape (nodes,)."""
    smooth = np.array([spread.smooth for spread in spreads])
    rough, few = np.flatnonzero(~smooth), noise.few
    area = np.repeat(np.flatnonzero(smooth), few[0].size)
    e, weight = (np.tile(each, np.count_nonzero(smooth)) for each in few)
    if not rough.size:
        return area, e, weight
    numbers, low, high, inside = _outer_panels(noise, sums.take(rough), [spreads[i].crossing for i in rough.tolist()])
    panel, places, shares = noise_nodes(noise, low, high, np.zeros(low.size), noise.between(low, high))
    numbers = numbers[panel]
    shares *= _factors(inside, numbers, shares)[numbers]
    return np.append(area, rough[numbers]), np.append(e, places), np.append(weight, shares)


def _outer_panels(
    noise: Noise, sums: Sums, crossings: Sequence[float | None]
) -> tuple[Integers, Floats, Floats, Floats]:
    """Panels for the noise e on Su, short where V or the line changes fast: the number of the spread, low and high end.

    And how much of that noise is between the outermost ends; 0, and no panels, where V > 0 is too unlikely.
    """
    reach, (first, last) = noise.ladder[-1], sums.noise_at_center(noise.ladder[-1])
    spots = [np.tile(np.append(noise.ladder, -noise.ladder), (first.size, 1)), np.stack(sums.noise_at_center(0.0), 1)]
    about = np.array([0.0 if crossing is None else crossing for crossing in crossings])[:, None]
    near = about + _CROSSING * (sums.of_uu / sums.of_u)[:, None]
    spots.append(np.where(np.array([[crossing is not None] for crossing in crossings]), near, 0.0))
    ends = np.maximum(-reach, first), np.minimum(reach, last)
    edges = np.sort(np.clip(np.concatenate(spots, axis=1), *(end[:, None] for end in ends)), axis=1)
    inside = noise.between(edges[:, 0], edges[:, -1])
    inside[inside < _NOTHING] = 0.0
    area, place = np.nonzero((edges[:, 1:] > edges[:, :-1]) & (inside > 0)[:, None])
    low, high = edges[area, place], edges[area, place + 1]
    number, low, high = cut(low, high, np.ceil(_changes(sums.take(area), low, high)), noise.between(low, high))
    return area[number], low, high, inside


def _changes(sums: Sums, low: Floats, high: Floats) -> Floats:
    """How many panels the intervals of e need: by how far V moves, and the line by its noisy mean of u."""
    ends = np.array([low, high])
    u_mean = np.abs(sums.u_mean + sums.of_u * ends / sums.n).max(axis=0)
    v = sums.of_uu * np.maximum(sums.center_of_v(ends).max(axis=0), 1.0)
    slope = np.abs(sums.ncov - sums.of_u * ends * sums.w_mean).max(axis=0) / v
    steep = (3 * slope * u_mean + np.abs(sums.w_mean)) * sums.of_u / (sums.of_uw + slope * sums.of_uu)
    rate = np.maximum(slope * sums.of_u / sums.of_w, steep)
    return (high - low) * np.maximum(rate / _SWEEP, 2 * u_mean * sums.of_u / sums.of_uu / _BEND)


def _inner_nodes(noise: Noise, center: Floats, weight: Floats, covariance: Floats) -> tuple[Integers, Floats, Floats]:
    """(row, v, weight) of nodes for V in scales of its noise about each center; arrays of shape (nodes,).

    covariance: in scales of the noise on the sum of uw.
    """
    rungs = np.concatenate([-noise.ladder[::-1], noise.ladder])
    near_zero = np.minimum(_NEAR_ZERO, np.maximum(center + noise.ladder[-1], 0)[:, None])
    edges = np.sort(np.concatenate([np.maximum(center[:, None] + rungs, 0), near_zero], axis=1), axis=1)
    row, place = np.nonzero(edges[:, 1:] > edges[:, :-1])
    low, high = edges[row, place], edges[row, place + 1]
    mass = weight[row] * noise.between(low - center[row], high - center[row])
    heavy = mass > LIGHT
    row, low, high, mass = row[heavy], low[heavy], high[heavy], mass[heavy]
    # The line is C / V and its noise at least scale / V: over a panel it moves by so many scales at most.
    steepness = np.log(high / np.where(low > 0, low, high))
    number, low, high = cut(low, high, np.ceil(np.abs(covariance)[row] * steepness / _SWEEP), mass)
    row = row[number]
    mass = weight[row] * noise.between(low - center[row], high - center[row])
    panel, v, mass = noise_nodes(noise, low, high, center[row], mass)
    return row[panel], v, mass
