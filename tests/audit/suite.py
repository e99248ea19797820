"""The audit of every mechanism: its plan, its parts, and the worst loss of each.

The plan holds neighbours on a small grid and awkward ones, data to draw from, and pairs that lose most. Each part of an
audit gives losses between two data sets, each with what is promised; a row holds the worst of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, combinations, product
from math import inf, log
from typing import Any

import numpy as np
import pandas as pd

from dpslr_core.audit.loss import (
    Loss,
    WorstLoss,
    all_neighbours,
    audit,
    compare_views,
    rows_worth_trying,
)
from dpslr_core.dataset import Dataset
from dpslr_core.laws.joint import JointLaw
from dpslr_core.mechanisms import MECHANISMS, algorithms
from dpslr_core.mechanisms.base import Mechanism, View
from dpslr_core.mechanisms.centered import CenteredStats
from dpslr_core.mechanisms.descent import GradientDescent
from dpslr_core.mechanisms.noisy_stats import NoisyStats
from dpslr_core.mechanisms.pairwise import MAX_MATCHED, MatchingMechanism
from dpslr_core.mechanisms.theil_sen import (
    DPExpTheilSen,
    DPSSTheilSen,
    DPWideTheilSen,
    JointTheilSen,
)
from dpslr_core.pairs import is_complete, ranks
from dpslr_core.privacy import Budget, NotPrivate
from dpslr_core.support import workers
from dpslr_core.support.types import Floats

from .draws import LEVEL, Agreement, DrawCase, compare_draws
from .neighbours import crossover_at, replacements, trained_loss
from .spending import RECORDS, measured_sizes, spendings

EPSILONS = (0.06, 0.5, 2.0, 16.0, 1e3)
POINTS = ((0.25, 0.75), (0.5,), (0.0, 0.5, 1.0))
PAIRS = 10_000  # per mechanism, by default
TRAINED_DRAWS = 30_000
_GRID = (0.0, 0.5, 1.0)

LISTS, RANKS = 10**9, 3  # crossovers by which no law and every law comes from rank queries
Way = tuple[int | None, int | None]  # the crossover for either data set; None: as it is
BOTH_SIDES: tuple[Way, ...] = ((LISTS, LISTS), (RANKS, RANKS), (LISTS, RANKS))
AT_CROSSOVER: tuple[Way, ...] = ((None, None), (LISTS, RANKS))
AS_IT_IS: tuple[Way, ...] = ((None, None),)


@dataclass(frozen=True)
class AuditPlan:
    """All that an audit tries apart from the neighbourhoods of ``plan``; full, or the reduced one of everyday tests."""

    full: bool = True
    seed: int = 0


@dataclass(frozen=True)
class Neighbourhood:
    """Groups of data sets that are all neighbours of one another, and how they are compared.

    ways: a pair is compared once for each, where laws can come from rank queries; otherwise once.
    """

    groups: tuple[tuple[Dataset, ...], ...]
    epsilon: float
    at: tuple[float, ...]
    ways: tuple[Way, ...]

    @property
    def pairs(self) -> list[tuple[Dataset, Dataset]]:
        """Every pair of neighbours."""
        return [pair for group in self.groups for pair in combinations(group, 2)]

    @property
    def n(self) -> int:
        """Number of records of each data set."""
        return self.groups[0][0].n


KINDS: dict[str, Callable[[int, np.random.Generator], tuple[Floats, Floats]]] = {
    "constant": lambda n, rng: (rng.random(n), np.full(n, 0.5)),
    "one outlier": lambda n, rng: (
        np.append(rng.random(n - 1), 1.0),
        np.append(np.full(n - 1, 0.5), 0.0),
    ),
    "binary": lambda n, rng: (rng.random(n), (rng.random(n) < 0.1).astype(float)),
    "zero-inflated": lambda n, rng: (
        rng.random(n),
        np.where(rng.random(n) < 0.8, 0.0, rng.random(n)),
    ),
    "collinear": lambda n, rng: ((x := rng.random(n)), 0.3 * x + 0.2),
    "two decimals": lambda n, rng: (
        (x := rng.random(n)).round(2),
        np.clip(0.5 * x + 0.2 + 0.1 * rng.standard_normal(n), 0, 1).round(2),
    ),
    "x in {0, 1}": lambda n, rng: (np.where(rng.random(n) < 0.5, 0.0, 1.0), rng.random(n)),
}


def plan(pairs: int = PAIRS, seed: int = 0) -> list[Neighbourhood]:
    """Neighbourhoods with at least this number of pairs, the same for the same seed.

    With the default 10,000: every pair of neighbours of three records on the 3 x 3 grid at five epsilons; awkward data
    of 4 to 12 and of 40 records; and, about the crossover of 1,500 and at 3,000, one pair of each kind. Where laws can
    come from rank queries, list is compared with list, ranks with ranks and one with the other; about the crossover
    laws as they are, and a list with ranks.
    With fewer pairs, an even choice.
    """
    rng, crossover = np.random.default_rng([seed, 9]), ranks.CROSSOVER

    def chosen(items: list[Any]) -> list[Any]:
        """All of them, or with fewer pairs an even choice."""
        return [
            items[i]
            for i in rng.permutation(len(items))[
                : max(1, round(min(1.0, pairs / PAIRS) * len(items)))
            ]
        ]

    def awkward(ns: Sequence[int], size: int, ways: tuple[Way, ...]) -> Iterator[Neighbourhood]:
        """Data sets of each kind and n, size of them, in which one record is replaced in several ways."""
        for kind, n in chosen(list(product(KINDS, ns))):
            data = Dataset(*KINDS[kind](n, rng))
            row = int(rng.choice(rows_worth_trying(data)))
            records = [
                record for record in replacements(data) if record != (data.x[row], data.y[row])
            ]
            replaced = [
                data.with_record(row, *records[i])
                for i in rng.permutation(len(records))[: size - 1]
            ]
            epsilon, at = EPSILONS[rng.integers(len(EPSILONS))], POINTS[rng.integers(len(POINTS))]
            yield Neighbourhood(((data, *replaced),), epsilon, at, ways)

    neighbourhoods = [
        Neighbourhood(tuple(chosen(_on_grid())), epsilon, POINTS[number % len(POINTS)], BOTH_SIDES)
        for number, epsilon in enumerate(EPSILONS)
    ]
    neighbourhoods += awkward((crossover - 1, crossover, crossover + 1), 2, AT_CROSSOVER)
    neighbourhoods += awkward((2 * crossover,), 2, AS_IT_IS)
    for _ in EPSILONS:
        neighbourhoods += awkward((40,), 4, BOTH_SIDES)
    while sum(len(each.pairs) for each in neighbourhoods) < pairs:
        neighbourhoods += awkward(range(4, 13), 9, BOTH_SIDES)
    return neighbourhoods


def _on_grid() -> list[tuple[Dataset, ...]]:
    """All groups of neighbours of three records on the 3 x 3 grid."""
    dataset = cache(lambda records: Dataset(*np.array(records).T))
    return [tuple(map(dataset, group)) for group in all_neighbours(_GRID, 3)]


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
    tied = np.clip(np.rint(50 * (0.3 + 0.4 * sixty + 0.2 * rng.standard_normal(60))) / 50, 0, 1)
    quarters, middle, three = POINTS

    def case(
        columns: Any, epsilon: float, at: tuple[float, ...], alone: int = singles, **how: Any
    ) -> DrawCase:
        return DrawCase(Dataset(*columns), epsilon, at, draws, alone, **how)

    few = [
        case((x, line), 2.0, quarters),
        case((far, rng.random(12)), 16.0, middle, singles if full else 0),
        case(six, 16.0, quarters, singles if full else 0),
        case((sixty, tied), 16.0, quarters, singles if full else 0, crossover=RANKS),
    ]
    if not full:
        return few
    one_outlier = KINDS["one outlier"](12, rng)
    many = [case(KINDS["two decimals"](n, rng), 2.0, quarters, 0) for n in (1499, 1600)]
    return [
        *few,
        case((np.full(8, 0.5), np.full(8, 0.5)), 2.0, three),
        case((np.repeat([0.0, 1.0], 6), np.tile([0.0, 0.5, 1.0], 4)), 16.0, quarters),
        case(([0.0, 0.3, 1.0], [0.2, 0.9, 0.4]), 0.5, quarters),
        case(one_outlier, 8.0, three),
        case(KINDS["collinear"](10, rng), 30.0, quarters),
        case((sixty, np.rint(tied)), 2.0, three, crossover=RANKS),
        case((x, line), 8.0, quarters, 100, coarse=False),
        *many,
    ]


@dataclass(frozen=True)
class SizePair:
    """Two data sets that differ in a number of records, and the budget of a release from them."""

    data: Dataset
    other: Dataset
    records: int
    epsilon: float
    at: tuple[float, ...]


def size_pairs(full: bool = True, seed: int = 0) -> Iterator[SizePair]:
    """Pairs on which single draws of mechanisms lose as much as they may, or nearly."""
    for epsilon, records, at, n in product(
        (2.0, 16.0) if full else (16.0,), RECORDS, ((0.25,), (0.25, 0.25)), (6, 20)
    ):
        # records at x = 1/4 move from just below all others' y to 1: every estimate with them there does the same
        x = np.append(np.full(records, 0.25), np.linspace(0.3, 1, n - records))
        below, above = (
            np.append(np.full(records, y), np.full(n - records, 0.5)) for y in (0.5 - 1e-6, 1.0)
        )
        yield SizePair(Dataset(x, below), Dataset(x, above), records, epsilon, at)
    rng, every = np.random.default_rng([seed, 11]), _on_grid()
    for i in rng.permutation(len(every))[: 12 if full else 4]:
        for one, other in combinations(every[i], 2):
            order = rng.permutation(3)  # neighbours are sets of records
            yield SizePair(one, Dataset(other.x[order], other.y[order]), 1, 2.0, POINTS[0])
    ties = np.repeat([0.0, 1.0], 6), np.append(np.tile([0.0, 1.0], 5), [0.0, 0.5])
    one, other = (Dataset(np.full(12, 0.5), y) for y in ties)
    yield SizePair(one, other, 1, 2.0, POINTS[0])


# ---------------------------------------------------------------- the mechanisms


def label(mechanism: Mechanism) -> str:
    """The algorithm with those hyperparameters that are not the default."""
    return repr(mechanism).removesuffix("()") if mechanism != type(mechanism)() else mechanism.name


def promising() -> list[Mechanism]:
    """The mechanisms that promise privacy, with their default hyperparameters; those of a user's file among them."""
    return [each() for each in algorithms() if not isinstance(each().guarantee(1.0), NotPrivate)]


def variants() -> list[Mechanism]:
    """Further hyperparameters by which releases are drawn in another way."""
    return [
        *(DPExpTheilSen(k=3), DPWideTheilSen(k=3), DPSSTheilSen(k=3), JointTheilSen(k=3)),
        *(NoisyStats(fallback=True, clip=True), CenteredStats(ridge=True, clip=True)),
    ]


@cache
def without_joint_law(mechanism: Mechanism) -> bool:
    """Whether no law of all that is released together is known: then trained events show what they can."""
    if isinstance(mechanism, GradientDescent):
        return True
    data = Dataset(np.linspace(0, 1, 20), np.linspace(0.2, 0.5, 20))
    law = mechanism.view(data, 1.0, np.array([0.25, 0.75])).law
    if type(mechanism).loss is not Mechanism.loss:
        return False
    return not law.parts or (
        isinstance(law, JointLaw) and law.dependence_unknown and type(mechanism) not in MECHANISMS
    )


@cache
def law_known(mechanism: Mechanism, n: int) -> bool:
    """Whether the loss between neighbours of n records can be computed at all."""
    if isinstance(mechanism, MatchingMechanism) and not is_complete(n, mechanism.k):
        return n <= MAX_MATCHED
    data, neighbour = (Dataset([0.0, 0.5, 1.0], [0.0, 0.5, y]) for y in (0.5, 1.0))
    return not np.isnan(audit(mechanism, data, neighbour, 1.0, (0.5,)).measured)


# ---------------------------------------------------------------- the parts of an audit

_ROUNDING = 1e-9  # of a loss, relative
_COMPOSED = 1e-6  # of a delta, relative

LAWS, SIZES, DRAWS = "laws of neighbours", "size of each draw", "draws"
SPENDING, TRAINED = "rules of accounting", "trained events"
RELEASES = "real releases"  # by dpslr_core.release, which stands on a higher floor


@dataclass(frozen=True)
class Row:
    """Part of the audit of a mechanism, with the number of its comparisons and the worst result.

    worst: the loss over what is promised; where laws come from ranks it is a certain lower bound. Of draws, "measured"
    is minus the logarithm of the chance of so large a deviation, and "promised" that of draws.LEVEL.
    """

    mechanism: str
    part: str
    comparisons: int
    worst: WorstLoss

    @property
    def holds(self) -> bool:
        """Whether the worst is within what is promised; a loss that is not known is not."""
        return bool(
            self.worst.loss.share <= 1 + (_COMPOSED if self.part == SPENDING else _ROUNDING)
        )


def _severity(worst_loss: WorstLoss) -> float:
    """The loss over the promise; a loss that is not known counts as broken."""
    return inf if np.isnan(worst_loss.loss.share) else worst_loss.loss.share


def audit_over(mechanism: Mechanism, neighbours: Neighbourhood) -> Row:
    """The worst loss of one mechanism over one neighbourhood, compared in all of its ways."""
    at = np.array(neighbours.at)

    @cache
    def view(data: Dataset, by_ranks: bool) -> View:
        with crossover_at(RANKS if by_ranks else LISTS):
            return mechanism.view(data, neighbours.epsilon, at)

    losses = list[WorstLoss]()
    for way in neighbours.ways if mechanism.by_ranks else AS_IT_IS:
        by_ranks = [
            mechanism.by_ranks and neighbours.n >= (crossover or ranks.CROSSOVER)
            for crossover in way
        ]
        for pair in neighbours.pairs:
            views = [view(*each) for each in zip(pair, by_ranks, strict=True)]
            loss = compare_views(mechanism, views[0], views[1], neighbours.epsilon)
            losses.append(WorstLoss(loss, *pair))
    return Row(label(mechanism), LAWS, len(losses), max(losses, key=_severity))


def _spending(mechanism: Mechanism, plan: AuditPlan) -> list[WorstLoss]:
    """Every rule of accounting, 1 to 3 records per person, by an accountant of its own."""
    data = Dataset([0.0, 0.5, 1.0], [0.0, 0.5, 1.0])  # these losses are of no data set
    epsilons, points = (
        ((0.5, 1.0, 2.0, 4.0, 8.0, 16.0), (1, 2, 4)) if plan.full else ((1.0, 16.0), (2,))
    )
    losses = [
        loss for loss in spendings(mechanism, epsilons, points) if not np.isnan(loss.measured)
    ]
    return [WorstLoss(loss, data, data) for loss in losses]


def _sizes(mechanism: Mechanism, plan: AuditPlan) -> list[WorstLoss]:
    """Range, shifts or log ratio of each draw between data sets on which it loses most, against what is declared."""
    losses = list[WorstLoss]()
    for pair in size_pairs(plan.full, plan.seed):
        measured = measured_sizes(
            mechanism, pair.data, pair.other, pair.epsilon, pair.at, pair.records
        )
        of_pair = [Loss(size, pair.records * draw.size, draw.kind.name) for size, draw in measured]
        losses += [WorstLoss(loss, pair.data, pair.other) for loss in of_pair]
    return losses


def _unlikely(agreement: Agreement, data: Dataset) -> WorstLoss:
    """The chance of a deviation as a loss: minus its logarithm, over that of LEVEL."""
    return WorstLoss(
        Loss(-log(agreement.p) if agreement.p > 0 else inf, -log(LEVEL), "-log p"), data, data
    )


def _draws(mechanism: Mechanism, plan: AuditPlan) -> list[WorstLoss]:
    """Releases of every kind, against the law that is audited or the noise that is declared."""
    return [
        _unlikely(each, case.data)
        for case in draw_cases(plan.full, plan.seed)
        for each in compare_draws(mechanism, case, plan.seed)
    ]


def _trained(mechanism: Mechanism, plan: AuditPlan) -> list[WorstLoss]:
    """Losses that an event trained on draws of the release shows, of releases of which no joint law is known.

    Three pairs of neighbours of 20 records at three epsilons, which move the release in different directions. Unless
    full, one of them at one epsilon.
    """
    corner, line = (
        (np.append(np.zeros(19), 0.5), np.ones(20)),
        (np.linspace(0, 1, 20), np.linspace(0.2, 0.5, 20)),
    )
    moves = [
        (corner, (0.5, 0.0)),
        (line, (1.0, 0.0)),
        ((np.full(20, 0.5), np.zeros(20)), (0.5, 1.0)),
    ]
    tried = product(
        EPSILONS[1:4] if plan.full else EPSILONS[2:3], moves if plan.full else moves[2:]
    )
    losses = []
    for epsilon, (columns, record) in tried if without_joint_law(mechanism) else ():
        data = Dataset(*columns)
        pair, budget = (data, data.with_record(19, *record)), Budget(epsilon, POINTS[0])
        losses.append(WorstLoss(trained_loss(mechanism, *pair, budget, TRAINED_DRAWS), *pair))
    return losses


_AUDITS: dict[str, Callable[[Mechanism, AuditPlan], list[WorstLoss]]] = {
    SPENDING: _spending,
    SIZES: _sizes,
    DRAWS: _draws,
    TRAINED: _trained,
}  # those that are audited algorithm by algorithm
PARTS = tuple(_AUDITS)
WorkUnit = (
    Neighbourhood | tuple[str, int]
)  # the laws of all mechanisms over it; a part of one mechanism's audit


def work_units(
    mechanisms: Sequence[Mechanism], neighbourhoods: Sequence[Neighbourhood]
) -> list[WorkUnit]:
    """The parts of a whole audit, each of which one process does at a time.

    Mechanisms share what a data set caches, so that one neighbourhood is one unit.
    """
    return [*product(PARTS, range(len(mechanisms))), *neighbourhoods]


def audit_units(
    mechanisms: Sequence[Mechanism],
    plan: AuditPlan,
    units: Sequence[WorkUnit],
    processes: int | str = 1,
) -> Iterator[list[Row]]:
    """The rows of each unit of work, in order, as they arrive. ValueError where processes cannot be had."""
    return workers.in_order(partial(_of_unit, tuple(mechanisms), plan), units, processes)


def _of_unit(mechanisms: Sequence[Mechanism], plan: AuditPlan, unit: WorkUnit) -> list[Row]:
    """The rows of one unit of work, made by a worker; none where nothing could be compared."""
    if isinstance(unit, Neighbourhood):
        return [
            audit_over(mechanism, unit) for mechanism in mechanisms if law_known(mechanism, unit.n)
        ]
    part, number = unit
    losses = _AUDITS[part](mechanisms[number], plan)
    if not losses:
        return []
    return [Row(label(mechanisms[number]), part, len(losses), max(losses, key=_severity))]


def examine(
    mechanism: Mechanism, plan: AuditPlan, neighbourhoods: Sequence[Neighbourhood] = ()
) -> Iterator[Row]:
    """Every part of the audit of one mechanism, as it is done; the neighbourhoods last, one row for each."""
    return chain.from_iterable(
        audit_units([mechanism], plan, work_units([mechanism], neighbourhoods))
    )


# ---------------------------------------------------------------- the result


def joined(rows: Iterable[Sequence[Row]]) -> list[Row]:
    """One row per mechanism and part, in the order in which they came first."""
    totals = dict[tuple[str, str], Row]()
    for row in chain.from_iterable(rows):
        key = row.mechanism, row.part
        if before := totals.get(key):
            worst = max(before.worst, row.worst, key=_severity)
            row = Row(*key, before.comparisons + row.comparisons, worst)
        totals[key] = row
    return list(totals.values())


def table(rows: Sequence[Row]) -> pd.DataFrame:
    """Columns mechanism, part, comparisons, worst (loss over promise) and n (of the worst)."""
    return pd.DataFrame(
        [
            {
                "mechanism": row.mechanism,
                "part": row.part,
                "comparisons": row.comparisons,
                "worst": row.worst.loss.share,
                "n": row.worst.data.n,
            }
            for row in rows
        ]
    )
