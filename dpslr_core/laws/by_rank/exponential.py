"""Laws of exponential mechanisms for the median of all pairwise estimates, from rank queries.

The density at r, exp(-rate |N - 2 rank(r)|), is known wherever the rank is, and between two ranks it lies between its
values there: queries pin it between two staircases. Near the median, where nearly all the mass is, the estimates
themselves are listed (or counted in fine bins), in time proportional to their number.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...pairs import ranks as by_queries
from ...pairs.cell_counts import SAMPLE_ERROR, CellCounts
from ...pairs.grid import PublicGrid
from ...pairs.ranks import PairRanks
from ...support import validate
from ...support.run import checkpoint
from ...support.types import Floats, Integers
from ..piecewise import logarithmic_mean, masses
from .staircase import StaircaseLaw

_QUERIES = 400  # after so many rank queries a law within a factor of two is left as it is
_STEPS = 1 << 18  # pieces that a stretch is listed in or binned into
_MOST = 3e8  # estimates that are listed without having tried queries first


@dataclass(frozen=True, eq=False)
class _Pieces:
    """Pieces of constant bounds on the log density, between edges that are positions counted from the lower end.

    shift: what is added to a cell of each piece to get the cell whose count decides there; stretch: the number of that
    cell's stretch of counts, -1 for the flat piece of a widened density.
    """

    edges: Floats
    log_low: Floats
    log_high: Floats
    shift: Integers
    stretch: Integers


@dataclass(frozen=True, eq=False)
class _Exact:
    """The exact log density at r, -rate |#above - #below|, in the cell of r moved by shift[piece]."""

    counts: CellCounts
    rate: float
    spacing: float
    shift: Integers

    def __call__(self, r: Floats, piece: Integers) -> Floats:
        cells = np.floor(r / self.spacing).astype(np.int64) - self.counts.first + self.shift[piece]
        counts = np.array([self.counts.up_to(cell) for cell in np.clip(cells, 0, self.counts.cells - 1).tolist()])
        return -self.rate * np.abs(self.counts.total - 2.0 * counts)


class _MiddleSet(NamedTuple):
    """The positions from start to stop between which |#above - #below| is least, at, and that least value.

    One position twice where it is least at a value that several estimates share, as in medians.widened_pieces.
    """

    start: int
    stop: int
    least: int


def exponential_law(ranks: PairRanks, epsilon: float, grid: PublicGrid, tolerance: float | None = None) -> StaircaseLaw:
    """The law of medians.exponential_pieces for all pairwise estimates clipped to the range of the grid.

    ranks: of positions on the grid; epsilon: the budget per changed number, that is the share of the point over n - 1.
    The masses under both staircases agree to the relative tolerance, by default pairs.ranks.TOLERANCE, or as far as 400
    rank queries lead (see ``cdf_error``), and always to a factor of two. ValueError where epsilon or tolerance is not
    above 0. Source: Algorithm 3.
    """
    tolerance = by_queries.TOLERANCE if tolerance is None else tolerance
    counts = _started(ranks, epsilon, grid, tolerance)
    return _law(counts, _refined(counts, epsilon / 4, tolerance), epsilon / 4, grid)


def refined_counts(ranks: PairRanks, epsilon: float, grid: PublicGrid, tolerance: float | None = None) -> CellCounts:
    """The counts behind exponential_law with these arguments; raises as it does."""
    tolerance = by_queries.TOLERANCE if tolerance is None else tolerance
    counts = _started(ranks, epsilon, grid, tolerance)
    _refined(counts, epsilon / 4, tolerance)
    return counts


def widened_law(
    ranks: PairRanks, epsilon: float, grid: PublicGrid, theta: float, tolerance: float | None = None
) -> StaircaseLaw:
    """The law of medians.widened_pieces for all pairwise estimates clipped to the range of the grid.

    ranks: of positions on the grid.
    epsilon: the budget per changed number.
    grid: of the range and the point.
    theta: the widening, in units of y, rounded to the grid.
    tolerance: as in exponential_law.

    ValueError where epsilon or tolerance is not above 0, or theta is negative. Source: Algorithm 4, corrected.
    """
    validate.non_negative(theta=theta)
    tolerance = by_queries.TOLERANCE if tolerance is None else tolerance
    counts = _started(ranks, epsilon, grid, tolerance)
    middle = _middle_set(counts)
    _refined(counts, epsilon / 4, tolerance)  # without theta first: it shows where the mass is
    counts.split([middle.start - 1, middle.start, middle.stop - 1, middle.stop])
    moved = int(grid.positions(min(theta, grid.upper - grid.lower)))
    pieces = _refined(counts, epsilon / 4, tolerance, middle, moved)
    return _law(counts, pieces, epsilon / 4, grid)


def _law(counts: CellCounts, pieces: _Pieces, rate: float, grid: PublicGrid) -> StaircaseLaw:
    exact = _Exact(counts, rate, grid.spacing, pieces.shift)
    return StaircaseLaw((counts.first + pieces.edges) * grid.spacing, pieces.log_low, pieces.log_high, exact)


def _middle_set(counts: CellCounts) -> _MiddleSet:
    total = counts.total
    value = counts.position(total // 2)
    below, at_most = counts.up_to(value - 1), counts.up_to(value)
    left_gap, right_gap, at_value = abs(total - 2 * below), abs(total - 2 * at_most), abs(total - below - at_most)
    if at_value < min(left_gap, right_gap):
        return _MiddleSet(value, value, at_value)
    if left_gap <= right_gap:
        return _MiddleSet(counts.position(below - 1) if below else 0, value, left_gap)
    return _MiddleSet(value, counts.position(at_most) if at_most < total else counts.cells, right_gap)


def _started(ranks: PairRanks, epsilon: float, grid: PublicGrid, tolerance: float) -> CellCounts:
    """Counts with the first queries: about the median, and about the values beside it where many pairs share it."""
    validate.positive(epsilon=epsilon, tolerance=tolerance)
    counts = CellCounts(ranks.central, grid.first, grid.last)
    value = int(counts.places(0.5))
    counts.split([value - 1, value])
    half = max(1.2 * _half_width(epsilon / 4, tolerance), SAMPLE_ERROR * counts.total)
    centers = np.unique([counts.up_to(value - 1), 0.5 * counts.total, counts.up_to(value)])
    if centers[-1] - centers[0] < half:
        centers = np.array([0.5 * counts.total])
    numbers = centers[:, None] + half * np.array([-5, -2, -1, 1, 2, 5])
    counts.split(counts.places((numbers.ravel() - (ranks.tied + 1) // 2) / max(ranks.pairs, 1)))
    return counts


def _half_width(rate: float, tolerance: float) -> float:
    """How many ranks from the median the density has fallen to e^-2 of the tolerance."""
    return (2 - np.log(min(tolerance, 1.0))) / (2 * rate)


def _refined(
    counts: CellCounts, rate: float, tolerance: float, middle: _MiddleSet | None = None, theta: int = 0
) -> _Pieces:
    """Query and list until the masses under both staircases agree to the tolerance; the pieces that do.

    After 400 queries a factor of two is enough, so that at least every second proposal is accepted whatever the data.
    Each round halves the pieces with the largest gaps, a single cell has none, and the density rises to its peak and
    falls from it: at most 26 halvings for each of some 120 factors of two of the density, on up to 2^26 cells.
    """
    paid = 0  # queries made before the last listing
    while True:
        checkpoint()
        pieces = _pieces(counts, rate, middle, theta)
        low, mean, high = masses(
            pieces.edges, pieces.log_low, logarithmic_mean(pieces.log_low, pieces.log_high), pieces.log_high
        )
        gap = high - low
        enough = tolerance if counts.queries < _QUERIES else 1.0
        if gap.sum() <= enough * low.sum():
            return pieces
        widest = int(pieces.stretch[np.argmax(gap)])
        for start, stop in (_worst(pieces, gap, tolerance * mean.sum() / 4), (widest, widest + 1)):
            if _worth_listing(counts, start, stop, counts.queries - paid, 4 * _half_width(rate, tolerance)):
                counts.resolve(start, stop, int(min(max(_STEPS, 64 / tolerance), 1 << 22)))
                paid = counts.queries
                break
        else:
            counts.split(_probes(counts, rate, tolerance, pieces.stretch[np.argsort(gap)[-4:]]))


def _worst(pieces: _Pieces, gap: Floats, spared: float) -> tuple[int, int]:
    """The first of the stretches, and one after the last, that hold all but a spared part of the gap at each end.

    On one side of the flat piece, the one with more of the gap.
    """
    flat = np.flatnonzero(pieces.stretch < 0)
    if flat.size:
        side = np.arange(gap.size) < flat[0]
        gap = np.where(side == (gap[side].sum() > gap[~side].sum()), gap, 0.0)
    start = int(np.searchsorted(np.cumsum(gap), spared, side="right"))
    stop = gap.size - int(np.searchsorted(np.cumsum(gap[::-1]), spared, side="right"))
    wide = np.flatnonzero(gap[start:stop] > 0) + start
    return (int(pieces.stretch[wide[0]]), int(pieces.stretch[wide[-1]]) + 1) if wide.size else (0, 0)


def _worth_listing(counts: CellCounts, start: int, stop: int, queries: int, aim: float) -> bool:
    """Whether to list these stretches: they are not the outcome of a listing, and hold few estimates.

    Few means as many as are in reach of the median whatever is queried, or as cost no more than the queries so far.
    """
    if not 0 < stop - start < _STEPS // 2:
        return False
    n = counts.ranks.n
    # Measured: 5 n log2(n) ns for a query, 45 to 70 ns for an estimate. Up to 2^16 estimates go at once.
    few = max(1 << 16, min(aim, _MOST), queries * n * np.log2(n) / 6)
    return bool(counts.high[stop - 1] - counts.low[start] <= few)


def _probes(counts: CellCounts, rate: float, tolerance: float, stretches: Integers) -> Floats:
    """Which cells of the stretches to query: where ranks linear in r or a sample of pairs lead to, and the middle."""
    probes = []
    for i in stretches[stretches >= 0]:
        low, size, left = counts.low[i], counts.high[i] - counts.low[i], counts.edges[i]
        if size <= 0:
            continue
        if 2 * low < counts.total < 2 * counts.high[i]:
            half = _half_width(rate, tolerance)
            shares = (counts.total / 2 + np.array([-half, half]) - low) / size
        else:
            # Splitting at t leaves a gap of t + (1 - 2t) e^(-fall t), least near t = log(fall) / fall.
            fall = 2 * rate * size
            near = min(0.5, np.log1p(fall) / fall)
            shares = np.array([near if 2 * low >= counts.total else 1 - near])
        shares = np.append(shares[(shares > 0) & (shares < 1)], 0.5)
        probes.append(left + shares * (counts.edges[i + 1] - left))
        if size > SAMPLE_ERROR * counts.total:  # a value that many pairs share is in the sample too
            value = counts.places((low + size / 2 - (counts.ranks.tied + 1) // 2) / counts.ranks.pairs)
            inside = np.array([value - 1, value])
            probes.append(inside[(inside >= left) & (inside < counts.edges[i + 1])])
    return np.concatenate(probes)


def _pieces(counts: CellCounts, rate: float, middle: _MiddleSet | None, theta: int) -> _Pieces:
    """The pieces that the counts make; widened, those before the middle set are moved down, those after it up."""
    at_low, at_high = np.abs(counts.total - 2 * counts.low), np.abs(counts.total - 2 * counts.high)
    around = (2 * counts.low < counts.total) & (2 * counts.high > counts.total)
    log_low, log_high = -rate * np.maximum(at_low, at_high), -rate * np.where(around, 0, np.minimum(at_low, at_high))
    stretch, edges = np.arange(at_low.size), counts.edges
    if middle is None:
        return _Pieces(edges.astype(float), log_low, log_high, np.zeros_like(stretch), stretch)
    before, after = int(np.searchsorted(edges, middle.start)), int(np.searchsorted(edges, middle.stop))
    joined = partial(_with_flat_piece, before=before, after=after)
    edges = np.clip(np.concatenate([edges[: before + 1] - theta, edges[after:] + theta]), 0, counts.cells)
    flat = -rate * middle.least
    shift = np.repeat([theta, 0, -theta], [before, 1, stretch.size - after])
    return _Pieces(edges.astype(float), joined(log_low, flat), joined(log_high, flat), shift, joined(stretch, -1))


def _with_flat_piece(values: NDArray, flat: float, before: int, after: int) -> NDArray:
    return np.concatenate([values[:before], np.array([flat], dtype=values.dtype), values[after:]])
