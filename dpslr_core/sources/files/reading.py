"""From a table to grouped data. Problems are collected, in sentences; nothing raises on data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from ...support.readable import in_full, visible
from ..axis import Axis
from ..grouping import ONE_GROUP, GroupedData
from ..transforms import Rescaling, Transform
from ..usable_groups import SMALLEST, group_faults
from .csv_table import Table
from .numbers import Numbers, Problem, Style, mostly_numbers, read_numbers, row_list

_SHOWN = 10  # names that a message repeats
NOT_COVERED = "Choosing records by their values is preprocessing that the privacy guarantee does not cover."


def _no_groups() -> pd.DataFrame:
    return pd.DataFrame({"group": pd.Series(dtype="str"), "n": pd.Series(dtype=int), "reason": pd.Series(dtype="str")})


@dataclass(frozen=True, eq=False)
class Built:
    """Grouped data made from a table, or None and the errors that say why there is none.

    rejected: the groups that are not in the grouped data; columns group, n, reason.
    """

    grouped: GroupedData | None
    problems: tuple[Problem, ...] = ()
    rejected: pd.DataFrame = field(default_factory=_no_groups)


@dataclass(frozen=True)
class Column:
    """A column of a file: its public bounds, its unit, and how its numbers are written where the file does not say."""

    name: str
    bounds: tuple[float, float]
    unit: str = ""
    style: Style | None = None
    transform: Transform | None = None


def grouped_from_table(table: Table, x: Column, y: Column, group: str | None = None, name: str = "your data") -> Built:
    """The columns x and y of a table, in the groups of another column, as data in the unit square.

    table: of read_table.
    x, y: which columns, with their bounds in the units of the file.
    group: the column of the group labels; None: one group.
    name: of the data, for a reader.

    Rows without a number in x or y or without a group label are left out; x and y are clipped to the public bounds,
    transformed and rescaled; groups that cannot be used are rejected. Each of these is told in problems.
    grouped is None exactly where problems has an error.
    """
    if table.frame is None:
        return Built(None, table.problems)
    problems = _column_problems(table.frame, x.name, y.name, group)
    styles = [written_as(table, column.name, column.style) for column in (x, y)]
    x_scale, y_scale = (_rescaling(column, style, problems) for column, style in zip((x, y), styles, strict=True))
    if problems or x_scale is None or y_scale is None:
        return Built(None, tuple(problems))
    numbers = {"x": numbers_of(table, x.name, x.style), "y": numbers_of(table, y.name, y.style)}
    records = _records(table, numbers, group, problems)
    if any(problem.severity == "error" for problem in problems):
        return Built(None, tuple(problems))
    records, rejected = _usable_groups(records, x_scale, group, problems)
    if records.empty:
        return Built(None, tuple(problems), rejected)
    about = f"From an uploaded file: {len(records):,} records, columns {x.name!r} and {y.name!r}."
    scaled = records.assign(x=x_scale.to_unit(records["x"]), y=y_scale.to_unit(records["y"]))
    clipped = x_scale.outside(records["x"]), y_scale.outside(records["y"])
    problems += _clipping(len(records), (x_scale.raw, clipped[0]), (y_scale.raw, clipped[1]))
    grouped = GroupedData(name, about, x_scale.axis, y_scale.axis, scaled, *clipped)
    return Built(grouped, tuple(problems), rejected)


def _column_problems(frame: pd.DataFrame, x: str, y: str, group: str | None) -> list[Problem]:
    """Errors in the choice of columns."""
    wanted = [x, y] if group is None else [x, y, group]
    missing = [column for column in dict.fromkeys(wanted) if column not in frame]
    faults = [f"There is no column {column!r}; the columns are {_listed(frame.columns)}." for column in missing]
    if x == y:
        faults.append(f"x and y are the same column, {x!r}; a line needs two different ones.")
    if group is not None and group in (x, y):
        faults.append(f"The group column {group!r} is also {'x' if group == x else 'y'}; choose a different one.")
    return [Problem("error", message) for message in faults]


def _listed(names: Sequence[Any] | pd.Index) -> str:
    """Names, quoted, at most ten of them."""
    quoted = [repr(str(name)) for name in names[:_SHOWN]]
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(quoted) + more


def _rescaling(column: Column, style: Style, problems: list[Problem]) -> Rescaling | None:
    """How one column is rescaled, or None and an error about its bounds."""
    try:
        lower, upper = column.bounds
        return Rescaling(Axis(column.name, column.unit, float(lower), float(upper), style), column.transform)
    except (TypeError, ValueError) as error:
        problems.append(Problem("error", f"The bounds of {column.name!r} cannot be used: {error}."))
        return None


def numbers_of(table: Table, column: str, style: Style | None = None) -> Numbers:
    """One column of a readable table as numbers, shape (rows,), written as the file's other numbers are.

    KeyError where there is no such column.
    """
    assert table.frame is not None
    read = read_numbers(table.frame[column], column, style)
    if table.written is not None and style is None and any(problem.of_style for problem in read.problems):
        return read_numbers(table.frame[column], column, None, table.written)
    return read


def likely_columns(table: Table) -> tuple[str, str]:
    """Two different columns to begin with as x and y: the first whose first cells are mostly numbers."""
    assert table.frame is not None
    first, columns = table.frame.head(50), [str(column) for column in table.frame.columns]
    x, y, *_ = dict.fromkeys([*islice((name for name in columns if mostly_numbers(first[name])), 2), *columns])
    return x, y


UNDECIDED = "decimal point or comma?"
KINDS: dict[Style, str] = {
    "point": "numbers, decimal point",
    "comma": "numbers, decimal comma",
    "plain": "numbers",
}


def preview(table: Table, styles: Mapping[str, Style], columns: Sequence[str]) -> pd.DataFrame:
    """What columns are read as: column, read as, numbers and not numbers (how many cells), examples."""
    assert table.frame is not None
    rows = []
    for column in columns:
        read = numbers_of(table, column, styles.get(column))
        values = pd.Series(read.values, table.frame.index)
        count = int(values.notna().sum())
        kind = UNDECIDED if any(problem.of_style for problem in read.problems) else KINDS[read.style]
        shown = (values.dropna() if count else values).index[:3]
        cells = table.frame.loc[shown, column].astype("str").fillna("")
        meant = {row: f"{values[row]:.15g}" for row in shown if count and kind != UNDECIDED}
        examples = [f"{cell} = {meant[row]}" if meant.get(row, cell) != cell else cell for row, cell in cells.items()]
        rows.append((column, kind if count else "text", count, len(values) - count, " | ".join(examples)))
    return pd.DataFrame(rows, columns=["column", "read as", "numbers", "not numbers", "examples"])


def _labels(column: pd.Series) -> pd.Series:
    """The cells of a group column as visible text, whole numbers without a point, "" where there is none."""
    if pd.api.types.is_float_dtype(column) and not (column.abs() >= 2**53).any() and not (column % 1 > 0).any():
        column = column.astype("Int64")
    return column.astype("str").where(column.notna(), "").str.strip().map(cache(visible))


def written_as(table: Table, column: str, style: Style | None = None) -> Style:
    """How numbers of a column are typed, a column of whole numbers as the others; "point" where there is no such."""
    if table.frame is None or column not in table.frame:
        return "point"
    read = numbers_of(table, column, style).style
    return "comma" if read == "comma" or (read == "plain" and table.written == "comma") else "point"


def _records(table: Table, numbers: Mapping[str, Numbers], group: str | None, problems: list[Problem]) -> pd.DataFrame:
    """The rows that have numbers and a label: columns group, x, y; a warning where others were left out."""
    assert table.frame is not None
    problems += [problem for read in numbers.values() for problem in read.problems]
    index = table.frame.index
    labels = pd.Series(ONE_GROUP, index, dtype="str") if group is None else _labels(table.frame[group])
    records = pd.DataFrame({"group": labels, **{key: read.values for key, read in numbers.items()}}, index)
    blank = records["group"] == ""
    if blank.any():
        rows = row_list(records.index[blank])
        problems.append(Problem("warning", f"Column {group!r}, {rows}: no group label."))
    complete = ~blank & records[["x", "y"]].notna().all(axis=1)
    lost = len(records) - int(complete.sum())
    if lost:
        said = f"{lost:,} of {len(records):,} rows were left out because a value is missing or unusable."
        problems.append(Problem("warning", f"{said} {NOT_COVERED}"))
    return records[complete] if lost else records


def _usable_groups(
    records: pd.DataFrame, x: Rescaling, group: str | None, problems: list[Problem]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The records of the groups a line can be fitted to, and the other groups with the reason."""
    faults = group_faults(records["group"], x.to_unit(records["x"]), np.zeros(len(records)))
    sizes = records["group"].value_counts()
    rejected = pd.DataFrame(
        {"group": list(faults), "n": sizes[list(faults)].to_numpy(), "reason": list(faults.values())}
    ).astype(_no_groups().dtypes)
    usable = records[~records["group"].isin(faults)] if faults else records
    if usable.empty:
        problems.append(Problem("error", _nothing_left(records, x, group, len(sizes))))
    elif faults:
        problems.append(Problem("warning", _left_out(rejected, len(sizes))))
    return usable, rejected


def _nothing_left(records: pd.DataFrame, x: Rescaling, group: str | None, groups: int) -> str:
    """Why no group can be used."""
    if groups > 1:
        return f"None of the {groups:,} groups in {group!r} has 3 or more rows and an x that varies."
    if len(records) < SMALLEST:
        return f"Only {len(records)} usable rows are left; at least 3 are needed."
    if records["x"].nunique() == 1:
        only = in_full(float(records["x"].iloc[0]))
        return f"Column {x.raw.name!r} is constant (every value is {only}), so no line can be fitted."
    bounds = f"{in_full(x.raw.lower)} to {in_full(x.raw.upper)}"
    done = f"clipped to the bounds {bounds}{' and transformed' if x.transform else ''}"
    return f"Column {x.raw.name!r} is constant once it is {done}; choose wider bounds."


def _left_out(rejected: pd.DataFrame, groups: int) -> str:
    """Which groups are not in the grouped data, and why."""
    parts = [f"{reason}: {_listed(part['group'].to_numpy())}" for reason, part in rejected.groupby("reason")]
    return f"{len(rejected):,} of {groups:,} groups were left out ({'; '.join(parts)}). {NOT_COVERED}"


def _clipping(rows: int, *columns: tuple[Axis, int]) -> list[Problem]:
    """A warning for each column with values beyond its bounds, in the units of the file."""
    return [
        Problem(
            "warning",
            f"Column {axis.name!r}: {count:,} of {rows:,} values lie outside the bounds "
            f"{in_full(axis.lower)} to {in_full(axis.upper)} and were moved to the nearer bound.",
        )
        for axis, count in columns
        if count
    ]
