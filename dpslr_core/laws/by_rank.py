"""Laws of private medians of all N = n(n-1)/2 pairwise estimates of many records, without forming the pairs.

>>> import numpy as np
>>> from dpslr_core import Dataset, simulate_linear
>>> from dpslr_core.pairs.grid import PublicGrid
>>> data = Dataset(*simulate_linear(n=2000, var_x=0.03, var_e=0.01, rng=np.random.default_rng(1)))
>>> grid = PublicGrid(lower=-0.5, upper=1.5, at=np.array([0.25]))
>>> law = exponential_law(data.pair_ranks(grid, 0), epsilon=1 / (data.n - 1), grid=grid)
>>> round(law.median, 3), round(law.error_bound(68, center=data.predict(0.25)[0]), 4)
(0.324, 0.0028)

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
from .joint import JointMedianLaw, RankBounds
from .piecewise import PiecewiseUniform, Staircase, logarithmic_mean, masses

_QUERIES = 400  # rank queries after which a law within a factor of two is left as it is
_STEPS = 1 << 18  # pieces that a stretch is listed in or binned into
_MOST = 3e8  # estimates at most that are listed before queries are tried
_LISTED = 60_000_000  # estimates listed for a smooth sensitivity at most: all pairs of 10,954 records; 0.5 GB
_WORST = 4  # levels whose boxes are queried in a round


@dataclass(frozen=True, eq=False)
class StaircaseLaw(Staircase):
    """Law between two staircases whose exact density can be queried.

    Attributes
    ----------
    log_density : callable
        Returns the exact log density, in the unit of `log_low`, at points r of the pieces with the given numbers.
    """

    log_density: Callable[[Floats, Integers], Floats]

    @cached_property
    def _upper(self) -> PiecewiseUniform:
        return PiecewiseUniform(self.edges, self.log_high)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw `size` numbers of the exact law by rejection, shape (size,).

        A proposal under the upper staircase is accepted at once where it is under the lower one. Only a proposal
        between them costs a query: about `size` times the relative gap of queries in all.
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
    """Pieces with constant bounds on the log density.

    Attributes
    ----------
    edges : positions on the grid, counted from the lower end, shape (p + 1,)
    log_low, log_high : bounds on the log density, shape (p,)
    shift : cells between a cell of the piece and the cell whose count decides there, shape (p,)
    stretch : number of the stretch of counts of the deciding cells, -1 for a flat piece, shape (p,)
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
    """Compute the law of medians.exponential_pieces for all pairwise estimates, clipped to the range of the grid.

    The masses under both staircases agree to the relative pairs.ranks.TOLERANCE, or as far as 400
    rank queries lead (see ``cdf_error``), and always to a factor of two. Source: Algorithm 3.

    Parameters
    ----------
    ranks : PairRanks
        Ranks of the estimates at one point, in positions on the grid.
    epsilon : float
        Budget per changed estimate, above 0: the share of the point over n - 1.
    grid : PublicGrid
    """
    tolerance = by_queries.TOLERANCE
    counts = _started(ranks, epsilon, grid, tolerance)
    return _law(counts, _refined(counts, epsilon / 4, tolerance), epsilon / 4, grid)


def widened_law(ranks: PairRanks, epsilon: float, grid: PublicGrid, theta: float) -> StaircaseLaw:
    """Compute the law of medians.widened_pieces for all pairwise estimates, clipped to the range of the grid.

    As exponential_law; source: Algorithm 4, corrected.

    Parameters
    ----------
    ranks : PairRanks
        Ranks of the estimates at one point, in positions on the grid.
    epsilon : float
        Budget per changed estimate, above 0.
    grid : PublicGrid
    theta : float, in units of y
        Widening, 0 or more, rounded to the grid.
    """
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
    """Return the positions (start, stop) between which |#above - #below| is least, and its least value.

    Both positions are the same where the least is at a value that several estimates share.
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
    """Make CellCounts with the first queries: about the median, and beside its value if many pairs share it."""
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
    """Compute the number of ranks from the median at which the density has fallen to e^-2 of the tolerance."""
    return (2 - np.log(min(tolerance, 1.0))) / (2 * rate)


def _refined(
    counts: CellCounts,
    rate: float,
    tolerance: float,
    middle: tuple[int, int, int] | None = None,
    theta: int = 0,
) -> _Pieces:
    """Query and list until the masses under both staircases agree to the tolerance; return the pieces.

    After 400 queries a factor of two is enough, so that at least every second proposal is accepted whatever the data.
    Each round halves the pieces with the largest gaps, a single cell has none, and the density rises to its peak and
    falls from it: at most 26 halvings for each of some 120 factors of two of the density, on up to 2^26 cells.
    """
    queries_before = 0  # queries made before the last listing
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
                counts,
                start,
                stop,
                counts.queries - queries_before,
                4 * _half_width(rate, tolerance),
            ):
                counts.resolve(start, stop, int(min(max(_STEPS, 64 / tolerance), 1 << 22)))
                queries_before = counts.queries
                break
        else:
            counts.split(_probes(counts, rate, tolerance, pieces.stretch[np.argsort(gap)[-4:]]))


def _worst(pieces: _Pieces, gap: Floats, spared: float) -> tuple[int, int]:
    """Return (start, stop) of the stretches that hold all of the gap but the mass `spared` at either end.

    Only the side of the flat piece that has more of the gap is looked at.
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
    """Whether to list stretches start .. stop - 1: no listing made them, and they hold few estimates.

    Few: at most `aim` estimates, which no query rules out, or a number that is listed faster than `queries` were made.
    """
    if not 0 < stop - start < _STEPS // 2:
        return False
    n = counts.ranks.n
    # Measured: 5 n log2(n) ns for a query, 45 to 70 ns for an estimate. Up to 2^16 estimates go at once.
    few = max(1 << 16, min(aim, _MOST), queries * n * np.log2(n) / 6)
    return bool(counts.high[stop - 1] - counts.low[start] <= few)


def _probes(counts: CellCounts, rate: float, tolerance: float, stretches: Integers) -> Floats:
    """Choose cells of the stretches to query: by ranks linear in r, by a sample of pairs, and the middle cell."""
    probes = []
    for i in stretches[stretches >= 0]:
        low, size, lower_end = counts.low[i], counts.high[i] - counts.low[i], counts.edges[i]
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
        probes.append(lower_end + shares * (counts.edges[i + 1] - lower_end))
        if size > SAMPLE_ERROR * counts.total:  # a value that many pairs share is in the sample too
            value = counts.places(
                (low + size / 2 - (counts.ranks.tied + 1) // 2) / counts.ranks.pairs
            )
            inside = np.array([value - 1, value])
            probes.append(inside[(inside >= lower_end) & (inside < counts.edges[i + 1])])
    return np.concatenate(probes)


def _pieces(
    counts: CellCounts, rate: float, middle: tuple[int, int, int] | None, theta: int
) -> _Pieces:
    """Make the pieces of the counts; pieces before the set `middle` move down by theta, pieces after it up."""
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
    """Compute the last level l at which e^(-l t) W((n-1)(l+1)) can exceed `least` on any data; W is at most `cells`."""
    last = -(-(pair_count(n, None) + 1) // (n - 1)) - 1
    return last if log(max(cells / least, 1)) >= last * t else ceil(log(max(cells / least, 1)) / t)


def within_reach(n: int, cells: int, t: float, least: float) -> bool:
    """Whether smooth_median needs few enough estimates, decided by public numbers alone."""
    return (
        t == 0
        or 2 * _width(n, levels_needed(n, cells, t, least)) <= _LISTED
        or pair_count(n, None) <= _LISTED
    )


def smooth_median(counts: CellCounts, t: float, least: float) -> tuple[int, float]:
    """Compute medians.lower_median and medians.smooth_sensitivity of all pairwise estimates, as positions; exact.

    The estimates that the largest window can need are listed. Where ranks further out do not certify that no wider
    window is larger, more are listed, at most for the levels of levels_needed.
    Source: Algorithm 5 and the lemma on smooth sensitivity.

    Parameters
    ----------
    counts : CellCounts
    t : float
        Smoothness of the bound, 0 or more.
    least : float, in spacings of the grid
        Least value of the sensitivity, above 0.
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
        # The ends of the list stand in for entries beyond it, which widens no window.
        spread = float(medians.smooth_sensitivity(z, n - 1, t, z[0], z[-1], least))
        if levels == most or _no_wider_window(counts, t, levels, most, spread):
            return value, spread
        levels = min(most, 2 * levels)


def _width(n: int, level: int) -> int:
    """Compute the width of the window of a level, in estimates: (n - 1)(level + 1)."""
    return (n - 1) * (level + 1)


def _entries(counts: CellCounts, run: tuple[int, int, int], first: int, last: int) -> Floats:
    """List the sorted estimates number first .. last - 1, as positions, shape (last - first,).

    `run` is (value, start, stop): estimates number start .. stop - 1 are equal to a value that is among those listed.
    """
    value, start, stop = run
    low, high = counts.position(first), counts.position(last - 1)
    z = np.full(last - first, float(value))
    if low < value:
        _fill(z[: start - first], low, counts.up_to(low) - first, counts.between(low, value))
    if high > value:
        _fill(z[stop - first :], high, 0, counts.between(value, high))
    return z


def _fill(z: Floats, rest: int, start: int, batches: Iterator[Integers]) -> None:
    """Put `batches` into z from start on, sorted, and the number `rest` before and after them."""
    stop = start
    for batch in batches:
        z[stop : stop + batch.size] = batch
        stop += batch.size
    z[:start] = z[stop:] = rest
    z[start:stop] = sort_whole(z[start:stop])


def _no_wider_window(counts: CellCounts, t: float, level: int, most: int, spread: float) -> bool:
    """Whether e^(-l t) W(w) <= spread for level < l <= most, by W(w) <= z[m+w] - z[m-w] and as W grows with w."""
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


def joint_medians(ranks: Sequence[PairRanks], epsilon: float, grid: PublicGrid) -> JointMedianLaw:
    """Compute the JointMedianLaw of all pairwise estimates, clipped to the range of the grid.

    The weight of a level is the product over the m points of its weight in exponential_law with a share epsilon / m: as
    there, few queries find nearly all of the mass. Then the levels whose boxes are known worst are queried, until
    the masses of all least and all largest boxes agree to TOLERANCE, or, after 400 queries, to a factor of two.

    Parameters
    ----------
    ranks : sequence of PairRanks
        Ranks at each point of the grid, in positions on the grid.
    epsilon : float
        Budget per changed estimate: that of the release over n - 1.
    grid : PublicGrid
    """
    tolerance = by_queries.TOLERANCE
    every = [_started(at_point, epsilon / len(ranks), grid, tolerance) for at_point in ranks]
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
        law = JointMedianLaw(points, every[0].total, epsilon / 4)
        enough = tolerance if sum(counts.queries for counts in every) < before + _QUERIES else 1.0
        if law.gaps.sum() <= enough:
            return law
        for counts in every:
            for level in law.levels[np.argsort(law.gaps)[-_WORST:]].tolist():
                _query_ends(counts, level)


def _query_ends(counts: CellCounts, level: int) -> None:
    """Query the stretches at both ends of the box of a level: where ranks linear in r lead, and halfway."""
    upper, probes = counts.total - level, []
    for stretch, number in (
        (np.searchsorted(counts.high, level), level),
        (np.searchsorted(counts.low, upper, "right") - 1, upper),
    ):
        lower_end, upper_end = counts.edges[stretch], counts.edges[stretch + 1]
        low, high = int(counts.low[stretch]), int(counts.high[stretch])
        if low < high:
            probes += [
                lower_end + share * (upper_end - lower_end)
                for share in ((number - low) / (high - low), 0.5)
            ]
    counts.split(np.minimum(probes, counts.cells - 1))
