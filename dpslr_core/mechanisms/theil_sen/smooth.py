"""Theil-Sen by smooth sensitivity: the median of the pairwise estimates plus Student-t noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...laws import medians
from ...laws.base import Law
from ...laws.by_rank import smooth_median, within_reach
from ...laws.named import StudentT
from ...pairs.cell_counts import CellCounts
from ...pairs.grid import PublicGrid
from ...pairs.partially_sorted import PartiallySorted
from ...pairs.ranks import PairRanks
from ...support import validate
from ...support.types import Floats
from ..base import hyperparameter
from .exponential import SeparateMedians

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
    grid's spacing, 4e-9 for ranges up to 8 wide: the larger of two t-smooth bounds is one, and S cannot underflow to 0
    on one of two neighbours only. Adapts to data whose estimates lie close to the median; its tails are heavy. It has
    no zCDP variant: its log density ratio lies within ±ε'', a range of 2 ε'', from which zCDP gains nothing at a point.
    Unlike the other Theil-Sen algorithms it adds noise in floating-point numbers, whose last digits can tell
    neighbouring data sets apart.
    """

    df: float = hyperparameter(3.0, help="Degrees of freedom of the Student-t noise (d).", low=0.5, step=0.5)
    beta: float = hyperparameter(
        0.5, help="Share of the budget that pays for smoothness.", low=0.0, high=0.95, step=0.05
    )

    in_cells: ClassVar[bool] = False
    strength: ClassVar[str] = "its noise adapts to estimates that lie close to the median"
    source: ClassVar[str] = "Algorithms 2 and 5, the lemma on smooth sensitivity"
    corrections: ClassVar[tuple[str, ...]] = (
        *SeparateMedians.corrections,
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
        validate.positive(df=self.df)
        validate.inside(0, 1, closed="left", beta=self.beta)

    def _smoothness(self, epsilon: float) -> tuple[float, float]:
        """t, how smooth the sensitivity must be, and s, by which it is divided."""
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
        return StudentT((grid.first + middle) * grid.spacing, float(_scale(spread * grid.spacing, s)), self.df)

    def medians(
        self, estimates: PartiallySorted, epsilon: float, changed: int, grid: PublicGrid, rng: np.random.Generator
    ) -> Floats:
        t, s = self._smoothness(self.draws(epsilon, grid.at.size)[0].size)
        location, spread = medians.medians_and_sensitivities(
            estimates, changed, t, *grid.range, least=s * _LEAST_NOISE * grid.spacing
        )
        return location + _scale(spread, s) * rng.standard_t(self.df, location.shape)


def _scale(spread: ArrayLike, s: float) -> Floats:
    """S / s; infinite where epsilon is so small that s is 0 in floating-point numbers."""
    with np.errstate(divide="ignore", over="ignore"):
        return np.divide(spread, s)
