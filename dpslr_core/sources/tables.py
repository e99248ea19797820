"""Files as a table of cells, and the columns of a table as grouped data.

Problems are collected, in sentences; no file and no data make it raise.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from itertools import chain, count, islice, zip_longest
from typing import Any

import numpy as np
import pandas as pd

from ..support.readable import all_in_full, in_full, one_name
from ..support.run import QUARTERS
from .axis import Axis, Rescaling, Transform
from .grouping import ONE_GROUP, SMALLEST, GroupedData, group_faults
from .numbers import PATTERNS, Numbers, Problem, Style, mostly_numbers, read_numbers, row_list, written_style

MAX_BYTES = 50 * 2**20
MAX_ROWS = 1_000_000
MAX_COLUMNS = 500
MAX_LINE = 100_000  # characters; below the csv module's own limit for one cell
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1f]")
METADATA = "# dpslr: "  # how a table that report.metadata wrote begins
_DECLARED = re.compile(r'"?[sS][eE][pP]=([,;\t|])"?')
_QUOTED = re.compile(r'(^|[,;\t|]) *"(?:[^"]|"")*"', re.MULTILINE)  # a quoted cell, whatever parts the cells
_HEAD = 1_000_000  # characters by which the delimiter is chosen
_BLANK_CELLS = 8  # blank cells beyond the header that a row may have
_GUESSED_BY = 10_000  # cells by which a column is guessed to be an identifier
_AT_ONCE = 1_000_000  # cells that are Python texts at the same time


@dataclass(frozen=True, eq=False)
class Table:
    """A file as cells: text, or numbers where the file itself says so (Parquet, Stata).

    frame: one column per column of the file, its index the rows as a spreadsheet numbers them (the header is
    row 1); None exactly where problems has an error.
    """

    frame: pd.DataFrame | None
    problems: tuple[Problem, ...] = ()

    @cached_property
    def written(self) -> Style | None:
        """The style of the file's numbers, decided by all its columns together; None where they do not say."""
        assert self.frame is not None
        numeric = pd.api.types.is_numeric_dtype
        return written_style(column for _, column in self.frame.items() if not numeric(column))


class _Unreadable(Exception):
    """Stops the reading of a file; its text is the sentence for the user."""


_ONE_COLUMN = (
    "Only one column was found in {name}, {header!r}; x and y need two, separated by commas, semicolons, tabs or "
    "vertical bars."
)
_error, _warning = partial(Problem, "error"), partial(Problem, "warning")


def read_table(content: bytes, name: str = "the file") -> Table:
    """The table in the bytes of a CSV file, with everything that is wrong with it.

    Text may be UTF-8, UTF-16 with a byte order mark, or Windows-1252 / Latin-1; columns may be separated by
    , ; tab or |; fields may be quoted. Never raises on content; files beyond MAX_BYTES, MAX_ROWS,
    MAX_COLUMNS or MAX_LINE are refused.
    """
    problems: list[Problem] = []
    try:
        text, declared = _table_text(_decode(content, name, problems), name)
        delimiter = declared or _delimiter(text, name)
        frame = _frame(text, delimiter, name, problems)
    except _Unreadable as stop:
        return Table(None, (*problems, _error(str(stop))))
    if delimiter != ",":
        problems.insert(0, _warning(f"The columns of {name} are separated by {DELIMITERS[delimiter]}."))
    return Table(frame, tuple(problems))


def _decode(content: bytes, name: str, problems: list[Problem]) -> str:
    """The bytes as text; _Unreadable where they are too many or no text."""
    if len(content) > MAX_BYTES:
        size, most = len(content) / 2**20, MAX_BYTES // 2**20
        raise _Unreadable(f"At most {most} MB can be read; {name} has {size:,.1f} MB.")
    sent = f"What was sent as {name} is"
    if content.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise _Unreadable(f"{sent} a workbook or an archive, not text; open it and save the sheet as CSV.")
    wide, latin = content.startswith((b"\xff\xfe", b"\xfe\xff")), False
    try:
        text = content.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        text, latin = content.decode("cp1252", errors="replace"), True
    if junk := _BINARY.search(text):
        row, code = text.count("\n", 0, junk.start()) + 1, ord(junk.group())
        raise _Unreadable(f"{sent} not a text file: line {row} holds the control character 0x{code:02x}.")
    if latin:
        said = f"The text of {name} is not UTF-8; it was read as Latin-1 (Windows-1252), so check accents."
        problems.append(_warning(said))
    return text


def _table_text(text: str, name: str) -> tuple[str, str | None]:
    """The text with "\n" at the end of its lines and no blank ones at its end, and the delimiter that it declares.

    Empty, so that rows keep their numbers, are lines that are no rows: what a table of ours says of itself, the lines
    "# name: text" at the top of a file that begins with "# dpslr: "; and a first line "sep=;", as Excel writes it.
    _Unreadable beyond the limits.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
    if not text.strip():
        raise _Unreadable(f"There is nothing in {name}: it is empty.")
    if beyond := beyond_limits(text.count("\n"), 0, name):
        raise _Unreadable(beyond.message)
    lines = text.split("\n")
    if (size := len(longest := max(lines, key=len))) > MAX_LINE:
        line = f"Line {lines.index(longest) + 1} of {name}"
        raise _Unreadable(f"{line} has {size:,} characters, more than {MAX_LINE:,}: is it really a table?")
    declared = _DECLARED.fullmatch(lines[0])
    no_rows = 1 if declared else 0
    if text.startswith(METADATA):
        no_rows = next((number for number, line in enumerate(lines) if not line.startswith("# ")), len(lines))
    if no_rows:
        text = "\n".join([""] * no_rows + lines[no_rows:])
    return text, declared[1] if declared else None


def beyond_limits(rows: int, columns: int, name: str) -> Problem | None:
    """The message of a table that is larger than can be read; None of others."""
    if rows > MAX_ROWS:
        return _error(f"At most {MAX_ROWS:,} rows can be read; {name} has {rows:,} below the header.")
    if columns > MAX_COLUMNS:
        return _error(f"At most {MAX_COLUMNS} columns can be read; {name} has {columns:,}.")
    return None


def _delimiter(text: str, name: str) -> str:
    """The delimiter that splits the first rows most evenly, quoted cells not counted.

    _Unreadable where none gives two columns.
    """
    first = _QUOTED.sub(r'\1"0"', text[:_HEAD]).split("\n", 100)[:100]
    fits: dict[str, tuple[float, int]] = {}  # share of rows with as many cells as the first, and that number
    for delimiter in DELIMITERS:
        reader = csv.reader((line + "\n" for line in first), delimiter=delimiter, skipinitialspace=True)
        try:
            sizes = [len(cells) for cells in reader if "".join(cells).strip()]
        except csv.Error:
            sizes = []
        columns = sizes[0] if sizes and sizes[0] > 1 else 0
        fits[delimiter] = (sizes[1:].count(columns) / max(len(sizes) - 1, 1), columns) if columns else (0.0, 0)
    best = max(fits, key=lambda delimiter: fits[delimiter])
    if fits[best][1] < 2:
        header = text.strip().split("\n")[0].strip()[:60]
        raise _Unreadable(_ONE_COLUMN.format(name=name, header=header))
    return best


def column_names(header: Sequence[str], problems: list[Problem]) -> list[str]:
    """Names that are there and differ: "column 3" for a blank one, "a (2)" for the second "a"."""
    names: list[str] = []
    for position, cell in enumerate(header, 1):
        wanted = one_name(cell) or f"column {position}"
        copies = (f"{wanted} ({copy})" for copy in count(2))
        name = next(name for name in chain([wanted], copies) if name not in names)
        if not one_name(cell):
            problems.append(_warning(f"Column {position} has no name; it is called {name!r}."))
        elif name != wanted:
            problems.append(_warning(f"The column name {wanted!r} occurs again; column {position} is called {name!r}."))
        names.append(name)
    return names


LEFT_OUT = "left out."  # how the message on rows ends that have more cells than the header


def _frame(text: str, delimiter: str, name: str, problems: list[Problem]) -> pd.DataFrame:
    """The cells below the header, as stripped text; _Unreadable where fewer than 3 rows fit it."""
    widths: list[int] = []  # cells of each row
    rows = _rows(text, delimiter, name, widths)
    header = next((cells for cells in rows if "".join(cells).strip()), [""])
    header_row, columns = len(widths) if header != [""] else 0, len(header)
    most, blocks = columns + _BLANK_CELLS, [pd.DataFrame(columns=range(columns), dtype="str")]
    while block := list(islice(rows, max(1, _AT_ONCE // columns))):
        fitting = [row for row in block if len(row) <= most]
        texts = (pd.Series(column, dtype="str").str.strip() for column in zip_longest(*fitting, fillvalue=""))
        blocks.append(pd.DataFrame(dict(enumerate(texts)), range(len(fitting))))
    cells = pd.concat(blocks, ignore_index=True).fillna("")
    if beyond := beyond_limits(0, columns, name):
        raise _Unreadable(beyond.message)
    if all(re.fullmatch(PATTERNS["plain"], cell.strip()) for cell in header):
        taken = f"Row {header_row} of {name} was taken for the header"
        problems.append(_warning(f"{taken}, but it holds numbers: is the header missing?"))
    names = column_names(header, problems)
    nothing = f"There are no rows below the header (row {header_row}) of {name}."
    if not header_row:
        raise _Unreadable(nothing)
    if columns == 1:  # where a delimiter was declared
        raise _Unreadable(_ONE_COLUMN.format(name=name, header=header[0].strip()[:60]))
    sizes = pd.Series(widths[header_row:], range(header_row + 1, len(widths) + 1), dtype=int)
    read = sizes <= most
    cells = cells.set_axis(sizes.index[read])
    filled = cells != ""
    blank, beyond_header = ~filled.any(axis=1), filled.iloc[:, columns:].any(axis=1)
    frame = cells[~blank & ~beyond_header].iloc[:, :columns].set_axis(names, axis=1)
    long = sizes.index[~read].union(cells.index[beyond_header])
    between = cells.index[blank & (cells.index < frame.index.union(long).max())]
    other = (f"{fewer} cells than the {columns} columns of the header; " for fewer in ("fewer", "more"))
    kinds = (
        (frame.index[sizes[frame.index] < columns], next(other) + "the missing ones count as empty"),
        (long, next(other) + LEFT_OUT.rstrip(".")),
        (between, "blank; skipped"),
    )
    problems += [_warning(f"In {name}, {row_list(rows)}: {said}.") for rows, said in kinds if len(rows)]
    if len(frame) + len(long) == 0:
        raise _Unreadable(nothing)
    if len(frame) < SMALLEST:
        usable = "row fits" if len(frame) == 1 else "rows fit"
        raise _Unreadable(f"Only {len(frame)} {usable} the header of {name}; at least 3 are needed.")
    return frame


def _rows(text: str, delimiter: str, name: str, widths: list[int]) -> Iterator[list[str]]:
    """The rows, the number of cells of each added to widths; _Unreadable where quotes do not match."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        for cells in reader:
            widths.append(len(cells))
            yield cells
    except csv.Error:
        said = "the quotation marks do not match; one is never closed or closed too early."
        raise _Unreadable(f"Row {len(widths) + 1} of {name}: {said}") from None


# ---------------------------------------------------------------- from a table to grouped data

_SHOWN = 10  # names that a message repeats
NOT_COVERED = "Leaving out {} is not covered by the guarantee: decide the rule before seeing the data."


def _rejected(faults: Mapping[str, str], sizes: Mapping[str, int]) -> pd.DataFrame:
    rows = [(group, sizes[group], reason) for group, reason in faults.items()]
    return pd.DataFrame(rows, columns=["group", "n", "reason"]).astype({"group": "str", "n": int, "reason": "str"})


@dataclass(frozen=True, eq=False)
class Built:
    """Grouped data made from a table, or None and the errors that say why there is none.

    rejected: the groups that are not in the grouped data; columns group, n, reason.
    """

    grouped: GroupedData | None
    problems: tuple[Problem, ...] = ()
    rejected: pd.DataFrame = field(default_factory=lambda: _rejected({}, {}))


@dataclass(frozen=True)
class Column:
    """A column of a file: its public bounds, its unit, and how its numbers are written where the file does not say.

    most: between which numbers most people are, where that is public, in the units of the bounds.
    """

    name: str
    bounds: tuple[float, float]
    unit: str = ""
    style: Style | None = None
    transform: Transform | None = None
    most: tuple[float, float] | None = None


def grouped_from_table(
    table: Table, x: Column, y: Column, group: str | None = None, name: str = "your data", person: str | None = None
) -> Built:
    """The columns x and y of a table, in the groups of another column, as data in the unit square.

    table: of read_table.
    x, y: which columns, with their bounds in the units of the file.
    group: the column of the group labels; None: one group.
    name: of the data, for a reader.
    person: the column that tells people apart, by which the rows of each are counted; a row without an id is a person.

    Rows without a number in x or y or without a group label are left out; x and y are clipped to the public bounds,
    transformed and rescaled; groups that cannot be used are rejected. Each of these is a message in problems.
    grouped is None exactly where problems has an error.
    """
    frame = table.frame
    if frame is None:
        return Built(None, table.problems)
    wanted = dict.fromkeys(filter(None, (x.name, y.name, group, person)))
    listed = _listed(list(frame.columns))
    faults = [f"There is no column {name!r}; the columns are {listed}." for name in wanted if name not in frame]
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
            scales.append(Rescaling(Axis(column.name, column.unit, lower, upper, style), column.transform))
        except (TypeError, ValueError) as error:
            faults.append(f"The bounds of {column.name!r} cannot be used: {error}.")
    if x.most is not None and not x.bounds[0] <= x.most[0] < x.most[1] <= x.bounds[1]:
        got = f"got {in_full(x.most[0])} to {in_full(x.most[1])}"
        faults.append(f"Where most people are in {x.name!r} must be a range within its bounds; {got}.")
    if faults:
        return Built(None, tuple(map(_error, faults)))
    records, problems = records_of(table, x, y, group)
    if any(problem.severity == "error" for problem in problems):
        return Built(None, tuple(problems))
    unusable = group_faults(records["group"], scales[0].to_unit(records["x"]), np.zeros(len(records)))
    sizes = records["group"].value_counts()
    rejected = _rejected(unusable, sizes)
    if len(unusable) == len(sizes):
        return Built(None, (*problems, _error(_nothing_left(records, scales[0], group, len(sizes)))), rejected)
    if unusable:
        records = records[~records["group"].isin(unusable)]
        parts = [f"{reason}: {_listed(part.to_list())}" for reason, part in rejected.groupby("reason")["group"]]
        left_out = f"{len(rejected):,} of {len(sizes):,} groups were left out ({'; '.join(parts)})."
        problems.append(_warning(f"{left_out} {NOT_COVERED.format('groups because of their values')}"))
    clipped = []
    for scale, values in zip(scales, (records["x"], records["y"]), strict=True):
        clipped.append(outside := scale.outside(values))
        if outside:
            said = f"Column {scale.raw.name!r}: {outside:,} of {len(records):,} values lie outside the bounds"
            problems.append(_warning(f"{said} {_between(scale)} and were moved to the nearer bound."))
    about = f"From an uploaded file: {len(records):,} records, columns {x.name!r} and {y.name!r}."
    unit = records.assign(x=scales[0].to_unit(records["x"]), y=scales[1].to_unit(records["y"]))
    usual = QUARTERS if x.most is None else middle_half(scales[0], x.most)
    grouped = GroupedData(
        name, about, scales[0].axis, scales[1].axis, unit, clipped[0], clipped[1], left_out=len(frame) - len(records),
        left_out_with_group=int(rejected["n"].sum()),
        rows=_rows_by_label(frame, group),
        rows_per_person=0 if person is None else most_rows(frame.loc[records.index, person]), usual_at=usual,
    )  # fmt: skip
    return Built(grouped, tuple(problems), rejected)


def middle_half(scale: Rescaling, most: tuple[float, float]) -> tuple[float, float]:
    """The ends of the middle half of a range, as points of the unit square; the range in the units of the file."""
    low, high = scale.axis.from_unit(scale.to_unit(most)).tolist()
    first, last = scale.axis.to_unit([low + quarter * (high - low) for quarter in QUARTERS]).tolist()
    return first, last


def _rows_by_label(frame: pd.DataFrame, group: str | None) -> dict[str, int]:
    """The number of rows of each label, in order of appearance, whatever else is in them; blank labels aside."""
    if group is None:
        return {ONE_GROUP: len(frame)}
    labels = _labels(frame[group])
    counts = labels[labels != ""].value_counts(sort=False)
    return {str(label): int(count) for label, count in counts.items()}


def most_rows(persons: pd.Series) -> int:
    """The number of rows that one person has at most; one without an id is a person of its own."""
    ids = _labels(persons)
    counts = ids[ids != ""].value_counts()
    return int(counts.iloc[0]) if len(counts) else 1


def records_of(table: Table, x: Column, y: Column, group: str | None) -> tuple[pd.DataFrame, list[Problem]]:
    """The rows that have numbers and a label: columns group, x, y; a warning where others were left out.

    Where a column cannot be read at all, its error is the reason, and that its rows are left out is no news.
    """
    assert table.frame is not None
    numbers = [numbers_of(table, column.name, column.style) for column in (x, y)]
    problems = [problem for read in numbers for problem in read.problems]
    readable = all(problem.severity != "error" for problem in problems)
    index = table.frame.index
    labels = pd.Series(ONE_GROUP, index, dtype="str")
    if group is not None:
        labels = _labels(table.frame[group])
    records = pd.DataFrame({"group": labels, "x": numbers[0].values, "y": numbers[1].values}, index)
    blank = records["group"] == ""
    if blank.any():
        problems.append(_warning(f"Column {group!r}, {row_list(index[blank])}: no group label."))
    complete = ~blank & records[["x", "y"]].notna().all(axis=1)
    if readable and not complete.all():
        lost = f"{len(records) - int(complete.sum()):,} of {len(records):,} rows were left out"
        why = NOT_COVERED.format("rows because a value is missing")
        problems.append(_warning(f"{lost} because a value is missing or unusable. {why}"))
        records = records[complete]
    return records, problems


def _labels(cells: pd.Series) -> pd.Series:
    """The group labels in a column: visible text, whole numbers without a point, "" where there is none."""
    if pd.api.types.is_float_dtype(cells) and not (cells.abs() >= 2**53).any() and not (cells % 1 > 0).any():
        cells = cells.astype("Int64")
    return cells.astype("str").where(cells.notna(), "").map(cache(one_name))


def area_numbers(
    table: Table, group: str, columns: Sequence[str], areas: Sequence[str], style: Style | None = None
) -> pd.DataFrame:
    """Columns of a readable table that hold one number for each area, in the order of the areas, which are the index.

    group: the column of the areas' labels. style: how numbers are written; None: as in the file's other columns.
    ValueError names a column that is not there, and one that varies within an area or has no number there, with the
    area and the values.
    """
    assert table.frame is not None
    labels, numbers = _labels(table.frame[group]), {}
    rows = labels.isin(areas)
    for name in dict.fromkeys(columns):
        if name not in table.frame:
            raise ValueError(f"There is no column {name!r}; the columns are {_listed(list(table.frame.columns))}.")
        read = numbers_of(table, name, style)
        if errors := [problem.message for problem in read.problems if problem.severity == "error"]:
            raise ValueError(" ".join(errors))
        values = pd.Series(read.values, table.frame.index)[rows]
        by_area = values.groupby(labels[rows], sort=False)
        low, high = by_area.min().reindex(areas), by_area.max().reindex(areas)
        if (varies := low < high).any():
            area = varies.index[varies][0]
            different = all_in_full(by_area.get_group(area).dropna().unique())
            raise ValueError(
                f"Column {name!r} must be the same in all rows of an area, a public number of the area; in {area!r} "
                f"it varies: {_several(list(different))}."
            )
        if low.isna().any():
            raise ValueError(
                f"Column {name!r} must hold a number for each area; {low.index[low.isna()][0]!r} has none."
            )
        numbers[name] = low
    return pd.DataFrame(numbers, index=pd.Index(areas))


def number_columns(table: Table, group: str, areas: Sequence[str], style: Style | None = None) -> pd.DataFrame:
    """The columns of a readable table that hold one number for each area, not the same for all; see area_numbers."""
    assert table.frame is not None
    numbers = pd.DataFrame(index=pd.Index(areas))
    for column in table.frame.columns.drop(group):
        with suppress(ValueError):
            numbers[str(column)] = area_numbers(table, group, [column], areas, style)[column]
    return numbers.loc[:, numbers.nunique() > 1]


def area_labels(table: Table, group: str, column: str, areas: Sequence[str]) -> pd.Series:
    """The larger region that each area is in, by a column of a readable table; the index is the areas, "" where none.

    group: the column of the areas' labels. ValueError names a column that is not there, and one that varies within an
    area, with the area and the values.
    """
    assert table.frame is not None
    if column not in table.frame:
        raise ValueError(f"There is no column {column!r}; the columns are {_listed(list(table.frame.columns))}.")
    labels, regions = _labels(table.frame[group]), _labels(table.frame[column])
    pairs = pd.DataFrame({"area": labels, "region": regions}).drop_duplicates()
    pairs = pairs[pairs["area"].isin(areas)]
    if (twice := pairs["area"].duplicated()).any():
        area = pairs["area"][twice].iloc[0]
        different = pairs["region"][pairs["area"] == area].tolist()
        raise ValueError(
            f"Column {column!r} must be the same in all rows of an area; in {area!r} it varies: {_several(different)}."
        )
    return pairs.set_index("area")["region"].reindex(areas)


def region_columns(table: Table, group: str, areas: Sequence[str]) -> list[str]:
    """The columns of a readable table that put areas together: the same within each, with fewer values than areas."""
    assert table.frame is not None
    found = []
    for column in table.frame.columns.drop(group):
        try:
            regions = area_labels(table, group, column, areas)
        except ValueError:
            continue
        if 1 < regions.nunique() < len(areas):
            found.append(str(column))
    return found


def _several(values: Sequence[str], most: int = 3) -> str:
    """Some values, at most so many of them."""
    return ", ".join(values[:most]) + (f" and {len(values) - most:,} more" if len(values) > most else "")


def _listed(names: Sequence[Any]) -> str:
    """Names, quoted, at most ten of them."""
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(repr(str(name)) for name in names[:_SHOWN]) + more


def _between(scale: Rescaling) -> str:
    return " to ".join(scale.raw.written((scale.raw.lower, scale.raw.upper)))


def _nothing_left(records: pd.DataFrame, x: Rescaling, group: str | None, groups: int) -> str:
    """Why no group can be used."""
    if groups > 1:
        return f"None of the {groups:,} groups in {group!r} has 3 or more rows and an x that varies."
    if len(records) < SMALLEST:
        return f"Only {len(records)} usable rows are left; at least 3 are needed."
    if records["x"].nunique() == 1:
        only = in_full(float(records["x"].iloc[0]))
        return f"Column {x.raw.name!r} is constant (every value is {only}), so no line can be fitted."
    done = f"clipped to the bounds {_between(x)}{' and transformed' if x.transform else ''}"
    return f"Column {x.raw.name!r} is constant once it is {done}; choose wider bounds."


def numbers_of(table: Table, column: str, style: Style | None = None) -> Numbers:
    """One column of a readable table as numbers, shape (rows,), written as the file's other numbers are.

    KeyError where there is no such column.
    """
    assert table.frame is not None
    read = read_numbers(table.frame[column], column, style)
    if table.written is not None and style is None and any(problem.of_style for problem in read.problems):
        return read_numbers(table.frame[column], column, None, table.written)
    return read


def written_as(table: Table, column: str, style: Style | None = None) -> Style:
    """The style in which numbers of a column are typed, of whole ones that of the others; "point" without a column."""
    if table.frame is None or column not in table.frame:
        return "point"
    read = numbers_of(table, column, style).style
    return "comma" if read == "comma" or (read == "plain" and table.written == "comma") else "point"


CODES = {"id", "ids", "uid", "uuid", "guid", "key", "code", "codes", "fips", "geoid", "zip", "zipcode", "postcode"}
PLACES = {"tract", "county", "state", "block", "district", "municipality", "precinct", "ward", "school", "region"}
ALL_DIFFERENT, FEWEST = "all values different", 10  # and the rows from which on that says something
YEARS = (1800, 2100)


def identifier(table: Table, column: str) -> str:
    """Why a column of a readable table is likely an identifier or a year, and no quantity; "" where nothing says so.

    A guess, by its name and its cells. Cells with a decimal, a currency or a percent sign are quantities.
    """
    assert table.frame is not None
    cells = table.frame[column].dropna()
    if pd.api.types.is_float_dtype(cells) and not (cells % 1 > 0).any():
        cells = cells.astype("Int64")
    text = cells.head(_GUESSED_BY).astype("str").str.strip()
    text = text[text != ""]
    different = len(text) >= FEWEST and text.is_unique and cells[cells != ""].is_unique
    if text.empty or not text.str.fullmatch("[0-9]+").all():
        return ALL_DIFFERENT if different and not mostly_numbers(text) else ""
    if text.str.fullmatch("0[0-9]+").any():
        return "leading zeros"
    if text.str.len().eq(4).all() and text.astype(int).between(*YEARS).all():
        return "years"
    words = re.findall("[a-z]+", re.sub("(?<=[a-z])(?=[A-Z])", " ", column).lower())
    if CODES.intersection(words) or (words and words[-1] in PLACES):
        return "its name"
    return ALL_DIFFERENT if different else ""


def likely_columns(table: Table) -> list[str]:
    """All columns in the order in which they are likely x and y: quantities, then identifiers, then what is no number.

    Of identifiers those come first whose values are only all different, as those of a quantity may be, too.
    """
    assert table.frame is not None
    first = table.frame.head(50)

    def unlikely(column: str) -> int:
        """0 for a quantity."""
        if not mostly_numbers(first[column]):
            return 3
        why = identifier(table, column)
        return 0 if not why else 1 if why == ALL_DIFFERENT else 2

    return sorted(map(str, table.frame.columns), key=unlikely)


UNDECIDED = "decimal point or comma?"
KINDS: dict[Style, str] = {
    "point": "numbers, decimal point",
    "comma": "numbers, decimal comma",
    "plain": "numbers",
}


def preview(table: Table, styles: Mapping[str, Style], columns: Sequence[str]) -> pd.DataFrame:
    """The reading of columns: column, read as, likely (a guess), numbers and not numbers (cells), examples."""
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
        why = identifier(table, column)
        guess = f"identifier? ({why})" if why else ""
        rows.append((column, kind if count else "text", guess, count, len(values) - count, " | ".join(examples)))
    return pd.DataFrame(rows, columns=["column", "read as", "likely", "numbers", "not numbers", "examples"])
