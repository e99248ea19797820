"""Tables: results that show themselves, and files that a spreadsheet may open, whose text is no formula."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import cache
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from .readable import all_in_full, of_column, one_name, write_measured

# Beginnings of text that a spreadsheet computes, after any apostrophes.
_FORMULA = re.compile(r"'*[=+\-@＝＋－＠\t\n]")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def joined_rows(frames: Sequence[pd.DataFrame], columns: Sequence[str]) -> pd.DataFrame:
    """Put frames of these columns below each other; without a frame return the columns alone."""
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(columns))


SHOWN_ROWS = 12


class Shown:
    """Result that shows itself as a line and the first rows of a table, in a terminal and in a notebook."""

    def _shown(self) -> tuple[str, pd.DataFrame]:
        """Return the line and the table."""
        raise NotImplementedError

    def __repr__(self) -> str:
        line, rows, more = self._parts()
        return "\n".join(
            filter(
                None, (line, rows.to_string(index=False, float_format=number_format(rows)), more)
            )
        )

    def _repr_html_(self) -> str:
        line, rows, more = self._parts()
        table = rows.to_html(index=False, border=0, float_format=number_format(rows))
        return f"<p>{escape(line)}</p>{table}{f'<p>{more}</p>' if more else ''}"

    def _parts(self) -> tuple[str, pd.DataFrame, str]:
        line, table = self._shown()
        more = len(table) - SHOWN_ROWS
        return line, table.head(SHOWN_ROWS), f"and {more:,} more rows" if more > 0 else ""


_SET = ("at", "value", "epsilon")  # columns of numbers that were set and not measured


def number_format(table: pd.DataFrame) -> Callable[[float], str]:
    """Return the function that writes the floats of a table: set numbers in full, others by ``write_measured``.

    A number that stands in several columns has the most digits that any of these needs.
    """
    texts: dict[float, str] = {}
    for name, column in table.items():
        if not (isinstance(column.dtype, np.dtype) and column.dtype.kind == "f"):
            continue
        distinct = column.dropna().unique().tolist()
        written = write_measured(distinct)
        if name in _SET:
            largest = max(map(abs, distinct), default=0.0)
            written = [of_column(text, largest) for text in all_in_full(distinct)]
        for number, text in zip(distinct, written, strict=True):
            texts[number] = max(texts.get(number, ""), text, key=len)
    return texts.__getitem__


def plain_columns(frame: pd.DataFrame, argument: str, used: Collection[str]) -> pd.DataFrame:
    """Return the frame with the one form of each column's name, see one_name.

    ValueError names the argument, and a column among ``used`` that is there more than once.
    """
    if frame.columns.nlevels > 1:
        raise ValueError(
            f"{argument} must have one name for each column, got {frame.columns.nlevels} levels "
            "of names"
        )
    names = [one_name(name) if isinstance(name, str) else name for name in frame.columns]
    for name in used:
        if names.count(name) > 1:
            raise ValueError(f"{argument} must have one column {name!r}, got {names.count(name)}")
    return frame.set_axis(names, axis=1)


def plain_labels(labels: pd.Series) -> pd.Series:
    """Return the labels with the one form of each text, see one_name; labels that are no texts stay as they are."""
    changed = {
        label: one_name(label)
        for label in labels.unique()
        if isinstance(label, str) and one_name(label) != label
    }
    return labels.map(lambda label: changed.get(label, label)) if changed else labels


def without_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    r"""Return a copy whose text cells and column names begin with an apostrophe where a spreadsheet would compute them.

    A formula begins with = + - @ (wide ones too), a tab or the end of a line. Text that is just a number stays, and so
    do columns of numbers. Ends of lines in a cell become ``\n``, because pandas writes ``\r`` without quotes and
    what follows it would begin a row. To read such a file back, take one apostrophe off each text cell that
    has any before such a sign: a cell that had apostrophes before has got one more. Source: OWASP, CSV injection.
    """
    copy = frame.set_axis([_escaped(name) for name in frame.columns], axis=1)
    escaped = cache(_escaped)  # a column of names has few different ones
    for index, kind in enumerate(frame.dtypes.tolist()):
        if not pd.api.types.is_numeric_dtype(kind):
            column = frame.iloc[:, index]
            if any(isinstance(cell, str) and escaped(cell) != cell for cell in column.tolist()):
                copy.isetitem(index, column.map(escaped))
    return copy


def _escaped(cell: Any) -> Any:
    """Return the cell, with an apostrophe in front where it is text that would be computed."""
    if not isinstance(cell, str):
        return cell
    cell = cell.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell
