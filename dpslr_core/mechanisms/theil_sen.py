"""The Theil-Sen family (Algorithm 2): one private median per point, or one draw for all points together."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .. import pairs
from ..dataset import Dataset
from ..laws import medians
from ..laws.base import Law
from ..laws.by_rank import exponential_law, joint_medians, smooth_median, widened_law, within_reach
from ..laws.joint import JointLaw, JointMedianLaw, RankBounds
from ..laws.named import StudentT
from ..laws.piecewise import PiecewiseUniform
from ..pairs import ranks
from ..pairs.grid import PublicGrid
from ..pairs.matchings import SortedEstimates
from ..pairs.ranks import CellCounts, PairRanks
from ..privacy import NoiseKind
from ..support import validate
from ..support.run import checkpoint
from ..support.types import Floats
from .base import RANGE_SOURCE, BoundedRange, BudgetSplit, View, hyperparameter
from .pairwise import PrivateTheilSen, per_estimate

_CELLS = (
    "A floating-point number drawn between two estimates tells by its last digits between which "
    "two. Here a release is "
    "a cell of that grid, and within it random digits that depend on nothing else."
)


@dataclass(frozen=True)
class SeparateMedians(PrivateTheilSen):
    """Base of the algorithms with one private median per point at epsilon / len(at), as in the paper's Results."""

    budget_split: ClassVar[BudgetSplit] = BudgetSplit.EQUAL_SHARES
    released: ClassVar[str] = "median of the pairwise estimates"
    source: ClassVar[str] = "Algorithm 2"
    in_paper: ClassVar[bool] = True
    corrections: ClassVar[tuple[str, ...]] = (
        "Algorithm 2 hands ε to each of the two medians, so that a pair would cost 2ε. "
        "Here each of m points gets ε/m, as in the paper's Results.",
        "Algorithm 2 drops pairs with equal x, so that the number of estimates depends on the "
        "data. The exponential "
        "mechanisms are private with dropping, too; smooth sensitivity is not. Here such pairs "
        "are kept, one at each "
        "end of [lower, upper] in turn. If their number is even the median stays; if it is odd "
        "it moves by half a rank.",
        "Algorithm 2 assumes an even n. Here an odd n gets a dummy record, and each round leaves "
        "one out.",
        "The paper computes with real numbers. Floating-point rounding would tell equal "
        "estimates apart, and a release "
        "could then reveal one record. Here records and estimates are rounded to a public grid, "
        "so that equal estimates are equal. Its spacing is 6e-8 for ranges up to 8 wide.",
    )

    def laws_of(
        self, lists: Sequence[Floats], epsilon: float, changed: int, grid: PublicGrid
    ) -> Sequence[Law]:
        laws = []
        for edges in lists:
            checkpoint()
            laws.append(
                self._median_law(edges, self.draws(epsilon, len(lists))[0].size, changed, grid)
            )
        return laws

    def joint_law(
        self, lists: Sequence[Floats], epsilon: float, changed: int, grid: PublicGrid
    ) -> JointLaw:
        return JointLaw([(1.0, self.laws_of(lists, epsilon, changed, grid))])

    def _draw_complete(
        self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator
    ) -> Floats:
        laws = self._laws(data, epsilon, at)
        if any(law is None for law in laws):
            raise ValueError(
                f"{self.name} over all pairs is out of reach at n = {data.n:,} and epsilon = "
                f"{epsilon:g}; choose k "
                "matchings"
            )
        return np.column_stack([law.sample(size, rng) for law in laws if law is not None])

    def _rank_laws(self, data: Dataset, epsilon: float, grid: PublicGrid) -> Sequence[Law | None]:
        """Compute the laws from rank queries, which takes seconds; cached, as law and release use the same laws."""
        share = self.draws(epsilon, grid.at.size)[0].size

        def law(point: int) -> Law | None:
            key = repr(self), share, grid.bits, float(grid.at[point])
            return data.cached(
                key, lambda: self._rank_law(data.pair_ranks(grid, point), share, grid)
            )

        return [law(point) for point in range(grid.at.size)]

    @abstractmethod
    def _median_law(self, edges: Floats, epsilon: float, changed: int, grid: PublicGrid) -> Law:
        """Compute the law of the private median of one sorted list on the grid.

        Parameters
        ----------
        edges : array, shape (N + 2,)
            Sorted estimates between both ends of the range.
        epsilon : float
            Budget of this median.
        changed : int
            Number of estimates that one record can change.
        grid : PublicGrid
            Grid with the range.
        """

    @abstractmethod
    def _rank_law(self, ranks: PairRanks, epsilon: float, grid: PublicGrid) -> Law | None:
        """Compute the law of one private median over all pairs of many records; None if out of memory's reach."""


@dataclass(frozen=True)
class ExponentialMedians(SeparateMedians):
    """Base of the private medians by the exponential mechanism, whose density is constant in pieces."""

    noise_kind: ClassVar[NoiseKind] = NoiseKind.BOUNDED_RANGE

    @abstractmethod
    def _pieces(self, edges: Floats, epsilon: float, grid: PublicGrid) -> tuple[Floats, Floats]:
        """Compute edges and log densities of the pieces for sorted lists between both ends of the range.

        Parameters
        ----------
        edges : array, shape (..., N + 2)
            Sorted estimates between both ends of the range.
        epsilon : float
            Budget per changed estimate.
        grid : PublicGrid
            Grid with the range.
        """

    def _median_law(self, edges: Floats, epsilon: float, changed: int, grid: PublicGrid) -> Law:
        return PiecewiseUniform(*self._pieces(edges, per_estimate(epsilon, changed), grid))

    def medians(
        self,
        estimates: SortedEstimates,
        epsilon: float,
        changed: int,
        grid: PublicGrid,
        rng: np.random.Generator,
    ) -> Floats:
        budget = per_estimate(self.draws(epsilon, grid.at.size)[0].size, changed)
        pieces = partial(self._pieces, epsilon=budget, grid=grid)
        return medians.draw_median(estimates, pieces, budget, *grid.range, rng)


@dataclass(frozen=True)
class DPExpTheilSen(ExponentialMedians):
    """The median of the pairwise estimates by the exponential mechanism.

    $$
    \\text{density}(r)\\propto \\exp\\Bigl(-\\tfrac{\\varepsilon'}{4}\\,
    \\bigl|\\#\\{z>r\\}-\\#\\{z<r\\}\\bigr|\\Bigr)\\text{ on }[\\text{lower},\\text{upper}],\\qquad
    \\varepsilon'=\\frac{\\varepsilon}{m\\,k}
    $$

    With all pairs k = n − 1. Best in most small-data settings. It is weak where the estimates are so concentrated
    that no room is left around their median. So it is where the range is wide and ε small.
    """

    source: ClassVar[str] = "Algorithms 2 and 3"
    corrections: ClassVar[tuple[str, ...]] = (*SeparateMedians.corrections, _CELLS)

    def _pieces(self, edges: Floats, epsilon: float, grid: PublicGrid) -> tuple[Floats, Floats]:
        return edges, medians.exponential_log_density(edges.shape[-1] - 2, epsilon)

    def _rank_law(self, ranks: PairRanks, epsilon: float, grid: PublicGrid) -> Law:
        return exponential_law(ranks, per_estimate(epsilon, ranks.n - 1), grid)


@dataclass(frozen=True)
class DPWideTheilSen(ExponentialMedians):
    """DPExpTheilSen with every point within theta of the median as good as the median.

    $$
    u(r)=\\min_{|a-r|\\le\\theta}\\bigl|\\#\\{z>a\\}-\\#\\{z<a\\}\\bigr|,\\qquad
    \\text{density}(r)\\propto e^{-\\varepsilon' u(r)/4}
    $$

    Meant for data with little noise, whose pairwise estimates almost coincide. theta is also a floor under its
    error. Where it is far larger than the standard error it does harm.
    """

    theta: float = hyperparameter(
        0.01,
        help="Widening: outputs within theta of the median count as the median.",
        low=0.0,
        step=0.005,
    )

    strength: ClassVar[str] = (
        "widening makes room of 2 θ at the median where its density is highest"
    )
    source: ClassVar[str] = "Algorithms 2 and 4"
    corrections: ClassVar[tuple[str, ...]] = (
        *SeparateMedians.corrections,
        _CELLS,
        "Algorithm 4's line for the upper half has the wrong index and gives intervals of "
        "negative length. Here "
        "the density is computed from the definition of the widened utility. (A variant inserts "
        "a second copy of the median. With k = 1 and four estimates it loses 1.32 at ε = 1.)",
    )

    def _check(self) -> None:
        super()._check()
        validate.non_negative(theta=self.theta)

    def _reach(self, grid: PublicGrid) -> float:
        """Round theta to the grid; a theta above the width of the range counts as that width."""
        return grid.rounded(min(self.theta, self.upper - self.lower))

    def _pieces(self, edges: Floats, epsilon: float, grid: PublicGrid) -> tuple[Floats, Floats]:
        return medians.widened_pieces(edges[..., 1:-1], epsilon, *grid.range, self._reach(grid))

    def _rank_law(self, ranks: PairRanks, epsilon: float, grid: PublicGrid) -> Law:
        return widened_law(ranks, per_estimate(epsilon, ranks.n - 1), grid, self._reach(grid))


_LEAST_NOISE = 1 / 16  # the smallest scale of Student-t noise, in spacings of the grid


@dataclass(frozen=True)
class DPSSTheilSen(SeparateMedians):
    """The median of the pairwise estimates plus Student-t noise scaled to its smooth sensitivity.

    $$
    \\tilde p = z_m + \\frac{S}{s}\\,T_{df},\\quad
    S=\\max_{l\\ge0}e^{-lt}\\max_{0\\le j\\le k(l+1)}\\bigl(z_{m+j}-z_{m-k(l+1)+j}\\bigr),\\quad
    t=\\frac{\\varepsilon''\\beta}{df+1},\\; s=\\frac{2\\sqrt{df}\\,(\\varepsilon''-t(df+1))}{df+1}
    $$

    with $\\varepsilon''=\\varepsilon/m$ and m = ⌈N/2⌉ in the index. The scale S/s is at least a sixteenth of the
    grid's spacing, 4e-9 for ranges up to 8 wide. It stays private, for the larger of two t-smooth bounds is one. And S
    cannot underflow to 0 on one of two neighbours only. It adapts to data whose estimates lie close to the median; its
    tails are heavy. There is no zCDP variant: its log density ratio lies within ±ε'', from which zCDP gains nothing at
    a point. Unlike the other Theil-Sen algorithms it adds noise in floating-point numbers, whose last digits can tell
    neighbouring data sets apart.
    """

    df: float = hyperparameter(
        3.0, help="Degrees of freedom of the Student-t noise (d).", low=0.5, step=0.5
    )
    beta: float = hyperparameter(
        0.5, help="Share of the budget that pays for smoothness.", low=0.0, high=0.95, step=0.05
    )

    in_cells: ClassVar[bool] = False
    strength: ClassVar[str] = "its noise adapts to estimates that lie close to the median"
    source: ClassVar[str] = "Algorithms 2 and 5, the lemma on smooth sensitivity"
    corrections: ClassVar[tuple[str, ...]] = (
        *SeparateMedians.corrections,
        "The lemma on smooth sensitivity stands in two forms that disagree. The appendix's is "
        "used, with both ends of "
        "s. The main text's differs by a factor that depends on the data. It is about 2 to 3 on "
        "hundreds of normal values, and a half or eight on short lists.",
        "Algorithm 5 adds its noise to the median. An even number of estimates has two middle "
        "ones, and their mean "
        "moves by up to (1 + eᵗ)/2 times S. Here noise and sensitivity are about the same entry "
        "z_m, m = ⌈N/2⌉.",
        "The last line of the Student-t lemma's proof has a typo: median + S/s + N for median + "
        "(S/s) N.",
    )

    def _check(self) -> None:
        super()._check()
        validate.positive(df=self.df)
        validate.inside(0, 1, closed="left", beta=self.beta)

    def _smoothness(self, epsilon: float) -> tuple[float, float]:
        """Compute t, the smoothness of the sensitivity, and s, the divisor of the sensitivity in the scale S / s."""
        epsilon = min(epsilon, 1e300)  # less is as private, and nothing below overflows
        t = epsilon * self.beta / (self.df + 1)
        return t, 2 * np.sqrt(self.df) * (epsilon - t * (self.df + 1)) / (self.df + 1)

    def _median_law(self, edges: Floats, epsilon: float, changed: int, grid: PublicGrid) -> Law:
        t, s = self._smoothness(epsilon)  # epsilon is not divided by k: S counts the k changes
        z = edges[1:-1]
        least = s * _LEAST_NOISE * grid.spacing
        spread = medians.smooth_sensitivity(z, changed, t, *grid.range, least)
        return StudentT(float(medians.lower_median(z)), float(_scale(spread, s)), self.df)

    def _rank_law(self, ranks: PairRanks, epsilon: float, grid: PublicGrid) -> Law | None:
        t, s = self._smoothness(epsilon)
        counts, least = CellCounts(ranks.central, grid.first, grid.last), s * _LEAST_NOISE
        if not within_reach(ranks.n, counts.cells, t, least):
            return None
        middle, spread = smooth_median(counts, t, least)
        return StudentT(
            (grid.first + middle) * grid.spacing, float(_scale(spread * grid.spacing, s)), self.df
        )

    def medians(
        self,
        estimates: SortedEstimates,
        epsilon: float,
        changed: int,
        grid: PublicGrid,
        rng: np.random.Generator,
    ) -> Floats:
        t, s = self._smoothness(self.draws(epsilon, grid.at.size)[0].size)
        location, spread = medians.medians_and_sensitivities(
            estimates, changed, t, *grid.range, least=s * _LEAST_NOISE * grid.spacing
        )
        return location + _scale(spread, s) * rng.standard_t(self.df, location.shape)


def _scale(spread: ArrayLike, s: float) -> Floats:
    """Compute S / s; infinite where epsilon is so small that s is 0 in floating-point numbers."""
    with np.errstate(divide="ignore", over="ignore"):
        return np.divide(spread, s)


@dataclass(frozen=True)
class JointTheilSen(PrivateTheilSen):
    """The medians of the pairwise estimates at all points by one draw of the exponential mechanism.

    $$
    \\text{density}(p_1,\\dots,p_m)\\propto \\exp\\Bigl(-\\tfrac{\\varepsilon}{4k}\\,\\max_j
    \\bigl|\\#\\{z_j>p_j\\}-\\#\\{z_j<p_j\\}\\bigr|\\Bigr)\\text{ on }[\\text{lower},\\text{upper}]^m
    $$

    With all pairs k = n − 1. Replacing a record changes the same k pairs at every point. So each absolute difference
    changes by at most 2k, and so does the largest of them. ε pays for all points at once and is not split. At one point
    it is DPExpTheilSen. At two to four points it is better, or as good where ε n is small. At eight or more it is
    worse: all points must be near their medians together.
    """

    budget_split: ClassVar[BudgetSplit] = BudgetSplit.TOGETHER
    noise_kind: ClassVar[NoiseKind] = NoiseKind.BOUNDED_RANGE
    released: ClassVar[str] = "medians of the pairwise estimates at all points, one draw"
    strength: ClassVar[str] = "one draw for all points together, so that ε is not split over them"
    source: ClassVar[str] = (
        "The exponential mechanism of Algorithm 3 with the largest score of all points"
    )

    def view(self, data: Dataset, epsilon: float, at: Floats) -> View:
        if pairs.is_complete(data.n, self.k):
            return View(data, self._complete_law(data, epsilon, self.grid(at)))
        return super().view(data, epsilon, at)

    def joint_law(
        self, lists: Sequence[Floats], epsilon: float, changed: int, grid: PublicGrid
    ) -> JointMedianLaw:
        points = [RankBounds.of_list(edges) for edges in lists]
        return JointMedianLaw(
            points, lists[0].size - 2, per_estimate(self.draws(epsilon)[0].size, changed) / 4
        )

    def laws_of(
        self, lists: Sequence[Floats], epsilon: float, changed: int, grid: PublicGrid
    ) -> Sequence[Law]:
        return self.joint_law(lists, epsilon, changed, grid).marginals()

    def medians(
        self,
        estimates: SortedEstimates,
        epsilon: float,
        changed: int,
        grid: PublicGrid,
        rng: np.random.Generator,
    ) -> Floats:
        return medians.draw_together(
            estimates, per_estimate(self.draws(epsilon)[0].size, changed), *grid.range, rng
        )

    def _draw_complete(
        self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator
    ) -> Floats:
        return self._complete_law(data, epsilon, self.grid(at)).sample(size, rng)

    def _rank_laws(self, data: Dataset, epsilon: float, grid: PublicGrid) -> Sequence[Law]:
        return self._complete_law(data, epsilon, grid).marginals()

    def _complete_law(self, data: Dataset, epsilon: float, grid: PublicGrid) -> JointMedianLaw:
        """Compute the joint law over all pairs; from rank queries it is cached, as law and release use the same law."""
        if data.n < ranks.CROSSOVER:
            return self.joint_law(data.pair_lists(grid), epsilon, data.n - 1, grid)

        def make() -> JointMedianLaw:
            at_points = [data.pair_ranks(grid, point) for point in range(grid.at.size)]
            return joint_medians(
                at_points, per_estimate(self.draws(epsilon)[0].size, data.n - 1), grid
            )

        return data.cached((repr(self), epsilon, grid.bits, *grid.at.tolist()), make)


@dataclass(frozen=True)
class JointTheilSenZCDP(BoundedRange, JointTheilSen):
    """JointTheilSen with a zCDP budget, which is worth twice its ε.

    $$
    \\text{density}(p_1,\\dots,p_m)\\propto \\exp\\Bigl(-\\tfrac{\\eta}{4k}\\,\\max_j
    \\bigl|\\#\\{z_j>p_j\\}-\\#\\{z_j<p_j\\}\\bigr|\\Bigr),\\qquad \\eta=\\sqrt{8\\rho},\\; \\rho=\\varepsilon^2/2
    $$

    One draw for all points costs η²/8 in zCDP. The promise is weaker than ε-differential privacy.
    """

    source: ClassVar[str] = f"{JointTheilSen.source}. {RANGE_SOURCE}"


@dataclass(frozen=True)
class DPExpTheilSenZCDP(BoundedRange, DPExpTheilSen):
    """DPExpTheilSen with a zCDP budget: ρ/m for each of m points is 2√m times its ε/m.

    $$
    \\text{density}(r)\\propto \\exp\\Bigl(-\\tfrac{\\eta}{4k}\\,
    \\bigl|\\#\\{z>r\\}-\\#\\{z<r\\}\\bigr|\\Bigr)\\text{ on }[\\text{lower},\\text{upper}],\\qquad
    \\eta=\\sqrt{8\\rho/m},\\; \\rho=\\varepsilon^2/2
    $$

    The log density ratio between neighbours lies in an interval of length η, so that a draw costs η²/8 in zCDP. The
    promise is weaker than ε-differential privacy: compare it with other algorithms that promise zCDP.
    """

    budget_split: ClassVar[BudgetSplit] = BudgetSplit.EQUAL_RHO
    source: ClassVar[str] = f"{DPExpTheilSen.source}. {RANGE_SOURCE}"


@dataclass(frozen=True)
class DPWideTheilSenZCDP(BoundedRange, DPWideTheilSen):
    """DPWideTheilSen with a zCDP budget: ρ/m for each of m points is 2√m times its ε/m.

    $$
    u(r)=\\min_{|a-r|\\le\\theta}\\bigl|\\#\\{z>a\\}-\\#\\{z<a\\}\\bigr|,\\qquad
    \\text{density}(r)\\propto e^{-\\eta u(r)/(4k)},\\qquad \\eta=\\sqrt{8\\rho/m},\\; \\rho=\\varepsilon^2/2
    $$

    As for DPExpTheilSenZCDP, a draw costs η²/8 in zCDP. The promise is weaker than ε-differential privacy.
    """

    budget_split: ClassVar[BudgetSplit] = BudgetSplit.EQUAL_RHO
    source: ClassVar[str] = f"{DPWideTheilSen.source}. {RANGE_SOURCE}"
