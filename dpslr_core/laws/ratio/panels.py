"""Quadrature panels for the law of a noisy ratio s = (numerator + E1) / (denominator + E2).

The ratio is described by w = s / (1 + |s|) in (-1, 1). Its heavy tails then end at finite points, and the noise
that NoisyStats adds after the slope, of scale proportional to 1 + |s|, sees a linear function of w.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil
from typing import ClassVar, NamedTuple

import numpy as np

from ...support.run import checkpoint
from ...support.types import Floats, Integers
from .spots import Spot, growing_intervals

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_TOGETHER = 64  # laws whose panels are computed together
_SMALL = 1e-5  # nodes of less mass are left out of rough laws
_DEEPEST, _DEEP = 700.0, 75.0  # intervals are left out where the density is below exp(-this); where tails have mass
_HEAVY = "heavy_panels"
_GOLDEN = 1.2207440846057596  # root of x^4 = x + 1: steps by its powers fill a cube evenly
SPREAD = (0.5 + np.outer(1 / _GOLDEN ** np.arange(1, 4), np.arange(1, 129))) % 1  # of (0, 1)^3, shape (3, 128)


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

    @cached_property
    def heavy_nodes(self) -> Floats:
        """rest, lever and mass of the nodes that hold nearly all the mass; shape (3, nodes)."""
        panels, heavy = self.heavy_panels, self.heavy_panels.mass > _SMALL
        return np.array([panels.rest[heavy], panels.lever[heavy], panels.mass[heavy]])

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
