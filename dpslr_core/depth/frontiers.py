"""The lines that matter in each of many data sets, by one refinement of blocks, and the masses of rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..support.run import checkpoint
from ..support.types import Floats, Integers
from .grid import Blocks, Frontier
from .scores import DepthScores, bounds_of_all, coarse_of_all

_TINY = 1e-270  # sums of masses below this are formed again, in logarithms
_PARTS, _TILE = 5, 5  # in how many parts sides are divided at most, and of how many cells the scores are all computed
_PER_DECADE, _DECADES = 4, 16  # how finely excesses are told apart in adding up the smallest ones, and how far down


class Tiles(NamedTuple):
    """Blocks of one shape and the scores of their cells.

    owner: the number of the data set, shape (m,). first, left: row and column of the first cell, shape (m,).
    scores: shape (m, rows, columns).
    """

    owner: Integers
    first: Integers
    left: Integers
    scores: Floats

    def take(self, which: Integers) -> Tiles:
        """The tiles with these numbers."""
        return Tiles(self.owner[which], self.first[which], self.left[which], self.scores[which])

    def places(self, axis: int) -> Integers:
        """The rows of the grid that the tiles reach (axis 0), or the columns; shape (m, rows or columns)."""
        return (self.left if axis else self.first)[:, None] + np.arange(self.scores.shape[1 + axis])

    def cells(self) -> Integers:
        """The rows and columns of all cells, shape (2, cells), in the order of scores.ravel()."""
        shape = self.scores.shape
        rows, columns = self.places(0)[:, :, None], self.places(1)[:, None]
        return np.array([np.broadcast_to(each, shape).ravel() for each in (rows, columns)])


class Bounded(NamedTuple):
    """Blocks of several data sets, and bounds on the scores of the lines in each.

    owner: the number of the data set, shape (m,); low <= M <= high: shape (m,).
    """

    owner: Integers
    blocks: Blocks
    low: Floats
    high: Floats

    def take(self, which: Integers) -> Bounded:
        """The blocks with these numbers."""
        return Bounded(self.owner[which], self.blocks.take(which), self.low[which], self.high[which])


@dataclass(frozen=True, eq=False)
class Frontiers:
    """Blocks that cover the grid in each of several data sets: with bounds, or with the scores of all their cells."""

    bounded: Bounded
    tiles: Sequence[Tiles]
    owners: int

    def of(self, number: int) -> Frontier:
        """Those of one data set."""
        _, blocks, low, high = self.bounded.take(np.flatnonzero(self.bounded.owner == number))
        tiles = [each.take(np.flatnonzero(each.owner == number)) for each in self.tiles]
        scores = [each.scores.ravel() for each in tiles]
        ends = [blocks.ends, *(np.repeat(each.cells(), 2, axis=0) for each in tiles)]
        return Frontier(
            Blocks(np.concatenate(ends, axis=1)), np.concatenate([low, *scores]), np.concatenate([high, *scores])
        )

    @cached_property
    def _base(self) -> Floats:
        """The least bound of each data set, shape (owners,)."""
        base = np.full(self.owners, np.inf)
        np.minimum.at(base, self.bounded.owner, self.bounded.low)
        for tiles in self.tiles:
            np.minimum.at(base, tiles.owner, tiles.scores.min(axis=(1, 2)))
        return base

    def log_sums(self, weight: float, side: int) -> Floats:
        """Frontier.log_sums of all data sets, both for rows and for columns, shape (2, owners, side)."""
        owner, blocks, low, high = self.bounded
        values = -weight * (0.5 * (low + high) - self._base[owner])
        of_tiles = [-weight * (tiles.scores - self._base[tiles.owner][:, None, None]) for tiles in self.tiles]
        with np.errstate(under="ignore"):
            masses, masses_of_tiles = np.exp(values), [np.exp(each) for each in of_tiles]
        logs = []
        for axis in (0, 1):
            start, places = (
                blocks.ends[2 * axis] + side * owner,
                [self._places(each, axis, side) for each in self.tiles],
            )
            sums = _spread(start, blocks.sides[axis], blocks.sides[1 - axis] * masses, side * self.owners)
            for where, mass in zip(places, masses_of_tiles, strict=True):
                sums += np.bincount(where.ravel(), mass.sum(axis=2 - axis).ravel(), sums.size)
            with np.errstate(divide="ignore"):
                logs.append(np.log(sums))
            if (few := sums < _TINY).any():
                parts = [_rows(start, blocks, axis, values, few)]
                parts += [_cells(where, each, axis, few) for where, each in zip(places, of_tiles, strict=True)]
                _form_again(logs[axis], *(np.concatenate(column) for column in zip(*parts, strict=True)))
        return np.array(logs).reshape(2, self.owners, side)

    @staticmethod
    def _places(tiles: Tiles, axis: int, side: int) -> Integers:
        """The rows or columns that tiles reach, of all data sets one after another."""
        return tiles.places(axis) + side * tiles.owner[:, None]


def _spread(start: Integers, lengths: Integers, masses: Floats, size: int) -> Floats:
    """The sums of masses that are each in so many places, from a start on; shape (size,)."""
    sums = np.zeros(size)
    for length in np.unique(lengths).tolist():
        which = np.flatnonzero(lengths == length)
        begun = np.bincount(start[which], masses[which], size)
        for further in range(length):
            sums[further:] += begun[: size - further]
    return sums


def _rows(
    start: Integers, blocks: Blocks, axis: int, values: Floats, few: np.ndarray
) -> tuple[Integers, Integers, Floats]:
    """(place, cells, value) of blocks in those of their rows or columns that are few; start: the first of each."""
    before = np.append(0, np.cumsum(few))
    some = np.flatnonzero(before[start + blocks.sides[axis]] > before[start])
    block, place = blocks.take(some).along(axis)
    block = some[block]
    place += (start - blocks.ends[2 * axis])[block]
    chosen = np.flatnonzero(few[place])
    return place[chosen], blocks.sides[1 - axis][block[chosen]], values[block[chosen]]


def _cells(places: Integers, values: Floats, axis: int, few: np.ndarray) -> tuple[Integers, Integers, Floats]:
    """(place, 1, value) of the cells of tiles in these few rows or columns."""
    tile, part = np.nonzero(few[places])
    chosen = values[tile, part] if axis == 0 else values[tile, :, part]
    place = np.repeat(places[tile, part], chosen.shape[1])
    return place, np.ones_like(place), chosen.ravel()


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
    refinement, bounded = _Refinement.of(len(every), weight, slack), _coarse(every)
    while True:
        checkpoint()
        owner, blocks = refinement.left(bounded, _least_high(every, bounded))
        longest = int(blocks.sides.max(initial=1))
        if longest <= _TILE:
            return Frontiers(refinement.all_settled(), _tiles(every, owner, blocks), len(every))
        owner, blocks = blocks.divided(min(_PARTS, -(-longest // _TILE)), owner)
        bounded = Bounded(owner, blocks, *_bounds(every, owner, blocks))


def _coarse(every: Sequence[DepthScores]) -> Bounded:
    """The blocks with which every search starts."""
    found = coarse_of_all(every)
    owner = np.repeat(np.arange(len(every)), len(found[0].blocks))
    ends = np.concatenate([each.blocks.ends for each in found], axis=1)
    return Bounded(owner, Blocks(ends), *(np.concatenate([getattr(f, end) for f in found]) for end in ("low", "high")))


def _bounds(every: Sequence[DepthScores], owner: Integers, blocks: Blocks) -> Floats:
    """Bounds on the scores of blocks of these data sets, in order, shape (2, m)."""
    edges = np.searchsorted(owner, np.arange(1, len(every)))
    return np.concatenate(bounds_of_all(every, np.split(blocks.ends, edges, axis=1)), axis=1)


def _least_high(every: Sequence[DepthScores], bounded: Bounded) -> Floats:
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


def _tiles(every: Sequence[DepthScores], owner: Integers, blocks: Blocks) -> list[Tiles]:
    """Blocks of these data sets, in order, with the scores of their cells; one entry for each shape."""
    tiles = []
    longest = int(blocks.sides.max(initial=1)) + 1
    code = blocks.sides[0] * longest + blocks.sides[1]
    for shape in np.unique(code).tolist():
        which = np.flatnonzero(code == shape)
        rows, columns = divmod(shape, longest)
        first, _, left, _ = blocks.ends[:, which]
        unknown = Tiles(owner[which], first, left, np.empty((which.size, rows, columns)))
        tiles.append(unknown._replace(scores=_scores(every, unknown)))
    return tiles


def _scores(every: Sequence[DepthScores], tiles: Tiles) -> Floats:
    """The scores of the cells of tiles; same shape as tiles.scores."""
    cells, size = tiles.cells(), tiles.scores[0].size
    edges = size * np.searchsorted(tiles.owner, np.arange(1, len(every)))
    bounds = bounds_of_all(every, np.split(cells, edges, axis=1))
    return np.concatenate([each[0] for each in bounds]).reshape(tiles.scores.shape)


@dataclass
class _Refinement:
    """Masses of the settled blocks of each of several data sets, relative to that of a line with the score base.

    excess: by how much the greatest masses of settled blocks exceed the least. least: what the latter add up to. These
    and base have the shape (data sets,).
    """

    weight: float
    slack: float
    excess: Floats
    least: Floats
    base: Floats
    settled: list[tuple[Integers, Integers, Floats, Floats]]

    @classmethod
    def of(cls, owners: int, weight: float, slack: float) -> _Refinement:
        """One of which nothing is settled yet."""
        zeros = np.zeros(owners)
        return cls(weight, slack, zeros, zeros, np.full(owners, np.inf), [])

    def all_settled(self) -> Bounded:
        """All that is settled."""
        owner, ends, *bounds = (np.concatenate(column, axis=-1) for column in zip(*self.settled, strict=True))
        return Bounded(owner, Blocks(ends), *bounds)

    def left(self, bounded: Bounded, base: Floats) -> tuple[Integers, Blocks]:
        """Settle the blocks with the smallest excesses, together half of what may yet be; the others, with owners."""
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
        others = np.flatnonzero(left)
        return owner[others], bounded.blocks.take(others)

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
