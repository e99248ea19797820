"""Layout of a sheet or a text: its header, and the rows below as columns.

Above the header may stand titles, remarks and notes on the file. The header is the first row with names over columns
of numbers; the rows above are skipped, with a message.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest

import numpy as np
import pandas as pd

from .columns import (
    SMALLEST_TABLE,
    Unreadable,
    column_names,
    refuse_beyond,
    warning,
)
from .numbers import MISSING, Problem, is_number, row_list, short

LOOKED_AT = 40  # rows among which the header is looked for
_BLANK_CELLS = 8  # blank cells beyond the header that a row may have
_AT_ONCE = 1_000_000  # cells that are Python texts at the same time
_YEAR = re.compile("1[89][0-9]{2}|20[0-9]{2}")
_NAMED = 3  # skipped rows that a message repeats

Row = Sequence[str]


@dataclass(frozen=True)
class Header:
    """Row with the names of the columns.

    Attributes
    ----------
    at : int
        Number of rows above the header.
    skipped : dict of int to str
        Row numbers above the header that are not blank, and how each row begins.
    over_data : bool
        Whether the row looks like data.
    doubtful : bool
        Whether a row above looks like data.
    """

    at: int
    skipped: dict[int, str] = field(default_factory=dict)
    over_data: bool = False
    doubtful: bool = False


def find_header(rows: Sequence[Row]) -> Header:
    """Find the header among the first rows; without names over numbers, the first row that is not blank.

    A row has names over numbers if it has a word in a column of mostly numbers, and no number in such a column. Years
    over other numbers are names. Of several such rows above all data the header is the fullest, of equally full rows
    the first, but a row below a blank row goes before.
    """
    first = next((at for at, row in enumerate(rows) if any(map(str.strip, row))), 0)
    width = max(map(len, rows), default=0)
    shape = len(rows), width
    number, word, year = np.zeros(shape, bool), np.zeros(shape, bool), np.zeros(shape, bool)
    for at, row in enumerate(rows):
        for column, cell in enumerate(map(str.strip, row)):
            if is_number(cell):
                number[at, column] = True
                year[at, column] = len(cell) == 4 and _YEAR.fullmatch(cell) is not None
            else:
                word[at, column] = cell != "" and cell.lower() not in MISSING
    numbers, words, years = map(_below, (number, word, year))
    of_numbers = numbers > words
    named_by_year = year & (years < numbers)
    named = np.asarray((of_numbers & (word | named_by_year)).any(axis=1))
    data = np.asarray((of_numbers & number & ~named_by_year).any(axis=1))
    filled = (number | word).sum(axis=1)
    widest_data = np.maximum.accumulate(np.where(data, filled, 0))
    candidates = np.flatnonzero(named & ~data & (filled > widest_data)).tolist()
    if not candidates:
        return Header(first, over_data=bool(rows) and bool(data[first]))
    table_width = Counter(_width(rows[at]) for at in np.flatnonzero(data).tolist())
    most = table_width.most_common(1)[0][0] if table_width else width
    fitting = [at for at in candidates if _width(rows[at]) <= most] or candidates
    fullest = [at for at in fitting if filled[at] == max(filled[fitting])]
    apart = [at for at in fullest if at and not any(map(str.strip, rows[at - 1]))]
    header = (apart or fullest)[-1 if apart else 0]
    above = {at + 1: _beginning(row) for at, row in enumerate(rows[:header])}
    skipped = {row: text for row, text in above.items() if text}
    return Header(header, skipped, doubtful=bool(data[:header].any()))


def _below(cells: np.ndarray) -> np.ndarray:
    """Count the flagged cells below each cell, same shape."""
    return np.cumsum(cells[::-1], axis=0)[::-1] - cells


def _width(row: Row) -> int:
    """Return the position of the last cell that is not blank, from 1."""
    return max((at for at, cell in enumerate(row, 1) if cell.strip()), default=0)


def _beginning(row: Row) -> str:
    """Return the cells of a row as a message repeats them."""
    return ", ".join(cell.strip() for cell in row if cell.strip())


def header_question(header: Header, name: str) -> list[Problem]:
    """Return a warning, in a list, if the header row holds numbers, so that the header may be missing."""
    if not header.over_data:
        return []
    taken = f"Row {header.at + 1} of {name} was taken for the header"
    return [warning(f"{taken}, but it holds numbers: is the header missing?")]


def skipped_note(skipped: dict[int, str], name: str, doubtful: bool) -> Problem:
    """Return the message on rows above the header."""
    named = [short(text) for text in list(skipped.values())[:_NAMED]]
    more = [f"{len(skipped) - _NAMED:,} more"] if len(skipped) > _NAMED else []
    rows = row_list(skipped)
    are, were = ("are", "were") if len(skipped) > 1 else ("is", "was")
    return warning(
        f"{rows[0].upper()}{rows[1:]} of {name} {are} above the header and {were} skipped: "
        f"{', '.join([*named, *more])}.",
        doubtful,
    )


def frame_of(
    header: Row,
    header_row: int,
    rows: Iterator[list[str]],
    name: str,
    problems: list[Problem],
) -> pd.DataFrame:
    """Return the cells below the header as columns of stripped text, indexed by row number.

    Parameters
    ----------
    header : sequence of str
        Cells of the header.
    header_row : int
        Row number of the header.
    rows : iterator of lists of str
        Rows below the header.
    name : str
        Name of the file, for messages.
    problems : list of Problem
        Receives messages on skipped and uneven rows.

    Raises
    ------
    Unreadable
        If fewer than 3 rows fit the header.
    """
    columns = len(header)
    refuse_beyond(0, columns, name)
    names = column_names(header, problems)
    fewer, more, blank, kept = (list[int]() for _ in range(4))
    blocks: list[pd.DataFrame] = []
    number = header_row
    while block := list(islice(rows, max(1, _AT_ONCE // columns))):
        fitting: list[list[str]] = []
        for row in block:
            number += 1
            width = len(row)
            if width > columns + _BLANK_CELLS:
                more.append(number)
                continue
            if width > columns and any(map(str.strip, row[columns:])):
                more.append(number)
            elif not "".join(row).strip():
                blank.append(number)
            else:
                fitting.append(row[:columns])
                kept.append(number)
                if width < columns:
                    fewer.append(number)
        refuse_beyond(number - header_row, columns, name)
        if fitting:
            blocks.append(_texts(fitting, names))
    last = max([*kept[-1:], *more[-1:]], default=0)
    between = [row for row in blank if row < last]
    of_header = f"cells than the {columns} columns of the header"
    kinds = (
        (fewer, f"fewer {of_header}; the missing ones count as empty", False),
        (more, f"more {of_header}; left out", True),
        (between, "blank; skipped", False),
    )
    for numbers, what, doubtful in kinds:
        if numbers:
            problems.append(warning(f"In {name}, {row_list(numbers)}: {what}.", doubtful))
    if not kept and not more:
        raise Unreadable(f"There are no rows below the header (row {header_row}) of {name}.")
    if len(kept) < SMALLEST_TABLE:
        usable = "row fits" if len(kept) == 1 else "rows fit"
        raise Unreadable(
            f"Only {len(kept)} {usable} the header of {name}; at least {SMALLEST_TABLE} are needed."
        )
    frame = blocks[0] if len(blocks) == 1 else pd.concat(blocks, ignore_index=True)
    return frame.set_axis(pd.Index(kept))


def _texts(rows: Sequence[Row], names: Sequence[str]) -> pd.DataFrame:
    """Return rows as columns of stripped text."""
    width = max(map(len, rows))
    columns = zip_longest(*rows, fillvalue="")
    cells = [np.array(list(map(str.strip, column)), dtype=object) for column in columns]
    cells += [np.full(len(rows), "", dtype=object)] * (len(names) - width)
    texts = pd.array(np.concatenate(cells), dtype="str")
    columns_by_name = {
        name: texts[at * len(rows) : (at + 1) * len(rows)] for at, name in enumerate(names)
    }
    return pd.DataFrame(columns_by_name, copy=False)
