"""What the Theil-Sen family shares: the number of matchings k, and drawing them trial by trial."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .. import _validate, pairwise
from .._types import Floats, Integers
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
    n: int,
    k: int,
    points: int,
    size: int,
    rng: np.random.Generator,
    draw: Callable[[Integers, Integers], Floats],
) -> Floats:
    """draw(first, second) for size fresh sets of k matchings, a bounded number of trials at a time.

    draw maps the record numbers at both ends of each trial's pairs, two arrays of shape (trials, pairs), to
    releases of shape (trials, points); the result has shape (size, points).
    """
    trials = max(1, _CHUNK // (pairwise.pair_count(n, k) * points + n))
    released = [
        draw(*pairwise.random_matchings(n, k, min(trials, size - start), rng)) for start in range(0, size, trials)
    ]
    return np.concatenate(released)
