"""Ranks among all n(n-1)/2 pairwise estimates at one point without forming them: O(n log n) time, O(n) memory.

With u_i = x_i - at and q_i(r) = (y_i - r) / u_i, the line through records i and j passes ``at`` by
u_i u_j (q_i - q_j) / (u_j - u_i) above r. So, with the records in the order of 1/u, largest first, the estimate
of i before j is above r exactly where q_i(r) > q_j(r): how many lie above r is a count of inversions, and which
lie between two values is the list of the inversions between two orders.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..support.run import checkpoint
from ..support.types import Floats, Integers
from .inversions import crossings, inversions, pairs_of, sort_whole, tied_pairs
from .matchings import Lines, all_pairs, lines_through

# From here on ranks beat the sorted list of all pairs. Two points, law and 1,000 draws, epsilon 1, CPU seconds of
# DPExpTheilSen by ranks against the list at n = 700: 0.053 / 0.048, 1,000: 0.064 / 0.101, 1,500: 0.052 / 0.201,
# 3,000: 0.09 / 1.3, 10,000: 0.2 / 32 (and 0.05 / 6 GB); but one list serves four estimators.
CROSSOVER = 1_500
TOLERANCE = 1e-3  # to which laws from rank queries know the mass; draws are exact whatever it is
_CHUNK = 1 << 18  # estimates formed at a time: what is done with them stays in the cache
_KEPT = 1 << 20  # sorted estimates that are kept and added to
_GUESSES = 1 << 17  # pairs that a first guess of quantiles is made from


class Listed(NamedTuple):
    """All sorted estimates above low and up to high."""

    low: float
    high: float
    estimates: Floats


class PairRanks:
    """The pairwise estimates of n records at one point, known by their ranks.

    x, y: shape (n,), 2 <= n <= 2 * 10^7, finite; at: finite; lines: the estimates of pairs from the x and the y of
    both ends. ``pairs`` estimates exist; ``tied`` more pairs share an x and have none. A record at x = at gives y_i
    with every record of another x. Counts are exact on a public grid; for other numbers the rounding of q, about
    1e-16 / |x_i - x_j| around r, may put an estimate on the other side of r.
    """

    def __init__(self, x: Floats, y: Floats, at: float, lines: Lines | None = None) -> None:
        u = x - at
        self.n, self.at = u.size, float(at)
        self._lines = lines or partial(lines_through, at=self.at)
        on_point = u == 0
        self._on_point, self._partners = np.sort(y[on_point]), self.n - int(on_point.sum())
        # Falling 1/u; records of one x by their q, whose order r does not change: they never make an inversion.
        order = np.lexsort((np.where(u > 0, y, -y), x, u < 0))
        order = order[~on_point[order]]
        self._x, self._y = x[order], y[order]
        self._u = np.ldexp(u[order], 60)  # a power of two, so that no quotient overflows however small u is
        new_x = np.diff(self._x, prepend=np.nan) != 0
        # Pairs of equal records have equal quotients whatever r is, and no estimate.
        self._equal_records = tied_pairs(np.cumsum(new_x | (np.diff(self._y, prepend=np.nan) != 0)))
        self._crossing = pairs_of(self._x.size) - tied_pairs(np.cumsum(new_x))
        self.pairs = self._crossing + self._on_point.size * self._partners
        self.tied = pairs_of(self.n) - self.pairs
        # Inversions are counted against the order at some reference: at infinity nothing is above.
        self._reference, self._above_reference = np.inf, 0
        self._reference_order: Integers | slice = slice(None)
        self._known: dict[float, int] = {}
        self._listed = Listed(np.inf, np.inf, np.empty(0))

    def _quotients(self, r: float) -> Floats:
        return (self._y - r) / self._u

    def near(self, r: float) -> PairRanks:
        """Make queries near r three times faster, by counting against the order at r; returns self."""
        above = self._above(r)[0]
        order = np.argsort(self._quotients(r), kind="stable")
        self._reference, self._above_reference, self._reference_order = r, above, order
        return self

    @cached_property
    def central(self) -> PairRanks:
        """The same ranks with fast queries near the median; made once."""
        start = float(self.guess(np.array([0.5]))[0])  # before the copy, which takes the guesses with it
        return copy(self).near(start)

    def counts(self, r: float) -> tuple[int, int, int]:
        """How many estimates are below, equal to and above r, in units of y; they add up to ``pairs``. r: finite."""
        above, equal = self._above(r)
        first, last = (int(np.searchsorted(self._on_point, r, side)) for side in ("left", "right"))
        equal += (last - first) * self._partners
        above += (self._on_point.size - last) * self._partners
        return self.pairs - equal - above, equal, above

    def at_most(self, r: float) -> int:
        """How many estimates are at most r; asked again, as laws of several mechanisms do, without a new count."""
        if r not in self._known:
            self._known[r] = self.pairs - self.counts(r)[2]
        return self._known[r]

    def _above(self, r: float) -> tuple[int, int]:
        """How many estimates without a record on the point are above r, and equal to r."""
        checkpoint()
        quotients = self._quotients(r)[self._reference_order]
        same = tied_pairs(np.sort(quotients, kind="stable"))  # fast where few are out of order
        equal = same - self._equal_records
        swapped = inversions(quotients, same)
        if r <= self._reference:  # what lies in (r, reference] has changed sides
            return self._above_reference + swapped, equal
        return self._above_reference - swapped - equal, equal

    def between(self, low: float, high: float) -> Iterator[Floats]:
        """Every estimate z with low < z <= high, in no order, some 260,000 at a time.

        Arrays of shape (some,), in units of y, with as many entries as the counts at low and high say. Time O(n log n)
        plus their number.
        """
        partners = np.arange(self._partners)
        for y_on_point in self._on_point[(self._on_point > low) & (self._on_point <= high)]:
            for part in np.array_split(partners, 1 + self._partners // _CHUNK):
                yield np.full(part.size, y_on_point)
        rank = np.empty(self._x.size, dtype=np.int64)
        rank[np.argsort(self._quotients(low), kind="stable")] = np.arange(rank.size)
        end = np.argsort(self._quotients(high), kind="stable")  # estimates equal to low or high are not above it
        x, y = self._x[end], self._y[end]
        for first, second in crossings(rank[end]):
            yield self._lines((x[first], x[second]), (y[first], y[second]))

    def sorted_between(self, low: float, high: float) -> Floats:
        """What between yields, sorted, as read-only floats; what has been listed is kept for other mechanisms."""
        known = self._listed
        if not known.low <= low <= high <= known.high:
            if known.low <= high and low <= known.high and known.estimates.size < _KEPT:
                parts = self._sorted(low, known.low), known.estimates, self._sorted(known.high, high)
                known = Listed(min(low, known.low), max(high, known.high), np.concatenate(parts))
            else:
                known = Listed(low, high, self._sorted(low, high))
            known.estimates.setflags(write=False)
            self._listed = known
        first, last = np.searchsorted(known.estimates, (low, high), side="right")
        return known.estimates[first:last]

    def _sorted(self, low: float, high: float) -> Floats:
        return sort_whole(np.concatenate([np.empty(0), *self.between(low, high)])) if low < high else np.empty(0)

    def guess(self, shares: ArrayLike) -> Floats:
        """Rough quantiles of the estimates, from a fixed choice of pairs, shape of shares; says where to look first."""
        place = np.ceil(self._chosen.size * np.asarray(shares, dtype=float) - 1).astype(np.int64)
        return self._chosen[np.maximum(place, 0)]

    @cached_property
    def _chosen(self) -> Floats:
        """The estimates of a fixed choice of pairs, of all where they are few, sorted; a zero where none exists."""
        if not self.pairs:
            return np.zeros(1)
        x, y = np.append(self._x, np.full(self._on_point.size, self.at)), np.append(self._y, self._on_point)
        few = pairs_of(self.n) <= _GUESSES
        first, second = all_pairs(self.n) if few else np.random.default_rng(0).integers(self.n, size=(2, _GUESSES))
        apart = x[first] != x[second]
        first, second = first[apart], second[apart]
        return sort_whole(self._lines((x[first], x[second]), (y[first], y[second]))) if apart.any() else np.zeros(1)


def median_of_pairs(ranks: PairRanks) -> float:
    """The Theil-Sen estimate, the median of the pairwise estimates that exist; NaN where there is none.

    The median of the sorted list of them, in units of y, in time O(n log n). Source: Section "DP TheilSen".
    """
    if ranks.pairs == 0:
        return np.nan
    numbers = (ranks.pairs - 1) // 2, ranks.pairs // 2
    return float(np.mean([_entry(ranks.central, number) for number in numbers[: 2 - ranks.pairs % 2]]))


def _entry(ranks: PairRanks, number: int) -> float:
    """Entry ``number``, counted from 0, of the sorted estimates; exact but for rounding."""
    low, middle, high = ranks.guess(np.clip((number + 0.5) / ranks.pairs + np.array([-0.01, 0.0, 0.01]), 0, 1))
    below, equal, _ = ranks.counts(middle)
    if below <= number < below + equal:  # a value that many pairs share
        return float(middle)
    reach = high - low + 1e-6
    while (before := ranks.at_most(low)) > number or (up_to := ranks.at_most(high)) <= number:
        low, high, reach = low - reach, high + reach, 100 * reach
    while up_to - before > 4 * ranks.n and high - low > 1e-13 * max(1.0, abs(low), abs(high)):
        share = (number - before + np.array([-ranks.n, ranks.n])) / (up_to - before)
        for probe in low + np.append(share, 0.5) * (high - low):
            if low < probe < high:
                at_most = ranks.at_most(probe)
                if at_most <= number:
                    low, before = probe, at_most
                else:
                    high, up_to = probe, at_most
    if up_to - before > 4 * ranks.n:
        return float(high)
    return float(np.sort(np.concatenate(list(ranks.between(low, high))))[number - before])
