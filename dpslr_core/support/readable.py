"""Numbers and text as people, terminals and XML files can read them."""

from __future__ import annotations

import re
import unicodedata
from math import isinf, isnan

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
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


# Characters without width that no writing needs; those that join or part letters in some languages are kept.
_UNSEEN = re.compile("[\u00ad\u200b\u200e\u200f\u2060-\u2064\ufeff]")

_SPACES = re.compile(r"[^\S\n\t]+")  # of every width, but no tab or end of a line


def one_name(text: str) -> str:
    """The one form of a name, by which columns, groups and algorithms are told apart: names that look alike are equal.

    Letters with accents are one character each (Unicode's NFC), spaces of all kinds are one plain space and none at an
    end, characters without width are left out, and control characters are written out as in ``visible``.
    """
    seen = visible(_UNSEEN.sub("", unicodedata.normalize("NFC", text)))
    return _SPACES.sub(" ", seen).strip()
