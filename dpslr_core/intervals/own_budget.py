"""Intervals that cost a budget of their own: by the depth of lines, and by quantiles of pairwise slopes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import isqrt, log, sqrt
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import gammaln, ndtri

from .. import pairs
from ..pairs.matchings import every_estimate
from ..support.types import Floats, Integers
from .equation import Intervals, Target, between_ends


def safety(cells: int, failure: float, weight: float) -> float:
    """How far the target must be above a value so that the crossing drawn is below that value with chance failure.

    The cell that holds the target has score 0; each of the others whose upper edge is below the value has a score of at
    most -safety, so that they come with a chance of at most cells exp(-weight safety) together.
    """
    return log(cells / failure) / weight


def crossing_chances(values: Floats, target: float, weight: float) -> Floats:
    """The chances of the cells: in proportion to exp(-weight distance(target, [f_j, f_(j+1)])), shape (cells,).

    values: f at the inner edges, nondecreasing, shape (cells - 1,); f is -inf at the first edge and inf at the last, so
    that some cell holds the target. weight: budget / (2 sensitivity), where replacing a record moves no value by more
    than the sensitivity.

    Private for every data set: both ends of [f_j, f_(j+1)] move by at most the sensitivity, and so does the distance of
    a number from an interval. Scoring cells and not edges, a jump of f past the target costs nothing.
    """
    below, above = np.append(-np.inf, values), np.append(values, np.inf)
    chances = np.exp(-weight * np.maximum(np.maximum(below - target, target - above), 0))
    return chances / chances.sum()


def draw_crossings(values: Floats, target: float, weight: float, size: int, rng: np.random.Generator) -> Integers:
    """size independent cells with these chances, shape (size,); arguments as in crossing_chances."""
    cumulated = np.cumsum(crossing_chances(values, target, weight))
    drawn = np.searchsorted(cumulated, rng.random(size) * cumulated[-1], side="right")
    return np.minimum(drawn, values.size)


@cache
def at_most(n: int, m: int) -> float:
    """P(M <= m) at the true line, for n records with independent errors that have median 0 and no two equal x.

    The signs s_i of the errors are then fair coins, and M = max_k |2 C_k - C_n| with the sums C_k of the first k. Given
    C_n = c the walk must stay between (c - m) / 2 and (c + m) / 2; by reflection at barriers a and b, one step beyond,
    the chance of that and of C_n = c is sum_j P(c + 2 j (b - a)) - P(2 b - c + 2 j (b - a)), P(s) = binom(n, (n+s)/2) /
    2^n. Records with equal x count as one step, so that M can only be smaller.
    """
    if m < 0:
        return 0.0
    ends = np.arange(-min(m, n), min(m, n) + 1)
    ends = ends[(ends + n) % 2 == 0]
    above = (ends + m) // 2 + 1  # the first place that is too high
    span = above - (-((m - ends) // 2) - 1)
    most = n // (2 * int(span.min(initial=n + 2))) + 1
    turns = np.arange(-most, most + 1)
    shift = 2 * turns[:, None] * span
    return float(min(1.0, (_chance(n, ends + shift) - _chance(n, 2 * above - ends + shift)).sum()))


def _chance(n: int, place: Integers) -> np.ndarray:
    """P(C_n = place) of n fair steps of +-1, same shape; places of the other parity must not occur."""
    inside = np.abs(place) <= n
    up = np.where(inside, (n + place) // 2, 0)
    return np.where(inside, np.exp(gammaln(n + 1) - gammaln(up + 1) - gammaln(n - up + 1) - n * np.log(2)), 0.0)


@cache
def depth_bound(n: int, level: float) -> int:
    """The least m with P(M <= m) >= level; near 3 sqrt(n) for 95%. It has the parity of n."""
    low, high = -1, min(n, 6 + 8 * isqrt(n))  # in steps of 2 from n: at_most(low) < level <= at_most(high)
    low, high = low - (low + n) % 2, high - (high + n) % 2
    while at_most(n, high) < level and high < n:
        high = min(n, 2 * high + (n % 2))
    while high - low > 2:
        middle = (low + high) // 2
        middle -= (middle + n) % 2
        low, high = (low, middle) if at_most(n, middle) >= level else (middle, high)
    return high


SENSITIVITY = 2.0
SHARE = 0.2  # of 1 - level, for the noise


@dataclass(frozen=True)
class DepthPlan:
    """The public numbers of a depth interval for n records: its target score, cut and weight.

    target: what the ends are drawn at. most: where scores are cut. weight: of a score in the exponent. out_of_reach: no
    score of n records can reach the target.
    """

    target: float
    most: float
    weight: float
    out_of_reach: bool = False

    @classmethod
    def of(cls, n: int, level: float, budget_of_end: float, cells: int) -> DepthPlan:
        """The plan whose intervals hold the true line at each point with chance level or more.

        budget_of_end: epsilon of each end; for zCDP the range of its log ratio.
        cells: of the grid, along each axis.
        """
        weight = budget_of_end / (2 * SENSITIVITY)
        bound = float(depth_bound(n, 1 - (1 - level) * (1 - SHARE)))
        margin = safety(cells, (1 - level) * SHARE / 2, weight)
        return cls(bound + margin, bound + 2 * margin, weight, bound + margin > n)


class PointCells(NamedTuple):
    """What is known at one point: least and greatest prediction of each cell, its least score, and the public edges."""

    low: Floats
    high: Floats
    least: Floats
    edges: Floats


def depth_intervals(
    points: Sequence[PointCells], plan: DepthPlan, level: float, size: int, rng: np.random.Generator
) -> Intervals:
    """size intervals at each of m points for the true line; errors need be independent with median 0 only.

    points: of all cells in which some line may have M < plan.most, with M by signs. Where the plan is out of reach the
    intervals have no ends, and the cells are not looked at. The line must lie in the public range of the grid.

    Both ends are crossings: A(t) = min of M over the lines with p(x) >= t, cut at plan.most, is nondecreasing and moves
    by at most 2 when a record is replaced, as M does. A cell of lines counts with a number that no M in it is below.
    The upper end drawn is above all lines with M <= depth_bound but for chance; the lower end likewise. Crossed ends
    are exchanged.
    """
    ends = []
    for cells in points:
        if plan.out_of_reach:
            ends.append((np.full(size, cells.edges[0]), np.full(size, cells.edges[-1])))
            continue
        mirrored = PointCells(-cells.high, -cells.low, cells.least, -cells.edges[::-1])
        ends.append((-upper_end(mirrored, plan, size, rng), upper_end(cells, plan, size, rng)))
    lower, upper = (np.column_stack(side) for side in zip(*ends, strict=True))
    reach = np.array([cells.edges[[0, -1]] for cells in points]).T
    return between_ends(lower, upper, reach, level, Target.TRUE_LINE, "depth region")


def upper_end(cells: PointCells, plan: DepthPlan, size: int, rng: np.random.Generator) -> Floats:
    """size upper ends, shape (size,)."""
    place = np.clip(np.searchsorted(cells.edges, cells.high, side="right") - 1, 0, cells.edges.size - 1)
    lowest = np.full(cells.edges.size, plan.most)
    np.minimum.at(lowest, place, cells.least)
    values = np.minimum.accumulate(lowest[::-1])[::-1]  # min over lines with p(x) >= edge
    return cells.edges[1 + draw_crossings(values[1:-1], plan.target, plan.weight, size, rng)]


CELLS = 400


def rank_reach(count: int, matchings: int, level: float) -> float:
    """How far the rank of the true slope is from count / 2 but for a share 1 - level, to normal theory.

    S = #above - #below has the variance N (1 + 2 (k - 1) / 9) over k matchings with N pairs: two pairs that share a
    record have signs with a covariance of 1/9 on average, and each shares one with 2 (k - 1) others. With all pairs
    k = n - 1 and this is Kendall's N (2n + 5) / 9. For errors that are independent and alike.
    """
    return float(ndtri((1 + level) / 2)) / 2 * sqrt(count * (1 + 2 * (matchings - 1) / 9))


def pairwise_slopes(
    x: Floats, y: Floats, k: int | None, steepest: float, size: int, rng: np.random.Generator
) -> Floats:
    """Sorted slopes of the lines through pairs of records, shape (size, N), cut to +-steepest.

    x, y: shape (n,). k: matchings, drawn for each row; None: all pairs, the same in each row. Pairs with equal x are at
    both ends in turn. A slope is a function of its two records alone, to the last bit.
    """
    if pairs.is_complete(x.size, k):
        slopes = np.sort(every_estimate(x, y, slopes_of_pairs)[0])
        row = pairs.clip_and_place_ties(slopes, -steepest, steepest)
        return np.broadcast_to(row, (size, row.size))
    drawn = np.sort(pairs.matched_estimates(x, y, int(k or 0), size, slopes_of_pairs, rng)[0], axis=-1)
    return pairs.clip_and_place_ties(drawn, -steepest, steepest)


def slopes_of_pairs(x: tuple[Floats, Floats], y: tuple[Floats, Floats]) -> Floats:
    """(y_j - y_i) / (x_j - x_i), shape (1, *x[0].shape); NaN where both x are equal."""
    run = x[1] - x[0]
    run[run == 0] = np.nan
    with np.errstate(over="ignore"):
        return ((y[1] - y[0]) / run)[None]


def slope_intervals(
    slopes: Floats, changed: int, steepest: float, level: float, budget_of_end: float, rng: np.random.Generator
) -> Intervals:
    """Intervals for the true slope, one for each row of sorted slopes, shape (size, 1).

    slopes: as pairwise_slopes, shape (size, N). changed: how many of a row one record changes: k, or n - 1.
    budget_of_end: epsilon of each end.

    The upper end is where #{slopes < t} crosses N/2 + rank_reach + safety, over public cells; the count moves by at
    most changed. The lower end likewise. Crossed ends are exchanged. Source: Sarathy and Vadhan (2022), here with cells
    in the place of an assumed density of slopes.
    """
    weight, count = budget_of_end / (2 * changed), slopes.shape[1]
    rank = rank_reach(count, changed, 1 - (1 - level) * (1 - SHARE))
    target = count / 2 + rank + safety(CELLS, (1 - level) * SHARE / 2, weight)
    edges = np.linspace(-steepest, steepest, CELLS + 1)
    below = _counts(slopes, edges[1:-1], "left")
    above = count - _counts(slopes, edges[1:-1], "right")
    upper = np.array([edges[1 + draw_crossings(row, target, weight, 1, rng)[0]] for row in below])
    lower = np.array([edges[-2 - draw_crossings(row[::-1], target, weight, 1, rng)[0]] for row in above])
    reach = np.array([[-steepest], [steepest]])
    return between_ends(lower[:, None], upper[:, None], reach, level, Target.TRUE_SLOPE, "quantiles")


def _counts(slopes: Floats, edges: Floats, side: Literal["left", "right"]) -> Floats:
    """Numbers in each row below (left) or at most (right) each edge, shape (size, edges)."""
    return np.array([np.searchsorted(row, edges, side=side) for row in slopes], dtype=float)
