"""Who the lesson is about: ten people whose records are written here, and a simulated class of any size."""

from __future__ import annotations

import numpy as np

from ...dataset import Dataset
from ...mechanisms import DeepestLine, DPExpTheilSen, NoisyStats
from ...mechanisms.base import Mechanism
from ...sources.axis import Axis
from ...sources.linear import LinearModel
from ...support import validate

HOURS = Axis("practice", "hours", 0, 20)
SCORE = Axis("score", "points", 0, 100)
POINT = 0.75  # where the lesson predicts: 15 hours
SCORES = (0.0, 1.0)  # the public bounds of the score
AT = (POINT, 0.25)  # a line is released by its heights at 15 and at 5 hours

# Invented: hours of practice in a week and points in a test.
TEN = ((2, 28), (4, 35), (5, 30), (7, 42), (8, 37), (10, 48), (11, 55), (13, 52), (14, 61), (19, 47))

# Noise on the sums of OLS, a draw near the median of pairwise lines, a draw near the deepest line.
ALGORITHMS: tuple[Mechanism, ...] = (NoisyStats(), DPExpTheilSen(), DeepestLine())

MOST = 1000  # students
_SLOPE, _INTERCEPT, _VAR_X = 0.5, 0.2, 0.03  # 2.5 points an hour, 20 points without practice


def ten_people() -> Dataset:
    """The ten people, person 1 first."""
    hours, points = np.array(TEN, dtype=float).T
    return Dataset(HOURS.to_unit(hours), SCORE.to_unit(points))


def students(count: int, scatter: float, number: int = 0) -> Dataset:
    """The first so many students of a simulated class of MOST, whose scores scatter by so many points about a line.

    number: of the class; classes of one scatter are draws of one model. ValueError unless 3 <= count <= MOST,
    scatter >= 0 and number >= 0.
    """
    if not 3 <= count <= MOST:
        raise ValueError(f"count must be 3 to {MOST}, got {count}")
    validate.non_negative(scatter=scatter)
    validate.integer(0, number=number)
    model = LinearModel(MOST, _VAR_X, (scatter / SCORE.scale) ** 2, _SLOPE, _INTERCEPT)
    everyone = model.simulate(np.random.default_rng(number))
    return Dataset(everyone.x[:count], everyone.y[:count])
