"""Bounds on the scores of blocks of several data sets in one scan over their records: all sums are exact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..support.run import checkpoint
from ..support.types import Floats, Integers

_HELD = 300_000
_FEWEST, _MOST = 250, 6_000  # blocks in one scan: more do not pay, fewer do not either
_WIDE = 1_000  # blocks from which on records are added one by one


class Records(NamedTuple):
    """The terms of the records of one data set, shape (5, n), in order of x; see DepthScores.

    ends: whether each record is the last with its x, shape (n,). tied: the others: the first of each x, then the
    second, and so on. signs: whether residuals count by their signs.
    """

    terms: Floats
    ends: np.ndarray
    tied: Sequence[Integers]
    signs: bool

    def fill(self, shares: Floats, lines: Floats) -> None:
        """Put r_i / width for these lines, shape (3 or 5, m), in shares, shape (n or more, m); 0 where no record is."""
        size = self.terms.shape[1]
        np.matmul(self.terms[: len(lines)].T, lines, out=shares[:size])
        shares[size:] = 0.0

    def add_ties(self, shares: Floats) -> None:
        """The sums of records with one x in the place of the last of them, and 0 in the place of the others."""
        for step in self.tied:
            shares[step + 1] += shares[step]
            shares[step] = 0.0


Piece = tuple[int, int, int]  # (number of the data set, first block, block after the last)


def bounds_side_by_side(every: Sequence[Records], ends: Sequence[Integers]) -> list[Floats]:
    """DepthScores.bounds of the blocks with these ends, shape (4, m), as shapes (2, m); all at once.

    Ends of shape (2, m) are the rows and columns of single cells.

    All residuals of the data sets count in the same way. The memory is that of some thousand blocks.
    """
    found = [np.empty((2, each.shape[1])) for each in ends]
    order = sorted(range(len(every)), key=lambda i: every[i].terms.shape[1])
    for pieces in _scans(every, [(i, ends[i].shape[1]) for i in order]):
        checkpoint()
        lines = multipliers(np.concatenate([ends[i][:, start:stop] for i, start, stop in pieces], axis=1))
        bounds, place = _scan([(every[i], stop - start) for i, start, stop in pieces], *lines), 0
        for i, start, stop in pieces:
            found[i][:, start:stop] = bounds[:, place : place + stop - start]
            place += stop - start
    return found


def _scans(every: Sequence[Records], counts: Sequence[tuple[int, int]]) -> Iterator[list[Piece]]:
    """The blocks of each scan; counts: data sets, by their numbers of records, and how many blocks each has."""
    several: list[Piece] = []
    held = 0
    for i, count in counts:
        most = min(max(_HELD // every[i].terms.shape[1], _FEWEST), _MOST)
        if count > _FEWEST:
            yield from ([(i, start, min(start + most, count))] for start in range(0, count, most))
        elif count:
            if several and held + count > most:
                yield several
                several, held = [], 0
            several.append((i, 0, count))
            held += count
    if several:
        yield several


def _scan(parts: Sequence[tuple[Records, int]], *lines: Floats) -> Floats:
    """Bounds for so many blocks of each data set, one data set after another, shape (2, m); lines: of multipliers."""
    shares = [_shares(parts, each) for each in lines]
    low = shares[0].sum(axis=0) if len(shares) > 1 else None
    both = shares[0] if low is None else np.add(shares[0], shares[1], out=shares[0])
    if len(parts) == 1:
        return score_bounds(*_running_sums(both, parts[0][0].ends), low)
    place = 0
    for records, count in parts:
        records.add_ties(both[:, place : place + count])
        place += count
    return score_bounds(*_running_sums(both, np.ones(len(both), dtype=bool)), low)


def _running_sums(shares: Floats, ends: np.ndarray) -> tuple[Floats, Floats, Floats]:
    """The largest and the least sum of the first records or of none, and the sum of all; three of shape (m,).

    shares: of the records, shape (n, m), which are changed. ends: whether a sum may end with a record, shape (n,).
    """
    if shares.shape[1] < _WIDE:
        sums = np.cumsum(shares, axis=0, out=shares)
        some = sums if ends.all() else sums[ends]
        return some.max(axis=0, initial=0.0), some.min(axis=0, initial=0.0), sums[-1]
    top, bottom, running = np.zeros((3, shares.shape[1]))
    for row, end in zip(shares, ends.tolist(), strict=True):
        running += row
        if end:
            np.maximum(top, running, out=top)
            np.minimum(bottom, running, out=bottom)
    return top, bottom, running


def _shares(parts: Sequence[tuple[Records, int]], lines: Floats) -> Floats:
    """s_i of the records, one after another, for the lines of each data set, one after another."""
    shares, place = np.empty((max(records.terms.shape[1] for records, _ in parts), lines.shape[1])), 0
    for records, count in parts:
        records.fill(shares[:, place : place + count], lines[:, place : place + count])
        place += count
    np.clip(shares, -1, 1, out=shares)
    return np.rint(shares, out=shares) if parts[0][0].signs else shares


def score_bounds(top: Floats, bottom: Floats, total: Floats, low: Floats | None) -> Floats:
    """Bounds on the scores, shape (2, m), from the largest and least K_t and the sums of l + h and of l.

    top, bottom, total: of l alone where that is h, and low is None.
    """
    if low is None:
        return np.broadcast_to(np.maximum(2 * top - total, total - 2 * bottom), (2, total.size))
    high = total - low
    return np.array([np.maximum(top - high, low - bottom), np.maximum(top - low, high - bottom)])


def multipliers(ends: Integers, margin: int = 0) -> tuple[Floats, ...]:
    """By what the terms of a record are multiplied for its least s_i in a block, and its greatest where that differs.

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
