"""The exponential mechanism over the lines of a grid, without the scores of lines that do not matter."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np

from ..support.types import Floats, Integers
from .grid import Blocks
from .scores import DepthScores


@dataclass(frozen=True, eq=False)
class Frontier:
    """Blocks that cover the grid, and bounds low <= M <= high on the scores of the lines in each, shapes (m,)."""

    blocks: Blocks
    low: Floats
    high: Floats

    def masses(self, weight: float) -> tuple[Floats, Floats]:
        """Bounds on the sum of exp(-weight M) over each block, least and greatest, up to one factor; shapes (m,)."""
        base = self.low.min()
        with np.errstate(under="ignore"):
            bounds = (self.blocks.sizes * np.exp(-weight * (end - base)) for end in (self.high, self.low))
            return next(bounds), next(bounds)


def refined(scores: DepthScores, weight: float, slack: float, most: float = np.inf) -> Frontier | None:
    """Blocks whose greatest masses together exceed the least by at most slack times all of the least.

    weight: of a score in the exponent, exp(-weight M).
    slack: above 0. Blocks are halved where bounds are too far apart; down to single cells, where they agree. Where no
    weight can be below slack times another, as scores are between 0 and n, all cells are looked at from the start.
    most: None where more blocks than this would have to be looked at.

    A function of the records, their order aside, and of what is public: of no draw and no earlier call.
    """
    settled, looked_at, all_matter = Frontier(*_nothing()), 0, weight * scores.x.size <= -log(slack)
    open_blocks = scores.grid.cells() if all_matter else scores.grid.whole()
    while True:
        looked_at += len(open_blocks)
        if looked_at > most:
            return None
        frontier = _joined(settled, Frontier(open_blocks, *scores.bounds(open_blocks)))
        least, greatest = frontier.masses(weight)
        split = _largest_gaps(greatest - least, slack * least.sum())
        if split.size == 0:
            return frontier
        kept = np.delete(np.arange(least.size), split)
        settled = Frontier(frontier.blocks.take(kept), frontier.low[kept], frontier.high[kept])
        open_blocks = frontier.blocks.take(split).halved()


def _largest_gaps(gaps: Floats, allowed: float) -> Integers:
    """The numbers of the fewest gaps without which half of what is allowed remains; none where all are allowed."""
    if gaps.sum() <= allowed:
        return np.empty(0, dtype=np.int64)
    order = np.argsort(gaps, kind="stable")
    return order[np.searchsorted(np.cumsum(gaps[order]), allowed / 2, side="right") :]


def _nothing() -> tuple[Blocks, Floats, Floats]:
    return Blocks(np.empty((4, 0), dtype=np.int64)), np.empty(0), np.empty(0)


def _joined(one: Frontier, other: Frontier) -> Frontier:
    low, high = np.append(one.low, other.low), np.append(one.high, other.high)
    return Frontier(one.blocks.joined(other.blocks), low, high)


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
        tries = int(1.5 * missing) + 8
        block = np.searchsorted(cumulated, rng.random(tries) * cumulated[-1], side="right")
        block = np.minimum(block, cumulated.size - 1)
        rows, columns = rng.integers(frontier.blocks.sides[:, block])
        numbers = (frontier.blocks.ends[0, block] + rows) * scores.grid.side + frontier.blocks.ends[2, block] + columns
        excess = scores.of_cells(numbers) - frontier.low[block]
        drawn.append(numbers[rng.random(tries) < np.exp(-weight * excess)][:missing])
    return np.concatenate(drawn)
