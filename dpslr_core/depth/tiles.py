"""Small blocks with the scores of all their cells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..support.types import Floats, Integers


class Tiles(NamedTuple):
    """Blocks of one shape and the scores of their cells.

    owner: the number of the data set, shape (m,). first, left: row and column of the first cell, shape (m,).
    scores: shape (m, rows, columns).
    """

    owner: Integers
    first: Integers
    left: Integers
    scores: Floats

    def take(self, which: Integers) -> Tiles:
        """The tiles with these numbers."""
        return Tiles(self.owner[which], self.first[which], self.left[which], self.scores[which])

    def places(self, axis: int) -> Integers:
        """The rows of the grid that the tiles reach (axis 0), or the columns; shape (m, rows or columns)."""
        return (self.left if axis else self.first)[:, None] + np.arange(self.scores.shape[1 + axis])

    def cells(self) -> Integers:
        """The rows and columns of all cells, shape (2, cells), in the order of scores.ravel()."""
        shape = self.scores.shape
        rows, columns = self.places(0)[:, :, None], self.places(1)[:, None]
        return np.array([np.broadcast_to(each, shape).ravel() for each in (rows, columns)])
