"""Turns of phrase and ways to write a number that several sentences share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isinf, isnan

from ..privacy import Spend
from ..sources.axis import UNIT_X, Axis
from ..support.readable import format_amount, of_column
from ..support.readable import in_full as in_full

NO_ANSWER = "No private algorithm answers in 68% of its releases at this budget."
SEEDED = "For illustration only: with the seed, anyone can subtract the noise."


def both_sides_of_one(ratio: float) -> str:
    """Three digits, and more where they would read 1 and it is not."""
    written = (format_amount(ratio, digits) for digits in range(3, 8))
    return next((text for text in written if text != "1"), "1")


def format_share(share: float) -> str:
    """A share in whole per cent; "less than 1%" and "more than 99%" where it is near 0 or 1 and not equal to it."""
    if isnan(share):
        return "an undefined share"
    if 0 < share <= 0.005:  # 0.5% would be rounded to 0%
        return "less than 1%"
    if 0.995 <= share < 1:
        return "more than 99%"
    return f"{share:,.0%}"


def times(written: str, what: str, same: str) -> str:
    """A written number of times something: "2.5 times the standard error"; same: the words where the number is 1."""
    return same if written == "1" else f"{written} times {what}"


def joined(*sentences: str) -> str:
    """Some sentences one after the other, empty ones left out."""
    return " ".join(filter(None, sentences))


def of_it(share: float) -> str:
    """A part of something, or how often it holds it: "12% of it", "40 times it"."""
    return (
        f"{format_share(share)} of it" if share < 1.995 else f"{format_amount(share, 2)} times it"
    )


def with_unit(value: float, axis: Axis, digits: int = 3) -> str:
    """A distance along an axis, with its unit."""
    return f"{format_amount(value, digits)}{f' {axis.unit}' if axis.unit else ''}"


def value_on(axis: Axis, share: float, digits: int = 3) -> str:
    """A measured value of an axis, from the unit square, with its unit: "2005", with digits as the bounds need them."""
    written = of_column(format_amount(float(axis.from_unit(share)), axis.digits(digits)), axis.size)
    return f"{written} {axis.unit}" if axis.unit else written


def size_of(distance: float, axis: Axis) -> str:
    """A distance to both sides, from the unit square, in the units of its axis: "±2.5 °C"."""
    return f"±{with_unit(distance * axis.scale, axis)}"


def point_on(axis: Axis, point: float) -> str:
    """A point of the unit square, in the user's units as it was set: "27.25 °C"."""
    (text,) = points_on(axis, [point])
    return text


def points_on(axis: Axis, points: Sequence[float]) -> list[str]:
    """Points of the unit square as point_on says one; different ones differ."""
    texts = axis.written(axis.from_unit(points).tolist())
    return [f"{text} {axis.unit}" if axis.unit else text for text in texts]


def place_on(axis: Axis, point: float) -> str:
    """A point of the unit square with the name of its axis: "temperature = 27.25 °C"."""
    return f"{axis.name} = {point_on(axis, point)}"


def spent_on(spend: Spend, x: Axis = UNIT_X) -> str:
    """What a row of a ledger pays for, with its point: "a median at temperature = 27.25 °C"."""
    return spend.what if spend.at is None else f"{spend.what} at {place_on(x, spend.at)}"


def bounds_of(axis: Axis) -> str:
    """The public bounds of one axis: \"temperature (°C) 0 to 40\"."""
    lower, upper = axis.written((axis.lower, axis.upper))
    return f"{axis.label} {lower} to {upper}"


def counted(count: int, one: str, many: str = "") -> str:
    """A number with its noun: "1 area", "3,108 areas"."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def more(excess: float) -> str:
    """Excess of one error over another: "20% larger" for 0.2."""
    if isinf(excess):
        return "without bound"
    return (
        f"{format_share(excess)} larger" if excess < 0.995 else f"{excess + 1:,.1f} times as large"
    )


def listed(names: Iterable[str], last: str = "and") -> str:
    """Names as text: "a", "a and b", "a, b and c"; last: the word before the last one."""
    names = list(names)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"


def points_together(count: int, one: str = "the point") -> str:
    """Points that a budget pays for: "both points together"; one: the words for a single point."""
    return {1: one, 2: "both points together"}.get(count, f"all {count} points together")


def weaker(guarantee: str) -> str:
    """Clause that a guarantee is weaker than pure differential privacy; the sentence may go on."""
    return f"Its guarantee ({guarantee}) is weaker than pure ε-differential privacy"


def first_and_rest(sentences: str) -> tuple[str, str]:
    """The first of some sentences, for a headline, and the others; a point within a number ends none."""
    first, end, rest = sentences.partition(". ")
    return (f"{first}.", rest) if end else (sentences, "")
