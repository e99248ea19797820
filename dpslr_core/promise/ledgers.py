"""What every algorithm pays for, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ..mechanisms.accounting import admitted, guarantee, paid
from ..mechanisms.base import Mechanism
from ..support.run import Budget


def ledgers(mechanisms: Sequence[Mechanism], budget: Budget) -> pd.DataFrame:
    """Columns algorithm, guarantee (in words), what, epsilon (spent on it for each record), share (of the whole).

    A row for each part of each ledger, in order; mechanisms that the rule of the budget leaves out, and those that pay
    for nothing, have none.
    """
    rows = []
    for mechanism in admitted(mechanisms, budget):
        spending = paid(mechanism, budget)
        promise = str(guarantee(mechanism, budget.epsilon, budget.accounting))
        spends = mechanism.ledger(spending.epsilon, spending.at)
        total = sum(spend.share for spend in spends)
        rows += [(mechanism.name, promise, spend.what, spend.share, spend.share / total) for spend in spends]
    return pd.DataFrame(rows, columns=["algorithm", "guarantee", "what", "epsilon", "share"])
