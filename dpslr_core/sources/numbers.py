"""Numbers in any notation: columns of files, and texts that somebody types in a page, a link or an option.

A typed text is read as a cell of a file is: in the notation of its quantity, or in the notation of the pages.
A text that could mean two numbers is not read: a sentence names both readings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Literal, get_args

import numpy as np
import pandas as pd

from ..support.types import Floats

Style = Literal["point", "comma", "plain"]  # 1,234.5 | 1.234,5 | 1234.5 and nothing else
STYLES: tuple[Style, ...] = get_args(Style)
DECIMALS: tuple[Style, ...] = ("point", "comma")  # styles in which a text can be different numbers
WRITTEN: dict[Style, str] = {"point": "decimal point", "comma": "decimal comma"}
_OF_OTHER_STYLE: dict[Style, str] = {
    "point": "a decimal comma where the column has decimal points",
    "comma": "a decimal point where the column has decimal commas",
    "plain": "not a plain number",
}
LARGEST = 1e100  # squares of anything smaller are finite
MISSING = ("na", "n/a", "#n/a", "nan", "null", "none", "-", "--", ".", "?", "missing")
INFINITE = ("inf", "infinity", "∞")
_FIRST = 10_000  # cells of a column that mostly suffice to tell the style
_SHOWN, _LONGEST_CELL = 5, 30  # rows, and characters of a cell, that a message repeats
_CURRENCY = "[$€£¥₹]"
_SPACE = "[ \u00a0\u2009\u202f]"
# Only a decimal point fits such a cell, or it is whole or empty.
_POINT_ALONE = r"(?:[-+]?[0-9]+(?:\.(?:[0-9]{1,2}|[0-9]{4,}))?)?"
_PLAIN = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"


def _pattern(decimal: str, separator: str) -> str:
    """Return the pattern of cells with this decimal sign; thousands have the separator, apostrophes or spaces."""
    plain = rf"(?:[0-9]+{decimal}?[0-9]*|{decimal}[0-9]+)(?:[eE][-+]?[0-9]+)?"
    thousands = "|".join(rf"(?:{mark}[0-9]{{3}})+" for mark in (separator, "['’]", _SPACE))
    number = rf"(?:{plain}|[1-9][0-9]{{0,2}}(?:{thousands})(?:{decimal}[0-9]*)?)"
    money, gap = rf"(?:{_CURRENCY}{_SPACE}*)?", f"{_SPACE}*"
    after = rf"{gap}(?:{_CURRENCY}|%)?"
    signed = rf"(?:{money}[-+]{gap}{money}|{money}){number}{after}"
    return rf"{signed}|{money}\({gap}{money}{number}{after}{gap}\){after}"


PATTERNS: dict[Style, str] = {
    "point": _pattern(r"\.", ","),
    "comma": _pattern(",", r"\."),
    "plain": _PLAIN,
}
_CELL = {style: re.compile(pattern) for style, pattern in PATTERNS.items()}
_SEPARATORS: dict[Style, str] = {
    "point": rf"{_SPACE}|[,'’]",
    "comma": rf"{_SPACE}|[.'’]",
    "plain": "",
}


@dataclass(frozen=True)
class Problem:
    """Message in a full sentence to whoever sent the file; an error means that nothing can be computed.

    Attributes
    ----------
    of_style : bool
        Whether the error goes away once the style of the numbers is chosen.
    doubtful : bool
        Whether a record may be lost, or may be no record; a real release does not go on before that is settled.
    """

    severity: Literal["error", "warning"]
    message: str
    of_style: bool = False
    doubtful: bool = False


@dataclass(frozen=True, eq=False)
class Numbers:
    """Column read as numbers.

    Attributes
    ----------
    values : array of float, shape (rows,)
        NaN where a cell is no usable number.
    style : Style
        Style in which the numbers were read.
    """

    values: Floats
    style: Style
    problems: tuple[Problem, ...] = ()


def row_list(rows: Iterable[int]) -> str:
    """Write row numbers as text: "row 4", "rows 4 and 7", "rows 4, 5, 6, 8, 9 and 120 more"."""
    texts = [str(int(row)) for row in rows]
    more = [f"{len(texts) - _SHOWN:,} more"] if len(texts) > _SHOWN else []
    return f"row{'s' if len(texts) > 1 else ''} {_listed([*texts[:_SHOWN], *more])}"


def _listed(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def read_numbers(
    column: pd.Series, name: str, style: Style | None = None, others: Style | None = None
) -> Numbers:
    """Read a column as floats, correctly rounded, shape (rows,).

    Read are signs, currency signs, percent signs ("12 %" is 12), brackets for negative numbers, and thousands
    separated by commas or points, apostrophes or spaces. Columns of numbers stay unchanged.

    Parameters
    ----------
    column : Series
        Cells, indexed by the row numbers of the file.
    name : str
        Name of the column, for messages.
    style : Style, optional
        Style of the numbers. None: cells that fit only a decimal point or only a decimal comma decide, then `others`.
    others : Style, optional
        Style of the file's other columns; None where the other columns do not tell.

    Returns
    -------
    Numbers
        With messages: how unusual cells were read; a warning for each reason why cells were not (numbers beyond 1e100
        in size are not); an error where there is no number, where decimal points and commas are mixed, and where
        nothing decides between two readings.
    """
    if _numeric(column):
        values = column.to_numpy(dtype=float, na_value=np.nan, copy=True)
        return _checked(values, _as_text(column[_unusable(values)]), name, "plain", [])
    text = _as_text(column).str.strip().str.replace("−", "-", regex=False)
    problems: list[Problem] = []
    plain = style != "comma" and bool(text.str.fullmatch(f"(?:{_PLAIN})?").all())
    if style is None:
        style, problems = _decided(text, name, others)
    if plain and style == "point":
        style = "plain"  # plain cells, read alike in both styles
    readable = text.str.fullmatch(PATTERNS[style]).to_numpy(dtype=bool)
    values = np.full(len(text), np.nan)
    values[readable] = _floats(text[readable], style)
    if any(problem.severity == "error" for problem in problems):
        return Numbers(values, style, tuple(problems))
    problems += _as_read(text, values, style, name)
    return _checked(values, text[_unusable(values)], name, style, problems)


def read_one(text: str, style: Style) -> float | None:
    """Read a single text in a style, as `read_numbers` reads a cell; None where it is no number."""
    text = text.strip().replace("−", "-")
    if not _CELL[style].fullmatch(text):
        return None
    sign = -1.0 if re.match("[^0-9.,]*[-(]", text) else 1.0
    digits = re.sub("^[^0-9.,]+|[^0-9.,]+$", "", text)
    if style != "plain":
        digits = re.sub(_SEPARATORS[style], "", digits).replace(",", ".")
    return sign * float(digits)


def _numeric(column: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def mostly_numbers(column: pd.Series) -> bool:
    """Tell whether more than half of the cells are numbers in any notation."""
    if _numeric(column):
        return 2 * int(np.isfinite(column.to_numpy(dtype=float, na_value=np.nan)).sum()) > len(
            column
        )
    cells = column.to_list() if pd.api.types.is_string_dtype(column.dtype) else _as_text(column)
    return 2 * sum(isinstance(cell, str) and is_number(cell) for cell in cells) > len(cells)


def is_number(cell: str) -> bool:
    """Tell whether a cell is a number in any notation."""
    cell = cell.strip()
    return bool(_CELL["point"].fullmatch(cell) or _CELL["comma"].fullmatch(cell))


def written_style(columns: Iterable[pd.Series]) -> Style | None:
    """Return the style of a file's numbers, decided by cells that fit only a decimal point or only a decimal comma.

    None where there is no such cell, or columns contradict each other.

    Parameters
    ----------
    columns : iterable of Series
        Columns of texts; only columns of mostly numbers count.
    """
    candidates: set[Style] = set()
    for column in columns:
        text = _as_text(column).str.strip()
        if text.str.fullmatch(_POINT_ALONE).all():  # sixty times faster than cell by cell
            candidates |= {"point"} if text.str.contains(".", regex=False).any() else set()
        elif mostly_numbers(text[text != ""].head(_FIRST)):
            alone = _of_one_style(text[text.str.contains("[.,]", regex=True)].drop_duplicates())
            candidates |= {style for style in DECIMALS if len(alone[style])}
    return candidates.pop() if len(candidates) == 1 else None


def _as_text(column: pd.Series) -> pd.Series:
    """Return cells as text, missing cells empty; pandas before 3 makes them "nan"."""
    return column.astype("str").where(column.notna(), "")


def _floats(text: pd.Series, style: Style) -> Floats:
    """Return the numbers in cells that fit the pattern of a style; float() rounds correctly where pandas does not."""
    sign = np.where(text.str.contains("^[^0-9.,]*[-(]", regex=True), -1.0, 1.0)
    digits = text.str.replace("^[^0-9.,]+|[^0-9.,]+$", "", regex=True)
    if style != "plain":
        digits = digits.str.replace(_SEPARATORS[style], "", regex=True).str.replace(
            ",", ".", regex=False
        )
    return sign * digits.to_numpy(dtype=object).astype(float)


def _of_one_style(text: pd.Series) -> dict[Style, pd.Series]:
    """Return the cells that fit only a decimal point, and those that fit only a decimal comma."""
    point, comma = (text.str.fullmatch(PATTERNS[style]) for style in DECIMALS)
    return {"point": text[point & ~comma], "comma": text[comma & ~point]}


def _decided(text: pd.Series, name: str, others: Style | None) -> tuple[Style, list[Problem]]:
    """Decide between decimal point and comma by cells that fit only one style, in this column, then in the others."""
    points, commas = _of_one_style(text).values()
    if len(points) and len(commas):
        sentence = (
            f"Column {name!r} mixes decimal commas ({commas.iloc[0]!r}, {row_list(commas.index)}) "
            f"and decimal points ({points.iloc[0]!r}, {row_list(points.index)}); choose which of "
            "them its numbers are written with."
        )
        return "point", [Problem("error", sentence, of_style=True)]
    if len(points) or len(commas):
        return ("point" if len(points) else "comma"), []
    either = text[text.str.fullmatch(PATTERNS["point"]) & text.str.contains("[.,]", regex=True)]
    if either.empty or others in DECIMALS:
        return others if others == "comma" else "point", []
    cell = either.iloc[0]
    meant = [f"{read_one(cell, style):.15g} ({WRITTEN[style]})" for style in DECIMALS]
    sentence = (
        f"Column {name!r}: {short(cell)}, {row_list(either.index[:1])}, could mean "
        f"{' or '.join(meant)}, and no "
        "other column of the file decides. Choose how its numbers are written."
    )
    return "point", [Problem("error", sentence, of_style=True)]


def _as_read(text: pd.Series, values: Floats, style: Style, name: str) -> list[Problem]:
    """Return warnings on mixed units, and on cells that are no plain numbers: an example for each notation."""
    read = text[~_unusable(values)]
    plain = read.str.fullmatch("[-+]?[0-9]+" if style == "comma" else _PLAIN)
    unusual = read[~plain]
    if unusual.empty:
        return []
    numbers = pd.Series(values, text.index)
    shapes = unusual.str.replace("[0-9]+", "0", regex=True)
    examples = ", ".join(
        f"{short(unusual[row])} as {numbers[row]:.15g}"
        for row in shapes.drop_duplicates().index[:3]
    )
    sentences = [f"{len(unusual):,} of {len(read):,} numbers were interpreted: {examples}."]
    percent = int(read.str.contains("%", regex=False).sum())
    if 0 < percent < len(read):
        sentences.append(
            f"{percent:,} of {len(read):,} numbers have a percent sign; it was ignored, so check "
            "the units."
        )
    return [Problem("warning", f"Column {name!r}: {sentence}") for sentence in sentences]


def _unusable(values: Floats) -> np.ndarray:
    return ~(np.abs(values) <= LARGEST)  # NaN compares False


def _checked(
    values: Floats, bad: pd.Series, name: str, style: Style, problems: list[Problem]
) -> Numbers:
    """Return the numbers, with a warning for each reason why cells are unusable; `bad` holds these cells as text."""
    unusable = _unusable(values)
    excessive = ~np.isnan(values[unusable])
    values[unusable] = np.nan
    if len(bad) == len(values):
        example = f", for example {short(bad.iloc[0])} in row {bad.index[0]}" if len(bad) else ""
        return Numbers(
            values, style, (Problem("error", f"Column {name!r} has no numbers{example}."),)
        )
    if bad.empty:
        return Numbers(values, style, tuple(problems))
    word = bad.str.lower()
    tests = {
        "empty": bad == "",
        "a missing value": word.isin(MISSING),
        "infinite": word.str.replace("^[-+]", "", regex=True).isin(INFINITE),
        "too large to be a measurement": excessive,
        "a formula, not its value": bad.str.startswith("="),
        _OF_OTHER_STYLE[style]: bad.str.fullmatch(
            f"(?:{PATTERNS['point']})|(?:{PATTERNS['comma']})"
        ),
    }
    reasons = np.select(
        [np.asarray(test, dtype=bool) for test in tests.values()], list(tests), "not a number"
    )
    for reason, cells in bad.groupby(reasons, sort=False):
        examples = ", ".join(short(cell) for cell in cells.unique()[:3] if cell)
        such = f", such as {examples}" if examples else ""
        count = f"{len(cells):,} cell{'s' if len(cells) > 1 else ''} not read"
        problems.append(
            Problem(
                "warning", f"Column {name!r}, {row_list(cells.index)}: {count} ({reason}{such})."
            )
        )
    return Numbers(values, style, tuple(problems))


def short(cell: str) -> str:
    """Quote a cell for a message: control characters escaped, cut where it is long."""
    cell = re.sub(_SPACE, " ", cell)
    return repr(cell if len(cell) <= _LONGEST_CELL else cell[:_LONGEST_CELL] + "…")


# ---------------------------------------------------------------- numbers that somebody types

_PARTED = re.compile("[;\n\t]")  # always between numbers
_THOUSANDS = r"[0-9][ ,][0-9]{3}(?![0-9])"
_DOUBTFUL = {  # commas and spaces that may stand in a number or between two
    "comma": re.compile(_THOUSANDS.replace(" ,", " ")),
    "point": re.compile(
        rf"{_THOUSANDS}|(?<![0-9.])[1-9][0-9]{{0,2}}[.][0-9]{{3}},[0-9]|(?<![0-9.,])[0-9]+,[0-9]+(?![0-9.]|,[0-9])"
    ),
}
# Two whole numbers, as people often type them.
_PAIR = re.compile("[-+]?[1-9][0-9]*,(?:[0-9]|[1-9][0-9]|[1-9][0-9]{3,})")
_POWER = re.compile(r"\s*[×x]\s*10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")  # as `format_amount` writes powers of ten
_DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_WHOLE = re.compile(r"[-+]?[0-9]{1,4000}")


@dataclass(frozen=True)
class Typed:
    """List of numbers as it was read: its numbers in order, and a sentence about each piece that is no number."""

    numbers: tuple[float, ...]
    problems: tuple[str, ...] = ()


def read_list(text: str, style: Style = "point", unit: str = "") -> Typed:
    """Read the numbers in "25,000; 60,000", "0.25, 0.75" or "10 20", each as in `read_number`.

    Semicolons, line ends and tabs separate numbers. Where a text has none of these, commas and spaces do; a text in
    which a comma or space may as well stand in a number is a problem.

    Parameters
    ----------
    text : str
        Typed text.
    style : Style
        Style in which numbers of this quantity are written.
    unit : str
        Unit of the quantity, which may follow a number.
    """
    text = _normal(text).strip()
    if unit:
        text = re.sub(rf"(?<=[0-9])[ ]*{re.escape(unit)}(?![^ ,;\n\t])", "", text)
    numbers: list[float] = []
    problems: list[str] = []
    if _PARTED.search(text):
        pieces = _PARTED.split(text)
    elif style != "comma" and _PAIR.fullmatch(text):
        pieces = text.split(",")
    elif _DOUBTFUL["comma" if style == "comma" else "point"].search(text):
        pieces = []
        problems.append(
            f"{short(text)} could be one number or several: put semicolons between numbers, no "
            "mark in one"
        )
    else:
        pieces = re.split(r",?\s+" if style == "comma" else r"[,\s]+", text)
    for piece in (piece.strip(" ,") for piece in pieces):
        try:
            numbers += [read_number(piece, style)] if piece else []
        except ValueError as problem:
            problems.append(str(problem))
    if text and not numbers and not problems:
        problems.append(f"{short(text)} is no number")
    return Typed(tuple(numbers), tuple(problems))


def parse_points(text: str, field: str = "x_new", style: Style = "point") -> tuple[float, ...]:
    """Read the numbers of read_list where all can be read; ValueError names the field and what cannot."""
    typed = read_list(text, style)
    if typed.problems:
        raise ValueError(f"{field}: {typed.problems[0]}")
    return typed.numbers


def parse_pair(text: str, field: str) -> tuple[float, ...]:
    """Read two numbers, as in "0,100" or "0; 60,000": a single comma separates them. ValueError as `parse_points`."""
    ends = text.split(",")
    if len(ends) == 2 and ";" not in text:
        text = "; ".join(ends)
    return parse_points(text, field)


def read_number(text: str, style: Style = "point") -> float:
    """Read the number in "60,000", "$60,000", "0,5", "1 × 10⁻⁶".

    Parameters
    ----------
    text : str
        Typed text.
    style : Style
        Style that alone tells 1,234 from 1.234. A decimal comma is understood also where decimal points are usual, if
        the text can be nothing else.

    Raises
    ------
    ValueError
        If the text is no finite number or could be two numbers; the sentence says so.
    """
    cleaned = _normal(text).strip()
    as_point, as_comma = read_one(cleaned, "point"), read_one(cleaned, "comma")
    either = (
        [as_comma, as_point] if style == "comma" else [as_comma if as_point is None else as_point]
    )
    readings = list(dict.fromkeys(number for number in either if number is not None))
    if "%" in cleaned:  # 12 % is 12 or 0.12
        readings = list(
            dict.fromkeys(value for number in readings for value in (number, number / 100))
        )
    shown = short(cleaned)
    if len(readings) > 1:
        meant = [f"{number:.15g}" for number in readings]
        write = " or ".join(map(_without_marks, meant))
        raise ValueError(f"{shown} could mean {', or '.join(meant)}: write {write}")
    if not readings and cleaned.lower().lstrip("+-") not in INFINITE:
        raise ValueError(f"{shown} is no number")
    if not readings or not isfinite(readings[0]):
        raise ValueError(f"{shown} is not finite")
    return readings[0]


def read_whole(text: str) -> int:
    """Read the whole number in "1,000", to every digit; ValueError, a sentence, unless there is exactly one reading."""
    if _WHOLE.fullmatch(text.strip()):
        return int(text)
    number = read_number(text)
    if number % 1:
        raise ValueError(f"{short(text)} is no whole number")
    return int(number)


def format_points(points: Iterable[float]) -> str:
    """Write points, shape (m,), to every digit, as `read_list` reads them in any style."""
    return ", ".join(_without_marks(repr(float(point)).removesuffix(".0")) for point in points)


def _normal(text: str) -> str:
    """Return the text with ASCII signs, and powers of ten as "1e-6"."""
    return _POWER.sub(lambda power: f"e{power[1].translate(_DIGITS)}", text.replace("−", "-"))


def _without_marks(text: str) -> str:
    """Return a number's text with no decimal point that could be read as a mark between thousands."""
    return f"{text}0" if re.fullmatch(r"-?[1-9][0-9]{0,2}\.[0-9]{3}", text) else text
