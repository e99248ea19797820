"""Lines that matter in a data set, and the exponential mechanism over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, log

import numpy as np

from ..support.run import checkpoint
from ..support.types import Floats, Integers
from .grid import LineGrid
from .scores import DepthScores, Level

_HARDLY_ANY = 1.2  # at 1 no mass is negligible, as scores are at most n; up to 1.2 computing all scores is faster
_LOG_TINY = -690.0  # masses below its exponential have no known sum, as floats end there


@dataclass(frozen=True, eq=False)
class Frontier:
    """Blocks that cover the grid, by their size, with bounds on their scores."""

    grid: LineGrid
    levels: Sequence[Level]

    @cached_property
    def _base(self) -> float:
        """Least bound on any score."""
        return min(float(level.low.min(initial=np.inf)) for level in self.levels)

    def log_mass_table(self, weight: float) -> Floats:
        """Compute the log mass -weight M of every cell, shape (side, side), up to one constant.

        Inside a block M is taken as the mean of its two bounds.
        """
        table = np.empty((1, 1))
        for level in self.levels:
            across = level.blocks.across
            ratio = -(-across // table.shape[0])
            table = table.repeat(ratio, axis=0).repeat(ratio, axis=1)[:across, :across].copy()
            table.ravel()[level.blocks.numbers] = -weight * (
                0.5 * (level.low + level.high) - self._base
            )
        return table

    def log_sums(self, weight: float) -> Floats:
        """Compute bounds on the log masses of all rows and columns of the grid, shape (2, 2, side), up to one constant.

        The first index is 0 for rows and 1 for columns, the second 0 for lower and 1 for upper bounds.
        """
        side, highest = self.grid.side, 0.0
        least, greatest = np.zeros((2, side)), np.full((2, side), side * exp(_LOG_TINY))
        for blocks, low, high, _ in self.levels:
            coordinates, highest = blocks.coordinates, max(highest, float(high.max(initial=0.0)))
            widths = blocks.widths(coordinates)[::-1]
            for total, score in ((least, high), (greatest, low)):
                if total is least or low is not high:  # else the masses are those of before
                    with np.errstate(under="ignore"):
                        masses = np.exp(-weight * (score - self._base))
                    sums = [
                        np.bincount(coordinates[i], masses * widths[i], blocks.across)
                        for i in (0, 1)
                    ]
                total += np.repeat(sums, blocks.factor, axis=1)[:, :side]
        with np.errstate(divide="ignore"):
            lowest = log(side) - 1 - weight * (highest - self._base)  # 1 is more than rounding
            least = np.maximum(np.log(least), lowest)
        return np.stack([least, np.log(greatest)], axis=1)


def frontier_of(
    scores: DepthScores, weight: float, slack: float, most: float = np.inf
) -> Frontier | None:
    """Find blocks whose greatest masses exceed their least, in all, by at most slack times the mass of all cells.

    With any masses between the bounds in the place of the true ones, the chance of no set of lines is off by more than
    slack / (1 - slack): masses that are off by d_i in all slack T or less, of T, shift m(A) / T by ((1 - P(A)) d(A) -
    P(A) d(not A)) / T', where T' >= (1 - slack) T.

    Blocks are divided, coarse to fine, where bounds are too far apart; down to single cells, where they agree. In each
    round the blocks with the smallest excesses, together half of what may yet be, are settled. A function of the
    records, their order aside, and of public numbers: of no draw and no earlier call. Bounds are cached with the
    scores, so that a second weight computes none of them again.

    Parameters
    ----------
    scores : DepthScores
    weight : float
        Factor of the score in the mass exp(-weight M).
    slack : float
        Above 0.
    most : float
        Largest number of blocks of one size to look at. None is returned where more are needed.
    """
    grid, factors = scores.grid, scores.factors
    if grid.side**2 <= most and weight * scores.x.size <= -_HARDLY_ANY * log(slack):
        of_cells = scores.of_all()
        return Frontier(grid, [Level(grid.blocks(1), of_cells, of_cells, np.empty(0))])
    if grid.side**2 > most * factors[0] ** 2:
        return None
    levels, settled, excess, least = scores.levels[:], list[Level](), 0.0, 0.0
    kept = np.ones(levels[0].low.size, dtype=bool)
    for number, factor in enumerate(factors[1:], start=1):
        checkpoint()
        level, index = levels[number - 1], np.flatnonzero(kept)
        sizes = level.blocks.take(index).sizes
        with np.errstate(under="ignore", over="ignore", invalid="ignore"):
            ends = np.exp(
                -weight * (np.array([level.high[index], level.low[index]]) - scores.near_best)
            )
            masses, gaps = (
                sizes * ends[0],
                sizes * (ends[1] - ends[0]),
            )  # infinite or NaN far above the best cell known
            order = np.argsort(gaps)  # with these last
            sums = np.cumsum(gaps[order])
        total = float(np.clip(least + masses.sum(), 1.0, 1e300))
        done = order[: sums.searchsorted(0.5 * max(slack * total - excess, 0.0), side="right")]
        excess, least = excess + float(gaps[done].sum()), least + float(masses[done].sum())
        if sizes.sum() - sizes[done].sum() > most * factor**2:
            return None
        opened, divided = kept.copy(), np.zeros(kept.size, dtype=bool)
        opened[index[done]] = False
        settled.append(level.take(kept & ~opened))
        if number < len(levels):
            divided[levels[number].parent] = True
        if number == len(levels) or (opened & ~divided).any():
            which = np.flatnonzero(opened).astype(np.int32)
            parent, blocks = level.blocks.take(which).divided(factor)
            levels[number:] = [scores.level(blocks, which[parent])]
        kept = opened[levels[number].parent]
    settled.append(levels[-1].take(kept))
    scores.levels[:] = levels
    return Frontier(grid, settled)


def draw_lines(scores: DepthScores, weight: float, size: int, rng: np.random.Generator) -> Integers:
    """Draw `size` independent cells i side + j with probabilities proportional to exp(-weight M), shape (size,).

    By rejection: a block is drawn by its greatest mass, then a cell of it, which is taken with probability
    exp(-weight (M - low)). So every cell comes with exactly its own weight, whatever the bounds. The bounds only decide
    the number of tries: at most two on average.
    """
    frontier = frontier_of(scores, weight, slack=1.0)
    assert frontier is not None
    low, high = (
        np.concatenate([getattr(level, name) for level in frontier.levels])
        for name in ("low", "high")
    )
    ends = np.concatenate([level.blocks.ends for level in frontier.levels], axis=1)
    first, widths = ends[::2], ends[1::2] - ends[::2] + 1
    with np.errstate(under="ignore"):
        cumulated = np.cumsum(widths[0] * widths[1] * np.exp(-weight * (low - low.min())))
    drawn: list[Integers] = []
    while (missing := size - sum(map(len, drawn))) > 0:
        checkpoint()
        tries = int(1.5 * missing) + 8
        block = np.searchsorted(cumulated, rng.random(tries) * cumulated[-1], side="right")
        block = np.minimum(block, cumulated.size - 1)
        rows, columns = first[:, block] + rng.integers(widths[:, block])
        numbers = rows * scores.grid.side + columns
        excess, unsure = np.zeros(tries), np.flatnonzero(low[block] < high[block])
        excess[unsure] = scores.of_cells(numbers[unsure]) - low[block[unsure]]
        drawn.append(numbers[rng.random(tries) < np.exp(-weight * excess)][:missing])
    return np.concatenate(drawn)
