"""Exact laws of predictions from noisy centred sums, with a flat line where the noisy n var(x) is not positive.

>>> import numpy as np
>>> from dpslr_core import Dataset, simulate_linear
>>> data = Dataset(*simulate_linear(n=2000, var_x=0.03, var_e=0.01, rng=np.random.default_rng(1)))
>>> scales = np.array([4.0, 4.0, 2.0, 4.0])
>>> (law,) = centered_laws("Gaussian", data, scales, at=np.array([0.25]), ridge=False, ends=None)
>>> round(law.error_bound(68, center=data.predict(0.25)[0]), 4)
0.0175

Let u = x - 1/2 and w = y - 1/2. The sums over the records of (u, w, u^2, uw) are released as Su, Sw, Suu and Suw, with
independent noises Nu, Nw, Nuu and Nuw; q and wbar are the noisy means of u and w, V = Suu - n q^2, C = Suw - n q wbar,
and

    p = 1/2 + wbar + g C (z - q),    z = x - 1/2,    g = 1 / V (V / (V^2 + s^2) with ridge), 0 where V <= 0.

q and V depend on Nu and Nuu alone. As C = Suw - q Sw, p is linear in the other two once q and V are known:

    p = 1/2 + Sw (1/n - q L) + Suw L,    L = g (z - q),

whose centre is 1/2 + mean w + L (ncov - Nu mean w), and whose noise is a sum of two independent noises with scales |1/n
- q L| s_w and |L| s_uw: its tails are a closed form, for Laplace and for Gaussian noise (``quadrature``). So cdf(t) is
the average of these tails over the law of (q, V), by Gauss-Legendre panels first in Nu and then, given Nu, in V. Panels
are cut at the kinks of both densities and where V = 0, and are short where V is small, where z - q changes sign and
where the centre moves by several scales. Where V = 0 is out of reach, and the average over the other noises is smooth
in Nu, the few nodes of Gauss-Laguerre or Gauss-Hermite quadrature replace the panels in Nu. Weights are positive and
the same for all t, so that the quadrature is itself a law. V <= 0 adds the law of 1/2 + wbar with mass P(V <= 0), a
one-dimensional integral. ``mixture.ClippedLaw`` has the law of a prediction that is moved into [lower, upper].
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..dataset import Dataset
from ..support import validate
from ..support.run import checkpoint
from ..support.types import Floats, Integers
from .base import Law, by_number
from .mixture import ClippedLaw
from .quadrature import NOISES, AveragedLaw, Kind, Noise, TailTerm, legendre, panels

_MOST_NODES = 7  # of a panel
_DIGITS = 8.5  # of the average over all panels; a node of a panel is worth about one digit
_LIGHT = 1e-9  # panels of less mass are left out
_SHARP_MASS = 1e-6  # panels of less mass are not cut further
_SWEEP = 3.0  # scales by which the conditional law may move over a panel
_BEND = 4.0  # scales of V's noise by which V may move over a panel of the noise on Su
_DEEP = 14.0  # where V = 0 is more scales than this below the centre of V, V = 0 is out of reach
_NOTHING = 1e-7  # V > 0 is left out where it is less likely than this
_NEAR_ZERO = 4.0 ** np.arange(
    -10, 3
)  # V, in scales of its noise, between which lines turn from steep to flat
_CROSSING = np.concatenate([-(4.0 ** -np.arange(4)), 4.0 ** -np.arange(4), [0.0]])
_TOGETHER = 8  # spreads whose nodes are computed together: they fit into the cache
_FARTHEST = 1e300  # larger |t| count as this
_CHUNK = 30_000  # terms at a time; they fit into the cache
_LEGENDRE = np.zeros(
    (2, _MOST_NODES + 1, _MOST_NODES)
)  # nodes and weights of the rule with i nodes in row i, filled up with 0
for _count in range(1, _MOST_NODES + 1):
    _LEGENDRE[:, _count, :_count] = legendre(_count)


class Smooth(NamedTuple):
    """Quadrature of smooth functions of the noise e on Su, with the limits within which an average is smooth in e.

    Attributes
    ----------
    nodes, weights : array, shape (k,)
    reach, depth : float
        V = 0 must be at least `depth` scales of the noise of V away, for every e up to `reach`.
    bent : float
        Largest kink that Laplace noise may leave, see Sums.smooth.
    """

    nodes: Floats
    weights: Floats
    reach: float
    depth: float
    bent: float

    @classmethod
    def of(cls, nodes: Floats, weights: Floats, *limits: float) -> Smooth:
        """Make the quadrature without nodes of negligible weight; `limits` are reach, depth and bent."""
        heavy = weights > 1e-10  # lighter nodes are left out
        return cls(nodes[heavy], weights[heavy] / weights[heavy].sum(), *limits)


def _both_sides(nodes: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Mirror a quadrature on the positive half line to the whole line."""
    return np.append(-nodes[::-1], nodes), np.append(weights[::-1], weights)


_SMOOTH = {
    "Laplace": Smooth.of(*_both_sides(*np.polynomial.laguerre.laggauss(20)), 8.0, 16.0, 0.5),
    "Gaussian": Smooth.of(*np.polynomial.hermite_e.hermegauss(11), 6.0, 10.0, np.inf),
}


class Sums(NamedTuple):
    """Statistics and noise scales that releases start from, of one data set or of several (then arrays of shape (k,)).

    Attributes
    ----------
    n : number of records
    u_mean, w_mean : means of u = x - 1/2 and w = y - 1/2
    nvar, ncov : n var(x) and n cov(x, y)
    of_u, of_w, of_uu, of_uw : scales of the noise on the sums of u, w, u^2 and uw
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
        """Return the data sets with the indices `which`."""
        return Sums(*(column[which] for column in self))

    def center_of_v(self, e: Any) -> Any:
        """Compute V = Suu - Su^2 / n, without noise on Suu and in scales of that noise, at noises e on Su."""
        moved = self.of_u * e
        return (self.nvar - 2 * self.u_mean * moved - moved * moved / self.n) / self.of_uu

    def noise_at_center(self, v: float) -> tuple[Any, Any]:
        """Compute the two noises on the sum of u, in scales of that noise, at which V = Suu - Su^2 / n is -v.

        V is without noise on Suu, and in scales of that noise; v >= 0.
        """
        reach = np.sqrt(self.nvar / self.n + self.u_mean**2 + v * self.of_uu / self.n)
        per_scale = self.n / self.of_u
        return (-self.u_mean - reach) * per_scale, (-self.u_mean + reach) * per_scale

    def crossing(self, z: float, noise: Noise) -> float | None:
        """Compute the noise on Su, in its scales, that moves the mean of u to z; None where V is far above 0 there."""
        e = (z - self.u_mean) * self.n / self.of_u
        return e if abs(e) < noise.ladder[-1] and self.center_of_v(e) < _DEEP else None

    def smooth(self, z: float, smooth: Smooth) -> bool:
        """Whether the average over all noises but e, the noise on Su, is a smooth function of e at the point z.

        V = 0 must be far away, and the prediction must move with e by little against its two largest other noises: a
        single one would leave a kink.
        """
        if min(self.center_of_v(smooth.reach), self.center_of_v(-smooth.reach)) < smooth.depth:
            return False
        slope, lever = self.ncov / self.nvar, (z - self.u_mean) / self.nvar
        moved = self.of_u * (lever * (2 * slope * self.u_mean - self.w_mean) - slope / self.n)
        moves = (
            (1 / self.n - self.u_mean * lever) * self.of_w,
            lever * self.of_uw,
            slope * lever * self.of_uu,
        )
        _, second, first = sorted(map(abs, moves))
        return bool(moved * moved <= smooth.bent * first * second)


class Nodes(NamedTuple):
    """Weighted points of the law of (noisy mean of u, V), V > 0; arrays of shape (m,).

    Attributes
    ----------
    u_mean, v : noisy mean of u, and V = Suu - n (mean of u)^2
    covariance : Suw - (mean of u) Sw without the noises on Suw and Sw
    weight : positive weights with the sum P(V > 0)
    """

    u_mean: Floats
    v: Floats
    covariance: Floats
    weight: Floats


@dataclass(frozen=True)
class NoisySpread:
    """Law of the noisy mean of u and of V, as weighted points.

    Attributes
    ----------
    kind : kind of the noise
    sums : Sums of one data set
    crossing : noise of Sums.crossing, near which panels are short; None where there is none
    smooth : result of Sums.smooth; if true, the noise on Su needs no panels
    """

    kind: Kind
    sums: Sums
    crossing: float | None
    smooth: bool

    @cached_property
    def nodes_and_fallback(self) -> tuple[Nodes, float]:
        """Weighted points of the law of (noisy mean of u, V), and the probability P(V <= 0) of a flat line."""
        return _nodes_of([self])[0]


def _find_nodes(spreads: Iterable[NoisySpread]) -> None:
    """Compute and cache nodes_and_fallback of spreads with one kind of noise, a few together, which is faster."""
    name = "nodes_and_fallback"
    unknown = [
        spread
        for spread in {id(spread): spread for spread in spreads}.values()
        if name not in vars(spread)
    ]
    for start in range(0, len(unknown), _TOGETHER):
        checkpoint()
        batch = unknown[start : start + _TOGETHER]
        for spread, nodes_and_fallback in zip(batch, _nodes_of(batch), strict=True):
            vars(spread)[name] = nodes_and_fallback


def _nodes_of(spreads: Sequence[NoisySpread]) -> list[tuple[Nodes, float]]:
    """Compute nodes_and_fallback of every spread as if it were alone."""
    noise, smooth, count = NOISES[spreads[0].kind], _SMOOTH[spreads[0].kind], len(spreads)
    sums, few = (
        Sums(*np.array([spread.sums for spread in spreads]).T),
        [i for i in range(count) if spreads[i].smooth],
    )
    area, e, weight = _outer_nodes(noise, sums, spreads)
    area = np.append(area, np.repeat(np.array(few, dtype=np.int64), smooth.nodes.size))
    order = np.argsort(area, kind="stable")
    area, e = area[order], np.append(e, np.tile(smooth.nodes, len(few)))[order]
    weight = np.append(weight, np.tile(smooth.weights, len(few)))[order]
    local = sums.take(area)
    center, moved = local.center_of_v(e), local.of_u * e
    covariance = local.ncov - moved * local.w_mean
    positive = np.bincount(area, weight * noise.above(-center), count)
    row, v, mass = _inner_nodes(noise, center, weight, covariance / local.of_uw)
    owner = area[row]
    total = np.bincount(owner, mass, count)
    mass *= (positive / np.where(total > 0, total, 1.0))[owner]
    points = (local.u_mean + moved / local.n)[row], v * local.of_uu[row], covariance[row], mass
    ends = np.cumsum(np.bincount(owner, minlength=count))[:-1]
    nodes = zip(*(np.split(column, ends) for column in points), strict=True)
    return [
        (Nodes(*columns), max(1 - share, 0.0))
        for columns, share in zip(nodes, positive.tolist(), strict=True)
    ]


def _outer_nodes(
    noise: Noise, sums: Sums, spreads: Sequence[NoisySpread]
) -> tuple[Integers, Floats, Floats]:
    """Make nodes for the noise e on Su of spreads that are not smooth: (index of spread, e, weight), shape (nodes,).

    Panels are short where V or the line changes fast. A spread has none where V > 0 is too unlikely.
    """
    rough = np.array([i for i, spread in enumerate(spreads) if not spread.smooth], dtype=np.int64)
    sums, crossings = sums.take(rough), [spreads[i].crossing for i in rough.tolist()]
    ladder, reach = np.append(-noise.ladder, noise.ladder), noise.ladder[-1]
    first, last = np.clip(sums.noise_at_center(reach), -reach, reach)
    last = np.where(noise.between(first, last) < _NOTHING, first, last)
    about = np.array([np.nan if crossing is None else crossing for crossing in crossings])[:, None]
    near = np.nan_to_num(about + _CROSSING * (sums.of_uu / sums.of_u)[:, None])
    spots = [np.tile(ladder, (rough.size, 1)), np.stack(sums.noise_at_center(0.0), 1), near]
    area, low, high = panels(np.concatenate(spots, axis=1), first[:, None], last[:, None])
    local, ends = sums.take(area), np.array([low, high])
    u_mean = np.abs(local.u_mean + local.of_u * ends / local.n).max(axis=0)
    v = local.of_uu * np.maximum(local.center_of_v(ends).max(axis=0), 1.0)
    slope = np.abs(local.ncov - local.of_u * ends * local.w_mean).max(axis=0) / v
    steep = (
        (3 * slope * u_mean + np.abs(local.w_mean))
        * local.of_u
        / (local.of_uw + slope * local.of_uu)
    )
    rate = np.maximum(
        slope * local.of_u / local.of_w, steep
    )  # scales by which the line moves per unit of e
    count = np.ceil(
        (high - low) * np.maximum(rate / _SWEEP, 2 * u_mean * local.of_u / local.of_uu / _BEND)
    )
    number, low, high = _cut(low, high, count, noise.between(low, high))
    panel, e, weight = _noise_nodes(noise, low, high, np.zeros(low.size), noise.between(low, high))
    return rough[area[number[panel]]], e, weight


def _inner_nodes(
    noise: Noise, center: Floats, weight: Floats, covariance: Floats
) -> tuple[Integers, Floats, Floats]:
    """Make nodes for V about each of its centers: (row, v, weight), arrays of shape (nodes,), row by row.

    `center` and v are in scales of the noise on the sum of u^2, `covariance` in scales of the noise on the sum of uw.
    """
    rungs = center[:, None] + np.append(-noise.ladder, noise.ladder)
    edges = np.concatenate([rungs, np.tile(_NEAR_ZERO, (center.size, 1))], axis=1)
    row, low, high = panels(edges, 0.0, np.maximum(center + noise.ladder[-1], 0.0)[:, None])
    mass = weight[row] * noise.between(low - center[row], high - center[row])
    heavy = mass > _LIGHT
    row, low, high, mass = row[heavy], low[heavy], high[heavy], mass[heavy]
    # The line is C / V and its noise at least scale / V: over a panel the line moves by at most steepness |C| scales.
    steepness = np.log(high / np.where(low > 0, low, high))
    number, low, high = _cut(low, high, np.ceil(np.abs(covariance)[row] * steepness / _SWEEP), mass)
    row = row[number]
    mass = weight[row] * noise.between(low - center[row], high - center[row])
    panel, v, mass = _noise_nodes(noise, low, high, center[row], mass)
    return row[panel], v, mass


def _cut(low: Floats, high: Floats, count: Floats, mass: Floats) -> tuple[Integers, Floats, Floats]:
    """Cut intervals, arrays of shape (intervals,), into `count` equal pieces, or fewer where their mass is small.

    Returns (index of the interval, low, high) of the pieces, shape (pieces,).
    """
    pieces = np.minimum(np.maximum(count, 1), 1 + mass / _SHARP_MASS).astype(int)
    number = np.repeat(np.arange(low.size), pieces)
    offset = np.arange(number.size) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    length = ((high - low) / pieces)[number]
    return number, low[number] + offset * length, low[number] + (offset + 1) * length


def _noise_nodes(
    noise: Noise, low: Floats, high: Floats, center: Floats, mass: Floats
) -> tuple[Integers, Floats, Floats]:
    """Make nodes for noise about `center` on panels from low to high: (panel, position, weight), shape (nodes,).

    The arguments have the shape (panels,). The weights of a panel add up to its `mass`, which also decides how many
    nodes it gets.
    """
    heavy = np.flatnonzero(mass > _LIGHT)
    low, high, center, mass = low[heavy], high[heavy], center[heavy], mass[heavy]
    count = np.clip(np.ceil(_DIGITS + np.log10(mass)), 1, _MOST_NODES).astype(int)
    x, share = _LEGENDRE[:, count]
    position = 0.5 * (low + high)[:, None] + 0.5 * (high - low)[:, None] * x
    share = share * noise.density(np.abs(position - center[:, None]))
    share *= (mass / share.sum(axis=1))[:, None]
    panel, node = np.nonzero(np.arange(_MOST_NODES) < count[:, None])
    return heavy[panel], position[panel, node], share[panel, node]


def centered_laws(
    kind: Kind,
    data: Dataset,
    scales: Floats,
    at: Floats,
    ridge: bool,
    ends: tuple[float, float] | None,
) -> list[Law]:
    """Compute the law of the prediction at each of m points.

    A cdf(t) is off by about 1e-7 as a rule, and by up to 1e-5 where the line is steep (x within a fiftieth of its
    range, or a point far outside): nodes serve all t and all points, so that no panel ends where Laplace noise has its
    kink. Source: this project's own.

    Parameters
    ----------
    kind : "Laplace" or "Gaussian"
        Noise on the sums of u, w, u^2 and uw.
    data : Dataset
    scales : array, shape (4,) or longer
        Scales of these noises, in this order.
    at : array, shape (m,), in units of x
    ridge : bool
        Whether the slope is shrunk, see slope_per_covariance.
    ends : (lower, upper) in units of y, or None
        Range that predictions are clipped to, if any.
    """
    sums = Sums(
        data.n, data.x_mean - 0.5, data.y_mean - 0.5, data.nvar, data.ncov, *scales[:4].tolist()
    )
    spreads: dict[tuple[float | None, bool], NoisySpread] = {}
    laws: list[Law] = []
    for z in (at - 0.5).tolist():
        properties = sums.crossing(z, NOISES[kind]), sums.smooth(z, _SMOOTH[kind])
        law = CenteredLaw(
            spreads.setdefault(properties, NoisySpread(kind, sums, *properties)), z, ridge
        )
        laws.append(law if ends is None else ClippedLaw(law, *ends))
    return laws


def slope_per_covariance(
    kind: Kind, v: Floats, u_mean: Floats, scales: Sequence[float] | Floats, ridge: bool
) -> Floats:
    """Compute the slope per covariance C: 1 / V, or V / (V^2 + s^2) with ridge; 0 where V <= 0; same shape as v.

    s^2 = var(noise of C) + var(noise of V), to first order at the noisy mean of u and at mean w = 0, the middle of its
    range. The slope is then the mean of a slope that is N(0, 1) beforehand, given C: the ridge is s^2 / V.

    Parameters
    ----------
    kind : "Laplace" or "Gaussian"
    v, u_mean : array
        Noisy V and noisy mean of u, of one shape.
    scales : sequence of float
        Scales of the noise on the sums of u, w, u^2 and uw.
    ridge : bool
    """
    s_u, s_w, s_uu, s_uw = scales[:4]
    squares = s_uw**2 + u_mean**2 * s_w**2 + s_uu**2 + 4 * u_mean**2 * s_u**2
    with np.errstate(divide="ignore", over="ignore"):
        factor = v / (v * v + NOISES[kind].variance * squares) if ridge else 1 / v
    return np.where(v > 0, factor, 0.0)


class Terms(NamedTuple):
    """Weighted average of m sums of two noises, with scales `first` and `second`, about `center`; shape (m,)."""

    center: Floats
    first: Floats
    second: Floats
    weight: Floats


@dataclass(frozen=True)
class CenteredLaw(AveragedLaw):
    """Law of 1/2 + mean w + a (z - mean u), a = C / V, from noisy sums; of 1/2 + mean w where V <= 0.

    Attributes
    ----------
    spread : law of (mean u, V), shared by the points of one data set
    z : distance of the point from the middle of the range of x
    ridge : whether the slope is shrunk, see slope_per_covariance
    """

    spread: NoisySpread
    z: float
    ridge: bool

    @property
    def fallback(self) -> float:
        """Probability P(V <= 0) that the release is a flat line."""
        return self.spread.nodes_and_fallback[1]

    @property
    def least_tail(self) -> float:
        """Probability of the smallest tail with digits: light nodes, which make the far tails, are left out."""
        return 1e-6

    @cached_property
    def terms(self) -> Terms:
        """Terms of all nodes and of the flat line, the last; in units of y."""
        sums, (nodes, fallback) = self.spread.sums, self.spread.nodes_and_fallback
        slope = slope_per_covariance(self.spread.kind, nodes.v, nodes.u_mean, sums[-4:], self.ridge)
        lever, middle = (self.z - nodes.u_mean) * slope, 0.5 + sums.w_mean
        return Terms(
            np.append(middle + lever * nodes.covariance, middle),
            np.append(np.abs(1 / sums.n - nodes.u_mean * lever) * sums.of_w, sums.of_w / sums.n),
            np.append(np.abs(lever) * sums.of_uw, 0.0),
            np.append(nodes.weight, fallback),
        )

    @cached_property
    def _tail_terms(self) -> list[TailTerm]:
        """Tail terms of the sums of two noises, multiplied by the weights, with negative rates."""
        weight, noise = self.terms.weight, NOISES[self.spread.kind]
        return [
            TailTerm(-term.rate, weight * term.tail, weight * term.density)
            for term in noise.tail_terms(self.terms.first, self.terms.second)
        ]

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw `size` independent predictions, shape (size,): a term each, then its two noises.

        Raises ValueError unless rng is a numpy.random.Generator.
        """
        validate.generator(rng=rng)
        (center, first, second, weight), draw = self.terms, NOISES[self.spread.kind].draw
        cumulated = np.cumsum(weight)
        chosen = np.searchsorted(cumulated / cumulated[-1], rng.random(size), side="right")
        return center[chosen] + first[chosen] * draw(rng, size) + second[chosen] * draw(rng, size)

    def _tails_and_density(self, t: Floats) -> Floats:
        """Compute P(release <= t), P(release > t) and the density at t, shape (3, len(t)), over all terms at once."""
        noise, weight, signed, density = (
            NOISES[self.spread.kind],
            self.terms.weight,
            np.zeros(t.size),
            np.zeros(t.size),
        )
        away = np.subtract.outer(np.clip(t, -_FARTHEST, _FARTHEST), self.terms.center)
        distance = np.abs(away)
        with np.errstate(under="ignore", over="ignore"):
            for term in self._tail_terms:
                z = distance * term.rate
                profile = noise.density_profile(z)
                density += np.vecdot(profile, term.density)
                tail = (
                    profile
                    if noise.tail_profile is noise.density_profile
                    else noise.tail_profile(z)
                )
                signed += np.vecdot(np.copysign(tail, away, out=z), term.tail)
        return np.array(
            [np.vecdot(away >= 0, weight) - signed, np.vecdot(away < 0, weight) + signed, density]
        )

    @property
    def kind(self) -> Hashable:
        """Class of the law, kind of noise, and whether the slope is shrunk."""
        return type(self), self.spread.kind, self.ridge

    @classmethod
    def tails(cls, laws: Sequence[Any], number: Integers, t: Floats) -> Floats:
        _find_nodes(law.spread for law in laws)
        tails = np.empty((3, t.size))
        for i, positions in by_number(number):
            rows = max(1, _CHUNK // laws[i].terms.center.size)
            for first in range(0, positions.size, rows):
                batch = positions[first : first + rows]
                tails[:, batch] = laws[i]._tails_and_density(t[batch])
        return tails

    @classmethod
    def samples(cls, laws: Sequence[Any]) -> Floats:
        _find_nodes(law.spread for law in laws)
        return super().samples(laws)
