"""The public grid of lines, and blocks of neighbouring lines."""

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
                f"lower and upper must be at most {LARGEST:g} from 0, and upper above lower by more than 1e-12 of that "
                f"distance for each cell of the grid, got lower={self.lower!r}, upper={self.upper!r}, grid={self.side}"
            )

    @property
    def cell(self) -> float:
        """The width of a cell, in units of y."""
        return (self.upper - self.lower) / self.side

    @property
    def edges(self) -> Floats:
        """The ends of the cells along one axis, shape (side + 1,), in units of y."""
        return np.linspace(self.lower, self.upper, self.side + 1)

    def whole(self) -> Blocks:
        """One block of all cells."""
        return Blocks(np.array([[0], [self.side - 1], [0], [self.side - 1]]))

    def coarse(self) -> Blocks:
        """Up to 16 x 16 blocks, about equally large, of all cells."""
        blocks = self.whole()
        for _ in range(min(4, self.side.bit_length() - 1)):
            blocks = blocks.halved()
        return blocks

    def cells(self) -> Blocks:
        """Every cell as a block of its own, row by row."""
        return Blocks.of_cells(np.arange(self.side**2), self.side)


@dataclass(frozen=True, eq=False)
class Blocks:
    """Rectangles of cells: rows ends[0] to ends[1] and columns ends[2] to ends[3], inclusive; ends: shape (4, m)."""

    ends: Integers

    @classmethod
    def of_cells(cls, numbers: Integers, side: int) -> Blocks:
        """Cells by their numbers i side + j, each a block of its own."""
        i, j = np.divmod(numbers, side)
        return cls(np.array([i, i, j, j]))

    def __len__(self) -> int:
        return self.ends.shape[1]

    @property
    def sides(self) -> Integers:
        """Rows and columns, shape (2, m)."""
        return self.ends[1::2] - self.ends[::2] + 1

    @property
    def sizes(self) -> Integers:
        """Cells, shape (m,)."""
        first, last, left, right = self.ends
        return (last - first + 1) * (right - left + 1)

    def take(self, which: np.ndarray) -> Blocks:
        """The blocks with these numbers, or where this mask is true."""
        return Blocks(self.ends.take(np.flatnonzero(which) if which.dtype == bool else which, axis=1))

    def in_cells(self) -> Blocks:
        """Each block as its cells."""
        block = np.repeat(np.arange(len(self)), self.sizes)
        place = (np.arange(block.size) - (np.cumsum(self.sizes) - self.sizes)[block]).astype(np.int32)
        row, column = np.divmod(place, self.sides[1].astype(np.int32)[block])
        row, column = row + self.ends[0][block], column + self.ends[2][block]
        return Blocks(np.array([row, row, column, column]))

    def along(self, axis: int) -> tuple[Integers, Integers]:
        """(block, place) for every row of each block, or every column where axis is 1; of equal length."""
        lengths = self.sides[axis]
        return np.repeat(np.arange(len(self)), lengths), np.repeat(self.ends[2 * axis], lengths) + _counted(lengths)

    def halved(self) -> Blocks:
        """Each block as its two or four halves; single cells are left out."""
        first, last, left, right = self.ends
        middle, center = (first + last) // 2, (left + right) // 2
        rows, columns = ((first, middle), (middle + 1, last)), ((left, center), (center + 1, right))
        parts = np.concatenate([np.array([*row, *column]) for row in rows for column in columns], axis=1)
        return Blocks(parts[:, (parts[0] <= parts[1]) & (parts[2] <= parts[3])])

    def divided(self, count: int, owner: Integers) -> tuple[Integers, Blocks]:
        """Each block in up to count x count parts, side by side, and the owner of each part, that of its block."""
        rows, columns = (
            [low + length * i // count for i in range(count + 1)]
            for low, length in zip(self.ends[::2], self.sides, strict=True)
        )
        parts = np.array(
            [[rows[i], rows[i + 1] - 1, columns[j], columns[j + 1] - 1] for i in range(count) for j in range(count)]
        )
        ends = np.moveaxis(parts, 0, 2).reshape(4, -1)
        some = (ends[0] <= ends[1]) & (ends[2] <= ends[3])
        return np.repeat(owner, count * count)[some], Blocks(ends[:, some])


def _counted(lengths: Integers) -> Integers:
    """0, 1, ..., length - 1 for each length, one after another."""
    return np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
