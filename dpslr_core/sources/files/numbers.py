"""One column as numbers, however they are written, and what is wrong with the cells that are none."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

import numpy as np
import pandas as pd

from ...support.types import Floats

Style = Literal["point", "comma", "plain"]  # 1,234.5 | 1.234,5 | 1234.5 and nothing else
STYLES: tuple[Style, ...] = get_args(Style)
DECIMALS: tuple[Style, ...] = ("point", "comma")  # the styles that can read one text as two numbers
WRITTEN: dict[Style, str] = {"point": "decimal point", "comma": "decimal comma"}
LARGEST = 1e100  # squares of anything smaller are finite
MISSING = ("na", "n/a", "#n/a", "nan", "null", "none", "-", "--", ".", "?", "missing")
INFINITE = ("inf", "infinity", "∞")
CURRENCIES = "$€£¥₹"
_FIRST = 10_000  # cells of a column that mostly suffice to tell how the file is written
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
    """One thing to tell whoever sent the file: a full sentence; an error means that nothing can be computed.

    of_style: whether an error goes away once it is said how the numbers are written.
    """

    severity: Literal["error", "warning"]
    message: str
    of_style: bool = False


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


def read_numbers(column: pd.Series, name: str, style: Style | None = None, others: Style | None = None) -> Numbers:
    """A column as floats, correctly rounded, shape (rows,); its index is taken for the row numbers of the file.

    Read are signs, currency signs, percent signs ("12 %" is 12), brackets for negative numbers, and thousands
    separated by commas or points, apostrophes or spaces. Where style is None, decimal point or comma is decided by the
    cells that can only be one of them, and by the file's other columns where there is no such cell; others: how those
    are written, None where they do not say. Columns of numbers stay as they are.
    Problems: how unusual cells were read; one warning per reason for cells that were not (numbers beyond 1e100
    in size are not); an error where there is no number, where decimal points and commas are mixed, and where nothing
    decides between two readings.
    """
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        values = column.to_numpy(dtype=float, na_value=np.nan, copy=True)
        return _checked(values, _as_text(column[_unusable(values)]), name, "plain", [])
    text = _as_text(column).str.strip().str.replace("−", "-", regex=False)
    problems: list[Problem] = []
    plain = style != "comma" and bool(text.str.fullmatch(f"(?:{_PLAIN})?").all())
    if style is None:
        style, problems = _decided(text, name, others)
    if plain and style == "point":
        style = "plain"  # nothing was decided
    readable = text.str.fullmatch(PATTERNS[style]).to_numpy(dtype=bool)
    values = np.full(len(text), np.nan)
    values[readable] = _floats(text[readable], style)
    if any(problem.severity == "error" for problem in problems):
        return Numbers(values, style, tuple(problems))
    problems += _as_read(text, values, style, name)
    return _checked(values, text[_unusable(values)], name, style, problems)


@cache
def _whole_cell(style: Style) -> re.Pattern[str]:
    return re.compile(PATTERNS[style])


def read_one(text: str, style: Style) -> float | None:
    """The number that a single text is in a style, as read_numbers reads a cell; None where it is none."""
    text = text.strip().replace("−", "-")
    if not _whole_cell(style).fullmatch(text):
        return None
    sign = -1.0 if re.match("[^0-9.,]*[-(]", text) else 1.0
    digits = re.sub("^[^0-9.,]+|[^0-9.,]+$", "", text)
    if style != "plain":
        digits = re.sub(_SEPARATORS[style], "", digits).replace(",", ".")
    return sign * float(digits)


def mostly_numbers(column: pd.Series) -> bool:
    """Whether more than half of the cells are numbers, however they are written."""
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        return 2 * int(np.isfinite(column.to_numpy(dtype=float, na_value=np.nan)).sum()) > len(column)
    cells = _as_text(column).str.strip().to_list()
    return 2 * sum(any(_whole_cell(style).fullmatch(cell) for style in DECIMALS) for cell in cells) > len(cells)


def written_style(columns: Iterable[pd.Series]) -> Style | None:
    """How the numbers of a file are written, by the cells that can only be one of decimal point and decimal comma.

    columns: of texts; those that are mostly numbers are asked. None where no such cell is there, or columns
    contradict each other.
    """
    said: set[Style] = set()
    for column in columns:
        text = _as_text(column).str.strip()
        if mostly_numbers(text[text != ""].head(_FIRST)):
            marked = text[text.str.contains("[.,]", regex=True)].drop_duplicates()
            said |= _styles_of(marked.head(_FIRST)) or _styles_of(marked.iloc[_FIRST:])
    return said.pop() if len(said) == 1 else None


def _styles_of(cells: Iterable[str]) -> set[Style]:
    """The styles that cells can only have."""
    fits = ([style for style in DECIMALS if _whole_cell(style).fullmatch(cell)] for cell in cells)
    return {styles[0] for styles in fits if len(styles) == 1}


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


def _decided(text: pd.Series, name: str, others: Style | None) -> tuple[Style, list[Problem]]:
    """Decimal point or comma: what the cells that can only be one of them say, here or in other columns."""
    point, comma = (text.str.fullmatch(PATTERNS[style]) for style in DECIMALS)
    points, commas = text[point & ~comma], text[comma & ~point]
    if len(points) and len(commas):
        said = (
            f"Column {name!r} mixes decimal commas ({commas.iloc[0]!r}, {row_list(commas.index)}) and decimal points "
            f"({points.iloc[0]!r}, {row_list(points.index)}); choose which of them its numbers are written with."
        )
        return "point", [Problem("error", said, of_style=True)]
    if len(points) or len(commas):
        return ("point" if len(points) else "comma"), []
    either = text[point & text.str.contains("[.,]", regex=True)]
    if either.empty or others in DECIMALS:
        return others if others == "comma" else "point", []
    cell = either.iloc[0]
    meant = [f"{read_one(cell, style):.15g} ({WRITTEN[style]})" for style in DECIMALS]
    said = (
        f"Column {name!r}: {short(cell)}, {row_list(either.index[:1])}, could mean {' or '.join(meant)}, and no "
        "other column of the file decides. Choose how its numbers are written."
    )
    return "point", [Problem("error", said, of_style=True)]


def _as_read(text: pd.Series, values: Floats, style: Style, name: str) -> list[Problem]:
    """How cells that are no plain numbers were read, an example for each way of writing; mixed units."""
    read = text[~_unusable(values)]
    plain = read.str.fullmatch("[-+]?[0-9]+" if style == "comma" else _PLAIN)
    unusual = read[~plain]
    if unusual.empty:
        return []
    numbers = pd.Series(values, text.index)
    shapes = unusual.str.replace("[0-9]+", "0", regex=True)
    examples = ", ".join(f"{short(unusual[row])} as {numbers[row]:.15g}" for row in shapes.drop_duplicates().index[:3])
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
        example = f", for example {short(bad.iloc[0])} in row {bad.index[0]}" if len(bad) else ""
        return Numbers(values, style, (Problem("error", f"Column {name!r} has no numbers{example}."),))
    reasons = _reasons(bad, excessive, style)
    for reason, cells in bad.groupby(reasons, sort=False):
        examples = ", ".join(short(cell) for cell in cells.unique()[:3] if cell)
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


def short(cell: str) -> str:
    """One cell, quoted, its control characters escaped, cut where it is long."""
    cell = re.sub(_SPACE, " ", cell)
    return repr(cell if len(cell) <= _LONGEST_CELL else cell[:_LONGEST_CELL] + "…")
