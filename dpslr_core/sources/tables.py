"""Files as a table of cells, and the columns of a table as grouped data.

Problems are collected, in sentences; no file and no data make it raise.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import islice, zip_longest
from typing import Any

import numpy as np
import pandas as pd

from ..support.readable import in_full, visible
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
_AT_ONCE = 1_000_000  # cells that are Python texts at the same time


@dataclass(frozen=True, eq=False)
class Table:
    """A file as cells: text, or numbers where the file itself says so (Parquet, Stata).

    frame: one column per column of the file, its index the rows as a spreadsheet numbers them (the header is
    row 1); None exactly where problems has an error. delimiter: the character that separated the columns;
    None where there was none.
    """

    frame: pd.DataFrame | None
    problems: tuple[Problem, ...] = ()
    delimiter: str | None = None

    @cached_property
    def written(self) -> Style | None:
        """How the numbers of the file are written, decided by all its columns together; None where they do not say."""
        assert self.frame is not None
        numeric = pd.api.types.is_numeric_dtype
        return written_style(column for _, column in self.frame.items() if not numeric(column))


class _Unreadable(Exception):
    """Stops the reading of a file; its text is the sentence for the user."""


def read_table(content: bytes, name: str = "the file") -> Table:
    """The table in the bytes of a CSV file, with everything that is wrong with it.

    Text may be UTF-8, UTF-16 with a byte order mark, or Windows-1252 / Latin-1; columns may be separated by
    , ; tab or |; fields may be quoted. Never raises on content; files beyond MAX_BYTES, MAX_ROWS,
    MAX_COLUMNS or MAX_LINE are refused.
    """
    problems: list[Problem] = []
    delimiter = None
    try:
        text = _without_metadata(_within_limits(_decode(content, name, problems), name))
        text, declared = _without_declaration(text)
        delimiter = declared or _delimiter(text, name)
        frame = _frame(text, delimiter, name, problems)
    except _Unreadable as stop:
        return Table(None, (*problems, Problem("error", str(stop))), delimiter)
    if delimiter != ",":
        problems.insert(0, Problem("warning", f"The columns of {name} are separated by {DELIMITERS[delimiter]}."))
    return Table(frame, tuple(problems), delimiter)


def _decode(content: bytes, name: str, problems: list[Problem]) -> str:
    """The bytes as text; _Unreadable where they are too many or no text."""
    if len(content) > MAX_BYTES:
        size, most = len(content) / 2**20, MAX_BYTES // 2**20
        raise _Unreadable(f"At most {most} MB can be read; {name} has {size:,.1f} MB.")
    if content.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise _Unreadable(
            f"What was sent as {name} is a workbook or an archive, not text; open it and save the sheet as CSV."
        )
    warning = None
    try:
        wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
        text = content.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", errors="replace")
        warning = f"The text of {name} is not UTF-8; it was read as Latin-1 (Windows-1252), so check accents."
    if junk := _BINARY.search(text):
        row, code = text.count("\n", 0, junk.start()) + 1, ord(junk.group())
        raise _Unreadable(
            f"What was sent as {name} is not a text file: line {row} holds the control character 0x{code:02x}."
        )
    if warning:
        problems.append(Problem("warning", warning))
    return text


def _within_limits(text: str, name: str) -> str:
    """The text with "\\n" at the end of its lines and no blank ones at its end; _Unreadable beyond the limits."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
    if not text.strip():
        raise _Unreadable(f"There is nothing in {name}: it is empty.")
    if beyond := beyond_limits(text.count("\n"), 0, name):
        raise _Unreadable(beyond.message)
    lengths = [len(line) for line in text.split("\n")]
    longest = max(lengths)
    if longest > MAX_LINE:
        row = lengths.index(longest) + 1
        raise _Unreadable(
            f"Line {row} of {name} has {longest:,} characters, more than {MAX_LINE:,}: is it really a table?"
        )
    return text


def beyond_limits(rows: int, columns: int, name: str) -> Problem | None:
    """What is said of a table that is larger than can be read; None of others."""
    if rows > MAX_ROWS:
        return Problem("error", f"At most {MAX_ROWS:,} rows can be read; {name} has {rows:,} below the header.")
    if columns > MAX_COLUMNS:
        return Problem("error", f"At most {MAX_COLUMNS} columns can be read; {name} has {columns:,}.")
    return None


def _without_metadata(text: str) -> str:
    """The text with empty lines, which keep the numbers of the rows, in place of what a table of ours says of itself.

    Those are the lines "# name: text" at the top of a file that begins with "# dpslr: ".
    """
    if not text.startswith(METADATA):
        return text
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines) if not line.startswith("# ")), len(lines))
    return "\n".join([""] * first + lines[first:])


def _without_declaration(text: str) -> tuple[str, str | None]:
    """The text with an empty line in place of a first line "sep=;", as Excel writes it, and the delimiter it names."""
    line, _, rest = text.partition("\n")
    declared = _DECLARED.fullmatch(line)
    return ("\n" + rest, declared[1]) if declared else (text, None)


def _agreement(lines: list[str], delimiter: str) -> tuple[float, int]:
    """How well a delimiter fits: the share of rows with as many cells as the first, and that number."""
    reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter, skipinitialspace=True)
    try:
        sizes = [len(cells) for cells in reader if "".join(cells).strip()]
    except csv.Error:
        return 0.0, 0
    if not sizes or sizes[0] < 2:
        return 0.0, 0
    rest = sizes[1:]
    return (sum(size == sizes[0] for size in rest) / len(rest) if rest else 0.0), sizes[0]


def _delimiter(text: str, name: str) -> str:
    """The delimiter that splits the first rows most evenly, those in quoted cells not counted.

    _Unreadable where none gives two columns.
    """
    first = _QUOTED.sub(r'\1"0"', text[:_HEAD]).split("\n", 100)[:100]
    fits = {delimiter: _agreement(first, delimiter) for delimiter in DELIMITERS}
    best = max(fits, key=lambda delimiter: fits[delimiter])
    if fits[best][1] < 2:
        header = text.strip().split("\n")[0].strip()[:60]
        raise _Unreadable(
            f"Only one column was found in {name}, {header!r}; x and y need two, separated by commas, "
            "semicolons, tabs or vertical bars."
        )
    return best


def column_names(header: Sequence[str], problems: list[Problem]) -> list[str]:
    """Names that are there and differ: "column 3" for a blank one, "a (2)" for the second "a"."""
    names: list[str] = []
    for position, cell in enumerate(header, 1):
        wanted = visible(cell.strip()) or f"column {position}"
        name, copy = wanted, 1
        while name in names:
            copy += 1
            name = f"{wanted} ({copy})"
        if not cell.strip():
            problems.append(Problem("warning", f"Column {position} has no name; it is called {name!r}."))
        elif name != wanted:
            said = f"The column name {wanted!r} occurs again; column {position} is called {name!r}."
            problems.append(Problem("warning", said))
        names.append(name)
    return names


def _frame(text: str, delimiter: str, name: str, problems: list[Problem]) -> pd.DataFrame:
    """The cells below the header; _Unreadable where fewer than 3 rows fit it."""
    widths: list[int] = []  # cells of each row
    rows = _rows(text, delimiter, name, widths)
    header = next((cells for cells in rows if "".join(cells).strip()), [""])
    header_row, columns = len(widths) if header != [""] else 0, len(header)
    cells = _cells(rows, columns)
    if beyond := beyond_limits(0, columns, name):
        raise _Unreadable(beyond.message)
    if all(re.fullmatch(PATTERNS["plain"], cell.strip()) for cell in header):
        said = f"Row {header_row} of {name} was taken for the header, but it holds numbers: is the header missing?"
        problems.append(Problem("warning", said))
    names = column_names(header, problems)
    if not header_row:
        _require_rows(0, 0, header_row, name)
    sizes = pd.Series(widths[header_row:], range(header_row + 1, len(widths) + 1), dtype=int)
    read = sizes <= columns + _BLANK_CELLS
    cells = cells.set_axis(sizes.index[read])
    filled = cells != ""
    blank, beyond_header = ~filled.any(axis=1), filled.iloc[:, columns:].any(axis=1)
    frame = cells[~blank & ~beyond_header].iloc[:, :columns].set_axis(names, axis=1)
    short = frame.index[sizes[frame.index] < columns]
    long = sizes.index[~read].union(cells.index[beyond_header])
    problems += _row_problems(frame, short, long, cells.index[blank], name)
    _require_rows(len(frame), len(long), header_row, name)
    return frame


def _rows(text: str, delimiter: str, name: str, widths: list[int]) -> Iterator[list[str]]:
    """The rows, the number of cells of each added to widths; _Unreadable where quotes do not match."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        for cells in reader:
            widths.append(len(cells))
            yield cells
    except csv.Error:
        raise _Unreadable(
            f"Row {len(widths) + 1} of {name}: the quotation marks do not match; one is never closed or closed too "
            "early."
        ) from None


def _cells(rows: Iterator[list[str]], columns: int) -> pd.DataFrame:
    """The rows without too many cells, as stripped text, "" where a row has no more cells; at least so many columns."""
    most, blocks = columns + _BLANK_CELLS, [pd.DataFrame(columns=range(columns), dtype="str")]
    while block := list(islice(rows, max(1, _AT_ONCE // columns))):
        fitting = [row for row in block if len(row) <= most]
        texts = (pd.Series(column, dtype="str").str.strip() for column in zip_longest(*fitting, fillvalue=""))
        blocks.append(pd.DataFrame(dict(enumerate(texts)), range(len(fitting))))
    return pd.concat(blocks, ignore_index=True).fillna("")


def _row_problems(frame: pd.DataFrame, short: pd.Index, long: pd.Index, blank: pd.Index, name: str) -> list[Problem]:
    """Warnings about rows that do not fit the header and about blank rows between others."""
    width, last = frame.shape[1], frame.index.union(long).max()
    kinds = (
        (short, f"fewer cells than the {width} columns of the header; the missing ones count as empty"),
        (long, f"more cells than the {width} columns of the header; left out"),
        (blank[blank < last], "blank; skipped"),
    )
    return [Problem("warning", f"In {name}, {row_list(rows)}: {said}.") for rows, said in kinds if len(rows)]


def _require_rows(rows: int, left_out: int, header_row: int, name: str) -> None:
    """_Unreadable where fewer than 3 rows remain."""
    if rows + left_out == 0:
        raise _Unreadable(f"There are no rows below the header (row {header_row}) of {name}.")
    if rows < 3:
        usable = "row fits" if rows == 1 else "rows fit"
        raise _Unreadable(f"Only {rows} {usable} the header of {name}; at least 3 are needed.")


# ---------------------------------------------------------------- from a table to grouped data

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
