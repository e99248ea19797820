"""The lines that matter in each of many data sets, and the masses of all rows and columns of their grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..support.types import Floats, Integers
from .grid import Blocks, Frontier
from .tiles import Tiles

_TINY = 1e-270  # sums of masses below this are formed again, in logarithms


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
