"""The table of a file, whose columns are read when they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain, count
from typing import Protocol

import pandas as pd

from ..support.readable import one_name
from .numbers import Problem, Style, written_style

MAX_BYTES = 50 * 2**20
MAX_ROWS = 1_000_000
MAX_COLUMNS = 500
SMALLEST_TABLE = 3  # rows
_GUESSED_BY, _LEAST = 50_000, 50  # cells by which columns are guessed, and rows at least


class Unreadable(ValueError):
    """A file or a column that cannot be read; the text is the sentence for its user."""


class Columns(Protocol):
    """What a file holds: its columns, read one by one.

    Attributes
    ----------
    names : of all columns.
    rows : their numbers, as messages name them.
    labels : of the columns whose numbers have names in the file, the name of each such number.
    """

    @property
    def names(self) -> Sequence[str]: ...

    @property
    def rows(self) -> pd.Index: ...

    @property
    def labels(self) -> Mapping[str, Mapping[float, str]]: ...

    def column(self, name: str) -> pd.Series:
        """Read a column. KeyError where there is none, Unreadable where it is damaged."""
        ...

    def first(self, rows: int) -> pd.DataFrame:
        """Read the first rows of all columns."""
        ...


class FrameColumns:
    """Columns that are in memory."""

    labels: Mapping[str, Mapping[float, str]] = {}

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame
        self.names: Sequence[str] = list(map(str, frame.columns))
        self.rows = frame.index

    def column(self, name: str) -> pd.Series:
        return self.frame[name]

    def first(self, rows: int) -> pd.DataFrame:
        return self.frame.head(rows)


class Table:
    """A file as columns of text, or of numbers where the file itself says so.

    Parameters
    ----------
    columns : of the file; None exactly where problems has an error.
    problems : with the file as a whole.
    """

    def __init__(
        self, columns: pd.DataFrame | Columns | None, problems: Iterable[Problem] = ()
    ) -> None:
        self.columns = FrameColumns(columns) if isinstance(columns, pd.DataFrame) else columns
        self.problems = tuple(problems)

    @property
    def readable(self) -> bool:
        """Whether there is a table."""
        return self.columns is not None

    @property
    def frame(self) -> pd.DataFrame | None:
        """All columns at once, which may take much memory; None where the file cannot be read."""
        if self.columns is None or isinstance(self.columns, FrameColumns):
            return None if self.columns is None else self.columns.frame
        return pd.DataFrame({name: self.column(name) for name in self.names})

    @property
    def names(self) -> Sequence[str]:
        """The names of the columns."""
        assert self.columns is not None
        return self.columns.names

    @property
    def rows(self) -> pd.Index:
        """The rows by their numbers in the file, as a spreadsheet numbers them."""
        assert self.columns is not None
        return self.columns.rows

    @property
    def size(self) -> int:
        """The number of cells."""
        return len(self.names) * len(self.rows)

    def column(self, name: str) -> pd.Series:
        """A column as it is stored. KeyError where there is none, Unreadable where it is damaged."""
        assert self.columns is not None
        return self.columns.column(name)

    def labels(self, name: str) -> Mapping[float, str]:
        """The names that the file gives to numbers of a column."""
        assert self.columns is not None
        return self.columns.labels.get(name, {})

    def head(self, rows: int) -> Table:
        """The first rows of all columns, in memory."""
        assert self.columns is not None
        if len(self.rows) <= rows and isinstance(self.columns, FrameColumns):
            return self
        head = Table(self.columns.first(rows))
        assert isinstance(head.columns, FrameColumns)
        head.columns.labels = self.columns.labels
        return head

    @cached_property
    def written(self) -> Style | None:
        """The style of the file's numbers by all its columns; None where they do not tell."""
        return written_style(self._texts())

    def _texts(self) -> Iterator[pd.Series]:
        """The columns that hold texts and can be read."""
        first = self.head(1)
        for name in self.names:
            if not pd.api.types.is_numeric_dtype(first.column(name)):
                with suppress(Unreadable):
                    yield self.column(name)


def guessed_by(columns: int) -> int:
    """The number of first rows by which so many columns are guessed."""
    return max(_LEAST, _GUESSED_BY // max(columns, 1))


def error(message: str) -> Problem:
    """A problem that leaves nothing to compute with."""
    return Problem("error", message)


def warning(message: str, doubtful: bool = False) -> Problem:
    """A problem in spite of which data are read."""
    return Problem("warning", message, doubtful=doubtful)


def refuse_beyond(rows: int, columns: int, name: str) -> None:
    """Unreadable where a table is larger than can be read."""
    if rows > MAX_ROWS:
        raise Unreadable(
            f"At most {MAX_ROWS:,} rows can be read; {name} has {rows:,} below the header."
        )
    if columns > MAX_COLUMNS:
        raise Unreadable(f"At most {MAX_COLUMNS} columns can be read; {name} has {columns:,}.")


def refuse_bytes(size: int, name: str, unpacked: bool = False) -> None:
    """Unreadable where a file, or what is packed in it, is larger than can be read."""
    if size > MAX_BYTES:
        most = f"At most {MAX_BYTES // 2**20} MB can be read"
        has = f"{name} holds more" if unpacked else f"{name} has {size / 2**20:,.1f} MB"
        raise Unreadable(f"{most}; {has}.")


def column_names(header: Sequence[str], problems: list[Problem]) -> list[str]:
    """Names that are there and differ: "column 3" for a blank one, "a (2)" for the second "a"."""
    names: dict[str, None] = {}
    for position, cell in enumerate(header, 1):
        wanted = one_name(cell) or f"column {position}"
        copies = (f"{wanted} ({copy})" for copy in count(2))
        name = next(name for name in chain([wanted], copies) if name not in names)
        if not one_name(cell):
            problems.append(warning(f"Column {position} has no name; it is called {name!r}."))
        elif name != wanted:
            again = f"The column name {wanted!r} occurs again"
            problems.append(warning(f"{again}; column {position} is called {name!r}."))
        names[name] = None
    return list(names)
