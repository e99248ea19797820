"""An interval for the slope from private quantiles of the pairwise slopes."""

from __future__ import annotations

from math import sqrt
from typing import Literal

import numpy as np
from scipy.special import ndtri

from .. import pairs
from ..pairs.complete import every_estimate
from ..support.types import Floats
from .crossing import draw_crossings, safety
from .result import Intervals, Target, between_ends

CELLS = 400
_SHARE = 0.2  # of 1 - level, for the noise


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
        slopes = np.sort(every_estimate(x, y, _slopes)[0])
        row = pairs.clip_and_place_ties(slopes, -steepest, steepest)
        return np.broadcast_to(row, (size, row.size))
    drawn = np.sort(pairs.matched_estimates(x, y, int(k or 0), size, _slopes, rng)[0], axis=-1)
    return pairs.clip_and_place_ties(drawn, -steepest, steepest)


def _slopes(x: tuple[Floats, Floats], y: tuple[Floats, Floats]) -> Floats:
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
    rank = rank_reach(count, changed, 1 - (1 - level) * (1 - _SHARE))
    target = count / 2 + rank + safety(CELLS, (1 - level) * _SHARE / 2, weight)
    edges = np.linspace(-steepest, steepest, CELLS + 1)
    below = _counts(slopes, edges[1:-1], "left")
    above = count - _counts(slopes, edges[1:-1], "right")
    upper = np.array([edges[1 + _cell(row, target, weight, rng)] for row in below])
    lower = np.array([edges[-2 - _cell(row[::-1], target, weight, rng)] for row in above])
    reach = np.array([[-steepest], [steepest]])
    return between_ends(lower[:, None], upper[:, None], reach, level, Target.TRUE_SLOPE, "quantiles")


def _counts(slopes: Floats, edges: Floats, side: Literal["left", "right"]) -> Floats:
    """How many of each row are below (left) or at most (right) each edge, shape (size, edges)."""
    if slopes.strides[0] == 0:  # one row for all
        counts = np.searchsorted(slopes[0], edges, side=side).astype(float)
        return np.broadcast_to(counts, (len(slopes), edges.size))
    return np.array([np.searchsorted(row, edges, side=side) for row in slopes], dtype=float)


def _cell(values: Floats, target: float, weight: float, rng: np.random.Generator) -> int:
    return int(draw_crossings(values, target, weight, 1, rng)[0])
