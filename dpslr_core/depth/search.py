"""The lines that matter in each of several data sets, the exponential mechanism over them, and where lines are deep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np

from ..support.run import checkpoint
from ..support.types import Floats, Integers
from .grid import Blocks, LineGrid
from .scores import DepthScores, bounds_of_all

_HARDLY_ANY = 1.2  # at 1 no weight can be so small, and up to 1.2 looking for those that are takes longer
_FEW = 2_000  # records up to which blocks are divided into many parts at once, as a score is soon computed
_PARTS, _TILE = 5, 5  # in how many parts sides are divided then, and of how many cells all scores are computed
_LOG_TINY = -600.0  # sums of masses below its exponential have lost digits
_PER_DECADE, _DECADES = 4, 16  # classes of excesses in adding up the smallest ones, and how far down


@dataclass(frozen=True, eq=False)
class Frontier:
    """Blocks that cover the grid in each of several data sets, and bounds low <= M <= high on the scores in each.

    owner: number of the data set, shape (m,), as low and high. owners: number of data sets.
    """

    owner: Integers
    blocks: Blocks
    low: Floats
    high: Floats
    owners: int

    @cached_property
    def _base(self) -> Floats:
        """The least bound of each data set, shape (m,)."""
        least = np.full(self.owners, np.inf)
        np.minimum.at(least, self.owner, self.low)
        return least[self.owner]

    def masses(self, weight: float) -> tuple[Floats, Floats]:
        """Bounds on the sum of exp(-weight M) over each block, up to one factor for each data set; shapes (m,)."""
        with np.errstate(under="ignore"):
            least, greatest = (np.exp(-weight * (end - self._base)) for end in (self.high, self.low))
            sizes = self.blocks.sizes.astype(float)
            return sizes * least, sizes * greatest

    def log_mass_table(self, weight: float, side: int, number: int = 0) -> Floats:
        """The log masses of all cells of a grid with this side in one data set, shape (side, side), up to one number.

        Halfway between the bounds of each block.
        """
        which, table = np.flatnonzero(self.owner == number), np.empty(side * side)
        blocks, log_masses = self.blocks.take(which), -weight * (0.5 * (self.low + self.high) - self._base)
        cells = blocks.in_cells().ends
        table[cells[0] * side + cells[2]] = np.repeat(log_masses[which], blocks.sizes)
        return table.reshape(side, side)

    def log_sums(self, weight: float, side: int) -> Floats:
        """Bounds on the logarithms of the masses of all rows and columns of the grid, shape (2, 2, owners, side).

        By axis, then from below and from above; up to one number for each data set.
        """
        sums = np.empty((2, 2, self.owners * side))
        with np.errstate(under="ignore", divide="ignore"):
            for axis in (0, 1):
                block, place = self.blocks.along(axis)
                place += side * self.owner[block]
                across = self.blocks.sides[1 - axis]
                for total, score in zip(sums[axis], (self.high, self.low), strict=True):
                    values = -weight * (score - self._base)
                    total[:] = np.log(np.bincount(place, (across * np.exp(values))[block], total.size))
                    few = np.flatnonzero((total < _LOG_TINY)[place])  # their sums are formed again, in logarithms
                    some, at, top = block[few], place[few], np.full(total.size, -np.inf)
                    np.maximum.at(top, at, values[some])
                    again = np.bincount(at, across[some] * np.exp(values[some] - top[at]), total.size)
                    total[at] = top[at] + np.log(again[at])
        return sums.reshape(2, 2, self.owners, side)


def frontier_of(every: Sequence[DepthScores], weight: float, slack: float, most: float = np.inf) -> Frontier | None:
    """Blocks in each data set whose greatest masses together exceed the least by at most slack times all of the least.

    every: the scores of the lines of one grid, all in up to 2,000 records or all in more. weight: of a score in the
    exponent, exp(-weight M). slack: above 0. most: None where more blocks than this would have to be looked at.

    Blocks are divided, coarse to fine, where bounds are too far apart; down to single cells, where they agree. In each
    round the blocks with the smallest excesses, together half of what may yet be, are settled. A function of the
    records of each data set, their order aside, and of what is public: of no draw, no other data set, no earlier call.
    """
    grid, owners = every[0].grid, len(every)
    parts, tile = (_PARTS, _TILE) if max(scores.x.size for scores in every) <= _FEW else (2, 1)
    coarse = grid.coarse()
    owner, blocks = np.repeat(np.arange(owners), len(coarse)), Blocks(np.tile(coarse.ends, (1, owners)))
    longest = int(coarse.sides.max())  # a function of the grid and the round, whatever is left of it
    settled, (excess, least), base, looked_at = [], np.zeros((2, owners)), np.full(owners, np.inf), 0
    while (looked_at := looked_at + owner.size) <= most:
        checkpoint()
        low, high = _bounds(every, owner, blocks)
        before, base = base, np.minimum(base, _least_high(every, owner, blocks, low, high))
        with np.errstate(under="ignore", over="ignore"):
            excess, least = (each * np.exp(-weight * (before - base)) for each in (excess, least))
            masses, greatest = (blocks.sizes * np.exp(-weight * (end - base[owner])) for end in (high, low))
        gaps = greatest - masses
        known = np.maximum(least + np.bincount(owner, masses, owners), 1.0)
        left = _beyond(owner, gaps, 0.5 * np.maximum(slack * known - excess, 0.0))
        done = ~left
        settled.append((owner[done], blocks.take(done).ends, low[done], high[done]))
        excess, least = (
            total + np.bincount(owner[done], each[done], owners) for total, each in ((excess, gaps), (least, masses))
        )
        owner, blocks = owner[left], blocks.take(left)
        if longest <= tile or not owner.size:
            if looked_at + blocks.sizes.sum() > most:
                return None
            owner, blocks = np.repeat(owner, blocks.sizes), blocks.in_cells()
            settled.append((owner, blocks.ends, *_bounds(every, owner, blocks)))
            owner, ends, low, high = (np.concatenate(column, axis=-1) for column in zip(*settled, strict=True))
            return Frontier(owner, Blocks(ends), low, high, owners)
        count = min(parts, -(-longest // tile))
        owner, blocks = blocks.divided(count, owner)
        longest = -(-longest // count)
    return None


def _bounds(every: Sequence[DepthScores], owner: Integers, blocks: Blocks) -> Floats:
    """Bounds on the scores of blocks of these data sets, in order, shape (2, m)."""
    edges = np.searchsorted(owner, np.arange(1, len(every)))
    return np.concatenate(bounds_of_all(every, np.split(blocks.ends, edges, axis=1)), axis=1)


def _least_high(every: Sequence[DepthScores], owner: Integers, blocks: Blocks, low: Floats, high: Floats) -> Floats:
    """No more than this is the least score of each data set, as far as these blocks show; infinite without any."""
    least = np.full(len(every), np.inf)
    np.minimum.at(least, owner, high)
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    best = np.array([part[np.argmin(low[part])] for part in np.split(np.arange(owner.size), starts[1:])])
    first, last, left, right = blocks.ends[:, best]
    row, column = (first + last) // 2, (left + right) // 2
    middle = _bounds(every, owner[best], Blocks(np.array([row, row, column, column])))[1]
    least[owner[best]] = np.minimum(least[owner[best]], middle)
    return least


def _beyond(owner: Integers, excess: Floats, allowed: Floats) -> np.ndarray:
    """Which excesses are left where the smallest of each owner that add up to no more than allowed are taken away."""
    count = _PER_DECADE * _DECADES
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        digits = _PER_DECADE * np.log10(np.fmax(excess / allowed[owner], 10.0**-_DECADES))
    rank = np.minimum(digits + count, count).astype(int)
    sums = np.bincount(owner * (count + 1) + rank, excess, allowed.size * (count + 1)).reshape(allowed.size, -1)
    last = np.count_nonzero(np.cumsum(sums, axis=1) <= allowed[:, None], axis=1)
    return (rank >= last[owner]) & (excess > 0)


def nearly_all_matter(scores: DepthScores, weight: float, slack: float) -> bool:
    """Whether hardly any line can have a weight below slack times another's, as scores are between 0 and n."""
    return bool(weight * scores.x.size <= -_HARDLY_ANY * log(slack))


def draw_lines(scores: DepthScores, weight: float, size: int, rng: np.random.Generator) -> Integers:
    """size independent cells i side + j with probability proportional to exp(-weight M), shape (size,).

    By rejection: a block by its greatest mass, a cell of it, which is taken with probability exp(-weight (M - low)).
    So each cell comes with exactly its own weight, whatever the bounds; they only decide how many tries it takes: at
    most two on average.
    """
    frontier = frontier_of([scores], weight, slack=1.0)
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
        excess, unsure = np.zeros(tries), np.flatnonzero(frontier.low[block] < frontier.high[block])
        excess[unsure] = scores.of_cells(numbers[unsure]) - frontier.low[block[unsure]]
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
