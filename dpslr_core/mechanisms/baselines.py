"""The non-private estimators that the private ones are measured against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .. import pairs
from ..dataset import Dataset
from ..laws.base import Law
from ..laws.named import PointMass
from ..pairs.grid import PublicGrid
from ..pairs.partially_sorted import PartiallySorted
from ..privacy import Guarantee, NotPrivate, Spend
from ..support.run import QUARTERS
from ..support.types import Floats
from .base import Mechanism, hyperparameter
from .family import BudgetSplit, MechanismFamily
from .theil_sen.drawn import drawn_estimates
from .theil_sen.matchings import MatchingMechanism


@dataclass(frozen=True)
class OLS(Mechanism):
    """Ordinary least squares: the exact prediction, the same in every release.

    $$
    \\hat p(x) = \\bar y + \\hat\\alpha\\,(x - \\bar x),\\qquad \\hat\\alpha = \\mathrm{ncov}/\\mathrm{nvar}
    $$
    """

    family: ClassVar[MechanismFamily] = MechanismFamily.BASELINE
    budget_split: ClassVar[BudgetSplit] = BudgetSplit.NO_BUDGET
    source: ClassVar[str] = "Equation (2)"
    in_paper: ClassVar[bool] = True

    def guarantee(self, epsilon: float) -> Guarantee:
        return NotPrivate("the exact estimate is released, without noise")

    def ledger(self, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Spend, ...]:
        """Empty: no budget bounds what an exact answer reveals."""
        return ()

    def _draw(self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator) -> Floats:
        return np.tile(self._target(data, at), (size, 1))

    def _target(self, data: Dataset, at: Floats) -> Floats:
        return data.predict(at)

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        return [PointMass(float(prediction)) for prediction in data.predict(at)]


@dataclass(frozen=True)
class TheilSen(MatchingMechanism):
    """Theil–Sen: the median of the predictions by the lines through pairs of records; robust, not private.

    $$
    \\hat p(x) = \\mathrm{median}_{i<j}\\; z_{ij}(x),\\qquad
    z_{ij}(x) = \\tfrac{y_j-y_i}{x_j-x_i}\\bigl(x-\\tfrac{x_i+x_j}{2}\\bigr)+\\tfrac{y_i+y_j}{2}
    $$
    """

    k: int | None = hyperparameter(None, help="Number of random matchings; empty = all pairs.", low=1, step=1)

    family: ClassVar[MechanismFamily] = MechanismFamily.BASELINE
    budget_split: ClassVar[BudgetSplit] = BudgetSplit.NO_BUDGET
    source: ClassVar[str] = "Section 'DP TheilSen'"
    in_paper: ClassVar[bool] = True

    def guarantee(self, epsilon: float) -> Guarantee:
        return NotPrivate("the exact median is released, without noise")

    def ledger(self, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Spend, ...]:
        """Empty: no budget bounds what an exact answer reveals."""
        return ()

    def _draw(self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator) -> Floats:
        if pairs.is_complete(data.n, self.k):
            return np.tile(data.theil_sen(at), (size, 1))
        lines = partial(pairs.lines_through, at=at)
        drawn = drawn_estimates((data.x, data.y), int(self.k or 0), lines, size, rng)
        return np.concatenate([estimates.medians().T for estimates in drawn])

    def medians(
        self, estimates: PartiallySorted, epsilon: float, changed: int, grid: PublicGrid, rng: np.random.Generator
    ) -> Floats:
        return estimates.medians()

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        if not pairs.is_complete(data.n, self.k):
            return [None] * at.size
        return [PointMass(float(prediction)) for prediction in data.theil_sen(at)]
