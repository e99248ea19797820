"""The cells of one text column as numbers, and what is wrong with the others."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from .._types import Floats

LARGEST = 1e100  # squares of anything smaller are finite
NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
DECIMAL_COMMA = r"[+-]?(?:[0-9]+,[0-9]*|,[0-9]+)(?:[eE][+-]?[0-9]+)?"
MAYBE_THOUSANDS = r"[+-]?[1-9][0-9]{0,2},[0-9]{3}"  # 1,234 is 1.234 to some and 1234 to others
_SPACE = "['’ \u00a0\u202f]"  # apostrophes and spaces that group digits
THOUSANDS = (
    r"[+-]?[0-9]{1,3}(?:(?:,[0-9]{3})+(?:\.[0-9]*)?|(?:\.[0-9]{3})+,[0-9]*|(?:\.[0-9]{3}){2,}"
    rf"|(?:{_SPACE}[0-9]{{3}})+(?:[.,][0-9]*)?)"
)
PLACEHOLDERS = {"na", "n/a", "#n/a", "nan", "null", "none", "-", "--", ".", "?", "missing"}
INFINITE = {"inf", "infinity", "∞"}


@dataclass(frozen=True)
class Problem:
    """One thing to tell whoever sent the file: a full sentence; an error means that nothing can be computed."""

    severity: Literal["error", "warning"]
    message: str


def row_list(rows: Iterable[int], show: int = 5) -> str:
    """Rows as text: "row 4", "rows 4 and 7", "rows 4, 5, 6, 8, 9 and 120 more"."""
    rows = [int(row) for row in rows]
    shown = [str(row) for row in rows[:show]]
    if len(rows) > show:
        shown.append(f"{len(rows) - show:,} more")
    listed = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
    return f"row{'s' if len(rows) > 1 else ''} {listed}"


def _fault(cell: str) -> str:
    """What keeps one cell, already known not to be a plain number, from being a number."""
    word = cell.lower().lstrip("+-")
    if not cell:
        return "empty"
    if cell.lower() in PLACEHOLDERS:
        return "a missing value"
    if word in INFINITE:
        return "infinite"
    if cell.endswith("%"):
        return "a percentage; remove the % sign"
    if re.match(r"[+-]?\s*[$€£¥₹]|.*[$€£¥₹]$", cell, re.DOTALL):
        return "an amount with a currency sign; remove the sign"
    if re.fullmatch(NUMBER, cell):
        return "too large to be a measurement"
    return "not a number"


def _comma_error(text: pd.Series, comma: pd.Series) -> str | None:
    """Why the commas of the column cannot be read, as the end of a sentence; None where they can."""
    thousands = text.str.fullmatch(THOUSANDS) & ~comma
    if thousands.any():
        return (
            f", {row_list(text.index[thousands])}: numbers with thousands separators, such as "
            f"{text[thousands].iloc[0]!r}, are not read; save the file without them."
        )
    if not comma.any():
        return None
    cell, rows = text[comma].iloc[0], row_list(text.index[comma])
    if text[comma].str.fullmatch(MAYBE_THOUSANDS).all():
        return (
            f", {rows}: the comma in {cell!r} could be a decimal comma or a thousands separator; "
            "save the file with decimal points and without thousands separators."
        )
    points = text.str.fullmatch(NUMBER) & text.str.contains(".", regex=False)
    if points.any():
        point, others = text[points].iloc[0], row_list(text.index[points])
        return f" mixes decimal commas ({cell!r}, {rows}) and decimal points ({point!r}, {others}); use one of them."
    return None


def _decimal_points(text: pd.Series, column_name: str) -> tuple[pd.Series, list[Problem]]:
    """The column with decimal commas made points, and an error where commas could mean two things."""
    comma = text.str.fullmatch(DECIMAL_COMMA)
    error = _comma_error(text, comma)
    if error:
        return text, [Problem("error", f"Column {column_name!r}{error}")]
    if not comma.any():
        return text, []
    cell = text[comma].iloc[0]
    said = f"Column {column_name!r}: commas were read as decimal commas, so {cell!r} is {cell.replace(',', '.')}."
    return text.where(~comma, text.str.replace(",", ".", regex=False)), [Problem("warning", said)]


def to_numbers(column: pd.Series, column_name: str) -> tuple[Floats, list[Problem]]:
    """A text column as floats, shape (len(column),), NaN where a cell is no usable number.

    The index of the column is taken for the row numbers of the file. Problems: one warning per kind of bad
    cell, naming the first rows and a count; decimal commas are a warning; thousands separators, ambiguous
    commas and a column without any number are errors. Beyond 1e100 in size a number counts as bad.
    """
    text = column.astype("str").fillna("").str.strip().str.replace("−", "-", regex=False)
    text, problems = _decimal_points(text, column_name)
    plain = text.str.fullmatch(NUMBER).to_numpy(dtype=bool)
    numbers = np.full(len(text), np.nan)
    numbers[plain] = text.to_numpy(dtype=object)[plain].astype(float)
    numbers[np.abs(numbers) > LARGEST] = np.nan
    if any(problem.severity == "error" for problem in problems):
        return numbers, problems
    bad = text[np.isnan(numbers)]
    if len(bad) == len(text):
        example = f", for example {_short(bad.iloc[0])} in row {bad.index[0]}" if len(bad) else ""
        return numbers, [*problems, Problem("error", f"Column {column_name!r} has no numbers{example}.")]
    return numbers, problems + _faults(bad, column_name)


def _faults(bad: pd.Series, column_name: str) -> list[Problem]:
    """One warning per kind of bad cell, in order of first appearance."""
    kinds = bad.map({cell: _fault(cell) for cell in bad.unique()})
    problems = []
    for kind, cells in bad.groupby(kinds, sort=False):
        shown = f"{_short(cells.iloc[0])}: " if cells.iloc[0] else ""
        first = "the first is " if shown and len(cells) > 1 else ""
        message = f"Column {column_name!r}, {row_list(cells.index)}: {first}{shown}{kind}."
        problems.append(Problem("warning", message))
    return problems


def _short(cell: str, longest: int = 30) -> str:
    """One cell, quoted, cut where it is long."""
    return repr(cell if len(cell) <= longest else cell[:longest] + "…")
