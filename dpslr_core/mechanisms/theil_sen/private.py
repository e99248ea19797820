"""What private medians of the pairwise estimates share: the range, the public grid, lists, matchings."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ... import pairs
from ...dataset import Dataset
from ...laws.base import Law
from ...laws.joint import JointLaw
from ...laws.mixture import FIRST, MOST, draw_mixtures
from ...pairs import ranks
from ...pairs.grid import PublicGrid
from ...pairs.ranks import PairRanks
from ...privacy import Guarantee, PureDP, Spend
from ...support import validate
from ...support.run import QUARTERS
from ...support.streams import stream
from ...support.types import Floats
from ..base import hyperparameter, point_ledger
from ..family import BudgetSplit, MechanismFamily
from .matchings import MatchingMechanism, drawn_estimates

LOWER_HELP = "Lower end of the range that predictions are searched in (public knowledge)."
UPPER_HELP = "Upper end of the range that predictions are searched in (public knowledge)."
_MIXTURE_SIZE = 4_000_000  # pairwise estimates held in one average of conditional laws
_K_HELP = "Number of random matchings; empty = all pairs."


@dataclass(frozen=True)
class PrivateTheilSen(MatchingMechanism):
    """Private medians of the pairwise estimates at all points.

    Private for every data set and every n: a record on the public grid is a function of itself alone, and a pair's
    estimate of its two records, so that replacing a record changes at most k of the N estimates at each point, and N is
    public. Then the score |A - B| of a grid cell (A, B: estimates above and below it) changes by at most 2k, and the
    exponential mechanism with weight exp(-eps |A - B| / (4k)), uniform within a cell, is eps-differentially private; so
    it is with any score that changes by no more. Scores are exact whole numbers, from sorted lists and rank queries
    alike (PublicGrid).
    """

    lower: float = hyperparameter(-0.5, help=LOWER_HELP, step=0.5)
    upper: float = hyperparameter(1.5, help=UPPER_HELP, step=0.5)
    k: int | None = hyperparameter(None, help=_K_HELP, low=1, step=1)

    family: ClassVar[MechanismFamily] = MechanismFamily.THEIL_SEN

    def _check(self) -> None:
        super()._check()
        validate.ordered(lower=self.lower, upper=self.upper)
        self.grid(np.zeros(1))

    def grid(self, at: Floats) -> PublicGrid:
        return PublicGrid(self.lower, self.upper, at)

    def guarantee(self, epsilon: float) -> Guarantee:
        return PureDP(epsilon)

    def share(self, epsilon: float, releases: int) -> float:
        """The budget of each of so many independent releases that cost epsilon together."""
        return epsilon / releases

    @abstractmethod
    def laws_of(self, lists: Sequence[Floats], epsilon: float, changed: int, grid: PublicGrid) -> Sequence[Law]:
        """The law at each point of the released medians of sorted lists; arguments as in joint_law."""

    @abstractmethod
    def _rank_laws(self, data: Dataset, epsilon: float, grid: PublicGrid) -> Sequence[Law | None]:
        """As laws_of, for all pairs of many records; None where it would take too much memory."""

    @abstractmethod
    def _draw_complete(self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator) -> Floats:
        """release over all pairs, with its arguments checked."""

    def _draw(self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator) -> Floats:
        if pairs.is_complete(data.n, self.k):
            return self._draw_complete(data, epsilon, at, size, rng)
        grid, k = self.grid(at), int(self.k or 0)
        x, y = grid.positions(data.x), grid.positions(data.y)
        drawn = drawn_estimates(x, y, k, grid.heights, size, rng)
        return np.concatenate([self.medians(estimates, epsilon, k, grid, rng).T for estimates in drawn])

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        if not pairs.is_complete(data.n, self.k):
            return self._mixtures(data, epsilon, at)
        grid = self.grid(at)
        if data.n >= ranks.CROSSOVER:
            return self._rank_laws(data, epsilon, grid)
        return self.laws_of(complete_lists(data, grid), epsilon, pairs.lipschitz(data.n, self.k), grid)

    def _mixtures(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law]:
        """One average of conditional laws per point; its matchings come from the mechanism's own stream."""
        k, grid = int(self.k or 0), self.grid(at)
        x, y = grid.positions(data.x), grid.positions(data.y)
        rng = stream(0, "matchings", data.digest, repr(self), at.tolist())

        def conditional_laws(count: int) -> list[list[Law]]:
            estimates = np.sort(pairs.matched_estimates(x, y, k, count, grid.heights, rng), axis=-1)
            lists = pairs.clip_and_place_ties(estimates, *grid.range)
            drawn = [self.laws_of(list(lists[:, trial]), epsilon, k, grid) for trial in range(count)]
            return [list(laws) for laws in zip(*drawn, strict=True)]

        affordable = _MIXTURE_SIZE // (pairs.pair_count(data.n, k) * at.size)
        return draw_mixtures(conditional_laws, data.predict(at), most=min(max(affordable, FIRST), MOST))


def complete_lists(data: Dataset, grid: PublicGrid) -> list[Floats]:
    """All pairwise estimates at each point, sorted, clipped and with a place for every pair of equal x."""
    places = range(grid.at.size)
    return [pairs.clip_and_place_ties(data.sorted_pairs(grid, place), *grid.range) for place in places]


@dataclass(frozen=True)
class SeparateMedians(PrivateTheilSen):
    """One private median per point; each gets epsilon / len(at)."""

    budget_split: ClassVar[BudgetSplit] = BudgetSplit.EQUAL_SHARES
    source: ClassVar[str] = "Algorithm 2"
    in_paper: ClassVar[bool] = True
    corrections: ClassVar[tuple[str, ...]] = (
        "Algorithm 2 hands ε to each of the two medians, so that a pair would cost 2ε; "
        "here each of m points gets ε/m, as the paper's Results do.",
        "Algorithm 2 drops pairs with equal x, so that the number of estimates depends on the data. The exponential "
        "mechanisms are private with dropping, too; smooth sensitivity is not. Here such pairs are kept, one at each "
        "end of [lower, upper] in turn: the median stays where their number is even, and moves by half a rank where "
        "it is odd.",
        "Algorithm 2 assumes an even n; here an odd n gets a dummy record, and each round leaves one out.",
        "The paper computes with real numbers. Floating-point rounding would tell equal estimates apart, and a release "
        "could then reveal one record; here records and estimates are rounded to a public grid (spacing 6e-8 for "
        "ranges up to 8 wide), so that equal estimates are equal.",
    )

    def ledger(self, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Spend, ...]:
        return point_ledger("median of the pairwise estimates", epsilon, at)

    def laws_of(self, lists: Sequence[Floats], epsilon: float, changed: int, grid: PublicGrid) -> Sequence[Law]:
        return [self._median_law(z, self.share(epsilon, len(lists)), changed, grid) for z in lists]

    def joint_law(self, lists: Sequence[Floats], epsilon: float, changed: int, grid: PublicGrid) -> JointLaw:
        return JointLaw([(1.0, self.laws_of(lists, epsilon, changed, grid))])

    def _draw_complete(self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator) -> Floats:
        laws = self._laws(data, epsilon, at)
        if any(law is None for law in laws):
            raise ValueError(
                f"{self.name} over all pairs is out of reach at n = {data.n:,} and epsilon = {epsilon:g}; choose k "
                "matchings"
            )
        return np.column_stack([law.sample(size, rng) for law in laws if law is not None])

    def _rank_laws(self, data: Dataset, epsilon: float, grid: PublicGrid) -> Sequence[Law | None]:
        """Each made once for law and release together: it takes seconds."""
        share = self.share(epsilon, grid.at.size)

        def law(place: int) -> Law | None:
            key = repr(self), share, grid.bits, float(grid.at[place])
            return data.cached(key, lambda: self._rank_law(data.pair_ranks(grid, place), share, grid))

        return [law(place) for place in range(grid.at.size)]

    @abstractmethod
    def _median_law(self, z: Floats, epsilon: float, changed: int, grid: PublicGrid) -> Law:
        """The law of the private median of sorted z on the grid, of which one record changes so many entries.

        epsilon: the budget of this median.
        """

    @abstractmethod
    def _rank_law(self, ranks: PairRanks, epsilon: float, grid: PublicGrid) -> Law | None:
        """As _median_law, for all pairs of many records; None where it would take too much memory."""
