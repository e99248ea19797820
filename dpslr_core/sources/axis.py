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

_EPS = 2.0**-52  # relative error of rounding


@dataclass(frozen=True)
class Axis:
    """Quantity in the user's units with its public bounds, which are mapped to 0 and 1.

    The bounds must not be read off private data.

    Parameters
    ----------
    name, unit : str
        Name, which must not be blank, and unit of the quantity.
    lower, upper : float
        Public bounds in the user's units.
    numbers : Style
        Style in which numbers of the quantity are written and typed.

    Raises
    ------
    ValueError
        Unless the bounds are finite, lower < upper, and upper - lower does not overflow.
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
        """Width of the bounds, upper - lower: the length in the user's units of 1 in the unit square."""
        return float(self.upper) - float(self.lower)

    @property
    def size(self) -> float:
        """Distance from 0 of the bound that is farther away."""
        return max(abs(float(self.lower)), abs(float(self.upper)))

    @property
    def label(self) -> str:
        """Name with the unit in brackets, as in "temperature (°C)"."""
        return f"{self.name} ({self.unit})" if self.unit else self.name

    def to_unit(self, values: ArrayLike) -> Floats:
        """Return (values - lower) / scale, same shape; values beyond the bounds become numbers outside [0, 1]."""
        with np.errstate(over="ignore"):
            return np.asarray((np.asarray(values, dtype=float) - self.lower) / self.scale)

    def from_unit(self, values: ArrayLike) -> Floats:
        """Return lower + scale * values in the user's units, same shape: the inverse of `to_unit`."""
        return np.asarray(self.lower + self.scale * np.asarray(values, dtype=float))

    def typed(self, point: float) -> float | None:
        """Return the number in the user's units with the fewest digits that `to_unit` maps exactly to a point.

        None where none is found: the points of [0, 1] near 0 are closer together than numbers near lower.
        """
        near = float(self.from_unit(point))
        if not isfinite(near):
            return None
        for digits in range(1, 18):
            number = float(f"{near:.{digits}g}")
            if float(self.to_unit(number)) == point:
                return number
        return None

    def nearest(self, point: float) -> float:
        """Return the number in the user's units for a point: exact as in `typed`, or as near as a float can be."""
        number = self.typed(point)
        return float(self.from_unit(point)) if number is None else number

    def written(self, values: Iterable[float]) -> list[str]:
        """Write values in the user's units as texts: different values have different texts, years have no mark."""
        # No rounding reaches these decimals.
        exact = max(0, floor(-log10(4 * _EPS) - log10(self.size)))
        numbers = [round(float(value), exact) if exact < 300 else float(value) for value in values]
        return [of_column(text, self.size) for text in all_in_full(numbers, self.digits(6))]

    def digits(self, usual: int) -> int:
        """Return the significant digits that values need, where `usual` are enough for bounds from 0."""
        return min(usual + max(0, floor(log10(self.size / self.scale))), 17)


UNIT_X = Axis("x")
UNIT_Y = Axis("y")


# ---------------------------------------------------------------- transforms of one column

Transform = Literal["log10"]
LOGARITHM: Transform = "log10"
NO_TABLE = "a percentile by a public table is no longer offered; put it into a column of the file"


def _checked(value: Any) -> Any:
    """Return a transform unchanged, None for an empty text; ValueError, with a way out, for anything else."""
    if value is None or value == LOGARITHM:
        return value
    if isinstance(value, str) and not value.strip():
        return None
    raise ValueError(f"a transform must be {LOGARITHM!r}: {NO_TABLE}")


TransformField = Annotated[Transform | None, BeforeValidator(_checked)]


def log10_of_bound(bound: float) -> float:
    """Return the float nearest to log10 of a bound in decimals: the same on every processor, as np.log10 is not."""
    return float(Decimal(repr(float(bound))).log10(Context(prec=40)))


@dataclass(frozen=True)
class Rescaling:
    """Map of a column to [0, 1]: clip to the public bounds, transform, rescale.

    Parameters
    ----------
    raw : Axis
        The column and its public bounds in the units of the file.
    transform : Transform, optional
        Transform after the clipping.

    Raises
    ------
    ValueError
        If a bound has no logarithm.
    """

    raw: Axis
    transform: Transform | None = None

    def __post_init__(self) -> None:
        if self.transform is not None and not self.raw.lower > 0:
            raise ValueError(f"bounds of a logarithm must be above 0, got lower={self.raw.lower:g}")

    @property
    def axis_bounds(self) -> tuple[float, float]:
        """Public bounds after the transform."""
        lower, upper = self.raw.lower, self.raw.upper
        if self.transform is None:
            return lower, upper
        return log10_of_bound(lower), log10_of_bound(upper)

    @cached_property
    def axis(self) -> Axis:
        """Axis in transformed units; a transform stands in its name, and takes the unit of the file away."""
        if self.transform is None:
            return self.raw
        return Axis(f"{self.transform} {self.raw.label}", "", *self.axis_bounds, self.raw.numbers)

    def to_unit(self, values: ArrayLike) -> Floats:
        """Map values in the units of the file to [0, 1], same shape; each result depends on its own value alone."""
        inside = np.clip(np.asarray(values, dtype=float), self.raw.lower, self.raw.upper)
        return np.clip(
            self.axis.to_unit(inside if self.transform is None else np.log10(inside)), 0, 1
        )

    def outside(self, values: ArrayLike) -> int:
        """Count the values beyond the bounds."""
        values = np.asarray(values, dtype=float)
        return int(np.sum((values < self.raw.lower) | (values > self.raw.upper)))
