"""One column as numbers, however they are written, and what is wrong with the cells that are none."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd

from ...support.types import Floats

Style = Literal["point", "comma", "plain"]  # 1,234.5 | 1.234,5 | 1234.5 and nothing else
STYLES: tuple[Style, ...] = get_args(Style)
LARGEST = 1e100  # squares of anything smaller are finite
MISSING = ("na", "n/a", "#n/a", "nan", "null", "none", "-", "--", ".", "?", "missing")
INFINITE = ("inf", "infinity", "∞")
CURRENCIES = "$€£¥₹"
_SHOWN, _LONGEST_CELL = 5, 30  # rows, and characters of a cell, that a message repeats
_CURRENCY = f"[{CURRENCIES}]"
_SPACE = "[ \u00a0\u2009\u202f]"
_PLAIN = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"


def _pattern(decimal: str, separator: str) -> str:
    """Cells with this decimal sign; thousands are separated by the separator, apostrophes or spaces."""
    plain = rf"(?:[0-9]+{decimal}?[0-9]*|{decimal}[0-9]+)(?:[eE][-+]?[0-9]+)?"
    thousands = "|".join(rf"(?:{mark}[0-9]{{3}})+" for mark in (separator, "['’]", _SPACE))
    number = rf"(?:{plain}|[1-9][0-9]{{0,2}}(?:{thousands})(?:{decimal}[0-9]*)?)"
    money, gap = rf"(?:{_CURRENCY}{_SPACE}*)?", f"{_SPACE}*"
    after = rf"{gap}(?:{_CURRENCY}|%)?"
    signed = rf"(?:{money}[-+]{gap}{money}|{money}){number}{after}"
    return rf"{signed}|{money}\({gap}{money}{number}{after}{gap}\){after}"


PATTERNS: dict[Style, str] = {"point": _pattern(r"\.", ","), "comma": _pattern(",", r"\."), "plain": _PLAIN}
_SEPARATORS: dict[Style, str] = {"point": rf"{_SPACE}|[,'’]", "comma": rf"{_SPACE}|[.'’]", "plain": ""}


@dataclass(frozen=True)
class Problem:
    """One thing to tell whoever sent the file: a full sentence; an error means that nothing can be computed."""

    severity: Literal["error", "warning"]
    message: str


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column read as numbers.

    values: shape (rows,), NaN where a cell is no usable number. style: how they were taken to be written.
    """

    values: Floats
    style: Style
    problems: tuple[Problem, ...] = ()


def row_list(rows: Iterable[int]) -> str:
    """Rows as text: "row 4", "rows 4 and 7", "rows 4, 5, 6, 8, 9 and 120 more"."""
    rows = [int(row) for row in rows]
    shown = [str(row) for row in rows[:_SHOWN]]
    if len(rows) > _SHOWN:
        shown.append(f"{len(rows) - _SHOWN:,} more")
    listed = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
    return f"row{'s' if len(rows) > 1 else ''} {listed}"


def read_numbers(column: pd.Series, name: str, style: Style | None = None, likely: Style = "point") -> Numbers:
    """A column as floats, correctly rounded, shape (rows,); its index is taken for the row numbers of the file.

    Read are signs, currency signs, percent signs ("12 %" is 12), brackets for negative numbers, and thousands
    separated by commas or points, apostrophes or spaces. Decimal point or comma is decided by the whole column
    where style is None, and by likely where every cell could be either. Columns of numbers stay as they are.
    Problems: how unusual cells were read; one warning per reason for cells that were not (numbers beyond 1e100
    in size are not); an error where there is no number, or where decimal points and commas are mixed.
    """
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        values = column.to_numpy(dtype=float, na_value=np.nan, copy=True)
        return _checked(values, _as_text(column[_unusable(values)]), name, "plain", [])
    text = _as_text(column).str.strip().str.replace("−", "-", regex=False)
    problems: list[Problem] = []
    if style != "comma" and text.str.fullmatch(f"(?:{_PLAIN})?").all():
        style = "plain"  # nothing to decide
    if style is None:
        style, problems = _decided(text, name, likely)
    readable = text.str.fullmatch(PATTERNS[style]).to_numpy(dtype=bool)
    values = np.full(len(text), np.nan)
    values[readable] = _floats(text[readable], style)
    if any(problem.severity == "error" for problem in problems):
        return Numbers(values, style, tuple(problems))
    problems += _as_read(text, values, style, name)
    return _checked(values, text[_unusable(values)], name, style, problems)


def _as_text(column: pd.Series) -> pd.Series:
    """Cells as text, missing ones empty; pandas before 3 makes them "nan"."""
    return column.astype("str").where(column.notna(), "")


def _floats(text: pd.Series, style: Style) -> Floats:
    """The numbers in cells that fit the pattern of a style; float() rounds correctly where pandas does not."""
    sign = np.where(text.str.contains("^[^0-9.,]*[-(]", regex=True), -1.0, 1.0)
    digits = text.str.replace("^[^0-9.,]+|[^0-9.,]+$", "", regex=True)
    if style != "plain":
        digits = digits.str.replace(_SEPARATORS[style], "", regex=True).str.replace(",", ".", regex=False)
    return sign * digits.to_numpy(dtype=object).astype(float)


def _decided(text: pd.Series, name: str, likely: Style) -> tuple[Style, list[Problem]]:
    """Decimal point or comma: what the cells that can only be one of them say."""
    point, comma = (text.str.fullmatch(PATTERNS[style]) for style in ("point", "comma"))
    points, commas = text[point & ~comma], text[comma & ~point]
    if len(points) and len(commas):
        said = (
            f"Column {name!r} mixes decimal commas ({commas.iloc[0]!r}, {row_list(commas.index)}) and decimal points "
            f"({points.iloc[0]!r}, {row_list(points.index)}); choose which of them its numbers are written with."
        )
        return "point", [Problem("error", said)]
    if len(points) or len(commas):
        return ("point" if len(points) else "comma"), []
    either = text[point & text.str.contains(",", regex=False)]
    if either.empty:
        return "point", []
    meaning = "a decimal comma" if likely == "comma" else "a thousands separator"
    said = (
        f"Column {name!r}: the comma in {either.iloc[0]!r} could be a decimal comma or a thousands separator; it was "
        f"read as {meaning}. If that is wrong, choose how the numbers are written."
    )
    return likely, [Problem("warning", said)]


def _as_read(text: pd.Series, values: Floats, style: Style, name: str) -> list[Problem]:
    """How cells that are no plain numbers were read, an example for each way of writing; mixed units."""
    read = text[~_unusable(values)]
    plain = read.str.fullmatch("[-+]?[0-9]+" if style == "comma" else _PLAIN)
    unusual = read[~plain]
    if unusual.empty:
        return []
    numbers = pd.Series(values, text.index)
    shapes = unusual.str.replace("[0-9]+", "0", regex=True)
    examples = ", ".join(f"{_short(unusual[row])} as {numbers[row]:.15g}" for row in shapes.drop_duplicates().index[:3])
    said = [f"{len(unusual):,} of {len(read):,} numbers were interpreted: {examples}."]
    percent = int(read.str.contains("%", regex=False).sum())
    if 0 < percent < len(read):
        said.append(f"{percent:,} of {len(read):,} numbers have a percent sign; it was ignored, so check the units.")
    currencies = [sign for sign in CURRENCIES if unusual.str.contains(sign, regex=False).any()]
    if len(currencies) > 1:
        said.append(f"the amounts are in several currencies ({', '.join(currencies)}) and were not converted.")
    return [Problem("warning", f"Column {name!r}: {sentence}") for sentence in said]


def _unusable(values: Floats) -> np.ndarray:
    return ~(np.abs(values) <= LARGEST)  # NaN compares False


def _checked(values: Floats, bad: pd.Series, name: str, style: Style, problems: list[Problem]) -> Numbers:
    """The numbers, and a warning for each reason why the cells in bad, those of unusable values, are none."""
    unusable = _unusable(values)
    excessive = ~np.isnan(values[unusable])
    values[unusable] = np.nan
    if len(bad) == len(values):
        example = f", for example {_short(bad.iloc[0])} in row {bad.index[0]}" if len(bad) else ""
        return Numbers(values, style, (Problem("error", f"Column {name!r} has no numbers{example}."),))
    reasons = _reasons(bad, excessive, style)
    for reason, cells in bad.groupby(reasons, sort=False):
        examples = ", ".join(_short(cell) for cell in cells.unique()[:3] if cell)
        such = f", such as {examples}" if examples else ""
        count = f"{len(cells):,} cell{'s' if len(cells) > 1 else ''} not read"
        problems.append(Problem("warning", f"Column {name!r}, {row_list(cells.index)}: {count} ({reason}{such})."))
    return Numbers(values, style, tuple(problems))


def _reasons(text: pd.Series, large: np.ndarray, style: Style) -> np.ndarray:
    """Why each of these cells is no usable number; large: which of them are too large or infinite."""
    word = text.str.lower()
    other = {
        "point": "a decimal comma where the column has decimal points",
        "comma": "a decimal point where the column has decimal commas",
        "plain": "not a plain number",
    }[style]
    tests = {
        "empty": text == "",
        "a missing value": word.isin(MISSING),
        "infinite": word.str.replace("^[-+]", "", regex=True).isin(INFINITE),
        "too large to be a measurement": large,
        "a formula, not its value": text.str.startswith("="),
        other: text.str.fullmatch(f"(?:{PATTERNS['point']})|(?:{PATTERNS['comma']})"),
    }
    return np.select([np.asarray(test, dtype=bool) for test in tests.values()], list(tests), "not a number")


def _short(cell: str) -> str:
    """One cell, quoted, cut where it is long."""
    cell = re.sub(_SPACE, " ", cell)
    return repr(cell if len(cell) <= _LONGEST_CELL else cell[:_LONGEST_CELL] + "…")
