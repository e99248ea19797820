"""Quantiles and error bounds of several laws, solved for jointly.

Each is base + spread sinh(y), where an increasing function of y, the logarithm of the odds, reaches its target. All are
solved for together: an evaluation of a law may be expensive, and costs hardly more at many places than at one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..support.run import checkpoint
from ..support.types import Floats, Integers
from .base import Law, shares_of
from .roots import Excess

LARGEST_Y = 590.0
OFFSETS = 0.5 * np.sinh(np.linspace(-3.6, 3.6, 21))  # from the middle of a law, in widths: where rough laws start


class Targets(NamedTuple):
    """Unknowns base + spread sinh(y): distances from a center (paired) first, then places; arrays of shape (m,).

    log_odds: of lying within that distance, or below that place, where there is an answer; law: the number of the law.
    """

    log_odds: Floats
    law: Integers
    paired: np.ndarray
    center: Floats
    base: Floats
    spread: Floats

    def take(self, which: np.ndarray) -> Targets:
        """The targets with these numbers, or where this mask is true; arrays of that shape."""
        return Targets(*(part[which] for part in self))

    @staticmethod
    def join(parts: Sequence[Targets]) -> Targets:
        """All the targets of the parts, in order."""
        return Targets(*map(np.concatenate, zip(*parts, strict=True)))

    @property
    def groups(self) -> list[slice]:
        """The runs of neighbouring targets of one law that are all distances from one center, or all places."""
        changes = np.any([part[1:] != part[:-1] for part in (self.law, self.paired, self.center)], axis=0)
        edges = [0, *(np.flatnonzero(changes) + 1).tolist(), self.base.size]
        return [slice(*pair) for pair in pairwise(edges)]

    @property
    def least(self) -> Floats:
        """The y of a distance 0, or of the lowest place considered, shape (m,)."""
        return np.where(self.paired, -np.arcsinh(self.base / self.spread), -LARGEST_Y)

    @property
    def grain(self) -> Floats:
        """Differences in y that do not matter near distance 0, where center - c and center + c are one float."""
        spacing = 0.5 * np.spacing(np.abs(self.center)) / self.spread / np.cosh(self.least)
        return np.where(self.paired, spacing, 0.0)


Tails = Callable[[Integers, Floats, bool], Floats]  # (numbers of laws, t, rough): cdf, survival and density


class SearchedLaw(Law):
    """A law whose quantiles and error bounds can be solved for jointly with those of others of its kind."""

    @property
    @abstractmethod
    def middle_and_width(self) -> tuple[float, float]:
        """A place in the middle of the law and its rough width, cheaply."""

    @property
    @abstractmethod
    def ends(self) -> tuple[float, float]:
        """The least and the greatest that can be released."""

    @staticmethod
    @abstractmethod
    def tails(laws: Sequence[Any], number: Integers, t: Floats, rough: bool) -> Floats:
        """P(release <= t), P(release > t) and the density at t[i] of laws[number[i]], shape (3, len(t)).

        rough: for a first guess, much cheaper; the density may be 0.
        """

    @staticmethod
    @abstractmethod
    def start_points(laws: Sequence[Any], groups: Targets) -> Floats:
        """The y at which rough laws are evaluated, one target for each group; increasing, shape (groups, any)."""

    @staticmethod
    @abstractmethod
    def roots(excess: Excess, guess: Floats, targets: Targets) -> Floats:
        """The y of these targets, shape (m,), by one of the methods of ``roots``."""

    def ppf(self, q: ArrayLike) -> Floats:
        q = np.asarray(q, dtype=float)
        inside = (q >= 0) & (q <= 1 - self.failure)
        quantiles = np.full(q.shape, np.nan)
        quantiles[inside] = self._solved(False, q[inside], 0.0)
        return quantiles

    def _bounds(self, shares: Floats, center: float) -> Floats:
        return self._solved(True, shares, center)

    def _solved(self, paired: bool, mass: Floats, center: float) -> Floats:
        """The distances from the center, or the places, of this law alone; same shape as the mass."""
        number = np.zeros(mass.size, dtype=np.int64)
        return _solve([self], _targets([self], number, paired, mass, np.full(mass.size, center)))

    @classmethod
    def measured(cls, laws: Sequence[Any], qs: Sequence[float], centers: Floats) -> tuple[Floats, Floats]:
        shares, answered = shares_of(qs), np.array([1 - law.failure for law in laws])
        possible = np.where(np.isfinite(centers), answered, -np.inf)[:, None]
        bounds = np.where(shares == 0, 0.0, np.where(shares <= possible, np.nan, np.inf))
        undecided = np.isnan(bounds)
        number, column = np.nonzero(undecided)
        distances = _targets(laws, number, True, shares[column], centers[number])
        medians = _targets(laws, np.arange(len(laws)), False, 0.5 * answered, np.zeros(len(laws)))
        numbers = _solve(laws, Targets.join([distances, medians]))
        bounds[undecided] = numbers[: -len(laws)]
        return bounds, numbers[-len(laws) :]


def measure_together(laws: Sequence[Law], qs: Sequence[float], centers: Sequence[float]) -> list[tuple[Floats, float]]:
    """C(q) about its center for each q, shape (len(qs),), and the median of every law.

    The numbers are those of Law.error_bounds and Law.median; laws of one kind are measured together.
    Raises ValueError unless every q is between 0 and 100.
    """
    kinds: dict[Hashable, list[int]] = {}
    for number, law in enumerate(laws):
        kinds.setdefault(law.kind, []).append(number)
    bounds, medians, about = np.empty((len(laws), len(qs))), np.empty(len(laws)), np.asarray(centers, dtype=float)
    for numbers in kinds.values():
        alike = [laws[number] for number in numbers]
        bounds[numbers], medians[numbers] = alike[0].measured(alike, qs, about[numbers])
    return list(zip(bounds, medians.tolist(), strict=True))


def _targets(laws: Sequence[SearchedLaw], number: Integers, paired: bool, mass: Floats, center: Floats) -> Targets:
    """The distances from centers within which these masses of laws lie (paired), or the places below which they do.

    number: of the law of each, in order; arrays of one shape.
    """
    origin, spread = np.array([law.middle_and_width for law in laws]).reshape(-1, 2).T[:, number]
    answered = np.array([1 - law.failure for law in laws])[number]
    with np.errstate(divide="ignore"):
        log_odds = np.log(mass) - np.log(np.maximum(answered - mass, 0.0))
    base = np.abs(center - origin) if paired else origin
    return Targets(log_odds, number, np.full(mass.size, paired), center, base, spread)


def _solve(laws: Sequence[SearchedLaw], targets: Targets) -> Floats:
    """The distances and places sought, of laws of one class; same shape as the targets."""
    numbers, finite = np.empty(targets.log_odds.size), np.isfinite(targets.log_odds)
    for i in np.flatnonzero(~finite):
        numbers[i] = _extreme(laws[targets.law[i]].ends, targets.take(np.array([i])))
    if finite.any():
        inner, methods = targets.take(finite), laws[0]
        tails = partial(methods.tails, laws)

        def excess(y: Floats, which: Integers) -> tuple[Floats, Floats]:
            return _excess(tails, inner.take(which), y)

        y = methods.roots(excess, _guess(tails, partial(methods.start_points, laws), inner), inner)
        numbers[finite] = inner.base + inner.spread * np.sinh(y)
    return numbers


def _extreme(ends: tuple[float, float], target: Targets) -> float:
    """The distance that holds all the mass, or the place below which all or none lies."""
    if target.paired[0]:
        return float(np.abs(np.array(ends) - target.center[0]).max())
    return ends[1] if target.log_odds[0] > 0 else ends[0]


def _guess(tails: Tails, start_points: Callable[[Targets], Floats], targets: Targets) -> Floats:
    """The y of these targets by rough laws; a group of targets shares one table of them."""
    groups = targets.groups
    first = targets.take(np.array([group.start for group in groups]))
    points = start_points(first)
    tabulated = first.take(np.repeat(np.arange(len(groups)), points.shape[1]))
    log_odds = _excess(tails, tabulated._replace(log_odds=np.zeros(points.size)), points.ravel(), rough=True)[0]
    row = np.repeat(np.arange(len(groups)), [group.stop - group.start for group in groups])
    return np.maximum(_interpolated(log_odds.reshape(points.shape), points, row, targets.log_odds), targets.least)


def _interpolated(values: Floats, y: Floats, row: Integers, sought: Floats) -> Floats:
    """y where the values, which rise along their row but for noise, reach those sought; the y of the nearest else.

    values, y: shape (rows, some). row: of each of those sought. Values that are not finite are left out.
    """
    known: np.ndarray = np.isfinite(values)
    places = np.arange(values.shape[1])
    first, last = known.argmax(axis=1)[:, None], values.shape[1] - 1 - known[:, ::-1].argmax(axis=1)[:, None]
    rising = np.fmax.accumulate(np.where(places < first, -np.inf, np.where(known, values, np.nan)), axis=1)
    rising = np.where(places > last, np.inf, rising)
    place = np.count_nonzero(rising[row] <= sought[:, None], axis=1)
    place = np.minimum(np.maximum(place, np.minimum(first + 1, last)[row, 0]), last[row, 0])
    before = np.maximum(place - 1, first[row, 0])
    low, high = rising[row, before], rising[row, place]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(high > low, (sought - low) / (high - low), 0.0)
    guess = y[row, before] + np.minimum(np.maximum(share, 0.0), 1.0) * (y[row, place] - y[row, before])
    found = np.logical_or.reduce(known, axis=1)
    return np.where(found[row], guess, y[row, y.shape[1] // 2])


def _excess(tails: Tails, targets: Targets, y: Floats, rough: bool = False) -> tuple[Floats, Floats]:
    """How far the log odds at y are above those of the targets, and the derivative in y; each of shape (m,)."""
    checkpoint()
    size, pairs = targets.base + targets.spread * np.sinh(y), np.count_nonzero(targets.paired)
    left, right, single = slice(pairs), slice(pairs, 2 * pairs), slice(2 * pairs, None)
    center, c, t = targets.center[:pairs], size[:pairs], size[pairs:]
    law = np.concatenate([targets.law[:pairs], targets.law])
    lower, upper, density = tails(law, np.concatenate([center - c, center + c, t]), rough)
    outside = np.concatenate([lower[left] + upper[right], upper[single]])
    inside = np.concatenate([lower[right] - lower[left], lower[single]])
    rate = np.concatenate([density[left] + density[right], density[single]]) * targets.spread * np.cosh(y)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.log(inside) - np.log(outside) - targets.log_odds, rate / inside + rate / outside


def by_number(number: Integers) -> Iterator[tuple[int, Integers]]:
    """Each number that occurs, in order, and the places where it does."""
    order = np.argsort(number, kind="stable")
    starts = np.flatnonzero(np.diff(number[order], prepend=-1))
    for places in np.split(order, starts[1:]) if order.size else ():
        yield int(number[places[0]]), places
