"""Scores of lines: the largest imbalance of residuals on either side of a vertical cut, and bounds for many lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import frexp

import numpy as np

from ..support.run import checkpoint
from ..support.types import Floats, Integers
from .grid import Blocks, Frontier, LineGrid, distinct
from .side_by_side import Records, bounds_side_by_side, multipliers, score_bounds

_TILE = 65_536  # numbers held at once, about what a cache close to the processor holds
_FEW = 2_000  # records up to which blocks of several data sets are scanned together
_COARSE = "coarse blocks"
_SIDE_BY_SIDE = 400  # from so many blocks on, one record after another with the blocks side by side

Sums = tuple[Floats, Floats, Floats, Floats | None]  # see score_bounds


@dataclass(frozen=True, eq=False)
class DepthScores:
    """M(line) = max over t of |sum over the records of s_i (+1 where x_i <= t, -1 elsewhere)|, t any number or -inf.

    x, y: shape (n,), in the unit square.
    width: s_i = clip(r_i / width, -1, 1) with the residual r_i = y_i - p(x_i); at 0 its sign.
    grid: the lines.

    Sensitivity 2: s_i is in [-1, 1] and a function of record i and the line alone, so that replacing a record moves one
    term of each sum, by at most 2; a maximum of numbers that move by at most 2 moves by at most 2. The t of a maximum
    are all real numbers, whatever the records; it is attained at -inf or at one of the x_i.

    That holds for the floating-point numbers, too. On the grid r_i / width = a_i - b_i I - c_i J with whole numbers I,
    J up to 2 side. a_i, b_i and c_i are functions of record i, rounded to multiples of 2^-bits, where bits depends on
    n, the width and the grid alone and leaves room for every product and sum below in 53 digits: all are exact, in
    any order. Rounding moves s_i by (2 side + 1) 2^-bits at most. For signs the width is so small, 10^-11 or so, that
    this is less than 1/2, and s_i is rounded to a whole number: residuals within half that width count as 0.
    """

    x: Floats
    y: Floats
    width: float
    grid: LineGrid

    @property
    def _reach(self) -> float:
        """More than the sum of the terms of any residual and of its range in a block."""
        low, high = self.grid.lower, self.grid.upper
        return max(abs(low), abs(1 - low)) + 6 * (high - low)

    @cached_property
    def _signs(self) -> float:
        """The width at and below which residuals count by their signs."""
        return self._reach * self.grid.side * 2.0**-48

    @property
    def _bits(self) -> int:
        size = 53 - frexp(self._reach / max(self.width, self._signs))[1]
        return size - 1 if self.width <= self._signs else min(size - 1, 52 - self.x.size.bit_length())

    @cached_property
    def _order(self) -> Integers:
        return np.argsort(self.x, kind="stable")

    @cached_property
    def _terms(self) -> Floats:
        """a_i, b_i, c_i, |b_i| and |c_i| of the records in order of x, shape (5, n)."""
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

    @cached_property
    def records(self) -> Records:
        """What scans over several data sets need of this one."""
        ends = np.flatnonzero(self._group_ends)
        place = np.arange(self.x.size) - np.append(0, ends[:-1] + 1)[np.cumsum(self._group_ends) - self._group_ends]
        tied = [np.flatnonzero(~self._group_ends & (place == i)) for i in range(int(place.max()))]
        return Records(self._terms, self._group_ends, tied, self.width <= self._signs)

    @cached_property
    def _known(self) -> np.ndarray:
        """Which cells have been asked for, shape (side^2,)."""
        return np.zeros(self.grid.side**2, dtype=bool)

    @cached_property
    def _values(self) -> Floats:
        """Their scores; elsewhere anything, in memory that is not even touched."""
        return np.empty(self.grid.side**2)

    def of_cells(self, numbers: Integers) -> Floats:
        """The scores at the centres of cells i side + j, same shape; each is computed once."""
        if (new := self._unknown(numbers)).size:
            self._known[new] = True
            self._values[new] = computed_bounds([(self, Blocks.of_cells(new, self.grid.side).ends)])[0][0]
        return self._values[numbers]

    def _unknown(self, numbers: Integers) -> Integers:
        """Those of the cells that have not been asked for, each once, in order."""
        return distinct(numbers[~self._known[numbers]], self._known.size)

    def of_all(self) -> Floats:
        """The scores of all cells, row by row, shape (side^2,); not to be changed."""
        if not self._known.any():
            self._values[:] = computed_bounds([(self, self.grid.cells().ends)])[0][0]
            self._known[:] = True
        if not self._known.all():
            self.of_cells(np.arange(self._known.size))
        return self._values

    def bounds(self, blocks: Blocks) -> tuple[Floats, Floats]:
        """Numbers that no score of the block is below, and none above; both of shape (m,), equal for single cells."""
        return bounds_of_all([(self, blocks)])[0]

    def least(self, blocks: Blocks) -> Floats:
        """Numbers that the score of no line in the area of the block is below, shape (m,): not of the centres alone.

        Sensitivity 2: with the least and greatest s_i over the area in the place of s_i, each sum of a maximum has one
        term in [-1, 1] from each record.
        """
        return self._computed(blocks, 1)[0]

    def _computed(self, blocks: Blocks, margin: int = 0) -> tuple[Floats, Floats]:
        """As bounds; for lines up to margin half cells beyond the outermost centres.

        With least and greatest s_i of a block, l_i and h_i, the sum lies between K_t - sum h and K_t - sum l, where
        K_t is the sum of l_i + h_i up to t.
        """
        parts = [np.empty((2, 0))]
        for start in range(0, len(blocks), _TILE // 8):  # so few that all numbers stay in the cache
            lines = multipliers(blocks.ends[:, start : start + _TILE // 8], margin)
            parts.append(score_bounds(*(self._beside if lines[0].shape[1] >= _SIDE_BY_SIDE else self._along)(*lines)))
        low, high = np.concatenate(parts, axis=1)
        return low, high

    def _beside(self, *lines: Floats) -> Sums:
        """The largest and least K_t and the sums of l + h and of l; one record after another, blocks side by side.

        lines: multipliers of the terms for the least s_i, and for the greatest where they differ.
        """
        top, bottom, running, low = np.zeros((4, lines[0].shape[1]))
        ends, step = self._group_ends.tolist(), max(1, _TILE // top.size)
        for start in range(0, len(ends), step):
            checkpoint()
            records = slice(start, start + step)
            shares = [self._limited(self._terms[: len(part), records].T @ part) for part in lines]
            if len(lines) > 1:
                low += shares[0].sum(axis=0)
            for each, last in zip(sum(shares[1:], shares[0]), ends[records], strict=True):
                running += each
                if last:
                    np.maximum(top, running, out=top)
                    np.minimum(bottom, running, out=bottom)
        return top, bottom, running, low if len(lines) > 1 else None

    def _along(self, *lines: Floats) -> Sums:
        """As _beside, with running sums over many records at once; for few blocks."""
        top, bottom, running, low = np.zeros((4, lines[0].shape[1]))
        step = max(1, _TILE // top.size)
        for start in range(0, self._group_ends.size, step):
            checkpoint()
            records = slice(start, start + step)
            shares = [self._limited(part.T @ self._terms[: len(part), records]) for part in lines]
            if len(lines) > 1:
                low += shares[0].sum(axis=1)
            sums = sum(shares[1:], shares[0])
            sums[:, 0] += running
            np.cumsum(sums, axis=1, out=sums)
            running = sums[:, -1].copy()
            if not (ends := self._group_ends[records]).all():
                sums = sums[:, ends]
            top = np.maximum(top, sums.max(axis=1, initial=-np.inf))
            bottom = np.minimum(bottom, sums.min(axis=1, initial=np.inf))
        return top, bottom, running, low if len(lines) > 1 else None

    def _limited(self, shares: Floats) -> Floats:
        """r_i / width limited to [-1, 1], or its sign; in place."""
        np.clip(shares, -1, 1, out=shares)
        return np.rint(shares, out=shares) if self.width <= self._signs else shares


def bounds_of_all(asked: Sequence[tuple[DepthScores, Blocks]]) -> list[tuple[Floats, Floats]]:
    """DepthScores.bounds of blocks of several data sets: the same numbers, as all sums are exact."""
    ranges, cells = [], []
    for scores, blocks in asked:
        single = blocks.sizes == 1
        numbers = blocks.ends[0, single] * scores.grid.side + blocks.ends[2, single]
        ranges.append((scores, blocks.ends[:, ~single]))
        new = scores._unknown(numbers)
        cells.append((scores, Blocks.of_cells(new, scores.grid.side).ends, new, single, numbers))
    for (scores, _, new, *_), known in zip(cells, computed_bounds([each[:2] for each in cells]), strict=True):
        scores._known[new], scores._values[new] = True, known[0]
    found = []
    for (scores, _, _, single, numbers), known in zip(cells, computed_bounds(ranges), strict=True):
        low, high = both = np.empty((2, single.size))
        both[:, single], both[:, ~single] = scores._values[numbers], known
        found.append((low, high))
    return found


def computed_bounds(asked: Sequence[tuple[DepthScores, Integers]]) -> list[Floats]:
    """DepthScores.bounds of blocks with these ends, shape (2, m) for each data set; nothing is looked up or stored.

    ends: shape (4, m), or (2, m) for the rows and columns of single cells.
    """
    few = [i for i, (scores, ends) in enumerate(asked) if scores.x.size <= _FEW and ends.size]
    found = [np.empty((2, 0))] * len(asked)
    for i, (scores, ends) in enumerate(asked):
        if scores.x.size > _FEW:
            found[i] = np.array(scores._computed(Blocks(ends if len(ends) == 4 else np.repeat(ends, 2, axis=0))))
    every = bounds_side_by_side([asked[i][0].records for i in few], [asked[i][1] for i in few])
    for i, bounds in zip(few, every, strict=True):
        found[i] = bounds
    return found


def coarse_of_all(every: Sequence[DepthScores]) -> list[Frontier]:
    """The blocks with which a search starts, with their bounds, of each data set; cached with the scores."""
    unknown = [scores for scores in every if _COARSE not in vars(scores)]
    of_grid = {grid: grid.coarse() for grid in {scores.grid for scores in unknown}}
    asked = [(scores, of_grid[scores.grid]) for scores in unknown]
    for (scores, blocks), bounds in zip(asked, bounds_of_all(asked), strict=True):
        vars(scores)[_COARSE] = Frontier(blocks, *bounds)
    return [vars(scores)[_COARSE] for scores in every]
