"""Scores of lines: the largest imbalance of residuals on either side of a vertical cut, and bounds for many lines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import frexp

import numpy as np

from ..support.types import Floats, Integers
from ..support.work.checkpoint import checkpoint
from .grid import Blocks, LineGrid

_TILE = 65_536  # numbers held at once, about what a cache close to the processor holds
_SIDE_BY_SIDE = 400  # from so many blocks on, one record after another with the blocks side by side


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
    def _known(self) -> Floats:
        """The scores of all cells as far as they have been asked for, NaN elsewhere; shape (side^2,)."""
        return np.full(self.grid.side**2, np.nan)

    def of_cells(self, numbers: Integers) -> Floats:
        """The scores at the centres of cells i side + j, same shape; each is computed once."""
        missing = np.isnan(self._known[numbers])
        wanted = np.zeros(self._known.size if missing.any() else 0, dtype=bool)
        wanted[numbers[missing]] = True
        new = np.flatnonzero(wanted)
        if new.size:
            self._known[new] = self._computed(Blocks.of_cells(new, self.grid.side))[0]
        return self._known[numbers]

    def of_all(self) -> Floats:
        """The scores of all cells, row by row, shape (side^2,)."""
        missing = np.flatnonzero(np.isnan(self._known))
        if missing.size:
            self._known[missing] = self._computed(Blocks.of_cells(missing, self.grid.side))[0]
        return self._known

    @cached_property
    def coarse(self) -> tuple[Blocks, Floats, Floats]:
        """The blocks with which every search starts, and their bounds."""
        blocks = self.grid.coarse()
        return blocks, *self.bounds(blocks)

    def bounds(self, blocks: Blocks) -> tuple[Floats, Floats]:
        """Numbers that no score of the block is below, and none above; both of shape (m,), equal for single cells."""
        low, high, single = np.empty(len(blocks)), np.empty(len(blocks)), blocks.sizes == 1
        cells = blocks.ends[:, single]
        low[single] = high[single] = self.of_cells(cells[0] * self.grid.side + cells[2])
        low[~single], high[~single] = self._computed(blocks.take(~single))
        return low, high

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
        tiles = range(0, len(blocks), _TILE // 8)
        parts = [self._of_tile(blocks.ends[:, start : start + _TILE // 8], margin) for start in tiles]
        low, high = np.concatenate(parts, axis=1) if parts else np.empty((2, 0))
        return low, high

    def _of_tile(self, ends: Integers, margin: int) -> Floats:
        """As bounds, for so few blocks that all numbers stay in the cache; shape (2, m)."""
        first, last, left, right = ends.astype(float)
        middle = [np.ones(first.size), -(first + last + 1), -(left + right + 1)]
        reach = [last - first + margin, right - left + margin]
        least, greatest = np.array([*middle, *(-part for part in reach)]), np.array([*middle, *reach])
        both = (least, greatest) if np.any(reach) else (least[:3],)
        scan = self._beside if first.size >= _SIDE_BY_SIDE else self._along
        top, bottom, low, high = scan(*both)
        return np.array([np.maximum(top - high, low - bottom), np.maximum(top - low, high - bottom)])

    def _beside(self, *lines: Floats) -> Floats:
        """The largest and least K_t, sum l and sum h, shape (4, m); one record after another, blocks side by side.

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
        return _summary(top, bottom, running, low if len(lines) > 1 else None)

    def _along(self, *lines: Floats) -> Floats:
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
        return _summary(top, bottom, running, low if len(lines) > 1 else None)

    def _limited(self, shares: Floats) -> Floats:
        """r_i / width limited to [-1, 1], or its sign; in place."""
        np.clip(shares, -1, 1, out=shares)
        return np.rint(shares, out=shares) if self.width <= self._signs else shares


def _summary(top: Floats, bottom: Floats, total: Floats, low: Floats | None) -> Floats:
    """The largest and least K_t, sum l and sum h, shape (4, m).

    top, bottom, total: of l + h; of l alone where that is h, and low, the sum of l, is None.
    """
    if low is None:
        return np.array([2 * top, 2 * bottom, total, total])
    return np.array([top, bottom, low, total - low])
