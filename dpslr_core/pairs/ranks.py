"""Ranks among all n(n-1)/2 pairwise estimates at one point, without a list: time O(n log n), memory O(n).

With u_i = x_i - at and q_i(r) = (y_i - r) / u_i, the line through records i and j passes ``at`` by
u_i u_j (q_i - q_j) / (u_j - u_i) above r. Let the records be in the order of 1/u, largest first. Then the estimate of
i before j is above r exactly where q_i(r) > q_j(r). So the number of estimates above r is a count of inversions, and
the estimates between two values are the inversions between two orders.
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
from .matchings import Lines, lines_through, pair_count, tied_pairs

_CHUNK = 1 << 18  # estimates computed at a time, few enough for the processor's cache


def sort_whole(values: Floats) -> Floats:
    """Sort the values; an array that is already in order is returned itself.

    Whole numbers below 2^31, such as estimates on a grid, are sorted as integers, or by counting if they lie close.
    """
    if (values[1:] >= values[:-1]).all():
        return values
    low, high = float(values.min()), float(values.max())
    if max(-low, high) < 2**31 and np.array_equal(integers := values.astype(np.int32), values):
        if high - low < values.size:
            return np.repeat(np.arange(low, high + 1), np.bincount(integers - integers.min()))
        integers.sort()
        return integers.astype(float)
    return np.sort(values)


def inversions(values: Floats, tied: int) -> int:
    """Count the pairs i < j with values[i] > values[j], where ``tied`` pairs are equal.

    scipy's compiled Kendall tau-b is (all - tied - 2 inversions) / sqrt((all - tied) all), from which the count
    comes back exactly while all 1e-16 < 1/4. Its own sort of values is fast if few are out of order.
    """
    if values.size < 3:  # kendalltau refuses so few
        return int(np.sum(values[:-1] > values[1:]))
    everything = pair_count(values.size, None)
    if tied == everything:
        return 0
    from scipy.stats import kendalltau  # 0.7 s to import: only large data pay it

    # The wrapper of kendalltau looks for axes and NaN, which takes 10% of the time of a law.
    unwrapped = getattr(kendalltau, "__wrapped__", kendalltau)
    tau = unwrapped(values, np.arange(values.size), method="asymptotic").statistic
    return round((everything - tied - tau * np.sqrt(everything - tied) * np.sqrt(everything)) / 2)


def crossings(rank: Integers) -> Iterator[tuple[Integers, Integers]]:
    """Yield the positions (i, j) of every inversion i < j, rank[i] > rank[j], of a permutation of 0 .. n-1, in chunks.

    From the highest bit of the ranks down: within a block of equal higher bits, an entry without the bit is
    inverted with all entries with the bit that stand before it, which lie side by side once the block is split.
    """
    item, position = np.arange(rank.size), np.arange(rank.size)
    for bit in reversed(range((rank.size - 1).bit_length())):
        upper = (rank >> bit & 1).astype(bool)
        # A block of a permutation starts at the position of its smallest rank.
        start = rank >> (bit + 1) << (bit + 1)
        passed = np.concatenate([[0], np.cumsum(upper)])
        before = passed[:-1] - passed[start]
        target = np.where(upper, start + (1 << bit) + before, position - before)
        lower = np.flatnonzero(~upper & (before > 0))
        split_item, split_rank = np.empty_like(item), np.empty_like(rank)
        split_item[target], split_rank[target] = item, rank
        yield from _chunks(item[lower], start[lower] + (1 << bit), before[lower], split_item)
        item, rank = split_item, split_rank


def _chunks(
    second: Integers, start: Integers, counts: Integers, items: Integers
) -> Iterator[tuple[Integers, Integers]]:
    """Yield second[i] paired with each of items[start[i] : start[i] + counts[i]], a bounded number at a time."""
    ends = np.cumsum(counts)
    done = 0
    while done < ends.size:
        checkpoint()
        base = ends[done - 1] if done else 0
        stop = max(int(np.searchsorted(ends, base + _CHUNK, side="right")), done + 1)
        chunk = slice(done, stop)
        # start minus the number of pairs before the entry, so that counting on through the chunk is enough.
        offset = np.repeat(start[chunk] - (ends[chunk] - counts[chunk] - base), counts[chunk])
        offset += np.arange(offset.size)
        yield items[offset], np.repeat(second[chunk], counts[chunk])
        done = stop


# From here on ranks beat the sorted list of all pairs. Two points, law and 1,000 draws, epsilon 1, CPU seconds of
# DPExpTheilSen by ranks against the list at n = 700: 0.053 / 0.048, 1,000: 0.064 / 0.101, 1,500: 0.052 / 0.201,
# 3,000: 0.09 / 1.3, 10,000: 0.2 / 32 (and 0.05 / 6 GB); but one list serves four estimators.
CROSSOVER = 1_500
TOLERANCE = 1e-3  # error of the mass in laws from rank queries; draws are exact at any tolerance
_KEPT = 1 << 20  # sorted estimates that are kept and added to
_GUESSES = 1 << 17  # pairs in the sample for a first guess of quantiles


class Listed(NamedTuple):
    """All sorted estimates above low and up to high."""

    low: float
    high: float
    estimates: Floats


class PairRanks:
    """The pairwise estimates of n records at one point, known by their ranks.

    ``pairs`` estimates exist; ``tied`` more pairs share an x and have none. A record at x = at gives y_i with every
    record of another x. Counts are exact on a public grid; for other numbers the rounding of q, about
    1e-16 / |x_i - x_j| around r, may put an estimate on the other side of r.

    Parameters
    ----------
    x, y : array, shape (n,)
        The records, finite; 2 <= n <= 2 * 10^7.
    at : float
        The point, finite.
    lines : Lines, optional
        Function that computes the estimates from the x and the y of both ends; by default lines_through.
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
        # Times a power of two, so that no quotient overflows however small u is.
        self._u = np.ldexp(u[order], 60)
        new_x = np.diff(self._x, prepend=np.nan) != 0
        # Pairs of equal records have equal quotients whatever r is, and no estimate.
        self._equal_records = tied_pairs(np.cumsum(new_x | (np.diff(self._y, prepend=np.nan) != 0)))
        self._crossing = pair_count(self._x.size, None) - tied_pairs(np.cumsum(new_x))
        self.pairs = self._crossing + self._on_point.size * self._partners
        self.tied = pair_count(self.n, None) - self.pairs
        # Inversions are counted against the order at a reference; no estimate is above the first one, infinity.
        self._reference, self._above_reference = np.inf, 0
        self._reference_order: Integers | slice = slice(None)
        self._counted: dict[float, int] = {}
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
        middle = float(self.guess(np.array([0.5]))[0])  # before the copy, which shares the sample
        return copy(self).near(middle)

    def counts(self, r: float) -> tuple[int, int, int]:
        """Count the estimates below, equal to and above r, finite, in units of y; the counts add up to ``pairs``."""
        above, equal = self._above(r)
        first, last = (int(np.searchsorted(self._on_point, r, side)) for side in ("left", "right"))
        equal += (last - first) * self._partners
        above += (self._on_point.size - last) * self._partners
        return self.pairs - equal - above, equal, above

    def at_most(self, r: float) -> int:
        """Count the estimates up to r; the count is kept for the laws of other mechanisms."""
        if r not in self._counted:
            self._counted[r] = self.pairs - self.counts(r)[2]
        return self._counted[r]

    def _above(self, r: float) -> tuple[int, int]:
        """Count the estimates above r and the estimates equal to r, without records on the point."""
        checkpoint()
        quotients = self._quotients(r)[self._reference_order]
        same = tied_pairs(np.sort(quotients, kind="stable"))  # fast if few are out of order
        equal = same - self._equal_records
        swapped = inversions(quotients, same)
        if r <= self._reference:  # the estimates in (r, reference] have changed sides
            return self._above_reference + swapped, equal
        return self._above_reference - swapped - equal, equal

    def between(self, low: float, high: float) -> Iterator[Floats]:
        """Yield every estimate z with low < z <= high, unsorted, in arrays of up to about 260,000, in units of y.

        The number of estimates agrees with the counts at low and high. Time O(n log n) plus their number.
        """
        partners = np.arange(self._partners)
        for y_on_point in self._on_point[(self._on_point > low) & (self._on_point <= high)]:
            for chunk in np.array_split(partners, 1 + self._partners // _CHUNK):
                yield np.full(chunk.size, y_on_point)
        rank = np.empty(self._x.size, dtype=np.int64)
        rank[np.argsort(self._quotients(low), kind="stable")] = np.arange(rank.size)
        # Estimates equal to low or high are not above it, as the sort is stable.
        end = np.argsort(self._quotients(high), kind="stable")
        x, y = self._x[end], self._y[end]
        for first, second in crossings(rank[end]):
            yield self._lines((x[first], x[second]), (y[first], y[second]))

    def sorted_between(self, low: float, high: float) -> Floats:
        """Return the sorted estimates z with low < z <= high, read-only; they are kept for other mechanisms."""
        listed = self._listed
        if not listed.low <= low <= high <= listed.high:
            if listed.low <= high and low <= listed.high and listed.estimates.size < _KEPT:
                stretches = (
                    self._sorted(low, listed.low),
                    listed.estimates,
                    self._sorted(listed.high, high),
                )
                ends = min(low, listed.low), max(high, listed.high)
                listed = Listed(*ends, np.concatenate(stretches))
            else:
                listed = Listed(low, high, self._sorted(low, high))
            listed.estimates.setflags(write=False)
            self._listed = listed
        first, last = np.searchsorted(listed.estimates, (low, high), side="right")
        return listed.estimates[first:last]

    def _sorted(self, low: float, high: float) -> Floats:
        """Compute and sort the estimates z with low < z <= high."""
        return (
            sort_whole(np.concatenate([np.empty(0), *self.between(low, high)]))
            if low < high
            else np.empty(0)
        )

    def guess(self, shares: ArrayLike) -> Floats:
        """Guess quantiles of the estimates from a fixed sample of pairs, same shape as shares; a start for searches."""
        index = np.ceil(self._chosen.size * np.asarray(shares, dtype=float) - 1).astype(np.int64)
        return self._chosen[np.maximum(index, 0)]

    @cached_property
    def _chosen(self) -> Floats:
        """Sorted estimates of a fixed sample of pairs; one zero if the sample has none."""
        if not self.pairs:
            return np.zeros(1)
        x, y = (
            np.append(self._x, np.full(self._on_point.size, self.at)),
            np.append(self._y, self._on_point),
        )
        first, second = np.random.default_rng(0).integers(self.n, size=(2, _GUESSES))
        apart = x[first] != x[second]
        first, second = first[apart], second[apart]
        estimates = sort_whole(self._lines((x[first], x[second]), (y[first], y[second])))
        return estimates if estimates.size else np.zeros(1)


def median_of_pairs(ranks: PairRanks) -> float:
    """Compute the Theil-Sen estimate, the median of the pairwise estimates, in units of y; NaN if none exists.

    Time O(n log n). Source: Section "DP TheilSen".
    """
    if ranks.pairs == 0:
        return np.nan
    numbers = (ranks.pairs - 1) // 2, ranks.pairs // 2
    return float(
        np.mean([_entry(ranks.central, number) for number in numbers[: 2 - ranks.pairs % 2]])
    )


def _entry(ranks: PairRanks, number: int) -> float:
    """Find entry ``number``, counted from 0, of the sorted estimates; exact but for rounding."""
    low, high = ranks.guess(
        np.clip((number + 0.5) / ranks.pairs + np.array([-0.01, 0.01]), 0, 1)
    ).tolist()
    reach = high - low + 1e-6
    while (before := ranks.at_most(low)) > number or (up_to := ranks.at_most(high)) <= number:
        low, high, reach = low - reach, high + reach, 100 * reach
    while up_to - before > 4 * ranks.n:
        middle = 0.5 * (low + high)
        if high - low < 1e-14 * max(1.0, abs(middle)):  # a value that many pairs share
            return high
        at_most = ranks.at_most(middle)
        if at_most <= number:
            low, before = middle, at_most
        else:
            high, up_to = middle, at_most
    return float(np.sort(np.concatenate(list(ranks.between(low, high))))[number - before])


SAMPLE_ERROR = 0.004  # three standard errors of a share in the sample of pairs
_SHORT = 1 << 16  # up to this many estimates are listed, not searched
_HELD = 1 << 20  # up to this many estimates the list is kept for other mechanisms


class CellCounts:
    """Counts of all n(n-1)/2 estimates by cells of the grid, clipped to the range, with ties at both ends in turn.

    Cell c, 0 <= c < cells, lies between the positions first + c and first + c + 1. The count of a cell is the number of
    estimates up to first + c, which are the estimates below every r inside the cell. Stretch i holds the cells edges[i]
    .. edges[i + 1] - 1. All counts of the stretch lie between low[i] and high[i]; they are known if low[i] equals
    high[i], and otherwise low[i] is the count of the cell before the stretch. ``queries`` counts rank queries.

    Parameters
    ----------
    ranks : PairRanks
        Ranks of grid positions.
    first, last : int
        Positions of both ends of the range.
    """

    def __init__(self, ranks: PairRanks, first: int, last: int) -> None:
        self.ranks, self.first, self.cells = ranks, first, last - first
        self.total, self.queries = ranks.pairs + ranks.tied, 0
        self._at_lower = (ranks.tied + 1) // 2
        ends = np.unique([0, 1, self.cells - 1, self.cells])
        self.edges, self.low = ends, np.full(ends.size - 1, self.count(0))
        self.low[-1] = self.count(self.cells - 1)
        self.high = self.low.copy()
        self.high[1:-1] = self.low[-1]

    def count(self, cell: int) -> int:
        """Count the estimates up to one cell, by one rank query."""
        self.queries += 1
        return self._at_lower + self.ranks.at_most(self.first + cell)

    def put(self, start: int, stop: int, edges: Integers, low: Integers, high: Integers) -> None:
        """Replace some stretches by those between new edges; empty stretches are left out.

        Parameters
        ----------
        start, stop : int
            Indices of the first stretch to replace and of the first after the last.
        edges : array of int, shape (s + 1,)
            Cells, not decreasing.
        low, high : array of int, shape (s,)
            Bounds on the counts of each new stretch.
        """
        not_empty = np.diff(edges) > 0
        self.edges = np.concatenate([self.edges[:start], edges[:-1][not_empty], self.edges[stop:]])
        self.low = np.concatenate([self.low[:start], low[not_empty], self.low[stop:]])
        self.high = np.concatenate([self.high[:start], high[not_empty], self.high[stop:]])

    def split(self, cells: ArrayLike) -> bool:
        """Query the cells, of any shape, whose counts are not known yet; return whether any query was made."""
        before = self.queries
        for cell in np.unique(np.floor(cells).astype(np.int64)).tolist():
            i = int(np.searchsorted(self.edges, cell, side="right")) - 1
            if 0 <= i < self.low.size and self.low[i] < self.high[i]:
                count = self.count(cell)
                edges = np.array([self.edges[i], cell, cell + 1, self.edges[i + 1]])
                self.put(
                    i,
                    i + 1,
                    edges,
                    np.array([self.low[i], count, count]),
                    np.array([count, count, self.high[i]]),
                )
        return self.queries > before

    def up_to(self, position: int) -> int:
        """Count the estimates up to a position, counted from first: 0 below the range, all from its end on."""
        if not 0 <= position < self.cells:
            return self.total if position >= 0 else 0
        i = int(np.searchsorted(self.edges, position, side="right")) - 1
        return int(self.low[i]) if self.low[i] == self.high[i] else self.count(position)

    def between(self, low: int, high: int) -> Iterator[Integers]:
        """Yield the estimates strictly between two positions 0 .. cells, unsorted, as one-dimensional arrays."""
        if high - low > 1 and self.up_to(high - 1) - self.up_to(low) <= _HELD:
            yield (
                self.ranks.sorted_between(self.first + low, self.first + high - 1) - self.first
            ).astype(np.int64)
            return
        for estimates in (
            self.ranks.between(self.first + low, self.first + high - 1) if high - low > 1 else ()
        ):
            estimates -= self.first
            yield estimates.astype(np.int64)

    def resolve(self, start: int, stop: int, most: int) -> None:
        """List the estimates of these stretches to learn all counts; with more than `most`, the counts of bins.

        The counts of the first stretch must not be known. Time O(n log n) plus the number of estimates.
        """
        first_cell, end = int(self.edges[start]), int(self.edges[stop])
        before, count = int(self.low[start]), int(self.high[stop - 1] - self.low[start])
        if count <= most:
            estimates = (
                self.ranks.sorted_between(self.first + first_cell - 1, self.first + end - 1)
                - self.first
            )
            first = np.flatnonzero(
                np.append(True, estimates[1:] > estimates[:-1])[: estimates.size]
            )
            counts = before + np.append(first, estimates.size)
            values = estimates[first].astype(np.int64)
            self.put(start, stop, np.concatenate([[first_cell], values, [end]]), counts, counts)
            return
        chunks = self.between(first_cell - 1, end)  # with the first cell's own position
        width = -(-(end - first_cell) // most)
        inside = np.zeros(-(-(end - first_cell) // width), dtype=np.int64)
        for positions in chunks:
            inside += np.bincount((positions - first_cell) // width, minlength=inside.size)
        high = before + np.cumsum(inside)
        edges = np.append(np.arange(first_cell, end, width), end)
        self.put(start, stop, edges, high if width == 1 else high - inside, high)

    def position(self, number: int) -> int:
        """Find the exact position, counted from first, of entry ``number``, counted from 0, of the sorted estimates."""
        return self.bracket(number, 0)[0]

    def bracket(self, number: int, width: float) -> tuple[int, int]:
        """Find two positions, at most `width` apart, around entry ``number``, from 0, of the sorted estimates."""
        share = (number + 0.5 - self._at_lower) / max(self.ranks.pairs, 1)
        around = self.places(share + np.array([-SAMPLE_ERROR, 0, SAMPLE_ERROR]))
        probes = np.append(around, around[1] - 1)  # a value that many pairs share takes one query
        while True:
            i = int(np.searchsorted(self.high, number, side="right"))
            if i == self.low.size or self.low[i] == self.high[i]:
                return int(self.edges[i]), int(self.edges[i])
            size, cell, end = self.high[i] - self.low[i], self.edges[i], self.edges[i + 1]
            if end - cell <= width:
                return int(cell), int(end)
            if width == 0 and size <= max(_SHORT, 4 * self.ranks.n):
                self.resolve(i, i + 1, max(_SHORT, 4 * self.ranks.n))
            elif not self.split(probes[(probes >= cell) & (probes < end)]):
                shares = (number - self.low[i] + np.array([-1, 1]) * self.ranks.n) / size
                shares = np.append(shares[(shares > 0) & (shares < 1)], 0.5)
                self.split(cell + shares * (end - cell))

    def places(self, shares: ArrayLike) -> Floats:
        """Guess the positions of quantiles of the existing estimates, counted from first; same shape as shares."""
        return np.clip(self.ranks.guess(np.clip(shares, 0, 1)) - self.first, 0, self.cells - 1)
