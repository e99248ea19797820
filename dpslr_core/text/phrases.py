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
    """Write a ratio to three digits, or to more where three would read "1" and the ratio is not 1."""
    written = (format_amount(ratio, digits) for digits in range(3, 8))
    return next((text for text in written if text != "1"), "1")


def format_share(share: float) -> str:
    """Write a share in whole per cent; "less than 1%" and "more than 99%" near 0 and 1."""
    if isnan(share):
        return "an undefined share"
    if 0 < share <= 0.005:  # 0.5% would be rounded to 0%
        return "less than 1%"
    if 0.995 <= share < 1:
        return "more than 99%"
    return f"{share:,.0%}"


def times(written: str, unit: str, same: str) -> str:
    """Write a multiple: "2.5 times the standard error".

    Parameters
    ----------
    written : str
        The factor as text.
    unit : str
        The quantity that is multiplied.
    same : str
        Words in place of all, where the factor is "1".
    """
    return same if written == "1" else f"{written} times {unit}"


def joined(*sentences: str) -> str:
    """Join sentences by a space; empty ones are left out."""
    return " ".join(filter(None, sentences))


def of_it(share: float) -> str:
    """Write a ratio as a share or as a multiple: "12% of it", "40 times it"."""
    return (
        f"{format_share(share)} of it" if share < 1.995 else f"{format_amount(share, 2)} times it"
    )


def with_unit(value: float, axis: Axis, digits: int = 3) -> str:
    """Write a distance along an axis, with the unit of the axis: "2.5 °C".

    Parameters
    ----------
    value : float
        Distance in the units of the axis.
    axis : Axis
        Axis of the distance.
    digits : int
        Number of significant digits.
    """
    return f"{format_amount(value, digits)}{f' {axis.unit}' if axis.unit else ''}"


def value_on(axis: Axis, share: float, digits: int = 3) -> str:
    """Write a measured value of the unit square, ``share``, in the units of an axis: "27.3 °C"."""
    written = of_column(format_amount(float(axis.from_unit(share)), axis.digits(digits)), axis.size)
    return f"{written} {axis.unit}" if axis.unit else written


def size_of(distance: float, axis: Axis) -> str:
    """Write a distance of the unit square with a plus-minus sign, in the units of an axis: "±2.5 °C"."""
    return f"±{with_unit(distance * axis.scale, axis)}"


def point_on(axis: Axis, point: float) -> str:
    """Write a point of the unit square in the user's units, as it was set: "27.25 °C"."""
    (text,) = points_on(axis, [point])
    return text


def points_on(axis: Axis, points: Sequence[float]) -> list[str]:
    """Write points of the unit square as `point_on` does, so that different points have different texts."""
    texts = axis.written(axis.from_unit(points).tolist())
    return [f"{text} {axis.unit}" if axis.unit else text for text in texts]


def place_on(axis: Axis, point: float) -> str:
    """Write a point of the unit square with the name of its axis: "temperature = 27.25 °C"."""
    return f"{axis.name} = {point_on(axis, point)}"


def spent_on(spend: Spend, x: Axis = UNIT_X) -> str:
    """Name the release that a row of a ledger pays for, with its point: "a median at temperature = 27.25 °C"."""
    return spend.what if spend.at is None else f"{spend.what} at {place_on(x, spend.at)}"


def bounds_of(axis: Axis) -> str:
    """Write the public bounds of one axis: "temperature (°C) 0 to 40"."""
    lower, upper = axis.written((axis.lower, axis.upper))
    return f"{axis.label} {lower} to {upper}"


def counted(count: int, singular: str, plural: str = "") -> str:
    """Write a number with its noun: "1 area", "3,108 areas"."""
    return f"{count:,} {singular if count == 1 else plural or f'{singular}s'}"


def more(excess: float) -> str:
    """Write the excess of one error over another, as a share of the smaller: "20% larger" for 0.2."""
    if isinf(excess):
        return "without bound"
    return (
        f"{format_share(excess)} larger" if excess < 0.995 else f"{excess + 1:,.1f} times as large"
    )


def listed(names: Iterable[str], last: str = "and") -> str:
    """List names: "a", "a and b", "a, b and c".

    Parameters
    ----------
    names : iterable of str
        The names, at least one.
    last : str
        Word before the last name.
    """
    names = list(names)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"


def points_together(count: int, singular: str = "the point") -> str:
    """Name the points that a budget pays for: "both points together".

    Parameters
    ----------
    count : int
        Number of points.
    singular : str
        Words for a single point.
    """
    return {1: singular, 2: "both points together"}.get(count, f"all {count} points together")


def weaker(guarantee: str) -> str:
    """Clause that a guarantee is weaker than pure differential privacy, without a full stop."""
    return f"Its guarantee ({guarantee}) is weaker than pure ε-differential privacy"


def first_and_rest(sentences: str) -> tuple[str, str]:
    """Split sentences into the first, for a headline, and the rest; a point in a number ends no sentence."""
    first, end, rest = sentences.partition(". ")
    return (f"{first}.", rest) if end else (sentences, "")
