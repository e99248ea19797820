"""Sums of clipped gradients over all records, at many parameters at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...dataset import Dataset
from ...support.run import checkpoint
from ...support.types import Floats

_BLOCK = 64_000  # lines times records worked on at a time; stays in the cache


@dataclass(frozen=True, eq=False)
class GradientSums:
    """Sums of the gradients 2 (y_i - fit_i) (3/4 - x_i) and 2 (y_i - fit_i) (x_i - 1/4), each clipped to [-clip, clip].

    fit_i = 2 (p25 (3/4 - x_i) + p75 (x_i - 1/4)) is the height at x_i of the line p = (p25, p75). Every gradient of
    every record is formed and clipped, whatever the records are: no shortcut, so that the time tells n alone.
    """

    data: Dataset
    clip: float

    @cached_property
    def _gradients(self) -> Floats:
        """The gradients of every record before clipping are this @ lines, by p25 and by p75; shape (2, n, 3)."""
        first, second = weights = np.stack([0.75 - self.data.x, self.data.x - 0.25])
        across = -4 * (first * second)
        rows = [-4 * (first * first), across], [across, -4 * (second * second)]
        return np.stack([*map(np.stack, rows), 2 * (weights * self.data.y)], axis=-1)

    def at(self, p: Floats) -> Floats:
        """The sums at each column of p = (p25, p75), shape (2, m) as p (Algorithms 6 and 7)."""
        return self.at_lines(np.concatenate([p, np.ones((1, p.shape[1]))]))

    def at_lines(self, lines: Floats) -> Floats:
        """at, where lines are p with a row of ones below, shape (3, m).

        Records are added in their order, one after the other, so that a sum does not depend on how many lines there are
        besides; a single line is rounded in another way, as is a product with a single record.
        """
        n, size = self.data.n, lines.shape[1]
        parts = -(-n // max(4, _BLOCK // size))
        sums, rows = np.empty((2, size)), np.empty((2, -(-n // parts) + 1, size))
        for part in range(parts):
            checkpoint()
            records = self._gradients[:, n * part // parts : n * (part + 1) // parts]
            end = records.shape[1] + 1
            gradients = np.matmul(records, lines, out=rows[:, 1:end])
            gradients.clip(-self.clip, self.clip, out=gradients)
            if part:
                rows[:, 0] = sums
            np.add.reduce(rows[:, 0 if part else 1 : end], axis=1, out=sums)
        return sums
