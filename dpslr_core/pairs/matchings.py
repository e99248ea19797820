"""Pairs of records: matchings of the complete graph and the pairwise (Theil-Sen) estimates.

The complete graph on n vertices falls apart into *rounds*: perfect matchings, built by the circle method.
For odd n a dummy vertex is added, so that each round leaves one record out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike, NDArray

from ..support import validate
from ..support.run import checkpoint, keep_memory
from ..support.types import Floats, Integers
from .grid import PublicGrid

# Function of the x and the y of both ends of pairs: estimates, (points, *ends.shape), NaN where both x are equal.
Lines = Callable[[tuple[Floats, Floats], tuple[Floats, Floats]], Floats]
_CHUNK = 1 << 16  # estimates computed at a time, few enough for the processor's cache


def round_count(n: int) -> int:
    """Count the rounds that hold every pair of n records once: n - 1 for even n, n for odd n."""
    return n - 1 if n % 2 == 0 else n


def pair_count(n: int, k: int | None) -> int:
    """Count the pairwise estimates: k floor(n/2), or n(n-1)/2 for all pairs."""
    return n * (n - 1) // 2 if is_complete(n, k) else int(k or 0) * (n // 2)


def is_complete(n: int, k: int | None) -> bool:
    """Whether k matchings of n records mean all pairs: k is None, or k >= n - 1.

    All pairs put each record into n - 1 pairs, for odd n too, so that k = n - 1 buys them at the same price.
    """
    return k is None or k >= n - 1


def lipschitz(n: int, k: int | None) -> int:
    """Count the pairwise estimates that one record can change: k, or n - 1 for all pairs (the lemma on k matchings)."""
    return n - 1 if is_complete(n, k) else int(k or 0)


def all_pairs(n: int) -> tuple[Integers, Integers]:
    """List both ends of every pair i < j, two arrays of shape (n(n-1)/2,)."""
    i = np.arange(n)
    first = np.repeat(i, n - 1 - i)
    # Pair number p, of record i, is with record p - i (2n - i - 3) / 2 + 1.
    return first, np.arange(first.size) - (i * (2 * n - i - 3) // 2 - 1)[first]


def rounds(n: int, chosen: ArrayLike | None = None) -> tuple[Integers, Integers]:
    """Decompose the complete graph on n records into rounds: both ends of the pairs, each of shape (rounds, n // 2).

    Circle method on v = n (or n + 1) vertices: in round r vertex v - 1 meets r, and r + i meets r - i
    modulo v - 1. The pair with the dummy vertex of an odd n is left out. Source: Algorithm 2, where n is even.

    Parameters
    ----------
    n : int
        Number of records.
    chosen : array_like, shape (k,), optional
        Numbers of the rounds to return; by default all, in order.
    """
    vertices = n + n % 2
    r = (np.arange(vertices - 1) if chosen is None else np.asarray(chosen))[:, None]
    i = np.arange(1, vertices // 2)[None, :]
    first, second = (r + i) % (vertices - 1), (r - i) % (vertices - 1)
    if n % 2 == 0:
        first = np.hstack([r, first])
        second = np.hstack([np.full(r.shape, vertices - 1), second])
    return first, second


def matched_estimates(
    x: Floats, y: Floats, k: int, size: int, lines: Lines, rng: np.random.Generator
) -> Floats:
    """Draw k random matchings in each of `size` trials and compute the estimates, shape (points, size, k * (n // 2)).

    A trial relabels the records at random and draws k rounds without replacement. Source: Algorithm 2.

    Parameters
    ----------
    x, y : array, shape (n,)
        The records.
    k : int
        Number of matchings; ValueError unless 1 or more.
    size : int
        Number of trials.
    lines : Lines
        Function of the x and the y of both ends, such as partial(lines_through, at=points).
    rng : numpy.random.Generator
        Source of all randomness.
    """
    validate.integer(1, validate.MOST_SEED, k=k)
    chosen = _distinct(round_count(x.size), k, size, rng)
    labels = rng.permuted(np.broadcast_to(np.arange(x.size), (size, x.size)), axis=1)
    trials = max(1, _CHUNK // (k * (x.size // 2)))
    batches = []
    for start in range(0, size, trials):
        checkpoint()
        batch = slice(start, start + trials)
        records, trial = labels[batch].ravel(), np.arange(len(labels[batch]))[:, None] * x.size
        first, second = (
            records.take(end.reshape(len(trial), -1) + trial)
            for end in rounds(x.size, chosen[batch].ravel())
        )
        estimates = lines((x.take(first), x.take(second)), (y.take(first), y.take(second)))
        batches.append(estimates.reshape(-1, *first.shape))
    return batches[0] if len(batches) == 1 else np.concatenate(batches, axis=1)


def _distinct(total: int, k: int, size: int, rng: np.random.Generator) -> Integers:
    """Draw k different numbers below total in each of size rows, shape (size, k), by Floyd's method."""
    tops = np.arange(total - k, total)
    chosen = rng.integers(tops[:, None] + 1, size=(k, size)).T
    ordered = np.sort(chosen, axis=1)
    rows = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
    for step in range(1, k) if rows.size else ():
        taken = (chosen[rows, :step] == chosen[rows, step, None]).any(axis=1)
        chosen[rows[taken], step] = tops[step]
    return chosen


def lines_through(x: tuple[Floats, Floats], y: tuple[Floats, Floats], at: ArrayLike) -> Floats:
    """Compute the heights at each point of the lines through two records each, shape (*at.shape, *x[0].shape).

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
    """Sort the estimates, clipped to [lower, upper], with NaN placed at both ends in turn; same shape.

    NaN stands for a pair with equal x. Of T such pairs ceil(T/2) go to lower and floor(T/2) to upper, whatever their
    order. Thus the number of estimates does not depend on the data, and one record still changes at most as many
    estimates as it has pairs. Algorithm 2 drops such pairs instead. lower and upper are in units of the estimates.
    """
    z = estimates.copy()
    _place_ties(z)
    np.clip(z, lower, upper, out=z)
    z.sort(axis=-1)
    return z


def _place_ties(estimates: Floats) -> Integers:
    """Replace NaN by -inf and inf in turn, in place, and count the NaN in each row, shape (...)."""
    if not np.isnan(estimates.min(initial=np.inf)):
        return np.zeros(estimates.shape[:-1], dtype=np.int64)
    missing = np.isnan(estimates)
    estimates[missing] = np.where(np.cumsum(missing, axis=-1)[missing] % 2, -np.inf, np.inf)
    return np.count_nonzero(missing, axis=-1)


def with_ends(z: Floats, lower: float, upper: float) -> Floats:
    """Put both ends of the range around sorted lists inside [lower, upper]: shape (..., N) becomes (..., N + 2)."""
    edges = np.empty((*z.shape[:-1], z.shape[-1] + 2))
    edges[..., 0], edges[..., 1:-1], edges[..., -1] = lower, z, upper
    return edges


_BLOCK = 1 << 14  # estimates computed at a time, few enough for the cache with their records

Records = tuple[Floats, Floats]  # x and y


def shifted_pairs(*columns: Floats) -> Iterator[tuple[slice, list[tuple[Floats, Floats]]]]:
    """Yield every pair of n records once, in blocks: the slice among all pairs, and both ends in each column.

    A column written twice stands next to itself when it starts s positions later: for s below n/2 that gives n pairs;
    for s = n/2, where n is even, each pair comes twice and half of them is taken. The ends have shapes that broadcast
    to (shifts, n), or (n // 2,) in the last block of an even n. The columns have shape (n,).
    """
    n = columns[0].size
    shifts, half, rows = (n - 1) // 2, n // 2, max(1, _BLOCK // n)
    later = [sliding_window_view(np.concatenate([column, column]), n) for column in columns]
    for start in range(1, shifts + 1, rows):
        checkpoint()
        stop = min(start + rows, shifts + 1)
        ends = [
            (column, shifted[start:stop]) for column, shifted in zip(columns, later, strict=True)
        ]
        yield slice((start - 1) * n, (stop - 1) * n), ends
    if n % 2 == 0:
        yield (
            slice(shifts * n, n * (n - 1) // 2),
            [(column[:half], column[half:]) for column in columns],
        )


def every_estimate(x: Floats, y: Floats, lines: Lines) -> Floats:
    """Compute the estimate of every pair of records in no particular order, shape (points, n(n-1)/2).

    Parameters
    ----------
    x, y : array, shape (n,)
        The records.
    lines : Lines
        Function as in matched_estimates, symmetric in both ends.
    """
    return np.concatenate(
        [lines(*ends).reshape(-1, block.stop - block.start) for block, ends in shifted_pairs(x, y)],
        axis=1,
    )


def sorted_lists(x: Floats, y: Floats, grid: PublicGrid, points: list[int]) -> Floats:
    """Sort all pairwise estimates at some points of the grid, as clip_and_place_ties does, with both ends around them.

    Parameters
    ----------
    x, y : array, shape (n,)
        Positions of the records on the grid.
    grid : PublicGrid
        Grid with the range and the points.
    points : list of int
        Indices of the points of the grid, not empty.

    Returns
    -------
    array, shape (len(points), n(n-1)/2 + 2)
        Sorted estimates between both ends of the range, in units of y.
    """
    keep_memory()
    lowest, tied = grid.first - grid.last, tied_pairs(np.sort(x))
    steps = np.empty(
        (len(points), pair_count(x.size, None)), dtype=np.int32 if -lowest < 2**31 else np.int64
    )
    # Whole numbers of steps below the upper end are quick to sort.
    for block, (x_ends, y_ends) in shifted_pairs(x, y):
        heights = grid.estimates(x_ends, y_ends, points)
        if tied:
            heights[np.isnan(heights)] = -np.inf  # at the lower end until half of them move up
        heights -= grid.last
        steps[:, block] = np.clip(heights, lowest, 0, out=heights).reshape(len(points), -1)
    for row in steps:
        checkpoint()
        row.sort()
    lists = np.empty((len(steps), steps.shape[1] + 2))
    lists[:, 0], lists[:, -1] = grid.range
    inside, up = lists[:, 1:-1], tied // 2
    inside[:, : inside.shape[1] - up], inside[:, inside.shape[1] - up :] = steps[:, up:], 0
    inside += grid.last
    inside *= grid.spacing
    return lists


def tied_pairs(ordered: NDArray) -> int:
    """Count the pairs of equal entries of a sorted array."""
    changes = np.flatnonzero(ordered[1:] != ordered[:-1])
    if changes.size == ordered.size - 1:
        return 0
    runs = np.diff(changes, prepend=-1, append=ordered.size - 1)
    return int((runs * (runs - 1) // 2).sum())


_NEAR = 600  # fewest entries on either side of the middle that are put in order at once
_FINE = 2**-20  # up to this spacing a range is within 2^31 steps of 0 (PublicGrid.bits)


@dataclass(eq=False)
class SortedEstimates:
    """Pairwise estimates of several trials, pairs with equal x at both ends in turn; sorted only as far as needed.

    Attributes
    ----------
    z : array, shape (..., N)
        Estimates, in multiples of `unit`.
    tied : array of int, shape (...)
        Number of pairs with equal x in each row.
    unit : float
        Unit of z, in units of y.
    near : int
        Number of entries on either side of the middle of each row that are in order; it grows.
    """

    z: NDArray
    tied: Integers
    unit: float
    near: int = 0

    def _in_order(self, reach: int) -> NDArray:
        """Sort each row of z from ``reach`` entries before the middle to ``reach`` after it, in place, and return z."""
        count, wanted = self.z.shape[-1], max(reach, _NEAR)
        if self.near == 0 and 4 * wanted < count:
            ends = count // 2 - wanted, count // 2 + wanted
            self.z.partition(ends, axis=-1)
            self.z[..., slice(*ends)].sort(axis=-1)
            self.near = wanted
        elif reach > self.near:
            self.z.sort(axis=-1)
            self.near = max(count, reach)
        return self.z

    def around(self, reach: int, lower: float, upper: float) -> Floats:
        """Return ``reach`` entries on either side of the middle, in units of y, moved into [lower, upper].

        Shape (..., 2 reach + N % 2), or (..., N) where there are no more.
        """
        skip = max(self.z.shape[-1] // 2 - reach, 0)
        middle = self._in_order(reach)[..., skip : self.z.shape[-1] - skip] * self.unit
        return np.clip(middle, lower, upper, out=middle)

    def medians(self) -> Floats:
        """Compute the median of each row without pairs of equal x, shape (...), in units of y; NaN if none is left."""
        untied = (self.z.shape[-1] - self.tied)[..., None]
        middle = np.maximum(untied + np.array([-1, 0]), 0) // 2
        middle = np.minimum((self.tied[..., None] + 1) // 2 + middle, self.z.shape[-1] - 1)
        low, high = np.moveaxis(np.take_along_axis(self._in_order(2), middle, axis=-1), -1, 0)
        return np.where(untied[..., 0] > 0, 0.5 * (low * self.unit + high * self.unit), np.nan)


def matched_lists(
    x: Floats,
    y: Floats,
    k: int,
    size: int,
    lines: Lines,
    rng: np.random.Generator,
    unit: float | None = None,
) -> SortedEstimates:
    """Draw matched_estimates and prepare them for sorting; the first six arguments are the same.

    Parameters
    ----------
    unit : float, optional
        Unit of the estimates in units of y if they are whole numbers, which are then sorted as integers.
    """
    estimates = matched_estimates(x, y, k, size, lines, rng)
    tied = _place_ties(estimates)
    if unit is not None:
        # Integers that are wide enough for the range.
        kind, largest = (np.int32, 2**31 - 1) if unit <= _FINE else (np.int64, 2**62)
        estimates = np.clip(estimates, -largest, largest, out=estimates).astype(kind)
    return SortedEstimates(estimates, tied, unit or 1.0)
