"""The algorithms of a comparison in order of their error, under headings of what they promise."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ..mechanisms.accounting import Rule, comparable, guarantee
from ..mechanisms.base import Mechanism
from ..support.accounting import Accounting
from ..support.types import Promise

PURE, WEAKER, OPEN = "pure ε-differential privacy", "a weaker guarantee", "not private"
SAME = "the same guarantee"
FULL = (PURE, SAME)  # the headings of those that no other one promises more than


def ranking(
    summary: pd.DataFrame,
    mechanisms: Sequence[Mechanism],
    at: float,
    epsilon: float,
    accounting: Rule = Accounting.PAPER,
) -> pd.DataFrame:
    """The rows of a comparison's summary at one point: full guarantees, weaker ones, none; in each the best first.

    Columns algorithm, promise (PURE, WEAKER or OPEN; SAME where all have one guarantee), guarantee (in words), ratio
    and ratio95 (C(68) and C(95) in standard errors), and of the summary c68, c68_low, c68_high, c95, standard_error,
    bias, failure_rate, exact, how.
    """
    guarantees = {mechanism.name: guarantee(mechanism, epsilon, accounting) for mechanism in mechanisms}
    promises = {mechanism.name: promise_of(mechanism, epsilon, accounting) for mechanism in mechanisms}
    rows = summary[(summary["at"] == at) & summary["mechanism"].isin(list(guarantees))]
    rows = rows.rename(columns={"mechanism": "algorithm"})
    rows = rows.assign(
        promise=[promises[name] for name in rows["algorithm"]],
        guarantee=[str(guarantees[name]) for name in rows["algorithm"]],
        ratio95=rows["c95"] / rows["standard_error"].where(rows["standard_error"] > 0),
    )
    place = rows["promise"].map({PURE: 0, SAME: 0, WEAKER: 1, OPEN: 2})
    ordered = rows.assign(place=place).sort_values(["place", "c68"], kind="stable", ignore_index=True)
    return ordered.drop(columns="place")


def promise(guarantee: Promise) -> str:
    """The heading for a guarantee."""
    if not guarantee.private:
        return OPEN
    return PURE if guarantee.pure else WEAKER


def promise_of(mechanism: Mechanism, epsilon: float, accounting: Rule = Accounting.PAPER) -> str:
    """The heading for an algorithm that is run by a rule of accounting."""
    shown = guarantee(mechanism, epsilon, accounting)
    return SAME if comparable(mechanism, epsilon, accounting) and not shown.pure else promise(shown)


def best_pure(ranked: pd.DataFrame) -> str | None:
    """The algorithm with a full guarantee that has the smallest finite error, if there is one."""
    pure = ranked[ranked["promise"].isin(FULL) & (ranked["c68"] < float("inf"))]
    return None if pure.empty else str(pure["algorithm"].iloc[0])
