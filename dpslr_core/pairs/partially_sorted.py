"""Lists of pairwise estimates sorted around their middles only, which is all that a private median looks at."""

from __future__ import annotations

import numpy as np

from ..support.types import Floats

_SAMPLE = 3_000  # entries of a long list that say about where its middle is


class PartiallySorted:
    """Rows of numbers in any order, sorted around the middle as far as they have been asked for.

    estimates: shape (..., N), of which ``leading`` is (...), NaN where a pair has equal x: one of those stands at -inf
    and one at inf in turn (-inf first), so that rows clipped to [lower, upper] are those of pairs.clip_and_place_ties.
    estimates is changed.
    """

    def __init__(self, estimates: Floats) -> None:
        self.count, self.leading = estimates.shape[-1], estimates.shape[:-1]
        self._rows = estimates.reshape(-1, self.count)
        missing = np.isnan(self._rows)
        self._tied = np.count_nonzero(missing, axis=1)[:, None] if missing.any() else np.zeros((1, 1), dtype=int)
        if self._tied.any():
            turn = np.cumsum(missing, axis=1)[missing]
            self._rows[missing] = np.where(turn % 2, -np.inf, np.inf)
        self._skipped, self._sorted = self.count, self._rows[:, :0]

    def around(self, reach: int) -> Floats:
        """The sorted entries from ``reach`` before the middle to as many after it: all but as many at each end.

        Shape (..., 2 reach + N % 2), or (..., N) where there are no more. The same whatever was asked for before.
        """
        skip = max(self.count // 2 - reach, 0)
        if skip < self._skipped:
            long = self.count > 4 * reach and self.count > 2 * _SAMPLE
            rows = [_middle_of(row, skip) for row in self._rows] if long else np.sort(self._rows, axis=1)
            self._skipped, self._sorted = (skip, np.array(rows)) if long else (0, np.asarray(rows))
        start = skip - self._skipped
        return self._sorted[:, start : self._sorted.shape[1] - start].reshape(*self.leading, -1)

    def medians(self) -> Floats:
        """The median of each row, NaN left out, shape (...); NaN where nothing else is there."""
        z, known = self.around(2).reshape(len(self._rows), -1), self.count - self._tied
        first = (self._tied + 1) // 2 - max(self.count // 2 - 2, 0)  # of the known ones, counted within z
        both = np.clip(first + (known + np.array([-1, 0])) // 2, 0, z.shape[1] - 1)
        low, high = z[np.arange(len(z))[:, None], both].T
        with np.errstate(invalid="ignore"):
            return np.where(known[:, 0] > 0, 0.5 * (low + high), np.nan).reshape(self.leading)


def _middle_of(row: Floats, skip: int) -> Floats:
    """The sorted row without so many entries at each end, by sorting little more than that."""
    sample = row[:: row.size // _SAMPLE]
    margin = 1.5 / np.sqrt(sample.size)  # three standard deviations of the share of a sample below about the median
    first = max(int((skip / row.size - margin) * sample.size), 0)
    ends = first, sample.size - 1 - first
    low, high = np.partition(sample, ends)[list(ends)]
    below, inside = np.count_nonzero(row < low), row[(row >= low) & (row <= high)]
    if below <= skip and below + inside.size >= row.size - skip:
        inside.sort()
        return inside[skip - below : row.size - skip - below]
    return np.sort(row)[skip : row.size - skip]
