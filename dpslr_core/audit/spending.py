"""Ledgers of several algorithms, under a rule of accounting."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from ..mechanisms.base import Mechanism
from ..privacy import Budget, Spend, booked
from ..privacy.accounting import admitted, guarantee, paid


def ledgers(
    mechanisms: Sequence[Mechanism],
    budget: Budget,
    named: Callable[[Spend], str] = lambda spend: spend.what,
) -> pd.DataFrame:
    """Columns algorithm, guarantee (in words), what, cost (of it, for one record, in words), share (of the whole).

    A row for each part of each ledger, in order; mechanisms that the rule of the budget leaves out, and those that pay
    for nothing, have none. named: what is said of a part.
    """
    rows = []
    for mechanism in admitted(mechanisms, budget):
        epsilon = paid(mechanism, budget).epsilon
        promise = str(guarantee(mechanism, budget))
        spends = mechanism.ledger(epsilon, budget.at)
        total = sum(spend.share for spend in spends)
        for spend, cost in booked(spends, mechanism.guarantee(epsilon)):
            rows.append((mechanism.name, promise, named(spend), str(cost), spend.share / total))
    return pd.DataFrame(rows, columns=["algorithm", "guarantee", "what", "cost", "share"])
