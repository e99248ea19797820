"""How a number is written for people, the same wherever it stands."""

from __future__ import annotations

from math import isinf, isnan

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SMALLEST, _LARGEST = -5, 15  # powers of ten between which a number is written out


def format_amount(value: float, digits: int = 3) -> str:
    """A number to so many significant digits: thousands separated, no digit before the point lost, never "e+05"."""
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
