"""The Theil-Sen family: a private median of the pairwise estimates, one median per point."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .. import _validate, medians, pairwise
from .._types import Floats
from ..dataset import Dataset
from ..laws import Law, StudentT
from ..laws.by_rank import exponential_law, smooth_median, widened_law, within_reach
from ..laws.mixtures import FIRST, MOST, draw_mixtures
from ..laws.piecewise import PiecewiseUniform
from ..pairwise import PublicGrid, ranks
from ..pairwise.cell_counts import CellCounts
from ..pairwise.middles import Middles
from ..pairwise.ranks import PairRanks
from ..privacy import Guarantee, PureDP, Spend
from ..streams import stream
from .base import QUARTERS, hyperparameter, point_ledger
from .matchings import MatchingMechanism, in_chunks

_LOWER_HELP = "Lower end of the range that predictions are searched in (public knowledge)."
_UPPER_HELP = "Upper end of the range that predictions are searched in (public knowledge)."
_MIXTURE_SIZE = 4_000_000  # pairwise estimates held in one average of conditional laws
_LEAST_NOISE = 1 / 16  # the smallest scale of Student-t noise, in spacings of the grid
_K_HELP = "Number of random matchings; empty = all pairs."


@dataclass(frozen=True)
class _PrivateTheilSen(MatchingMechanism):
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

    source: ClassVar[str] = "Algorithm 2"
    corrections: ClassVar[tuple[str, ...]] = (
        "Algorithm 2 hands ε to each of the two medians, so that a pair would cost 2ε; "
        "here each of m points gets ε/m, as the paper's Results do.",
        "Algorithm 2 drops pairs with equal x, so that the number of estimates depends on the data. The exponential "
        "mechanisms are private with dropping, too; smooth sensitivity is not. Here such pairs are kept, one at each "
        "end of [lower, upper] in turn: the median stays where their number is even, and moves by half a rank where "
        "it is odd.",
        "Algorithm 2 assumes an even n; here an odd n gets a dummy record, and each round leaves one out.",
    )

    def _check(self) -> None:
        super()._check()
        _validate.ordered(lower=self.lower, upper=self.upper)
        self.grid(np.zeros(1))

    def grid(self, at: Floats) -> PublicGrid:
        return PublicGrid(self.lower, self.upper, at)

    def guarantee(self, epsilon: float) -> Guarantee:
        return PureDP(epsilon)

    def ledger(self, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Spend, ...]:
        return point_ledger("median of the pairwise estimates", epsilon, at)

    def _draw(self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator) -> Floats:
        grid = self.grid(at)
        if pairwise.is_complete(data.n, self.k):
            laws = self._laws(data, epsilon, at)
            if any(law is None for law in laws):
                raise ValueError(
                    f"{self.name} over all pairs is out of reach at n = {data.n:,} and epsilon = {epsilon:g}; choose k "
                    "matchings"
                )
            return np.column_stack([law.sample(size, rng) for law in laws if law is not None])

        def draw(middles: Middles) -> Floats:
            return self.medians(middles, epsilon / at.size, int(self.k or 0), grid, rng)

        x, y = grid.positions(data.x), grid.positions(data.y)
        return in_chunks(x, y, int(self.k or 0), grid.heights, size, rng, draw)

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        if not pairwise.is_complete(data.n, self.k):
            return self._mixtures(data, epsilon, at)
        grid, share, changed = self.grid(at), epsilon / at.size, pairwise.lipschitz(data.n, self.k)
        if data.n >= ranks.CROSSOVER:
            return [self._kept_rank_law(data, share, grid, point) for point in range(at.size)]
        lists = (pairwise.within(data.sorted_pairs(grid, point), *grid.range) for point in range(at.size))
        return [self._median_law(z, share, changed, grid) for z in lists]

    def _mixtures(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law]:
        """One average of conditional laws per point; its matchings come from the mechanism's own stream."""
        k, grid = int(self.k or 0), self.grid(at)
        x, y = grid.positions(data.x), grid.positions(data.y)
        rng = stream(0, "matchings", data.digest, repr(self), at.tolist())

        def conditional_laws(count: int) -> list[list[Law]]:
            estimates = np.sort(pairwise.matched_estimates(x, y, k, count, grid.heights, rng), axis=-1)
            lists = pairwise.within(estimates, *grid.range)
            return [[self._median_law(z, epsilon / at.size, k, grid) for z in drawn] for drawn in lists]

        affordable = _MIXTURE_SIZE // (pairwise.pair_count(data.n, k) * at.size)
        return draw_mixtures(conditional_laws, data.predict(at), most=min(max(affordable, FIRST), MOST))

    def _kept_rank_law(self, data: Dataset, epsilon: float, grid: PublicGrid, point: int) -> Law | None:
        """The rank law, made once for law and release together: it takes seconds."""
        key = (repr(self), epsilon, grid.bits, float(grid.at[point]))
        return data.kept(key, lambda: self._rank_law(data.pair_ranks(grid, point), epsilon, grid))

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
class DPExpTheilSen(_PrivateTheilSen):
    """The median of the pairwise estimates by the exponential mechanism.

    $$
    \\text{density}(r)\\propto \\exp\\Bigl(-\\tfrac{\\varepsilon'}{4}\\,
    \\bigl|\\#\\{z>r\\}-\\#\\{z<r\\}\\bigr|\\Bigr)\\text{ on }[\\text{lower},\\text{upper}],\\qquad
    \\varepsilon'=\\frac{\\varepsilon}{m\\,k}
    $$

    With all pairs k = n − 1. Best in most small-data settings; weak where the estimates are so concentrated
    that no room is left around their median, and where the range is wide while ε is small.
    """

    source: ClassVar[str] = "Algorithms 2 and 3"

    def _median_law(self, z: Floats, epsilon: float, changed: int, grid: PublicGrid) -> Law:
        return PiecewiseUniform(*medians.exponential_pieces(z, _per_estimate(epsilon, changed), *grid.range))

    def _rank_law(self, ranks: PairRanks, epsilon: float, grid: PublicGrid) -> Law:
        return exponential_law(ranks, _per_estimate(epsilon, ranks.n - 1), grid)

    def medians(
        self, middles: Middles, epsilon: float, changed: int, grid: PublicGrid, rng: np.random.Generator
    ) -> Floats:
        settings = _per_estimate(epsilon, changed), *grid.range
        return medians.draw_median(middles, lambda z: medians.exponential_pieces(z, *settings), *settings, rng)


@dataclass(frozen=True)
class DPWideTheilSen(_PrivateTheilSen):
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

    source: ClassVar[str] = "Algorithms 2 and 4"
    corrections: ClassVar[tuple[str, ...]] = (
        *_PrivateTheilSen.corrections,
        "Algorithm 4's line for the upper half has the wrong index and gives intervals of negative length. Here "
        "the density is computed from the definition of the widened utility. (A variant that inserts a second "
        "copy of the median, with k = 1 and four estimates, loses 1.32 at ε = 1.)",
    )

    def _check(self) -> None:
        super()._check()
        _validate.non_negative(theta=self.theta)

    def _reach(self, grid: PublicGrid) -> float:
        """theta on the grid; more than the whole range is no wider."""
        return grid.rounded(min(self.theta, self.upper - self.lower))

    def _median_law(self, z: Floats, epsilon: float, changed: int, grid: PublicGrid) -> Law:
        settings = _per_estimate(epsilon, changed), *grid.range
        return PiecewiseUniform(*medians.widened_pieces(z, *settings, self._reach(grid)))

    def _rank_law(self, ranks: PairRanks, epsilon: float, grid: PublicGrid) -> Law:
        return widened_law(ranks, _per_estimate(epsilon, ranks.n - 1), grid, self._reach(grid))

    def medians(
        self, middles: Middles, epsilon: float, changed: int, grid: PublicGrid, rng: np.random.Generator
    ) -> Floats:
        settings, theta = (_per_estimate(epsilon, changed), *grid.range), self._reach(grid)
        return medians.draw_median(middles, lambda z: medians.widened_pieces(z, *settings, theta), *settings, rng)


@dataclass(frozen=True)
class DPSSTheilSen(_PrivateTheilSen):
    """The median of the pairwise estimates plus Student-t noise scaled to its smooth sensitivity.

    $$
    \\tilde p = z_m + \\frac{S}{s}\\,T_{df},\\quad
    S=\\max_{l\\ge0}e^{-lt}\\max_{0\\le j\\le k(l+1)}\\bigl(z_{m+j}-z_{m-k(l+1)+j}\\bigr),\\quad
    t=\\frac{\\varepsilon''\\beta}{df+1},\\; s=\\frac{2\\sqrt{df}\\,(\\varepsilon''-t(df+1))}{df+1}
    $$

    with $\\varepsilon''=\\varepsilon/m$ and m = ⌈N/2⌉ in the index. The scale S/s is at least a sixteenth of the
    grid's spacing, 4e-9 for ranges up to 8 wide: the larger of two t-smooth bounds is one, and S cannot underflow to 0
    on one of two neighbours only. Adapts to data whose estimates crowd around the median; its tails are heavy.
    """

    df: float = hyperparameter(3.0, help="Degrees of freedom of the Student-t noise (d).", low=0.5, step=0.5)
    beta: float = hyperparameter(
        0.5, help="Share of the budget that pays for smoothness.", low=0.0, high=0.95, step=0.05
    )

    source: ClassVar[str] = "Algorithms 2 and 5, the lemma on smooth sensitivity"
    corrections: ClassVar[tuple[str, ...]] = (
        *_PrivateTheilSen.corrections,
        "The lemma on smooth sensitivity stands in two forms that disagree; the appendix's is used, with both ends of "
        "s. The main text's differs by a factor that depends on the data: about 2 to 3 on hundreds of normal values, "
        "a half or eight times on short lists.",
        "Algorithm 5 adds its noise to the median, which for an even number of estimates is the mean of the two "
        "middle ones and moves by up to (1 + eᵗ)/2 times S. Here noise and sensitivity are about the same entry "
        "z_m, m = ⌈N/2⌉.",
        "The last line of the Student-t lemma's proof prints median + S/s + N for median + (S/s) N: a typo.",
    )

    def _check(self) -> None:
        super()._check()
        _validate.positive(df=self.df)
        _validate.inside(0, 1, closed="left", beta=self.beta)

    def _smoothness(self, epsilon: float) -> tuple[float, float]:
        """t, how smooth the sensitivity must be, and s, by which it is divided."""
        epsilon = min(epsilon, 1e300)  # less is as private, and nothing below overflows
        t = epsilon * self.beta / (self.df + 1)
        return t, 2 * np.sqrt(self.df) * (epsilon - t * (self.df + 1)) / (self.df + 1)

    def _median_law(self, z: Floats, epsilon: float, changed: int, grid: PublicGrid) -> Law:
        t, s = self._smoothness(epsilon)  # epsilon is not divided by k: S counts the k changes
        least = s * _LEAST_NOISE * grid.spacing
        spread = medians.smooth_sensitivity(z, changed, t, *grid.range, least)
        return StudentT(float(medians.lower_median(z)), float(_scale(spread, s)), self.df)

    def _rank_law(self, ranks: PairRanks, epsilon: float, grid: PublicGrid) -> Law | None:
        t, s = self._smoothness(epsilon)
        counts, least = CellCounts(ranks.central, grid.first, grid.last), s * _LEAST_NOISE
        if not within_reach(ranks.n, counts.cells, t, least):
            return None
        middle, spread = smooth_median(counts, t, least)
        return StudentT((grid.first + middle) * grid.spacing, float(_scale(spread * grid.spacing, s)), self.df)

    def medians(
        self, middles: Middles, epsilon: float, changed: int, grid: PublicGrid, rng: np.random.Generator
    ) -> Floats:
        t, s = self._smoothness(epsilon)
        location, spread = medians.smooth_median(
            middles, changed, t, *grid.range, least=s * _LEAST_NOISE * grid.spacing
        )
        return location + _scale(spread, s) * rng.standard_t(self.df, location.shape)


def _scale(spread: ArrayLike, s: float) -> Floats:
    """S / s; infinite where epsilon is so small that s is 0 in floating-point numbers."""
    with np.errstate(divide="ignore", over="ignore"):
        return np.divide(spread, s)
