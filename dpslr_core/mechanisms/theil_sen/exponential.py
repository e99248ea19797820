"""Theil-Sen by the exponential mechanism, plain and widened: one median per point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...laws import medians
from ...laws.base import Law
from ...laws.by_rank import exponential_law, widened_law
from ...laws.piecewise import PiecewiseUniform
from ...pairs.grid import PublicGrid
from ...pairs.partially_sorted import PartiallySorted
from ...pairs.ranks import PairRanks
from ...support import validate
from ...support.types import Floats
from ..base import hyperparameter
from .private import SeparateMedians


def per_estimate(epsilon: float, changed: int) -> float:
    """The budget per changed estimate of an exponential mechanism.

    Scores are whole numbers up to 10^14: beyond these ends the density is the same in floating-point numbers.
    """
    return min(max(epsilon / changed, 1e-290), 1e6)


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

    source: ClassVar[str] = "Algorithms 2 and 3"

    def _median_law(self, z: Floats, epsilon: float, changed: int, grid: PublicGrid) -> Law:
        return PiecewiseUniform(*medians.exponential_pieces(z, per_estimate(epsilon, changed), *grid.range))

    def _rank_law(self, ranks: PairRanks, epsilon: float, grid: PublicGrid) -> Law:
        return exponential_law(ranks, per_estimate(epsilon, ranks.n - 1), grid)

    def medians(
        self, estimates: PartiallySorted, epsilon: float, changed: int, grid: PublicGrid, rng: np.random.Generator
    ) -> Floats:
        settings = per_estimate(self.share(epsilon, grid.at.size), changed), *grid.range
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

    strength: ClassVar[str] = "widening makes room of 2 θ at the median where its density is highest"
    source: ClassVar[str] = "Algorithms 2 and 4"
    corrections: ClassVar[tuple[str, ...]] = (
        *SeparateMedians.corrections,
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
        settings = per_estimate(epsilon, changed), *grid.range
        return PiecewiseUniform(*medians.widened_pieces(z, *settings, self._reach(grid)))

    def _rank_law(self, ranks: PairRanks, epsilon: float, grid: PublicGrid) -> Law:
        return widened_law(ranks, per_estimate(epsilon, ranks.n - 1), grid, self._reach(grid))

    def medians(
        self, estimates: PartiallySorted, epsilon: float, changed: int, grid: PublicGrid, rng: np.random.Generator
    ) -> Floats:
        settings = per_estimate(self.share(epsilon, grid.at.size), changed), *grid.range
        theta = self._reach(grid)
        return medians.draw_median(estimates, lambda z: medians.widened_pieces(z, *settings, theta), *settings, rng)
