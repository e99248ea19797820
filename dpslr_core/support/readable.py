"""Numbers and text as people, terminals and XML files can read them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import ceil, isfinite, isinf, isnan, log10

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LAST_BITS = Fraction(1, 10**14)  # of a number that came from floats, relative to it
_SMALLEST, _LARGEST = -5, 15  # powers of ten between which a number is written out
_WHOLE = 2**53  # whole numbers below are told apart by floats
_MOST_DIGITS = 17  # tell any two floats apart
_ROUNDING = 1e-13  # a smaller part of a number is none that was measured
_YEAR = re.compile("-?[0-9],[0-9]{3}")


def format_amount(value: float, digits: int = 3) -> str:
    """Write a number to some significant digits: thousands separated, no digit before the point lost, never "e+05"."""
    if isnan(value):
        return "undefined"
    if isinf(value):
        return "∞" if value > 0 else "−∞"
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    if not _SMALLEST < int(exponent) < _LARGEST:
        short = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        return f"{short} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    written = f"{value + 0.0:,.{max(digits - 1 - int(exponent), 0)}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def in_full(value: float, digits: int = 6) -> str:
    """Write a number that was set and not measured: every digit of a whole number, six digits of others."""
    if abs(value) < _WHOLE and value == int(value):
        return f"{int(value):,}"
    return format_amount(value, digits)


def of_column(written: str, largest: float) -> str:
    """Remove the mark of thousands from a written number of four digits, which may be a year.

    ``largest`` is the size of the column's numbers; where some have five digits, these are no years.
    """
    return written.replace(",", "") if _YEAR.fullmatch(written) and largest < 10_000 else written


def all_in_full(values: Iterable[float], digits: int = 6) -> list[str]:
    """Write numbers that stand beside each other, as in_full does, with the digits that tell different ones apart."""
    numbers = [float(value) for value in values]
    different = len(set(numbers))
    texts: list[str] = []
    for enough in range(digits, _MOST_DIGITS + 1):
        texts = [in_full(number, min(enough, _digits(number))) for number in numbers]
        if len(set(texts)) == different:
            break
    return texts


def _digits(number: float) -> int:
    """Count the significant digits of the shortest text that is this number."""
    return max(len(repr(number).partition("e")[0].replace(".", "").strip("-0")), 1)


def write_measured(values: Iterable[float], digits: int = 4) -> list[str]:
    """Write the numbers of a measured column, each to ``digits_of_column`` digits."""
    numbers = [float(value) for value in values]
    enough = digits_of_column(numbers, digits)
    write = in_full if enough == _MOST_DIGITS else format_amount
    return [write(number, enough) for number in numbers]


def digits_of_column(values: Iterable[float], digits: int = 4) -> int:
    """Count the significant digits of a measured column: more than ``digits`` where these would hide what differs.

    Of many numbers the digits are counted from where the smallest and the largest part; rounding is no difference.
    """
    finite = [float(value) for value in values if isfinite(value)]
    span, size = (max(finite) - min(finite), max(map(abs, finite))) if finite else (0.0, 0.0)
    if not 0 < span < size / 10**digits:
        return digits
    if all(number == int(number) for number in finite):
        return _MOST_DIGITS
    return (
        min(digits + ceil(log10(size / span)), _MOST_DIGITS) if span > _ROUNDING * size else digits
    )


def decimals(number: float) -> str:
    """Write the shortest decimal that means exactly this float, without an exponent."""
    text = format(Decimal(repr(float(number))), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def at_most(bound: float | Fraction, digits: int = 3) -> str:
    """Write an upper bound to some significant digits, never below it: 1.2214 is "1.23".

    >>> at_most(1.2214), at_most(Fraction(1, 5)), at_most(2.0)
    ('1.23', '0.2', '2')
    """
    return _rounded(bound, digits, ROUND_CEILING)


def at_least(bound: float | Fraction, digits: int = 3) -> str:
    """Write a lower bound to some significant digits, never above it: 1.2276 is "1.22"."""
    return _rounded(bound, digits, ROUND_FLOOR)


def _rounded(bound: float | Fraction, digits: int, rounding: str) -> str:
    if not isfinite(bound):
        return format_amount(float(bound), digits)
    exact = Fraction(repr(float(bound))) if isinstance(bound, float) else bound
    near = Fraction(f"{float(bound):.{digits - 1}e}")
    if abs(exact - near) <= _LAST_BITS * abs(near):  # 0.1 + 0.2 is 0.3, and no more
        exact = near
    context = Context(prec=digits, rounding=rounding)
    return format_amount(
        float(context.divide(Decimal(exact.numerator), Decimal(exact.denominator))), digits
    )


# Characters that XML 1.0 does not allow, and those that turn the direction of what follows.
_UNWRITABLE = re.compile(
    "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u202a-\u202e\u2066-\u2069]"
)


def legible(text: str) -> str:
    """Replace each character that cannot be written, or would reorder the others, by a replacement character."""
    return _UNWRITABLE.sub("\ufffd", text)


# What a terminal obeys and a page hides: controls, and marks that turn the direction of text.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    r"""Write out control characters but tabs and ends of lines, as Python writes them: "\x1b"."""
    return _CONTROL.sub(lambda control: repr(control[0])[1:-1], text)


# Characters without width that no writing needs; those that join or part letters in some languages are kept.
_UNSEEN = re.compile("[\u00ad\u200b\u200e\u200f\u2060-\u2064\ufeff]")

_SPACES = re.compile(r"[^\S\n\t]+")  # of every width, but no tab or end of a line


def one_name(text: str) -> str:
    """Return the one form of a name, by which columns, groups and algorithms are told apart: look-alikes are equal.

    Letters with accents are one character each (Unicode's NFC), spaces of all kinds are one plain space and none at an
    end, characters without width are left out, and control characters are written out as in ``visible``.
    """
    seen = visible(_UNSEEN.sub("", unicodedata.normalize("NFC", text)))
    return _SPACES.sub(" ", seen).strip()
