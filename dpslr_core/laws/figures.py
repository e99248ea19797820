"""Figures asked of several laws at once: distances that hold a share of the mass, places below which a mass lies.

Each is looked for as base + spread sinh(y), at an increasing function of y: the logarithm of the odds. All of them
together, since each look at a law may be dear and is hardly dearer at many places.
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


class Figures(NamedTuple):
    """Numbers asked of laws by number, each base + spread sinh(y): distances from a center (paired), then places.

    log_odds: of lying within such a distance, or below such a place, where there is an answer.
    """

    log_odds: Floats
    law: Integers
    paired: np.ndarray
    center: Floats
    base: Floats
    spread: Floats

    def take(self, which: np.ndarray) -> Figures:
        return Figures(*(part[which] for part in self))

    @staticmethod
    def join(parts: Sequence[Figures]) -> Figures:
        return Figures(*map(np.concatenate, zip(*parts, strict=True)))

    @property
    def kinds(self) -> list[slice]:
        """The stretches of figures of one law and of one kind."""
        changes = np.any([part[1:] != part[:-1] for part in (self.law, self.paired, self.center)], axis=0)
        edges = [0, *(np.flatnonzero(changes) + 1).tolist(), self.base.size]
        return [slice(*pair) for pair in pairwise(edges)]

    @property
    def least(self) -> Floats:
        """The y of a distance 0, or of the lowest place looked at."""
        return np.where(self.paired, -np.arcsinh(self.base / self.spread), -LAST)


Tails = Callable[[Integers, Floats, bool], Floats]  # of laws by number, at t, rough?: cdf, survival, density


class SoughtLaw(Law):
    """A law whose figures are looked for together with those of others of its kind."""

    @property
    @abstractmethod
    def whereabouts(self) -> tuple[float, float]:
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
    def _tries(laws: Sequence[Any], kinds: Figures) -> Floats:
        """Where the rough laws are looked at for figures of these kinds: y, increasing, shape (kinds, any)."""

    @staticmethod
    @abstractmethod
    def _roots(excess: Excess, guess: Floats, sought: Figures) -> Floats:
        """The y of these figures, by one of the ways of ``roots``."""

    def ppf(self, q: ArrayLike) -> Floats:
        q = np.asarray(q, dtype=float)
        inside = (q >= 0) & (q <= 1 - self.failure)
        found = np.full(q.shape, np.nan)
        found[inside] = self._find([self], self._figures(False, q[inside], 0.0))
        return found

    @classmethod
    def measure_together(
        cls, laws: Sequence[Any], qs: Sequence[float], centers: Sequence[float]
    ) -> list[tuple[Floats, float]]:
        """measure of every law, their figures found together."""
        bounds = np.array([law._decided(qs, center) for law, center in zip(laws, centers, strict=True)])
        open_, shares = np.isnan(bounds), np.asarray(qs) / 100
        asked = enumerate(zip(laws, centers, open_, strict=True))
        distances = [law._figures(True, shares[o], c, i) for i, (law, c, o) in asked]
        medians = [law._figures(False, np.array([0.5 * (1 - law.failure)]), 0.0, i) for i, law in enumerate(laws)]
        found = cls._find(laws, Figures.join([*distances, *medians]))
        bounds[open_] = found[: -len(laws)]
        return list(zip(bounds, found[-len(laws) :].tolist(), strict=True))

    def measure(self, qs: Sequence[float], center: float) -> tuple[Floats, float]:
        return self.measure_together([self], qs, [center])[0]

    def _bounds(self, shares: Floats, center: float) -> Floats:
        return self._find([self], self._figures(True, shares, center))

    def _figures(self, paired: bool, mass: Floats, center: float, number: int = 0) -> Figures:
        """The distances from center within which these masses lie (paired), or the places below which they do."""
        origin, spread = self.whereabouts
        with np.errstate(divide="ignore"):
            log_odds = np.log(mass) - np.log(np.maximum(1 - self.failure - mass, 0.0))
        same = (number, paired, center, abs(center - origin) if paired else origin, spread)
        return Figures(log_odds, *(np.full(mass.size, value) for value in same))

    @classmethod
    def _find(cls, laws: Sequence[Any], figures: Figures) -> Floats:
        """All these figures of the laws at once."""
        found, finite = np.empty(figures.log_odds.size), np.isfinite(figures.log_odds)
        for i in np.flatnonzero(~finite):
            found[i] = _extreme(laws[figures.law[i]].ends, figures.take(np.array([i])))
        if finite.any():
            sought, tails = figures.take(finite), partial(cls._tails, laws)

            def excess(y: Floats, which: Integers) -> tuple[Floats, Floats]:
                return _excess(tails, sought.take(which), y)

            y = cls._roots(excess, _guess(tails, partial(cls._tries, laws), sought), sought)
            found[finite] = sought.base + sought.spread * np.sinh(y)
        return found


def _extreme(ends: tuple[float, float], figure: Figures) -> float:
    """The figure of all the mass, or of none."""
    if figure.paired[0]:
        return float(np.abs(np.array(ends) - figure.center[0]).max())
    return ends[1] if figure.log_odds[0] > 0 else ends[0]


def _guess(tails: Tails, tries: Callable[[Figures], Floats], figures: Figures) -> Floats:
    """The y of these figures by the rough laws; figures of one law and of one kind share one table of it."""
    kinds = figures.kinds
    first = figures.take(np.array([kind.start for kind in kinds]))
    places = tries(first)
    asked = first.take(np.repeat(np.arange(len(kinds)), places.shape[1]))
    values = _excess(tails, asked._replace(log_odds=np.zeros(places.size)), places.ravel(), rough=True)[0]
    guess = np.empty(figures.base.size)
    for kind, y, value in zip(kinds, places, values.reshape(places.shape), strict=True):
        known = np.isfinite(value)
        odds = figures.log_odds[kind]
        guess[kind] = np.interp(odds, value[known], y[known]) if known.any() else y[y.size // 2]
    return np.maximum(guess, figures.least)


def _excess(tails: Tails, figures: Figures, y: Floats, rough: bool = False) -> tuple[Floats, Floats]:
    """How far the log odds of the figures at y are above those sought, and the derivative."""
    size, pairs = figures.base + figures.spread * np.sinh(y), np.count_nonzero(figures.paired)
    left, right, single = slice(pairs), slice(pairs, 2 * pairs), slice(2 * pairs, None)
    center, c, t = figures.center[:pairs], size[:pairs], size[pairs:]
    law = np.concatenate([figures.law[:pairs], figures.law])
    lower, upper, density = tails(law, np.concatenate([center - c, center + c, t]), rough)
    outside = np.concatenate([lower[left] + upper[right], upper[single]])
    inside = np.concatenate([lower[right] - lower[left], lower[single]])
    rate = np.concatenate([density[left] + density[right], density[single]]) * figures.spread * np.cosh(y)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.log(inside) - np.log(outside) - figures.log_odds, rate / inside + rate / outside
