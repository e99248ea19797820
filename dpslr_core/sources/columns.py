"""Table of a file, and the limits on its size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, count

import pandas as pd

from ..support.readable import one_name
from .numbers import Problem, Style, written_style

MAX_BYTES = 50 * 2**20
MAX_ROWS = 1_000_000
MAX_COLUMNS = 500
SMALLEST_TABLE = 3  # rows

Labels = dict[str, dict[float, str]]


class Unreadable(ValueError):
    """File that cannot be read; the text is the sentence for its user."""


class Table:
    """Columns of a file as text, or as numbers where the file itself stores numbers.

    Parameters
    ----------
    frame : DataFrame or None
        Columns, indexed by the row numbers of a spreadsheet; None exactly where `problems` has an error.
    problems : iterable of Problem
        Messages on the file as a whole.
    labels : dict, optional
        By column, the names that the file gives to numbers.
    """

    def __init__(
        self,
        frame: pd.DataFrame | None,
        problems: Iterable[Problem] = (),
        labels: Labels | None = None,
    ) -> None:
        self.frame = frame
        self.problems = tuple(problems)
        self._labels = labels or {}

    @property
    def readable(self) -> bool:
        """Whether there is a table."""
        return self.frame is not None

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        assert self.frame is not None
        return list(self.frame)

    @property
    def rows(self) -> pd.Index:
        """Row numbers in the file."""
        assert self.frame is not None
        return self.frame.index

    def column(self, name: str) -> pd.Series:
        """Return a column in its stored type; KeyError where there is none of this name."""
        assert self.frame is not None
        return self.frame[name]

    def labels(self, name: str) -> Mapping[float, str]:
        """Return the names that the file gives to numbers of a column."""
        return self._labels.get(name, {})

    def head(self, rows: int) -> Table:
        """Return a table of the first `rows` rows."""
        assert self.frame is not None
        return Table(self.frame.head(rows), (), self._labels)

    @cached_property
    def written(self) -> Style | None:
        """Style of the file's numbers by all its columns; None where the columns do not tell."""
        columns = map(self.column, self.names)
        return written_style(
            column for column in columns if not pd.api.types.is_numeric_dtype(column)
        )


def error(message: str) -> Problem:
    """Return a problem that leaves nothing to compute with."""
    return Problem("error", message)


def warning(message: str, doubtful: bool = False) -> Problem:
    """Return a problem in spite of which data are read."""
    return Problem("warning", message, doubtful=doubtful)


def refuse_beyond(rows: int, columns: int, name: str) -> None:
    """Raise Unreadable if a table has more rows or columns than can be read."""
    if rows > MAX_ROWS:
        raise Unreadable(
            f"At most {MAX_ROWS:,} rows can be read; {name} has {rows:,} below the header."
        )
    if columns > MAX_COLUMNS:
        raise Unreadable(f"At most {MAX_COLUMNS} columns can be read; {name} has {columns:,}.")


def refuse_bytes(size: int, name: str, unpacked: bool = False) -> None:
    """Raise Unreadable if a file, or its content once unpacked, has more bytes than can be read."""
    if size > MAX_BYTES:
        most = f"At most {MAX_BYTES // 2**20} MB can be read"
        has = f"{name} holds more" if unpacked else f"{name} has {size / 2**20:,.1f} MB"
        raise Unreadable(f"{most}; {has}.")


def column_names(header: Sequence[str], problems: list[Problem]) -> list[str]:
    """Return a different name for each column: "column 3" for a blank one, "a (2)" for the second "a"."""
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
