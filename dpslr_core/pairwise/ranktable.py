"""The sorted list of all pairwise estimates as far as rank queries have told it, and its median."""

from __future__ import annotations

import numpy as np

from .._types import Floats
from .ranks import PairRanks


class RankTable:
    """What is known of the N = n(n-1)/2 estimates clipped to [lower, upper], pairs of one x at both ends in turn.

    edges: shape (p + 1,); every r inside piece i has between low[i] and high[i] estimates below it, where equal:
    exactly so many. Entries at an inner edge are those from high[i - 1] to low[i]. ``queries`` counts rank queries;
    ``flat`` is the number of a piece that stands for a set (none: -1).
    """

    def __init__(self, ranks: PairRanks, lower: float, upper: float) -> None:
        self.ranks, self.total, self.queries, self.flat = ranks, ranks.pairs + ranks.tied, 0, -1
        self.edges = np.array([lower, upper], dtype=float)
        self.low, self.high = np.array([float(self.counts(lower)[1])]), np.array([float(self.counts(upper)[0])])

    def counts(self, r: float) -> tuple[int, int]:
        """How many entries are below r, and below or equal to r; lower <= r <= upper."""
        self.queries += 1
        below, equal, _ = self.ranks.counts(r)
        at_lower = (self.ranks.tied + 1) // 2
        below, at_most = at_lower + below, at_lower + below + equal
        return 0 if r <= self.edges[0] else below, self.total if r >= self.edges[-1] else at_most

    def put(self, start: int, stop: int, inner: Floats, low: Floats, high: Floats) -> None:
        """Replace pieces start .. stop - 1 by finer ones with these inner edges and counts."""
        if self.flat >= stop:
            self.flat += low.size - (stop - start)
        low = np.clip(low, self.low[start], self.high[stop - 1])  # against rounding
        high = np.clip(high, low, self.high[stop - 1])
        self.edges = np.concatenate([self.edges[: start + 1], inner, self.edges[stop:]])
        self.low = np.concatenate([self.low[:start], low, self.low[stop:]])
        self.high = np.concatenate([self.high[:start], high, self.high[stop:]])
        # No float lies between neighbours, so no estimate does either: a difference is rounding.
        self.high = np.where(np.nextafter(self.edges[:-1], np.inf) < self.edges[1:], self.high, self.low)

    def split(self, points: Floats) -> bool:
        """Query the rank at each point that lies inside a piece; whether there was one."""
        before = self.queries
        for r in np.unique(points):
            i = int(np.searchsorted(self.edges, r, side="right")) - 1
            if 0 <= i < self.low.size and self.edges[i] < r:
                below, at_most = self.counts(float(r))
                self.put(i, i + 1, np.array([r]), np.array([self.low[i], at_most]), np.array([below, self.high[i]]))
        return self.queries > before

    def listed(self, start: int, stop: int) -> Floats:
        """The entries strictly between two edges, sorted, shape (high[stop - 1] - low[start],)."""
        low, high = self.edges[start], self.edges[stop]
        count, filled = int(self.high[stop - 1] - self.low[start]), 0
        found = np.full(count + 1024, high)  # room for estimates within rounding of an edge
        for part in self.ranks.between(float(low), float(high)):
            part = part[: found.size - filled]
            found[filled : filled + part.size] = part
            filled += part.size
        found.sort()
        return np.clip(found, low, high, out=found)[:count]

    def entries(self, first: int, last: int) -> Floats:
        """The sorted entries number first .. last - 1, counted from 0, shape (last - first,); 0 <= first < last <= N.

        Exact where no value is shared by more than 2n pairs, else to 1e-13 of the range. Call it while no edge is
        an estimate (before ``listed`` entries are put in): at such an edge rounding decides what lies beyond.
        Time O(n log n) plus the number of entries.
        """
        self.piece(first)
        stop = self.piece(last - 1)
        start = int(np.searchsorted(self.high, first, side="right"))
        # Values that many pairs share are not listed: they stand at the edge next to them.
        stop += stop < self.low.size and self.low[stop] < last and not self._is_shared(stop)
        start += self._is_shared(start) and self.low[start] <= first
        found = np.full(last - first, self.edges[stop])
        if start < stop:
            skipped = int(self.low[start]) - first
            z = self.listed(start, stop)[max(-skipped, 0) :][: last - first - max(skipped, 0)]
            found[: max(skipped, 0)] = self.edges[start]
            found[max(skipped, 0) :][: z.size] = z
        return found

    def piece(self, number: int) -> int:
        """The piece of an entry, split until it holds few or is thin; for an entry at an edge the piece after it."""
        while True:
            i = int(np.searchsorted(self.high, number, side="right"))
            width = self.edges[i + 1] - self.edges[i] if i < self.low.size else 0.0
            if width < 1e-13 * (self.edges[-1] - self.edges[0]) or number < self.low[i] or not self._is_shared(i):
                return i
            size = self.high[i] - self.low[i]
            shares = (number - self.low[i] + np.array([-0.5, 0.5]) * self.ranks.n) / size
            shares = np.append(shares[(shares > 0) & (shares < 1)], 0.4987)  # half-way might be a round estimate
            self.split(self.edges[i] + shares * width)

    def run(self, number: int) -> tuple[float, int, int] | None:
        """The value of an entry that stands at an edge or is shared by many, and the entries below and up to it."""
        i = self.piece(number)
        if i == self.low.size or number < self.low[i]:
            below = int(self.high[i - 1]) if i else 0
            return float(self.edges[i]), below, int(self.low[i]) if i < self.low.size else self.total
        if self._is_shared(i):
            return float(self.edges[i : i + 2].mean()), int(self.low[i]), int(self.high[i])
        return None

    def _is_shared(self, piece: int) -> bool:
        return piece < self.low.size and bool(self.high[piece] - self.low[piece] > 2 * self.ranks.n)


def median_of_pairs(ranks: PairRanks) -> float:
    """The Theil-Sen estimate, the median of the pairwise estimates that exist; NaN where there is none.

    What pairwise.median_of_sorted makes of the sorted list, in time O(n log n).
    """
    if ranks.pairs == 0:
        return np.nan
    first = (ranks.tied + 1) // 2 + (ranks.pairs - 1) // 2
    low, middle, high = ranks.guess(np.array([0.49, 0.5, 0.51]))
    reach = high - low + 1e-6
    while True:
        table = RankTable(ranks.central, low - reach, high + reach)
        table.split(np.array([low, middle, high]) + 1e-12)
        if table.low[0] <= first and first + 1 - ranks.pairs % 2 < table.high[-1]:
            return float(table.entries(first, first + 2 - ranks.pairs % 2).mean())
        reach *= 100
