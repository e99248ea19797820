"""What is said of the slope: how often its test finds one, and intervals for it that were paid for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ...experiments.released_intervals import ALPHA
from ...privacy import Guarantee
from ...sources.axis import Axis
from ..phrases import format_amount, format_share, in_full, listed

ENOUGH = 0.8  # power that is usually asked for
SLOPE = "Interval for the slope"


def power_sentence(table: pd.DataFrame, n: int, epsilon: float, name: str, slope: str) -> str:
    """How often the test finds the slope now, and from which n on it does so in 80% of the data sets.

    table: rows of experiments.released_intervals.POWER_COLUMNS, a curve over n for each epsilon. slope: as text.
    """
    mine = table[table["epsilon"] == epsilon].sort_values("n").set_index("n")
    row = mine.loc[n]
    said = (
        f"The slope test on {name} finds a slope of {slope} in {format_share(row['power'])} of simulated data sets at "
        f"n = {n:,}, ε = {in_full(epsilon)}. The 95% limits of that share are {format_share(row['low'])} and "
        f"{format_share(row['high'])}."
    )
    return f"{said} {_enough(mine['power'], epsilon)}"


def _enough(power: pd.Series, epsilon: float) -> str:
    """The first n from which on the power stays above ENOUGH, of those that were simulated."""
    below = np.flatnonzero(power.to_numpy() < ENOUGH)
    if below.size == len(power):
        return f"No n up to {power.index[-1]:,} reaches {ENOUGH:.0%} at this ε."
    if not below.size:
        return f"Every n from {power.index[0]:,} on reaches {ENOUGH:.0%}."
    last = int(below[-1])
    if last + 1 == len(power):
        return f"No n up to {power.index[-1]:,} reaches {ENOUGH:.0%} at this ε."
    return f"{ENOUGH:.0%} is reached between n = {power.index[last]:,} and {power.index[last + 1]:,}."


POWER_CAPTION = (
    f"Found: p is at most {ALPHA:.0%}. Where there is no slope, the test says so wrongly in about {ALPHA:.0%} of data "
    "sets. It costs no budget beside the release."
)


def slope_interval_sentence(row: pd.Series, ols: tuple[float, float], x: Axis, y: Axis) -> str:
    """One release's interval for the slope beside that of OLS. row: of experiments.released_intervals.slope_release."""
    scale = y.scale / x.scale
    wide = row["width"] / (ols[1] - ols[0])
    if not np.isfinite([row["low"], row["high"]]).all():
        here = f"{row['algorithm']}'s interval for the slope lacks an end in this release"
    else:
        low, high = (format_amount(row[end] * scale) for end in ("low", "high"))
        here = f"{row['algorithm']}'s 95% interval for the slope in this release: {low} to {high}"
    median = f", {format_amount(wide)} times as wide as that of OLS in the median" if np.isfinite(wide) else ""
    return f"{here}{median}."


def slope_cost_sentence(whole: Guarantee, ends: Sequence[tuple[str, Guarantee]]) -> str:
    """What an interval for the slope costs, and each of its ends; as of experiments.released_intervals.slope_costs."""
    parts = listed(f"the {what.split(' of ')[0]} {cost}" for what, cost in ends)
    costs = f"It is a release of its own and costs {whole}. Of that {parts}."
    return f"{costs} The predictions cost their own budget beside it."
