"""What every algorithm pays for, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ..mechanisms.accounting import admitted, guarantee, paid
from ..mechanisms.base import Mechanism
from ..privacy import booked
from ..support.run import Budget


def ledgers(mechanisms: Sequence[Mechanism], budget: Budget) -> pd.DataFrame:
    """Columns algorithm, guarantee (in words), what, cost (of it, for one record, in words), share (of the whole).

    A row for each part of each ledger, in order; mechanisms that the rule of the budget leaves out, and those that pay
    for nothing, have none.
    """
    rows = []
    for mechanism in admitted(mechanisms, budget):
        spending = paid(mechanism, budget)
        promise = str(guarantee(mechanism, budget.epsilon, budget.accounting))
        spends = mechanism.ledger(spending.epsilon, spending.at)
        costs = booked(spends, mechanism.guarantee(spending.epsilon))
        total = sum(spend.share for spend in spends)
        shares = [spend.share / total for spend in spends]
        parts = zip(costs, shares, strict=True)
        rows += [(mechanism.name, promise, what, str(cost), part) for (what, cost), part in parts]
    return pd.DataFrame(rows, columns=["algorithm", "guarantee", "what", "cost", "share"])
