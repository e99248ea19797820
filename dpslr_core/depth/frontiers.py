"""The lines that matter in each of many data sets: one refinement for all, off which laws are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..support.types import Floats, Integers
from ..support.work.checkpoint import checkpoint
from .grid import Blocks, Frontier
from .scores import DepthScores, computed_bounds

_THIRDS, _HALVES = 16, 5  # sides above which blocks are divided in three, and in two; smaller ones into cells
_PER_DECADE, _DECADES = 4, 16  # how finely excesses are told apart in adding up the smallest ones, and how far down
_TINY = 1e-270  # sums of masses below this are formed again, in logarithms


class Frontiers(NamedTuple):
    """Blocks that cover the grid in each of several data sets, and bounds on the scores of the lines in each.

    owner: the number of the data set, shape (m,); low <= M <= high: shape (m,).
    """

    owner: Integers
    blocks: Blocks
    low: Floats
    high: Floats

    def take(self, which: Integers) -> Frontiers:
        """The blocks with these numbers."""
        return Frontiers(self.owner[which], self.blocks.take(which), self.low[which], self.high[which])

    def of(self, number: int) -> Frontier:
        """Those of one data set."""
        return Frontier(*self.take(np.flatnonzero(self.owner == number))[1:])

    def log_sums(self, weight: float, side: int, owners: int) -> Floats:
        """Frontier.log_sums of so many data sets, both for rows and for columns, shape (2, owners, side)."""
        base = np.full(owners, np.inf)
        np.minimum.at(base, self.owner, self.low)
        values = -weight * (0.5 * (self.low + self.high) - base[self.owner])
        with np.errstate(under="ignore"):
            masses = np.exp(values)
        cells = self.blocks.sizes == 1
        larger, cells = np.flatnonzero(~cells), np.flatnonzero(cells)
        some, logs = self.blocks.take(larger), []
        for axis in (0, 1):
            part, place = some.along(axis)
            block, across = larger[part], some.sides[1 - axis][part]
            place += side * self.owner[block]
            of_cells = self.blocks.ends[2 * axis].take(cells) + side * self.owner[cells]
            with np.errstate(under="ignore", divide="ignore"):
                sums = np.bincount(of_cells, masses[cells], side * owners)
                sums += np.bincount(place, across * masses[block], side * owners)
                logs.append(np.log(sums))
                if (sums < _TINY).any():
                    place, across = np.append(of_cells, place), np.append(np.ones(cells.size), across)
                    few = np.flatnonzero((sums < _TINY)[place])
                    _form_again(logs[axis], place[few], across[few], values[np.append(cells, block)[few]])
        return np.array(logs).reshape(2, owners, side)


def _form_again(logs: Floats, place: Integers, across: Floats, values: Floats) -> None:
    """Put log sum across exp(values) in these places of logs, whatever the size of the values."""
    top = np.full(logs.size, -np.inf)
    np.maximum.at(top, place, values)
    sums = np.bincount(place, across * np.exp(values - top[place]), logs.size)
    logs[place] = top[place] + np.log(sums[place])


def frontiers_of_all(every: Sequence[DepthScores], weight: float, slack: float) -> Frontiers:
    """Blocks in each data set whose greatest masses together exceed the least by at most slack times all of the least.

    As refined, in fewer and larger steps for all data sets at once: the scores are those of one grid of lines. What is
    found in a data set depends on no other one.
    """
    coarse, owners = every[0].grid.coarse(), np.arange(len(every))
    owner, blocks = np.repeat(owners, len(coarse)), Blocks(np.tile(coarse.ends, len(every)))
    zeros = np.zeros(owners.size)
    refinement = _Refinement(weight, slack, zeros, zeros, np.full(owners.size, np.inf), [])
    while owner.size:
        checkpoint()
        bounded = Frontiers(owner, blocks, *_bounds(every, owner, blocks))
        left = refinement.left(bounded, _least_high(every, bounded))
        owner, blocks = _divided(owner[left], blocks.take(left))
    owner, ends, *bounds = (np.concatenate(column, axis=-1) for column in zip(*refinement.settled, strict=True))
    return Frontiers(owner, Blocks(ends), *bounds)


def _bounds(every: Sequence[DepthScores], owner: Integers, blocks: Blocks) -> Floats:
    """Bounds on the scores of blocks of these data sets, in order, shape (2, m)."""
    edges = np.searchsorted(owner, np.arange(1, len(every)))
    return np.concatenate(computed_bounds(list(zip(every, np.split(blocks.ends, edges, axis=1), strict=True))), axis=1)


def _least_high(every: Sequence[DepthScores], bounded: Frontiers) -> Floats:
    """No more than this is the least score of each data set, as far as these blocks show; infinite without any."""
    least = np.full(len(every), np.inf)
    np.minimum.at(least, bounded.owner, bounded.high)
    starts = np.flatnonzero(np.diff(bounded.owner, prepend=-1))
    ends = [*starts[1:].tolist(), bounded.owner.size]
    best = np.array([start + np.argmin(bounded.low[start:end]) for start, end in zip(starts, ends, strict=True)])
    first, last, left, right = bounded.blocks.ends[:, best]
    row, column = (first + last) // 2, (left + right) // 2
    owner = bounded.owner[best]
    middle = _bounds(every, owner, Blocks(np.array([row, row, column, column])))[1]
    least[owner] = np.minimum(least[owner], middle)
    return least


def _divided(owner: Integers, blocks: Blocks) -> tuple[Integers, Blocks]:
    """The blocks in parts, with their owners."""
    longest = int(blocks.sides.max(initial=1))
    if longest <= _HALVES:
        return np.repeat(owner, blocks.sizes), blocks.in_cells()
    return blocks.divided(3 if longest > _THIRDS else 2, owner)


@dataclass
class _Refinement:
    """What is settled so far, of each of several data sets; masses are relative to that of a line with the score base.

    excess: by how much the greatest masses of settled blocks exceed the least. least: what the latter add up to. These
    and base have the shape (data sets,).
    """

    weight: float
    slack: float
    excess: Floats
    least: Floats
    base: Floats
    settled: list[tuple[Integers, Integers, Floats, Floats]]

    def left(self, bounded: Frontiers, base: Floats) -> Integers:
        """Settle the blocks with the smallest excesses, together half of what may yet be; the numbers of the others."""
        owner, sizes, owners = bounded.owner, bounded.blocks.sizes, self.base.size
        self._count_from(np.minimum(self.base, base))
        with np.errstate(under="ignore", over="ignore"):
            least, greatest = (
                sizes * np.exp(-self.weight * (end - self.base[owner])) for end in (bounded.high, bounded.low)
            )
        excess = np.subtract(greatest, least)
        known = np.maximum(self.least + np.bincount(owner, least, owners), 1.0)
        left = _beyond(owner, excess, 0.5 * np.maximum(self.slack * known - self.excess, 0.0))
        settled = np.flatnonzero(~left)
        done = bounded.take(settled) if settled.size < owner.size else bounded
        self.settled.append((done.owner, done.blocks.ends, done.low, done.high))
        self.excess = self.excess + np.bincount(done.owner, excess[settled], owners)
        self.least = self.least + np.bincount(done.owner, least[settled], owners)
        return np.flatnonzero(left)

    def _count_from(self, base: Floats) -> None:
        """Count masses from a line with this score, which is no higher."""
        with np.errstate(invalid="ignore", under="ignore"):
            factor = np.exp(-self.weight * (self.base - base))
        self.excess, self.least = (np.where(each > 0, each * factor, 0.0) for each in (self.excess, self.least))
        self.base = base


def _beyond(owner: Integers, excess: Floats, allowed: Floats) -> np.ndarray:
    """Which excesses are left where the smallest of each owner that add up to no more than allowed are taken away."""
    count = _PER_DECADE * _DECADES
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        digits = _PER_DECADE * np.log10(np.fmax(excess / allowed[owner], 10.0**-_DECADES))
    rank = np.minimum(digits + count, count).astype(int)
    sums = np.bincount(owner * (count + 1) + rank, excess, allowed.size * (count + 1)).reshape(allowed.size, -1)
    last = np.count_nonzero(np.cumsum(sums, axis=1) <= allowed[:, None], axis=1)
    return (rank >= last[owner]) & (excess > 0)
