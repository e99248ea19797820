"""Data sets for rank queries, plain and nasty, and the sorted list that the queries replace."""

from functools import partial

import numpy as np

from dpslr_core import pairs
from dpslr_core.pairs.grid import PublicGrid
from dpslr_core.pairs.ranks import PairRanks
from tests.audit.suite import KINDS


def random_matchings(n, k, size, rng):
    """Both ends of every pair that matched_estimates draws, shape (2, size, k * (n // 2))."""
    records = np.arange(float(n))
    return pairs.matched_estimates(records, records, k, size, lambda x, y: np.stack(x), rng).astype(
        int
    )


def pair_estimates(x, y, first, second, lines):
    """The estimate from each pair of records, shape (points, *first.shape)."""
    return lines((x[first], x[second]), (y[first], y[second])).reshape(-1, *first.shape)


def direct_list(x, y, at):
    return np.sort(
        pair_estimates(x, y, *pairs.all_pairs(x.size), partial(pairs.lines_through, at=at))[0]
    )


def on_grid(x, y, at, lower=-0.5, upper=1.5):
    """The public grid, the ranks of positions on it, and the sorted and clipped list that they replace."""
    grid = PublicGrid(lower, upper, np.array([at]))
    x, y, lines = grid.positions(x), grid.positions(y), partial(grid.estimates, point=0)
    z = np.sort(pair_estimates(x, y, *pairs.all_pairs(x.size), lines)[0]) * grid.spacing
    return (
        grid,
        PairRanks(x, y, float(grid.positions(at)), lines),
        pairs.clip_and_place_ties(z, *grid.range),
    )


def synthetic(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.random(n)
    return x, np.clip(0.5 * x + 0.2 + 0.1 * rng.standard_normal(n), 0, 1)


def nasty(n=60, seed=0):
    """Data sets with ties in x, points at 0.5, equal records, equal estimates."""
    x, y = synthetic(n, seed)
    third = max(n // 3, 2)
    return {
        "plain": (x, y),
        "odd": (x[:-1], y[:-1]),
        "ties in x": (np.round(x * 10) / 10, y),
        "x at the point": (np.round(x * 4) / 4, y),
        "grid of 1/20": (np.round(x * 20) / 20, np.round(y * 20) / 20),
        "grid of 1/8": (np.round(x * 8) / 8, np.round(y * 8) / 8),
        "equal records": (np.repeat(x[:third], 3), np.repeat(y[:third], 3)),
        "one estimate": (x, np.full(n, 0.5)),
        "one line": (np.round(x * 16) / 16, np.round(x * 16) / 32 + 0.25),
        "constant x": (np.full(n, 0.25), y),
        "constant x at the point": (np.full(n, 0.5), y),
        "two x": (np.where(x < 0.5, 0.0, 1.0), y),
        "hardly any noise": (x, np.clip(x + 1e-7 * (y - 0.45), 0, 1)),
    }


def awkward(n, seed=0):
    """Outcomes and x that many records share, as the audit tries them."""
    rng = np.random.default_rng(seed)
    return {kind: make(n, rng) for kind, make in KINDS.items()}
