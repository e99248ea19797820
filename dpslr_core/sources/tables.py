"""Columns of a table as grouped data.

Problems are collected, in sentences; no file and no data make this module raise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from ..support.readable import all_in_full, in_full, one_name
from ..support.run import QUARTERS
from .axis import Axis, Rescaling, Transform
from .columns import Table
from .columns import error as _error
from .columns import warning as _warning
from .files import read_file
from .grouping import ONE_GROUP, SMALLEST, GroupedData, group_faults
from .numbers import Numbers, Problem, Style, is_number, mostly_numbers, read_numbers, row_list
from .totals import totals_problem

read_table = read_file  # scripts of earlier versions use this name
_GUESSED_BY = 200  # first rows, which decide guesses about columns

_SHOWN = 10  # names that a message repeats
NOT_COVERED = (
    "Leaving out {} is not covered by the guarantee: decide the rule before seeing the data."
)


def _rejected(faults: Mapping[str, str], sizes: Mapping[str, int]) -> pd.DataFrame:
    """Return rejected groups as a table: columns group, n, reason."""
    rows = [(group, sizes[group], reason) for group, reason in faults.items()]
    return pd.DataFrame(rows, columns=["group", "n", "reason"]).astype(
        {"group": "str", "n": int, "reason": "str"}
    )


@dataclass(frozen=True, eq=False)
class Built:
    """Grouped data made from a table, or None and the errors that say why there are none.

    Attributes
    ----------
    rejected : DataFrame
        Groups that are not in the grouped data: columns group, n, reason.
    """

    grouped: GroupedData | None
    problems: tuple[Problem, ...] = ()
    rejected: pd.DataFrame = field(default_factory=lambda: _rejected({}, {}))


@dataclass(frozen=True)
class Column:
    """Column of a file, with its public bounds and unit.

    Attributes
    ----------
    style : Style, optional
        Style of the column's numbers, where the file does not tell.
    most : tuple of float, optional
        Public range, within the bounds, where most people are.
    """

    name: str
    bounds: tuple[float, float]
    unit: str = ""
    style: Style | None = None
    transform: Transform | None = None
    most: tuple[float, float] | None = None


def grouped_from_table(
    table: Table,
    x: Column,
    y: Column,
    group: str | None = None,
    name: str = "your data",
    person: str | None = None,
) -> Built:
    """Return columns x and y of a table, in the groups of another column, as data in the unit square.

    Rows without a number in x or y or without a group label are left out; x and y are clipped to the public bounds,
    transformed and rescaled; groups that cannot be used are rejected. All of this is reported in `problems`.

    Parameters
    ----------
    table : Table
        Table of `sources.files.read_file`.
    x, y : Column
        Columns, with their bounds in the units of the file.
    group : str, optional
        Column of the group labels; None: a single group.
    name : str
        Name of the data, for a reader.
    person : str, optional
        Column of person ids, by which a person's rows are counted; a row without an id is a person.

    Returns
    -------
    Built
        `grouped` is None exactly where `problems` has an error.
    """
    if not table.readable:
        return Built(None, table.problems)
    wanted = dict.fromkeys(filter(None, (x.name, y.name, group, person)))
    missing = [name for name in wanted if name not in table.names]
    faults = [no_column(name, table) for name in missing]
    if x.name == y.name:
        faults.append(f"x and y are the same column, {x.name!r}; a line needs two different ones.")
    if group is not None and group in (x.name, y.name):
        also = "x" if group == x.name else "y"
        faults.append(f"The group column {group!r} is also {also}; choose a different one.")
    if person is not None and person in (x.name, y.name, group):
        also = "x" if person == x.name else "y" if person == y.name else "the group column"
        faults.append(f"The column of persons {person!r} is also {also}; choose a different one.")
    scales: list[Rescaling] = []
    for column in (x, y):
        try:
            lower, upper = map(float, column.bounds)
            style = written_as(table, column.name, column.style)
            scales.append(
                Rescaling(Axis(column.name, column.unit, lower, upper, style), column.transform)
            )
        except (TypeError, ValueError) as error:
            faults.append(f"The bounds of {column.name!r} cannot be used: {error}.")
    if x.most is not None and not x.bounds[0] <= x.most[0] < x.most[1] <= x.bounds[1]:
        got = f"got {in_full(x.most[0])} to {in_full(x.most[1])}"
        faults.append(
            f"Where most people are in {x.name!r} must be a range within its bounds; {got}."
        )
    if faults:
        return Built(None, tuple(map(_error, faults)))
    records, problems = records_of(table, x, y, group)
    if any(problem.severity == "error" for problem in problems):
        return Built(None, tuple(problems))
    unusable = group_faults(
        records["group"], scales[0].to_unit(records["x"]), np.zeros(len(records))
    )
    sizes = records["group"].value_counts()
    rejected = _rejected(unusable, sizes)
    if len(unusable) == len(sizes):
        return Built(
            None,
            (*problems, _error(_nothing_left(records, scales[0], group, len(sizes)))),
            rejected,
        )
    if unusable:
        records = records[~records["group"].isin(unusable)]
        reasons = [
            f"{reason}: {_listed(labels.to_list())}"
            for reason, labels in rejected.groupby("reason")["group"]
        ]
        left_out = (
            f"{len(rejected):,} of {len(sizes):,} groups were left out ({'; '.join(reasons)})."
        )
        problems.append(
            _warning(f"{left_out} {NOT_COVERED.format('groups because of their values')}")
        )
    clipped = []
    for scale, values in zip(scales, (records["x"], records["y"]), strict=True):
        clipped.append(outside := scale.outside(values))
        if outside:
            outside_note = f"Column {scale.raw.name!r}: {outside:,} of {len(records):,} values lie outside the bounds"
            problems.append(
                _warning(f"{outside_note} {_between(scale)} and were moved to the nearer bound.")
            )
    about = f"From an uploaded file: {len(records):,} records, columns {x.name!r} and {y.name!r}."
    unit = records.assign(x=scales[0].to_unit(records["x"]), y=scales[1].to_unit(records["y"]))
    usual = QUARTERS if x.most is None else middle_half(scales[0], x.most)
    grouped = GroupedData(
        name,
        about,
        scales[0].axis,
        scales[1].axis,
        unit,
        clipped[0],
        clipped[1],
        left_out=len(table.rows) - len(records),
        left_out_with_group=int(rejected["n"].sum()),
        rows=_rows_by_label(table, group),
        rows_per_person=0 if person is None else most_rows(labels_of(table, person)[records.index]),
        usual_at=usual,
    )
    return Built(grouped, tuple(problems), rejected)


def middle_half(scale: Rescaling, most: tuple[float, float]) -> tuple[float, float]:
    """Return the ends of the middle half of a range, in the units of the file, as points of the unit square."""
    low, high = scale.axis.from_unit(scale.to_unit(most)).tolist()
    first, last = scale.axis.to_unit(
        [low + quarter * (high - low) for quarter in QUARTERS]
    ).tolist()
    return first, last


def _rows_by_label(table: Table, group: str | None) -> dict[str, int]:
    """Count the rows of each label, in order of appearance, whatever else is in the rows; blank labels aside."""
    if group is None:
        return {ONE_GROUP: len(table.rows)}
    labels = labels_of(table, group)
    counts = labels[labels != ""].value_counts(sort=False)
    return {str(label): int(count) for label, count in counts.items()}


def no_column(name: str, table: Table) -> str:
    """Return the sentence for a column that is not there."""
    return f"There is no column {name!r}; the columns are {_listed(table.names)}."


def most_rows(ids: pd.Series) -> int:
    """Return the largest number of rows with the same person id; a row without an id is a person of its own."""
    counts = ids[ids != ""].value_counts()
    return int(counts.iloc[0]) if len(counts) else 1


def records_of(
    table: Table, x: Column, y: Column, group: str | None
) -> tuple[pd.DataFrame, list[Problem]]:
    """Return the rows with two numbers and a label: columns group, x, y; a warning where other rows were left out.

    Where a column cannot be read at all, its error is the only message.
    """
    numbers = [numbers_of(table, column.name, column.style) for column in (x, y)]
    problems = [problem for read in numbers for problem in read.problems]
    readable = all(problem.severity != "error" for problem in problems)
    index = table.rows
    labels = pd.Series(ONE_GROUP, index, dtype="str")
    if group is not None:
        labels = labels_of(table, group)
    records = pd.DataFrame({"group": labels, "x": numbers[0].values, "y": numbers[1].values}, index)
    blank = records["group"] == ""
    if blank.any():
        problems.append(_warning(f"Column {group!r}, {row_list(index[blank])}: no group label."))
    complete = ~blank & records[["x", "y"]].notna().all(axis=1)
    if not readable:
        return records, problems
    if not complete.all():
        lost = f"{len(records) - int(complete.sum()):,} of {len(records):,} rows were left out"
        why = NOT_COVERED.format("rows because a value is missing")
        problems.append(_warning(f"{lost} because a value is missing or unusable. {why}"))
        records = records[complete]
    if (summed := totals_problem(table, records.index)) is not None:
        problems.append(summed)
    return records, problems


def labels_of(table: Table, column: str) -> pd.Series:
    """Return the labels in a column: visible text, the names that the file gives to numbers, "" where there is none.

    A name that is also a number of the column gets its own number in brackets.
    """
    cells, names = table.column(column), table.labels(column)
    texts = _labels(cells)
    if not names:
        return texts
    numbers = pd.to_numeric(cells, errors="coerce")
    named = numbers.map(names)
    unnamed = set(texts[named.isna()])
    doubled = {
        number: f"{name} ({number:.15g})" for number, name in names.items() if name in unnamed
    }
    return (
        named.where(named.isna(), numbers.map({**names, **doubled}))
        .fillna(texts)
        .astype("str")
        .map(cache(one_name))
    )


def _labels(cells: pd.Series) -> pd.Series:
    """Return cells as visible text, whole numbers without a point, "" where there is none."""
    if (
        pd.api.types.is_float_dtype(cells)
        and not (cells.abs() >= 2**53).any()
        and not (cells % 1 > 0).any()
    ):
        cells = cells.astype("Int64")
    return cells.astype("str").where(cells.notna(), "").map(cache(one_name))


def area_numbers(
    table: Table,
    group: str,
    columns: Sequence[str],
    areas: Sequence[str],
    style: Style | None = None,
) -> pd.DataFrame:
    """Return columns of a readable table that hold a single number for each area, indexed by `areas` in their order.

    Parameters
    ----------
    table : Table
        Readable table.
    group : str
        Column of the areas' labels.
    columns, areas : sequence of str
        Columns to read, and labels of the areas.
    style : Style, optional
        Style of the numbers; None: as in the file's other columns.

    Raises
    ------
    ValueError
        Names a column that is not there, or that varies within an area or has no number there, with area and values.
    """
    labels, numbers = labels_of(table, group), {}
    for name in dict.fromkeys(columns):
        if name not in table.names:
            raise ValueError(no_column(name, table))
        read = numbers_of(table, name, style)
        if errors := [problem.message for problem in read.problems if problem.severity == "error"]:
            raise ValueError(" ".join(errors))
        values = _one_for_each(pd.Series(read.values, table.rows), name, labels, areas)
        if values.isna().any():
            raise ValueError(
                f"Column {name!r} must hold a number for each area; "
                f"{values.index[values.isna()][0]!r} has none."
            )
        numbers[name] = values
    return pd.DataFrame(numbers, index=pd.Index(areas))


def _one_for_each(
    values: pd.Series, name: str, labels: pd.Series, areas: Sequence[str]
) -> pd.Series:
    """Return the value of a column in each area, missing values aside; ValueError where it varies within an area."""
    pairs = pd.DataFrame({"area": labels, "value": values}).dropna().drop_duplicates()
    pairs = pairs[pairs["area"].isin(areas)]
    if (twice := pairs["area"].duplicated()).any():
        area = pairs["area"][twice].iloc[0]
        several = pairs["value"][pairs["area"] == area].tolist()
        shown = several if isinstance(several[0], str) else list(all_in_full(several))
        more = f" and {len(shown) - 3:,} more" if len(shown) > 3 else ""
        raise ValueError(
            f"Column {name!r} must be the same in all rows of an area; in {area!r} it varies: "
            f"{', '.join(shown[:3])}{more}."
        )
    return pairs.set_index("area")["value"].reindex(areas)


def number_columns(
    table: Table, group: str, areas: Sequence[str], style: Style | None = None
) -> pd.DataFrame:
    """Return columns with a single number for each area, not the same for all; arguments as in `area_numbers`."""
    numbers = pd.DataFrame(index=pd.Index(areas))
    for column in table.names:
        if column == group:
            continue
        with suppress(ValueError):
            numbers[column] = area_numbers(table, group, [column], areas, style)[column]
    return numbers.loc[:, numbers.nunique() > 1]


def _listed(names: Sequence[Any]) -> str:
    """Quote names in a list, at most ten."""
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(repr(str(name)) for name in names[:_SHOWN]) + more


def _between(scale: Rescaling) -> str:
    return " to ".join(scale.raw.written((scale.raw.lower, scale.raw.upper)))


def _nothing_left(records: pd.DataFrame, x: Rescaling, group: str | None, groups: int) -> str:
    """Return the sentence on why no group can be used."""
    if groups > 1:
        return (
            f"None of the {groups:,} groups in {group!r} has 3 or more rows and an x that varies."
        )
    if len(records) < SMALLEST:
        return f"Only {len(records)} usable rows are left; at least 3 are needed."
    if records["x"].nunique() == 1:
        only = in_full(float(records["x"].iloc[0]))
        return (
            f"Column {x.raw.name!r} is constant (every value is {only}), so no line can be fitted."
        )
    done = f"clipped to the bounds {_between(x)}{' and transformed' if x.transform else ''}"
    return f"Column {x.raw.name!r} is constant once it is {done}; choose wider bounds."


def numbers_of(table: Table, column: str, style: Style | None = None) -> Numbers:
    """Return a column of a readable table as numbers, shape (rows,), read as the file's other numbers are written.

    KeyError where there is no such column.
    """
    cells = table.column(column)
    read = read_numbers(cells, column, style)
    undecided = style is None and any(problem.of_style for problem in read.problems)
    if undecided and table.written is not None:
        return read_numbers(cells, column, None, table.written)
    return read


def written_as(table: Table, column: str, style: Style | None = None) -> Style:
    """Return the style in which numbers of a column are typed; "point" without the column.

    Whole numbers, which fit every style, are typed as the numbers of the other columns.
    """
    if not table.readable or column not in table.names:
        return "point"
    read = numbers_of(table, column, style).style
    return "comma" if read == "comma" or (read == "plain" and table.written == "comma") else "point"


CODES = {"id", "ids", "uuid", "key", "code", "fips", "geoid", "zip", "postcode", "year"}
PLACES = {"tract", "county", "state", "block", "district", "school", "region"}
ALL_DIFFERENT = "all values different"
FEWEST = 10  # rows from which on different values tell something
_DIGITS = re.compile("[0-9]+")


def looked_at(table: Table) -> Table:
    """Return the first rows of a readable table, which decide guesses about its columns."""
    return table.head(_GUESSED_BY)


def identifier(first: Table, column: str) -> str:
    """Return why a column is likely an identifier or a year, and no quantity; "" where nothing says so.

    This is a guess by the column's name and its cells in `first`, see `looked_at`. Cells with a decimal, a currency or
    a percent sign are quantities.
    """
    texts = _texts_of(first.column(column))
    different = len(texts) >= FEWEST and len(set(texts)) == len(texts)
    if not texts or not all(map(_DIGITS.fullmatch, texts)):
        number = 2 * sum(map(is_number, texts)) > len(texts)
        return ALL_DIFFERENT if different and not number else ""
    if any(len(text) > 1 and text.startswith("0") for text in texts):
        return "leading zeros"
    if all(len(text) == 4 and 1800 <= int(text) <= 2100 for text in texts):
        return "years"
    words = re.findall("[a-z]+", re.sub("(?<=[a-z])(?=[A-Z])", " ", column).lower())
    if CODES.intersection(words) or (words and words[-1] in PLACES):
        return "its name"
    return ALL_DIFFERENT if different else ""


def _texts_of(cells: pd.Series) -> list[str]:
    """Return the cells that are not empty as texts, whole numbers without a point."""
    texts = cells if pd.api.types.is_string_dtype(cells.dtype) else _labels(cells)
    return [text for text in map(str.strip, texts.tolist()) if text]


def likely_columns(table: Table) -> list[str]:
    """Sort columns by how likely they are x or y: quantities, then identifiers, then columns that are no numbers.

    Columns whose values are merely all different, as a quantity's may be, come before other identifiers.
    """
    first = looked_at(table)

    def unlikely(column: str) -> int:
        """Return 0 for a quantity, up to 3 for a column of no numbers."""
        if not mostly_numbers(first.column(column)):
            return 3
        return {"": 0, ALL_DIFFERENT: 1}.get(identifier(first, column), 2)

    return sorted(table.names, key=unlikely)


UNDECIDED = "decimal point or comma?"
KINDS: dict[Style, str] = {
    "point": "numbers, decimal point",
    "comma": "numbers, decimal comma",
    "plain": "numbers",
}


def preview(table: Table, styles: Mapping[str, Style], columns: Sequence[str]) -> pd.DataFrame:
    """Describe how columns are read, a row for each of `columns`.

    Returns
    -------
    DataFrame
        Columns column, read as, likely (a guess), numbers and not numbers (counts of cells), examples.
    """
    first = looked_at(table)
    rows = []
    for column in columns:
        read = numbers_of(table, column, styles.get(column))
        values = pd.Series(read.values, table.rows)
        count = int(values.notna().sum())
        kind = (
            UNDECIDED if any(problem.of_style for problem in read.problems) else KINDS[read.style]
        )
        shown = (values.dropna() if count else values).index[:3]
        examples = _examples(table, column, shown)
        why = identifier(first, column)
        guess = f"identifier? ({why})" if why else ""
        rows.append(
            (
                column,
                kind if count else "text",
                guess,
                count,
                len(values) - count,
                " | ".join(examples),
            )
        )
    return pd.DataFrame(
        rows, columns=["column", "read as", "likely", "numbers", "not numbers", "examples"]
    )


def _examples(table: Table, column: str, rows: pd.Index) -> list[str]:
    """Return cells of a column in these rows as text, numbers with the names that the file gives to them."""
    cells, names = table.column(column).loc[rows], table.labels(column)
    texts = cells.astype("str").fillna("")
    return [
        f"{text} ({names[cell]})" if cell in names else text
        for text, cell in zip(texts, cells, strict=True)
    ]
