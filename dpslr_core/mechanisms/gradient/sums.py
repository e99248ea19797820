"""Sums of clipped gradients over all records, at many parameters at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...dataset import Dataset
from ...support.types import Floats
from ...support.work.checkpoint import checkpoint

_BLOCK = 32_000  # parameters times records worked on at a time; stays in the cache
_PASSES = 60  # of the search for a hull; points not ruled out by then stay, which is only slower


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
    def _corners(self) -> tuple[Floats, Floats]:
        """Rows (a, b) and heights c, shapes (corners, 2) and (corners, 1): a p25 + b p75 <= c at every corner.

        The line's height at x is 2 (3/4 - x) p25 + 2 (x - 1/4) p75; the corners below the line have signs changed.
        """
        order = np.argsort(self.data.x)
        x, y = self.data.x[order], self.data.y[order]
        reach = self.clip / (2 * np.abs(self._weights[:, order]).max(axis=0))
        above_x, above = lower_hull(x, y + reach)
        below_x, below = lower_hull(x, reach - y)
        x, sign = np.concatenate([above_x, below_x]), np.repeat([2.0, -2.0], [above_x.size, below_x.size])
        return np.column_stack([sign * (0.75 - x), sign * (x - 0.25)]), np.concatenate([above, below])[:, None]

    def unclipped(self, p: Floats) -> np.ndarray:
        """Whether no gradient is clipped at these p of shape (2, m), shape (m,)."""
        rows, heights = self._corners
        return np.logical_and.reduce(rows @ p <= heights)

    @cached_property
    def _linear(self) -> tuple[Floats, Floats]:
        """Constant, shape (2, 1), and matrix, shape (2, 2), of the unclipped sum: five sums over the records."""
        return 2 * (self._weights @ self.data.y)[:, None], -4 * (self._weights @ self._weights.T)

    def at(self, p: Floats) -> Floats:
        """The sums at each column of p = (p25, p75), shape (2, m) as p (Algorithms 6 and 7)."""
        constant, matrix = self._linear
        sums = matrix @ p
        sums += constant
        (clipped,) = (~self.unclipped(p)).nonzero()
        size = max(1, _BLOCK // self.data.n)
        for start in range(0, clipped.size, size):
            checkpoint()
            part = clipped[start : start + size]
            sums[:, part] = self._record_by_record(p[:, part])
        return sums

    @cached_property
    def _gradients(self) -> tuple[Floats, Floats]:
        """Constants, shape (2n,), and matrix, shape (2, 2n), of the gradients of every record before clipping."""
        first, second = self._weights
        across = first * second
        matrix = np.concatenate([np.stack([first * first, across]), np.stack([across, second * second])], axis=1)
        return 2 * np.concatenate([self.data.y * first, self.data.y * second]), -4 * matrix

    def _record_by_record(self, p: Floats) -> Floats:
        """The sums at each column of p, every gradient clipped on its own."""
        constants, matrix = self._gradients
        gradients = p.T @ matrix
        gradients += constants
        np.clip(gradients, -self.clip, self.clip, out=gradients)
        return gradients.reshape(-1, 2, self.data.n).sum(axis=2).T


def lower_hull(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The corners of the lower convex hull of points, in order of x, as x and y of shape (corners,).

    Now and then a few more points than those. x, y: shape (n,).

    A point on or above the line through its two neighbours is no corner: all such points go at once, again and
    again until there are none.
    """
    order = np.argsort(x, kind="stable")  # fast where x is in order
    x, y = x[order], y[order]
    first = np.flatnonzero(np.append(True, x[1:] > x[:-1]))
    x, y = x[first], np.minimum.reduceat(y, first)  # of points with equal x, which would rule each other out
    for _ in range(_PASSES):
        right, up = np.diff(x), np.diff(y)
        corner = np.ones(x.size, dtype=bool)
        corner[1:-1] = right[:-1] * up[1:] > up[:-1] * right[1:]
        if corner.all():
            break
        x, y = x[corner], y[corner]
    return x, y
