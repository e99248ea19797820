"""Inversions of orders, counted and listed, and what else ranks of pairs are made of."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..support.run import checkpoint
from ..support.types import Floats, Integers

_CHUNK = 1 << 18  # estimates formed at a time: what is done with them stays in the cache


def sort_whole(values: Floats) -> Floats:
    """The sorted values, themselves where they are in order.

    Whole numbers below 2^31, as estimates on a grid are, by a quicker sort.
    """
    if (values[1:] >= values[:-1]).all():
        return values
    if np.abs(values).max() < 2**31 and np.array_equal(whole := values.astype(np.int32), values):
        whole.sort()
        return whole.astype(float)
    return np.sort(values)


def pairs_of(count: int) -> int:
    return count * (count - 1) // 2


def tied_pairs(ordered: NDArray) -> int:
    """Pairs of equal entries of a sorted array."""
    changes = np.flatnonzero(np.diff(ordered) != 0)
    if changes.size == ordered.size - 1:
        return 0
    runs = np.diff(np.concatenate([[-1], changes, [ordered.size - 1]]))
    return int((runs * (runs - 1) // 2).sum())


def inversions(values: Floats, tied: int) -> int:
    """Pairs i < j with values[i] > values[j], where so many pairs are tied.

    scipy's compiled Kendall tau-b is (all - tied - 2 inversions) / sqrt((all - tied) all), from which the count
    comes back exactly while all 1e-16 < 1/4. Its own sort of values is fast where few are out of order.
    """
    if values.size < 3:  # refused by its p-value
        return int(np.sum(values[:-1] > values[1:]))
    everything = pairs_of(values.size)
    if tied == everything:
        return 0
    from scipy.stats import kendalltau  # 0.7 s to import: only large data pay it

    bare = getattr(kendalltau, "__wrapped__", kendalltau)  # what is around it looks for axes and NaN: 10% of a law
    tau = bare(values, np.arange(values.size), method="asymptotic").statistic
    return round((everything - tied - tau * np.sqrt(everything - tied) * np.sqrt(everything)) / 2)


def crossings(rank: Integers) -> Iterator[tuple[Integers, Integers]]:
    """Positions (i, j) of every inversion i < j, rank[i] > rank[j], of a permutation of 0 .. n-1, in chunks.

    From the highest bit of the ranks down: within a block of equal higher bits, an entry without the bit is
    inverted with all entries with the bit that stand before it, which lie side by side once the block is split.
    """
    item, place = np.arange(rank.size), np.arange(rank.size)
    for bit in reversed(range((rank.size - 1).bit_length())):
        upper = (rank >> bit & 1).astype(bool)
        start = rank >> (bit + 1) << (bit + 1)  # a block of a permutation starts where its smallest rank belongs
        passed = np.concatenate([[0], np.cumsum(upper)])
        before = passed[:-1] - passed[start]
        target = np.where(upper, start + (1 << bit) + before, place - before)
        lower = np.flatnonzero(~upper & (before > 0))
        split_item, split_rank = np.empty_like(item), np.empty_like(rank)
        split_item[target], split_rank[target] = item, rank
        yield from _chunks(item[lower], start[lower] + (1 << bit), before[lower], split_item)
        item, rank = split_item, split_rank


def _chunks(
    second: Integers, start: Integers, counts: Integers, items: Integers
) -> Iterator[tuple[Integers, Integers]]:
    """Each entry of second with items[start : start + counts], a bounded number of pairs at a time."""
    ends = np.cumsum(counts)
    done = 0
    while done < ends.size:
        checkpoint()
        base = ends[done - 1] if done else 0
        stop = max(int(np.searchsorted(ends, base + _CHUNK, side="right")), done + 1)
        part = slice(done, stop)
        # start minus the number of pairs before the entry, so that counting on through the chunk is enough.
        offset = np.repeat(start[part] - (ends[part] - counts[part] - base), counts[part])
        offset += np.arange(offset.size)
        yield items[offset], np.repeat(second[part], counts[part])
        done = stop
