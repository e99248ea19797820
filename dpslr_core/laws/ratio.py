"""Exact laws of predictions from a noisy slope (ncov + E1) / (nvar + E2), given that nvar + E2 > 0.

In units of their noise, the slope is sign unit s with s = (numerator + E1) / (denominator + E2), sign that of ncov. The
prediction at x is y_mean + sign s (x - x_mean) + scale (1 + |s|) E, as the sensitivity of the intercept grows with |s|
(the lemma on its sensitivity). Put w = s / (1 + |s|): the heavy tails of s end at w = -1 and 1, and "prediction <= t"
says E <= z, for unit = 1 (one scale for both noises), with

    z = ((t - y_mean) (1 - |w|) - sign (x - x_mean) w) / scale,    so    cdf(t) = integral of f(w) P(E <= z) dw.

z is linear in w on either side of 0, and the density f of w is a closed form for Laplace and for Gaussian noise
(``density``). Gauss-Legendre panels, short where f bends (``panels``), serve every t and x; a panel on which z changes
sign, or changes much, is cut and integrated again (``quadrature``). Against cancellation, s is measured from
reference = numerator / denominator (0 where noise drowns the denominator) and w from w* = numerator / (numerator +
denominator), where the density peaks if there is little noise:

    z = steps (1 - |w|) - pull lever,    steps = (t - origin) / scale,    pull = sign (x - x_mean) / scale,
    lever = (s - reference) (1 - |w|),    origin = y_mean + sign reference (x - x_mean).

For other units pull and x - x_mean in origin are times unit, and z is over the breadth, 1 - |w| + unit |w|: a ratio of
two functions that are linear in w on either side of 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import asin, atan2, ceil, cos, exp, hypot, sin, sqrt, tan
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from ..support import validate
from ..support.run import checkpoint
from ..support.types import Floats, Integers
from .base import Law

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_TOGETHER = 64  # laws whose panels are computed together
_DEEPEST, _DEEP = 700.0, 75.0  # intervals are left out where the density is below exp(-this); where tails have mass
_HEAVY = "heavy_panels"
_GOLDEN = 1.2207440846057596  # root of x^4 = x + 1: steps by its powers fill a cube evenly
SPREAD = (0.5 + np.outer(1 / _GOLDEN ** np.arange(1, 4), np.arange(1, 129))) % 1  # of (0, 1)^3, shape (3, 128)
_FINEST = 4e-6  # first panel beside a kink, relative to the density's own width, where the kink is a faint one
_CHUNK = 60_000  # nodes at a time; they fit into the cache
_NEGLIGIBLE = 1e-20  # share of the smaller side below which the tail on a panel counts as 0
_SHARP = 12.0  # change of the tail's exponent that one panel can follow
_LEAST = 1e-300  # slopes count as at least this
_CENTRAL = 1e-12  # where the smaller side is larger than this, the heavy panels suffice
_FARTHEST = 1e250  # in units of the last noise; farther t count as this far


class Spot(NamedTuple):
    """A point of the w axis, near which panels get short: w, 1 - |w|, w - w*, and the first panel's length.

    The three are kept apart because each is tiny, and must be exact, somewhere.
    """

    w: float
    rest: float
    gap: float
    step: float

    def moved(self, sign: float, offset: float) -> Spot:
        """The point at a signed offset from this one, where w has this sign."""
        return Spot(self.w + offset, self.rest - sign * offset, self.gap + offset, 0.0)


def growing_intervals(left: Spot, right: Spot) -> list[tuple[Spot, float, float]]:
    """(spot, low, high): intervals between two spots that grow threefold away from either, as signed offsets."""
    length = right.gap - left.gap
    reach = 0.5 * length if left.step and right.step else length
    intervals = []
    for spot, sign in ((left, 1), (right, -1)):
        if spot.step == 0:
            continue
        near, far = 0.0, spot.step
        while near < reach:
            far = far if far < 0.7 * reach else reach
            intervals.append((spot, near, far) if sign > 0 else (spot, -far, -near))
            near, far = far, 3 * far
    return intervals or [(left, 0.0, length)]


class Anchor(NamedTuple):
    """Points of the w axis from which offsets are measured: sign of w, |w|, 1 - |w| and w - w*, arrays of one shape."""

    sign: Floats
    size: Floats
    rest: Floats
    gap: Floats

    def at(self, offset: Floats) -> Anchor:
        """The points at these signed offsets, one for each entry of the last axis of offset; fields of its shape."""
        sign, size, rest, gap = (part[..., None] for part in self)
        return Anchor(sign, size + sign * offset, rest - sign * offset, gap + offset)

    def take(self, which: np.ndarray | slice) -> Anchor:
        """The points with these numbers; fields of that shape."""
        return Anchor(*(part[which] for part in self))


class Noise(NamedTuple):
    """Noise E of scale one, symmetric about 0, as functions of z >= 0."""

    tail: Callable[[Floats], Floats]  # P(E > z)
    density: Callable[[Floats], Floats]
    exponent: Callable[[Floats], Floats]  # -log of the tail, roughly
    cuts: Floats  # between one of these z and the next the tail is smooth enough for one panel
    draw: Callable[[np.random.Generator, int], Floats]
    quantile: Callable[[Floats], Floats]


class Panels(NamedTuple):
    """Gauss-Legendre panels between the offsets low and high from anchor, each of shape (panels,).

    rest is 1 - |w| and lever (s - reference) (1 - |w|), both over the breadth, and mass weight times density, at each
    panel's low end, its 16 nodes and its high end (where mass is 0); total is the sum of mass over each panel.
    """

    anchor: Anchor
    low: Floats
    high: Floats
    rest: Floats
    lever: Floats
    mass: Floats
    total: Floats

    def take(self, which: np.ndarray | slice) -> Panels:
        """The panels with these numbers."""
        return Panels(self.anchor.take(which), *(part[which] for part in self[1:]))

    @staticmethod
    def join(parts: Sequence[Panels]) -> Panels:
        """All panels of the parts, in order."""
        anchor, *others = zip(*parts, strict=True)
        return Panels(Anchor(*map(np.concatenate, zip(*anchor, strict=True))), *map(np.concatenate, others))


@dataclass(frozen=True)
class RatioDensity(ABC):
    """The law of s = (numerator + E1) / (denominator + E2) on denominator + E2 > 0; both are >= 0.

    unit: the slope that s = 1 stands for, the scale of the noise on ncov over that on nvar.

    Every density and mass leaves out the event denominator + E2 <= 0, whose probability is ``failure``.
    """

    numerator: float
    denominator: float
    unit: float = 1.0

    noise: ClassVar[Noise]

    @property
    @abstractmethod
    def failure(self) -> float:
        """P(denominator + E2 <= 0): the failure rate of NoisyStats (the paper's appendix)."""

    @abstractmethod
    def density(self, point: Anchor) -> Floats:
        """The density of w at these points, same shape as their fields."""

    @abstractmethod
    def _spots(self) -> list[Spot]:
        """The points near which the density or its derivatives change fast, in any order."""

    @abstractmethod
    def _panel_count(self, low: Spot, high: Spot) -> float:
        """How many panels the interval between two points needs."""

    @abstractmethod
    def _ends(self, deepest: float) -> tuple[float, float]:
        """w - w* of the two points beyond which the density stays below exp(-deepest)."""

    @cached_property
    def peak(self) -> tuple[float, float]:
        """w* and 1 - w*, where s is numerator / denominator; (0, 1) where both are 0."""
        total = self.numerator + self.denominator
        return (self.numerator / total, self.denominator / total) if total > 0 else (0.0, 1.0)

    @cached_property
    def reference(self) -> float:
        """The slope from which slopes are measured: numerator / denominator unless the noise drowns it."""
        return self.numerator / self.denominator if self.denominator > 1 else 0.0

    def breadth(self, point: Anchor) -> Floats:
        """(1 - |w|) (1 + unit |s|), which is 1 where unit is; same shape as the points' fields."""
        return np.where(self.unit != 1, point.rest + self.unit * point.size, 1.0)

    def offset(self, point: Anchor) -> Floats:
        """denominator w - numerator (1 - |w|), without cancellation; same shape as the points' fields."""
        below = -(self.denominator * point.size + self.numerator * point.rest)
        return np.where(point.sign > 0, (self.numerator + self.denominator) * point.gap, below)

    def spot(self, w: float, step: float) -> Spot:
        """The spot at w, for w that need not be distinguished from w*."""
        return Spot(w, 1 - abs(w), self.peak[1] if w == 1 else w - self.peak[0], step)

    @cached_property
    def panels(self) -> Panels:
        """Panels over the whole axis, some tens of them; computed once."""
        return _panels_of([self], _DEEPEST)[0]

    @cached_property
    def heavy_panels(self) -> Panels:
        """Panels without the intervals before and after nearly all mass."""
        return _panels_of([self], _DEEP)[0] if self.has_light_panels else self.panels

    @property
    def has_light_panels(self) -> bool:
        """Whether heavy_panels are not all panels."""
        return self._ends(_DEEP) != self._ends(_DEEPEST)

    def rows(self, deepest: float) -> list[tuple[float, ...]]:
        """The panels: the four fields of their Anchor, low and high; where the density is above exp(-deepest)."""
        return [row for pair in pairwise(self._visible_spots(deepest)) for row in self._rows(*pair)]

    def _rows(self, left: Spot, right: Spot) -> list[tuple[float, ...]]:
        """The panels between two spots."""
        sign = 1.0 if left.w >= 0 else -1.0
        rows: list[tuple[float, ...]] = []
        for spot, low, high in growing_intervals(left, right):
            count = max(1, ceil(self._panel_count(spot.moved(sign, low), spot.moved(sign, high))))
            edges = [low + (high - low) * i / count for i in range(count)] + [high]
            anchor = (sign, sign * spot.w, spot.rest, spot.gap)
            rows += [(*anchor, *pair) for pair in pairwise(edges)]
        return rows

    def _visible_spots(self, deepest: float) -> list[Spot]:
        """The spots inside the window, in order, with the window's ends."""
        first, last = self._ends(deepest)
        spots = [self._finer(spot) for spot in self._spots()]
        visible = {spot.gap: spot for spot in spots if first < spot.gap < last}
        for end in (first, last):
            if end in (-1 - self.peak[0], self.peak[1]):
                visible[end] = next(spot for spot in spots if spot.gap == end)
            else:
                w = self.peak[0] + end
                visible[end] = Spot(w, self.peak[1] - end if w >= 0 else 1 + w, end, 0.0)
        return [visible[gap] for gap in sorted(visible)]

    def _finer(self, spot: Spot) -> Spot:
        """With a first panel that follows the breadth: it bends near w = 0 if unit is large, near 1 if it is small."""
        return spot._replace(step=spot.step * min(1.0, self.unit if abs(spot.w) == 1 else 1 / self.unit))


def find_panels(every: Iterable[RatioDensity]) -> None:
    """Compute heavy_panels of laws with one kind of noise, some at a time, which is faster; cached there."""
    unknown = [slopes for slopes in {id(each): each for each in every}.values() if _HEAVY not in vars(slopes)]
    for start in range(0, len(unknown), _TOGETHER):
        checkpoint()
        some = unknown[start : start + _TOGETHER]
        for slopes, panels in zip(some, _panels_of(some, _DEEP), strict=True):
            vars(slopes)[_HEAVY] = panels


def _panels_of(every: Sequence[RatioDensity], deepest: float) -> list[Panels]:
    """The panels of each, whose numbers depend on no other one."""
    rows = [slopes.rows(deepest) for slopes in every]
    number = np.repeat(np.arange(len(every)), [len(each) for each in rows])
    columns, slopes = np.array([row for each in rows for row in each]).T, stacked(every, number)
    anchor, low, high = Anchor(*columns[:4]), columns[4], columns[5]
    offsets, weights = nodes(low, high)
    mass = np.zeros((low.size, offsets.shape[1] + 2))
    mass[:, 1:-1] = weights * slopes.density(anchor.at(offsets))
    points = anchor.at(np.column_stack([low, offsets, high]))
    breadth = slopes.breadth(points)
    lever = _lever(every, number, points) / breadth
    panels = Panels(anchor, low, high, points.rest / breadth, lever, mass, mass.sum(axis=1))
    edges = np.searchsorted(number, np.arange(len(every) + 1)).tolist()
    return [panels.take(slice(*pair)) for pair in pairwise(edges)]


def stacked(every: Sequence[RatioDensity], number: Integers) -> RatioDensity:
    """The laws with these numbers as one, whose densities at points of shape (m, any) are those of each; m numbers."""
    columns = np.array([(each.numerator, each.denominator, each.unit) for each in every]).T[:, number, None]
    return type(every[0])(*columns)


def _lever(every: Sequence[RatioDensity], number: Integers, point: Anchor) -> Floats:
    """(s - reference) (1 - |w|), linear in w on either side of 0, of the laws with these numbers."""
    reference, peak = np.array([(each.reference, each.peak[1]) for each in every]).T[:, number, None]
    above = np.where(reference > 0, point.gap / np.where(reference > 0, peak, 1.0), point.size)
    return np.where(point.sign > 0, above, -point.size - reference * point.rest)


def nodes(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes between low and high and their weights, each of shape (intervals, 16)."""
    half = 0.5 * (high - low)[:, None]
    return 0.5 * (low + high)[:, None] + half * _NODES, half * _WEIGHTS


def _laplace_tail(z: Floats) -> Floats:
    return 0.5 * np.exp(-z)


@dataclass(frozen=True)
class LaplaceRatio(RatioDensity):
    """Laplace noise. With r = |u| + v, u = r w and v = r (1 - |w|) the joint density of numerator u and
    denominator v is exp(-|r w - numerator| - |r (1 - |w|) - denominator|) / 4, and the density of w is its
    integral times r over r > 0: three parts, on each of which the exponent is linear in r.
    """

    noise: ClassVar[Noise] = Noise(
        tail=_laplace_tail,
        density=_laplace_tail,
        exponent=np.abs,
        cuts=np.array([-40.0, -12.0, 0.0, 12.0, 40.0]),
        draw=lambda rng, size: rng.laplace(size=size),
        quantile=lambda q: np.where(q < 0.5, np.log(2 * q), -np.log(2 * (1 - q))),
    )

    @property
    def failure(self) -> float:
        return 0.5 * exp(-self.denominator)

    def density(self, point: Anchor) -> Floats:
        size, rest, across = point.size, point.rest, np.abs(self.offset(point))
        above = point.sign > 0
        with np.errstate(over="ignore"):
            numerator_kink = np.where(above, self.numerator / size, 0.0)
            denominator_kink = self.denominator / rest
            at_numerator = np.where(above, across / size, self.numerator + self.denominator)
            at_denominator = across / rest
            length = np.where(above, across / (size * rest), denominator_kink)
        ordered = numerator_kink <= denominator_kink
        low, high = np.minimum(numerator_kink, denominator_kink), np.maximum(numerator_kink, denominator_kink)
        at_low = np.exp(-np.where(ordered, at_numerator, at_denominator))
        at_high = np.exp(-np.where(ordered, at_denominator, at_numerator))
        rising = (rest > size) == ordered
        first, second = _moments(np.abs(rest - size), length)
        middle = np.where(rising, at_high * (high * first - second), at_low * (low * first + second))
        return 0.25 * (at_low * (low + np.expm1(-low)) + middle + at_high * (high + 1))

    def _spots(self) -> list[Spot]:
        top, bottom = self.numerator, self.denominator
        w, rest = self.peak
        wide, tall = 4 / (1 + bottom), 4 / (1 + top)  # widths beside w = 0 and w = 1
        finest = _FINEST / (1 + top + bottom)
        end = min(bottom / 20, 1.0) if bottom else 1.0
        spots = [
            self.spot(-1.0, max(end, _FINEST)),
            self.spot(0.0, max(min(top / 20, wide) if top else wide, _FINEST * wide)),
            self.spot(1.0, max(min(bottom / 20, tall) if bottom else tall, _FINEST * tall)),
        ]
        if max(top, bottom) > 2:  # two exponentials swap order at |s| = 1
            spots += [self.spot(half, 1 / (1 + max(top, bottom))) for half in (-0.5, 0.5)]
        if w > 0 and rest > 0:
            spots.append(Spot(w, rest, 0.0, max(min(w, rest) * min(1.0, 4 / (top + bottom)), finest)))
        return spots

    def _exponent(self, at: Spot) -> float:
        """The larger exponent of the density's terms."""
        top, bottom = self.numerator, self.denominator
        if at.w >= 0:
            return (top + bottom) * abs(at.gap) / max(at.w, at.rest)
        return top + bottom * min(1.0, -at.w / at.rest if at.rest > 0 else 1.0)

    def _panel_count(self, low: Spot, high: Spot) -> float:
        return abs(self._exponent(high) - self._exponent(low)) / 12

    def _ends(self, deepest: float) -> tuple[float, float]:
        (w, rest), top, bottom = self.peak, self.numerator, self.denominator
        total = top + bottom
        first, last = -1 - w, rest
        if total > deepest:
            up = max(deepest * rest / (total + deepest), deepest * w / (total - deepest))
            down = max(deepest * w / (total + deepest), deepest * rest / (total - deepest))
            slope = (deepest - top) / bottom if bottom and top < deepest else 0.0
            first = -down if down < w else -w - slope / (1 + slope)
            last = min(up, rest)
        return first, last


def _moments(rate: Floats, length: Floats) -> tuple[Floats, Floats]:
    """The integrals of exp(-rate x) and x exp(-rate x) over 0 < x < length."""
    z = rate * length
    small = z < 1e-3
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        lost = -np.expm1(-z)
        first = np.where(small, length * (1 - z / 2 + z * z / 6), lost / rate)
        series = length * length * (0.5 - z / 3 + z * z / 8 - z * z * z / 30)
        second = np.where(small, series, (lost - z * np.exp(-z)) / (rate * rate))
    return first, second


@dataclass(frozen=True)
class GaussianRatio(RatioDensity):
    """Gaussian noise. With q = w^2 + (1 - |w|)^2, d = denominator w - numerator (1 - |w|) and
    y = (numerator w + denominator (1 - |w|)) / sqrt(q), the density of w is
    exp(-d^2 / 2q) (exp(-y^2 / 2) + sqrt(2 pi) y Phi(y)) / (2 pi q).
    """

    noise: ClassVar[Noise] = Noise(
        tail=lambda z: ndtr(-z),
        density=lambda z: np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi),
        exponent=lambda z: 0.5 * z * z,
        cuts=np.array([-10.0, -7.0, -4.0, 0.0, 4.0, 7.0, 10.0]),
        draw=lambda rng, size: rng.standard_normal(size),
        quantile=ndtri,
    )

    @property
    def failure(self) -> float:
        return float(ndtr(-self.denominator))

    def density(self, point: Anchor) -> Floats:
        q = point.size**2 + point.rest**2
        along = (point.sign * self.numerator * point.size + self.denominator * point.rest) / np.sqrt(q)
        with np.errstate(under="ignore"):
            radial = np.exp(-0.5 * along**2) + np.sqrt(2 * np.pi) * along * ndtr(along)
            return np.exp(-0.5 * self.offset(point) ** 2 / q) * radial / (2 * np.pi * q)

    @property
    def _distance(self) -> float:
        return hypot(self.numerator, self.denominator)

    def _spots(self) -> list[Spot]:
        w, rest = self.peak
        step = 2 / (1 + self._distance)
        spots = [self.spot(-1.0, step), self.spot(0.0, step), self.spot(1.0, step)]
        if w > 0 and rest > 0:
            spots.append(Spot(w, rest, 0.0, step * (w * w + rest * rest)))
        return spots

    def _exponent(self, at: Spot) -> float:
        total = self.numerator + self.denominator
        ahead = self.denominator * at.rest + self.numerator * at.w > 0
        across = total * at.gap if at.w >= 0 else self.numerator * at.rest - self.denominator * at.w
        return 0.5 * across**2 / (at.w**2 + at.rest**2) if ahead else 0.5 * self._distance**2

    def _panel_count(self, low: Spot, high: Spot) -> float:
        turn = (high.gap - low.gap) / (low.w**2 + low.rest**2)
        return abs(self._exponent(high) - self._exponent(low)) / 8 + self._distance * turn / 5

    def _ends(self, deepest: float) -> tuple[float, float]:
        (w, rest), distance, reach = self.peak, self._distance, sqrt(2 * deepest)
        if distance <= reach:
            return -1 - w, rest
        turn, angle = asin(reach / distance), atan2(self.numerator, self.denominator)
        unit = (cos(angle) + sin(angle)) / sin(turn)
        high, low = angle + turn, angle - turn
        last = 1 / (unit * (cos(high) + sin(high))) if cos(high) > 0 else rest
        if low < 0:
            return tan(low) / (1 - tan(low)) - w, min(last, rest)
        return -1 / (unit * (cos(low) + sin(low))), min(last, rest)


class _Table(NamedTuple):
    """The panels of several laws, one after another; starts, counts: where those of each begin, and how many."""

    every: Sequence[RatioDensity]
    panels: Panels
    starts: Integers
    counts: Integers

    @classmethod
    def of(cls, every: Sequence[RatioDensity], parts: Sequence[Panels]) -> _Table:
        counts = np.array([part.total.size for part in parts])
        return cls(every, parts[0] if len(parts) == 1 else Panels.join(parts), np.cumsum(counts) - counts, counts)

    def slopes(self, row: Integers) -> RatioDensity:
        """The laws that these panels are of, as one."""
        return stacked(self.every, np.searchsorted(self.starts, row, side="right") - 1)


def averaged_tails(
    every: Sequence[RatioDensity], number: Integers, pull: Floats, steps: Floats, dense: bool = False
) -> Floats:
    """The averages over s of P(E <= z), P(E > z) and, if dense, of (1 - |w|) times the density of E at z.

    every: laws of s with one kind of noise; number: of the law that each average is over. z = steps (1 - |w|) - pull
    lever, lever = (s - reference) (1 - |w|); number, pull and steps of one shape (m,), the result of shape (2 or 3, m).
    Each panel of the ratio's density serves all of its averages. Where z changes sign or too much for a panel, that
    panel is cut and integrated again. No average depends on the others.
    """
    heavy = _Table.of(every, [slopes.heavy_panels for slopes in every])
    averages = over_panels(heavy, number, pull, steps, dense)
    light = np.array([slopes.has_light_panels for slopes in every])
    outer = np.flatnonzero(~(averages[:2].min(axis=0) > _CENTRAL) & light[number])
    if outer.size:
        table = _Table.of(every, [slopes.panels for slopes in every])
        averages[:, outer] = over_panels(table, number[outer], pull[outer], steps[outer], dense)
    return averages


def over_panels(table: _Table, number: Integers, pull: Floats, steps: Floats, dense: bool) -> Floats:
    """As averaged_tails, over these panels, some of them at a time."""
    shares = np.cumsum(table.counts[number] * table.panels.rest.shape[1]) // _CHUNK
    edges = [0, *(np.flatnonzero(np.diff(shares)) + 1).tolist(), steps.size]
    with np.errstate(under="ignore", over="ignore", invalid="ignore", divide="ignore"):
        parts = [_chunk(table, number[i:j], pull[i:j], steps[i:j], dense) for i, j in pairwise(edges)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def _chunk(table: _Table, number: Integers, pull: Floats, steps: Floats, dense: bool) -> Floats:
    """As averaged_tails, over these panels, in one array: a row for each average and panel."""
    if not steps.size:
        return np.empty((2 + dense, 0))
    counts = table.counts[number]
    ends = np.cumsum(counts)
    target, noise = np.repeat(np.arange(steps.size), counts), table.every[0].noise
    row = np.arange(ends[-1]) + (table.starts[number] - ends + counts)[target]
    rest, lever, mass, total = (part[row] for part in table.panels[3:])
    z = steps[target, None] * rest - pull[target, None] * lever
    first, last, z = z[:, 0], z[:, -1], np.abs(z)
    tails, exponents = noise.tail(z), noise.exponent(z[:, :: z.shape[1] - 1])
    sums = np.empty((2 + dense, target.size))
    sums[0], sums[1] = _split(np.einsum("rn,rn->r", tails, mass), total, first + last <= 0)
    if dense:
        density = tails if noise.density is noise.tail else noise.density(z)
        sums[2] = np.einsum("rn,rn,rn->r", density, mass, rest)
    crossed = first * last < 0
    largest = np.where(crossed, 0.5, np.maximum(tails[:, 0], tails[:, -1]))
    smaller = np.add.reduceat(sums[:2], ends - counts, axis=1).min(axis=0)
    reach = total * largest > _NEGLIGIBLE * smaller[target]
    again = np.flatnonzero(reach & (crossed | (np.abs(exponents[:, 0] - exponents[:, 1]) > _SHARP)))
    sums[:, again] = _refined(table, row[again], first[again], last[again], dense)
    return np.add.reduceat(sums, ends - counts, axis=1)


def _split(tail: Floats, mass: Floats, negative: np.ndarray) -> tuple[Floats, Floats]:
    """The averages of P(E <= z) and P(E > z), where tail is that of P(E > |z|)."""
    rest = mass - tail
    return np.where(negative, tail, rest), np.where(negative, rest, tail)


def _refined(table: _Table, panel: Integers, first: Floats, last: Floats, dense: bool) -> Floats:
    """The two or three integrals over these panels; z is first at the panel's low end and last at its high end."""
    panels, noise = table.panels, table.every[0].noise
    low, high, anchor = panels.low[panel], panels.high[panel], panels.anchor.take(panel)
    breadth = table.slopes(panel).breadth(anchor.at(np.column_stack([low, high]))).T
    line = _Line.through(low, high, np.array([first, last]) * breadth)
    row, left, right = _cut(line, _Line.through(low, high, breadth), low, high, noise)
    offsets, weights = nodes(left, right)
    points, slopes = anchor.take(row).at(offsets), table.slopes(panel[row])
    mass = weights * slopes.density(points)
    breadth = slopes.breadth(points)
    z = line.take(row).at(offsets) / breadth
    size = np.abs(z)
    tails = noise.tail(size)
    values = [*_split(np.einsum("in,in->i", tails, mass), mass.sum(axis=1), z[:, 8] <= 0)]
    if dense:
        density = tails if noise.density is noise.tail else noise.density(size)
        values.append(np.einsum("in,in,in->i", density, mass, points.rest / breadth))
    return np.array([np.bincount(row, value, panel.size) for value in values])


class _Line(NamedTuple):
    """Linear functions of the offset, each value at fixed and a slope; arrays of one shape."""

    fixed: Floats
    value: Floats
    slope: Floats

    @classmethod
    def through(cls, low: Floats, high: Floats, values: Floats) -> _Line:
        """Those with these values, shape (2, m), at low and at high.

        Offsets and z are exact at the end next to the anchor; far out, z = 0 is a tiny offset from there.
        """
        by_low = np.abs(low) < np.abs(high)
        fixed, value = np.where(by_low, low, high), np.where(by_low, values[0], values[1]).astype(float)
        return cls(fixed, value, (values[1] - values[0]) / (high - low))

    def take(self, which: np.ndarray) -> _Line:
        """Those with these numbers, with one axis more."""
        return _Line(*(part[which, None] for part in self))

    def at(self, offset: Floats) -> Floats:
        """Their values at these offsets."""
        return self.value + self.slope * (offset - self.fixed)


def _cut(line: _Line, breadth: _Line, low: Floats, high: Floats, noise: Noise) -> tuple[np.ndarray, Floats, Floats]:
    """(row, left, right): every interval cut where |z| is least, and where z = line / breadth is a cut from there.

    z = z_least + c is where line - (z_least + c) breadth = 0, which is c breadth / (slope - (z_least + c) slope') off.
    """
    kink = np.minimum(np.maximum(line.fixed - line.value / line.slope, low), high)
    ends = np.abs(line.at(low) * breadth.at(high)) <= np.abs(line.at(high) * breadth.at(low))
    inside = (low < kink) & (kink < high) | (breadth.slope == 0)
    kink = np.where(inside, kink, np.where(ends, low, high))
    here = breadth.at(kink)
    rising = np.where(line.slope * here >= line.at(kink) * breadth.slope, 1.0, -1.0)[:, None]
    z = (line.at(kink) / here)[:, None] + rising * noise.cuts
    slope = np.maximum(rising * (line.slope[:, None] - z * breadth.slope[:, None]), _LEAST)
    low, high = low[:, None], high[:, None]
    inner = kink[:, None] + noise.cuts * here[:, None] / slope
    edges = np.concatenate([low, np.minimum(np.maximum(inner, low), high), high], axis=1)
    row, part = np.nonzero(edges[:, 1:] > edges[:, :-1])
    return row, edges[row, part], edges[row, part + 1]


_DENSITIES = {"Laplace": LaplaceRatio, "Gaussian": GaussianRatio}


def noisy_slope_laws(
    noise: Literal["Laplace", "Gaussian"],
    nvar: float,
    ncov: float,
    scales: Sequence[float],
    y_mean: float,
    distances: Floats,
) -> list[Law]:
    """The law of y_mean + b distance + c (1 + |b|) E3 for each distance, b = (ncov + E1) / (nvar + E2).

    noise: of E1, E2 and E3, all independent, E3 of scale one.
    nvar, ncov: n var(x) and n cov(x, y).
    scales: of the noise on nvar, on ncov, and c, that of the noise on the intercept at slope 0, in units of y.
    y_mean: the mean of y. distances: x_new - mean x, shape (m,).

    The laws share one quadrature.
    Relative error of the cdf and of the survival function below 1e-9 (as far as a float can tell t from its
    neighbours). failure is P(nvar + E2 <= 0); both tails fall as 1/t, so that there is no mean.
    Source: Algorithm 1, NoisyStats.
    """
    of_nvar, of_ncov, of_intercept = scales
    slopes = _DENSITIES[noise](abs(ncov) / of_ncov, nvar / of_nvar, of_ncov / of_nvar)
    sign = -1.0 if ncov < 0 else 1.0
    return [NoisySlopeLaw(slopes, sign, y_mean, float(distance), of_intercept) for distance in distances]


@dataclass(frozen=True)
class NoisySlopeLaw(Law):
    """The law of y_mean + sign b distance + scale (1 + |b|) E, b = unit s, s a noisy ratio, E noise of scale one.

    slopes: the law of s, shared by the points of one data set; sign: 1 or -1, the sign of ncov;
    distance: x - x_mean; scale: in units of y.
    """

    slopes: RatioDensity
    sign: float
    y_mean: float
    distance: float
    scale: float

    @property
    def failure(self) -> float:
        return self.slopes.failure

    def cdf(self, t: ArrayLike) -> Floats:
        t = np.asarray(t, dtype=float)
        lower, upper = self._tails_and_density(t.ravel())
        inside = np.where(lower < upper, lower, (1 - self.failure) - upper).reshape(t.shape)
        return np.where(np.isinf(t), np.where(t > 0, 1 - self.failure, 0.0), inside)

    def logpdf(self, t: ArrayLike) -> Floats:
        t = np.asarray(t, dtype=float)
        density = self._tails_and_density(t.ravel(), dense=True)[2].reshape(t.shape)
        with np.errstate(divide="ignore"):
            return np.log(np.where(np.isinf(t), 0.0, density))

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """size independent draws, shape (size,): the mechanism's own noises, in its order; NaN = failed.

        Raises ValueError unless rng is a numpy.random.Generator.
        """
        validate.generator(rng=rng)
        ratio, draw = self.slopes, self.slopes.noise.draw
        bottom = ratio.denominator + draw(rng, size)
        top = ratio.numerator + self.sign * draw(rng, size)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            slope = np.where(bottom > 0, top / bottom, np.nan)
            beyond = (top - ratio.reference * bottom) / bottom  # slope - reference, which may be far smaller
            noise = self.scale * (1 + ratio.unit * np.abs(slope)) * draw(rng, size)
            return self._origin + self.sign * self.distance * ratio.unit * beyond + noise

    @cached_property
    def _origin(self) -> float:
        """The prediction from the reference slope: the point from which t is measured."""
        return self.y_mean + self.sign * self.slopes.reference * self.slopes.unit * self.distance

    @property
    def _pull(self) -> float:
        return self.sign * self.distance * self.slopes.unit / self.scale

    def _tails_and_density(self, t: Floats, dense: bool = False) -> Floats:
        """P(release <= t), P(release > t) and, if dense, the density at t; shape (2 or 3, len(t))."""
        steps = _steps(t, self._origin, self.scale)
        values = averaged_tails(
            [self.slopes], np.zeros(t.size, dtype=np.int64), np.full(t.shape, self._pull), steps, dense
        )
        if dense:
            values[2] /= self.scale
        values[:, np.isnan(t)] = np.nan
        return values

    @property
    def kind(self) -> Hashable:
        """The class of laws, and that of the noise."""
        return type(self), type(self.slopes)

    @classmethod
    def tails(cls, laws: Sequence[Any], number: Integers, t: Floats) -> Floats:
        """As Law.tails, with one quadrature for all."""
        origin, scale, pull = np.array([(law._origin, law.scale, law._pull) for law in laws]).T[:, number]
        places: dict[int, int] = {}
        slope = np.array([places.setdefault(id(law.slopes), len(places)) for law in laws])[number]
        every = list({id(law.slopes): law.slopes for law in laws}.values())
        find_panels(every)
        lower, upper, density = averaged_tails(every, slope, pull, _steps(t, origin, scale), True)
        answered, low = np.array([1 - law.failure for law in laws])[number], lower < upper
        return np.array(
            [np.where(low, lower, answered - upper), np.where(low, answered - lower, upper), density / scale]
        )

    @classmethod
    def samples(cls, laws: Sequence[Any]) -> Floats:
        """What the mechanism releases for evenly spread noises, given that there is an answer."""
        columns = [
            (s.numerator, s.denominator, s.unit, s.failure, law.sign, law.distance, law.y_mean, law.scale)
            for law in laws
            for s in (law.slopes,)
        ]
        top, bottom, unit, failure, sign, distance, y_mean, scale = np.array(columns).T[:, :, None]
        quantile = laws[0].slopes.noise.quantile
        first, second, third = SPREAD
        slope = unit * (top + quantile(first)) / (bottom + quantile(failure + (1 - failure) * second))
        return y_mean + sign * distance * slope + scale * (1 + np.abs(slope)) * quantile(third)


def _steps(t: Floats, origin: Floats | float, scale: Floats | float) -> Floats:
    """How far t lies from the origin, in units of the last noise."""
    return np.minimum(np.maximum((t - origin) / scale, -_FARTHEST), _FARTHEST)
