"""From an uploaded CSV to a family of data sets. Problems are collected, in sentences; nothing raises on data."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .cells import LARGEST, Problem, row_list, to_numbers
from .families import ONE_GROUP, SMALLEST, Axis, Family, build_family
from .table import MAX_BYTES, MAX_COLUMNS, MAX_LINE, MAX_ROWS, Table, read_table

__all__ = [
    "MAX_BYTES",
    "MAX_COLUMNS",
    "MAX_LINE",
    "MAX_ROWS",
    "Built",
    "Problem",
    "Table",
    "family_from_table",
    "read_table",
    "suggest_bounds",
    "to_numbers",
]

NOT_COVERED = "Choosing records by their values is preprocessing that the privacy guarantee does not cover."
NEARLY_EQUAL = 1e-12  # of the width of the bounds: a smaller range of x is rounding, not information


def _no_groups() -> pd.DataFrame:
    return pd.DataFrame({"group": pd.Series(dtype="str"), "n": pd.Series(dtype=int), "reason": pd.Series(dtype="str")})


@dataclass(frozen=True, eq=False)
class Built:
    """A family made from a table, or None and the errors that say why there is none.

    rejected: the groups that are not in the family; columns group, n, reason.
    """

    family: Family | None
    problems: tuple[Problem, ...] = ()
    rejected: pd.DataFrame = field(default_factory=_no_groups)


def family_from_table(
    table: Table,
    x: str,
    y: str,
    group: str | None = None,
    *,
    x_bounds: tuple[float, float],
    y_bounds: tuple[float, float],
    name: str = "your data",
    x_unit: str = "",
    y_unit: str = "",
) -> Built:
    """The columns x and y of a table, in the groups of another column, as a family in the unit square.

    Rows without a number in x or y or without a group label are left out; x and y are rescaled by the public
    bounds and clipped to them; groups with fewer than 3 rows or one and the same x are rejected. Each of
    these is told in problems. family is None exactly where problems has an error.
    """
    if table.frame is None:
        return Built(None, table.problems)
    problems = _column_problems(table.frame, x, y, group)
    x_axis = _axis(x, x_unit, x_bounds, problems)
    y_axis = _axis(y, y_unit, y_bounds, problems)
    if problems or x_axis is None or y_axis is None:
        return Built(None, tuple(problems))
    records = _records(table.frame, x, y, group, problems)
    if any(problem.severity == "error" for problem in problems):
        return Built(None, tuple(problems))
    records, rejected = _usable_groups(records, x_axis, group, problems)
    if records.empty:
        return Built(None, tuple(problems), rejected)
    about = f"From an uploaded file: {len(records):,} records, columns {x!r} and {y!r}."
    family = build_family(name, about, x_axis, y_axis, records["group"], records["x"], records["y"], reproducible=False)
    problems += _clipping(family)
    return Built(family, tuple(problems), rejected)


def _column_problems(frame: pd.DataFrame, x: str, y: str, group: str | None) -> list[Problem]:
    """Errors in the choice of columns."""
    wanted = [x, y] if group is None else [x, y, group]
    missing = [column for column in dict.fromkeys(wanted) if column not in frame]
    found = [f"There is no column {column!r}; the columns are {_listed(frame.columns)}." for column in missing]
    if x == y:
        found.append(f"x and y are the same column, {x!r}; a line needs two different ones.")
    if group is not None and group in (x, y):
        found.append(f"The group column {group!r} is also {'x' if group == x else 'y'}; choose a different one.")
    return [Problem("error", message) for message in found]


def _listed(names: Sequence[Any] | pd.Index, show: int = 10) -> str:
    """Names, quoted, at most ten of them."""
    quoted = [repr(str(name)) for name in names[:show]]
    more = f" and {len(names) - show:,} more" if len(names) > show else ""
    return ", ".join(quoted) + more


def _axis(name: str, unit: str, bounds: tuple[float, float], problems: list[Problem]) -> Axis | None:
    """The axis of one column, or None and an error about its bounds."""
    try:
        lower, upper = bounds
        return Axis(name, unit, float(lower), float(upper))
    except (TypeError, ValueError) as error:
        problems.append(Problem("error", f"The bounds of {name!r} cannot be used: {error}."))
        return None


def _records(frame: pd.DataFrame, x: str, y: str, group: str | None, problems: list[Problem]) -> pd.DataFrame:
    """The rows that have numbers and a label: columns group, x, y; a warning where others were left out."""
    columns = {}
    for key, column in (("x", x), ("y", y)):
        columns[key], found = to_numbers(frame[column], column)
        problems += found
    labels = pd.Series(ONE_GROUP, frame.index) if group is None else frame[group].str.strip()
    records = pd.DataFrame({"group": labels.astype("str"), **columns}, frame.index)
    blank = records["group"] == ""
    if blank.any():
        rows = row_list(records.index[blank])
        problems.append(Problem("warning", f"Column {group!r}, {rows}: no group label."))
    kept = records[~blank & records[["x", "y"]].notna().all(axis=1)]
    lost = len(records) - len(kept)
    if lost:
        said = f"{lost:,} of {len(records):,} rows were left out because a value is missing or unusable."
        problems.append(Problem("warning", f"{said} {NOT_COVERED}"))
    return kept


def _usable_groups(
    records: pd.DataFrame, x: Axis, group: str | None, problems: list[Problem]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The records of the groups a line can be fitted to, and the other groups with the reason."""
    unit = pd.Series(np.clip(x.to_unit(records["x"]), 0, 1), records.index)
    grouped = unit.groupby(records["group"], sort=False)
    sizes, spread = grouped.size(), grouped.max() - grouped.min()
    reason = pd.Series("", sizes.index, dtype="str")
    reason[spread <= NEARLY_EQUAL] = "x is constant within the bounds"
    reason[sizes < SMALLEST] = "fewer than 3 records"
    bad = reason != ""
    rejected = pd.DataFrame({"group": sizes.index[bad], "n": sizes[bad].to_numpy(), "reason": reason[bad].to_numpy()})
    usable = records[~records["group"].isin(rejected["group"])]
    if usable.empty:
        problems.append(Problem("error", _nothing_left(records, x, group, len(sizes))))
    elif len(rejected):
        problems.append(Problem("warning", _left_out(rejected, len(sizes))))
    return usable, rejected


def _nothing_left(records: pd.DataFrame, x: Axis, group: str | None, groups: int) -> str:
    """Why no group can be used."""
    if groups > 1:
        return f"None of the {groups:,} groups in {group!r} has 3 or more rows and an x that varies."
    if len(records) < SMALLEST:
        return f"Only {len(records)} usable rows are left; at least 3 are needed."
    first = records["x"].iloc[0]
    if records["x"].nunique() == 1:
        return f"Column {x.name!r} is constant (every value is {first:g}), so no line can be fitted."
    bounds = f"{x.lower:g} to {x.upper:g}"
    return f"Column {x.name!r} is constant once it is clipped to the bounds {bounds}; choose wider bounds."


def _left_out(rejected: pd.DataFrame, groups: int) -> str:
    """Which groups are not in the family, and why."""
    parts = [f"{reason}: {_listed(part['group'].to_numpy())}" for reason, part in rejected.groupby("reason")]
    return f"{len(rejected):,} of {groups:,} groups were left out ({'; '.join(parts)}). {NOT_COVERED}"


def _clipping(family: Family) -> list[Problem]:
    """A warning for each column with values beyond its bounds."""
    return [
        Problem(
            "warning",
            f"Column {axis.name!r}: {count:,} of {len(family.frame):,} values lie outside the bounds "
            f"{axis.lower:g} to {axis.upper:g} and were moved to the nearer bound.",
        )
        for axis, count in ((family.x, family.clipped_x), (family.y, family.clipped_y))
        if count
    ]


def suggest_bounds(values: ArrayLike) -> tuple[float, float]:
    """Round numbers (lower, upper) around the finite values, lower < upper; (0, 1) where there are none.

    A convenience for filling in a form. It LOOKS at the data, so bounds taken from it are not private:
    a release that uses them is not covered by the guarantee. Use bounds known without the data.
    """
    array = np.asarray(values, dtype=float).ravel()
    array = array[np.abs(array) <= LARGEST]  # NaN compares False
    if array.size == 0:
        return 0.0, 1.0
    low, high = float(array.min()), float(array.max())
    if low == high:
        low, high = low - max(abs(low), 1) / 2, high + max(abs(high), 1) / 2
    power = max(math.floor(math.log10((high - low) / 2)), -300)  # 10^power must not underflow
    lower, upper = _multiple(low, power, math.floor), _multiple(high, power, math.ceil)
    if low >= 0 and low < high - low:
        lower = 0.0
    return (lower, upper) if lower <= low and upper >= high else (low, high)


def _multiple(value: float, power: int, rounding: Callable[[float], int]) -> float:
    """value rounded to a multiple of 10^power, as the float nearest to that decimal number."""
    return float(f"{rounding(value / 10.0**power)}e{power}")
