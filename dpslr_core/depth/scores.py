"""Scores of lines: the largest imbalance of residuals on either side of a vertical cut, and bounds for many lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import frexp
from typing import NamedTuple

import numpy as np

from ..support.run import checkpoint
from ..support.types import Floats, Integers
from .grid import Blocks, LineGrid

_HELD = 1 << 17  # residuals formed at a time
_FEW = 2_000  # records at most for which a block is divided into many at once
_WIDE = 150  # lines or blocks from which adding record by record takes less time
_MOST = 8_000  # lines or blocks at a time


class Level(NamedTuple):
    """Blocks of one size in one data set, with bounds on their scores.

    Attributes
    ----------
    blocks : m blocks
    low, high : bounds low <= M <= high on the scores in every block, shape (m,)
    parent : index of the block of the coarser level that holds this block, shape (m,)
    """

    blocks: Blocks
    low: Floats
    high: Floats
    parent: np.ndarray

    def take(self, which: np.ndarray) -> Level:
        """Return the blocks where the mask `which` is true."""
        low, parent = self.low[which], self.parent[which]
        return Level(
            self.blocks.take(which), low, low if self.high is self.low else self.high[which], parent
        )


@dataclass(frozen=True, eq=False)
class DepthScores:
    """Scores M(line) = max over t of |sum over the records of s_i (+1 where x_i <= t, -1 elsewhere)|.

    t is any number or -inf. s_i = clip(r_i / width, -1, 1) with the residual r_i = y_i - p(x_i), or its sign where the
    width is 0.

    Sensitivity 2: s_i is in [-1, 1] and a function of record i and the line alone, so that replacing a record moves one
    term of each sum, by at most 2; a maximum of numbers that move by at most 2 moves by at most 2. The t of a maximum
    are all real numbers, whatever the records; it is attained at -inf or at one of the x_i.

    That holds for the floating-point numbers, too. On the grid r_i / width = a_i - b_i I - c_i J with whole numbers I,
    J up to 2 side. a_i, b_i and c_i are functions of record i, rounded to multiples of 2^-bits, where bits depends on
    n, the width and the grid alone and leaves room for every product and sum below in 53 digits: all are exact, in
    any order. Rounding moves s_i by (2 side + 1) 2^-bits at most. For signs the width is so small, 10^-11 or so, that
    this is less than 1/2, and s_i is rounded to a whole number: residuals within half that width count as 0.

    Attributes
    ----------
    x, y : array, shape (n,), in the unit square
    width : float, in units of y, 0 or more
    grid : LineGrid
    """

    x: Floats
    y: Floats
    width: float
    grid: LineGrid

    @property
    def _reach(self) -> float:
        """Bound on the sum of the terms of any residual and of its range in a block, in units of y."""
        low, high = self.grid.lower, self.grid.upper
        return max(abs(low), abs(1 - low)) + 6 * (high - low)

    @cached_property
    def _signs(self) -> float:
        """Width at and below which residuals count by their signs, in units of y."""
        return self._reach * self.grid.side * 2.0**-48

    @property
    def by_signs(self) -> bool:
        """Whether residuals count by sign alone, because the width is 0 or near the rounding of floats."""
        return self.width <= self._signs

    @property
    def _bits(self) -> int:
        size = 53 - frexp(self._reach / max(self.width, self._signs))[1]
        return size - 1 if self.by_signs else min(size - 1, 52 - self.x.size.bit_length())

    @cached_property
    def _order(self) -> Integers:
        return np.argsort(self.x, kind="stable")

    @cached_property
    def _terms(self) -> Floats:
        """Terms a_i, b_i, c_i, |b_i| and |c_i| of the records in order of x, shape (5, n)."""
        x, y = self.x[self._order], self.y[self._order]
        half, width = self.grid.cell / 2, max(self.width, self._signs)
        terms = np.array([y - self.grid.lower, 2 * (0.75 - x) * half, 2 * (x - 0.25) * half])
        terms = np.rint(terms / width * 2.0**self._bits) / 2.0**self._bits
        return np.concatenate([terms, np.abs(terms[1:])])

    @cached_property
    def _group_ends(self) -> np.ndarray:
        """Whether each record, in order of x, is the last with its x, shape (n,)."""
        x = self.x[self._order]
        return np.append(x[1:] != x[:-1], True)

    def of_cells(self, numbers: Integers) -> Floats:
        """Compute the scores at the centres of the cells with the numbers i side + j, same shape."""
        cells, where = np.unique(numbers, return_inverse=True)
        return self.bounds(Blocks(self.grid.side, 1, cells))[0][where].reshape(numbers.shape)

    @cached_property
    def _of_all(self) -> Floats:
        return self.bounds(self.grid.blocks(1))[0]

    def of_all(self) -> Floats:
        """Return the scores of all cells, row by row, shape (side^2,), computed once; not to be changed."""
        return self._of_all

    @cached_property
    def factors(self) -> list[int]:
        """Widths in cells of the blocks into which a search divides the grid, coarse to fine.

        With few records a block is divided into more blocks at once, as scores are then quick.
        """
        return self.grid.factors(5 if self.x.size <= _FEW else 2)

    @cached_property
    def levels(self) -> list[Level]:
        """Levels of blocks with known bounds, coarse to fine; frontier_of adds the blocks that it divides."""
        blocks = self.grid.blocks(self.factors[0])
        return [self.level(blocks, np.zeros(len(blocks), dtype=np.int32))]

    def level(self, blocks: Blocks, parent: np.ndarray) -> Level:
        """Compute the Level of blocks with the given parents."""
        low, high = self.bounds(blocks)
        return Level(blocks, low, low if blocks.factor == 1 else high, parent)

    @cached_property
    def near_best(self) -> float:
        """Score of a cell that is nearly the best: about the least of all scores."""
        blocks, low = self.levels[0].blocks, self.levels[0].low
        for factor in self.factors[1:]:
            blocks = blocks.take(np.array([np.argmin(low)])).divided(factor)[1]
            low = self.bounds(blocks)[0]
        return float(low.min())

    def bounds(self, blocks: Blocks) -> Floats:
        """Compute lower and upper bounds on the scores of the lines of m blocks, shape (2, m).

        The lines of a block are the centres of its cells and the lines between them.

        With least and greatest s_i of a block, l_i and h_i, the sum lies between K_t - sum h and K_t - sum l, where K_t
        is the sum of l_i + h_i up to t. Sensitivity 2, for either bound: each sum of a maximum has one term in [-1, 1]
        from each record.
        """
        bounds = np.empty((2, len(blocks)))
        for start in range(0, len(blocks), _MOST):
            batch = slice(start, start + _MOST)
            bounds[:, batch] = self._scan(multipliers(blocks.take(batch)))
        return bounds

    def _scan(self, lines: Sequence[Floats]) -> Floats:
        """Compute `bounds` of m blocks from their `multipliers`, shape (2, m)."""
        top, bottom, running, low = np.zeros((4, lines[0].shape[1]))
        step = max(1, _HELD // top.size)
        for start in range(0, self.x.size, step):
            checkpoint()
            rows = slice(start, start + step)
            sums = self._shares(lines[0], rows)
            if len(lines) > 1:
                low += sums.sum(axis=0)
                sums += self._shares(lines[1], rows)
            sums[0] += running
            if top.size < _WIDE:
                np.cumsum(sums, axis=0, out=sums)
            else:
                for before, current in pairwise(sums):
                    current += before
            running = sums[-1].copy()
            sums[~self._group_ends[rows]] = (
                0.0  # no cut lies between equal x; the sum 0 always counts
            )
            np.maximum(top, sums.max(axis=0), out=top)
            np.minimum(bottom, sums.min(axis=0), out=bottom)
        return score_bounds(top, bottom, running, low if len(lines) > 1 else None)

    def _shares(self, lines: Floats, rows: slice) -> Floats:
        """Compute s_i of the records in `rows` for m lines, shape (records, m)."""
        shares = self._terms[: len(lines), rows].T @ lines
        np.clip(shares, -1, 1, out=shares)
        return np.rint(shares, out=shares) if self.by_signs else shares


def score_bounds(top: Floats, bottom: Floats, total: Floats, low: Floats | None) -> Floats:
    """Compute bounds on m scores, shape (2, m), from the largest and least K_t and the sums of l + h and of l.

    For single lines, where l = h, `top`, `bottom` and `total` are those of l, and `low` is None.
    """
    if low is None:
        return np.broadcast_to(np.maximum(2 * top - total, total - 2 * bottom), (2, total.size))
    high = total - low
    return np.array([np.maximum(top - high, low - bottom), np.maximum(top - low, high - bottom)])


def multipliers(blocks: Blocks) -> tuple[Floats, ...]:
    """Compute multipliers, in half cells, of the terms of a record for its least and its greatest s_i in m blocks.

    Two arrays of shape (5, m), or, as single cells have only one s_i, one of shape (3, m). See DepthScores.
    """
    coordinates = blocks.coordinates
    middle = np.ones((3, len(blocks)))
    np.multiply(coordinates, -2.0 * blocks.factor, out=middle[1:])
    widths = blocks.widths(coordinates)
    middle[1:] -= widths
    if blocks.factor == 1:
        return (middle,)
    reach = widths - 1.0
    return np.concatenate([middle, -reach]), np.concatenate([middle, reach])
