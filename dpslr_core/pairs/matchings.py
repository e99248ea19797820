"""Pairs of records: matchings of the complete graph and the pairwise (Theil-Sen) estimates.

The complete graph on n vertices falls apart into *rounds*: perfect matchings, built by the circle method.
For odd n a dummy vertex is added, so that each round leaves one record out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..support import validate
from ..support.run import checkpoint, keep_memory
from ..support.types import Floats, Integers
from .grid import PublicGrid

# Estimates from the x and the y of both ends of pairs: shape (points, *ends.shape), NaN where both x are equal.
Lines = Callable[[tuple[Floats, Floats], tuple[Floats, Floats]], Floats]
_CHUNK = 1 << 16  # estimates formed at a time: what is done with them stays in the cache


def round_count(n: int) -> int:
    """The number of rounds that hold every pair of n records once: n - 1 for even n, n for odd n."""
    return n - 1 if n % 2 == 0 else n


def pair_count(n: int, k: int | None) -> int:
    """The number of pairwise estimates: k floor(n/2), or n(n-1)/2 for all pairs."""
    return n * (n - 1) // 2 if is_complete(n, k) else int(k or 0) * (n // 2)


def is_complete(n: int, k: int | None) -> bool:
    """Whether k matchings of n records mean all pairs: k is None, or k >= n - 1.

    All pairs put each record into n - 1 pairs, for odd n too, so that k = n - 1 buys them at the same price.
    """
    return k is None or k >= n - 1


def lipschitz(n: int, k: int | None) -> int:
    """How many pairwise estimates one record can change: k, or n - 1 for all pairs (the lemma on k matchings)."""
    return n - 1 if is_complete(n, k) else int(k or 0)


def all_pairs(n: int) -> tuple[Integers, Integers]:
    """Both ends of every pair i < j, two arrays of shape (n(n-1)/2,)."""
    i = np.arange(n)
    first = np.repeat(i, n - 1 - i)
    # Pair number p of record i is with p - i (2n - i - 3) / 2 + 1.
    return first, np.arange(first.size) - (i * (2 * n - i - 3) // 2 - 1)[first]


def rounds(n: int) -> tuple[Integers, Integers]:
    """The round-robin decomposition of the complete graph, two arrays of shape (round_count(n), n // 2).

    Circle method on v = n (or n + 1) vertices: in round r vertex v - 1 meets r, and r + i meets r - i
    modulo v - 1. The pair with the dummy vertex of an odd n is left out. Source: Algorithm 2, where n is even.
    """
    vertices = n + n % 2
    r = np.arange(vertices - 1)[:, None]
    i = np.arange(1, vertices // 2)[None, :]
    first, second = (r + i) % (vertices - 1), (r - i) % (vertices - 1)
    if n % 2 == 0:
        first = np.hstack([np.broadcast_to(r, (vertices - 1, 1)), first])
        second = np.hstack([np.full((vertices - 1, 1), vertices - 1), second])
    return first, second


def matched_estimates(x: Floats, y: Floats, k: int, size: int, lines: Lines, rng: np.random.Generator) -> Floats:
    """The estimates from k random matchings in each of size trials, shape (points, size, k * (n // 2)).

    A trial relabels the records at random and draws k rounds without replacement.

    x, y: the records, each of shape (n,).
    k: the number of matchings, 1 or more, else ValueError.
    size: the number of trials.
    lines: lines(x ends, y ends) of shape (points, *ends.shape), such as partial(lines_through, at=points).
    rng: the generator that all randomness comes from.

    Source: Algorithm 2.
    """
    labels, chosen = _relabelled(x.size, k, size, rng)
    trials = max(1, _CHUNK // (k * (x.size // 2)))
    parts = []
    for start in range(0, size, trials):
        checkpoint()
        part = slice(start, start + trials)
        x_ends, y_ends = _ends([x[labels[part]], y[labels[part]]], chosen[part])
        parts.append(lines(x_ends, y_ends).reshape(-1, len(labels[part]), k * (x.size // 2)))
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def _relabelled(n: int, k: int, size: int, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """The records in the order of their labels, shape (size, n), and the numbers of the rounds, shape (size, k)."""
    validate.integer(1, k=k)
    chosen = _distinct(round_count(n), k, size, rng)
    return rng.permuted(np.broadcast_to(np.arange(n), (size, n)), axis=1), chosen


def _distinct(total: int, k: int, size: int, rng: np.random.Generator) -> Integers:
    """k different numbers below total in each of size rows, shape (size, k), by Floyd's method."""
    tops = np.arange(total - k, total)
    chosen = rng.integers(tops[:, None] + 1, size=(k, size)).T
    ordered = np.sort(chosen, axis=1)
    rows = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
    for step in range(1, k) if rows.size else ():
        taken = (chosen[rows, :step] == chosen[rows, step, None]).any(axis=1)
        chosen[rows[taken], step] = tops[step]
    return chosen


def _ends(columns: Sequence[NDArray], chosen: Integers) -> list[tuple[NDArray, NDArray]]:
    """What stands in each column at both ends of the pairs of the chosen rounds, of shape (size * k, n // 2).

    columns: shape (size, n), in the order of the labels. chosen: shape (size, k). On a circle written down twice r + i
    and r - i are neighbours for i = 0, 1, ..., so that a round is one stretch forwards and one backwards: no index per
    pair.
    """
    n, row, r = columns[0].shape[1], np.repeat(np.arange(len(chosen)), chosen.shape[1]), chosen.ravel()
    circle, odd = round_count(n), n % 2  # for odd n from i = 1 on: at i = 0 is who meets the dummy vertex
    forth, back, ends = r + odd, circle - 1 + odd - r, []
    for column in columns:
        twice = np.concatenate([column[:, :circle], column[:, :circle]], axis=1)
        first = windows(twice, n // 2)[row, forth]
        second = windows(twice[:, ::-1].copy(), n // 2)[row, back]
        if not odd:
            second[:, 0] = column[row, -1]  # i = 0: the vertex that stays put meets r
        ends.append((first, second))
    return ends


def windows(rows: NDArray, width: int) -> NDArray:
    """Every stretch of so many entries of each row, shape (size, length) made (size, length - width + 1, width): views.

    As numpy's sliding_window_view of contiguous rows, which takes a hundred times as long.
    """
    size, length = rows.shape
    down, right = rows.strides
    return np.ndarray((size, length - width + 1, width), rows.dtype, rows, strides=(down, right, right))


def estimates(x: Floats, y: Floats, first: Integers, second: Integers, lines: Lines) -> Floats:
    """The estimate from each pair of records, shape (points, *first.shape), formed some at a time.

    x, y: the records, each of shape (n,).
    first, second: the records at both ends of the pairs, of one shape.
    lines: as in matched_estimates.
    """
    ends = zip(*(np.split(end.ravel(), range(_CHUNK, end.size, _CHUNK)) for end in (first, second)), strict=True)
    parts = [lines((x[i], x[j]), (y[i], y[j])) for i, j in ends]
    return np.concatenate([part.reshape(-1, part.shape[-1]) for part in parts], axis=1).reshape(-1, *first.shape)


def lines_through(x: tuple[Floats, Floats], y: tuple[Floats, Floats], at: ArrayLike) -> Floats:
    """The heights at each point of the lines through two records each, shape (*at.shape, *x[0].shape).

    z = s (at - (x_i + x_j)/2) + (y_i + y_j)/2 with s = (y_j - y_i)/(x_j - x_i) (Algorithm 2). NaN where
    x_i = x_j: the caller decides what a pair without a slope means.
    """
    at = np.asarray(at, dtype=float)
    run = x[1] - x[0]
    run[run == 0] = np.nan
    slope = y[1] - y[0]
    with np.errstate(over="ignore"):
        slope /= run
        np.clip(slope, -1e300, 1e300, out=slope)  # a run of 1e-320 must not make 0 * inf below
        height = at.reshape(*at.shape, *([1] * run.ndim)) - 0.5 * (x[0] + x[1])
        height *= slope
        height += 0.5 * (y[0] + y[1])
    return height


def clip_and_place_ties(estimates: Floats, lower: float, upper: float) -> Floats:
    """Sorted estimates, NaN last, clipped to [lower, upper] and with a place for every NaN; shape kept.

    Pairs with equal x are kept, one at each end in turn (lower first), so that the number of estimates does
    not depend on the data and one record still changes at most as many of them as pairs it is in: of T such
    pairs ceil(T/2) go to lower and floor(T/2) to upper, whatever their order. lower, upper: in units of the estimates.
    Algorithm 2 drops such pairs instead.
    """
    clipped = np.clip(estimates, lower, upper)
    if not np.isnan(clipped[..., -1]).any():
        return clipped
    size = clipped.shape[-1]
    tied = np.isnan(clipped).sum(axis=-1, keepdims=True)
    if clipped.ndim == 1:
        down = int(tied[0] + 1) // 2
        return np.concatenate([np.full(down, lower), clipped[: size - tied[0]], np.full(tied[0] - down, upper)])
    source = np.arange(size) - (tied + 1) // 2
    moved = np.take_along_axis(clipped, np.clip(source, 0, size - 1), axis=-1)
    return np.where(source < 0, lower, np.where(np.isnan(moved) | (source >= size), upper, moved))


def with_ends(z: Floats, lower: float, upper: float) -> Floats:
    """Lists inside [lower, upper] with both ends of the range around them, shape (..., N) made (..., N + 2)."""
    edges = np.empty((*z.shape[:-1], z.shape[-1] + 2))
    edges[..., 0], edges[..., 1:-1], edges[..., -1] = lower, z, upper
    return edges


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


_SAMPLE = 3_000  # entries of a long list that say about where its middle is
_MARGIN = 2.1  # three standard deviations of the difference in rank of two middles, over the root of the length


class Parts(NamedTuple):
    """Estimates that are formed when they are first asked for, and some trials at a time.

    arriving: those of some trials each, shape (points, some, N). sizes: these numbers of trials. length: N.
    """

    arriving: Iterable[Floats]
    points: int
    sizes: tuple[int, ...]
    length: int


class PartiallySorted:
    """Rows of numbers in any order, sorted around the middle as far as they have been asked for.

    estimates: shape (..., N), of which ``leading`` is (...), or Parts. NaN where a pair has equal x: one of those
    stands at -inf and one at inf in turn (-inf first), so that rows clipped to [lower, upper] are those of
    pairs.clip_and_place_ties. estimates are changed.
    unit: of the estimates where they are whole numbers; what is asked for is in units of y.

    ``sizes``: the numbers of trials that were formed at a time, which is how they take their noise.
    """

    def __init__(self, estimates: Floats | Parts, unit: float | None = None) -> None:
        if isinstance(estimates, Parts):
            parts, self.leading = estimates, (estimates.points, sum(estimates.sizes))
        else:
            self.leading = estimates.shape[:-1]
            points = self.leading[0] if len(self.leading) > 1 else 1
            rows = estimates.reshape(points, -1, estimates.shape[-1])
            parts = Parts([rows], points, self.leading[-1:], estimates.shape[-1])
        self.count, self.sizes, self._unit = parts.length, parts.sizes, unit
        self._arriving: Iterable[Floats] | None = parts.arriving
        self._parts: list[Floats] = []
        self._tied: list[Integers] = []  # of each row, in the order of the parts
        self._skipped, self._sorted = self.count, np.empty((*self.leading, 0))
        self._ends: dict[tuple[int, int], tuple[float, float]] = {}  # by point and entries to skip: of the last row

    def around(self, reach: int) -> Floats:
        """The sorted entries from ``reach`` before the middle to as many after it: all but as many at each end.

        Shape (..., 2 reach + N % 2), or (..., N) where there are no more. The same whatever was asked for before.
        """
        skip = max(self.count // 2 - reach, 0)
        if skip < self._skipped:
            wanted = self.count - 2 * skip + int(2 * _MARGIN * sqrt(self.count))
            if 1.2 * wanted > self.count:
                skip = 0
            rows = np.concatenate([self._middles(part, skip) for part in self._formed()], axis=1)
            self._sorted = rows if self._unit is None else np.multiply(rows, self._unit, out=rows)
            self._skipped = skip
        start = max(self.count // 2 - reach, 0) - self._skipped
        return self._sorted[..., start : self._sorted.shape[-1] - start].reshape(*self.leading, -1)

    def _formed(self) -> Iterator[Floats]:
        """The parts, each while it is fresh in the cache."""
        yield from self._parts
        arriving, self._arriving = self._arriving, None
        for part in arriving or ():
            self._tied.append(_place_ties(part))
            self._parts.append(part)
            yield part

    def _middles(self, part: Floats, skip: int) -> Floats:
        """The sorted rows without so many entries at each end."""
        if not skip:
            return np.sort(part, axis=-1)
        middles = np.empty((*part.shape[:-1], self.count - 2 * skip))
        for point, rows in enumerate(part):
            for trial, row in enumerate(rows):
                middles[point, trial] = self._middle_of(row, skip, point)
        return middles

    def _middle_of(self, row: Floats, skip: int, point: int) -> Floats:
        """The sorted row without so many entries at each end, by sorting little more than that."""
        known = self._ends.get((point, skip))
        inside, below = self._between(row, known) if known else (row[:0], 0)
        if not _covers(inside, below, row.size, skip) and row.size > 2 * _SAMPLE:
            inside, below = self._between(row, _sampled_ends(row, skip))
        if not _covers(inside, below, row.size, skip):
            inside, below = np.sort(row), 0
        first, last, margin = skip - below, row.size - skip - below, int(_MARGIN * sqrt(row.size))
        ends = inside[max(first - margin, 0)], inside[min(last + margin, inside.size) - 1]
        self._ends[point, skip] = float(ends[0]), float(ends[1])
        return inside[first:last]

    def _between(self, row: Floats, ends: tuple[float, float]) -> tuple[Floats, int]:
        """The sorted entries from one end to the other, and the number below them."""
        low, high = ends
        mask = row >= low
        below = row.size - int(np.count_nonzero(mask))
        mask &= row <= high
        inside = row.take(np.flatnonzero(mask))
        if self._unit is None or not high - low < 2**31:
            inside.sort()
            return inside, below
        inside -= low
        steps = inside.astype(np.int32)  # of whole numbers, and quicker to sort
        steps.sort()
        return np.add(steps, low, out=inside), below

    def medians(self) -> Floats:
        """The median of each row, NaN left out, shape (...); NaN where nothing else is there."""
        z, tied = self.around(2), np.concatenate(self._tied, axis=1).reshape(*self.leading, 1)
        known = self.count - tied
        first = (tied + 1) // 2 - max(self.count // 2 - 2, 0)  # of the known ones, counted within z
        both = np.clip(first + (known + np.array([-1, 0])) // 2, 0, z.shape[-1] - 1)
        low, high = np.moveaxis(np.take_along_axis(z, both, axis=-1), -1, 0)
        with np.errstate(invalid="ignore"):
            return np.where(known[..., 0] > 0, 0.5 * (low + high), np.nan)


def _place_ties(rows: Floats) -> Integers:
    """The number of NaN in each row, shape (..., 1); these become -inf and inf in turn."""
    tied = np.zeros((*rows.shape[:-1], 1), dtype=np.int64)
    if np.isnan(rows.min(initial=np.inf)):
        missing = np.isnan(rows)
        tied[..., 0] = np.count_nonzero(missing, axis=-1)
        turn = np.cumsum(missing, axis=-1)[missing]
        rows[missing] = np.where(turn % 2, -np.inf, np.inf)
    return tied


def _covers(inside: Floats, below: int, size: int, skip: int) -> bool:
    """Whether so many entries at each end of a row are all that is not inside."""
    return below <= skip and below + inside.size >= size - skip and inside.size > 0


def _sampled_ends(row: Floats, skip: int) -> tuple[float, float]:
    """Between which the row without so many entries at each end may well be, by a sample of it."""
    sample = row[:: row.size // _SAMPLE]
    margin = 1.5 / np.sqrt(sample.size)  # three standard deviations of the share of a sample below about the median
    first = max(int((skip / row.size - margin) * sample.size), 0)
    ends = first, sample.size - 1 - first
    low, high = np.partition(sample, ends)[list(ends)].tolist()
    return low, high
