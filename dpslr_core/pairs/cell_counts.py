"""How many pairwise estimates lie at or below each cell of the public grid, as far as rank queries have told."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from ..support.types import Floats, Integers
from .ranks import PairRanks

SAMPLE_ERROR = 0.004  # of a share read off a sample of pairs: three standard errors
_SHORT = 1 << 16  # estimates that are listed at once
_HELD = 1 << 20  # estimates that are listed for laws of other mechanisms too


class CellCounts:
    """The N = n(n-1)/2 estimates clipped to [first, last], pairs of one x at both ends in turn, counted by cells.

    ranks: those of grid positions. Cell c, 0 <= c < cells, lies between the positions first + c and first + c + 1; its
    count is the number of estimates up to first + c, which are those below every r inside it. Stretch i holds the cells
    edges[i] .. edges[i + 1] - 1, whose counts lie between low[i] and high[i]: known where these are equal, and
    otherwise low[i] is the count of the cell before. ``queries`` counts rank queries.
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
        """The count of one cell, by one rank query."""
        self.queries += 1
        return self._at_lower + self.ranks.at_most(self.first + cell)

    def put(self, start: int, stop: int, edges: Integers, low: Integers, high: Integers) -> None:
        """Replace some stretches by those between other edges, of which empty ones are left out.

        start, stop: the first stretch replaced, and one after the last.
        edges: cells, not decreasing, shape (s + 1,).
        low, high: bounds on the counts of each new stretch, shape (s,).
        """
        not_empty = np.diff(edges) > 0
        self.edges = np.concatenate([self.edges[:start], edges[:-1][not_empty], self.edges[stop:]])
        self.low = np.concatenate([self.low[:start], low[not_empty], self.low[stop:]])
        self.high = np.concatenate([self.high[:start], high[not_empty], self.high[stop:]])

    def split(self, cells: ArrayLike) -> bool:
        """Query those of the cells, of any shape, whose counts are not known; whether there was one."""
        before = self.queries
        for cell in np.unique(np.floor(cells).astype(np.int64)).tolist():
            i = int(np.searchsorted(self.edges, cell, side="right")) - 1
            if 0 <= i < self.low.size and self.low[i] < self.high[i]:
                count = self.count(cell)
                edges = np.array([self.edges[i], cell, cell + 1, self.edges[i + 1]])
                self.put(i, i + 1, edges, np.array([self.low[i], count, count]), np.array([count, count, self.high[i]]))
        return self.queries > before

    def up_to(self, position: int) -> int:
        """The number of estimates up to a position; none is below 0 or above cells."""
        if not 0 <= position < self.cells:
            return self.total if position >= 0 else 0
        i = int(np.searchsorted(self.edges, position, side="right")) - 1
        return int(self.low[i]) if self.low[i] == self.high[i] else self.count(position)

    def between(self, low: int, high: int) -> Iterator[Integers]:
        """The estimates strictly between two positions 0 .. cells, in no order, as arrays of shape (some,)."""
        if high - low > 1 and self.up_to(high - 1) - self.up_to(low) <= _HELD:
            yield (self.ranks.sorted_between(self.first + low, self.first + high - 1) - self.first).astype(np.int64)
            return
        for part in self.ranks.between(self.first + low, self.first + high - 1) if high - low > 1 else ():
            part -= self.first
            yield part.astype(np.int64)

    def resolve(self, start: int, stop: int, most: int) -> None:
        """List the estimates of these stretches, the first not known: every count, or those of bins if more than most.

        Time O(n log n) plus the number of estimates.
        """
        left, right = int(self.edges[start]), int(self.edges[stop])
        before, count = int(self.low[start]), int(self.high[stop - 1] - self.low[start])
        if count <= most:
            estimates = self.ranks.sorted_between(self.first + left - 1, self.first + right - 1) - self.first
            first = np.flatnonzero(np.append(True, estimates[1:] > estimates[:-1])[: estimates.size])
            counts = before + np.append(first, estimates.size)
            values = estimates[first].astype(np.int64)
            self.put(start, stop, np.concatenate([[left], values, [right]]), counts, counts)
            return
        parts = self.between(left - 1, right)  # the first cell's own position is among them
        width = -(-(right - left) // most)
        inside = np.zeros(-(-(right - left) // width), dtype=np.int64)
        for part in parts:
            inside += np.bincount((part - left) // width, minlength=inside.size)
        high = before + np.cumsum(inside)
        edges = np.append(np.arange(left, right, width), right)
        self.put(start, stop, edges, high if width == 1 else high - inside, high)

    def position(self, number: int) -> int:
        """The place of the estimate with so many before it in sorted order, counted from first; exact."""
        return self.bracket(number, 0)[0]

    def bracket(self, number: int, width: float) -> tuple[int, int]:
        """Two positions, no further apart than the width, between which the estimate with so many before it stands."""
        share = (number + 0.5 - self._at_lower) / max(self.ranks.pairs, 1)
        around = self.places(share + np.array([-SAMPLE_ERROR, 0, SAMPLE_ERROR]))
        probes = np.append(around, around[1] - 1)  # a value that many pairs share takes one query
        while True:
            i = int(np.searchsorted(self.high, number, side="right"))
            if i == self.low.size or self.low[i] == self.high[i]:
                return int(self.edges[i]), int(self.edges[i])
            size, left, right = self.high[i] - self.low[i], self.edges[i], self.edges[i + 1]
            if right - left <= width:
                return int(left), int(right)
            if width == 0 and size <= max(_SHORT, 4 * self.ranks.n):
                self.resolve(i, i + 1, max(_SHORT, 4 * self.ranks.n))
            elif not self.split(probes[(probes >= left) & (probes < right)]):
                shares = (number - self.low[i] + np.array([-1, 1]) * self.ranks.n) / size
                shares = np.append(shares[(shares > 0) & (shares < 1)], 0.5)
                self.split(left + shares * (right - left))

    def places(self, shares: ArrayLike) -> Floats:
        """Rough quantiles of the estimates that exist, counted from first and inside the range; shape of shares."""
        return np.clip(self.ranks.guess(np.clip(shares, 0, 1)) - self.first, 0, self.cells - 1)
