"""Many laws of constant pieces, one after another in one array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...support.types import Floats, Integers


class Pieces(NamedTuple):
    """The cdf at the edges of laws of constant pieces.

    edges, cumulative: those of all laws, one after another. first, last: the place of each law's first edge and of its
    last one, shape (laws,).
    """

    edges: Floats
    cumulative: Floats
    first: Integers
    last: Integers

    @classmethod
    def of(cls, edges: Sequence[Floats], cumulative: Sequence[Floats]) -> Pieces:
        """Those of laws with these edges and these values of the cdf there."""
        ends = np.cumsum([each.size for each in edges])
        return cls(np.concatenate(edges), np.concatenate(cumulative), np.append(0, ends[:-1]), ends - 1)

    def quantiles(self, q: Floats, law: Integers) -> Floats:
        """The smallest t with cdf(t) >= q in [0, 1], of the laws with these numbers; same shape as q and law."""
        first, last = self.first[law], self.last[law]
        place = _count(self.cumulative, first, last + 1, q, including=False) - 1
        place = np.minimum(np.maximum(place, first), last - 1)
        left, right = self.edges[place], self.edges[place + 1]
        below, mass = self.cumulative[place], self.cumulative[place + 1] - self.cumulative[place]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(mass > 0, np.minimum(left + (q - below) / mass * (right - left), right), left)

    def at(self, t: Floats, law: Integers) -> tuple[Floats, Floats]:
        """The cdf and the density of the laws with these numbers, same shape as t and law."""
        first, last = self.first[law], self.last[law]
        found = _count(self.edges, first, last + 1, t, including=True) - 1
        place = np.minimum(np.maximum(found, first), last - 1)
        left, width = self.edges[place], self.edges[place + 1] - self.edges[place]
        below, mass = self.cumulative[place], self.cumulative[place + 1] - self.cumulative[place]
        inside = place == found
        with np.errstate(divide="ignore", invalid="ignore"):
            cdf, density = below + mass * ((t - left) / width), mass / width
        return np.where(inside, cdf, found > first), np.where(inside, density, 0.0)


def _count(values: Floats, start: Integers, stop: Integers, t: Floats, including: bool) -> Integers:
    """start + how many of the sorted values[start:stop] are below t, or up to it (including); for each t.

    All are looked for at once, by bisection.
    """
    low, length = start.copy(), stop - start
    compared = np.less_equal if including else np.less
    while length.any():
        half = length >> 1
        further = (length > 0) & compared(values[np.minimum(low + half, values.size - 1)], t)
        low = np.where(further, low + half + 1, low)
        length = np.where(further, length - half - 1, half)
    return low
