"""The noisy n var(x) and mean of x as weighted points: positive weights, so that what is made of them is a law."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...support.types import Floats
from .noises import Kind, Noise, noise_of
from .panels import LIGHT, cut, noise_nodes

_SWEEP = 3.0  # scales by which the conditional law may move over a panel
_BEND = 4.0  # scales of V's noise by which V may move over a panel of the noise on Su
_DEEP = 14.0  # where V = 0 is more scales than this below the centre of V, it is of no account
_NOTHING = 1e-7  # where V > 0 is less likely than this, it is left out
_NEAR_ZERO = 4.0 ** np.arange(-10, 3)  # V, in scales of its noise, between which lines turn from steep to flat
_CROSSING = np.concatenate([-(4.0 ** -np.arange(4)), 4.0 ** -np.arange(4), [0.0]])


@dataclass(frozen=True)
class CenteredSums:
    """What a release starts from: n, the means of u = x - 1/2 and w = y - 1/2, n var(x) and n cov(x, y).

    kind, scales: of the noise on the sums of u, w, u^2 and uw.
    """

    kind: Kind
    n: int
    u_mean: float
    w_mean: float
    nvar: float
    ncov: float
    scales: tuple[float, float, float, float]

    @property
    def noise(self) -> Noise:
        return noise_of(self.kind)

    def crossing(self, z: float) -> float | None:
        """The noise on Su, in its scales, that moves the mean of u to z; None where V is far above 0 there."""
        e = (z - self.u_mean) * self.n / self.scales[0]
        return e if abs(e) < self.noise.ladder[-1] and self.center_of_v(np.array(e)) < _DEEP else None

    def center_of_v(self, e: Floats) -> Floats:
        """V without the noise on Suu, in scales of that noise, given the noise e on Su in its scales; same shape."""
        moved = self.scales[0] * e
        return (self.nvar - 2 * self.u_mean * moved - moved * moved / self.n) / self.scales[2]

    def noise_at_center(self, v: float) -> tuple[float, float]:
        """The two noises e on Su for which center_of_v is -v, for v >= 0."""
        reach = np.sqrt(self.nvar / self.n + self.u_mean**2 + v * self.scales[2] / self.n)
        per_scale = self.n / self.scales[0]
        return (-self.u_mean - reach) * per_scale, (-self.u_mean + reach) * per_scale


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

    crossing: see CenteredSums.crossing; near it panels are short.
    """

    sums: CenteredSums
    crossing: float | None

    @cached_property
    def fallback(self) -> float:
        """P(V <= 0)."""
        return self._nodes_and_fallback[1]

    @property
    def nodes(self) -> Nodes:
        return self._nodes_and_fallback[0]

    @cached_property
    def _nodes_and_fallback(self) -> tuple[Nodes, float]:
        sums, noise = self.sums, self.sums.noise
        low, high = self._outer_panels()
        inside = float(noise.between(low[:1], high[-1:])[0])
        if inside < _NOTHING:
            return Nodes(*np.empty((4, 0))), 1.0
        _, e, weight = noise_nodes(noise, low, high, np.zeros(low.size), noise.between(low, high))
        weight *= inside / weight.sum()
        center = sums.center_of_v(e)
        positive = float(weight @ noise.above(-center))
        moved = sums.scales[0] * e
        covariance = sums.ncov - moved * sums.w_mean
        row, v, mass = self._inner_nodes(center, weight, covariance)
        mass *= positive / mass.sum()
        u_mean = sums.u_mean + moved / sums.n
        return Nodes(u_mean[row], v * sums.scales[2], covariance[row], mass), 1 - positive

    def _outer_panels(self) -> tuple[Floats, Floats]:
        """Panels for the noise e on Su, low and high ends: short where V or the line changes fast."""
        sums, ladder = self.sums, self.sums.noise.ladder
        first, last = sums.noise_at_center(ladder[-1])
        spots = np.concatenate([ladder, -ladder, sums.noise_at_center(0.0)])
        if self.crossing is not None:
            spots = np.append(spots, self.crossing + _CROSSING * sums.scales[2] / sums.scales[0])
        edges = np.unique(np.clip(spots, max(-ladder[-1], first), min(ladder[-1], last)))
        low, high = edges[:-1], edges[1:]
        _, low, high = cut(low, high, np.ceil(self._changes(low, high)), sums.noise.between(low, high))
        return low, high

    def _changes(self, low: Floats, high: Floats) -> Floats:
        """How many panels the intervals of e need: by how far V moves, and the line by its noisy mean of u."""
        sums, (s_u, s_w, s_uu, s_uw) = self.sums, self.sums.scales
        ends = np.array([low, high])
        u_mean = np.abs(sums.u_mean + s_u * ends / sums.n).max(axis=0)
        v = s_uu * np.maximum(sums.center_of_v(ends).max(axis=0), 1.0)
        slope = np.abs(sums.ncov - s_u * ends * sums.w_mean).max(axis=0) / v
        steep = (3 * slope * u_mean + abs(sums.w_mean)) * s_u / (s_uw + slope * s_uu)
        rate = np.maximum(slope * s_u / s_w, steep)
        return (high - low) * np.maximum(rate / _SWEEP, 2 * u_mean * s_u / s_uu / _BEND)

    def _inner_nodes(self, center: Floats, weight: Floats, covariance: Floats) -> tuple[np.ndarray, Floats, Floats]:
        """(row, v, weight) of nodes for V in scales of its noise about each center; arrays of shape (nodes,)."""
        noise = self.sums.noise
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
        sweep = np.abs(covariance)[row] / self.sums.scales[3] * steepness
        number, low, high = cut(low, high, np.ceil(sweep / _SWEEP), mass)
        row = row[number]
        mass = weight[row] * noise.between(low - center[row], high - center[row])
        panel, v, mass = noise_nodes(noise, low, high, center[row], mass)
        return row[panel], v, mass
