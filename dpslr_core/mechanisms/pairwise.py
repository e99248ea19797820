"""Base of the Theil-Sen family: random matchings, the range, the public grid, sorted lists and mixtures of laws."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations, permutations
from typing import ClassVar

import numpy as np

from .. import pairs
from ..dataset import Dataset
from ..laws.base import Law
from ..laws.joint import JointLaw, JointMedianLaw
from ..laws.mixture import FIRST, MOST, draw_mixtures
from ..pairs import ranks
from ..pairs.grid import PublicGrid
from ..pairs.matchings import Lines, Records, SortedEstimates, matched_lists
from ..support import validate
from ..support.run import stream
from ..support.types import Floats
from .base import EqualDraws, Mechanism, MechanismFamily, View, hyperparameter

_CHUNK = 1_000_000  # pairwise estimates computed at a time

Pairs = tuple[tuple[int, ...], ...]


@cache
def all_matchings(n: int, k: int) -> list[tuple[Pairs, float]]:
    """List every set of pairs that k random rounds of a random relabelling can give, with its probability."""
    rounds = [np.transpose(ends).tolist() for ends in zip(*pairs.rounds(n), strict=True)]
    counts = Counter(
        tuple(sorted(tuple(sorted((label[i], label[j]))) for r in chosen for i, j in rounds[r]))
        for label in permutations(range(n))
        for chosen in combinations(range(len(rounds)), k)
    )
    return [(matched, count / counts.total()) for matched, count in counts.items()]


LOWER_HELP = "Lower end of the range that predictions are searched in (public knowledge)."
UPPER_HELP = "Upper end of the range that predictions are searched in (public knowledge)."
_MIXTURE_SIZE = 4_000_000  # pairwise estimates kept for one average of conditional laws
_K_HELP = "Number of random matchings; empty = all pairs."
MAX_MATCHED = 6  # the largest n whose matchings are enumerated


class MatchingMechanism(Mechanism):
    """A mechanism on the pairwise estimates of k random matchings, or of all pairs (k = None)."""

    k: int | None  # a field of every subclass, which decides the order
    by_ranks: ClassVar[bool] = True
    aim: ClassVar[str] = "Theil–Sen"

    def _check(self) -> None:
        if self.k is not None:
            validate.integer(1, validate.MOST_SEED, k=self.k)

    def grid(self, at: Floats) -> PublicGrid:
        """Return the public grid of range and points, shape (m,), on which all comparisons are made, whatever the data.

        ValueError where range or points are too far from the unit square, see PublicGrid.
        """
        return PublicGrid(0.0, 1.0, at)

    @abstractmethod
    def medians(
        self,
        estimates: SortedEstimates,
        epsilon: float,
        changed: int,
        grid: PublicGrid,
        rng: np.random.Generator,
    ) -> Floats:
        """Draw the private medians of each trial at each point of the grid, shape (m, trials) (Algorithm 2).

        Parameters
        ----------
        estimates : SortedEstimates
            Estimates on the grid, shape (m, trials, N).
        epsilon : float
            Budget of all medians of a trial together.
        changed : int
            Number of estimates at a point that one record can change.
        grid : PublicGrid
            Grid with the range and the points.
        rng : numpy.random.Generator
            Source of all randomness.
        """

    def _target(self, data: Dataset, at: Floats) -> Floats:
        """Compute the median over all pairs, also with k matchings: their randomness counts as noise."""
        return data.theil_sen(at)

    def _drawn(
        self,
        records: Records,
        lines: Lines,
        size: int,
        rng: np.random.Generator,
        unit: float | None = None,
    ) -> Iterator[SortedEstimates]:
        """Yield the sorted estimates of `size` fresh sets of k matchings, a bounded number at a time."""
        k, n = int(self.k or 0), records[0].size
        trials = max(1, _CHUNK // (pairs.pair_count(n, k) * 2 + n))
        for start in range(0, size, trials):
            yield matched_lists(*records, k, min(trials, size - start), lines, rng, unit)

    @property
    def name(self) -> str:
        return type(self).__name__ + ("" if self.k is None else f"{self.k}Match")


@dataclass(frozen=True)
class PrivateTheilSen(MatchingMechanism, EqualDraws):
    """Base of the private medians of the pairwise estimates at all points.

    Private for every data set and every n: a record on the public grid is a function of itself alone, and a pair's
    estimate of its two records, so that replacing a record changes at most k of the N estimates at each point, and N is
    public. Then the score |A - B| of a grid cell (A, B: estimates above and below it) changes by at most 2k, and the
    exponential mechanism that draws a cell with weight exp(-eps |A - B| / (4k)) is eps-differentially private. The same
    holds for any score that changes by at most 2k. Scores are exact whole numbers, from sorted lists and rank queries
    alike (PublicGrid).

    A release is a cell and random digits below the grid's spacing, which depend on nothing else. Edges between
    densities are grid points, so that the released number has the law of a point drawn in continuous space.
    Floating-point rounding affects only the probabilities of the cells: a cell less likely than about 2^-53 may have
    none.
    """

    lower: float = hyperparameter(-0.5, help=LOWER_HELP, step=0.5)
    upper: float = hyperparameter(1.5, help=UPPER_HELP, step=0.5)
    k: int | None = hyperparameter(None, help=_K_HELP, low=1, step=1)

    family: ClassVar[MechanismFamily] = MechanismFamily.THEIL_SEN
    in_cells: ClassVar[bool] = True  # whether a cell of the grid is released, not a noisy number

    def _check(self) -> None:
        super()._check()
        validate.ordered(lower=self.lower, upper=self.upper)
        self.grid(np.zeros(1))

    def grid(self, at: Floats) -> PublicGrid:
        return _public_grid(self.lower, self.upper, *at.tolist())

    @abstractmethod
    def joint_law(
        self, lists: Sequence[Floats], epsilon: float, changed: int, grid: PublicGrid
    ) -> JointLaw | JointMedianLaw:
        """Compute the joint law of the private medians of sorted lists on the grid, one list for each point.

        Parameters
        ----------
        lists : sequence of arrays, shape (N + 2,)
            Sorted estimates between both ends of the range.
        epsilon : float
            Budget of all medians together.
        changed : int
            Number of estimates in a list that one record can change.
        grid : PublicGrid
            Grid with the range and the points.
        """

    def view(self, data: Dataset, epsilon: float, at: Floats) -> View:
        """Prepare a view as in Mechanism; with k matchings of few records, a mixture over all possible matchings.

        All points share their matchings.
        """
        if self.k is None or pairs.is_complete(data.n, self.k) or data.n > MAX_MATCHED:
            return super().view(data, epsilon, at)
        grid, changed, components = self.grid(at), pairs.lipschitz(data.n, self.k), []
        x, y = grid.positions(data.x), grid.positions(data.y)
        for matched, chance in all_matchings(data.n, self.k):
            i, j = np.array(matched).T
            estimates = pairs.clip_and_place_ties(
                grid.heights((x[i], x[j]), (y[i], y[j])), *grid.range
            )
            joint = self.joint_law(
                list(pairs.with_ends(estimates, *grid.range)), epsilon, changed, grid
            )
            components += [(chance * weight, laws) for weight, laws in joint.parts]
        return View(data, JointLaw(components))

    @abstractmethod
    def laws_of(
        self, lists: Sequence[Floats], epsilon: float, changed: int, grid: PublicGrid
    ) -> Sequence[Law]:
        """Compute the law of the private median at each point; arguments as in joint_law."""

    @abstractmethod
    def _rank_laws(self, data: Dataset, epsilon: float, grid: PublicGrid) -> Sequence[Law | None]:
        """Compute the law at each point for all pairs of many records; None where it would take too much memory."""

    @abstractmethod
    def _draw_complete(
        self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator
    ) -> Floats:
        """Draw the medians over all pairs `size` times, shape (size, m)."""

    def _target(self, data: Dataset, at: Floats) -> Floats:
        """Compute the median over all pairs, moved into [lower, upper].

        As epsilon grows, a release comes as close to this median as the next pairwise estimate, or as theta with
        widening. The rest of the distance is noise that no epsilon removes.
        """
        return np.clip(super()._target(data, at), self.lower, self.upper)

    def _draw(
        self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator
    ) -> Floats:
        grid, k = self.grid(at), int(self.k or 0)
        if pairs.is_complete(data.n, self.k):
            medians = self._draw_complete(data, epsilon, at, size, rng)
        else:
            records = grid.positions(data.x), grid.positions(data.y)
            drawn = self._drawn(records, grid.estimates, size, rng, grid.spacing)
            medians = np.concatenate(
                [self.medians(estimates, epsilon, k, grid, rng).T for estimates in drawn]
            )
        return grid.with_public_digits(medians, rng) if self.in_cells else medians

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        if not pairs.is_complete(data.n, self.k):
            return self._mixtures(data, epsilon, at)
        grid = self.grid(at)
        if data.n >= ranks.CROSSOVER:
            return self._rank_laws(data, epsilon, grid)
        return self.laws_of(data.pair_lists(grid), epsilon, pairs.lipschitz(data.n, self.k), grid)

    def _mixtures(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law]:
        """Average the conditional laws at each point over random matchings, drawn from the mechanism's own stream."""
        k, grid = int(self.k or 0), self.grid(at)
        x, y = grid.positions(data.x), grid.positions(data.y)
        rng = stream(0, "matchings", data.digest, repr(self), at.tolist())

        def conditional_laws(count: int) -> list[list[Law]]:
            estimates = pairs.matched_estimates(x, y, k, count, grid.heights, rng)
            lists = pairs.with_ends(pairs.clip_and_place_ties(estimates, *grid.range), *grid.range)
            drawn = [
                self.laws_of(list(lists[:, trial]), epsilon, k, grid) for trial in range(count)
            ]
            return [list(laws) for laws in zip(*drawn, strict=True)]

        affordable = _MIXTURE_SIZE // (pairs.pair_count(data.n, k) * at.size)
        return draw_mixtures(
            conditional_laws, data.predict(at), most=min(max(affordable, FIRST), MOST)
        )


@lru_cache(maxsize=8)  # many data sets share a grid
def _public_grid(lower: float, upper: float, *at: float) -> PublicGrid:
    """Make the public grid; cached, as many data sets share one."""
    points = np.array(at)
    points.setflags(write=False)
    return PublicGrid(lower, upper, points)


def per_estimate(epsilon: float, changed: int) -> float:
    """Compute the budget per changed estimate of an exponential mechanism, epsilon / changed, between 1e-290 and 1e6.

    Scores are whole numbers up to 10^14: beyond these limits the floating-point density does not change.
    """
    return min(max(epsilon / changed, 1e-290), 1e6)


def plain_name(name: str) -> str:
    """Strip the number of matchings from the name of an algorithm: "DPExpTheilSen10Match" becomes "DPExpTheilSen"."""
    return re.sub(r"\d+Match$", "", name)
