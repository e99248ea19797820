"""Quantiles and error bounds of several laws, searched for together.

Each is looked for as base + spread sinh(y), at an increasing function of y: the logarithm of the odds. All of them
together, since each evaluation of a law may be expensive and is hardly more so at many places.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._types import Floats, Integers
from .base import Law
from .roots import Excess

LAST = 590.0  # the largest y looked at
TRIES = 0.5 * np.sinh(np.linspace(-3.6, 3.6, 21))  # where rough laws are looked at


class Targets(NamedTuple):
    """Numbers asked of laws by number, each base + spread sinh(y): distances from a center (paired), then places.

    log_odds: of lying within such a distance, or below such a place, where there is an answer.
    """

    log_odds: Floats
    law: Integers
    paired: np.ndarray
    center: Floats
    base: Floats
    spread: Floats

    def take(self, which: np.ndarray) -> Targets:
        return Targets(*(part[which] for part in self))

    @staticmethod
    def join(parts: Sequence[Targets]) -> Targets:
        return Targets(*map(np.concatenate, zip(*parts, strict=True)))

    @property
    def kinds(self) -> list[slice]:
        """The stretches of targets of one law and of one kind."""
        changes = np.any([part[1:] != part[:-1] for part in (self.law, self.paired, self.center)], axis=0)
        edges = [0, *(np.flatnonzero(changes) + 1).tolist(), self.base.size]
        return [slice(*pair) for pair in pairwise(edges)]

    @property
    def least(self) -> Floats:
        """The y of a distance 0, or of the lowest place looked at."""
        return np.where(self.paired, -np.arcsinh(self.base / self.spread), -LAST)


Tails = Callable[[Integers, Floats, bool], Floats]  # of laws by number, at t, rough?: cdf, survival, density


class SearchedLaw(Law):
    """A law whose quantiles and error bounds are searched for together with those of others of its class."""

    def shares_work_with(self, other: Any) -> bool:
        """Whether one evaluation can serve this law and another of its class."""
        return True

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
    def _tails(laws: Sequence[Any], number: Integers, t: Floats, rough: bool) -> Floats:
        """P(release <= t), P(release > t) and the density at t[i] of laws[number[i]], shape (3, len(t)).

        rough: to some digits, much cheaper; the density may be left out.
        """

    @staticmethod
    @abstractmethod
    def _tries(laws: Sequence[Any], kinds: Targets) -> Floats:
        """Where the rough laws are looked at for targets of these kinds: y, increasing, shape (kinds, any)."""

    @staticmethod
    @abstractmethod
    def _roots(excess: Excess, guess: Floats, sought: Targets) -> Floats:
        """The y of these targets, by one of the ways of ``roots``."""

    def ppf(self, q: ArrayLike) -> Floats:
        q = np.asarray(q, dtype=float)
        inside = (q >= 0) & (q <= 1 - self.failure)
        quantiles = np.full(q.shape, np.nan)
        quantiles[inside] = _search([self], _targets(self, False, q[inside], 0.0))
        return quantiles

    def measure(self, qs: Sequence[float], center: float) -> tuple[Floats, float]:
        return measure_together([self], qs, [center])[0]

    def _bounds(self, shares: Floats, center: float) -> Floats:
        return _search([self], _targets(self, True, shares, center))


def measure_together(laws: Sequence[Law], qs: Sequence[float], centers: Sequence[float]) -> list[tuple[Floats, float]]:
    """C(q) about its center for each q, shape (len(qs),), and the median of every law.

    The numbers are those of Law.measure; laws of one class whose work can be shared are searched in one go.
    """
    searched = [law for law in laws if isinstance(law, SearchedLaw)]
    if searched and len({type(law) for law in laws}) == 1 and all(searched[0].shares_work_with(law) for law in laws):
        return _measure_in_one_search(searched, qs, centers)
    return [law.measure(qs, center) for law, center in zip(laws, centers, strict=True)]


def _measure_in_one_search(
    laws: Sequence[SearchedLaw], qs: Sequence[float], centers: Sequence[float]
) -> list[tuple[Floats, float]]:
    """measure_together of laws that share their work."""
    bounds = np.array([law._decided(qs, center) for law, center in zip(laws, centers, strict=True)])
    undecided, shares = np.isnan(bounds), np.asarray(qs) / 100
    distances = [
        _targets(law, True, shares[mine], center, i)
        for i, (law, center, mine) in enumerate(zip(laws, centers, undecided, strict=True))
    ]
    medians = [_targets(law, False, np.array([0.5 * (1 - law.failure)]), 0.0, i) for i, law in enumerate(laws)]
    numbers = _search(laws, Targets.join([*distances, *medians]))
    bounds[undecided] = numbers[: -len(laws)]
    return list(zip(bounds, numbers[-len(laws) :].tolist(), strict=True))


def _targets(law: SearchedLaw, paired: bool, mass: Floats, center: float, number: int = 0) -> Targets:
    """The distances from center within which these masses lie (paired), or the places below which they do."""
    origin, spread = law.middle_and_width
    with np.errstate(divide="ignore"):
        log_odds = np.log(mass) - np.log(np.maximum(1 - law.failure - mass, 0.0))
    same = (number, paired, center, abs(center - origin) if paired else origin, spread)
    return Targets(log_odds, *(np.full(mass.size, value) for value in same))


def _search(laws: Sequence[SearchedLaw], targets: Targets) -> Floats:
    """The numbers asked for, of laws of one class."""
    numbers, finite = np.empty(targets.log_odds.size), np.isfinite(targets.log_odds)
    for i in np.flatnonzero(~finite):
        numbers[i] = _extreme(laws[targets.law[i]].ends, targets.take(np.array([i])))
    if finite.any():
        sought, methods = targets.take(finite), laws[0]
        tails = partial(methods._tails, laws)

        def excess(y: Floats, which: Integers) -> tuple[Floats, Floats]:
            return _excess(tails, sought.take(which), y)

        y = methods._roots(excess, _guess(tails, partial(methods._tries, laws), sought), sought)
        numbers[finite] = sought.base + sought.spread * np.sinh(y)
    return numbers


def _extreme(ends: tuple[float, float], target: Targets) -> float:
    """The distance that holds all the mass, or the place below which all or none lies."""
    if target.paired[0]:
        return float(np.abs(np.array(ends) - target.center[0]).max())
    return ends[1] if target.log_odds[0] > 0 else ends[0]


def _guess(tails: Tails, tries: Callable[[Targets], Floats], targets: Targets) -> Floats:
    """The y of these targets by the rough laws; targets of one law and of one kind share one table of it."""
    kinds = targets.kinds
    first = targets.take(np.array([kind.start for kind in kinds]))
    places = tries(first)
    asked = first.take(np.repeat(np.arange(len(kinds)), places.shape[1]))
    values = _excess(tails, asked._replace(log_odds=np.zeros(places.size)), places.ravel(), rough=True)[0]
    guess = np.empty(targets.base.size)
    for kind, y, value in zip(kinds, places, values.reshape(places.shape), strict=True):
        known = np.isfinite(value)
        odds = targets.log_odds[kind]
        guess[kind] = np.interp(odds, value[known], y[known]) if known.any() else y[y.size // 2]
    return np.maximum(guess, targets.least)


def _excess(tails: Tails, targets: Targets, y: Floats, rough: bool = False) -> tuple[Floats, Floats]:
    """How far the log odds of the targets at y are above those sought, and the derivative."""
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
