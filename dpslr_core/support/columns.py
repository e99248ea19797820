"""Numbers out of whatever container a user hands in: one rule for all, and no value is lost without a word.

Read are real numbers of every type: floats, integers, Decimals, Fractions, booleans (True is 1), numpy's and pandas'
own, and categories that are numbers. Refused are texts, complex numbers, dates, and numbers that no float holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from math import isinf, log10
from numbers import Complex, Real
from typing import Any

import numpy as np

from .types import Floats

_LONGEST = 60  # characters of a value that a message repeats
_ALL_DIGITS = 10**20  # whole numbers from here on are told by how many digits they have
_WHOLE_DIGITS, _TOO_LARGE = (
    "a whole number of {:,} digits",
    "it is beyond the largest number, 1.8e308",
)
# Types of pandas and numpy for a value that is not there.
_ABSENT = ("NAType", "NaTType", "MaskedConstant")
_TEXT = "turn texts into numbers first, as float('0.5') does"
_TIME = "turn these into numbers first, such as days"
_COMPLEX = "a complex number is not a measurement"


def shown(value: Any) -> str:
    """Write a value as a message repeats it: as Python writes it, but never long."""
    if isinstance(value, int) and abs(value) >= _ALL_DIGITS:
        return _WHOLE_DIGITS.format(int(log10(abs(value))) + 1)
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # it holds a whole number that Python does not write
        text = type(value).__name__
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _missing(value: Any) -> bool:
    """Tell whether a value says that there is none: None, pandas' NA and NaT, masked elements; NaN is a number."""
    return value is None or type(value).__name__ in _ABSENT


def number_of(value: Any) -> float:
    """Return the float of a real number of any type.

    ValueError gives the reason why there is none, as a part of a sentence that names the value first.
    """
    if (
        isinstance(value, np.ndarray)
        and value.ndim == 0
        and not isinstance(value, np.ma.MaskedArray)
    ):
        value = value.item()
    if isinstance(value, str | bytes):
        raise ValueError(_TEXT)
    if (
        isinstance(value, np.timedelta64 | np.datetime64)
        or hasattr(value, "isoformat")
        or hasattr(value, "days")
    ):
        raise ValueError(_TIME)
    if not isinstance(value, Real | Decimal | np.bool_):
        raise ValueError(_COMPLEX if isinstance(value, Complex) else "")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(_TOO_LARGE) from None
    if isinf(number) and value not in (np.inf, -np.inf):
        raise ValueError(_TOO_LARGE)
    return number


def float_array(
    values: Any, name: str, *, missing_as_nan: bool = False, others_as_nan: bool = False
) -> Floats:
    """Read the numbers of a container as floats, shape kept; an iterator is run through once.

    Parameters
    ----------
    values : list, range, iterator, numpy array, masked array, pandas column or other
        Whatever numpy reads.
    name : str
        Name of the argument, for messages.
    missing_as_nan : bool
        Whether a missing value (None, NA, masked) is NaN; otherwise missing values are refused, with their number.
    others_as_nan : bool
        Whether a value that is no number is NaN too, for a caller who names it in a sentence of its own.

    Raises
    ------
    ValueError
        Names the argument, the value and its row, from 0, where there is no number or a missing value.
    """
    if isinstance(values, str | bytes | bytearray | set | frozenset | Mapping | type):
        order = ", which has no order" if isinstance(values, set | frozenset) else ""
        raise ValueError(f"{name} must hold numbers only, got {shown(values)}{order}")
    if type(values) is np.ndarray and values.dtype == np.float64:
        return values.copy()
    if values is None:
        return np.array(np.nan)
    array, absent = _array_of(values, name)
    if array.dtype.kind in "Mm" and others_as_nan:
        return np.full(array.shape, np.nan)
    if array.dtype.kind in "Mm":  # as objects nanoseconds would be whole numbers
        raise ValueError(f"{name} must hold numbers only, got dates or durations; {_TIME}")
    if array.dtype.kind in "biuf" and array.dtype.itemsize <= 8:
        floats = array.astype(float)
    else:  # a number wider than a float may be beyond all floats
        floats = _from_objects(array.astype(object), absent, name, others_as_nan)
    if absent.any() and not missing_as_nan and not others_as_nan:
        first, count = int(absent.argmax()), int(absent.sum())
        raise ValueError(
            f"{name} must have no missing values, got {count:,} of {absent.size:,}, the first in "
            f"row {first}; "
            "drop or fill them"
        )
    floats[absent] = np.nan
    return floats


def _array_of(values: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the values as an array of numpy, and a mask of missing ones, without a look at each element's type."""
    if hasattr(values, "toarray"):  # sparse
        values = values.toarray()
    if isinstance(values, np.ma.MaskedArray):
        return values.data, np.ma.getmaskarray(values).copy()
    kind = getattr(getattr(values, "dtype", None), "kind", "")
    # Columns of pandas' own types.
    if hasattr(values, "isna") and not isinstance(getattr(values, "dtype", None), np.dtype):
        absent = np.asarray(values.isna(), dtype=bool)
        if kind and kind in "biuf":
            return values.to_numpy(dtype=float, na_value=np.nan), absent
        return np.asarray(values, dtype=object), absent
    if (
        isinstance(values, Iterable)
        and not hasattr(values, "__array__")
        and not hasattr(values, "__getitem__")
    ):
        values = list(values)
    try:
        if isinstance(values, list | tuple) and any(value is np.ma.masked for value in values):
            values = [None if value is np.ma.masked else value for value in values]
        array = np.asarray(values)
        # As objects, so that a message can name the element of a wrong type.
        if array.dtype.kind in "USMmc" and not hasattr(values, "dtype"):
            array = np.array(values, dtype=object)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"{name} must hold numbers only, got rows of different lengths or other things"
        ) from None
    return array, np.zeros(array.shape, dtype=bool)


def _from_objects(array: np.ndarray, absent: np.ndarray, name: str, others_as_nan: bool) -> Floats:
    """Return the floats of Python's objects; notes in ``absent`` the elements that are missing."""
    floats = np.full(array.shape, np.nan)
    for row, value in enumerate(array.flat):
        if _missing(value):
            absent.flat[row] = True
        if absent.flat[row]:
            continue
        try:
            floats.flat[row] = number_of(value)
        except ValueError as reason:
            if not others_as_nan:
                raise _refused(name, array, row, str(reason)) from None
    return floats


def _refused(name: str, array: np.ndarray, row: int, reason: str) -> ValueError:
    value = array.flat[row]
    where = f" in row {row}" if array.ndim else ""
    return ValueError(
        f"{name} must hold numbers only, got {shown(value)}{where}{f'; {reason}' if reason else ''}"
    )
