"""Step 1: a line from ten people, and one who leaves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...dataset import Dataset
from ...support.types import Floats
from .people import POINT, ten_people


@dataclass(frozen=True)
class Leaving:
    """The OLS line of ten people with and without one of them.

    leaver: from 1; 0 for nobody.
    """

    leaver: int = 0

    @cached_property
    def everyone(self) -> Dataset:
        """All ten."""
        return ten_people()

    @property
    def remaining(self) -> Dataset:
        """Those who stay."""
        return without(self.everyone, self.leaver) if self.leaver else self.everyone

    @cached_property
    def changes(self) -> Floats:
        """How far the prediction at 15 hours moves when each person leaves, in the unit square, shape (10,)."""
        before = self.everyone.predict(POINT)[0]
        people = range(1, self.everyone.n + 1)
        return np.array([without(self.everyone, person).predict(POINT)[0] - before for person in people])

    @property
    def most(self) -> int:
        """The person, from 1, who moves the prediction most."""
        return int(np.argmax(np.abs(self.changes))) + 1


def without(data: Dataset, person: int) -> Dataset:
    """The data without the record of one person, from 1."""
    kept = np.arange(data.n) != person - 1
    return Dataset(data.x[kept], data.y[kept])
