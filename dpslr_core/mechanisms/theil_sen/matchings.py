"""What the Theil-Sen family shares: the number of matchings k, and drawing them trial by trial."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, permutations
from typing import ClassVar

import numpy as np

from ... import pairs
from ...dataset import Dataset
from ...laws.by_rank import JointMedians
from ...laws.joint import JointLaw
from ...pairs.grid import PublicGrid
from ...pairs.matchings import Lines
from ...pairs.partially_sorted import PartiallySorted
from ...support import validate
from ...support.types import Floats
from ..base import Mechanism, View

MAX_MATCHED = 6  # the largest n whose matchings are enumerated
_CHUNK = 1_000_000  # pairwise estimates formed at a time

Pairs = tuple[tuple[int, ...], ...]


class MatchingMechanism(Mechanism):
    """A mechanism on the pairwise estimates of k random matchings, or of all pairs (k = None)."""

    k: int | None  # a field of each subclass, in the place where its signature wants it
    by_ranks: ClassVar[bool] = True

    def _check(self) -> None:
        if self.k is not None:
            validate.integer(1, k=self.k)

    def grid(self, at: Floats) -> PublicGrid:
        """The grid that everything compared lies on: of the range and the points, shape (m,), whatever the data.

        ValueError where range or points are too far from the unit square, see PublicGrid.
        """
        return PublicGrid(0.0, 1.0, at)

    @abstractmethod
    def medians(
        self, estimates: PartiallySorted, epsilon: float, changed: int, grid: PublicGrid, rng: np.random.Generator
    ) -> Floats:
        """The released medians of each trial, one at each point of the grid (Algorithm 2).

        estimates: the estimates, on the grid, shape (m, trials, N); the medians have the shape (m, trials).
        epsilon: the budget of all medians of a trial.
        changed: how many of the estimates at a point one record changes.
        grid: of the range and the points.
        rng: the generator that all randomness comes from.
        """

    def view(self, data: Dataset, epsilon: float, at: Floats) -> View:
        """With k matchings of few records, the mixture over all that can be drawn: points share their matchings."""
        if self.k is None or pairs.is_complete(data.n, self.k) or data.n > MAX_MATCHED:
            return super().view(data, epsilon, at)
        grid, changed = self.grid(at), pairs.lipschitz(data.n, self.k)
        parts = [
            (chance * weight, laws)
            for matched, chance in _all_matchings(data.n, self.k)
            for weight, laws in self.joint_law(_given(data, matched, grid), epsilon, changed, grid).parts
        ]
        return View(data, JointLaw(parts))

    def joint_law(
        self, lists: Sequence[Floats], epsilon: float, changed: int, grid: PublicGrid
    ) -> JointLaw | JointMedians:
        """The joint law of the released medians of sorted lists on the grid, one at each point.

        epsilon: the budget of all medians together.
        changed: how many entries of a list one record changes.
        Without parts for medians without noise.
        """
        return JointLaw()

    @property
    def name(self) -> str:
        return type(self).__name__ + ("" if self.k is None else f"{self.k}Match")


def _given(data: Dataset, matched: Pairs, grid: PublicGrid) -> list[Floats]:
    """The sorted list at each point of the pairs that k matchings drew."""
    first, second = np.array(matched).T
    x, y = grid.positions(data.x), grid.positions(data.y)
    estimates = np.sort(pairs.estimates(x, y, first, second, grid.heights), axis=-1)
    return list(pairs.clip_and_place_ties(estimates, *grid.range))


@cache
def _all_matchings(n: int, k: int) -> list[tuple[Pairs, float]]:
    """Every set of pairs that k random rounds of a random relabelling can give, with its probability."""
    rounds = [np.transpose(ends).tolist() for ends in zip(*pairs.rounds(n), strict=True)]
    counts = Counter(
        tuple(sorted(tuple(sorted((label[i], label[j]))) for r in chosen for i, j in rounds[r]))
        for label in permutations(range(n))
        for chosen in combinations(range(len(rounds)), k)
    )
    return [(matched, count / counts.total()) for matched, count in counts.items()]


def plain_name(name: str) -> str:
    """The name of an algorithm without the number of its matchings: "DPExpTheilSen10Match" is a DPExpTheilSen."""
    return re.sub(r"\d+Match$", "", name)


def drawn_estimates(
    x: Floats, y: Floats, k: int, lines: Lines, size: int, rng: np.random.Generator
) -> Iterator[PartiallySorted]:
    """The estimates of size fresh sets of k matchings, of shape (points, trials, pairs), a bounded number at a time.

    x, y: the records, each of shape (n,).
    k: the number of matchings, 1 or more, else ValueError.
    lines: as in pairs.matched_estimates.
    size: the number of trials.
    rng: the generator that all randomness comes from.
    """
    trials = max(1, _CHUNK // (pairs.pair_count(x.size, k) * 2 + x.size))
    for start in range(0, size, trials):
        yield PartiallySorted(pairs.matched_estimates(x, y, k, min(trials, size - start), lines, rng))
