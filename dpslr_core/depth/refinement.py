"""One refinement of blocks for many data sets at once, down to the lines that matter in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..support.run import checkpoint
from ..support.types import Floats, Integers
from .frontiers import Bounded, Frontiers
from .grid import Blocks
from .scores import DepthScores, coarse_of_all, computed_bounds
from .tiles import Tiles

_PARTS, _TILE = 5, 5  # in how many parts sides are divided at most, and of how many cells the scores are all computed
_PER_DECADE, _DECADES = 4, 16  # how finely excesses are told apart in adding up the smallest ones, and how far down


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
    return np.concatenate(computed_bounds(list(zip(every, np.split(blocks.ends, edges, axis=1), strict=True))), axis=1)


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
    bounds = computed_bounds(list(zip(every, np.split(cells, edges, axis=1), strict=True)))
    return np.concatenate([each[0] for each in bounds]).reshape(tiles.scores.shape)


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
