"""Quantities in the user's units, their public bounds, and transforms of one column.

A transform is a public function of each value alone, after clipping to public bounds. It keeps the guarantee: each
record is mapped on its own, so two data sets that differ in one record still differ in one record. Ranks within the
file depend on the other records, so one replaced record could change them all; there is no such transform.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import floor, isfinite, log10
from typing import Annotated, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from pydantic import PlainSerializer, PlainValidator

from ..support import validate
from ..support.readable import all_in_full, of_column
from ..support.types import Floats
from .numbers import Style, read_numbers, written_style

_EPS = 2.0**-52  # of rounding, relative to the size of a number


@dataclass(frozen=True)
class Axis:
    """A quantity in the user's units and its public bounds, which are mapped to 0 and 1.

    The bounds must not be read off private data. numbers: how the quantity's numbers are written, by which typed ones
    are read. ValueError unless the bounds are finite, lower < upper and upper - lower does not overflow, and the name
    is not blank.
    """

    name: str
    unit: str = ""
    lower: float = 0.0
    upper: float = 1.0
    numbers: Style = "point"

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ValueError("name of an axis must not be blank")
        validate.ordered(lower=self.lower, upper=self.upper)
        validate.positive(scale=self.scale)

    @property
    def scale(self) -> float:
        """upper - lower: what 1 in the unit square is in the user's units."""
        return float(self.upper) - float(self.lower)

    @property
    def size(self) -> float:
        """The distance from 0 of the bound that is farther away."""
        return max(abs(float(self.lower)), abs(float(self.upper)))

    @property
    def label(self) -> str:
        """The name with the unit in brackets: "temperature (°C)"."""
        return f"{self.name} ({self.unit})" if self.unit else self.name

    def to_unit(self, values: ArrayLike) -> Floats:
        """(values - lower) / scale, same shape; values beyond the bounds become numbers outside [0, 1]."""
        with np.errstate(over="ignore"):
            return np.asarray((np.asarray(values, dtype=float) - self.lower) / self.scale)

    def from_unit(self, values: ArrayLike) -> Floats:
        """lower + scale values, same shape, in the user's units: the inverse of to_unit."""
        return np.asarray(self.lower + self.scale * np.asarray(values, dtype=float))

    def typed(self, point: float) -> float | None:
        """Number in the user's units that ``to_unit`` makes exactly this point, of those the one with fewest digits.

        None where no float is such a number: the points of [0, 1] near 0 are closer together than numbers near lower.
        """
        near = float(self.from_unit(point))
        if not isfinite(near):
            return None
        for digits in range(1, 18):
            number = float(f"{near:.{digits}g}")
            if float(self.to_unit(number)) == point:
                return number
        # from_unit may have rounded past such a number; to_unit never falls, so that a bisection finds the first.
        reach = 2**-50 * (abs(self.lower) + abs(self.scale * point))
        low, high = near - reach, near + reach
        while low < (middle := low + (high - low) / 2) < high:
            if float(self.to_unit(middle)) < point:
                low = middle
            else:
                high = middle
        return high if float(self.to_unit(high)) == point else None

    def nearest(self, point: float) -> float:
        """Number in the user's units that says a point: exactly, see typed, or as nearly as a float can."""
        number = self.typed(point)
        return float(self.from_unit(point)) if number is None else number

    def written(self, values: Iterable[float]) -> list[str]:
        """Values in the user's units as texts: different ones differ, however far from 0; years have no mark."""
        exact = max(0, floor(-log10(4 * _EPS) - log10(self.size)))  # decimals that no rounding has reached
        numbers = [round(float(value), exact) if exact < 300 else float(value) for value in values]
        return [of_column(text, self.size) for text in all_in_full(numbers, self.digits(6))]

    def digits(self, usual: int) -> int:
        """Significant digits that a value needs where ``usual`` are enough for one between 0 and the scale."""
        return min(usual + max(0, floor(log10(self.size / self.scale))), 17)


UNIT_X = Axis("x")
UNIT_Y = Axis("y")


# ---------------------------------------------------------------- transforms of one column

LOGARITHM = "log10"
MAX_POINTS = 201  # rows of a reference table: the link holds them all
_APART = re.compile(r"\s*[;\t|]\s*")  # between the two cells of a row where one of these is in it
_LAST = re.compile(r"(.*\S)\s*[,\s]\s*(\S+)")  # otherwise the last comma or space parts them


@dataclass(frozen=True)
class Logarithm:
    """log10 of a positive value."""

    def __call__(self, values: ArrayLike) -> Floats:
        """log10(values), same shape."""
        return np.log10(np.asarray(values, dtype=float))

    def of_bound(self, bound: float) -> float:
        """The float next to log10 of a bound as it is written, the same on every processor; np.log10 is not."""
        return float(Decimal(repr(float(bound))).log10(Context(prec=40)))

    def __str__(self) -> str:
        return LOGARITHM


@dataclass(frozen=True)
class ReferenceTable:
    """The percentile of a value in a public table, piecewise linear between its rows and constant beyond its ends.

    points: 2 to MAX_POINTS pairs of value and percentile; values increase, percentiles lie in [0, 100] and do not
    fall. ValueError names the row otherwise.
    """

    points: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        if not 2 <= len(self.points) <= MAX_POINTS:
            raise ValueError(f"the reference table must have 2 to {MAX_POINTS} rows, got {len(self.points)}")
        if not np.isfinite([value for value, _ in self.points]).all():
            raise ValueError("the values of the reference table must be finite")
        of_table = "of the reference table must"
        for row, (_, percentile) in enumerate(self.points, 1):
            if not 0 <= percentile <= 100:
                raise ValueError(f"percentiles {of_table} lie in [0, 100], got {percentile:g}, row {row}")
        for row, (before, after) in enumerate(pairwise(self.points), 2):
            got = [f"got {new:.15g} after {old:.15g}, row {row}" for old, new in zip(before, after, strict=True)]
            if not before[0] < after[0]:
                raise ValueError(f"values {of_table} increase from row to row, {got[0]}")
            if not before[1] <= after[1]:
                raise ValueError(f"percentiles {of_table} not fall from row to row, {got[1]}")

    def __call__(self, values: ArrayLike) -> Floats:
        """The percentiles of values, same shape."""
        return np.asarray(np.interp(np.asarray(values, dtype=float), *np.asarray(self.points).T))

    def of_bound(self, bound: float) -> float:
        """The float next to the percentile of a bound as it is written, the same on every processor."""
        value = _written(bound)
        rows = [(_written(at), _written(percentile)) for at, percentile in self.points]
        if value <= rows[0][0]:
            return float(rows[0][1])
        for (low, below), (high, above) in pairwise(rows):
            if value <= high:
                return float(below + (above - below) * (value - low) / (high - low))
        return float(rows[-1][1])

    def __str__(self) -> str:
        return "; ".join(f"{value!r} {percentile!r}" for value, percentile in self.points)


def _written(number: float) -> Fraction:
    """A float as the decimal number that is written."""
    return Fraction(repr(float(number)))


Transform = Logarithm | ReferenceTable


def read_reference_table(text: str) -> ReferenceTable:
    """The table in text: a row per line or between semicolons, "value, percentile" or parted by tab, space or |.

    A first row without digits is a header; numbers are read as in any file ("$35,000"). ValueError names the row.
    """
    lines = [line.strip().strip(";,") for line in text.splitlines() if line.strip(" ;,\t|")]
    if len(lines) == 1:  # as a link has it
        lines = [row.strip() for row in lines[0].split(";") if row.strip()]
    if lines and not re.search("[0-9]", lines[0]):
        lines = lines[1:]
    rows = []
    for row, line in enumerate(lines, 1):
        cells = _APART.split(line)
        if len(cells) == 1 and (parted := _LAST.fullmatch(line)):
            cells = [cell.rstrip(", ") for cell in parted.groups()]
        if len(cells) != 2:
            raise ValueError(f"row {row} of the reference table must be a value and its percentile, got {line!r}")
        rows.append([cell.strip('"') for cell in cells])
    texts = [pd.Series(column, dtype="str") for column in zip(*rows, strict=True)]
    dots = any(column.str.contains(".", regex=False).any() for column in texts)
    style = written_style(texts) or (None if dots else "point")  # commas alone part thousands, as they do on pages
    read = [
        read_numbers(column, name, None, style) for name, column in zip(("value", "percentile"), texts, strict=False)
    ]
    for problem in (problem for numbers in read for problem in numbers.problems if problem.of_style):
        said = problem.message.partition(", and no other")[0]
        raise ValueError(f"{said}; write the reference table without marks between thousands")
    points = list(zip(*(numbers.values.tolist() for numbers in read), strict=True))
    for row, pair in enumerate(points, 1):
        if not np.isfinite(pair).all():
            raise ValueError(f"row {row} of the reference table must be two numbers, got {lines[row - 1]!r}")
    return ReferenceTable(tuple((value, percentile) for value, percentile in points))


def read_transform(value: Any) -> Transform | None:
    """A transform from itself or from its text, "log10" or a reference table; "" and None are none."""
    if value is None or isinstance(value, Logarithm | ReferenceTable):
        return value
    if not isinstance(value, str):
        raise ValueError(f"a transform must be {LOGARITHM!r} or a reference table, got {value!r}")
    if value.strip() == LOGARITHM:
        return Logarithm()
    return read_reference_table(value) if value.strip() else None


TransformField = Annotated[
    Transform | None,
    PlainValidator(read_transform),
    PlainSerializer(lambda transform: None if transform is None else str(transform)),
]


@dataclass(frozen=True)
class Rescaling:
    """The way of a column to numbers of [0, 1]: clipped to its public bounds, transformed, rescaled.

    raw: the column and its bounds in the units of the file. ValueError where the transform cannot be used between
    the bounds.
    """

    raw: Axis
    transform: Transform | None = None

    def __post_init__(self) -> None:
        if isinstance(self.transform, Logarithm) and not self.raw.lower > 0:
            raise ValueError(f"bounds of a logarithm must be above 0, got lower={self.raw.lower:g}")
        lower, upper = self.axis_bounds
        if not lower < upper:
            both = f"{self.raw.lower:g} and {self.raw.upper:g}"
            raise ValueError(f"the transform must differ between the bounds, got {lower:g} at both {both}")

    @property
    def axis_bounds(self) -> tuple[float, float]:
        """The public bounds after the transform; no transform falls, so the lower one stays below."""
        lower, upper = self.raw.lower, self.raw.upper
        if self.transform is None:
            return lower, upper
        return self.transform.of_bound(lower), self.transform.of_bound(upper)

    @cached_property
    def axis(self) -> Axis:
        """The axis in transformed units, named by the transform; the unit of the file holds only without one."""
        if self.transform is None:
            return self.raw
        what = LOGARITHM if isinstance(self.transform, Logarithm) else "percentile of"
        return Axis(f"{what} {self.raw.label}", "", *self.axis_bounds, self.raw.numbers)

    def to_unit(self, values: ArrayLike) -> Floats:
        """Values in the units of the file as numbers in [0, 1], same shape; each depends on its own value alone."""
        inside = np.clip(np.asarray(values, dtype=float), self.raw.lower, self.raw.upper)
        return np.clip(self.axis.to_unit(inside if self.transform is None else self.transform(inside)), 0, 1)

    def outside(self, values: ArrayLike) -> int:
        """Number of values beyond the bounds."""
        values = np.asarray(values, dtype=float)
        return int(np.sum((values < self.raw.lower) | (values > self.raw.upper)))
