"""Step 2: the median of pairwise lines while one person is moved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ... import pairs
from ...dataset import Dataset
from ...support.types import Floats
from ..moved import MovedRecord
from .people import HOURS, POINT, SCORE, ten_people
from .settings import Lesson


@dataclass(frozen=True)
class PairwiseEstimates:
    """All heights at 15 hours of the lines through two of the people, before and after one of them is moved."""

    moved: MovedRecord

    @property
    def before(self) -> Floats:
        """Before, ascending, shape (pairs,); pairs with equal x have none."""
        return pairwise(self.moved.before)

    @property
    def after(self) -> Floats:
        """After."""
        return pairwise(self.moved.after)

    @property
    def touched(self) -> int:
        """How many pairs have the person in them."""
        return self.moved.before.n - 1

    @property
    def total(self) -> int:
        """How many pairs there are."""
        return self.moved.before.n * self.touched // 2

    def bounds(self) -> tuple[float, float]:
        """No place of the person puts the median outside: all pairs with the person below, or all above.

        The others' estimates stay. A value more on one side, or one less where x is equal, moves a median towards that
        side at most, so the extremes are at minus and plus infinity.
        """
        kept = np.arange(self.moved.before.n) != self.moved.place
        others = pairwise(Dataset(self.moved.before.x[kept], self.moved.before.y[kept]))
        low, high = (np.median(np.append(others, np.full(self.touched, end))) for end in (-np.inf, np.inf))
        return float(low), float(high)


def pairwise(data: Dataset) -> Floats:
    """The pairwise estimates at 15 hours, ascending, without those of pairs with equal x; in the unit square."""
    first, second = pairs.all_pairs(data.n)
    apart = data.x[first] != data.x[second]
    x, y, u, v = data.x[first][apart], data.y[first][apart], data.x[second][apart], data.y[second][apart]
    return np.sort(y + (POINT - x) * (v - y) / (u - x))


def person_moved(lesson: Lesson) -> MovedRecord:
    """The ten people, and the one of them who is moved."""
    data, place = ten_people(), lesson.person - 1
    x = data.x[place] if lesson.person_x is None else HOURS.to_unit(lesson.person_x)
    y = data.y[place] if lesson.person_y is None else SCORE.to_unit(lesson.person_y)
    return MovedRecord(data, place, float(x), float(y))
