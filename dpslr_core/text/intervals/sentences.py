"""What one release says about the line and how often such intervals are right, in sentences."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...experiments.ranking import STRONGEST
from ...experiments.released_intervals import with_intervals
from ...intervals import Target
from ...mechanisms import MECHANISMS
from ...sources.axis import Axis
from ..phrases import format_amount, listed, place_on, with_unit

LEGEND = (
    "Thick bar: sampling error alone. Thin bar: with the noise, the 95% confidence interval, which says where the true "
    "line lies."
)
OWN = "The privacy interval says where OLS on these data lies: it counts the noise alone."
SMALL = 0.05  # p values at and below it tell of a slope
ALL = 0.9995
_HELD = {Target.TRUE_LINE: "line", Target.TRUE_SLOPE: "slope"}
OFFERING = [mechanism.name for mechanism in with_intervals([kind() for kind in MECHANISMS])]
NONE = f"No chosen algorithm offers intervals: {listed(OFFERING)} do."


def release_sentence(rows: pd.DataFrame, ols_width: float, x: Axis, y: Axis) -> str:
    """The narrowest interval with a full guarantee of those that are for a line with a slope, then a weaker one.

    rows: of one_release at one point with the columns guarantee_class and guarantee of experiments.ranking.
    ols_width: of the usual interval of OLS, in the unit square.
    """
    rows = ranked_by_width(rows)
    known = rows[~rows["flat"] & np.isfinite(rows["width"])]
    full, weak = (known[known["guarantee_class"].isin(STRONGEST) == wanted] for wanted in (True, False))
    where = f"At {place_on(x, rows['at'].iloc[0])}"
    if known.empty:
        return f"{where}, no private interval has two ends in half of the releases: the slope is not identified."
    if full.empty:
        said = f"{where}, no interval with pure ε-differential privacy has two ends in half of the releases."
    else:
        said = f"{where}, the narrowest 95% interval is that of {_width(full.iloc[0], ols_width, y)}."
        weak = weak[weak["width"] < full["width"].iloc[0]]
    if weak.empty:
        return said
    guarantee = weak["guarantee"].iloc[0]
    return f"{said} With a weaker guarantee ({guarantee}), narrower: {_width(weak.iloc[0], ols_width, y)}."


def _width(row: pd.Series, ols_width: float, y: Axis) -> str:
    """Whose interval, its median width, and beside that of OLS."""
    said = f"{row['algorithm']}, {with_unit(row['width'] * y.scale, y)} wide in the median"
    if not ols_width > 0:
        return said
    return f"{said}, {format_amount(row['width'] / ols_width, 3)} times that of OLS"


def ranked_by_width(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows, the narrowest intervals first; last those that are for a flat line only."""
    order = {"ascending": [True, True, False], "kind": "stable", "ignore_index": True}
    return rows.sort_values(["flat", "width", "two_ends"], **order)


def remarks(rows: pd.DataFrame) -> list[str]:
    """What must be said of these intervals, each once. rows: of one_release."""
    return [remark for remark in dict.fromkeys(rows["remark"].tolist()) if remark]


def open_sentence(rows: pd.DataFrame) -> str:
    """Whose interval has no ends in this release; nothing where all have."""
    names = rows.loc[~np.isfinite(rows["high"] - rows["low"]), "algorithm"].tolist()
    if not names:
        return ""
    whose = f"interval of {names[0]} lacks" if len(names) == 1 else f"intervals of {listed(names)} lack"
    return f"In this release the {whose} an end: at this budget the noise could explain any line."


def hundred_sentence(simulated: pd.DataFrame, name: str, level: float) -> str:
    """How many of the simulated intervals hold the line, beside how many should."""
    held, count = int(simulated["held"].sum()), len(simulated)
    missed = "1 misses" if count - held == 1 else f"{count - held} miss"
    open_ends = int((~np.isfinite(simulated["high"] - simulated["low"])).sum())
    said = (
        f"{held} of {count} intervals by {name} hold the line that the data were simulated from; {missed} it. "
        f"At {level:.0%}, {round(level * count)} should."
    )
    return f"{said} {open_ends} have no end." if open_ends else said


def coverage_sentence(
    table: pd.DataFrame, algorithm: str, method: str, level: float = 0.95, target: Target = Target.TRUE_LINE
) -> str:
    """Where an algorithm's confidence intervals held their target least often; nothing where none were counted.

    table: of experiments.coverage.load.
    """
    line, what = table[table["target"] == target.value], _HELD[target]
    rows = line[(line["algorithm"] == algorithm) & (line["method"] == method)]
    if rows.empty:
        return ""
    worst = rows.loc[rows["coverage"].idxmin()]
    if worst["high"] >= level:
        share = f"{worst['coverage']:.1%} or more" if worst["coverage"] < ALL else "nearly all"
        least = f"{share} of {worst['datasets']:,} simulated data sets"
        return f"{algorithm}'s {level:.0%} intervals held the {what} in {least}, in each of {len(rows)} settings."
    usual = line[(line["algorithm"] == "OLS") & (line["setting"] == worst["setting"])]["coverage"]
    beside = f", where OLS had {usual.iloc[0]:.0%}" if len(usual) else ""
    return (
        f"{algorithm}'s {level:.0%} intervals held the {what} in {_normal(rows)}. "
        f"At worst it was {worst['coverage']:.0%} of {worst['datasets']:,}{beside}: {worst['setting']}."
    )


def _normal(rows: pd.DataFrame) -> str:
    """In how many of the data sets with normal errors the line was held, over all their settings."""
    shares = rows.loc[rows["setting"].str.endswith("normal errors"), "coverage"]
    low, high = (f"{share:.0%}" for share in (shares.min(), shares.max()))
    return f"{low if low == high else f'{low} to {high}'} of simulated data sets with normal errors"


def slope_sentence(p: float, name: str, repetitions: int) -> str:
    """What the slope test on one release says."""
    told = f"The slope test on this release of {name}, at no further budget: p = {format_amount(p, 2)}"
    if p > SMALL:
        return f"{told}. A slope of 0 would not be surprising."
    least = ", the least it can be" if p <= 1 / (repetitions + 1) else ""
    return f"{told}{least}. A slope of 0 would be surprising."


def width_sentence(table: pd.DataFrame, n: int, epsilon: float, name: str, y: Axis) -> str:
    """What twice the records or twice the budget would do to the width.

    table: of experiments.released_intervals.width_table. n, epsilon: as they are.
    """
    widths = table.set_index(["n", "epsilon"])["width"]
    more, richer = (
        with_unit(width * y.scale, y) if np.isfinite(width) else "without end"
        for width in (widths[2 * n, epsilon], widths[n, 2 * epsilon])
    )
    return f"Median width of {name}'s interval with twice as many records like these: {more}; with twice ε: {richer}."


def guessed_width_sentence(table: pd.DataFrame, n: int, epsilon: float, name: str, y: Axis) -> str:
    """How wide an interval would be by public guesses, beside that of OLS, and with more records or budget.

    table: of experiments.released_intervals.guessed_widths. n, epsilon: as they are guessed.
    """
    now = table.set_index(["n", "epsilon"]).loc[(n, epsilon)]
    if not np.isfinite(now["width"]):
        said = f"At these guesses most 95% intervals of {name} lack an end."
    else:
        times = f", {format_amount(now['width'] / now['ols'], 3)} times that of OLS" if now["ols"] > 0 else ""
        wide = with_unit(now["width"] * y.scale, y)
        said = f"At these guesses the median 95% interval of {name} is {wide} wide{times}."
    return f"{said} {width_sentence(table, n, epsilon, name, y)}"
