"""The law of a release by one of two mechanisms, chosen by noise of its own: a mixture of two laws.

Its figures are found for all laws of one data set together, since each look at a law may be dear. They are looked
for as base + spread sinh(y), at an increasing function of y: the logarithm of the odds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from .. import _validate
from .._types import Floats, Integers
from .base import Law
from .noisy import NoisySlopeLaw, tails_together
from .roots import root_beyond_kinks

_LAST = 590.0  # the largest y looked at
_TRIES = 0.5 * np.sinh(np.linspace(-3.6, 3.6, 21))  # where the rough laws are looked at, in their widths


@dataclass(frozen=True, eq=False)
class Either(Law):
    """The law of first with this probability, of second with the other; neither law jumps.

    other = 1 - probability, given beside it because it may be smaller than a float near 1 can tell.
    """

    first: Law
    second: Law
    probability: float
    other: float

    @property
    def failure(self) -> float:  # type: ignore[override]
        return self.probability * self.first.failure + self.other * self.second.failure

    @property
    def exact(self) -> bool:  # type: ignore[override]
        return self.first.exact and self.second.exact

    @property
    def how(self) -> str:
        """As the one of the two that is known less well."""
        return self.second.how if self.first.exact else self.first.how

    def cdf(self, t: ArrayLike) -> Floats:
        return self.probability * self.first.cdf(t) + self.other * self.second.cdf(t)

    def logpdf(self, t: ArrayLike) -> Floats:
        logs = np.log([self.probability, self.other])
        return np.logaddexp(logs[0] + self.first.logpdf(t), logs[1] + self.second.logpdf(t))

    def ppf(self, q: ArrayLike) -> Floats:
        q = np.asarray(q, dtype=float)
        inside = (q >= 0) & (q <= 1 - self.failure)
        found = np.full(q.shape, np.nan)
        found[inside] = _find([self], self._figures(False, q[inside], 0.0))
        return found

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """size independent draws, shape (size,): which law for each of them, then those of either; NaN = failed."""
        _validate.generator(rng=rng)
        first = rng.random(size) < self.probability
        drawn = np.empty(size)
        for law, mine in ((self.first, first), (self.second, ~first)):
            drawn[mine] = law.sample(int(np.count_nonzero(mine)), rng)
        return drawn

    @classmethod
    def measure_together(
        cls, laws: Sequence[Law], qs: Sequence[float], centers: Sequence[float]
    ) -> list[tuple[Floats, float]]:
        """measure of every law, their figures found together."""
        mine = cast("Sequence[Either]", laws)
        bounds = np.array([law._decided(qs, center) for law, center in zip(laws, centers, strict=True)])
        open_, shares = np.isnan(bounds), np.asarray(qs) / 100
        asked = enumerate(zip(mine, centers, open_, strict=True))
        distances = [law._figures(True, shares[o], c, i) for i, (law, c, o) in asked]
        medians = [law._figures(False, np.array([law._half]), 0.0, i) for i, law in enumerate(mine)]
        found = _find(mine, _Figures.join([*distances, *medians]))
        bounds[open_] = found[: -len(mine)]
        return list(zip(bounds, found[-len(mine) :].tolist(), strict=True))

    def measure(self, qs: Sequence[float], center: float) -> tuple[Floats, float]:
        return self.measure_together([self], qs, [center])[0]

    def error_bound_interval(self, q: float, center: float) -> tuple[float, float]:
        """Bounds on the exact C(q), where a mass of either law is known to twice its cdf_error."""
        errors = [getattr(law, "cdf_error", 0.0) for law in (self.first, self.second)]
        margin = 200 * float(np.dot(errors, [self.probability, self.other]))
        low, high = self.error_bounds((max(q - margin, 0), min(q + margin, 100)), center)
        return float(low), float(high)

    @property
    def _half(self) -> float:
        return 0.5 * (1 - self.failure)

    def _bounds(self, shares: Floats, center: float) -> Floats:
        return _find([self], self._figures(True, shares, center))

    @cached_property
    def _spots(self) -> list[tuple[float, float]]:
        """A place in the middle of either law and its rough width."""
        return [_whereabouts(law) for law in (self.first, self.second)]

    @cached_property
    def _ends(self) -> tuple[float, float]:
        """The least and the greatest that can be released."""
        ends = [law.ppf(np.array([0.0, 1 - law.failure])) for law in (self.first, self.second)]
        return float(np.min(ends)), float(np.max(ends))

    @property
    def tries(self) -> Floats:
        """Places all over both laws."""
        return np.concatenate([place + width * _TRIES for place, width in self._spots])

    def _figures(self, paired: bool, mass: Floats, center: float, number: int = 0) -> _Figures:
        """The distances from center within which these masses lie (paired), or the places below which they do."""
        origin, spread = self._spots[0 if self.probability > self.other else 1]
        with np.errstate(divide="ignore"):
            log_odds = np.log(mass) - np.log(np.maximum(1 - self.failure - mass, 0.0))
        same = (number, paired, center, abs(center - origin) if paired else origin, spread)
        return _Figures(log_odds, *(np.full(mass.size, value) for value in same))


def _whereabouts(law: Law) -> tuple[float, float]:
    """A place in the middle of a law and its rough width."""
    if isinstance(law, NoisySlopeLaw):
        return law.whereabouts
    low, middle, high = law.ppf((1 - law.failure) * np.array([0.25, 0.5, 0.75])).tolist()
    return middle, max(high - low, 1e-12 * abs(middle), 1e-280)


class _Figures(NamedTuple):
    """Numbers asked of laws by number, each base + spread sinh(y): distances from a center (paired), then places.

    log_odds: of lying within such a distance, or below such a place, where there is an answer.
    """

    log_odds: Floats
    law: Integers
    paired: np.ndarray
    center: Floats
    base: Floats
    spread: Floats

    def take(self, which: np.ndarray) -> _Figures:
        return _Figures(*(part[which] for part in self))

    @staticmethod
    def join(parts: Sequence[_Figures]) -> _Figures:
        return _Figures(*map(np.concatenate, zip(*parts, strict=True)))

    @property
    def kinds(self) -> list[slice]:
        """The stretches of figures of one law and of one kind."""
        changes = np.any([part[1:] != part[:-1] for part in (self.law, self.paired, self.center)], axis=0)
        edges = [0, *(np.flatnonzero(changes) + 1).tolist(), self.base.size]
        return [slice(*pair) for pair in pairwise(edges)]


def _find(laws: Sequence[Either], figures: _Figures) -> Floats:
    """All these figures of the laws at once."""
    found, finite = np.empty(figures.log_odds.size), np.isfinite(figures.log_odds)
    for i in np.flatnonzero(~finite):
        low, high = laws[figures.law[i]]._ends
        if figures.paired[i]:
            found[i] = max(abs(low - figures.center[i]), abs(high - figures.center[i]))
        else:
            found[i] = high if figures.log_odds[i] > 0 else low
    sought = figures.take(finite)
    if finite.any():
        least = np.where(sought.paired, -np.arcsinh(sought.base / sought.spread), -_LAST)  # where a distance is 0

        def excess(y: Floats, which: Integers) -> tuple[Floats, Floats]:
            return _excess(laws, sought.take(which), y)

        # Nearer than this to distance 0, center - c and center + c are the same float.
        grain = np.where(sought.paired, 0.5 * np.spacing(np.abs(sought.center)) / sought.spread / np.cosh(least), 0.0)
        y = root_beyond_kinks(excess, _guess(laws, sought, least), least, np.full(least.size, _LAST), grain)
        found[finite] = sought.base + sought.spread * np.sinh(y)
    return found


def _guess(laws: Sequence[Either], figures: _Figures, least: Floats) -> Floats:
    """The y of these figures by the rough laws; figures of one law and of one kind share one table of it."""
    kinds = figures.kinds
    first = np.array([kind.start for kind in kinds])
    asked = figures.take(np.repeat(first, 2 * _TRIES.size))
    sizes = np.concatenate([laws[number].tries for number in figures.law[first]])
    sizes = np.where(asked.paired, np.abs(sizes - asked.center), sizes).reshape(len(kinds), -1)
    sizes.sort(axis=1)
    tries = np.arcsinh((sizes.ravel() - asked.base) / asked.spread)
    values = _excess(laws, asked._replace(log_odds=np.zeros(tries.size)), tries, rough=True)[0]
    guess = np.empty(least.size)
    for kind, y, value in zip(kinds, tries.reshape(sizes.shape), values.reshape(sizes.shape), strict=True):
        known = np.isfinite(value)
        odds = figures.log_odds[kind]
        guess[kind] = np.interp(odds, value[known], y[known]) if known.any() else y[y.size // 2]
    return np.maximum(guess, least)


def _excess(laws: Sequence[Either], figures: _Figures, y: Floats, rough: bool = False) -> tuple[Floats, Floats]:
    """How far the log odds of the figures at y are above those sought, and the derivative."""
    size, pairs = figures.base + figures.spread * np.sinh(y), np.count_nonzero(figures.paired)
    left, right, single = slice(pairs), slice(pairs, 2 * pairs), slice(2 * pairs, None)
    center, c, t = figures.center[:pairs], size[:pairs], size[pairs:]
    law = np.concatenate([figures.law[:pairs], figures.law])
    lower, upper, density = _mixed(laws, law, np.concatenate([center - c, center + c, t]), rough)
    outside = np.concatenate([lower[left] + upper[right], upper[single]])
    inside = np.concatenate([lower[right] - lower[left], lower[single]])
    rate = np.concatenate([density[left] + density[right], density[single]]) * figures.spread * np.cosh(y)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.log(inside) - np.log(outside) - figures.log_odds, rate / inside + rate / outside


def _mixed(laws: Sequence[Either], number: Integers, t: Floats, rough: bool) -> Floats:
    """P(release <= t), P(release > t) and the density at t[i] of laws[number[i]], shape (3, len(t))."""
    weights = np.array([(law.probability, law.other) for law in laws]).T[:, number]
    first = _tails([law.first for law in laws], number, t, rough)
    return weights[0] * first + weights[1] * _tails([law.second for law in laws], number, t, rough)


def _tails(laws: Sequence[Law], number: Integers, t: Floats, rough: bool) -> Floats:
    """The same of laws that may share the work of it."""
    noisy = [law for law in laws if isinstance(law, NoisySlopeLaw)]
    if len(noisy) == len(laws) and all(law.slopes is noisy[0].slopes for law in noisy):
        return tails_together(noisy, number, t, rough)
    found = np.empty((3, t.size))
    for i, law in enumerate(laws):
        mine = number == i
        below = law.cdf(t[mine])
        found[0, mine], found[1, mine] = below, (1 - law.failure) - below
        found[2, mine] = 0.0 if rough else np.exp(law.logpdf(t[mine]))
    return found
