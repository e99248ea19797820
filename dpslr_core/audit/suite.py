"""The audit of every mechanism: what was compared, how, and the worst of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf, log
from typing import Any

import numpy as np
import pandas as pd

from ..dataset import Dataset
from ..laws.joint import JointLaw
from ..mechanisms import MECHANISMS, algorithms
from ..mechanisms.base import Mechanism, View
from ..mechanisms.centered.centered_stats import CenteredStats
from ..mechanisms.choice.by_centered_stats import ChooseByCenteredStats
from ..mechanisms.descent import DPGDApprox, DPGDPure, DPGDzCDP
from ..mechanisms.noisy_stats import NoisyStats
from ..mechanisms.theil_sen.exponential import DPExpTheilSen, DPWideTheilSen
from ..mechanisms.theil_sen.joint import JointTheilSen
from ..mechanisms.theil_sen.matchings import MAX_MATCHED, MatchingMechanism
from ..mechanisms.theil_sen.smooth import DPSSTheilSen
from ..pairs import is_complete, ranks
from ..privacy import Budget, NotPrivate, ReleaseKind
from ..support import workers
from ..support.run import stream
from .agreement import LEVEL, Agreement
from .draws import coarser, compare_draws
from .intervals import ends_of, interval_agreement, interval_loss, interval_pair
from .loss import CONFIDENCE, Loss, WorstLoss, compare_views, crossover_at, trained_loss
from .plan import AuditPlan, Neighbourhood, Way, size_pairs
from .spending import RECORDS, RULES, measured_sizes, spendings

_ROUNDING = 1e-9  # of a loss, relative
_COMPOSED = 1e-6  # of a loss that is composed on a grid, relative
TRAINED_DRAWS = 20_000

LAWS, SIZES, DRAWS, INTERVAL_LAWS = "laws of neighbours", "size of each draw", "draws", "laws of intervals"
INTERVAL_DRAWS, SPENDING, TRAINED = "draws of intervals", "rules of accounting", "trained events"
PARTS = (
    SPENDING,
    SIZES,
    DRAWS,
    INTERVAL_LAWS,
    INTERVAL_DRAWS,
    TRAINED,
)  # those that are audited algorithm by algorithm


@dataclass(frozen=True)
class Row:
    """One part of the audit of a mechanism: pairs or data sets tried, comparisons made, and the worst of them.

    worst: the loss over what is promised. Of draws, "measured" is minus the logarithm of the chance of so large a
    deviation, and "promised" that of agreement.LEVEL. exact: whether every loss was exact, and not a lower bound.
    """

    mechanism: str
    part: str
    compared: str
    pairs: int
    comparisons: int
    worst: WorstLoss
    exact: bool = True

    @property
    def holds(self) -> bool:
        """Whether the worst is within what is promised; a loss that is not known is not."""
        return bool(self.worst.loss.share <= 1 + (_COMPOSED if self.part == SPENDING else _ROUNDING))

    @property
    def how(self) -> str:
        """How the losses were measured."""
        return self.compared + ("" if self.exact else "; a certain lower bound where laws come from ranks")

    def with_(self, other: Row) -> Row:
        """Both rows of one mechanism and part as one."""
        worst_loss = max(self.worst, other.worst, key=_severity)
        counts = self.pairs + other.pairs, self.comparisons + other.comparisons
        return Row(self.mechanism, self.part, self.compared, *counts, worst_loss, self.exact and other.exact)


def _severity(worst_loss: WorstLoss) -> float:
    """The loss over the promise; a loss that is not known counts as broken."""
    return inf if np.isnan(worst_loss.loss.share) else worst_loss.loss.share


def promising() -> list[Mechanism]:
    """The mechanisms that promise privacy, with their default hyperparameters; those of a user's file among them."""
    return [each() for each in algorithms() if not isinstance(each().guarantee(1.0), NotPrivate)]


def variants() -> list[Mechanism]:
    """Further hyperparameters by which releases are drawn in another way."""
    matched: list[Mechanism] = [DPExpTheilSen(k=3), DPWideTheilSen(k=3), DPSSTheilSen(k=3), JointTheilSen(k=3)]
    of_sums = [
        NoisyStats(adaptive_ridge=True),
        NoisyStats(fallback=True, clip=True),
        CenteredStats(ridge=True, clip=True),
    ]
    return [*matched, *of_sums]


@cache
def without_joint_law(mechanism: Mechanism) -> bool:
    """Whether no law of all that is released together is known: then trained events show what they can."""
    if isinstance(mechanism, DPGDPure | DPGDApprox | DPGDzCDP | ChooseByCenteredStats):
        return True
    data = Dataset(np.linspace(0, 1, 20), np.linspace(0.2, 0.5, 20))
    view = mechanism.view(data, 1.0, np.array([0.25, 0.75]))
    if type(mechanism).loss is not Mechanism.loss:
        return False
    return not view.law.parts or (
        isinstance(view.law, JointLaw) and view.law.apart and type(mechanism) in own_algorithms()
    )


def own_algorithms() -> set[type[Mechanism]]:
    """The algorithms of the user's file."""
    return set(algorithms()) - set(MECHANISMS)


def end_to_end() -> list[Mechanism]:
    """What is audited by trained events: releases of which no joint law is known."""
    return [each for each in (*promising(), *variants()) if without_joint_law(each)]


def audit_over(mechanism: Mechanism, neighbours: Neighbourhood) -> Row:
    """The worst loss of one mechanism over one neighbourhood, compared in all of its ways."""
    at, views = np.array(neighbours.at), {}

    def view(number: int, crossover: int | None) -> View:
        data = neighbours.datasets[number]
        key = number, mechanism.by_ranks and data.n >= (crossover or ranks.CROSSOVER)
        if key not in views:
            with crossover_at(crossover or ranks.CROSSOVER):
                views[key] = mechanism.view(data, neighbours.epsilon, at)
        return views[key]

    def worst_of(way: Way) -> WorstLoss:
        losses = []
        for first, second in neighbours.pairs:
            mine, theirs = view(first, way[0]), view(second, way[1])
            loss = compare_views(mechanism, mine, theirs, neighbours.epsilon)
            losses.append(WorstLoss(loss, mine.data, theirs.data))
        return max(losses, key=_severity)

    ways = neighbours.ways if mechanism.by_ranks else neighbours.ways[:1]
    most = max((worst_of(way) for way in ways), key=_severity)
    pairs, exact = len(neighbours.pairs), all(view.law.exact for view in views.values())
    apart = any(isinstance(view.law, JointLaw) and view.law.apart and len(neighbours.at) > 1 for view in views.values())
    compared = mechanism.compared + (" at each point alone" if apart else "")
    return Row(label(mechanism), LAWS, compared, pairs, pairs * len(ways), most, exact)


def draws_over(mechanism: Mechanism, neighbours: Neighbourhood, draws: int) -> Row:
    """The worst loss over one neighbourhood that an event trained on draws of the release shows.

    ValueError where draws < 4.
    """
    shown = [
        WorstLoss(
            trained_loss(mechanism, data, neighbour, Budget(neighbours.epsilon, neighbours.at), draws), data, neighbour
        )
        for data, neighbour in ([neighbours.datasets[i] for i in pair] for pair in neighbours.pairs)
    ]
    compared = f"a lower bound by Clopper-Pearson limits at {CONFIDENCE:.4%}"
    most, pairs = max(shown, key=_severity), len(shown)
    return Row(label(mechanism), TRAINED, compared, pairs, pairs, most)


def label(mechanism: Mechanism) -> str:
    """The algorithm with those hyperparameters that are not the default."""
    return repr(mechanism).removesuffix("()") if mechanism != type(mechanism)() else mechanism.name


def sizes_over(mechanism: Mechanism, plan: AuditPlan) -> Row | None:
    """How large single draws are between data sets on which they lose most, against what is declared for them."""
    shares, pairs = list[WorstLoss](), 0
    for pair in size_pairs(mechanism, plan.full, plan.seed):
        arguments = pair.epsilon, pair.at, pair.released
        measured = measured_sizes(mechanism, pair.data, pair.other, *arguments, records=pair.records)
        losses = [Loss(size, pair.records * draw.size, draw.kind.name) for size, draw in measured]
        shares += [WorstLoss(loss, pair.data, pair.other) for loss in losses]
        pairs += bool(losses)
    how = "range, shifts or log ratio of each draw, 1 to 3 records replaced, intervals included"
    return Row(label(mechanism), SIZES, how, pairs, len(shares), max(shares, key=_severity)) if shares else None


def draws_compared(mechanism: Mechanism, plan: AuditPlan) -> Row | None:
    """Releases of every kind, against the law that is audited or the noise that is declared."""
    compared = [each for case in plan.cases for each in compare_draws(mechanism, case, plan.seed)]
    if not compared:
        return None
    paths = list(dict.fromkeys(each.path for each in compared))
    against = list(dict.fromkeys(each.against for each in compared))
    how = f"{', '.join(paths)}, against {' and '.join(against)}"
    most = max((_unlikely(each.agreement, each.case.data) for each in compared), key=_severity)
    return Row(label(mechanism), DRAWS, how, len(plan.cases), len(compared), most)


def _unlikely(agreement: Agreement, data: Dataset) -> WorstLoss:
    """The chance of a deviation as a loss: minus its logarithm, over that of LEVEL."""
    return WorstLoss(Loss(-log(agreement.p) if agreement.p > 0 else inf, -log(LEVEL), "-log p"), data, data)


def interval_laws_over(mechanism: Mechanism, plan: AuditPlan) -> Row | None:
    """The laws of all ends of an interval together between neighbours, against the promise."""
    losses = list[WorstLoss]()
    for pair in size_pairs(mechanism, plan.full, plan.seed):
        if pair.released is not ReleaseKind.PREDICTIONS and pair.records == 1:
            for level in (0.5, 0.95):
                arguments = pair.epsilon, pair.at, pair.released, level
                if loss := interval_loss(mechanism, pair.data, pair.other, *arguments):
                    losses.append(WorstLoss(loss, pair.data, pair.other))
    how = "exact laws of both ends, at all points together"
    pairs, most = len(losses) // 2, max(losses, key=_severity, default=None)
    return Row(label(mechanism), INTERVAL_LAWS, how, pairs, len(losses), most) if most else None


def interval_draws_over(mechanism: Any, plan: AuditPlan) -> Row | None:
    """Intervals that cost a budget of their own, drawn together and one by one, against the law of their ends."""
    fewer, (size, singles), compared = coarser(mechanism), plan.interval_draws, list[WorstLoss]()
    for released in (ReleaseKind.INTERVALS, ReleaseKind.SLOPE_INTERVAL):
        if not hasattr(mechanism, released.method):
            continue
        for data, epsilon, at, level in _interval_cases(fewer, released, plan):
            ends, rng = (
                ends_of(fewer, data, epsilon, at, released, level),
                stream(plan.seed, "ends", data.digest, epsilon),
            )
            if ends is None:
                continue
            method = getattr(fewer, released.method)
            arguments = (at, level) if released is ReleaseKind.INTERVALS else (level,)
            for count, each in ((1, size), (singles, 1)):
                drawn = [method(data, epsilon, *arguments, each, rng=rng) for _ in range(count)]
                compared.append(_unlikely(interval_agreement(drawn, ends, rng), data))
    if not compared:
        return None
    how = "intervals drawn together and one by one, against the exact laws of their ends"
    return Row(label(mechanism), INTERVAL_DRAWS, how, len(compared) // 2, len(compared), max(compared, key=_severity))


def _interval_cases(
    mechanism: Mechanism, released: ReleaseKind, plan: AuditPlan
) -> Iterator[tuple[Dataset, float, tuple[float, ...], float]]:
    """Data sets, budgets, points and levels to draw intervals from."""
    rng = np.random.default_rng([plan.seed, 12])
    for epsilon, n, level in ((16.0, 60, 0.95), (4.0, 150, 0.8))[: 2 if plan.full else 1]:
        x = rng.random(n)
        y = np.clip(0.3 + 0.4 * x + 0.1 * rng.standard_normal(n), 0, 1)
        few = released is ReleaseKind.SLOPE_INTERVAL and getattr(mechanism, "k", None)
        at = (0.25, 0.75) if released is ReleaseKind.INTERVALS else (0.5,)
        yield (Dataset(x[:6], y[:6]), 60.0, at, 0.5) if few else (Dataset(x, y), epsilon, at, level)
    if pair := interval_pair(mechanism, 16.0, 1, released):
        yield pair[0], 16.0, (0.5,), 0.95


def spending_over(mechanism: Mechanism, plan: AuditPlan) -> Row | None:
    """Every rule of accounting, 1 to 3 records per person, predictions and intervals, composed exactly."""
    data = Dataset([0.0, 0.5, 1.0], [0.0, 0.5, 1.0])  # these losses are of no data set
    losses = [each.loss for each in spendings(mechanism, RULES, RECORDS, *plan.budgets)]
    known = [WorstLoss(loss, data, data) for loss in losses if not np.isnan(loss.measured)]
    if not known:
        return None
    how = f"{len(RULES)} rules, {len(RECORDS)} numbers of records per person, all that is released: draws composed"
    return Row(label(mechanism), SPENDING, how, 0, len(known), max(known, key=_severity))


def trained_over(mechanism: Mechanism, plan: AuditPlan, draws: int = TRAINED_DRAWS) -> Row | None:
    """Trained events, of releases of which no joint law is known."""
    if not without_joint_law(mechanism):
        return None
    rows = [draws_over(mechanism, neighbours, draws) for neighbours in plan.trained]
    return joined([rows])[0]


_AUDITS = {
    SPENDING: spending_over,
    SIZES: sizes_over,
    DRAWS: draws_compared,
    INTERVAL_LAWS: interval_laws_over,
    INTERVAL_DRAWS: interval_draws_over,
    TRAINED: trained_over,
}


def examine(mechanism: Mechanism, plan: AuditPlan, neighbourhoods: Sequence[Neighbourhood] = ()) -> Iterator[Row]:
    """Every part of the audit of one mechanism, as it is done; the neighbourhoods last, one row for each."""
    for part in PARTS:
        if row := _AUDITS[part](mechanism, plan):
            yield row
    for neighbours in neighbourhoods:
        if law_known(mechanism, neighbours.datasets[0].n):
            yield audit_over(mechanism, neighbours)


def law_known(mechanism: Mechanism, n: int) -> bool:
    """Whether the loss between neighbours of n records can be computed at all."""
    if isinstance(mechanism, MatchingMechanism) and not is_complete(n, mechanism.k):
        return n <= MAX_MATCHED
    return _law_known(mechanism)


@cache
def _law_known(mechanism: Mechanism) -> bool:
    data, neighbour = (Dataset([0.0, 0.5, 1.0], [0.0, 0.5, y]) for y in (0.5, 1.0))
    mine, theirs = (mechanism.view(each, 1.0, np.array([0.5])) for each in (data, neighbour))
    return not np.isnan(compare_views(mechanism, mine, theirs, 1.0).measured)


WorkUnit = Neighbourhood | tuple[str, int]  # the laws of all mechanisms over it; a part of one mechanism's audit


def work_units(mechanisms: Sequence[Mechanism], neighbourhoods: Sequence[Neighbourhood]) -> list[WorkUnit]:
    """The parts of a whole audit, each of which one process does at a time.

    Mechanisms share what a data set caches, so that one neighbourhood is one unit.
    """
    return [*((part, number) for part in PARTS for number in range(len(mechanisms))), *neighbourhoods]


def audit_units(
    mechanisms: Sequence[Mechanism], plan: AuditPlan, units: Sequence[WorkUnit], processes: int | str = 1
) -> Iterator[list[Row]]:
    """The rows of each unit of work, in order, as they arrive. ValueError where processes cannot be had."""
    return workers.in_order(_Task(tuple(mechanisms), plan), units, processes)


@dataclass(frozen=True)
class _Task:
    """The rows of one unit of work, made by a worker."""

    mechanisms: tuple[Mechanism, ...]
    plan: AuditPlan

    def __call__(self, unit: WorkUnit) -> list[Row]:
        if isinstance(unit, Neighbourhood):
            n = unit.datasets[0].n
            return [audit_over(mechanism, unit) for mechanism in self.mechanisms if law_known(mechanism, n)]
        part, number = unit
        row = _AUDITS[part](self.mechanisms[number], self.plan)
        return [row] if row else []


def joined(rows: Iterable[Sequence[Row]]) -> list[Row]:
    """One row per mechanism and part, in the order in which they came first."""
    totals = dict[tuple[str, str], Row]()
    for each in rows:
        for row in each:
            key = row.mechanism, row.part
            totals[key] = totals[key].with_(row) if key in totals else row
    return list(totals.values())


def table(rows: Sequence[Row]) -> pd.DataFrame:
    """Columns mechanism, part, pairs, comparisons, worst (loss over promise), n (of the worst), holds, how."""
    columns = {
        "mechanism": [row.mechanism for row in rows],
        "part": [row.part for row in rows],
        "pairs": [row.pairs for row in rows],
        "comparisons": [row.comparisons for row in rows],
        "worst": [row.worst.loss.share for row in rows],
        "n": [row.worst.data.n for row in rows],
        "holds": [row.holds for row in rows],
        "how": [row.how for row in rows],
    }
    return pd.DataFrame(columns)


def conclusion(rows: Sequence[Row]) -> list[str]:
    """What was compared, and what was not: sentences to end an audit with. First whether all holds."""
    broken = list(dict.fromkeys(row.mechanism for row in rows if not row.holds))
    counts = Counter(row.part for row in rows)
    done = {part: sum(row.comparisons for row in rows if row.part == part) for part in counts}
    names = list(dict.fromkeys(row.mechanism for row in rows))
    said = [f"The promise is broken: {', '.join(broken)}." if broken else "Nothing compared exceeds what is promised."]
    parts = [
        f"{part} ({done[part]:,} comparisons, {counts[part]} algorithms)" for part in (LAWS, *PARTS) if part in counts
    ]
    said.append(f"Compared: {'; '.join(parts)}.")
    by_law = {row.mechanism for row in rows if row.part == LAWS}
    if events := [name for name in names if name not in by_law]:
        said.append(f"By trained events alone, which show only what is large: {', '.join(events)}.")
    if DRAWS in counts:
        false_alarms = (done.get(DRAWS, 0) + done.get(INTERVAL_DRAWS, 0)) * LEVEL
        said.append(f"All draws together raise a false alarm with a chance of {false_alarms:.0e} at most.")
    said.append(
        "Not compared: running time, the last bits of floating-point numbers, other hyperparameters, and data that the "
        "plan does not hold."
    )
    return said
