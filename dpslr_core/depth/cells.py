"""The cells in which a line may be deep, and where their lines predict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..support.run import checkpoint
from ..support.types import Floats
from .grid import Blocks, LineGrid
from .scores import DepthScores


@dataclass(frozen=True, eq=False)
class DeepCells:
    """Cells of a grid, and numbers that no score of a line in each is below; least: shape (m,)."""

    grid: LineGrid
    cells: Blocks
    least: Floats

    def predictions(self, point: float) -> tuple[Floats, Floats]:
        """The least and the greatest prediction at a point by lines of each cell, shapes (m,), in units of y."""
        first, _, left, _ = self.cells.ends
        weights = 2 * (0.75 - point), 2 * (point - 0.25)  # they add up to 1
        middle = weights[0] * (first + 0.5) + weights[1] * (left + 0.5)
        half = 0.5 * (abs(weights[0]) + abs(weights[1]))
        start, cell = self.grid.lower, self.grid.cell
        return start + cell * (middle - half), start + cell * (middle + half)


def deep_cells(scores: DepthScores, most: float) -> DeepCells:
    """The cells in which some line may have a score below most.

    Blocks without such a line are left out as a whole; the bound of a part is never below that of the whole.
    """
    kept: list[Blocks] = []
    found: list[Floats] = []
    blocks = scores.grid.whole()
    while len(blocks):
        checkpoint()
        least = scores.least(blocks)
        open_blocks, single = least < most, blocks.sizes == 1
        kept.append(blocks.take(open_blocks & single))
        found.append(least[open_blocks & single])
        blocks = blocks.take(open_blocks & ~single).halved()
    ends = np.concatenate([part.ends for part in kept], axis=1)
    return DeepCells(scores.grid, Blocks(ends), np.concatenate(found))


def public_edges(grid: LineGrid, point: float) -> Floats:
    """The ends of side cells over all predictions of the grid's lines at a point, shape (side + 1,), in units of y."""
    whole = (abs(0.75 - point) + abs(point - 0.25)) * (grid.upper - grid.lower)
    middle = (grid.lower + grid.upper) / 2
    return np.linspace(middle - whole, middle + whole, grid.side + 1)
