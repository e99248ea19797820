"""Which algorithm does best, by how much, and whether that can be told apart from luck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..datasets import UNIT_X, UNIT_Y, Axis
from ..mechanisms import Mechanism
from ..wording import listed, more, weaker


@dataclass(frozen=True)
class Verdict:
    """The private algorithms with the smallest C(68) at one point, the best first.

    rows: rows of a comparison's summary. rivals: how many of the others cannot be told from the first, because
    the Monte-Carlo interval of one overlaps the other's.
    """

    rows: pd.DataFrame
    guarantees: dict[str, str]
    weaker: frozenset[str]
    rivals: int

    @property
    def winner(self) -> str | None:
        """The algorithm with the smallest C(68); None where no private one answers often enough."""
        return None if self.rows.empty or not np.isfinite(self.rows["c68"].iloc[0]) else self.rows["mechanism"].iloc[0]

    @property
    def too_close(self) -> bool:
        """Whether Monte-Carlo error leaves the winner open."""
        return self.rivals > 0

    def sentence(self, y: Axis = UNIT_Y, x: Axis = UNIT_X) -> str:
        """Who wins on this data set at this point, by how much, and beside the standard error; in the units of y."""
        if self.rows.empty:
            return "No differentially private algorithm is chosen."
        if self.winner is None:
            return "No private algorithm answers in 68% of its releases at this budget."
        first = self.rows.iloc[0]
        size = f"±{format_amount(first['c68'] * y.scale)}{f' {y.unit}' if y.unit else ''} in {y.name}"
        tie = f"Too close to call: {listed(self.rows['mechanism'].iloc[: self.rivals + 1])}. " if self.rivals else ""
        lead = f"{first['mechanism']} {'has the smallest measured' if tie else 'has the smallest'} error"
        point = f"{format_amount(float(x.from_unit(first['at'])))}{f' {x.unit}' if x.unit else ''}"
        where = f"On this data set, at {x.name} = {point}, "
        near = f"68% of its releases are within {size} of OLS, {self._against(first)}"
        return f"{tie}{where}{lead}: {near}.{self._next()}"

    def _against(self, row: pd.Series) -> str:
        if not np.isfinite(row["ratio"]):
            return "and there is no sampling error to compare with"
        relation = "less than" if row["ratio"] < 1 else "more than"
        return f"{row['ratio']:.2f} standard errors — {relation} the sampling error"

    def _next(self) -> str:
        said = f" {weaker(self.guarantees[str(self.winner)])}." if self.winner in self.weaker else ""
        others = self.rows.iloc[self.rivals + 1 :]
        others = others[np.isfinite(others["c68"])]
        if others.empty or self.rows["c68"].iloc[0] == 0:
            return said
        larger = others["c68"].iloc[0] / self.rows["c68"].iloc[0] - 1
        return f" Next is {others['mechanism'].iloc[0]}, {more(larger)}.{said}"


def format_amount(value: float) -> str:
    """Three significant digits, with thousands separators above a thousand."""
    if not np.isfinite(value):
        return "∞"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def verdict(summary: pd.DataFrame, mechanisms: Sequence[Mechanism], at: float, epsilon: float) -> Verdict:
    """The ranking of the private mechanisms of a comparison at one of its points."""
    guarantees = {m.name: m.guarantee(epsilon) for m in mechanisms}
    private = [name for name, guarantee in guarantees.items() if guarantee.private]
    rows = summary[(summary["at"] == at) & summary["mechanism"].isin(private)]
    rows = rows.sort_values("c68", kind="stable").reset_index(drop=True)
    rivals = 0
    if len(rows) > 1 and np.isfinite(rows["c68"].iloc[0]):
        overlap = (rows["c68_low"] <= rows["c68_high"].iloc[0]).to_numpy()
        unsure = ~rows["exact"].to_numpy(bool) | ~bool(rows["exact"].iloc[0])
        close = (overlap & unsure)[1:]
        rivals = int(np.argmin(close)) if not close.all() else close.size
    return Verdict(
        rows,
        {name: str(guarantee) for name, guarantee in guarantees.items()},
        frozenset(name for name in private if not guarantees[name].pure),
        rivals,
    )
