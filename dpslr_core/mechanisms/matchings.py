"""What the Theil-Sen family shares: the number of matchings k, and drawing them trial by trial."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable

import numpy as np

from .. import _validate, pairwise
from .._types import Floats
from ..pairwise import PublicGrid
from ..pairwise.matchings import Lines
from ..pairwise.middles import Middles
from .base import Mechanism

_CHUNK = 1_000_000  # pairwise estimates formed at a time


class MatchingMechanism(Mechanism):
    """A mechanism on the pairwise estimates of k random matchings, or of all pairs (k = None)."""

    k: int | None  # a field of each subclass, in the place where its signature wants it

    def _check(self) -> None:
        if self.k is not None:
            _validate.integer(1, k=self.k)

    def grid(self, at: Floats) -> PublicGrid:
        """The grid that everything compared lies on: of the range and the points, whatever the data."""
        return PublicGrid(0.0, 1.0, at)

    @abstractmethod
    def medians(
        self, middles: Middles, epsilon: float, changed: int, grid: PublicGrid, rng: np.random.Generator
    ) -> Floats:
        """One released median per row of pairwise estimates on the grid, of which one record changes so many."""

    @property
    def name(self) -> str:
        return type(self).__name__ + ("" if self.k is None else f"{self.k}Match")


def plain_name(name: str) -> str:
    """The name of an algorithm without the number of its matchings: "DPExpTheilSen10Match" is a DPExpTheilSen."""
    return re.sub(r"\d+Match$", "", name)


def in_chunks(
    x: Floats, y: Floats, k: int, lines: Lines, size: int, rng: np.random.Generator, draw: Callable[[Middles], Floats]
) -> Floats:
    """draw(estimates) for size fresh sets of k matchings, a bounded number of trials at a time, shape (size, points).

    lines makes estimates of shape (points, pairs) of pairs of records; draw maps estimates of shape (points, trials,
    pairs) to releases of shape (points, trials).
    """
    trials = max(1, _CHUNK // (pairwise.pair_count(x.size, k) * 2 + x.size))
    released = []
    for start in range(0, size, trials):
        estimates = pairwise.matched_estimates(x, y, k, min(trials, size - start), lines, rng)
        released.append(draw(Middles(estimates)).T)
    return np.concatenate(released)
