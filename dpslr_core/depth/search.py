"""The exponential mechanism over the lines of a grid, and the cells in which lines may be deep."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np

from ..support.run import checkpoint
from ..support.types import Floats, Integers
from .grid import Blocks, Frontier, LineGrid
from .scores import DepthScores, coarse_of_all

_HARDLY_ANY = 1.2  # at 1 no weight can be so small, and up to 1.2 looking for those that are takes longer
_MANY, _SMALL = 1000, 64  # so many blocks, of no more cells than that, are divided into cells at once


def refined(scores: DepthScores, weight: float, slack: float, most: float = np.inf) -> Frontier | None:
    """Blocks whose greatest masses together exceed the least by at most slack times all of the least.

    weight: of a score in the exponent, exp(-weight M).
    slack: above 0. Blocks are halved where bounds are too far apart; down to single cells, where they agree. Where
    hardly any weight can be below slack times another, as scores are between 0 and n, all cells are looked at.
    most: None where more blocks than this would have to be looked at.

    A function of the records, their order aside, and of what is public: of no draw and no earlier call.
    """
    if nearly_all_matter(scores, weight, slack):
        return Frontier(scores.grid.cells(), *[scores.of_all()] * 2) if scores.grid.side**2 <= most else None
    (frontier,) = coarse_of_all([scores])
    looked_at = len(frontier.blocks)
    while looked_at <= most:
        checkpoint()
        least, greatest = frontier.masses(weight)
        split = _largest_gaps(greatest - least, slack * least.sum())
        if split.size == 0:
            return frontier
        parts, kept = _divided(frontier.blocks.take(split)), np.ones(least.size, dtype=bool)
        kept[split] = False
        looked_at += len(parts)
        if looked_at <= most:
            low, high = scores.bounds(parts)
            blocks = frontier.blocks.take(kept).joined(parts)
            frontier = Frontier(blocks, np.append(frontier.low[kept], low), np.append(frontier.high[kept], high))
    return None


def nearly_all_matter(scores: DepthScores, weight: float, slack: float) -> bool:
    """Whether hardly any line can have a weight below slack times another's, as scores are between 0 and n."""
    return bool(weight * scores.x.size <= -_HARDLY_ANY * log(slack))


def _divided(blocks: Blocks) -> Blocks:
    """The blocks halved; small ones, where they are many, in cells: most of these would be looked at all the same."""
    small = blocks.sizes <= _SMALL
    if np.count_nonzero(small) < _MANY:
        return blocks.halved()
    return blocks.take(~small).halved().joined(blocks.take(small).in_cells())


def _largest_gaps(gaps: Floats, allowed: float) -> Integers:
    """The numbers of the fewest gaps without which half of what is allowed remains; none where all are allowed."""
    if gaps.sum() <= allowed:
        return np.empty(0, dtype=np.int64)
    order = np.argsort(gaps, kind="stable")
    return order[np.searchsorted(np.cumsum(gaps[order]), allowed / 2, side="right") :]


def draw_lines(scores: DepthScores, weight: float, size: int, rng: np.random.Generator) -> Integers:
    """size independent cells i side + j with probability proportional to exp(-weight M), shape (size,).

    By rejection: a block by its greatest mass, a cell of it, which is taken with probability exp(-weight (M - low)).
    So each cell comes with exactly its own weight, whatever the bounds; they only decide how many tries it takes: at
    most two on average.
    """
    frontier = refined(scores, weight, slack=1.0)
    assert frontier is not None
    cumulated = np.cumsum(frontier.masses(weight)[1])
    drawn: list[Integers] = []
    while (missing := size - sum(map(len, drawn))) > 0:
        checkpoint()
        tries = int(1.5 * missing) + 8
        block = np.searchsorted(cumulated, rng.random(tries) * cumulated[-1], side="right")
        block = np.minimum(block, cumulated.size - 1)
        rows, columns = rng.integers(frontier.blocks.sides[:, block])
        numbers = (frontier.blocks.ends[0, block] + rows) * scores.grid.side + frontier.blocks.ends[2, block] + columns
        excess = scores.of_cells(numbers) - frontier.low[block]
        drawn.append(numbers[rng.random(tries) < np.exp(-weight * excess)][:missing])
    return np.concatenate(drawn)


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
