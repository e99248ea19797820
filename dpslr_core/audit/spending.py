"""Ledgers of several algorithms under a rule of accounting: the cost of every part of a release."""

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
    """Tabulate the parts of the releases of several algorithms, one row for each part of a ledger, in order.

    Mechanisms that the rule of the budget leaves out, and mechanisms without costs, have no rows.

    Parameters
    ----------
    mechanisms : sequence of Mechanism
        The algorithms.
    budget : Budget
        Budget, points and rule.
    named : callable
        Text of a part in the column what.

    Returns
    -------
    DataFrame
        Columns algorithm, guarantee (in words), what, cost (for one record, in words) and share (of the whole budget).
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
