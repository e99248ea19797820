"""Public grid of lines, and square blocks of neighbouring lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..support.types import Floats, Integers

LARGEST = 1e9  # ends of the range beyond this are refused


@dataclass(frozen=True)
class LineGrid:
    """Grid of side x side cells on [lower, upper]^2: the predictions at 1/4 (first axis) and 3/4 (second axis).

    The centre of cell (i, j) is the line through lower + (i + 1/2) cell at 1/4 and lower + (j + 1/2) cell at 3/4.
    ValueError names lower and upper where the cells are too narrow or too far from the unit square for floats.
    """

    side: int
    lower: float
    upper: float

    def __post_init__(self) -> None:
        reach = max(abs(self.lower), abs(self.upper))
        if reach > LARGEST or not self.cell > 1e-12 * max(1.0, reach):
            raise ValueError(
                f"lower and upper must be at most {LARGEST:g} from 0, and upper above lower by "
                "more than 1e-12 of that "
                f"distance for each cell of the grid, got lower={self.lower!r}, "
                f"upper={self.upper!r}, grid={self.side}"
            )

    @property
    def cell(self) -> float:
        """Width of a cell, in units of y."""
        return (self.upper - self.lower) / self.side

    @property
    def edges(self) -> Floats:
        """Ends of the cells along either axis, shape (side + 1,), in units of y."""
        return np.linspace(self.lower, self.upper, self.side + 1)

    def blocks(self, factor: int) -> Blocks:
        """Return all blocks of factor x factor cells, row by row."""
        return Blocks(self.side, factor, np.arange((-(-self.side // factor)) ** 2, dtype=np.int32))

    def factors(self, ratio: int) -> list[int]:
        """Return widths of blocks in cells, from at most 16 x 16 blocks down to 1, each `ratio` times the next."""
        factors = [1]
        while self.side > 16 * factors[0]:
            factors.insert(0, ratio * factors[0])
        return factors


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks of factor x factor cells of a grid of side x side cells, narrower at the far borders.

    `numbers` are I across + J for the block in row I and column J of blocks, shape (m,).
    """

    side: int
    factor: int
    numbers: Integers

    def __len__(self) -> int:
        return self.numbers.size

    @property
    def across(self) -> int:
        """Number of blocks along either axis."""
        return -(-self.side // self.factor)

    @property
    def coordinates(self) -> Integers:
        """Row and column of every block, counted in blocks, shape (2, m)."""
        return np.array(np.divmod(self.numbers, self.across))

    @property
    def ends(self) -> Integers:
        """First and last row and first and last column of cells, inclusive, shape (4, m)."""
        first = self.factor * self.coordinates
        return np.stack([first, np.minimum(first + self.factor, self.side) - 1], axis=1).reshape(
            4, -1
        )

    def widths(self, coordinates: Integers) -> Integers:
        """Compute height and width in cells of the blocks at `coordinates`, shape (2, m); less at the far borders."""
        return np.minimum(self.factor, self.side - self.factor * coordinates)

    @property
    def sizes(self) -> Integers:
        """Number of cells in every block, shape (m,)."""
        rows, columns = self.widths(self.coordinates)
        return rows * columns

    def take(self, which: np.ndarray | slice) -> Blocks:
        """Return the blocks at the indices `which`, or where the mask `which` is true."""
        return Blocks(self.side, self.factor, self.numbers[which])

    def divided(self, factor: int) -> tuple[np.ndarray, Blocks]:
        """Divide every block into blocks of the width `factor`; return the indices of their parents and the blocks."""
        steps, across = np.arange(self.factor // factor, dtype=np.int32), -(-self.side // factor)
        rows, columns = (block[:, None] * steps.size + steps for block in self.coordinates)
        inside = (rows < across)[:, :, None] & (columns < across)[:, None]
        numbers = (rows * across)[:, :, None] + columns[:, None]
        parent = np.repeat(
            np.arange(len(self), dtype=np.int32), np.count_nonzero(inside, axis=(1, 2))
        )
        return parent, Blocks(self.side, factor, numbers[inside])
