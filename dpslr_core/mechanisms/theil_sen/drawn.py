"""Matchings drawn at random: all sets of them that few records have, and their estimates trial by trial."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, permutations

import numpy as np

from ... import pairs
from ...dataset import Dataset
from ...pairs.grid import PublicGrid
from ...pairs.matchings import Lines
from ...pairs.partially_sorted import PartiallySorted
from ...support.types import Floats

_CHUNK = 1_000_000  # pairwise estimates formed at a time

Pairs = tuple[tuple[int, ...], ...]


def drawn_estimates(
    records: tuple[Floats, Floats], k: int, lines: Lines, size: int, rng: np.random.Generator, unit: float | None = None
) -> Iterator[PartiallySorted]:
    """The estimates of size fresh sets of k matchings, of shape (points, trials, pairs), a bounded number at a time.

    records: x and y as lines takes them, each of shape (n,).
    k: the number of matchings, 1 or more, else ValueError.
    lines: as in pairs.matched_estimates.
    size: the number of trials.
    rng: the generator that all randomness comes from.
    unit: of the estimates where they are whole numbers.
    """
    n = records[0].size
    trials = max(1, _CHUNK // (pairs.pair_count(n, k) * 2 + n))
    for start in range(0, size, trials):
        estimates = pairs.matched_estimates(*records, k, min(trials, size - start), lines, rng)
        yield PartiallySorted(estimates, unit)


def lists_of(data: Dataset, matched: Pairs, grid: PublicGrid) -> list[Floats]:
    """The sorted list at each point of the pairs that k matchings drew, with both ends of the range around it."""
    first, second = np.array(matched).T
    x, y = grid.positions(data.x), grid.positions(data.y)
    estimates = np.sort(pairs.estimates(x, y, first, second, grid.heights), axis=-1)
    return list(pairs.with_ends(pairs.clip_and_place_ties(estimates, *grid.range), *grid.range))


@cache
def all_matchings(n: int, k: int) -> list[tuple[Pairs, float]]:
    """Every set of pairs that k random rounds of a random relabelling can give, with its probability."""
    rounds = [np.transpose(ends).tolist() for ends in zip(*pairs.rounds(n), strict=True)]
    counts = Counter(
        tuple(sorted(tuple(sorted((label[i], label[j]))) for r in chosen for i, j in rounds[r]))
        for label in permutations(range(n))
        for chosen in combinations(range(len(rounds)), k)
    )
    return [(matched, count / counts.total()) for matched, count in counts.items()]
