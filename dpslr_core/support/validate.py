"""Checks whose message is made from the keyword they are called with: ``positive(epsilon=epsilon)``."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable
from itertools import pairwise
from typing import Any

import numpy as np

from .columns import float_array, number_of, shown
from .types import Floats

MOST_COUNT = 10**8  # records, trials and the like: more than fit into memory
MOST_SEED = 10**40  # above every seed of 128 bits


def number(name: str, value: Any) -> float:
    """Return the value as a float; ValueError names the field where it is not a real number (text is none)."""
    try:
        return number_of(value)
    except ValueError as reason:
        because = f"; {reason}" if str(reason) else ""
        raise ValueError(f"{name} must be a number, got {shown(value)}{because}") from None


def _each(
    fields: dict[str, Any], allowed: Callable[[Any], bool], must: str, numeric: bool = True
) -> None:
    for name, value in fields.items():
        if not allowed(number(name, value) if numeric else value):
            raise ValueError(f"{name} must {must}, got {shown(value)}")


def positive(**fields: Any) -> None:
    """Raise ValueError unless each field is a finite number > 0."""
    _each(fields, lambda value: 0 < value < math.inf, "be a finite number above 0")


def non_negative(**fields: Any) -> None:
    """Raise ValueError unless each field is a finite number >= 0."""
    _each(fields, lambda value: 0 <= value < math.inf, "be a finite number, 0 or more")


def finite(**fields: Any) -> None:
    """Raise ValueError unless each field is a finite number."""
    _each(fields, math.isfinite, "be a finite number")


def inside(low: float, high: float, *, closed: str = "both", **fields: Any) -> None:
    """Raise ValueError unless each field is between low and high; ``closed`` is "both", "left" or "neither"."""
    brackets, allowed = {
        "both": ("[]", lambda value: low <= value <= high),
        "left": ("[)", lambda value: low <= value < high),
        "neither": ("()", lambda value: low < value < high),
    }[closed]
    _each(fields, allowed, f"lie in {brackets[0]}{low:g}, {high:g}{brackets[1]}")


def integer(at_least: int, at_most: int = MOST_COUNT, **fields: Any) -> None:
    """Raise ValueError unless each field is a whole number from at_least to at_most."""

    def whole(value: Any) -> bool:
        of_type = isinstance(value, int | np.integer) and not isinstance(
            value, bool | np.timedelta64
        )
        return of_type and bool(at_least <= value)

    _each(fields, whole, f"be a whole number, {at_least} or more", numeric=False)
    most = f"{at_most:,}" if at_most < MOST_SEED else f"10^{len(str(at_most)) - 1}"
    _each(fields, lambda value: bool(value <= at_most), f"be at most {most}", numeric=False)


def one_of(allowed: Collection[Any], **fields: Any) -> None:
    """Raise ValueError, which names the field, unless each field is an allowed value."""

    def listed(value: Any) -> bool:
        return isinstance(value, Hashable) and value in allowed

    _each(fields, listed, f"be one of {list(allowed)}", numeric=False)


def boolean(**fields: Any) -> None:
    """Raise ValueError unless each field is True or False."""
    _each(
        fields, lambda value: isinstance(value, (bool, np.bool_)), "be True or False", numeric=False
    )


def ordered(**fields: Any) -> None:
    """Raise ValueError unless the fields, in the order given, are finite and strictly increasing."""
    finite(**fields)
    for (first, low), (second, high) in pairwise(fields.items()):
        if not number(first, low) < number(second, high):
            raise ValueError(
                f"{first} must be below {second}, got {first}={shown(low)}, {second}={shown(high)}"
            )


def points(**fields: Any) -> Floats:
    """Return the single field as a float array of shape (m,); ValueError unless m >= 1 and all are finite."""
    ((name, value),) = fields.items()
    array = np.atleast_1d(float_array(value, name))
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all():
        raise ValueError(f"{name} must be one or more finite numbers, got {shown(value)}")
    return array


def instance(of: type, **fields: Any) -> None:
    """Raise TypeError, which says what was expected and what was given, unless each field is of this class."""
    for name, value in fields.items():
        if not isinstance(value, of):
            raise TypeError(f"{name} must be a {of.__name__}, got {given(value)}")


def given(value: Any) -> str:
    """Describe a value of a wrong type: its type, or the class that stands where an object should."""
    if isinstance(value, type):
        return f"the class {value.__name__} itself; call it, as in {value.__name__}()"
    named = type(value).__name__
    return f"{shown(value)} of type {named}" if isinstance(value, str | int | float) else named


def generator(**fields: Any) -> None:
    """Raise ValueError unless each field is a numpy.random.Generator; a seed or None would hide the state."""
    must = "be a numpy.random.Generator such as numpy.random.default_rng(7)"
    _each(fields, lambda value: isinstance(value, np.random.Generator), must, numeric=False)
