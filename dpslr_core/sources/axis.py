"""Quantities in the user's units and their public bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..support import validate
from ..support.types import Floats
from .files.numbers import Style


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


UNIT_X = Axis("x")
UNIT_Y = Axis("y")
