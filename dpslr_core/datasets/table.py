"""CSV files as a table of text cells. Problems are collected, in sentences; no file makes it raise."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import pandas as pd

from .cells import NUMBER, Problem, row_list

MAX_BYTES = 50 * 2**20
MAX_ROWS = 1_000_000
MAX_COLUMNS = 500
MAX_LINE = 100_000  # characters; below the csv module's own limit for one cell
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1f]")
_CHUNK = 1_000_000  # cells held as Python strings at a time


@dataclass(frozen=True, eq=False)
class Table:
    """A file as text cells.

    frame: one str column per column of the file, its index the rows as a spreadsheet numbers them (the
    header is row 1); None exactly where problems has an error. delimiter: the character that separated the
    columns; None where none was found.
    """

    frame: pd.DataFrame | None
    problems: tuple[Problem, ...] = ()
    delimiter: str | None = None


@dataclass
class _Ragged:
    """The numbers of the rows with too few and with too many cells, gathered while reading."""

    short: list[int] = field(default_factory=list)
    long: list[int] = field(default_factory=list)


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
        lines = _lines(_decode(content, name, problems), name)
        delimiter = _delimiter(lines, name)
        frame = _frame(lines, delimiter, name, problems)
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


def _lines(text: str, name: str) -> list[str]:
    """The lines without their ends and without blank ones at the end; _Unreadable beyond the limits."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
    if not text.strip():
        raise _Unreadable(f"There is nothing in {name}: it is empty.")
    below = text.count("\n")
    if below > MAX_ROWS:
        raise _Unreadable(f"At most {MAX_ROWS:,} rows can be read; {name} has {below:,} below the header.")
    lines = text.split("\n")
    lengths = list(map(len, lines))
    longest = max(lengths)
    if longest > MAX_LINE:
        row = lengths.index(longest) + 1
        raise _Unreadable(
            f"Line {row} of {name} has {longest:,} characters, more than {MAX_LINE:,}: is it really a table?"
        )
    return lines


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


def _delimiter(lines: list[str], name: str) -> str:
    """The delimiter that splits the first lines most evenly; _Unreadable where none gives two columns."""
    first = lines[:100]
    fits = {delimiter: _agreement(first, delimiter) for delimiter in DELIMITERS}
    best = max(fits, key=lambda delimiter: fits[delimiter])
    if fits[best][1] < 2:
        header = next(line.strip() for line in lines if line.strip())[:60]
        raise _Unreadable(
            f"Only one column was found in {name}, {header!r}; x and y need two, separated by commas, "
            "semicolons, tabs or vertical bars."
        )
    return best


def _records(lines: list[str], delimiter: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, with their numbers."""
    ended = (line + "\n" for line in lines)  # a quoted cell may hold several lines
    reader = csv.reader(ended, delimiter=delimiter, skipinitialspace=True, strict=True)
    row = 0
    while True:
        row += 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            raise _Unreadable(
                f"Row {row} of {name}: the quotation marks do not match; one is never closed or closed too early."
            ) from None
        if "".join(cells).strip():
            yield row, cells


def _column_names(header: list[str], row: int, problems: list[Problem]) -> list[str]:
    """Names that are there and differ: "column 3" for a blank one, "a (2)" for the second "a"."""
    names: list[str] = []
    for position, cell in enumerate(header, 1):
        wanted = cell.strip() or f"column {position}"
        name, copy = wanted, 1
        while name in names:
            copy += 1
            name = f"{wanted} ({copy})"
        if not cell.strip():
            problems.append(Problem("warning", f"Row {row}: column {position} has no name; it is called {name!r}."))
        elif name != wanted:
            said = f"Row {row}: the column name {wanted!r} occurs again; column {position} is called {name!r}."
            problems.append(Problem("warning", said))
        names.append(name)
    return names


def _frame(lines: list[str], delimiter: str, name: str, problems: list[Problem]) -> pd.DataFrame:
    """The cells below the header; _Unreadable where fewer than 3 rows fit it."""
    records = _records(lines, delimiter, name)
    header_row, header = next(records, (1, []))
    if len(header) > MAX_COLUMNS:
        raise _Unreadable(f"At most {MAX_COLUMNS} columns can be read; {name} has {len(header):,}.")
    if header and all(re.fullmatch(NUMBER, cell.strip()) for cell in header):
        said = f"Row {header_row} of {name} was taken for the header, but it holds numbers: is the header missing?"
        problems.append(Problem("warning", said))
    names = _column_names(header, header_row, problems)
    ragged = _Ragged()
    chunks = [pd.DataFrame(columns=names, dtype="str")]
    while names and (batch := list(islice(records, max(1, _CHUNK // len(names))))):
        chunks.append(_chunk(batch, names, ragged))
    frame = pd.concat(chunks[1:] or chunks)
    problems += _row_problems(frame, header_row, ragged, name)
    _enough(len(frame), len(ragged.long), header_row, name)
    return frame


def _chunk(batch: list[tuple[int, list[str]]], names: list[str], ragged: _Ragged) -> pd.DataFrame:
    """Some rows as a frame of text: as columns they need far less memory than as lists of cells."""
    width, rows, numbers = len(names), [], []
    for row, cells in batch:
        if len(cells) < width:
            ragged.short.append(row)
            cells += [""] * (width - len(cells))
        elif len(cells) > width:
            if "".join(cells[width:]).strip():
                ragged.long.append(row)
                continue
            del cells[width:]
        rows.append(cells)
        numbers.append(row)
    return pd.DataFrame(rows, numbers, names, dtype="str")


def _row_problems(frame: pd.DataFrame, header_row: int, ragged: _Ragged, name: str) -> list[Problem]:
    """Warnings about rows that do not fit the header and about blank rows between others."""
    problems, width = [], frame.shape[1]
    if ragged.short:
        said = f"fewer cells than the {width} columns of the header; the missing ones count as empty"
        problems.append(f"In {name}, {row_list(ragged.short)}: {said}.")
    if ragged.long:
        said = f"more cells than the {width} columns of the header; left out"
        problems.append(f"In {name}, {row_list(ragged.long)}: {said}.")
    used = np.concatenate([frame.index.to_numpy(dtype=int), np.asarray(ragged.long, dtype=int)])
    last = used.max(initial=header_row)
    if len(used) < last - header_row:
        blank = np.setdiff1d(np.arange(header_row + 1, last), used)
        problems.append(f"In {name}, {row_list(blank)}: blank; skipped.")
    return [Problem("warning", message) for message in problems]


def _enough(rows: int, left_out: int, header_row: int, name: str) -> None:
    """_Unreadable where fewer than 3 rows remain."""
    if rows + left_out == 0:
        raise _Unreadable(f"There are no rows below the header (row {header_row}) of {name}.")
    if rows < 3:
        usable = "row fits" if rows == 1 else "rows fit"
        raise _Unreadable(f"Only {rows} {usable} the header of {name}; at least 3 are needed.")
