"""Laws of private medians of all pairwise estimates for large n, from rank queries instead of the sorted list.

The density of the exponential mechanism at r, exp(-epsilon |N - 2 rank(r)| / 4), is known wherever the rank is,
and between two ranks it lies between its values there: queries pin it between two staircases. Near the median,
where nearly all the mass is, the estimates themselves are listed (or counted in fine bins), in time proportional
to their number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .. import _validate
from .._types import Floats, Integers
from ..pairwise.ranks import PairRanks
from ..pairwise.ranktable import RankTable
from .base import Law
from .piecewise import PiecewiseUniform

_QUERIES = 400  # after so many rank queries a law is left as it is
_STEPS = 1 << 18  # pieces that a stretch is listed in or binned into
_MOST = 3e8  # estimates that are listed without having tried queries first: 5 to 15 seconds


@dataclass(frozen=True, eq=False)
class StaircaseLaw(Law):
    """A law whose log density, up to one constant, lies between log_low[i] and log_high[i] from edge i to i + 1.

    edges: shape (p + 1,), non-decreasing; log_low <= log_high: shape (p,); log_density(r, piece): the exact value
    at points r of the pieces so numbered. cdf, ppf and logpdf are those of the staircase with the logarithmic mean
    of both densities in each piece (exact where the logarithm is linear); the cdf is off by no more than
    ``cdf_error``. Draws are exact.
    """

    edges: Floats
    log_low: Floats
    log_high: Floats
    log_density: Callable[[Floats, Integers], Floats]

    exact: ClassVar[bool] = False

    @property
    def how(self) -> str:
        return f"law to {self.cdf_error:.0e}"

    def error_bound_interval(self, q: float, center: float) -> tuple[float, float]:
        """Bounds on the exact C(q): a mass is known to twice cdf_error."""
        margin = 200 * self.cdf_error
        low, high = self.error_bounds((max(q - margin, 0), min(q + margin, 100)), center)
        return float(low), float(high)

    @cached_property
    def _middle(self) -> PiecewiseUniform:
        return PiecewiseUniform(self.edges, _mean(self.log_low, self.log_high))

    @cached_property
    def _upper(self) -> PiecewiseUniform:
        return PiecewiseUniform(self.edges, self.log_high)

    @cached_property
    def cdf_error(self) -> float:
        """No cdf(t) is further from the exact one than this.

        With mass errors of at most E left of t and E' right of it and the exact total T, the cdf is off by at most
        (E (1 - F) + E' F) / T.
        """
        low, middle, high = _masses(self.edges, self.log_low, self._middle.log_density, self.log_high)
        error, total = float(np.maximum(high - middle, middle - low).sum()), float(low.sum())
        return error / total if error < total else 1.0

    def cdf(self, t: ArrayLike) -> Floats:
        return self._middle.cdf(t)

    def ppf(self, q: ArrayLike) -> Floats:
        return self._middle.ppf(q)

    def logpdf(self, t: ArrayLike) -> Floats:
        return self._middle.logpdf(t)

    def _within(self, c: float, center: float) -> tuple[float, float]:
        return self._middle._within(c, center)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """size exact draws, shape (size,): proposals under the upper staircase, most accepted under the lower.

        Only a proposal between the two costs a query, so that size draws cost about size times the relative gap.
        """
        _validate.generator(rng=rng)
        drawn = np.empty(0)
        while drawn.size < size:
            proposed = self._upper.ppf(rng.random(size - drawn.size))
            height = np.log1p(-rng.random(proposed.size))  # log of a uniform on (0, 1]
            piece = np.searchsorted(self.edges, proposed, side="right") - 1
            piece = np.clip(piece, 0, self.log_low.size - 1)
            accepted = height <= (self.log_low - self.log_high)[piece]
            open_ = np.flatnonzero(~accepted)
            if open_.size:
                exact = self.log_density(proposed[open_], piece[open_])
                accepted[open_] = height[open_] <= exact - self.log_high[piece[open_]]
            drawn = np.concatenate([drawn, proposed[accepted]])
        return drawn


def _mean(log_low: Floats, log_high: Floats) -> Floats:
    """The logarithm of the logarithmic mean (high - low) / (log high - log low)."""
    fall = log_high - log_low
    with np.errstate(divide="ignore", invalid="ignore"):
        return log_high + np.log(np.where(fall > 1e-9, -np.expm1(-fall) / fall, 1.0))


def _masses(edges: Floats, *log_densities: Floats) -> list[Floats]:
    """Masses of uniform pieces under each density, all up to the same factor."""
    with np.errstate(divide="ignore", under="ignore"):
        log_lengths = np.log(np.diff(edges))
        top = np.max(log_lengths + log_densities[-1])
        return [np.exp(log_lengths + log_density - top) for log_density in log_densities]


@dataclass(frozen=True, eq=False)
class _Exact:
    """The exact log density at r + shift[piece], -rate |#above - #below|."""

    table: RankTable
    rate: float
    shift: Floats

    def __call__(self, r: Floats, piece: Integers) -> Floats:
        counts = np.array([self.table.counts(float(point)) for point in r + self.shift[piece]], dtype=float)
        return -self.rate * np.abs(self.table.total - counts.sum(axis=1))


def exponential_law(
    ranks: PairRanks, epsilon: float, lower: float, upper: float, tolerance: float = 1e-3
) -> StaircaseLaw:
    """The law of medians.exponential_pieces for all pairwise estimates clipped to [lower, upper].

    epsilon: the budget per changed number, that is the share of the point over n - 1. The masses under both
    staircases agree to the relative tolerance, or as far as 400 rank queries lead: see ``cdf_error``.
    """
    table = _started(ranks, epsilon, lower, upper, tolerance)
    _refine(table, epsilon / 4, 0.0, tolerance)
    return _law(table, epsilon / 4, 0.0)


def widened_law(
    ranks: PairRanks, epsilon: float, lower: float, upper: float, theta: float, tolerance: float = 1e-3
) -> StaircaseLaw:
    """The law of medians.widened_pieces; theta >= 0, else as exponential_law."""
    _validate.non_negative(theta=theta)
    table = _started(ranks, epsilon, lower, upper, tolerance)
    middle = _middle_set(table)  # first: between edges that are estimates rounding would decide what is listed
    _refine(table, epsilon / 4, 0.0, tolerance)
    _pin(table, *middle)
    _refine(table, epsilon / 4, theta, tolerance)
    return _law(table, epsilon / 4, theta)


def _middle_set(table: RankTable) -> tuple[Floats, Floats]:
    """The set where |#above - #below| is least, as in medians.widened_pieces, and the ranks around it.

    Its two ends, and the numbers of entries before it, within it (half-way where above and below balance) and up
    to its end.
    """
    total, middle = table.total, table.total // 2
    if (run := table.run(middle)) is None:
        reach = 2 * table.ranks.n + 1  # further than equal entries go on that are not a run
        first, last = max(middle - reach, 0), min(middle + reach + 1, total)
        value = (z := table.entries(first, last))[middle - first]
        run = value, *(first + int(np.searchsorted(z, value, side)) for side in ("left", "right"))
    value, below, at_most = run
    left_gap, right_gap, at_value = abs(total - 2 * below), abs(total - 2 * at_most), abs(total - below - at_most)
    if at_value < min(left_gap, right_gap):
        return np.array([value, value]), np.array([below, (total - at_value) / 2, at_most])
    if left_gap <= right_gap:
        before = table.entries(below - 1, below)[0] if below else table.edges[0]
        return np.array([before, value]), np.array([below - 1.0, below, at_most])
    after = table.entries(at_most, at_most + 1)[0] if at_most < total else table.edges[-1]
    return np.array([value, after]), np.array([below, at_most, at_most + 1.0])


def _pin(table: RankTable, ends: Floats, counts: Floats) -> None:
    """Make the middle set the flat piece of the table."""
    start = min(int(np.searchsorted(table.edges, ends[0], side="right")), table.low.size) - 1
    stop = max(int(np.searchsorted(table.edges, ends[1], side="left")), start + 1)
    low, high = np.append(table.low[start], counts[1:]), np.append(counts[:2], table.high[stop - 1])
    table.put(start, stop, ends, low, high)
    table.flat = start + 1
    table.low[table.flat] = table.high[table.flat] = counts[1]  # whatever the pieces around it say


def _started(ranks: PairRanks, epsilon: float, lower: float, upper: float, tolerance: float) -> RankTable:
    """A table with the first queries around the median."""
    _validate.positive(epsilon=epsilon, tolerance=tolerance)
    _validate.ordered(lower=lower, upper=upper)
    # 0.004: three standard errors of the guess.
    half = max(1.2 * _half_width(epsilon / 4, tolerance) / (ranks.pairs + ranks.tied), 0.004)
    shares = np.clip(0.5 + half * np.array([-5, -2, -1, 0, 1, 2, 5]), 0, 1)
    # Not on an estimate, where rounding would decide what is counted.
    guess = np.clip(ranks.guess(shares) + 1e-12 * (upper - lower), lower, upper)
    table = RankTable(ranks.central, lower, upper)
    table.split(guess)
    return table


def _half_width(rate: float, tolerance: float) -> float:
    """How many ranks from the median the density has fallen to e^-2 of the tolerance."""
    return (2 - np.log(min(tolerance, 1.0))) / (2 * rate)


def _refine(table: RankTable, rate: float, theta: float, tolerance: float) -> None:
    """Query and list until the masses under both staircases agree to the tolerance."""
    paid = 0  # queries made before the last listing
    while table.queries < _QUERIES:
        low, high = _bounds(table, rate)
        low_mass, middle, high_mass = _masses(_moved(table, theta), low, _mean(low, high), high)
        gap = high_mass - low_mass
        if gap.sum() <= tolerance * low_mass.sum():
            return
        spared = tolerance * middle.sum() / 4
        start = int(np.searchsorted(np.cumsum(gap), spared, side="right"))
        stop = gap.size - int(np.searchsorted(np.cumsum(gap[::-1]), spared, side="right"))
        if _worth_listing(table, start, stop, table.queries - paid, 4 * _half_width(rate, tolerance)):
            steps = int(min(max(_STEPS, 64 / tolerance), 1 << 22))
            _list(table, start, stop, steps)
            paid = table.queries
        elif not table.split(_points(table, rate, tolerance, gap)):
            return


def _worth_listing(table: RankTable, start: int, stop: int, queries: int, aim: float) -> bool:
    """Whether to list these pieces: they are not the outcome of a listing, not flat, and hold few estimates.

    Few means as many as are in reach of the median whatever is queried, or as cost no more than the queries so far.
    """
    if not 0 < stop - start < _STEPS // 2 or start <= table.flat < stop:
        return False
    n = table.ranks.n
    # Measured: 5 n log2(n) ns for a query, 45 to 70 ns for an estimate. Up to 2^16 estimates go at once.
    few = max(1 << 16, min(aim, _MOST), queries * n * np.log2(n) / 6)
    return bool(table.high[stop - 1] - table.low[start] <= few)


def _list(table: RankTable, start: int, stop: int, steps: int) -> None:
    """Resolve pieces start .. stop - 1: edges at every estimate, or equal bins if there are more than steps."""
    first, count = table.low[start], table.high[stop - 1] - table.low[start]
    if count <= steps:
        ranks = first + np.arange(count + 1)
        table.put(start, stop, table.listed(start, stop), ranks, ranks)
        return
    edges = np.linspace(table.edges[start], table.edges[stop], steps + 1)
    inside = np.zeros(steps, dtype=np.int64)
    for found in table.ranks.between(edges[0], edges[-1]):
        step = ((found - edges[0]) * (steps / (edges[-1] - edges[0]))).astype(np.int64)
        inside += np.bincount(np.clip(step, 0, steps - 1, out=step), minlength=steps)
    ranks = first + np.concatenate([[0], np.cumsum(inside)])
    table.put(start, stop, edges[1:-1], ranks[:-1], ranks[1:])


def _points(table: RankTable, rate: float, tolerance: float, gap: Floats) -> Floats:
    """Where to query next in the four pieces with the largest gaps, as if ranks were linear in r, and half-way."""
    points = []
    for i in np.argsort(gap)[-4:]:
        size = table.high[i] - table.low[i]
        if gap[i] <= 0 or size <= 0:
            continue
        if 2 * table.low[i] < table.total < 2 * table.high[i]:
            half = _half_width(rate, tolerance)
            shares = (table.total / 2 + np.array([-half, half]) - table.low[i]) / size
        else:
            # Splitting at t leaves a gap of t + (1 - 2t) e^(-fall t), least near t = log(fall) / fall.
            fall = 2 * rate * size
            near = min(0.5, np.log1p(fall) / fall)
            shares = np.array([near if 2 * table.low[i] >= table.total else 1 - near])
        shares = np.append(shares[(shares > 0) & (shares < 1)], 0.4987)  # half-way might be a round estimate
        points.append(table.edges[i] + shares * (table.edges[i + 1] - table.edges[i]))
    return np.concatenate([np.zeros(0), *points])


def _bounds(table: RankTable, rate: float) -> tuple[Floats, Floats]:
    """The least and the greatest log density in each piece."""
    at_low, at_high = np.abs(table.total - 2 * table.low), np.abs(table.total - 2 * table.high)
    around = (2 * table.low < table.total) & (2 * table.high > table.total)
    return -rate * np.maximum(at_low, at_high), -rate * np.where(around, 0.0, np.minimum(at_low, at_high))


def _moved(table: RankTable, theta: float) -> Floats:
    """The edges with those up to the flat piece moved down by theta and the others up, inside the range."""
    shift = np.where(np.arange(table.edges.size) <= table.flat, -theta, theta)
    return np.clip(table.edges + shift, table.edges[0], table.edges[-1])


def _law(table: RankTable, rate: float, theta: float) -> StaircaseLaw:
    shift = np.where(np.arange(table.low.size) < table.flat, theta, -theta)
    return StaircaseLaw(_moved(table, theta), *_bounds(table, rate), _Exact(table, rate, shift))
