"""Tables for files that a spreadsheet may open: no text cell is taken for a formula."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_FORMULA = re.compile(r"'*[=+\-@＝＋－＠\t\n]")  # what a spreadsheet computes, after any apostrophes
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


# What a terminal obeys and a page hides: controls, and marks that turn the direction of text.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """The text with control characters but tabs and ends of lines written out, as Python writes them: "\\x1b"."""
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


def without_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """A copy whose text cells and column names begin with an apostrophe where a spreadsheet would compute them.

    Those begin with = + - @ (wide ones too), a tab or the end of a line. Text that is just a number stays, and so
    do columns of numbers. Ends of lines in a cell become ``\\n``, because pandas writes ``\\r`` without quotes and
    what follows it would begin a row. To read such a file back, take one apostrophe off each text cell that
    has one or more before such a sign: those that had some before have got one more. Source: OWASP, CSV injection.
    """
    from pandas.api.types import is_numeric_dtype  # here, as every command of the terminal uses ``visible``

    copy = frame.set_axis([_escaped(name) for name in frame.columns], axis=1)
    escaped = cache(_escaped)  # a column of names has few different ones
    for place, kind in enumerate(frame.dtypes.tolist()):
        if not is_numeric_dtype(kind):
            column = frame.iloc[:, place]
            if any(isinstance(cell, str) and escaped(cell) != cell for cell in column.tolist()):
                copy.isetitem(place, column.map(escaped))
    return copy


def _escaped(cell: Any) -> Any:
    """The cell, with an apostrophe in front where it is text that would be computed."""
    if not isinstance(cell, str):
        return cell
    cell = cell.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell
