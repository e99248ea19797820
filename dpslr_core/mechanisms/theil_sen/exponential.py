"""Theil-Sen by one private median per point; by the exponential mechanism, plain and widened."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ... import pairs
from ...dataset import Dataset
from ...intervals.quantile_interval import pairwise_slopes, slope_intervals
from ...intervals.result import Intervals
from ...laws import medians
from ...laws.base import Law
from ...laws.by_rank import exponential_law, widened_law
from ...laws.joint import JointLaw
from ...laws.piecewise import PiecewiseUniform
from ...pairs.grid import PublicGrid
from ...pairs.partially_sorted import PartiallySorted
from ...pairs.ranks import PairRanks
from ...privacy import NoiseKind, ReleaseKind, Spend
from ...support import validate
from ...support.run import QUARTERS, checkpoint
from ...support.types import Floats
from ..base import hyperparameter, point_ledger
from ..family import BudgetSplit
from .matchings import PrivateTheilSen, per_estimate

_MOST_COMPLETE = 5_000  # records whose pairs are all sorted for an interval; 100 MB
_CELLS = (
    "A floating-point number drawn between two estimates tells by its last digits between which two. Here a release is "
    "a cell of that grid, and within it random digits that depend on nothing else."
)


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
        laws = []
        for edges in lists:
            checkpoint()
            laws.append(self._median_law(edges, self.draws(epsilon, len(lists))[0].size, changed, grid))
        return laws

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
        share = self.draws(epsilon, grid.at.size)[0].size

        def law(place: int) -> Law | None:
            key = repr(self), share, grid.bits, float(grid.at[place])
            return data.cached(key, lambda: self._rank_law(data.pair_ranks(grid, place), share, grid))

        return [law(place) for place in range(grid.at.size)]

    @abstractmethod
    def _median_law(self, edges: Floats, epsilon: float, changed: int, grid: PublicGrid) -> Law:
        """The law of the private median of a sorted list on the grid, of which one record changes so many entries.

        edges: the list with both ends of the range around it, shape (N + 2,).
        epsilon: the budget of this median.
        """

    @abstractmethod
    def _rank_law(self, ranks: PairRanks, epsilon: float, grid: PublicGrid) -> Law | None:
        """As _median_law, for all pairs of many records; None where it would take too much memory."""


@dataclass(frozen=True)
class DPExpTheilSen(SeparateMedians):
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
    corrections: ClassVar[tuple[str, ...]] = (*SeparateMedians.corrections, _CELLS)

    def release_slope_intervals(
        self, data: Dataset, epsilon: float, level: float = 0.95, size: int = 1000, *, rng: np.random.Generator
    ) -> Intervals:
        """size releases of an interval for the true slope, each of which costs epsilon in all: half for each end.

        It holds the slope with chance level or more, to normal theory of ranks, where the errors are independent and
        alike and the slope is within twice upper - lower of 0. ValueError as for release, unless level is between 0
        and 1, and where k is None for more than 5,000 records, whose pairs would not fit into memory.
        """
        validate.positive(epsilon=epsilon)
        validate.inside(0, 1, closed="neither", level=level)
        validate.integer(1, size=size)
        validate.generator(rng=rng)
        if pairs.is_complete(data.n, self.k) and data.n > _MOST_COMPLETE:
            raise ValueError(f"k must be a number of matchings for more than {_MOST_COMPLETE:,} records, got {self.k}")
        steepest = 2 * (self.upper - self.lower)  # of a line that is within the range at 1/4 and at 3/4
        slopes = pairwise_slopes(data.x, data.y, self.k, steepest, int(size), rng)
        changed, end = pairs.lipschitz(data.n, self.k), self.draws(epsilon, 1, ReleaseKind.SLOPE_INTERVAL)[0]
        return slope_intervals(slopes, changed, steepest, float(level), end.size, rng)

    def interval_ledger(self, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Spend, ...]:
        """The ledger of release_slope_intervals."""
        return tuple(Spend(f"{end} end of the interval for the slope", epsilon / 2) for end in ("lower", "upper"))

    def _median_law(self, edges: Floats, epsilon: float, changed: int, grid: PublicGrid) -> Law:
        return PiecewiseUniform(edges, medians.exponential_log_density(edges.size - 2, per_estimate(epsilon, changed)))

    def _rank_law(self, ranks: PairRanks, epsilon: float, grid: PublicGrid) -> Law:
        return exponential_law(ranks, per_estimate(epsilon, ranks.n - 1), grid)

    def medians(
        self, estimates: PartiallySorted, epsilon: float, changed: int, grid: PublicGrid, rng: np.random.Generator
    ) -> Floats:
        settings = per_estimate(self.draws(epsilon, grid.at.size)[0].size, changed), *grid.range
        return medians.draw_median(estimates, lambda z: medians.exponential_pieces(z, *settings), *settings, rng)


@dataclass(frozen=True)
class DPWideTheilSen(SeparateMedians):
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
        *SeparateMedians.corrections,
        _CELLS,
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

    def _median_law(self, edges: Floats, epsilon: float, changed: int, grid: PublicGrid) -> Law:
        settings = per_estimate(epsilon, changed), *grid.range
        return PiecewiseUniform(*medians.widened_pieces(edges[1:-1], *settings, self._reach(grid)))

    def _rank_law(self, ranks: PairRanks, epsilon: float, grid: PublicGrid) -> Law:
        return widened_law(ranks, per_estimate(epsilon, ranks.n - 1), grid, self._reach(grid))

    def medians(
        self, estimates: PartiallySorted, epsilon: float, changed: int, grid: PublicGrid, rng: np.random.Generator
    ) -> Floats:
        settings = per_estimate(self.draws(epsilon, grid.at.size)[0].size, changed), *grid.range
        theta = self._reach(grid)
        return medians.draw_median(estimates, lambda z: medians.widened_pieces(z, *settings, theta), *settings, rng)
