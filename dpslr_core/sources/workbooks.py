"""Reader of workbooks (.xlsx): the sheet with a table, its header, and cells as the sheet shows them."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice
from typing import Any
from zipfile import ZipFile

import pandas as pd

from .columns import (
    MAX_BYTES,
    SMALLEST_TABLE,
    Unreadable,
    refuse_beyond,
    warning,
)
from .layout import LOOKED_AT, find_header, frame_of, header_question, skipped_note
from .numbers import Problem

_UNPACKED = 4 * MAX_BYTES  # bytes of XML, which is wordy
# A reader of decimal commas would take such a number for thousands.
_AMBIGUOUS = re.compile(r"-?[1-9][0-9]{0,2}\.[0-9]{3}")
_QUOTED = re.compile(r'"[^"]*"|\\.|\[[^]]*\]')  # literal parts of a number format


def read_workbook(content: bytes, name: str, problems: list[Problem]) -> pd.DataFrame:
    """Read the table in a workbook; Unreadable where there is none.

    Numbers stay numbers; percentages are read as shown, as from a CSV file of the sheet; dates are texts.
    """
    import openpyxl

    with ZipFile(io.BytesIO(content)) as archive:
        unpacked = sum(member.file_size for member in archive.infolist())
    if unpacked > _UNPACKED:
        most = f"At most {_UNPACKED // 2**20} MB can be read"
        raise Unreadable(f"{most}; {name} holds {unpacked / 2**20:,.0f} MB. Save the sheet as CSV.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl warns of styles, which do not matter
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        with closing(book):
            sheet = _sheet(book, name, problems)
            return _table(sheet, name, problems)


def _sheet(book: Any, name: str, problems: list[Problem]) -> Any:
    """Return the first visible sheet with a table; a message names the sheet where there are several."""
    visible = [
        sheet
        for sheet in book.worksheets
        if hasattr(sheet, "iter_rows") and sheet.sheet_state == "visible"
    ]
    tables = [sheet for sheet in visible if _holds_table(sheet)]
    if not tables and len(visible) > 1:
        raise Unreadable(f"No sheet of {name} holds a table: a row of names, and 3 rows below it.")
    chosen, *unread = tables or visible
    if unread:
        more = f" and {len(unread) - 3:,} more" if len(unread) > 3 else ""
        titles = ", ".join(repr(sheet.title) for sheet in unread[:3])
        problems.append(
            warning(
                f"{name} holds several tables; sheet {chosen.title!r} was read, and not "
                f"{titles}{more}. To read another, save it in a file of its own.",
                doubtful=True,
            )
        )
    return chosen


def _holds_table(sheet: Any) -> bool:
    """Tell whether a sheet has more than 3 rows of at least two cells: a row of names, and 3 rows below."""
    rows = [row for row in islice(_texts(sheet, set()), LOOKED_AT) if any(row)]
    return sum(sum(map(bool, row)) > 1 for row in rows) > SMALLEST_TABLE


def _table(sheet: Any, name: str, problems: list[Problem]) -> pd.DataFrame:
    """Return the table in a sheet; columns that hold only numbers become numbers."""
    first = list(islice(_texts(sheet, set()), LOOKED_AT))
    header = find_header(first)
    names = first[header.at] if first else []
    if not any(names):
        raise Unreadable(f"There is nothing in {name}: its sheet {sheet.title!r} is empty.")
    width = max(at for at, cell in enumerate(names, 1) if cell)
    if width == 1:
        only = f"Only one column was found in {name}, {names[0][:60]!r}"
        raise Unreadable(f"{only}; x and y need two. The first row must name the columns.")
    if header.skipped:
        problems.append(skipped_note(header.skipped, name, header.doubtful))
    problems += header_question(header, name)
    of_other: set[int] = set()
    cells = islice(_texts(sheet, of_other, header.at + 1), header.at + 1, None)
    padded = (row + [""] * (width - len(row)) for row in cells)
    frame = frame_of(names[:width], header.at + 1, padded, name, problems)
    for at, column in enumerate(frame.columns):
        texts = frame[column]
        if at not in of_other and (texts != "").any():
            frame[column] = _numbers(texts)
    return frame


def _numbers(texts: pd.Series) -> pd.Series:
    """Return cells that are numbers or blank as numbers, of type int64 where all are whole and none is blank."""
    if texts.str.fullmatch("-?[0-9]{1,15}").all():
        return texts.astype("int64")
    return texts.where(texts != "", "nan").to_numpy(dtype=object).astype(float) + pd.Series(
        0.0, texts.index
    )


def _texts(sheet: Any, of_other: set[int], after: int = 0) -> Iterator[list[str]]:
    """Yield the rows of a sheet as texts, without blank cells at their ends; Unreadable beyond the limits.

    Parameters
    ----------
    sheet : worksheet of openpyxl
        The sheet.
    of_other : set of int
        Receives the positions of columns that hold cells other than numbers.
    after : int
        Number of rows at the top that `of_other` leaves aside.
    """
    sheet.reset_dimensions()  # a file may state its dimensions wrongly
    length = blank = 0
    for number, row in enumerate(sheet.iter_rows(), 1):
        cells: list[str] = []
        for at, cell in enumerate(row):
            if cell.value is None:
                continue
            text = _text(cell)
            if not text:
                continue
            cells += [""] * (at - len(cells)) + [text]
            if number > after and (cell.data_type != "n" or "%" in text):
                of_other.add(at)
        refuse_beyond(0, len(cells), f"sheet {sheet.title!r}")
        length += sum(map(len, cells))
        if length > MAX_BYTES:
            raise Unreadable(
                f"Sheet {sheet.title!r} has more than {MAX_BYTES // 2**20} MB of text."
            )
        if not cells:
            blank += 1  # perhaps nothing else follows
            continue
        yield from ([] for _ in range(blank))
        blank = 0
        yield cells


def _text(cell: Any) -> str:
    """Return a cell as text: percentages as shown, dates as 2024-05-01, no number that could have a thousands mark."""
    value = cell.value
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        percent = "%" in _QUOTED.sub("", cell.number_format or "")
        text = repr(value)
        if percent:
            text = format(Decimal(text).scaleb(2), "f")
        return f"{text}{'0' if _AMBIGUOUS.fullmatch(text) else ''}{'%' if percent else ''}"
    if isinstance(value, datetime):
        midnight = value.time() == time()
        return value.date().isoformat() if midnight else value.isoformat(" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    return str(value).strip()
