"""All pairs of few records at once, by cyclic shifts: record i meets i + 1, i + 2, ..., and no pair needs an index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..support.run import checkpoint, keep_memory
from ..support.types import Floats, Integers
from .grid import PublicGrid
from .matchings import Lines, windows

_BLOCK = 1 << 14  # estimates formed at a time: they and what they are made of stay in the cache


Records = tuple[Floats, Floats]  # x and y


class ShiftedPairs:
    """Every pair of n records once, in blocks of as many shifts as stay in the cache.

    Written down twice, a column that starts s places later stands beside itself: for s below n/2 that is n pairs, and
    for s = n/2, where n is even, each pair comes twice and half of it is taken.
    """

    def __init__(self, n: int) -> None:
        self.n, self.count = n, n * (n - 1) // 2
        self._whole, self._rows = (n - 1) // 2, max(1, _BLOCK // n)

    def blocks(self, *columns: Floats) -> Iterator[tuple[slice, list[tuple[Floats, Floats]]]]:
        """For each block its place among the pairs, and both ends of its pairs in each column, of shape (n,).

        The ends have shapes that broadcast to (shifts, n), or (n // 2,) in the last block of an even n.
        """
        later = [windows(np.concatenate([column, column])[None], self.n)[0] for column in columns]
        for start in range(1, self._whole + 1, self._rows):
            checkpoint()
            stop = min(start + self._rows, self._whole + 1)
            place = slice((start - 1) * self.n, (stop - 1) * self.n)
            yield place, [(column, rows[start:stop]) for column, rows in zip(columns, later, strict=True)]
        if self.n % 2 == 0:
            half = self.n // 2
            yield slice(self._whole * self.n, self.count), [(column[:half], column[half:]) for column in columns]


def every_estimate(x: Floats, y: Floats, lines: Lines) -> Floats:
    """The estimate from every pair of records in no particular order, shape (points, n(n-1)/2).

    x, y: the records, each of shape (n,). lines: as in matched_estimates; it must not care which end comes first.
    """
    blocks = ShiftedPairs(x.size).blocks(x, y)
    return np.concatenate([lines(*ends).reshape(-1, place.stop - place.start) for place, ends in blocks], axis=1)


def sorted_lists(x: Floats, y: Floats, grid: PublicGrid, places: Sequence[int]) -> Floats:
    """All pairwise estimates at some points of the grid, sorted, clipped to its range, ties at both ends in turn.

    x, y: the records as positions on the grid, each of shape (n,). places: which points of the grid, not empty.
    With both ends of the range around them, shape (len(places), n(n-1)/2 + 2), in units of y: the numbers of
    clip_and_place_ties, from grid.estimates.
    """
    keep_memory()
    steps = _steps_from_the_top(x, y, grid, places)
    for row in steps:
        checkpoint()
        row.sort()
    up = _tied(x) // 2  # all ties are at the lower end so far
    lists = np.empty((len(steps), steps.shape[1] + 2))
    lists[:, 0], lists[:, -1] = grid.range
    inside = lists[:, 1:-1]
    np.add(steps, float(grid.last), out=inside)
    inside *= grid.spacing
    if up:
        inside[:, :-up], inside[:, -up:] = inside[:, up:].copy(), grid.range[1]
    return lists


def replaced_lists(lists: Sequence[Floats], before: Records, after: Records, record: int, grid: PublicGrid) -> Floats:
    """sorted_lists of neighbouring data, from those before one record was replaced.

    lists: one for each of the grid's points, of which only the pairs with that record change.
    before, after: x and y as positions on the grid, each of shape (n,).
    """
    gone, come = (_pairs_with(*records, record, grid) for records in (before, after))
    return np.stack([_exchanged(z, *values) for z, *values in zip(lists, gone, come, strict=True)])


def _pairs_with(x: Floats, y: Floats, record: int, grid: PublicGrid) -> list[Floats]:
    """At each point the sorted estimates that a record has a part in, and both ends in turn for every tied pair."""
    others = np.arange(x.size) != record
    this = np.full(x.size - 1, x[record]), np.full(x.size - 1, y[record])
    heights = grid.heights((x[others], this[0]), (y[others], this[1]))[:, x[others] != x[record]]
    tied = _tied(x)
    ends = np.repeat(grid.range, [(tied + 1) // 2, tied // 2])
    return [np.sort(np.concatenate([np.clip(row, *grid.range), ends])) for row in heights]


def _exchanged(z: Floats, gone: Floats, come: Floats) -> Floats:
    """A sorted list with both ends of the range around it, without what is gone and with what has come, both sorted."""
    again = np.arange(gone.size) - np.searchsorted(gone, gone)  # how many equal ones are before each
    stay = np.ones(z.size - 2, dtype=bool)
    stay[np.searchsorted(z[1:-1], gone) + again] = False
    left = z[1:-1][stay]
    place = np.searchsorted(left, come) + np.arange(come.size)
    edges, kept = np.empty(z.size), np.ones(z.size - 2, dtype=bool)
    kept[place] = False
    edges[0], edges[-1] = z[0], z[-1]
    edges[1:-1][kept], edges[1:-1][place] = left, come
    return edges


def _tied(x: Floats) -> int:
    """The number of pairs with equal x."""
    ordered = np.sort(x)
    ends = np.flatnonzero(ordered[1:] != ordered[:-1])
    if ends.size == x.size - 1:
        return 0
    counts = np.diff(ends, prepend=-1, append=x.size - 1)
    return int((counts * (counts - 1) // 2).sum())


def _steps_from_the_top(x: Floats, y: Floats, grid: PublicGrid, places: Sequence[int]) -> Integers:
    """How many steps of the grid, as negative numbers, the clipped estimates are from the upper end; ties at the lower.

    The height above the upper end r of the line through records i and j is ((y_i - r) u_j - (y_j - r) u_i) / (u_j -
    u_i), u = x - at. All products, sums and differences are whole numbers below 2^53, and the quotient is exact as
    PublicGrid says: within the range it is at most twice as large as there, which its bound allows. It is at most 0
    there, so that cutting off its fraction takes it to the grid point at or above it. From one point to another the
    numerator gains the way between them times y_j - y_i.
    """
    lowest = grid.first - grid.last
    points, height = grid.positions(grid.at[list(places)]), y - grid.last
    pairs, tied = ShiftedPairs(x.size), _tied(x)
    steps = np.empty((points.size, pairs.count), dtype=np.int32 if -lowest < 2**31 else np.int64)
    rises = [height * way for way in points[1:] - points[0]]
    for place, ((left, right), (low, high), *ends) in pairs.blocks(x - points[0], height, *rises):
        run = right - left
        numerator = low * right
        numerator -= high * left
        if tied:
            numerator[run == 0] = -np.inf
        for row, rise in zip(steps, [None, *ends], strict=True):
            quotient = (numerator if rise is None else rise[1] - rise[0] + numerator) / run
            np.minimum(quotient, 0, out=quotient)  # np.clip would cost more before it starts
            row[place] = np.maximum(quotient, lowest, out=quotient).ravel()
    return steps
