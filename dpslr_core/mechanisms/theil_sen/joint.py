"""Theil-Sen by one exponential mechanism for all points together, and its variant in zCDP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ... import pairs
from ...dataset import Dataset
from ...laws import medians
from ...laws.base import Law
from ...laws.by_rank import joint_medians
from ...laws.joint import JointMedians, RankBounds
from ...pairs import ranks
from ...pairs.grid import PublicGrid
from ...pairs.partially_sorted import PartiallySorted
from ...privacy import NoiseKind, Spend
from ...support.run import QUARTERS
from ...support.types import Floats
from ..base import View
from ..family import BudgetSplit
from .bounded_range import RANGE_SOURCE, BoundedRange
from .matchings import PrivateTheilSen, per_estimate


@dataclass(frozen=True)
class JointTheilSen(PrivateTheilSen):
    """The medians of the pairwise estimates at all points by one draw of the exponential mechanism.

    $$
    \\text{density}(p_1,\\dots,p_m)\\propto \\exp\\Bigl(-\\tfrac{\\varepsilon}{4k}\\,\\max_j
    \\bigl|\\#\\{z_j>p_j\\}-\\#\\{z_j<p_j\\}\\bigr|\\Bigr)\\text{ on }[\\text{lower},\\text{upper}]^m
    $$

    With all pairs k = n − 1. Replacing a record changes the same k pairs at every point. So each absolute difference
    changes by at most 2k, and so does the largest of them: ε pays for all points at once and is not split. At one point
    it is DPExpTheilSen. At two to four points it is better, or as good where ε n is small. At eight or more it is
    worse: all points must be near their medians together.
    """

    budget_split: ClassVar[BudgetSplit] = BudgetSplit.TOGETHER
    noise_kind: ClassVar[NoiseKind] = NoiseKind.BOUNDED_RANGE
    strength: ClassVar[str] = "one draw for all points together, so that ε is not split over them"
    source: ClassVar[str] = "The exponential mechanism of Algorithm 3 with the largest score of all points"

    def ledger(self, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Spend, ...]:
        return (Spend("medians of the pairwise estimates at all points, one draw", epsilon),)

    def view(self, data: Dataset, epsilon: float, at: Floats) -> View:
        if pairs.is_complete(data.n, self.k):
            return View(data, self._complete_law(data, epsilon, self.grid(at)))
        return super().view(data, epsilon, at)

    def joint_law(self, lists: Sequence[Floats], epsilon: float, changed: int, grid: PublicGrid) -> JointMedians:
        points = [RankBounds.of_list(edges) for edges in lists]
        return JointMedians(points, lists[0].size - 2, per_estimate(self.draws(epsilon)[0].size, changed) / 4)

    def laws_of(self, lists: Sequence[Floats], epsilon: float, changed: int, grid: PublicGrid) -> Sequence[Law]:
        return self.joint_law(lists, epsilon, changed, grid).marginals()

    def medians(
        self, estimates: PartiallySorted, epsilon: float, changed: int, grid: PublicGrid, rng: np.random.Generator
    ) -> Floats:
        return medians.draw_together(estimates, per_estimate(self.draws(epsilon)[0].size, changed), *grid.range, rng)

    def _draw_complete(self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator) -> Floats:
        return self._complete_law(data, epsilon, self.grid(at)).sample(size, rng)

    def _rank_laws(self, data: Dataset, epsilon: float, grid: PublicGrid) -> Sequence[Law]:
        return self._complete_law(data, epsilon, grid).marginals()

    def _complete_law(self, data: Dataset, epsilon: float, grid: PublicGrid) -> JointMedians:
        """The joint law over all pairs; by ranks made once for law and release together."""
        if data.n < ranks.CROSSOVER:
            return self.joint_law(data.pair_lists(grid), epsilon, data.n - 1, grid)

        def make() -> JointMedians:
            every = [data.pair_ranks(grid, place) for place in range(grid.at.size)]
            return joint_medians(every, per_estimate(self.draws(epsilon)[0].size, data.n - 1), grid)

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

    source: ClassVar[str] = f"{JointTheilSen.source}; {RANGE_SOURCE}"
