"""Quantities in the user's units, their public bounds, and transforms of one column.

A transform is a public function of each value alone, after clipping to public bounds. It keeps the guarantee: each
record is mapped on its own, so two data sets that differ in one record still differ in one record. Ranks within the
file depend on the other records, so one replaced record could change them all; there is no such transform.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import cached_property
from math import floor, isfinite, log10
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BeforeValidator

from ..support import validate
from ..support.readable import all_in_full, of_column
from ..support.types import Floats
from .numbers import Style

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
        exact = max(
            0, floor(-log10(4 * _EPS) - log10(self.size))
        )  # decimals that no rounding has reached
        numbers = [round(float(value), exact) if exact < 300 else float(value) for value in values]
        return [of_column(text, self.size) for text in all_in_full(numbers, self.digits(6))]

    def digits(self, usual: int) -> int:
        """Significant digits that a value needs where ``usual`` are enough for one between 0 and the scale."""
        return min(usual + max(0, floor(log10(self.size / self.scale))), 17)


UNIT_X = Axis("x")
UNIT_Y = Axis("y")


# ---------------------------------------------------------------- transforms of one column

Transform = Literal["log10"]
LOGARITHM: Transform = "log10"
NO_TABLE = "a percentile by a public table is no longer offered; put it into a column of the file"


def _checked(value: Any) -> Any:
    """A transform as it is, None for an empty text; ValueError, with what to do instead, for anything else."""
    if value is None or value == LOGARITHM:
        return value
    if isinstance(value, str) and not value.strip():
        return None
    raise ValueError(f"a transform must be {LOGARITHM!r}: {NO_TABLE}")


TransformField = Annotated[Transform | None, BeforeValidator(_checked)]


def log10_of_bound(bound: float) -> float:
    """The float next to log10 of a bound as it is written, the same on every processor; np.log10 is not."""
    return float(Decimal(repr(float(bound))).log10(Context(prec=40)))


@dataclass(frozen=True)
class Rescaling:
    """The way of a column to numbers of [0, 1]: clipped to its public bounds, transformed, rescaled.

    raw: the column and its bounds in the units of the file. ValueError where a bound has no logarithm.
    """

    raw: Axis
    transform: Transform | None = None

    def __post_init__(self) -> None:
        if self.transform is not None and not self.raw.lower > 0:
            raise ValueError(f"bounds of a logarithm must be above 0, got lower={self.raw.lower:g}")

    @property
    def axis_bounds(self) -> tuple[float, float]:
        """The public bounds after the transform."""
        lower, upper = self.raw.lower, self.raw.upper
        if self.transform is None:
            return lower, upper
        return log10_of_bound(lower), log10_of_bound(upper)

    @cached_property
    def axis(self) -> Axis:
        """The axis in transformed units, named by the transform; the unit of the file holds only without one."""
        if self.transform is None:
            return self.raw
        return Axis(f"{self.transform} {self.raw.label}", "", *self.axis_bounds, self.raw.numbers)

    def to_unit(self, values: ArrayLike) -> Floats:
        """Values in the units of the file as numbers in [0, 1], same shape; each depends on its own value alone."""
        inside = np.clip(np.asarray(values, dtype=float), self.raw.lower, self.raw.upper)
        return np.clip(
            self.axis.to_unit(inside if self.transform is None else np.log10(inside)), 0, 1
        )

    def outside(self, values: ArrayLike) -> int:
        """Number of values beyond the bounds."""
        values = np.asarray(values, dtype=float)
        return int(np.sum((values < self.raw.lower) | (values > self.raw.upper)))
