"""Ranks among all n(n-1)/2 pairwise estimates at one point without forming them: O(n log n) time, O(n) memory.

With u_i = x_i - at and q_i(r) = (y_i - r) / u_i, the line through records i and j passes ``at`` by
u_i u_j (q_i - q_j) / (u_j - u_i) above r. So, with the records in the order of 1/u, largest first, the estimate
of i before j is above r exactly where q_i(r) > q_j(r): how many lie above r is a count of inversions, and which
lie between two values is the list of the inversions between two orders.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Integers
from .matchings import estimates

# From here on ranks beat the sorted list of all pairs. Two points, law and 1,000 draws, epsilon 1, CPU seconds of
# DPExpTheilSen by ranks against the list at n = 700: 0.053 / 0.048, 1,000: 0.064 / 0.101, 1,500: 0.052 / 0.201,
# 3,000: 0.09 / 1.3, 10,000: 0.2 / 32 (and 0.05 / 6 GB); but one list serves four estimators.
CROSSOVER = 1_500
_CHUNK = 1 << 18  # estimates formed at a time: what is done with them stays in the cache
_GUESSES = 1 << 17  # pairs that a first guess of quantiles is made from


class PairRanks:
    """The pairwise estimates of n records at one point, known by their ranks.

    x, y: shape (n,), 2 <= n <= 2 * 10^7, finite; at: finite. ``pairs`` estimates exist; ``tied`` more pairs share
    an x and have none. A record at x = at gives y_i with every record of another x. Which side of r an
    estimate is counted on is exact but for the rounding of q: about 1e-16 / |x_i - x_j| around r.
    """

    def __init__(self, x: Floats, y: Floats, at: float) -> None:
        u = x - at
        self.n, self.at = u.size, float(at)
        on_point = u == 0
        self._on_point, self._partners = np.sort(y[on_point]), self.n - int(on_point.sum())
        # Falling 1/u; records of one x by their q, whose order r does not change: they never make an inversion.
        order = np.lexsort((np.where(u > 0, y, -y), x, u < 0))
        order = order[~on_point[order]]
        self._x, self._y = x[order], y[order]
        self._u = np.ldexp(u[order], 60)  # a power of two, so that no quotient overflows however small u is
        self._group = np.cumsum(np.diff(self._x, prepend=self._x[:1]) != 0)
        self._crossing = _pairs_of(self._x.size) - _tied_pairs(self._group)
        self.pairs = self._crossing + self._on_point.size * self._partners
        self.tied = _pairs_of(self.n) - self.pairs
        # Inversions are counted against the order at some reference: at infinity nothing is above.
        self._reference, self._above_reference = np.inf, 0
        self._reference_order: Integers | slice = slice(None)

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
        return copy(self).near(float(self.guess(np.array([0.5]))[0]))

    def counts(self, r: float) -> tuple[int, int, int]:
        """How many estimates are below, equal to and above r; they add up to ``pairs``. r: finite."""
        above, equal = self._above(r)
        first, last = (int(np.searchsorted(self._on_point, r, side)) for side in ("left", "right"))
        equal += (last - first) * self._partners
        above += (self._on_point.size - last) * self._partners
        return self.pairs - equal - above, equal, above

    def _above(self, r: float) -> tuple[int, int]:
        """How many estimates without a record on the point are above r, and equal to r."""
        quotients = self._quotients(r)[self._reference_order]
        ordered = np.sort(quotients, kind="stable")  # fast where few are out of order
        same = _tied_pairs(ordered)
        equal = same and same - self._tied_within(quotients)
        swapped = _inversions(quotients, same)
        if r <= self._reference:  # what lies in (r, reference] has changed sides
            return self._above_reference + swapped, equal
        return self._above_reference - swapped - equal, equal

    def _tied_within(self, quotients: Floats) -> int:
        """Pairs of equal quotients that share an x as well."""
        group = self._group[self._reference_order]
        order = np.lexsort((group, quotients))
        changed = (np.diff(quotients[order]) != 0) | (np.diff(group[order]) != 0)
        return _tied_pairs(np.concatenate([[0], np.cumsum(changed)]))

    def between(self, low: float, high: float) -> Iterator[Floats]:
        """Every estimate z with low < z < high, in no order, some 260,000 at a time.

        As many as the counts at low and high say; each is what estimates makes of its two records, so
        it may be off the open interval by its rounding. Time O(n log n) plus the number found.
        """
        partners = np.arange(self._partners)
        for y_on_point in self._on_point[(self._on_point > low) & (self._on_point < high)]:
            x, y = np.append(self._x, self.at), np.append(self._y, y_on_point)
            for part in np.array_split(partners, 1 + self._partners // _CHUNK):
                yield estimates(x, y, part, np.full(part.size, self._partners), self.at)[0]
        rank = np.empty(self._x.size, dtype=np.int64)
        rank[np.argsort(self._quotients(low), kind="stable")] = np.arange(rank.size)
        # Estimates equal to low are below it; those equal to high must not have changed sides yet.
        reverse = np.argsort(-self._group, kind="stable")
        end = reverse[np.argsort(self._quotients(high)[reverse], kind="stable")]
        x, y = self._x[end], self._y[end]
        for first, second in _crossings(rank[end]):
            yield estimates(x, y, first, second, self.at)[0]

    def guess(self, shares: Floats) -> Floats:
        """Rough quantiles of the estimates, from a fixed choice of pairs; only says where to look first."""
        return np.quantile(self._chosen, shares)

    @cached_property
    def _chosen(self) -> Floats:
        """The estimates of a fixed choice of pairs, sorted."""
        if self._crossing == 0:
            return self._on_point if self._on_point.size else np.zeros(1)
        first, second = np.random.default_rng(0).integers(self._x.size, size=(2, _GUESSES))
        apart = self._x[first] != self._x[second]
        if not apart.any():
            return self._y[:1]
        return np.sort(estimates(self._x, self._y, first[apart], second[apart], self.at)[0])


def _pairs_of(count: int) -> int:
    return count * (count - 1) // 2


def _tied_pairs(ordered: NDArray) -> int:
    """Pairs of equal entries of a sorted array."""
    changes = np.flatnonzero(np.diff(ordered) != 0)
    if changes.size == ordered.size - 1:
        return 0
    runs = np.diff(np.concatenate([[-1], changes, [ordered.size - 1]]))
    return int((runs * (runs - 1) // 2).sum())


def _inversions(values: Floats, tied: int) -> int:
    """Pairs i < j with values[i] > values[j], where so many pairs are tied.

    scipy's compiled Kendall tau-b is (all - tied - 2 inversions) / sqrt((all - tied) all), from which the count
    comes back exactly while all 1e-16 < 1/4. Its own sort of values is fast where few are out of order.
    """
    if values.size < 3:  # refused by its p-value
        return int(np.sum(values[:-1] > values[1:]))
    everything = _pairs_of(values.size)
    if tied == everything:
        return 0
    from scipy.stats import kendalltau  # 0.7 s to import: only large data pay it

    bare = getattr(kendalltau, "__wrapped__", kendalltau)  # what is around it looks for axes and NaN: 0.2 ms
    tau = bare(values, np.arange(values.size), method="asymptotic").statistic
    return round((everything - tied - tau * np.sqrt(everything - tied) * np.sqrt(everything)) / 2)


def _crossings(rank: Integers) -> Iterator[tuple[Integers, Integers]]:
    """Positions (i, j) of every inversion i < j, rank[i] > rank[j], of a permutation of 0 .. n-1, in chunks.

    From the highest bit of the ranks down: within a block of equal higher bits, an entry without the bit is
    inverted with all entries with the bit that stand before it, which lie side by side once the block is split.
    """
    item, place = np.arange(rank.size), np.arange(rank.size)
    for bit in reversed(range((rank.size - 1).bit_length())):
        upper = (rank >> bit & 1).astype(bool)
        start = rank >> (bit + 1) << (bit + 1)  # a block of a permutation starts where its smallest rank belongs
        passed = np.concatenate([[0], np.cumsum(upper)])
        before = passed[:-1] - passed[start]
        target = np.where(upper, start + (1 << bit) + before, place - before)
        lower = np.flatnonzero(~upper & (before > 0))
        split_item, split_rank = np.empty_like(item), np.empty_like(rank)
        split_item[target], split_rank[target] = item, rank
        yield from _chunks(item[lower], start[lower] + (1 << bit), before[lower], split_item)
        item, rank = split_item, split_rank


def _chunks(
    second: Integers, start: Integers, counts: Integers, items: Integers
) -> Iterator[tuple[Integers, Integers]]:
    """Each entry of second with items[start : start + counts], a bounded number of pairs at a time."""
    ends = np.cumsum(counts)
    done = 0
    while done < ends.size:
        base = ends[done - 1] if done else 0
        stop = max(int(np.searchsorted(ends, base + _CHUNK, side="right")), done + 1)
        part = slice(done, stop)
        # start minus the number of pairs before the entry, so that counting on through the chunk is enough.
        offset = np.repeat(start[part] - (ends[part] - counts[part] - base), counts[part])
        offset += np.arange(offset.size)
        yield items[offset], np.repeat(second[part], counts[part])
        done = stop
