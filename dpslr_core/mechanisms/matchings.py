"""What the Theil-Sen family shares: the number of matchings k, and drawing them trial by trial."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .. import _validate, pairwise
from .._types import Floats
from ..dataset import Dataset
from ..pairwise.middles import Middles
from .base import Mechanism

_CHUNK = 1_000_000  # pairwise estimates formed at a time


class MatchingMechanism(Mechanism):
    """A mechanism on the pairwise estimates of k random matchings, or of all pairs (k = None)."""

    k: int | None  # a field of each subclass, in the place where its signature wants it

    def _check(self) -> None:
        if self.k is not None:
            _validate.integer(1, k=self.k)

    @property
    def name(self) -> str:
        return type(self).__name__ + ("" if self.k is None else f"{self.k}Match")


def in_chunks(
    data: Dataset, k: int, at: Floats, size: int, rng: np.random.Generator, draw: Callable[[Middles], Floats]
) -> Floats:
    """draw(estimates) for size fresh sets of k matchings, a bounded number of trials at a time, shape (size, len(at)).

    draw maps pairwise estimates of shape (len(at), trials, pairs) to releases of shape (len(at), trials).
    """
    trials = max(1, _CHUNK // (pairwise.pair_count(data.n, k) * at.size + data.n))
    released = []
    for start in range(0, size, trials):
        found = pairwise.matched_estimates(data.x, data.y, k, min(trials, size - start), at, rng)
        released.append(draw(Middles(found)).T)
    return np.concatenate(released)
