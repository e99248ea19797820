"""Numbers and text as people, terminals and XML files can read them."""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import isfinite, isinf, isnan

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LAST_BITS = Fraction(1, 10**14)  # of a number that came from floats, relative to it
_SMALLEST, _LARGEST = -5, 15  # powers of ten between which a number is written out


def format_amount(value: float, digits: int = 3) -> str:
    """A number to some significant digits: thousands separated, no digit before the point lost, never "e+05"."""
    if isnan(value):
        return "undefined"
    if isinf(value):
        return "∞" if value > 0 else "−∞"
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    if not _SMALLEST < int(exponent) < _LARGEST:
        return f"{float(mantissa):g} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    written = f"{value + 0.0:,.{max(digits - 1 - int(exponent), 0)}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def in_full(value: float) -> str:
    """A number that was set and not measured, to the six digits that such numbers have at most."""
    return format_amount(value, 6)


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
    return format_amount(float(context.divide(Decimal(exact.numerator), Decimal(exact.denominator))), digits)


# Characters that XML 1.0 does not allow, and those that turn the direction of what follows.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u202a-\u202e\u2066-\u2069]")


def legible(text: str) -> str:
    """The text with a replacement character for each that cannot be written, or would reorder the others."""
    return _UNWRITABLE.sub("\ufffd", text)


# What a terminal obeys and a page hides: controls, and marks that turn the direction of text.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """The text with control characters but tabs and ends of lines written out, as Python writes them: "\\x1b"."""
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)
