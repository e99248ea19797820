"""Leader among algorithms: classes of guarantees, ranks by error, and ties with the best.

Every page, report and command that names a best algorithm asks here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, isnan, nan

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..mechanisms.base import Mechanism
from ..privacy import Budget
from ..privacy.accounting import PAPER, AccountingLike, admitted, comparable, guarantee
from .areas import shares_below

PURE, WEAKER, NOT_PRIVATE = "pure ε-differential privacy", "a weaker guarantee", "not private"
EQUAL = "the same guarantee"
STRONGEST = (PURE, EQUAL)  # classes of guarantee that no other one promises more than
PRIVATE = (*STRONGEST, WEAKER)
CLASS_ORDER = {PURE: 0, EQUAL: 0, WEAKER: 1, NOT_PRIVATE: 2}
ALIKE = 1e-3  # relative: errors that differ by less are the same to three digits


def guarantee_class(mechanism: Mechanism, budget: Budget) -> str:
    """Classify an algorithm's guarantee under the rule of a budget: PURE, EQUAL, WEAKER or NOT_PRIVATE."""
    shown = guarantee(mechanism, budget)
    if not shown.private:
        return NOT_PRIVATE
    if shown.pure:
        return PURE
    return EQUAL if comparable(mechanism, budget) else WEAKER


def candidates(mechanisms: Sequence[Mechanism], budget: Budget) -> tuple[Mechanism, ...]:
    """Return the private mechanisms that may lead: with the strongest guarantee, or all where none has that."""
    private = tuple(m for m in admitted(mechanisms, budget) if m.guarantee(budget.epsilon).private)
    return tuple(m for m in private if comparable(m, budget)) or private


@dataclass(frozen=True)
class Lead:
    """Algorithm with the smallest error, and its rivals, which cannot be distinguished from it.

    Attributes
    ----------
    errors : mapping of str to float
        Error by algorithm, the smallest first.
    rivals : tuple of str
        Algorithms whose errors are tied with the smallest.
    same : bool
        Whether all tied errors are known exactly.
    """

    errors: Mapping[str, float]
    rivals: tuple[str, ...] = ()
    same: bool = False

    @classmethod
    def of(
        cls, names: Sequence[str], errors: ArrayLike, margins: ArrayLike, exact: ArrayLike = False
    ) -> Lead:
        """Find the leader and its rivals from errors in ascending order.

        Parameters
        ----------
        names : sequence of str
            Algorithms.
        errors : array, shape (m,)
            Error of each algorithm, ascending.
        margins : array, shape (m,)
            Largest excess over the first error at which an error is tied with it.
        exact : bool or array, shape (m,)
            Whether each error is known exactly.
        """
        values = np.asarray(errors, dtype=float)
        by_name = dict(zip(map(str, names), values.tolist(), strict=True))
        if not values.size or not np.isfinite(values[0]):
            return cls(by_name)
        tied = values - values[0] <= np.asarray(margins, dtype=float)
        tied[0] = True
        rivals = tuple(
            name for name, close in zip(list(by_name)[1:], tied[1:].tolist(), strict=True) if close
        )
        return cls(by_name, rivals, bool(np.broadcast_to(exact, tied.shape)[tied].all()))

    @property
    def mechanism(self) -> str | None:
        """Name of the leader; None where no error is finite."""
        name = next(iter(self.errors), None)
        return name if name is not None and isfinite(self.errors[name]) else None

    @property
    def error(self) -> float:
        """Smallest error; infinite where no algorithm leads."""
        return inf if self.mechanism is None else self.errors[self.mechanism]

    @property
    def tied(self) -> tuple[str, ...]:
        """Names of the leader and its rivals."""
        return () if self.mechanism is None else (self.mechanism, *self.rivals)

    @property
    def too_close(self) -> bool:
        """Whether another algorithm cannot be distinguished from the leader."""
        return bool(self.rivals)


def ranking(
    summary: pd.DataFrame,
    mechanisms: Sequence[Mechanism],
    at: float,
    epsilon: float,
    accounting: AccountingLike = PAPER,
) -> pd.DataFrame:
    """Sort a comparison's summary at one point: strongest guarantees, weaker ones, none; in each class the best first.

    Columns algorithm, guarantee_class (PURE, WEAKER or NOT_PRIVATE; EQUAL where all have one guarantee), guarantee (in
    words), ratio and ratio95 (C(68) and C(95) in standard errors), aim (name of the algorithm's target), and from the
    summary c68, c68_low, c68_high, c95, gap, noise, standard_error, bias, failure_rate, exact, how.
    """
    budget, by_name = (
        Budget(epsilon, accounting=accounting),
        {mechanism.name: mechanism for mechanism in mechanisms},
    )
    classes = {name: guarantee_class(mechanism, budget) for name, mechanism in by_name.items()}
    names, errors = summary["mechanism"].tolist(), summary["c68"].tolist()
    chosen = [row for row in np.flatnonzero(summary["at"] == at).tolist() if names[row] in classes]
    chosen.sort(key=lambda row: (CLASS_ORDER[classes[names[row]]], isnan(errors[row]), errors[row]))
    rows, algorithms = summary.take(chosen), [names[row] for row in chosen]
    standard_errors = rows["standard_error"].to_numpy(dtype=float)
    columns = {
        ("algorithm" if name == "mechanism" else str(name)): rows[name].array
        for name in rows.columns
    }
    return pd.DataFrame(
        columns
        | {
            "guarantee_class": [classes[name] for name in algorithms],
            "guarantee": [str(guarantee(by_name[name], budget)) for name in algorithms],
            "aim": [by_name[name].aim for name in algorithms],
            "ratio95": rows["c95"].to_numpy(dtype=float)
            / np.where(standard_errors > 0, standard_errors, nan),
        }
    )


def lead_among(ranked: pd.DataFrame, classes: Collection[str] = STRONGEST) -> Lead:
    """Find the lead among the algorithms of a ranking whose guarantee is of these classes.

    Exact errors are tied where they are the same to three digits; drawn ones where their interval reaches the interval
    of the first.
    """
    rows = np.flatnonzero([kind in classes for kind in ranked["guarantee_class"].tolist()])
    rows = rows[np.argsort(ranked["c68"].to_numpy(dtype=float)[rows], kind="stable")]  # NaN last
    errors, low, high = (
        ranked[name].to_numpy(dtype=float)[rows] for name in ("c68", "c68_low", "c68_high")
    )
    exact, names = ranked["exact"].to_numpy(dtype=bool)[rows], ranked["algorithm"].tolist()
    with np.errstate(invalid="ignore"):
        margins = np.where(
            exact & exact[:1], ALIKE * errors[:1], (errors - low) + (high[:1] - errors[:1])
        )
    return Lead.of([names[row] for row in rows], errors, margins, exact)


def ranked_shares(
    measured: pd.DataFrame,
    mechanisms: Sequence[Mechanism],
    epsilon: float,
    accounting: AccountingLike = PAPER,
) -> pd.DataFrame:
    """Rank algorithms by the shares of areas that pass at one point: strongest guarantees first, then weaker ones.

    Parameters
    ----------
    measured : DataFrame
        Rows of by_group at the point.

    Returns
    -------
    DataFrame
        Columns of shares_below, and guarantee (in words), private, pure (whether it is a strongest guarantee), counts
        (whether its lines can pass; not all of them flat).
    """
    budget, by_name = (
        Budget(epsilon, accounting=accounting),
        {mechanism.name: mechanism for mechanism in mechanisms},
    )
    table = shares_below(measured).drop(columns="at")
    classes = [guarantee_class(by_name[name], budget) for name in table["mechanism"]]
    table = table.assign(
        guarantee=[str(guarantee(by_name[name], budget)) for name in table["mechanism"]],
        private=[kind != NOT_PRIVATE for kind in classes],
        pure=[kind in STRONGEST for kind in classes],
        counts=(table["flat"] == 0) | (table["flat"] < table["areas"]),
    )
    order = table.assign(
        pure=table["pure"] & table["counts"], private=table["private"] & table["counts"]
    )
    best_first = order.sort_values(
        ["pure", "private", "below", "median_ratio"],
        ascending=[False, False, False, True],
        kind="stable",
    )
    return table.loc[best_first.index].reset_index(drop=True)


def winners(rows: pd.DataFrame, within: Sequence[str]) -> pd.DataFrame:
    """Find the winner of each cell: columns winner, error, second, margin (relative excess of the second error).

    Among infinite errors an error on fewer data sets is smaller; the margin is 0 where no error is finite.

    Parameters
    ----------
    rows : DataFrame
        Columns mechanism, error, infinite_share, and ``within``.
    within : sequence of str
        Columns that name the cell and become the index.
    """
    ranked = by_error(rows, within).set_index(list(within))
    position = ranked.groupby(level=list(within)).cumcount()
    first, second = ranked[position == 0], ranked[position == 1]
    won = pd.DataFrame(
        {"winner": first["mechanism"], "error": first["error"], "second": second["mechanism"]}
    )
    won["margin"] = (second["error"] / first["error"] - 1).where(np.isfinite(first["error"]), 0.0)
    return won


def by_error(rows: pd.DataFrame, within: Sequence[str] = ()) -> pd.DataFrame:
    """Sort rows by error, the smallest first; infinite errors by infinite_share, the fewest data sets first."""
    return rows.sort_values([*within, "error", "infinite_share"], kind="stable")
