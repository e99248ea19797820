"""Scores of lines: the largest imbalance of residuals on either side of a vertical cut, and bounds for many lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import frexp
from typing import NamedTuple

import numpy as np

from ..support.run import checkpoint
from ..support.types import Floats, Integers
from .grid import Blocks, LineGrid

_HELD = 1 << 17  # residuals formed at a time
_FEW, _WIDE, _MOST = 250, 1_000, 6_000  # blocks: scanned with those of others; record by record; and at a time


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
    def by_signs(self) -> bool:
        """Whether residuals count by their signs."""
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

    def of_cells(self, numbers: Integers) -> Floats:
        """The scores at the centres of cells i side + j, same shape."""
        cells, where = np.unique(numbers, return_inverse=True)
        bounds = bounds_of_all([self], [Blocks.of_cells(cells, self.grid.side).ends[::2]])[0]
        return bounds[0][where].reshape(numbers.shape)

    @cached_property
    def _of_all(self) -> Floats:
        return bounds_of_all([self], [self.grid.cells().ends[::2]])[0][0]

    def of_all(self) -> Floats:
        """The scores of all cells, row by row, shape (side^2,), computed once; not to be changed."""
        return self._of_all

    def least(self, blocks: Blocks) -> Floats:
        """Numbers that the score of no line in the area of the block is below, shape (m,): not of the centres alone.

        Sensitivity 2: with the least and greatest s_i over the area in the place of s_i, each sum of a maximum has one
        term in [-1, 1] from each record.
        """
        return np.asarray(bounds_of_all([self], [blocks.ends], margin=1)[0][0])


def bounds_of_all(every: Sequence[DepthScores], ends: Sequence[Integers], margin: int = 0) -> list[Floats]:
    """Bounds on the scores of blocks of each data set, shapes (2, m): the numbers of each alone, as all sums are exact.

    ends: of the blocks, shape (4, m) for each data set, or (2, m) for the rows and columns of single cells. margin: how
    many half cells beyond the outermost centres the lines may be. All residuals count in the same way.

    Records of several data sets with few blocks stand side by side in one table, those of similar n together.
    With least and greatest s_i of a block, l_i and h_i, the sum lies between K_t - sum h and K_t - sum l, where K_t is
    the sum of l_i + h_i up to t.
    """
    found = [np.empty((2, each.shape[1])) for each in ends]
    few: list[Part] = []
    for i in sorted(range(len(every)), key=lambda i: every[i].x.size):
        for start in range(0, ends[i].shape[1], _MOST):
            part = Part(every[i], i, start, min(start + _MOST, ends[i].shape[1]))
            if part.blocks > _FEW:
                _fill(found, ends, [part], margin)
                continue
            if sum(each.blocks for each in few) + part.blocks > _WIDE:
                _fill(found, ends, few, margin)
                few = []
            few.append(part)
    if few:
        _fill(found, ends, few, margin)
    return found


class Part(NamedTuple):
    """Some blocks of one data set: its scores and its number, the first block, and the one after the last."""

    scores: DepthScores
    number: int
    start: int
    stop: int

    @property
    def blocks(self) -> int:
        return self.stop - self.start


def _fill(found: Sequence[Floats], ends: Sequence[Integers], table: Sequence[Part], margin: int) -> None:
    """Put the bounds of the blocks of a table into found."""
    lines = multipliers(
        np.concatenate([ends[part.number][:, part.start : part.stop] for part in table], axis=1), margin
    )
    bounds, first = _scan(table, lines), 0
    for part in table:
        found[part.number][:, part.start : part.stop] = bounds[:, first : first + part.blocks]
        first += part.blocks


def _scan(table: Sequence[Part], lines: Sequence[Floats]) -> Floats:
    """Bounds for the blocks of each part, one part after another, shape (2, m).

    lines: multipliers of the terms for the least s_i, and for the greatest where they differ.
    """
    top, bottom, running, low = np.zeros((4, lines[0].shape[1]))
    step = max(1, _HELD // top.size)
    for start in range(0, max(part.scores.x.size for part in table), step):
        checkpoint()
        rows = slice(start, start + step)
        sums = _shares(table, lines[0], rows)
        if len(lines) > 1:
            low += sums.sum(axis=0)
            sums += _shares(table, lines[1], rows)
        if top.size > _WIDE:  # of one data set
            for share, last in zip(sums, table[0].scores._group_ends[rows].tolist(), strict=True):
                running += share
                if last:
                    np.maximum(top, running, out=top)
                    np.minimum(bottom, running, out=bottom)
            continue
        sums[0] += running
        np.cumsum(sums, axis=0, out=sums)
        running = sums[-1].copy()
        first = 0
        for part in table:
            if (tied := np.flatnonzero(~part.scores._group_ends[rows])).size:  # no sum ends there; 0 counts anyway
                sums[tied, first : first + part.blocks] = 0.0
            first += part.blocks
        np.maximum(top, sums.max(axis=0), out=top)
        np.minimum(bottom, sums.min(axis=0), out=bottom)
    return score_bounds(top, bottom, running, low if len(lines) > 1 else None)


def _shares(table: Sequence[Part], lines: Floats, rows: slice) -> Floats:
    """s_i of these records of each part, for its own lines, parts side by side; 0 where there is no record."""
    longest = len(table[-1].scores._group_ends[rows])  # parts are in order of n
    shares, first = np.empty((longest, lines.shape[1])), 0
    for part in table:
        terms, columns = part.scores._terms[: len(lines), rows], slice(first, first + part.blocks)
        np.matmul(terms.T, lines[:, columns], out=shares[: terms.shape[1], columns])
        shares[terms.shape[1] :, columns] = 0.0
        first += part.blocks
    np.clip(shares, -1, 1, out=shares)
    return np.rint(shares, out=shares) if table[0].scores.by_signs else shares


def score_bounds(top: Floats, bottom: Floats, total: Floats, low: Floats | None) -> Floats:
    """Bounds on the scores, shape (2, m), from the largest and least K_t and the sums of l + h and of l.

    top, bottom, total: of l alone where that is h, and low is None.
    """
    if low is None:
        return np.broadcast_to(np.maximum(2 * top - total, total - 2 * bottom), (2, total.size))
    high = total - low
    return np.array([np.maximum(top - high, low - bottom), np.maximum(top - low, high - bottom)])


def multipliers(ends: Integers, margin: int = 0) -> tuple[Floats, ...]:
    """Multipliers of the terms of a record for its least s_i in a block, and for its greatest where that differs.

    ends: of the blocks, shape (4, m), or (2, m) for single cells. The result is in half cells, see DepthScores: shapes
    (5, m), or (3, m) alone for single cells. margin: how many half cells beyond the outermost centres the lines may be.
    """
    if len(ends) == 2:
        return (np.concatenate([np.ones((1, ends.shape[1])), -2.0 * ends - 1]),)
    first, last, left, right = ends.astype(float)
    middle = [np.ones(first.size), -(first + last + 1), -(left + right + 1)]
    reach = [last - first + margin, right - left + margin]
    if not np.any(reach):
        return (np.array(middle),)
    return np.array([*middle, *(-part for part in reach)]), np.array([*middle, *reach])
