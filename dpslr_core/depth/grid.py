"""The public grid of lines, and square blocks of neighbouring lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..support.types import Floats, Integers

LARGEST = 1e9  # ends of the range beyond this are refused


@dataclass(frozen=True)
class LineGrid:
    """side x side cells on [lower, upper]^2: the predictions at 1/4 (first axis) and 3/4 (second axis).

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
        """The width of a cell, in units of y."""
        return (self.upper - self.lower) / self.side

    @property
    def edges(self) -> Floats:
        """The ends of the cells along one axis, shape (side + 1,), in units of y."""
        return np.linspace(self.lower, self.upper, self.side + 1)

    def blocks(self, factor: int) -> Blocks:
        """All blocks of factor x factor cells, row by row."""
        return Blocks(self.side, factor, np.arange((-(-self.side // factor)) ** 2, dtype=np.int32))

    def factors(self, parts: int) -> list[int]:
        """The widths in cells of ever smaller blocks, of which up to 16 x 16 cover the grid, each parts times the next.

        The last is 1.
        """
        factors = [1]
        while self.side > 16 * factors[0]:
            factors.insert(0, parts * factors[0])
        return factors


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks of factor x factor cells of a grid with side x side of them; the last ones of a line may be narrower.

    numbers: I across + J for the block with row I and column J of blocks, shape (m,).
    """

    side: int
    factor: int
    numbers: Integers

    def __len__(self) -> int:
        return self.numbers.size

    @property
    def across(self) -> int:
        """Blocks along one axis."""
        return -(-self.side // self.factor)

    @property
    def places(self) -> Integers:
        """Row and column of each block among those of its size, shape (2, m)."""
        return np.array(np.divmod(self.numbers, self.across))

    @property
    def ends(self) -> Integers:
        """First and last row and first and last column of cells, inclusive, shape (4, m)."""
        first = self.factor * self.places
        return np.stack([first, np.minimum(first + self.factor, self.side) - 1], axis=1).reshape(
            4, -1
        )

    def widths(self, places: Integers) -> Integers:
        """Rows and columns of cells of the blocks at these places, same shape."""
        return np.minimum(self.factor, self.side - self.factor * places)

    @property
    def sizes(self) -> Integers:
        """Cells, shape (m,)."""
        rows, columns = self.widths(self.places)
        return rows * columns

    def take(self, which: np.ndarray | slice) -> Blocks:
        """The blocks with these numbers, or where this mask is true."""
        return Blocks(self.side, self.factor, self.numbers[which])

    def divided(self, factor: int) -> tuple[np.ndarray, Blocks]:
        """The blocks of this smaller width in each block, side by side, and which block each is a part of."""
        steps, across = np.arange(self.factor // factor, dtype=np.int32), -(-self.side // factor)
        rows, columns = (place[:, None] * steps.size + steps for place in self.places)
        inside = (rows < across)[:, :, None] & (columns < across)[:, None]
        numbers = (rows * across)[:, :, None] + columns[:, None]
        part_of = np.repeat(
            np.arange(len(self), dtype=np.int32), np.count_nonzero(inside, axis=(1, 2))
        )
        return part_of, Blocks(self.side, factor, numbers[inside])
