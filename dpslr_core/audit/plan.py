"""Plan of an audit: neighbours on a small grid and awkward ones, data to draw from, and pairs that lose most."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from ..dataset import Dataset, Record
from ..mechanisms.base import Mechanism
from ..pairs import ranks
from ..privacy import ReleaseKind
from ..support import validate
from ..support.types import Floats
from .draws import DrawCase
from .intervals import interval_pair
from .search import all_neighbours, replaceable, replacements
from .spending import EPSILONS as BUDGETS
from .spending import POINTS as NUMBERS_OF_POINTS
from .spending import RECORDS

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


def plan_by_draws(full: bool = True) -> list[Neighbourhood]:
    """Three pairs of neighbours of 20 records at three epsilons, which move the release in different directions.

    Unless full, one of them at one epsilon.
    """
    corner, line = (np.append(np.zeros(19), 0.5), np.ones(20)), (np.linspace(0, 1, 20), np.linspace(0.2, 0.5, 20))
    datasets = tuple(Dataset(*columns) for columns in (corner, line, (np.full(20, 0.5), np.zeros(20))))
    moved = [data.with_record(19, *to) for data, to in zip(datasets, [(0.5, 0.0), (1.0, 0.0), (0.5, 1.0)], strict=True)]
    pairs = ((0, 3), (1, 4), (2, 5))[0 if full else 2 :]
    epsilons = EPSILONS[1:4] if full else EPSILONS[2:3]
    return [Neighbourhood((*datasets, *moved), pairs, epsilon, POINTS[0], AS_IT_IS) for epsilon in epsilons]


def draw_cases(full: bool = True, seed: int = 0) -> list[DrawCase]:
    """Data sets to draw from: few and many records, ties, no variance, x far from 1/2, drawn by lists and by ranks.

    Unless full, four of them, fewer draws of each, and one by one from the first alone.
    """
    rng = np.random.default_rng([seed, 10])
    draws, singles = (4_000, 2_000) if full else (2_000, 1_000)
    x, far = np.linspace(0, 1, 20), 0.85 + 0.15 * rng.random(12)
    line = np.clip(0.2 + 0.5 * x + 0.1 * rng.standard_normal(20), 0, 1)
    six = np.linspace(0, 1, 6), np.array([0.1, 0.3, 0.2, 0.6, 0.5, 0.9])
    sixty = rng.random(60)
    tied = sixty, np.clip(np.rint(50 * (0.3 + 0.4 * sixty + 0.2 * rng.standard_normal(60))) / 50, 0, 1)
    quarters, middle, three = POINTS
    few = [
        DrawCase("a line", Dataset(x, line), 2.0, quarters, draws, singles),
        DrawCase("x far from 1/2", Dataset(far, rng.random(12)), 16.0, middle, draws, singles if full else 0),
        DrawCase("six records", Dataset(*six), 16.0, quarters, draws, singles if full else 0),
        DrawCase("by ranks", Dataset(*tied), 16.0, quarters, draws, singles if full else 0, RANKS),
    ]
    if not full:
        return few
    ties = np.repeat([0.0, 1.0], 6), np.tile([0.0, 0.5, 1.0], 4)
    constant, one_outlier = (np.full(8, 0.5), np.full(8, 0.5)), KINDS["one outlier"](12, rng)
    many = [
        DrawCase(f"{n:,} records", Dataset(*KINDS["two decimals"](n, rng)), 2.0, quarters, draws, 0)
        for n in (1499, 1600)
    ]
    return [
        *few,
        DrawCase("constant", Dataset(*constant), 2.0, three, draws, singles),
        DrawCase("ties", Dataset(*ties), 16.0, quarters, draws, singles),
        DrawCase("three records", Dataset([0.0, 0.3, 1.0], [0.2, 0.9, 0.4]), 0.5, quarters, draws, singles),
        DrawCase("one outlier", Dataset(*one_outlier), 8.0, three, draws, singles),
        DrawCase("collinear", Dataset(*KINDS["collinear"](10, rng)), 30.0, quarters, draws, singles),
        DrawCase("by ranks, ties", Dataset(tied[0], np.rint(tied[1])), 2.0, three, draws, singles, RANKS),
        DrawCase("the grid as it is", Dataset(x, line), 8.0, quarters, draws, 100, coarse=False),
        *many,
    ]


@dataclass(frozen=True)
class SizePair:
    """Two data sets that differ in so many records, and what is released from them."""

    data: Dataset
    other: Dataset
    records: int
    epsilon: float
    at: tuple[float, ...]
    released: ReleaseKind = ReleaseKind.PREDICTIONS


def size_pairs(mechanism: Mechanism, full: bool = True, seed: int = 0) -> Iterator[SizePair]:
    """Pairs on which single draws of a mechanism lose as much as they may, or nearly."""
    for epsilon in (2.0, 16.0) if full else (16.0,):
        for records in RECORDS:
            for at in ((0.25,), (0.25, 0.25)):
                yield SizePair(*_moved_medians(6, records), records, epsilon, at)
                yield SizePair(*_moved_medians(20, records), records, epsilon, at)
    rng = np.random.default_rng([seed, 11])
    every = list(all_neighbours((0.0, 0.5, 1.0), 3))
    for i in rng.permutation(len(every))[: 12 if full else 4].tolist():
        datasets = [Dataset(*np.array(records).T) for records in every[i]]
        for one, other in combinations(datasets, 2):
            order = rng.permutation(3)  # neighbours are sets of records
            yield SizePair(one, Dataset(other.x[order], other.y[order]), 1, 2.0, (0.25, 0.75))
    ties = np.repeat([0.0, 1.0], 6), np.append(np.tile([0.0, 1.0], 5), [0.0, 0.5])
    one, other = (Dataset(np.full(12, 0.5), y) for y in ties)
    yield SizePair(one, other, 1, 2.0, (0.25, 0.75))
    for kind in (ReleaseKind.INTERVALS, ReleaseKind.SLOPE_INTERVAL):
        if hasattr(mechanism, kind.method):
            numbers = (1, 2) if full and kind is ReleaseKind.INTERVALS else (1,)
            for epsilon, records, points in product((2.0, 16.0), RECORDS if full else (1,), numbers):
                if pair := interval_pair(mechanism, epsilon, points, kind, records):
                    yield SizePair(*pair, records, epsilon, (0.5,) * points, kind)


def _moved_medians(n: int, records: int) -> tuple[Dataset, Dataset]:
    """Records at x = 1/4 that move from just below all others' y to 1: every estimate with them there does the same."""
    x = np.append(np.full(records, 0.25), np.linspace(0.3, 1, n - records))
    y = np.append(np.full(records, 0.5 - 1e-6), np.full(n - records, 0.5))
    return Dataset(x, y), Dataset(x, np.append(np.ones(records), y[records:]))


@dataclass(frozen=True)
class AuditPlan:
    """All that an audit tries beside the neighbourhoods of ``plan``; full, or the reduced one of everyday tests."""

    full: bool = True
    seed: int = 0

    @property
    def cases(self) -> list[DrawCase]:
        """Data sets to draw from."""
        return draw_cases(self.full, self.seed)

    @property
    def trained(self) -> list[Neighbourhood]:
        """Neighbours for trained events."""
        return plan_by_draws(self.full)

    @property
    def budgets(self) -> tuple[Sequence[float], Sequence[int]]:
        """The epsilons and numbers of points of every rule of accounting."""
        return (BUDGETS, NUMBERS_OF_POINTS) if self.full else ((1.0, 16.0), (2,))

    @property
    def interval_draws(self) -> tuple[int, int]:
        """Intervals drawn together, and one by one."""
        return (4_000, 1_000) if self.full else (2_000, 300)


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
        replaced = [data.with_record(row, *records[i]) for i in rng.permutation(len(records))[: size - 1].tolist()]
        epsilon, at = EPSILONS[rng.integers(len(EPSILONS))], POINTS[rng.integers(len(POINTS))]
        neighbourhoods.append(Neighbourhood((data, *replaced), tuple(combinations(range(size), 2)), epsilon, at, ways))
    return neighbourhoods
