"""Neighbours that an audit tries: all of them on a small grid, and awkward data on both sides of the crossover."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from ..dataset import Dataset, Record
from ..pairs import ranks
from ..support import validate
from ..support.types import Floats
from .loss import all_neighbours
from .search import replaceable, replacements, with_record

EPSILONS = (0.06, 0.5, 2.0, 16.0, 1e3)
POINTS = ((0.25, 0.75), (0.5,), (0.0, 0.5, 1.0))
PAIRS = 10_000  # per mechanism, by default

LISTS, RANKS = 10**9, 3  # crossovers by which no law and every law comes from rank queries
Way = tuple[int | None, int | None]  # the crossover for either data set; None: as it is
BOTH_SIDES: tuple[Way, ...] = ((LISTS, LISTS), (RANKS, RANKS), (LISTS, RANKS))
AT_CROSSOVER: tuple[Way, ...] = ((None, None), (LISTS, RANKS))
AS_IT_IS: tuple[Way, ...] = ((None, None),)

Make = Callable[[int, np.random.Generator], tuple[Floats, Floats]]


@dataclass(frozen=True)
class Neighbourhood:
    """Data sets, the pairs of them that are neighbours, and how they are compared.

    ways: a pair is compared once for each, where laws can come from rank queries; otherwise once.
    """

    datasets: tuple[Dataset, ...]
    pairs: tuple[tuple[int, int], ...]
    epsilon: float
    at: tuple[float, ...]
    ways: tuple[Way, ...]


def _constant(n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    return rng.random(n), np.full(n, 0.5)


def _one_outlier(n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    return np.append(rng.random(n - 1), 1.0), np.append(np.full(n - 1, 0.5), 0.0)


def _binary(n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    return rng.random(n), (rng.random(n) < 0.1).astype(float)


def _zero_inflated(n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    return rng.random(n), np.where(rng.random(n) < 0.8, 0.0, rng.random(n))


def _collinear(n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    x = rng.random(n)
    return x, 0.3 * x + 0.2


def _two_decimals(n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    x = rng.random(n)
    y = np.clip(0.5 * x + 0.2 + 0.1 * rng.standard_normal(n), 0, 1)
    return np.rint(100 * x) / 100, np.rint(100 * y) / 100


def _two_x(n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    return np.where(rng.random(n) < 0.5, 0.0, 1.0), rng.random(n)


KINDS: dict[str, Make] = {
    "constant": _constant,
    "one outlier": _one_outlier,
    "binary": _binary,
    "zero-inflated": _zero_inflated,
    "collinear": _collinear,
    "two decimals": _two_decimals,
    "x in {0, 1}": _two_x,
}


def plan(pairs: int = PAIRS, seed: int = 0) -> list[Neighbourhood]:
    """Neighbourhoods with at least so many pairs, the same for the same seed.

    With the default 10,000: every pair of neighbours of three records on the 3 x 3 grid at five epsilons; awkward data
    of 4 to 12 and of 40 records; and, about the crossover of 1,500 and at 3,000, one pair of each kind. Where laws can
    come from rank queries, list is compared with list, ranks with ranks and one with the other; about the crossover
    laws as they are, and a list with ranks.
    With fewer pairs, an even choice. ValueError where pairs < 1 or seed < 0.
    """
    validate.integer(1, pairs=pairs)
    validate.integer(0, seed=seed)
    rng, share = np.random.default_rng([seed, 9]), min(1.0, pairs / PAIRS)
    crossover = ranks.CROSSOVER
    neighbourhoods = [_on_grid(number, share, rng) for number in range(len(EPSILONS))]
    neighbourhoods += _awkward((crossover - 1, crossover, crossover + 1), share, 2, AT_CROSSOVER, rng)
    neighbourhoods += _awkward((2 * crossover,), share, 2, AS_IT_IS, rng)
    neighbourhoods += [each for _ in EPSILONS for each in _awkward((40,), share, 4, BOTH_SIDES, rng)]
    while sum(len(each.pairs) for each in neighbourhoods) < pairs:
        neighbourhoods += _awkward(range(4, 13), share, 9, BOTH_SIDES, rng)
    return neighbourhoods


def plan_by_draws() -> list[Neighbourhood]:
    """Two pairs of neighbours of 20 records at three epsilons, which move the release in different directions."""
    corner, line = (np.append(np.zeros(19), 0.5), np.ones(20)), (np.linspace(0, 1, 20), np.linspace(0.2, 0.5, 20))
    datasets = tuple(Dataset(*columns) for columns in (corner, line))
    moved = with_record(datasets[0], 19, (0.5, 0.0)), with_record(datasets[1], 19, (1.0, 0.0))
    pairs = ((0, 2), (1, 3))
    return [Neighbourhood((*datasets, *moved), pairs, epsilon, POINTS[0], AS_IT_IS) for epsilon in EPSILONS[1:4]]


def _on_grid(number: int, share: float, rng: np.random.Generator) -> Neighbourhood:
    """All neighbours of three records on the 3 x 3 grid, or a share of them, at one of the epsilons."""
    chosen = list(all_neighbours((0.0, 0.5, 1.0), 3))
    tried = rng.permutation(len(chosen))[: max(1, round(share * len(chosen)))]
    place: dict[tuple[Record, ...], int] = {}
    pairs = []
    for neighbours in (chosen[i] for i in tried.tolist()):
        pairs += list(combinations([place.setdefault(records, len(place)) for records in neighbours], 2))
    datasets = tuple(Dataset(*np.array(records).T) for records in place)
    return Neighbourhood(datasets, tuple(pairs), EPSILONS[number], POINTS[number % len(POINTS)], BOTH_SIDES)


def _awkward(
    ns: Sequence[int], share: float, size: int, ways: tuple[Way, ...], rng: np.random.Generator
) -> list[Neighbourhood]:
    """For each kind of data and n, or a share of them, so many data sets that differ in one record: all are neighbours.

    One record of a data set is replaced in several ways.
    """
    combined = list(product(KINDS, ns))
    tried = rng.permutation(len(combined))[: max(1, round(share * len(combined)))]
    neighbourhoods = []
    for kind, n in (combined[i] for i in tried.tolist()):
        data = Dataset(*KINDS[kind](n, rng))
        row = int(rng.choice(replaceable(data)))
        records = [record for record in replacements(data) if record != (data.x[row], data.y[row])]
        replaced = [with_record(data, row, records[i]) for i in rng.permutation(len(records))[: size - 1].tolist()]
        epsilon, at = EPSILONS[rng.integers(len(EPSILONS))], POINTS[rng.integers(len(POINTS))]
        neighbourhoods.append(Neighbourhood((data, *replaced), tuple(combinations(range(size), 2)), epsilon, at, ways))
    return neighbourhoods
