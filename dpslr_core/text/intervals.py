"""Sentences on how sure one release is: confidence intervals, slope tests and coverage."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..experiments.ranking import NOT_PRIVATE, STRONGEST
from ..experiments.released_intervals import with_intervals
from ..intervals import Target
from ..mechanisms import MECHANISMS
from ..sources.axis import Axis
from .phrases import (
    format_amount,
    joined,
    listed,
    place_on,
    times,
    with_unit,
)

LEGEND = (
    "Thick bar: sampling error alone. Thin bar: with the noise, the 95% confidence interval, "
    "which says where the true line lies."
)
OWN = "The privacy interval says where OLS on these data lies: it counts the noise alone."
OFFERING = [mechanism.name for mechanism in with_intervals([kind() for kind in MECHANISMS])]
NONE = f"No chosen algorithm releases intervals: {listed(OFFERING)} do."
NO_INTERVAL = "no private interval has two ends in half of the releases"
AS_WIDE = "as wide as that of OLS"
SMALL = 0.05  # largest p value that speaks against a slope of 0
ALL = 0.9995  # coverage that would be written as 100.0%


# ---------------------------------------------------------------- one release


def ranked_by_width(rows: pd.DataFrame) -> pd.DataFrame:
    """Sort the rows by width, the narrowest first; intervals for a flat line only come last."""
    order = {"ascending": [True, True, False], "kind": "stable", "ignore_index": True}
    return rows.sort_values(["flat", "width", "two_ends"], **order)


def release_sentence(
    rows: pd.DataFrame, ols_width: float, x: Axis, y: Axis, leader: str | None = None
) -> str:
    """State the narrowest interval with the strongest guarantee, the leader's, and a narrower weaker one.

    Parameters
    ----------
    rows : DataFrame
        Rows of ``one_release`` at one point, with the columns ``guarantee_class`` and ``guarantee`` of
        ``experiments.ranking``.
    ols_width : float
        Width of the usual interval of OLS, in the unit square.
    x, y : Axis
        Units of the point and of the widths.
    leader : str, optional
        The algorithm with the smallest error.
    """
    rows = ranked_by_width(rows)
    finite = rows[~rows["flat"] & np.isfinite(rows["width"])]
    full, weak = (
        finite[finite["guarantee_class"].isin(STRONGEST) == wanted] for wanted in (True, False)
    )
    where = f"At {place_on(x, rows['at'].iloc[0])}"

    def width(row: pd.Series) -> str:
        beside = f", {_times_ols(row['width'] / ols_width)}" if ols_width > 0 else ""
        return (
            f"{row['algorithm']}, {with_unit(row['width'] * y.scale, y)} wide in the median{beside}"
        )

    if finite.empty:
        return f"{where}, {NO_INTERVAL}: the slope is not identified."
    if full.empty:
        sentences = f"{where}, no interval with pure ε-differential privacy has two ends in half of the releases."
    else:
        sentences = f"{where}, the narrowest 95% interval is that of {width(full.iloc[0])}."
        weak = weak[weak["width"] < full["width"].iloc[0]]
    sentences = joined(sentences, _leader_sentence(rows, leader, y))
    if weak.empty:
        return sentences
    return f"{sentences} With a weaker guarantee ({weak['guarantee'].iloc[0]}), narrower: {width(weak.iloc[0])}."


def _leader_sentence(rows: pd.DataFrame, leader: str | None, y: Axis) -> str:
    """State the interval of the leader by error; "" where it is the first of `rows` (of ranked_by_width)."""
    if leader in (None, rows["algorithm"].iloc[0]):
        return ""
    width = rows.loc[rows["algorithm"] == leader, "width"]
    if width.empty or not np.isfinite(width.iloc[0]):
        return f"{leader} has the smallest error, but no interval with two ends."
    return f"{leader} has the smallest error; its interval is {with_unit(width.iloc[0] * y.scale, y)} wide."


def _times_ols(ratio: float) -> str:
    """Write a width, given as a ratio to the width of the interval of OLS, as a multiple of it."""
    return times(format_amount(ratio, 3), "that of OLS", AS_WIDE)


def without_interval_sentence(ranked: pd.DataFrame, offering: Sequence[str]) -> str:
    """Name the private algorithms whose release carries no interval; "" without any.

    Parameters
    ----------
    ranked : DataFrame
        Frame of ``experiments.ranking``.
    offering : sequence of str
        Algorithms whose release carries an interval.
    """
    private = ranked.loc[ranked["guarantee_class"] != NOT_PRIVATE, "algorithm"]
    names = [name for name in private if name not in offering]
    return f"No interval comes with a release of {listed(names, 'or')}." if names else ""


def remarks(rows: pd.DataFrame) -> list[str]:
    """Remarks that these intervals need, without repetition.

    Parameters
    ----------
    rows : DataFrame
        Frame of ``one_release``.
    """
    return [remark for remark in dict.fromkeys(rows["remark"].tolist()) if remark]


def open_sentence(rows: pd.DataFrame) -> str:
    """Name the algorithms whose interval lacks an end in this release; "" where none does."""
    names = rows.loc[~np.isfinite(rows["high"] - rows["low"]), "algorithm"].tolist()
    if not names:
        return ""
    intervals = (
        f"interval of {names[0]} lacks" if len(names) == 1 else f"intervals of {listed(names)} lack"
    )
    return (
        f"In this release the {intervals} an end: at this budget the noise could explain any line."
    )


def hundred_sentence(simulated: pd.DataFrame, name: str, level: float) -> str:
    """State how many simulated intervals hold the true line, and how many should."""
    held, count = int(simulated["held"].sum()), len(simulated)
    missed = "1 misses" if count - held == 1 else f"{count - held} miss"
    open_ends = int((~np.isfinite(simulated["high"] - simulated["low"])).sum())
    sentences = (
        f"{held} of {count} intervals by {name} hold the line that the data were simulated from; "
        f"{missed} it. At {level:.0%}, {round(level * count)} should."
    )
    return f"{sentences} {open_ends} have no end." if open_ends else sentences


def coverage_sentence(table: pd.DataFrame, algorithm: str, method: str, level: float = 0.95) -> str:
    """State where an algorithm's confidence intervals held the true line least often; "" without a count.

    Parameters
    ----------
    table : DataFrame
        Frame of ``experiments.coverage.load``.
    algorithm, method : str
        Names of the algorithm and of the kind of interval.
    level : float
        Level of the intervals.
    """
    line = table[table["target"] == Target.TRUE_LINE.value]
    rows = line[(line["algorithm"] == algorithm) & (line["method"] == method)]
    if rows.empty:
        return ""
    worst = rows.loc[rows["coverage"].idxmin()]
    share = "nearly all" if worst["coverage"] >= ALL else f"{worst['coverage']:.1%} or more"
    held = f"{algorithm}'s {level:.0%} intervals held the line in {share} of {worst['datasets']:,}"
    where = f"in each of {len(rows)} settings"
    if worst["high"] < level:
        where = f"least often at {worst['setting']}"
    return f"{held} simulated data sets, {where}."


# ---------------------------------------------------------------- the slope


def slope_sentence(p: float, name: str, repetitions: int) -> str:
    """State the result of the slope test on one release."""
    result = (
        f"The slope test on this release of {name}, at no further budget: p = {format_amount(p, 2)}"
    )
    if p > SMALL:
        return f"{result}. A slope of 0 would not be surprising."
    least = ", the least it can be" if p <= 1 / (repetitions + 1) else ""
    return f"{result}{least}. A slope of 0 would be surprising."
