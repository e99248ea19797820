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
    size_of,
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
    if width.empty:
        return f"{leader} has the smallest error, and its release carries no interval."
    if not np.isfinite(width.iloc[0]):
        return (
            f"{leader} has the smallest error; its interval lacks an end in half of the releases."
        )
    return f"{leader} has the smallest error; its interval is {with_unit(width.iloc[0] * y.scale, y)} wide."


def _times_ols(ratio: float) -> str:
    """Write a width, given as a ratio to the width of the interval of OLS, as a multiple of it."""
    return times(format_amount(ratio, 3), "that of OLS", AS_WIDE)


def without_interval_sentence(ranked: pd.DataFrame, offering: Sequence[str], y: Axis) -> str:
    """State the expected error of private algorithms whose release carries no interval; "" without any.

    Parameters
    ----------
    ranked : DataFrame
        Frame of ``experiments.ranking``.
    offering : sequence of str
        Algorithms whose release carries an interval.
    y : Axis
        Units of the errors.
    """
    private = ranked[
        (ranked["guarantee_class"] != NOT_PRIVATE) & ~ranked["algorithm"].isin(offering)
    ]
    if private.empty:
        return ""
    releases = "Releases" if len(private) > 1 else "A release"
    carry = "carry" if len(private) > 1 else "carries"
    errors = [
        f"{name} {size_of(error, y) if np.isfinite(error) else 'without limit'}"
        for name, error in zip(private["algorithm"], private["c68"], strict=True)
    ]
    return (
        f"{releases} of {listed(private['algorithm'])} {carry} no interval. The expected error is "
        "how near to OLS 68% of "
        f"the releases are: {listed(errors)}."
    )


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
    worst, held = (
        rows.loc[rows["coverage"].idxmin()],
        f"{algorithm}'s {level:.0%} intervals held the line in",
    )
    if worst["high"] >= level:
        share = f"{worst['coverage']:.1%} or more" if worst["coverage"] < ALL else "nearly all"
        return f"{held} {share} of {worst['datasets']:,} simulated data sets, in each of {len(rows)} settings."
    normal = rows.loc[rows["setting"].str.endswith("normal errors"), "coverage"]
    low, high = (f"{share:.0%}" for share in (normal.min(), normal.max()))
    usual = line[(line["algorithm"] == "OLS") & (line["setting"] == worst["setting"])]["coverage"]
    beside = f", where OLS had {usual.iloc[0]:.0%}" if len(usual) else ""
    return (
        f"{held} {low if low == high else f'{low} to {high}'} of simulated data sets with normal "
        "errors. "
        f"At worst it was {worst['coverage']:.0%} of {worst['datasets']:,}{beside}. That was at "
        f"{worst['setting']}."
    )


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
