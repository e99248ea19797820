"""Numbers that somebody types: points, bounds, epsilon, hyperparameters, in a page, a link or an option.

A typed text is read as a cell of a file is, in the way that the quantity's numbers are written, or as pages print it.
What could mean two things is not read: a sentence names both readings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite

from .numbers import CURRENCIES, DECIMALS, INFINITE, Style, read_one, short

Reading = tuple[float, ...]
_APART = re.compile(r"\s*(?:;|\n|\t|\band\b)\s*")  # between numbers, whatever else may stand in them
_COMMA_AND_SPACE = re.compile(r",[ \n\t]+")
_MARK, _SPACES = re.compile("[ ,]+"), re.compile(" +")
_LONG = re.compile(r"(?<![0-9.])[1-9][0-9]{0,2}(?:(?:,[0-9]{3})+|(?: [0-9]{3})+)(?![0-9])")
_POWER = re.compile(r"\s*[×x]\s*10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")  # as format_amount writes it
ENDLESS, NO_NUMBER = " is not finite", " is no number"  # ends of sentences
_DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_PAIR = re.compile(r"[-+]?[1-9][0-9]*,(?:0|[1-9][0-9]*)")  # two whole numbers, as lists are often typed
_WHOLE = re.compile(r"[-+]?[0-9]{1,4000}")
_THOUSANDS = re.compile(r"[0-9][ ,][0-9]{3}(?![0-9])")


@dataclass(frozen=True)
class Typed:
    """What a list of numbers says: those that can be read, in their order, and a sentence about each other part."""

    numbers: Reading
    problems: tuple[str, ...] = ()


def read_list(text: str, style: Style = "point", unit: str = "") -> Typed:
    """The numbers in "0.25, 0.75", "25,000; 60,000" or "10 20", each as in read_number.

    Semicolons, line breaks, tabs and "and" part numbers; so do commas and spaces that cannot be marks in a number.
    style: how numbers of this quantity are written. unit: of the quantity, that may follow a number.

    "60,000" alone is a problem: 60000, or 60 and 0.
    """
    numbers: list[float] = []
    problems: list[str] = []
    for part, readings in _parts(_normal(text), style, unit):
        if len(readings) == 1 and all(map(isfinite, readings[0])):
            numbers += readings[0]
        else:
            problems.append(_problem(part, readings))
    if text.strip() and not numbers and not problems:
        problems.append(_problem(text, ()))
    return Typed(tuple(numbers), tuple(problems))


def parse_points(text: str, field: str = "x_new", style: Style = "point") -> Reading:
    """The numbers of read_list where all can be read; ValueError names the field and what cannot."""
    typed = read_list(text, style)
    for problem in typed.problems:
        if problem.endswith(ENDLESS):
            raise ValueError(f"{field} must be finite, got {problem.removesuffix(ENDLESS)}")
        if problem.endswith(NO_NUMBER):
            raise ValueError(f"{field} must be numbers with commas between, got {problem.removesuffix(NO_NUMBER)}")
        raise ValueError(f"{field}: {problem}")
    return typed.numbers


def parse_pair(text: str, field: str) -> Reading:
    """Two numbers, as in "0,100" or "0; 60,000": one comma between them parts them. ValueError as parse_points."""
    ends = text.split(",")
    if len(ends) == 2 and ";" not in text:
        text = "; ".join(ends)
    return parse_points(text, field)


def read_number(text: str, style: Style = "point") -> float:
    """The number in "60,000", "$60,000", "0,5", "1 × 10⁻⁶". ValueError, a sentence, for none and for two readings.

    style: how it is written where that alone tells 1,234 from 1.234.
    """
    part = _normal(text).strip()
    readings = [(number,) for number in _numbers(part, style)]
    if len(readings) != 1 or not isfinite(readings[0][0]):
        raise ValueError(_problem(part, readings))
    return readings[0][0]


def read_whole(text: str) -> int:
    """The whole number in "1,000", to every digit. ValueError, a sentence, for none and for two readings."""
    if _WHOLE.fullmatch(text.strip()):
        return int(text)
    number = read_number(text)
    if number % 1:
        raise ValueError(f"{short(text)} is no whole number")
    return int(number)


def format_points(points: Iterable[float], digits: int = 10) -> str:
    """The points, shape (m,), as read_list reads them in any style."""
    return ", ".join(_unmistakable(point, digits) for point in points)


def _normal(text: str) -> str:
    """The text with ASCII signs, and powers of ten as "1e-6"."""
    return _POWER.sub(lambda power: f"e{power[1].translate(_DIGITS)}", text.replace("−", "-"))


def _parts(text: str, style: Style, unit: str) -> list[tuple[str, list[Reading]]]:
    """The parts of a text that nothing can be a mark in, and the readings that each may have."""
    apart = [part for part in _APART.split(text) if _something(part)]
    parts = [_bare(part, unit) for piece in apart for part in _COMMA_AND_SPACE.split(piece) if _something(part)]
    listed = len(apart) > 1 or (len(parts) > 1 and _alike(parts))
    found = [(part, _readings(part, style, listed)) for part in parts]
    return [cell for part, readings in found for cell in _cells(part, readings, style)]


def _something(part: str) -> bool:
    return bool(part.replace(",", "").strip())


def _bare(part: str, unit: str) -> str:
    """A part without what may stand around its number: spaces, a comma at its end, the unit."""
    part = part.strip(" ,") if not part.startswith(",") else part.rstrip(" ,")
    return part.removesuffix(unit).strip(" ") if unit and re.match("[^a-zA-Z]", part) else part


def _cells(part: str, readings: list[Reading], style: Style) -> list[tuple[str, list[Reading]]]:
    """A part that has no reading as the cells between its commas, so that one bad cell does not drop the good ones."""
    cells = [cell for cell in _MARK.split(part) if cell]
    if readings or len(cells) < 2 or _THOUSANDS.search(part) or style == "comma":
        return [(part, readings)]
    return [(cell, _readings(cell, style, listed=True)) for cell in cells]


def _alike(parts: Sequence[str]) -> bool:
    """Whether commas within parts are clearly not those between them; "500, 20,100" may be three numbers."""
    within = [("," in part) for part in parts]
    return all(within) or not any(within)


def _readings(part: str, style: Style, listed: bool) -> list[Reading]:
    """What a part may mean; listed: commas and spaces in it are marks of one number, where they can be."""
    single: list[Reading] = [(number,) for number in _numbers(part, style)]
    several, usual = _several(part, style), style == "comma" or read_one(part, "point") is not None
    if not several or (single and listed and usual):
        return single
    if not usual and not listed and _PAIR.fullmatch(part):
        return several  # commas are no decimal signs here
    return list(dict.fromkeys([*single, *several]))


def _numbers(part: str, style: Style) -> list[float]:
    """The numbers that a part may be: in the style, in that of the pages, and as a share where it has a percent sign.

    A decimal comma is understood where decimal points are usual, if the text can be nothing else.
    """
    as_point, as_comma = read_one(part, "point"), read_one(part, "comma")
    usual = [as_comma, as_point] if style == "comma" else [as_point if as_point is not None else as_comma]
    found = list(dict.fromkeys(number for number in usual if number is not None))
    if "%" in part:
        found = [value for number in found for value in (number, number / 100)]
    return list(dict.fromkeys(found))


def _several(part: str, style: Style) -> list[Reading]:
    """The lists of numbers that the commas and spaces of a part may separate."""
    tight = style != "comma" or all("." in cell and read_one(cell, "point") is not None for cell in part.split(","))
    cells = [cell for cell in (_MARK if tight else _SPACES).split(part) if cell]
    if len(cells) < 2 or sum(map(part.count, CURRENCIES)) not in (0, len(cells)) or re.search(r"[(]|[-+] ", part):
        return []
    whole = [_LONG.sub(lambda found: re.sub("[ ,]", "'", found[0]), part)] if tight else []  # thousands kept together
    ways = [cells, *([cell for cell in _MARK.split(way) if cell] for way in whole)]
    styles = DECIMALS if style == "comma" else DECIMALS[:1]
    found = [[read_one(cell, each) for cell in way] for way in ways for each in styles]
    numbers = [[number for number in row if number is not None] for row in found]
    rows = [tuple(row) for row, cells in zip(numbers, found, strict=True) if len(cells) > 1 and len(row) == len(cells)]
    return list(dict.fromkeys(rows))


def _problem(part: str, readings: Sequence[Reading]) -> str:
    """A sentence about a part that is no number, one without end, or more than one thing."""
    shown = short(part)
    if len(readings) > 1:
        meant = [_listed([f"{number:.15g}" for number in reading]) for reading in readings]
        write = ["; ".join(_unmistakable(number) for number in reading) for reading in readings]
        return f"{shown} could mean {', or '.join(meant)}: write {' or '.join(write)}"
    if readings or part.lower().lstrip("+-") in INFINITE:
        return f"{shown}{ENDLESS}"
    return f"{shown}{NO_NUMBER}"


def _listed(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def _unmistakable(number: float, digits: int = 15) -> str:
    """A number with a decimal point that no convention reads as thousands."""
    text = f"{number:.{digits}g}"
    return f"{text}0" if re.fullmatch(r"-?[1-9][0-9]{0,2}\.[0-9]{3}", text) else text
