"""Scores of lines: the largest imbalance of residuals on either side of a vertical cut, and bounds for many lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import frexp

import numpy as np

from ..support.types import Floats, Integers
from ..support.work.checkpoint import checkpoint
from .grid import Blocks, LineGrid, distinct

_TILE = 65_536  # numbers held at once, about what a cache close to the processor holds
_BESIDE = 4_096  # blocks of several data sets in one scan
_SIDE_BY_SIDE = 400  # from so many blocks on, one record after another with the blocks side by side

Sums = tuple[Floats, Floats, Floats, Floats | None]  # see _bounds


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
            self._known[new], self._values[new] = True, self._computed(Blocks.of_cells(new, self.grid.side))[0]
        return self._values[numbers]

    def _unknown(self, numbers: Integers) -> Integers:
        """Those of the cells that have not been asked for, each once, in order."""
        return distinct(numbers[~self._known[numbers]], self._known.size)

    def of_all(self) -> Floats:
        """The scores of all cells, row by row, shape (side^2,)."""
        return self.of_cells(np.arange(self._known.size))

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
            lines = Blocks(blocks.ends[:, start : start + _TILE // 8]).multipliers(margin)
            parts.append(_bounds(*(self._beside if lines[0].shape[1] >= _SIDE_BY_SIDE else self._along)(*lines)))
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

    def _by_group(self, *lines: Floats) -> tuple[Floats, Floats]:
        """l + h of the records, or l where that is h, in order of x, shape (n, m), and the sum of all l.

        Those of one x are added up at the last of them. lines: as in _beside.
        """
        shares = [self._limited(self._terms[: len(part)].T @ part) for part in lines]
        low, both = shares[0].sum(axis=0), shares[0] + shares[1] if len(lines) > 1 else shares[0]
        for record in np.flatnonzero(~self._group_ends).tolist():
            both[record + 1] += both[record]
            both[record] = 0.0
        return both, low

    def _limited(self, shares: Floats) -> Floats:
        """r_i / width limited to [-1, 1], or its sign; in place."""
        np.clip(shares, -1, 1, out=shares)
        return np.rint(shares, out=shares) if self.width <= self._signs else shares


def _bounds(top: Floats, bottom: Floats, total: Floats, low: Floats | None) -> Floats:
    """Bounds on the scores, shape (2, m), from the largest and least K_t and the sums of l + h and of l.

    top, bottom, total: of l alone where that is h, and low is None.
    """
    top, bottom, low, high = (2 * top, 2 * bottom, total, total) if low is None else (top, bottom, low, total - low)
    return np.array([np.maximum(top - high, low - bottom), np.maximum(top - low, high - bottom)])


def bounds_of_all(asked: Sequence[tuple[DepthScores, Blocks]]) -> list[tuple[Floats, Floats]]:
    """DepthScores.bounds of blocks of several data sets: the same numbers, as all sums are exact."""
    ranges, cells = [], []
    for scores, blocks in asked:
        single = blocks.sizes == 1
        numbers = blocks.ends[0, single] * scores.grid.side + blocks.ends[2, single]
        ranges.append((scores, blocks.ends[:, ~single]))
        new = scores._unknown(numbers)
        cells.append((scores, Blocks.of_cells(new, scores.grid.side).ends, new, single, numbers))
    for (scores, _, new, *_), known in zip(cells, _computed_of_all([each[:2] for each in cells]), strict=True):
        scores._known[new], scores._values[new] = True, known[0]
    found = []
    for (scores, _, _, single, numbers), known in zip(cells, _computed_of_all(ranges), strict=True):
        low, high = both = np.empty((2, single.size))
        both[:, single], both[:, ~single] = scores._values[numbers], known
        found.append((low, high))
    return found


def _computed_of_all(asked: Sequence[tuple[DepthScores, Integers]]) -> list[Floats]:
    """Bounds for blocks with these ends, shape (2, m) for each data set; those of few records side by side."""
    found = [np.empty((2, 0))] * len(asked)
    few = [i for i, (scores, ends) in enumerate(asked) if 0 < scores.x.size * ends.shape[1] <= _TILE]
    few = sorted(few, key=lambda i: asked[i][0].x.size) if len(few) > 1 else []
    for i in set(range(len(asked))) - set(few):
        found[i] = np.array(asked[i][0]._computed(Blocks(asked[i][1])))
    while few:
        checkpoint()
        blocks = np.cumsum([asked[i][1].shape[1] for i in few])
        count = max(1, int(np.searchsorted(blocks, _BESIDE, side="right")))
        for i, bounds in zip(few[:count], _side_by_side([asked[i] for i in few[:count]]), strict=True):
            found[i] = bounds
        few = few[count:]
    return found


def _side_by_side(asked: Sequence[tuple[DepthScores, Integers]]) -> list[Floats]:
    """_computed_of_all in one scan over the records: all for single cells, or all for larger blocks."""
    parts = [scores._by_group(*Blocks(ends).multipliers(0)) for scores, ends in asked]
    edges = np.cumsum([0, *(len(low) for _, low in parts)]).tolist()
    sums = np.zeros((max(len(both) for both, _ in parts), edges[-1]))
    for (both, _), start, stop in zip(parts, edges, edges[1:], strict=False):
        sums[: len(both), start:stop] = both
    top, bottom, running = np.zeros((3, edges[-1]))
    for row in sums:
        running += row
        np.maximum(top, running, out=top)
        np.minimum(bottom, running, out=bottom)
    low = np.concatenate([low for _, low in parts]) if np.any(Blocks(asked[0][1]).sizes > 1) else None
    return np.split(_bounds(top, bottom, running, low), edges[1:-1], axis=1)
