"""CSV files as a table of text cells. Problems are collected, in sentences; no file makes it raise."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from ...support.readable import visible
from .numbers import PATTERNS, Problem, Style, row_list, written_style

MAX_BYTES = 50 * 2**20
MAX_ROWS = 1_000_000
MAX_COLUMNS = 500
MAX_LINE = 100_000  # characters; below the csv module's own limit for one cell
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1f]")
METADATA = "# dpslr: "  # how a table that report.tables wrote begins
_DECLARED = re.compile(r'"?[sS][eE][pP]=([,;\t|])"?')
_QUOTED = re.compile(r'(^|[,;\t|]) *"(?:[^"]|"")*"', re.MULTILINE)  # a quoted cell, whatever parts the cells
_HEAD = 1_000_000  # characters by which the delimiter is chosen
_BLANK_CELLS = 8  # blank cells beyond the header that a row may have


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


def _rows(text: str, delimiter: str, name: str) -> tuple[int, list[str], pd.Series]:
    """The row of the header, its cells, and how many cells each row has; _Unreadable where quotes do not match."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    header_row, header, widths = 0, [""], []
    try:
        for cells in reader:
            widths.append(len(cells))
            if not header_row and "".join(cells).strip():
                header_row, header = len(widths), cells
    except csv.Error:
        raise _Unreadable(
            f"Row {len(widths) + 1} of {name}: the quotation marks do not match; one is never closed or closed too "
            "early."
        ) from None
    return header_row, header, pd.Series(widths, range(1, len(widths) + 1), dtype=int)


def _frame(text: str, delimiter: str, name: str, problems: list[Problem]) -> pd.DataFrame:
    """The cells below the header; _Unreadable where fewer than 3 rows fit it."""
    header_row, header, widths = _rows(text, delimiter, name)
    if beyond := beyond_limits(0, len(header), name):
        raise _Unreadable(beyond.message)
    if all(re.fullmatch(PATTERNS["plain"], cell.strip()) for cell in header):
        said = f"Row {header_row} of {name} was taken for the header, but it holds numbers: is the header missing?"
        problems.append(Problem("warning", said))
    names = column_names(header, problems)
    read = widths[widths <= len(header) + _BLANK_CELLS]
    cells = _cells(text, delimiter, read, name).loc[header_row + 1 :]
    filled = cells != ""
    blank, beyond = ~filled.any(axis=1), filled.iloc[:, len(header) :].any(axis=1)
    frame = cells[~blank & ~beyond].iloc[:, : len(header)].set_axis(names, axis=1)
    short = frame.index[widths[frame.index] < len(header)]
    long = widths.index.difference(read.index).union(cells.index[beyond])
    problems += _row_problems(frame, short, long, cells.index[blank], name)
    _require_rows(len(frame), len(long), header_row, name)
    return frame


def _cells(text: str, delimiter: str, read: pd.Series, name: str) -> pd.DataFrame:
    """The rows whose widths are in read, as stripped text, "" where a row has no more cells."""
    apart = f"The rows of {name} cannot be told apart; quotation marks must stand directly beside the delimiter."
    try:
        cells = pd.read_csv(
            io.StringIO(text, newline=""), sep=delimiter, header=None, names=range(read.max()), index_col=False,
            dtype="str", keep_default_na=False, skip_blank_lines=False, skipinitialspace=True, lineterminator="\n",
            on_bad_lines="skip",
        )  # fmt: skip
    except pd.errors.ParserError:
        raise _Unreadable(apart) from None
    if len(cells) != len(read):
        raise _Unreadable(apart)
    return cells.apply(lambda column: column.str.strip()).set_axis(read.index)


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
