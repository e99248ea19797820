"""Sums of clipped gradients over all records, at many parameters at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...dataset import Dataset
from ...support.types import Floats
from ...support.work.checkpoint import checkpoint

_BLOCK = 64_000  # lines times records worked on at a time; stays in the cache
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
    def _hulls(self) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        """The lower hulls of all (x_i, y_i + reach_i) and of all (x_i, reach_i - y_i)."""
        order = np.argsort(self.data.x)
        x, y, reach = self.data.x[order], self.data.y[order], self._reach[order]
        return lower_hull(x, y + reach), lower_hull(x, reach - y)

    @cached_property
    def _corners(self) -> tuple[Floats, Floats]:
        """Rows (a, b) and heights c, shapes (corners, 2) and (corners, 1): a p25 + b p75 <= c at every corner.

        The line's height at x is 2 (3/4 - x) p25 + 2 (x - 1/4) p75; the corners below the line have signs changed.
        """
        (above_x, above), (below_x, below) = self._hulls
        x, sign = np.concatenate([above_x, below_x]), np.repeat([2.0, -2.0], [above_x.size, below_x.size])
        return np.column_stack([sign * (0.75 - x), sign * (x - 0.25)]), np.concatenate([above, below])[:, None]

    def unclipped(self, p: Floats) -> np.ndarray:
        """Whether no gradient is clipped at these p of shape (2, m), shape (m,)."""
        rows, heights = self._corners
        return np.logical_and.reduce(rows @ p <= heights)

    @cached_property
    def _always_clipped(self) -> bool:
        """Whether some gradient is clipped wherever the line is: no line passes between the two hulls.

        Each is convex, so that the distance between them is least at a corner.
        """
        if self._clipped_by_residuals:
            return True
        hulls = self._hulls
        corners = np.concatenate([x for x, _ in hulls])
        return bool(sum(np.interp(corners, x, height) for x, height in hulls).min() < 0)

    @cached_property
    def _clipped_by_residuals(self) -> bool:
        """The same as far as the OLS residuals e_i show.

        They add up to 0, also times x_i, so that sum e_i (y_i - fit_i) = sum e_i y_i = sum e_i^2 for every line.
        Were every |y_i - fit_i| within reach_i, that would be sum |e_i| reach_i at most.
        """
        data = self.data
        residuals = data.y - data.y_mean - data.slope * (data.x - data.x_mean)
        return bool(residuals @ residuals > np.abs(residuals) @ self._reach)

    @cached_property
    def _reach(self) -> Floats:
        """How far y_i may be from the line before a gradient of record i is clipped, shape (n,)."""
        return self.clip / (2 * np.abs(self._weights).max(axis=0))

    @cached_property
    def _gradients(self) -> Floats:
        """The gradients of every record before clipping are this @ lines, by p25 and by p75; shape (2, n, 3)."""
        first, second = self._weights
        across = -4 * (first * second)
        rows = [-4 * (first * first), across], [across, -4 * (second * second)]
        return np.stack([*map(np.stack, rows), 2 * (self._weights * self.data.y)], axis=-1)

    @cached_property
    def _side_by_side(self) -> Floats:
        """The same, those by p25 first, are lines.T @ this, shape (3, 2n)."""
        return np.ascontiguousarray(self._gradients.reshape(-1, 3).T)

    @cached_property
    def _coordinates(self) -> Floats:
        """Ones where a gradient is by p25, and where it is by p75, shape (2n, 2): a product with it adds up."""
        return np.repeat(np.eye(2), self.data.n, axis=0)

    @cached_property
    def _linear(self) -> Floats:
        """The unclipped sums are this, shape (2, 3), @ lines."""
        return (self._side_by_side @ self._coordinates).T

    def at(self, p: Floats) -> Floats:
        """The sums at each column of p = (p25, p75), shape (2, m) as p (Algorithms 6 and 7)."""
        return self.at_lines(np.concatenate([p, np.ones((1, p.shape[1]))]))

    def at_lines(self, lines: Floats) -> Floats:
        """at, where lines are p with a row of ones below, shape (3, m)."""
        if self._always_clipped:
            return self._record_by_record(lines)
        sums = self._linear @ lines
        (clipped,) = (~self.unclipped(lines[:2])).nonzero()
        if clipped.size:
            sums[:, clipped] = self._record_by_record(lines[:, clipped])
        return sums

    def _record_by_record(self, lines: Floats) -> Floats:
        """The sums at each column of lines, every gradient clipped on its own.

        Records are added in their order, one after the other, so that a sum does not depend on how many lines there are
        besides; a single line is rounded in another way, as is a product with a single record.
        """
        n, size = self.data.n, lines.shape[1]
        if size == 1:
            return self._coordinates.T @ (lines.T @ self._side_by_side).clip(-self.clip, self.clip).T
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
