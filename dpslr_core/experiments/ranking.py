"""The algorithms of a comparison in order of their error, under headings of what they promise."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isnan, nan

import numpy as np
import pandas as pd

from ..mechanisms.base import Mechanism
from ..privacy import Guarantee
from ..privacy.accounting import Accounting, Rule, comparable, guarantee

PURE, WEAKER, OPEN = "pure ε-differential privacy", "a weaker guarantee", "not private"
SAME = "the same guarantee"
FULL = (PURE, SAME)  # the headings of those that no other one promises more than
ALIKE = 1e-3  # relative: errors that differ by less are the same to three digits


def ranking(
    summary: pd.DataFrame,
    mechanisms: Sequence[Mechanism],
    at: float,
    epsilon: float,
    accounting: Rule = Accounting.PAPER,
) -> pd.DataFrame:
    """The rows of a comparison's summary at one point: full guarantees, weaker ones, none; in each the best first.

    Columns algorithm, promise (PURE, WEAKER or OPEN; SAME where all have one guarantee), guarantee (in words), ratio
    and ratio95 (C(68) and C(95) in standard errors), aim (what its target is called), and of the summary c68, c68_low,
    c68_high, c95, gap, noise, standard_error, bias, failure_rate, exact, how.
    """
    guarantees = {mechanism.name: guarantee(mechanism, epsilon, accounting) for mechanism in mechanisms}
    promises = {mechanism.name: promise_of(mechanism, epsilon, accounting) for mechanism in mechanisms}
    names, errors, place = summary["mechanism"].tolist(), summary["c68"].tolist(), {WEAKER: 1, OPEN: 2}
    chosen = [row for row in np.flatnonzero(summary["at"] == at).tolist() if names[row] in guarantees]
    chosen.sort(key=lambda row: (place.get(promises[names[row]], 0), isnan(errors[row]), errors[row]))
    rows, algorithms = summary.take(chosen), [names[row] for row in chosen]
    aims = {mechanism.name: mechanism.aim for mechanism in mechanisms}
    standard_errors = rows["standard_error"].to_numpy(dtype=float)
    columns = {("algorithm" if name == "mechanism" else str(name)): rows[name].array for name in rows.columns}
    return pd.DataFrame(columns | {
        "promise": [promises[name] for name in algorithms],
        "guarantee": [str(guarantees[name]) for name in algorithms],
        "aim": [aims[name] for name in algorithms],
        "ratio95": rows["c95"].to_numpy(dtype=float) / np.where(standard_errors > 0, standard_errors, nan),
    })  # fmt: skip


def promise(guarantee: Guarantee) -> str:
    """The heading for a guarantee."""
    if not guarantee.private:
        return OPEN
    return PURE if guarantee.pure else WEAKER


def promise_of(mechanism: Mechanism, epsilon: float, accounting: Rule = Accounting.PAPER) -> str:
    """The heading for an algorithm that is run by a rule of accounting."""
    shown = guarantee(mechanism, epsilon, accounting)
    return SAME if comparable(mechanism, epsilon, accounting) and not shown.pure else promise(shown)


def tied_with_first(rows: pd.DataFrame) -> list[int]:
    """The places of the rows whose error cannot be told from the first one's, its own among them.

    rows: of a summary or a ranking at one point, the smallest c68 first. Of exact errors those that are the same to
    three digits; of others those whose interval reaches the first one's.
    """
    low, high, errors = (rows[name].to_numpy(dtype=float) for name in ("c68_low", "c68_high", "c68"))
    if not errors.size or not np.isfinite(errors[0]):
        return list(range(min(errors.size, 1)))
    exact = rows["exact"].to_numpy(dtype=bool)
    close = np.where(exact & exact[0], errors <= errors[0] * (1 + ALIKE), low <= high[0])
    return np.flatnonzero(close).tolist()


def best_pure(ranked: pd.DataFrame) -> str | None:
    """The algorithm with a full guarantee that has the smallest finite error, if there is one."""
    rows = zip(ranked["algorithm"].tolist(), ranked["promise"].tolist(), ranked["c68"].tolist(), strict=True)
    return next((str(name) for name, promised, error in rows if promised in FULL and error < inf), None)
