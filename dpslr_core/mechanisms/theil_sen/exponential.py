"""The Theil-Sen family: a private median of the pairwise estimates, one median per point."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ... import pairs
from ...dataset import Dataset
from ...laws import medians
from ...laws.base import Law
from ...laws.by_rank import exponential_law, widened_law
from ...laws.mixture import FIRST, MOST, draw_mixtures
from ...laws.piecewise import PiecewiseUniform
from ...pairs import ranks
from ...pairs.grid import PublicGrid
from ...pairs.partially_sorted import PartiallySorted
from ...pairs.ranks import PairRanks
from ...privacy import Guarantee, NoiseKind, PureDP, Spend
from ...support import validate
from ...support.run import QUARTERS
from ...support.streams import stream
from ...support.types import Floats
from ..base import hyperparameter, point_ledger
from ..family import BudgetSplit, MechanismFamily
from .matchings import MatchingMechanism, drawn_estimates

_LOWER_HELP = "Lower end of the range that predictions are searched in (public knowledge)."
_UPPER_HELP = "Upper end of the range that predictions are searched in (public knowledge)."
_MIXTURE_SIZE = 4_000_000  # pairwise estimates held in one average of conditional laws
_K_HELP = "Number of random matchings; empty = all pairs."


@dataclass(frozen=True)
class PrivateTheilSen(MatchingMechanism):
    """A private median of the pairwise estimates; each point gets epsilon / len(at).

    Private for every data set and every n: a record on the public grid is a function of itself alone, and a pair's
    estimate of its two records, so that replacing a record changes at most k of the N estimates, and N is public. Then
    the score |A - B| of a grid cell (A, B: estimates above and below it) changes by at most 2k, and the exponential
    mechanism with weight exp(-eps |A - B| / (4k)), uniform within a cell, is eps-differentially private; so it is with
    the least score within theta. Scores are exact whole numbers, from sorted lists and rank queries alike (PublicGrid).
    """

    lower: float = hyperparameter(-0.5, help=_LOWER_HELP, step=0.5)
    upper: float = hyperparameter(1.5, help=_UPPER_HELP, step=0.5)
    k: int | None = hyperparameter(None, help=_K_HELP, low=1, step=1)

    family: ClassVar[MechanismFamily] = MechanismFamily.THEIL_SEN
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

    def _check(self) -> None:
        super()._check()
        validate.ordered(lower=self.lower, upper=self.upper)
        self.grid(np.zeros(1))

    def grid(self, at: Floats) -> PublicGrid:
        return PublicGrid(self.lower, self.upper, at)

    def guarantee(self, epsilon: float) -> Guarantee:
        return PureDP(epsilon)

    def ledger(self, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Spend, ...]:
        return point_ledger("median of the pairwise estimates", epsilon, at)

    def _draw(self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator) -> Floats:
        grid = self.grid(at)
        if pairs.is_complete(data.n, self.k):
            laws = self._laws(data, epsilon, at)
            if any(law is None for law in laws):
                raise ValueError(
                    f"{self.name} over all pairs is out of reach at n = {data.n:,} and epsilon = {epsilon:g}; choose k "
                    "matchings"
                )
            return np.column_stack([law.sample(size, rng) for law in laws if law is not None])

        x, y, k = grid.positions(data.x), grid.positions(data.y), int(self.k or 0)
        drawn = drawn_estimates(x, y, k, grid.heights, size, rng)
        return np.concatenate([self.medians(estimates, epsilon / at.size, k, grid, rng).T for estimates in drawn])

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        if not pairs.is_complete(data.n, self.k):
            return self._mixtures(data, epsilon, at)
        grid, share, changed = self.grid(at), epsilon / at.size, pairs.lipschitz(data.n, self.k)
        if data.n >= ranks.CROSSOVER:
            return [self._cached_rank_law(data, share, grid, point) for point in range(at.size)]
        lists = (pairs.clip_and_place_ties(data.sorted_pairs(grid, point), *grid.range) for point in range(at.size))
        return [self._median_law(z, share, changed, grid) for z in lists]

    def _mixtures(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law]:
        """One average of conditional laws per point; its matchings come from the mechanism's own stream."""
        k, grid = int(self.k or 0), self.grid(at)
        x, y = grid.positions(data.x), grid.positions(data.y)
        rng = stream(0, "matchings", data.digest, repr(self), at.tolist())

        def conditional_laws(count: int) -> list[list[Law]]:
            estimates = np.sort(pairs.matched_estimates(x, y, k, count, grid.heights, rng), axis=-1)
            lists = pairs.clip_and_place_ties(estimates, *grid.range)
            return [[self._median_law(z, epsilon / at.size, k, grid) for z in drawn] for drawn in lists]

        affordable = _MIXTURE_SIZE // (pairs.pair_count(data.n, k) * at.size)
        return draw_mixtures(conditional_laws, data.predict(at), most=min(max(affordable, FIRST), MOST))

    def _cached_rank_law(self, data: Dataset, epsilon: float, grid: PublicGrid, point: int) -> Law | None:
        """The rank law, made once for law and release together: it takes seconds."""
        key = (repr(self), epsilon, grid.bits, float(grid.at[point]))
        return data.cached(key, lambda: self._rank_law(data.pair_ranks(grid, point), epsilon, grid))

    @abstractmethod
    def _median_law(self, z: Floats, epsilon: float, changed: int, grid: PublicGrid) -> Law:
        """The law of the private median of sorted z on the grid, of which one record changes so many entries."""

    @abstractmethod
    def _rank_law(self, ranks: PairRanks, epsilon: float, grid: PublicGrid) -> Law | None:
        """As _median_law, for all pairs of many records; None where it would take too much memory."""


def _per_estimate(epsilon: float, changed: int) -> float:
    """The budget per changed estimate of an exponential mechanism.

    Scores are whole numbers up to 10^14: beyond these ends the density is the same in floating-point numbers.
    """
    return min(max(epsilon / changed, 1e-290), 1e6)


@dataclass(frozen=True)
class DPExpTheilSen(PrivateTheilSen):
    """The median of the pairwise estimates by the exponential mechanism.

    $$
    \\text{density}(r)\\propto \\exp\\Bigl(-\\tfrac{\\varepsilon'}{4}\\,
    \\bigl|\\#\\{z>r\\}-\\#\\{z<r\\}\\bigr|\\Bigr)\\text{ on }[\\text{lower},\\text{upper}],\\qquad
    \\varepsilon'=\\frac{\\varepsilon}{m\\,k}
    $$

    With all pairs k = n − 1. Best in most small-data settings; weak where the estimates are so concentrated
    that no room is left around their median, and where the range is wide while ε is small.
    """

    noise_kind: ClassVar[NoiseKind] = NoiseKind.BOUNDED_RANGE
    source: ClassVar[str] = "Algorithms 2 and 3"

    def _median_law(self, z: Floats, epsilon: float, changed: int, grid: PublicGrid) -> Law:
        return PiecewiseUniform(*medians.exponential_pieces(z, _per_estimate(epsilon, changed), *grid.range))

    def _rank_law(self, ranks: PairRanks, epsilon: float, grid: PublicGrid) -> Law:
        return exponential_law(ranks, _per_estimate(epsilon, ranks.n - 1), grid)

    def medians(
        self, estimates: PartiallySorted, epsilon: float, changed: int, grid: PublicGrid, rng: np.random.Generator
    ) -> Floats:
        settings = _per_estimate(epsilon, changed), *grid.range
        return medians.draw_median(estimates, lambda z: medians.exponential_pieces(z, *settings), *settings, rng)


@dataclass(frozen=True)
class DPWideTheilSen(PrivateTheilSen):
    """As DPExpTheilSen, with every point within theta of the median as good as the median.

    $$
    u(r)=\\min_{|a-r|\\le\\theta}\\bigl|\\#\\{z>a\\}-\\#\\{z<a\\}\\bigr|,\\qquad
    \\text{density}(r)\\propto e^{-\\varepsilon' u(r)/4}
    $$

    Meant for data with little noise, whose pairwise estimates almost coincide. theta is also a floor under its
    error: far larger than the standard error it does harm.
    """

    theta: float = hyperparameter(
        0.01, help="Widening: outputs within theta of the median count as the median.", low=0.0, step=0.005
    )

    noise_kind: ClassVar[NoiseKind] = NoiseKind.BOUNDED_RANGE
    strength: ClassVar[str] = "widening makes room of 2 θ at the median where its density is highest"
    source: ClassVar[str] = "Algorithms 2 and 4"
    corrections: ClassVar[tuple[str, ...]] = (
        *PrivateTheilSen.corrections,
        "Algorithm 4's line for the upper half has the wrong index and gives intervals of negative length. Here "
        "the density is computed from the definition of the widened utility. (A variant that inserts a second "
        "copy of the median, with k = 1 and four estimates, loses 1.32 at ε = 1.)",
    )

    def _check(self) -> None:
        super()._check()
        validate.non_negative(theta=self.theta)

    def _reach(self, grid: PublicGrid) -> float:
        """theta on the grid; more than the whole range is no wider."""
        return grid.rounded(min(self.theta, self.upper - self.lower))

    def _median_law(self, z: Floats, epsilon: float, changed: int, grid: PublicGrid) -> Law:
        settings = _per_estimate(epsilon, changed), *grid.range
        return PiecewiseUniform(*medians.widened_pieces(z, *settings, self._reach(grid)))

    def _rank_law(self, ranks: PairRanks, epsilon: float, grid: PublicGrid) -> Law:
        return widened_law(ranks, _per_estimate(epsilon, ranks.n - 1), grid, self._reach(grid))

    def medians(
        self, estimates: PartiallySorted, epsilon: float, changed: int, grid: PublicGrid, rng: np.random.Generator
    ) -> Floats:
        settings, theta = (_per_estimate(epsilon, changed), *grid.range), self._reach(grid)
        return medians.draw_median(estimates, lambda z: medians.widened_pieces(z, *settings, theta), *settings, rng)
