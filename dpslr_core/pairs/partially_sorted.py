"""Lists of pairwise estimates sorted around their middles only, which is all that a private median looks at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import sqrt
from typing import NamedTuple

import numpy as np

from ..support.types import Floats, Integers

_SAMPLE = 3_000  # entries of a long list that say about where its middle is
_MARGIN = 2.1  # three standard deviations of the difference in rank of two middles, over the root of the length


class Parts(NamedTuple):
    """Estimates that are formed when they are first asked for, and some trials at a time.

    arriving: those of some trials each, shape (points, some, N). sizes: these numbers of trials. length: N.
    """

    arriving: Iterable[Floats]
    points: int
    sizes: tuple[int, ...]
    length: int


class PartiallySorted:
    """Rows of numbers in any order, sorted around the middle as far as they have been asked for.

    estimates: shape (..., N), of which ``leading`` is (...), or Parts. NaN where a pair has equal x: one of those
    stands at -inf and one at inf in turn (-inf first), so that rows clipped to [lower, upper] are those of
    pairs.clip_and_place_ties. estimates are changed.
    unit: of the estimates where they are whole numbers; what is asked for is in units of y.

    ``sizes``: the numbers of trials that were formed at a time, which is how they take their noise.
    """

    def __init__(self, estimates: Floats | Parts, unit: float | None = None) -> None:
        if isinstance(estimates, Parts):
            parts, self.leading = estimates, (estimates.points, sum(estimates.sizes))
        else:
            self.leading = estimates.shape[:-1]
            points = self.leading[0] if len(self.leading) > 1 else 1
            rows = estimates.reshape(points, -1, estimates.shape[-1])
            parts = Parts([rows], points, self.leading[-1:], estimates.shape[-1])
        self.count, self.sizes, self._unit = parts.length, parts.sizes, unit
        self._arriving: Iterable[Floats] | None = parts.arriving
        self._parts: list[Floats] = []
        self._tied: list[Integers] = []  # of each row, in the order of the parts
        self._skipped, self._sorted = self.count, np.empty((*self.leading, 0))
        self._ends: dict[tuple[int, int], tuple[float, float]] = {}  # by point and entries to skip: of the last row

    def around(self, reach: int) -> Floats:
        """The sorted entries from ``reach`` before the middle to as many after it: all but as many at each end.

        Shape (..., 2 reach + N % 2), or (..., N) where there are no more. The same whatever was asked for before.
        """
        skip = max(self.count // 2 - reach, 0)
        if skip < self._skipped:
            wanted = self.count - 2 * skip + int(2 * _MARGIN * sqrt(self.count))
            if 1.2 * wanted > self.count:
                skip = 0
            rows = np.concatenate([self._middles(part, skip) for part in self._formed()], axis=1)
            self._sorted = rows if self._unit is None else np.multiply(rows, self._unit, out=rows)
            self._skipped = skip
        start = max(self.count // 2 - reach, 0) - self._skipped
        return self._sorted[..., start : self._sorted.shape[-1] - start].reshape(*self.leading, -1)

    def _formed(self) -> Iterator[Floats]:
        """The parts, each while it is fresh in the cache."""
        yield from self._parts
        arriving, self._arriving = self._arriving, None
        for part in arriving or ():
            self._tied.append(_place_ties(part))
            self._parts.append(part)
            yield part

    def _middles(self, part: Floats, skip: int) -> Floats:
        """The sorted rows without so many entries at each end."""
        if not skip:
            return np.sort(part, axis=-1)
        middles = np.empty((*part.shape[:-1], self.count - 2 * skip))
        for point, rows in enumerate(part):
            for trial, row in enumerate(rows):
                middles[point, trial] = self._middle_of(row, skip, point)
        return middles

    def _middle_of(self, row: Floats, skip: int, point: int) -> Floats:
        """The sorted row without so many entries at each end, by sorting little more than that."""
        known = self._ends.get((point, skip))
        inside, below = self._between(row, known) if known else (row[:0], 0)
        if not _covers(inside, below, row.size, skip) and row.size > 2 * _SAMPLE:
            inside, below = self._between(row, _sampled_ends(row, skip))
        if not _covers(inside, below, row.size, skip):
            inside, below = np.sort(row), 0
        first, last, margin = skip - below, row.size - skip - below, int(_MARGIN * sqrt(row.size))
        ends = inside[max(first - margin, 0)], inside[min(last + margin, inside.size) - 1]
        self._ends[point, skip] = float(ends[0]), float(ends[1])
        return inside[first:last]

    def _between(self, row: Floats, ends: tuple[float, float]) -> tuple[Floats, int]:
        """The sorted entries from one end to the other, and the number below them."""
        low, high = ends
        mask = row >= low
        below = row.size - int(np.count_nonzero(mask))
        mask &= row <= high
        inside = row.take(np.flatnonzero(mask))
        if self._unit is None or not high - low < 2**31:
            inside.sort()
            return inside, below
        inside -= low
        steps = inside.astype(np.int32)  # of whole numbers, and quicker to sort
        steps.sort()
        return np.add(steps, low, out=inside), below

    def medians(self) -> Floats:
        """The median of each row, NaN left out, shape (...); NaN where nothing else is there."""
        z, tied = self.around(2), np.concatenate(self._tied, axis=1).reshape(*self.leading, 1)
        known = self.count - tied
        first = (tied + 1) // 2 - max(self.count // 2 - 2, 0)  # of the known ones, counted within z
        both = np.clip(first + (known + np.array([-1, 0])) // 2, 0, z.shape[-1] - 1)
        low, high = np.moveaxis(np.take_along_axis(z, both, axis=-1), -1, 0)
        with np.errstate(invalid="ignore"):
            return np.where(known[..., 0] > 0, 0.5 * (low + high), np.nan)


def _place_ties(rows: Floats) -> Integers:
    """The number of NaN in each row, shape (..., 1); these become -inf and inf in turn."""
    tied = np.zeros((*rows.shape[:-1], 1), dtype=np.int64)
    if np.isnan(rows.min(initial=np.inf)):
        missing = np.isnan(rows)
        tied[..., 0] = np.count_nonzero(missing, axis=-1)
        turn = np.cumsum(missing, axis=-1)[missing]
        rows[missing] = np.where(turn % 2, -np.inf, np.inf)
    return tied


def _covers(inside: Floats, below: int, size: int, skip: int) -> bool:
    """Whether so many entries at each end of a row are all that is not inside."""
    return below <= skip and below + inside.size >= size - skip and inside.size > 0


def _sampled_ends(row: Floats, skip: int) -> tuple[float, float]:
    """Between which the row without so many entries at each end may well be, by a sample of it."""
    sample = row[:: row.size // _SAMPLE]
    margin = 1.5 / np.sqrt(sample.size)  # three standard deviations of the share of a sample below about the median
    first = max(int((skip / row.size - margin) * sample.size), 0)
    ends = first, sample.size - 1 - first
    low, high = np.partition(sample, ends)[list(ends)].tolist()
    return low, high
