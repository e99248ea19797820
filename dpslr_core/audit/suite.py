"""The audit of every mechanism over a plan of neighbours: the table of worst losses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..mechanisms import MECHANISMS
from ..mechanisms.base import Mechanism, View
from ..mechanisms.choice.by_centered_stats import ChooseByCenteredStats
from ..mechanisms.gradient.descent import DPGDApprox, DPGDPure, DPGDzCDP
from ..mechanisms.theil_sen.exponential import DPExpTheilSen, DPWideTheilSen
from ..mechanisms.theil_sen.joint import JointTheilSen
from ..mechanisms.theil_sen.smooth import DPSSTheilSen
from ..pairs import ranks
from ..privacy import NotPrivate
from ..support import workers
from ..support.run import Budget
from .loss import WorstLoss, compare_views, crossover_at
from .plan import Neighbourhood, Way
from .trained import CONFIDENCE, trained_loss

_ROUNDING = 1e-9  # of a loss, relative


@dataclass(frozen=True)
class Row:
    """What a mechanism lost at most over some neighbours: pairs tried (for each epsilon), comparisons made, the worst.

    exact: whether every comparison was exact, and not a lower bound.
    """

    mechanism: str
    compared: str
    pairs: int
    comparisons: int
    worst: WorstLoss
    exact: bool

    @property
    def how(self) -> str:
        """How the losses were measured."""
        return self.compared + ("" if self.exact else "; a certain lower bound where laws come from ranks")

    def with_(self, other: Row) -> Row:
        """Both rows of one mechanism as one."""
        worst = max(self.worst, other.worst, key=_severity)
        counts = self.pairs + other.pairs, self.comparisons + other.comparisons
        return Row(self.mechanism, self.compared, *counts, worst, self.exact and other.exact)


def _severity(worst: WorstLoss) -> float:
    """The loss over the promise; a loss that is not known counts as broken."""
    return np.inf if np.isnan(worst.loss.share) else worst.loss.share


def promising() -> list[Mechanism]:
    """The mechanisms that promise privacy, with their default hyperparameters."""
    return [each() for each in MECHANISMS if not isinstance(each().guarantee(1.0), NotPrivate)]


def end_to_end() -> list[Mechanism]:
    """What is audited by draws: releases without a law."""
    matched = [DPExpTheilSen(k=3), DPWideTheilSen(k=3), DPSSTheilSen(k=3), JointTheilSen(k=3)]
    return [DPGDPure(), DPGDApprox(), DPGDzCDP(), ChooseByCenteredStats(), *matched]


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
    worst = max((worst_of(way) for way in ways), key=_severity)
    pairs, exact = len(neighbours.pairs), all(view.law.exact for view in views.values())
    return Row(mechanism.name, mechanism.compared, pairs, pairs * len(ways), worst, exact)


def draws_over(mechanism: Mechanism, neighbours: Neighbourhood, draws: int) -> Row:
    """The worst loss over one neighbourhood that an event trained on draws of the release shows.

    ValueError where draws < 4.
    """
    worst = [
        WorstLoss(
            trained_loss(mechanism, data, neighbour, Budget(neighbours.epsilon, neighbours.at), draws), data, neighbour
        )
        for data, neighbour in ([neighbours.datasets[i] for i in pair] for pair in neighbours.pairs)
    ]
    compared = f"draws: a trained event, {CONFIDENCE:.1%} Clopper-Pearson limits"
    most, pairs = max(worst, key=_severity), len(worst)
    return Row(f"{mechanism.name}, end to end", compared, pairs, pairs, most, True)


def audit_plan(
    mechanisms: Sequence[Mechanism], neighbourhoods: Sequence[Neighbourhood], draws: int = 0, processes: int | str = 1
) -> Iterator[list[Row]]:
    """The rows of all mechanisms over each neighbourhood, in order, as they arrive; by so many draws if not 0.

    Mechanisms share what a data set caches, so one neighbourhood is one unit of work. ValueError where processes
    cannot be had, or 0 < draws < 4.
    """
    return workers.in_order(_Task(tuple(mechanisms), draws), list(neighbourhoods), processes)


@dataclass(frozen=True)
class _Task:
    """What a worker does with one neighbourhood."""

    mechanisms: tuple[Mechanism, ...]
    draws: int

    def __call__(self, neighbours: Neighbourhood) -> list[Row]:
        if self.draws:
            return [draws_over(mechanism, neighbours, self.draws) for mechanism in self.mechanisms]
        return [audit_over(mechanism, neighbours) for mechanism in self.mechanisms]


def joined(rows: Sequence[list[Row]]) -> list[Row]:
    """One row per mechanism."""
    totals = list(rows[0])
    for more in rows[1:]:
        totals = [total.with_(row) for total, row in zip(totals, more, strict=True)]
    return totals


def table(rows: Sequence[Row]) -> pd.DataFrame:
    """Columns mechanism, pairs, comparisons, worst (loss over promise), n (of the worst), holds, how."""
    columns = {
        "mechanism": [row.mechanism for row in rows],
        "pairs": [row.pairs for row in rows],
        "comparisons": [row.comparisons for row in rows],
        "worst": [row.worst.loss.share for row in rows],
        "n": [row.worst.data.n for row in rows],
        "holds": [bool(row.worst.loss.share <= 1 + _ROUNDING) for row in rows],
        "how": [row.how for row in rows],
    }
    return pd.DataFrame(columns)
