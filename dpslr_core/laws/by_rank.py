"""Laws of private medians of all N = n(n-1)/2 pairwise estimates of many records, without forming the pairs.

What a private median needs of the estimates z_1 <= ... <= z_N is mostly rank(r), the number of z_i <= r, at points r of
a public grid. A rank query gives it exactly in time O(n log n) (``pairs.ranks``, whose
``CellCounts`` keep the answers).

- ``exponential_law`` and ``widened_law``: the density at r is proportional to exp(-rate |#above - #below|), with
  #below = rank(r), #above = N - rank(r) and rate = epsilon / 4 for epsilon per changed estimate. It rises to the median
  and falls from it, so that between two queried points it lies between its values there: a few hundred queries bound it
  by two step functions, and rejection makes the draws exact (``StaircaseLaw``).
- ``smooth_median``: the lower median z_m and its smooth sensitivity S, the largest exp(-l t) W((n-1)(l+1)) over the
  levels l, where W(w) is the widest distance of two estimates w ranks apart, one on either side of z_m. Both are exact,
  from a list of the estimates around the median; ``within_reach`` says from public numbers whether it is short enough.
- ``joint_medians``: the law of several medians together (``laws.joint``).

They are the laws that ``medians`` computes from the sorted list of all estimates on the same grid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import ceil, exp, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..pairs import ranks as by_queries
from ..pairs.grid import PublicGrid
from ..pairs.matchings import pair_count
from ..pairs.ranks import SAMPLE_ERROR, CellCounts, PairRanks, sort_whole
from ..support import validate
from ..support.run import checkpoint
from ..support.types import Floats, Integers
from . import medians
from .joint import JointMedians, RankBounds
from .piecewise import PiecewiseUniform, Staircase, logarithmic_mean, masses

_QUERIES = 400  # rank queries after which a law within a factor of two is left as it is
_STEPS = 1 << 18  # pieces that a stretch is listed in or binned into
_MOST = 3e8  # estimates that are listed without having tried queries first
_LISTED = 60_000_000  # estimates listed for a smooth sensitivity at most: all pairs of 10,954 records; 0.5 GB
_WORST = 4  # levels that are looked at in a round


@dataclass(frozen=True, eq=False)
class StaircaseLaw(Staircase):
    """A law between two staircases whose density can be asked for.

    log_density(r, piece): the exact value at points r of the pieces so numbered.
    """

    log_density: Callable[[Floats, Integers], Floats]

    @cached_property
    def _upper(self) -> PiecewiseUniform:
        return PiecewiseUniform(self.edges, self.log_high)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """size exact draws, shape (size,): proposals under the upper staircase, most accepted under the lower.

        Only a proposal between the two costs a query, so that size draws cost about size times the relative gap.
        """
        validate.generator(rng=rng)
        drawn = np.empty(0)
        while drawn.size < size:
            proposed = self._upper.sample(size - drawn.size, rng)
            height = np.log1p(-rng.random(proposed.size))  # log of a uniform on (0, 1]
            piece = np.searchsorted(self.edges, proposed, side="right") - 1
            piece = np.clip(piece, 0, self.log_low.size - 1)
            accepted = height <= (self.log_low - self.log_high)[piece]
            undecided = np.flatnonzero(~accepted)
            if undecided.size:
                exact = self.log_density(proposed[undecided], piece[undecided])
                accepted[undecided] = height[undecided] <= exact - self.log_high[piece[undecided]]
            drawn = np.concatenate([drawn, proposed[accepted]])
        return drawn


class _Pieces(NamedTuple):
    """Pieces of constant bounds on the log density, between edges that are positions counted from the lower end.

    shift: what is added to a cell of each piece to get the cell whose count decides there; stretch: the number of that
    cell's stretch of counts, -1 for the flat piece of a widened density.
    """

    edges: Floats
    log_low: Floats
    log_high: Floats
    shift: Integers
    stretch: Integers


def _below(counts: CellCounts, spacing: float, r: Floats, shift: Integers | int = 0) -> Integers:
    """Count the estimates below r, in units of y, in the cell of r moved by a shift."""
    cells = np.floor(r / spacing).astype(np.int64) - counts.first + shift
    return np.array([counts.up_to(cell) for cell in np.clip(cells, 0, counts.cells - 1).tolist()])


def exponential_law(ranks: PairRanks, epsilon: float, grid: PublicGrid) -> StaircaseLaw:
    """The law of medians.exponential_pieces for all pairwise estimates clipped to the range of the grid.

    ranks: of positions on the grid; epsilon: the budget per changed number, that is the share of the point over n - 1.
    The masses under both staircases agree to the relative pairs.ranks.TOLERANCE, or as far as 400
    rank queries lead (see ``cdf_error``), and always to a factor of two. ValueError where epsilon is not above 0.
    Source: Algorithm 3.
    """
    tolerance = by_queries.TOLERANCE
    counts = _started(ranks, epsilon, grid, tolerance)
    return _law(counts, _refined(counts, epsilon / 4, tolerance), epsilon / 4, grid)


def widened_law(ranks: PairRanks, epsilon: float, grid: PublicGrid, theta: float) -> StaircaseLaw:
    """The law of medians.widened_pieces for all pairwise estimates clipped to the range of the grid.

    theta: the widening, in units of y, rounded to the grid; the others as in exponential_law. Raises as it does, and
    where theta is negative. Source: Algorithm 4, corrected.
    """
    validate.non_negative(theta=theta)
    tolerance = by_queries.TOLERANCE
    counts = _started(ranks, epsilon, grid, tolerance)
    start, stop, least = _middle_set(counts)
    _refined(counts, epsilon / 4, tolerance)  # without theta first: it shows where the mass is
    counts.split([start - 1, start, stop - 1, stop])
    moved = int(grid.positions(min(theta, grid.upper - grid.lower)))
    pieces = _refined(counts, epsilon / 4, tolerance, (start, stop, least), moved)
    return _law(counts, pieces, epsilon / 4, grid)


def _log_density(
    counts: CellCounts, spacing: float, rate: float, shift: Integers, r: Floats, piece: Integers
) -> Floats:
    """Compute -rate |#above - #below| at r, in the cell of r moved by shift[piece]."""
    return -rate * np.abs(counts.total - 2.0 * _below(counts, spacing, r, shift[piece]))


def _law(counts: CellCounts, pieces: _Pieces, rate: float, grid: PublicGrid) -> StaircaseLaw:
    exact = partial(_log_density, counts, grid.spacing, rate, pieces.shift)
    edges = (counts.first + pieces.edges) * grid.spacing
    return StaircaseLaw(edges, pieces.log_low, pieces.log_high, exact)


def _middle_set(counts: CellCounts) -> tuple[int, int, int]:
    """The positions between which |#above - #below| is least, and that least value.

    One position twice where it is least at a value that several estimates share, as in medians.widened_pieces.
    """
    total = counts.total
    value = counts.position(total // 2)
    below, at_most = counts.up_to(value - 1), counts.up_to(value)
    left_gap, right_gap, at_value = (
        abs(total - 2 * below),
        abs(total - 2 * at_most),
        abs(total - below - at_most),
    )
    if at_value < min(left_gap, right_gap):
        return value, value, at_value
    if left_gap <= right_gap:
        return counts.position(below - 1) if below else 0, value, left_gap
    return value, counts.position(at_most) if at_most < total else counts.cells, right_gap


def _started(ranks: PairRanks, epsilon: float, grid: PublicGrid, tolerance: float) -> CellCounts:
    """Counts with the first queries: about the median, and about the neighbouring values where many pairs share it."""
    validate.positive(epsilon=epsilon)
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
    """Number of ranks from the median at which the density has fallen to e^-2 of the tolerance."""
    return (2 - np.log(min(tolerance, 1.0))) / (2 * rate)


def _refined(
    counts: CellCounts,
    rate: float,
    tolerance: float,
    middle: tuple[int, int, int] | None = None,
    theta: int = 0,
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
            pieces.edges,
            pieces.log_low,
            logarithmic_mean(pieces.log_low, pieces.log_high),
            pieces.log_high,
        )
        gap = high - low
        enough = tolerance if counts.queries < _QUERIES else 1.0
        if gap.sum() <= enough * low.sum():
            return pieces
        widest = int(pieces.stretch[np.argmax(gap)])
        for start, stop in (_worst(pieces, gap, tolerance * mean.sum() / 4), (widest, widest + 1)):
            if _worth_listing(
                counts, start, stop, counts.queries - paid, 4 * _half_width(rate, tolerance)
            ):
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
    return (
        (int(pieces.stretch[wide[0]]), int(pieces.stretch[wide[-1]]) + 1) if wide.size else (0, 0)
    )


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
            value = counts.places(
                (low + size / 2 - (counts.ranks.tied + 1) // 2) / counts.ranks.pairs
            )
            inside = np.array([value - 1, value])
            probes.append(inside[(inside >= left) & (inside < counts.edges[i + 1])])
    return np.concatenate(probes)


def _pieces(
    counts: CellCounts, rate: float, middle: tuple[int, int, int] | None, theta: int
) -> _Pieces:
    """The pieces that the counts make; widened, those before the middle set are moved down, those after it up."""
    at_low, at_high = np.abs(counts.total - 2 * counts.low), np.abs(counts.total - 2 * counts.high)
    around = (2 * counts.low < counts.total) & (2 * counts.high > counts.total)
    log_low, log_high = (
        -rate * np.maximum(at_low, at_high),
        -rate * np.where(around, 0, np.minimum(at_low, at_high)),
    )
    stretch, edges = np.arange(at_low.size), counts.edges
    if middle is None:
        return _Pieces(edges.astype(float), log_low, log_high, np.zeros_like(stretch), stretch)
    before, after = np.searchsorted(edges, middle[:2]).tolist()

    def joined(values: NDArray, flat: float) -> NDArray:
        return np.concatenate(
            [values[:before], np.array([flat], dtype=values.dtype), values[after:]]
        )

    edges = np.clip(
        np.concatenate([edges[: before + 1] - theta, edges[after:] + theta]), 0, counts.cells
    )
    flat = -rate * middle[2]
    shift = np.repeat([theta, 0, -theta], [before, 1, stretch.size - after])
    return _Pieces(
        edges.astype(float),
        joined(log_low, flat),
        joined(log_high, flat),
        shift,
        joined(stretch, -1),
    )


def levels_needed(n: int, cells: int, t: float, least: float) -> int:
    """The last l whose e^(-l t) W((n-1)(l+1)) can exceed least, whatever the data; W is at most cells."""
    last = -(-(pair_count(n, None) + 1) // (n - 1)) - 1
    return last if log(max(cells / least, 1)) >= last * t else ceil(log(max(cells / least, 1)) / t)


def within_reach(n: int, cells: int, t: float, least: float) -> bool:
    """Whether smooth_median may be asked for: decided by public numbers alone."""
    return (
        t == 0
        or 2 * _width(n, levels_needed(n, cells, t, least)) <= _LISTED
        or pair_count(n, None) <= _LISTED
    )


def smooth_median(counts: CellCounts, t: float, least: float) -> tuple[int, float]:
    """medians.lower_median and medians.smooth_sensitivity of all pairwise estimates, as positions; exact.

    least > 0, in spacings. The estimates that the largest window can need are listed; where ranks further out do not
    certify that no wider window is larger, more are, up to as many as levels_needed says.
    Source: Algorithm 5 and the lemma on smooth sensitivity.
    """
    n, total, middle = counts.ranks.n, counts.total, (counts.total + 1) // 2 - 1
    value = counts.position(middle)
    if t == 0:  # the widest window is as good as any
        return value, max(least, float(counts.cells))
    most = levels_needed(n, counts.cells, t, least)
    run = value, counts.up_to(value - 1), counts.up_to(value)
    # A window has no width before it reaches an end of the run of entries equal to z_m.
    levels = min(most, min(middle - run[1], run[2] - middle) // (n - 1) + ceil(3.5 / t))
    while True:
        width = _width(n, levels)
        if 2 * width >= total:
            z = _entries(counts, run, 0, total)
            return value, float(medians.smooth_sensitivity(z, n - 1, t, 0, counts.cells, least))
        z = _entries(counts, run, middle - width, middle + width + 1)
        # Beyond the list its own ends stand in: no more than what is there.
        spread = float(medians.smooth_sensitivity(z, n - 1, t, z[0], z[-1], least))
        if levels == most or _no_wider_window(counts, t, levels, most, spread):
            return value, spread
        levels = min(most, 2 * levels)


def _width(n: int, level: int) -> int:
    """The width of the window of a level: how many estimates that many replaced records change, and one more."""
    return (n - 1) * (level + 1)


def _entries(counts: CellCounts, run: tuple[int, int, int], first: int, last: int) -> Floats:
    """The sorted estimates number first .. last - 1, as positions, shape (last - first,).

    run: a value among them, and the numbers start .. stop - 1 of the estimates equal to it.
    """
    value, start, stop = run
    low, high = counts.position(first), counts.position(last - 1)
    z = np.full(last - first, float(value))
    if low < value:
        _fill(z[: start - first], low, counts.up_to(low) - first, counts.between(low, value))
    if high > value:
        _fill(z[stop - first :], high, 0, counts.between(value, high))
    return z


def _fill(z: Floats, rest: int, start: int, parts: Iterator[Integers]) -> None:
    """Put the parts into z from start on, sorted, and the rest before and after them."""
    stop = start
    for part in parts:
        z[stop : stop + part.size] = part
        stop += part.size
    z[:start] = z[stop:] = rest
    z[start:stop] = sort_whole(z[start:stop])


def _no_wider_window(counts: CellCounts, t: float, level: int, most: int, spread: float) -> bool:
    """Whether e^(-l t) W(w) <= spread for level < l <= most, as W(w) <= z[m+w] - z[m-w] and W grows with w."""
    middle, n = (counts.total + 1) // 2 - 1, counts.ranks.n
    while level < most and exp(-(level + 1) * t) * counts.cells > spread:
        checkpoint()
        end = min(most, level + 1 + level // 4)
        high, low = middle + _width(n, end), middle - _width(n, end)
        widest = spread * exp((level + 1) * t)
        top = counts.bracket(high, widest / 16)[1] if high < counts.total else counts.cells
        bottom = counts.bracket(low, widest / 16)[0] if low >= 0 else 0
        if top - bottom > widest:
            return False
        level = end
    return True


def joint_medians(ranks: Sequence[PairRanks], epsilon: float, grid: PublicGrid) -> JointMedians:
    """The law of JointMedians for all pairwise estimates clipped to the range of the grid.

    ranks: of positions on the grid, at each of its points.
    epsilon: the budget per changed number, that is epsilon / (n - 1).
    grid: of the range and the points.

    The weight of a level is the product over the m points of what it is in exponential_law with a share epsilon / m: as
    for those, few queries find nearly all of the mass. Then the levels whose boxes are known worst are queried, until
    the masses of all least and all largest boxes agree to TOLERANCE, or, after 400 queries, to a factor of two.
    """
    tolerance = by_queries.TOLERANCE
    every = [_started(each, epsilon / len(ranks), grid, tolerance) for each in ranks]
    for counts in every:
        _refined(counts, epsilon / len(ranks) / 4, tolerance)
    before = sum(counts.queries for counts in every)
    while True:
        checkpoint()
        points = [
            RankBounds(
                (c.first + c.edges.astype(float)) * grid.spacing,
                c.low,
                c.high,
                partial(_below, c, grid.spacing),
            )
            for c in every
        ]
        law = JointMedians(points, every[0].total, epsilon / 4)
        enough = tolerance if sum(counts.queries for counts in every) < before + _QUERIES else 1.0
        if law.gaps.sum() <= enough:
            return law
        for counts in every:
            for level in law.levels[np.argsort(law.gaps)[-_WORST:]].tolist():
                _query_ends(counts, level)


def _query_ends(counts: CellCounts, level: int) -> None:
    """Queries in both stretches that hold an end of the box of a level: where ranks linear in r lead, and halfway."""
    upper, probes = counts.total - level, []
    for stretch, number in (
        (np.searchsorted(counts.high, level), level),
        (np.searchsorted(counts.low, upper, "right") - 1, upper),
    ):
        left, right = counts.edges[stretch], counts.edges[stretch + 1]
        low, high = int(counts.low[stretch]), int(counts.high[stretch])
        if low < high:
            probes += [
                left + share * (right - left) for share in ((number - low) / (high - low), 0.5)
            ]
    counts.split(np.minimum(probes, counts.cells - 1))
