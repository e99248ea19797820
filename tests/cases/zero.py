"""Small tables of which some have no sampling error but for rounding, and what is known of each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from dpslr_core.support.types import Floats

HOURS, SCORE = (0.0, 8.0), (20.0, 120.0)  # the public bounds
_X = np.round(np.random.default_rng(5).uniform(*HOURS, 40), 2)
_E = np.random.default_rng(6).normal(0, 3, 40)


class Case(NamedTuple):
    """Columns in the units of the file, their bounds, and whether a line through them has a sampling error."""

    x: Floats
    y: Floats
    error: bool
    x_bounds: tuple[float, float] = HOURS
    y_bounds: tuple[float, float] = SCORE

    @property
    def frame(self) -> pd.DataFrame:
        """The table as it is in a file."""
        return pd.DataFrame({"hours": self.x, "score": self.y})

    @property
    def unit(self) -> tuple[Floats, Floats]:
        """Both columns in the unit square."""
        bounds = (self.x_bounds, self.y_bounds)
        x, y = (
            (values - low) / (high - low)
            for values, (low, high) in zip((self.x, self.y), bounds, strict=True)
        )
        return x, y


def _near_a_line(deviation: float) -> Case:
    return Case(_X, 30 + 8 * _X + deviation / 3 * _E * 100, True)


CASES = {
    "constant, 70.1": Case(_X, np.full(40, 70.1), False),
    "slope 8": Case(_X, 30 + 8 * _X, False),
    "falling": Case(_X, 110.7 - 9.1 * _X, False),
    "steep": Case(4 + _X / 100, 30 + 8 * _X, False),
    "far from 0": Case(_X, 1e5 + 0.7 + 0.01 * _X, False, y_bounds=(1e5, 1e5 + 100)),
    "two distinct x": Case(np.repeat([1.0, 4.7], 20), 30 + 8.3 * np.repeat([1.0, 4.7], 20), False),
    "three records": Case(np.array([0.7, 3.1, 5.9]), 31.1 + 6.7 * np.array([0.7, 3.1, 5.9]), False),
    "a parabola": Case(_X, 30 + _X**2, True),
    "a scatter of 1e-9 of the bounds": _near_a_line(1e-9),
    "a scatter of 3 points": _near_a_line(0.03),
}  # fmt: skip
