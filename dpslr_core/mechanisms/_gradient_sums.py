"""Sums of clipped gradients over all records, at many parameters at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._types import Floats
from ..dataset import Dataset

_BLOCK = 64_000  # parameters times records worked on at a time; stays in the cache
_PASSES = 60  # of the search for a hull; what is not ruled out by then is kept, which is only slower


@dataclass(frozen=True, eq=False)
class GradientSums:
    """Sums of the gradients 2 (y_i - fit_i) (3/4 - x_i) and 2 (y_i - fit_i) (x_i - 1/4), each clipped to [-clip, clip].

    fit_i = 2 (p25 (3/4 - x_i) + p75 (x_i - 1/4)) is the height at x_i of the line p = (p25, p75). No gradient of
    record i is clipped while that height is within reach_i of y_i, so none at all is while the line passes below
    every (x_i, y_i + reach_i) and above every (x_i, y_i - reach_i): a question for the corners of two convex hulls.
    There the sum is linear in p; only the other lines pay for the records.
    """

    data: Dataset
    clip: float

    @cached_property
    def _weights(self) -> Floats:
        """3/4 - x and x - 1/4, shape (2, n)."""
        return np.stack([0.75 - self.data.x, self.data.x - 0.25])

    @cached_property
    def _corners(self) -> tuple[Floats, Floats, Floats, Floats]:
        """x and highest height of the corners above the line, x and lowest height of those below it."""
        reach = self.clip / (2 * np.abs(self._weights).max(axis=0))
        above = lower_hull(self.data.x, self.data.y + reach)
        below = lower_hull(self.data.x, reach - self.data.y)
        return above[0], above[1], below[0], -below[1]

    def unclipped(self, p: Floats) -> np.ndarray:
        """Whether no gradient is clipped at these p, shape (len(p),)."""
        above_x, above, below_x, below = self._corners
        slope = 2 * (p[:, 1] - p[:, 0])[:, None]
        start = (1.5 * p[:, 0] - 0.5 * p[:, 1])[:, None]
        under = (start + slope * above_x <= above).all(axis=1)
        return np.logical_and(under, (start + slope * below_x >= below).all(axis=1))

    @cached_property
    def _linear(self) -> tuple[Floats, Floats]:
        """Constant, shape (2,), and matrix, shape (2, 2), of the unclipped sum: five sums over the records."""
        return 2 * (self._weights @ self.data.y), -4 * (self._weights @ self._weights.T)

    def at(self, p: Floats) -> Floats:
        """The sums at each row of p = (p25, p75), shape (len(p), 2)."""
        constant, matrix = self._linear
        sums = constant + p[:, :1] * matrix[0] + p[:, 1:] * matrix[1]
        clipped = np.flatnonzero(~self.unclipped(p))
        rows = max(1, _BLOCK // self.data.n)
        for start in range(0, clipped.size, rows):
            part = clipped[start : start + rows]
            sums[part] = self._record_by_record(p[part])
        return sums

    @cached_property
    def _gradients(self) -> Floats:
        """What makes (1, p25, p75) into the two gradients of every record, shape (2, 3, n)."""
        w = self._weights
        return np.stack([np.stack([2 * self.data.y * v, -4 * w[0] * v, -4 * w[1] * v]) for v in w])

    def _record_by_record(self, p: Floats) -> Floats:
        """The sums at each row of p, every gradient clipped on its own."""
        sums = np.empty((len(p), 2))
        linear = np.column_stack([np.ones(len(p)), p])
        for coordinate in (0, 1):
            gradients = linear @ self._gradients[coordinate]
            np.clip(gradients, -self.clip, self.clip, out=gradients)
            sums[:, coordinate] = gradients.sum(axis=1)
        return sums


def lower_hull(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The corners of the lower convex hull of points, in order of x; now and then a few more points than those.

    A point on or above the line through its two neighbours is no corner: all such points go at once, again and
    again until there are none.
    """
    order = np.lexsort((y, x))
    x, y = x[order], y[order]
    lowest = np.append(True, x[1:] > x[:-1])  # of points with equal x; equal points would rule each other out
    x, y = x[lowest], y[lowest]
    for _ in range(_PASSES):
        right, up = np.diff(x), np.diff(y)
        corner = np.ones(x.size, dtype=bool)
        corner[1:-1] = right[:-1] * up[1:] > up[:-1] * right[1:]
        if corner.all():
            break
        x, y = x[corner], y[corner]
    return x, y
