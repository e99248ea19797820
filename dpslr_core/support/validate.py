"""Checks whose message is made from the keyword they are called with: ``positive(epsilon=epsilon)``."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .types import Floats


def _number(name: str, value: Any) -> float:
    """The value as a float; ValueError names the field where it is not a real number (text is none)."""
    try:
        if isinstance(value, str | bytes):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number, got {value!r}") from None


def _each(fields: dict[str, Any], allowed: Callable[[Any], bool], must: str, numeric: bool = True) -> None:
    for name, value in fields.items():
        if not allowed(_number(name, value) if numeric else value):
            raise ValueError(f"{name} must {must}, got {value!r}")


def positive(**fields: Any) -> None:
    """ValueError unless each field is a finite number > 0."""
    _each(fields, lambda number: 0 < number < math.inf, "be a finite number above 0")


def non_negative(**fields: Any) -> None:
    """ValueError unless each field is a finite number >= 0."""
    _each(fields, lambda number: 0 <= number < math.inf, "be a finite number, 0 or more")


def finite(**fields: Any) -> None:
    """ValueError unless each field is a finite number."""
    _each(fields, math.isfinite, "be a finite number")


def inside(low: float, high: float, *, closed: str = "both", **fields: Any) -> None:
    """ValueError unless each field lies between low and high, of which ``closed`` allows both, left or neither."""
    brackets, allowed = {
        "both": ("[]", lambda number: low <= number <= high),
        "left": ("[)", lambda number: low <= number < high),
        "neither": ("()", lambda number: low < number < high),
    }[closed]
    _each(fields, allowed, f"lie in {brackets[0]}{low:g}, {high:g}{brackets[1]}")


def integer(at_least: int, **fields: Any) -> None:
    """ValueError unless each field is a whole number >= at_least."""

    def whole(value: Any) -> bool:
        return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(value >= at_least)

    _each(fields, whole, f"be a whole number, {at_least} or more", numeric=False)


def one_of(allowed: Collection[Any], **fields: Any) -> None:
    """ValueError names a field that is none of the values that are allowed."""
    _each(fields, lambda value: value in allowed, f"be one of {list(allowed)}", numeric=False)


def boolean(**fields: Any) -> None:
    """ValueError unless each field is True or False."""
    _each(fields, lambda value: isinstance(value, (bool, np.bool_)), "be True or False", numeric=False)


def ordered(**fields: Any) -> None:
    """ValueError unless the fields, in the order given, are finite and strictly increasing."""
    finite(**fields)
    for (first, low), (second, high) in pairwise(fields.items()):
        if not low < high:
            raise ValueError(f"{first} must be below {second}, got {first}={low!r}, {second}={high!r}")


def points(**fields: ArrayLike) -> Floats:
    """The one field as a float array of shape (m,); ValueError unless m >= 1 and all are finite."""
    ((name, value),) = fields.items()
    array = np.atleast_1d(numbers(**fields))
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all():
        raise ValueError(f"{name} must be one or more finite numbers, got {value!r}")
    return array


def numbers(**fields: ArrayLike) -> Floats:
    """The one field as an array of floats, shape kept; ValueError where it holds something else, such as text."""
    ((name, value),) = fields.items()
    try:
        raw = np.asarray(value)
        if raw.dtype.kind in "US":  # "0.5" would be read as a number
            raise TypeError
        return raw.astype(float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold numbers only, got {value!r}") from None


def instance(of: type, **fields: Any) -> None:
    """TypeError says what was expected and what was given, unless each field is of this class."""
    for name, value in fields.items():
        if not isinstance(value, of):
            raise TypeError(f"{name} must be a {of.__name__}, got {given(value)}")


def given(value: Any) -> str:
    """A value of a wrong type, in words: its type, or the class that stands where one of its objects should."""
    if isinstance(value, type):
        return f"the class {value.__name__} itself; call it, as in {value.__name__}()"
    return f"{value!r} of type {type(value).__name__}" if isinstance(value, str | int | float) else type(value).__name__


def generator(**fields: Any) -> None:
    """ValueError unless each field is a numpy.random.Generator; not a seed or None, so that no state is hidden."""
    must = "be a numpy.random.Generator such as numpy.random.default_rng(7)"
    _each(fields, lambda value: isinstance(value, np.random.Generator), must, numeric=False)
