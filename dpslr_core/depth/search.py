"""The exponential mechanism over the lines of a grid, without the scores of lines that do not matter."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from math import log

import numpy as np

from ..support.run import checkpoint
from ..support.types import Floats, Integers
from .grid import Blocks, Frontier
from .scores import DepthScores, bounds_of_all, coarse_of_all

_HARDLY_ANY = 1.2  # at 1 no weight can be so small, and up to 1.2 looking for those that are takes longer
_MANY, _SMALL = 1000, 64  # so many blocks, of no more cells than that, are divided into cells at once

Bounds = tuple[Floats, Floats]


def refined(scores: DepthScores, weight: float, slack: float, most: float = np.inf) -> Frontier | None:
    """Blocks whose greatest masses together exceed the least by at most slack times all of the least.

    weight: of a score in the exponent, exp(-weight M).
    slack: above 0. Blocks are halved where bounds are too far apart; down to single cells, where they agree. Where
    hardly any weight can be below slack times another, as scores are between 0 and n, all cells are looked at.
    most: None where more blocks than this would have to be looked at.

    A function of the records, their order aside, and of what is public: of no draw and no earlier call.
    """
    return refined_of_all([scores], weight, slack, [most])[0]


def nearly_all_matter(scores: DepthScores, weight: float, slack: float) -> bool:
    """Whether hardly any line can have a weight below slack times another's, as scores are between 0 and n."""
    return bool(weight * scores.x.size <= -_HARDLY_ANY * log(slack))


def refined_of_all(
    every: Sequence[DepthScores], weight: float, slack: float, most: Sequence[float]
) -> list[Frontier | None]:
    """refined for each data set, with bounds for all of them computed together."""
    searches = [_search(*each, weight, slack) for each in zip(every, coarse_of_all(every), most, strict=True)]
    found: list[Frontier | None] = [None] * len(searches)
    answers: dict[int, Bounds | None] = dict.fromkeys(range(len(searches)))
    while answers:
        asked = dict[int, Blocks]()
        for i, answer in answers.items():
            try:
                asked[i] = searches[i].send(answer)
            except StopIteration as end:
                found[i] = end.value
        bounds = bounds_of_all([(every[i], blocks) for i, blocks in asked.items()])
        answers = dict(zip(asked, bounds, strict=True))
    return found


def _search(
    scores: DepthScores, frontier: Frontier, most: float, weight: float, slack: float
) -> Generator[Blocks, Bounds | None, Frontier | None]:
    """refined from these coarse blocks, step by step: yields blocks and is sent their bounds."""
    if nearly_all_matter(scores, weight, slack):
        return Frontier(scores.grid.cells(), *[scores.of_all()] * 2) if scores.grid.side**2 <= most else None
    looked_at = len(frontier.blocks)
    while looked_at <= most:
        checkpoint()
        least, greatest = frontier.masses(weight)
        split = _largest_gaps(greatest - least, slack * least.sum())
        if split.size == 0:
            return frontier
        kept = np.ones(least.size, dtype=bool)
        kept[split] = False
        parts = _divided(frontier.blocks.take(split))
        looked_at += len(parts)
        if looked_at <= most:
            bounds = yield parts
            assert bounds is not None
            settled = Frontier(frontier.blocks.take(kept), frontier.low[kept], frontier.high[kept])
            frontier = _joined(settled, Frontier(parts, *bounds))
    return None


def _divided(blocks: Blocks) -> Blocks:
    """The blocks halved; small ones, where they are many, in cells: most of these would be looked at all the same."""
    small = blocks.sizes <= _SMALL
    if np.count_nonzero(small) < _MANY:
        return blocks.halved()
    return blocks.take(~small).halved().joined(blocks.take(small).in_cells())


def _largest_gaps(gaps: Floats, allowed: float) -> Integers:
    """The numbers of the fewest gaps without which half of what is allowed remains; none where all are allowed."""
    if gaps.sum() <= allowed:
        return np.empty(0, dtype=np.int64)
    order = np.argsort(gaps, kind="stable")
    return order[np.searchsorted(np.cumsum(gaps[order]), allowed / 2, side="right") :]


def _joined(one: Frontier, other: Frontier) -> Frontier:
    low, high = np.append(one.low, other.low), np.append(one.high, other.high)
    return Frontier(one.blocks.joined(other.blocks), low, high)


def draw_lines(scores: DepthScores, weight: float, size: int, rng: np.random.Generator) -> Integers:
    """size independent cells i side + j with probability proportional to exp(-weight M), shape (size,).

    By rejection: a block by its greatest mass, a cell of it, which is taken with probability exp(-weight (M - low)).
    So each cell comes with exactly its own weight, whatever the bounds; they only decide how many tries it takes: at
    most two on average.
    """
    frontier = refined(scores, weight, slack=1.0)
    assert frontier is not None
    cumulated = np.cumsum(frontier.masses(weight)[1])
    drawn: list[Integers] = []
    while (missing := size - sum(map(len, drawn))) > 0:
        checkpoint()
        tries = int(1.5 * missing) + 8
        block = np.searchsorted(cumulated, rng.random(tries) * cumulated[-1], side="right")
        block = np.minimum(block, cumulated.size - 1)
        rows, columns = rng.integers(frontier.blocks.sides[:, block])
        numbers = (frontier.blocks.ends[0, block] + rows) * scores.grid.side + frontier.blocks.ends[2, block] + columns
        excess = scores.of_cells(numbers) - frontier.low[block]
        drawn.append(numbers[rng.random(tries) < np.exp(-weight * excess)][:missing])
    return np.concatenate(drawn)
