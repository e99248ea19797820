"""NoisyIntercept: the mean of y with noise, whatever x is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..dataset import Dataset
from ..laws.base import Law
from ..laws.named import Laplace
from ..privacy import Guarantee, NoiseKind, PureDP, Spend
from ..support.run import QUARTERS
from ..support.types import Floats
from .base import Mechanism, View
from .family import BudgetSplit, MechanismFamily


@dataclass(frozen=True)
class NoisyIntercept(Mechanism):
    """The mean of y with Laplace noise, the same value at every point; good where the slope is near 0.

    $$
    \\tilde p(x) = \\bar y + \\mathrm{Lap}\\bigl(1/(\\varepsilon n)\\bigr)
    $$
    """

    family: ClassVar[MechanismFamily] = MechanismFamily.MEAN
    budget_split: ClassVar[BudgetSplit] = BudgetSplit.ONE_RELEASE
    noise_kind: ClassVar[NoiseKind] = NoiseKind.LAPLACE
    source: ClassVar[str] = "Section 'NoisyIntercept'"
    in_paper: ClassVar[bool] = True

    def guarantee(self, epsilon: float) -> Guarantee:
        return PureDP(epsilon)

    def ledger(self, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Spend, ...]:
        return (Spend("mean of y", epsilon),)

    def _draw(self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator) -> Floats:
        return np.repeat(rng.laplace(data.y_mean, 1 / (epsilon * data.n), (size, 1)), at.size, axis=1)

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        return [Laplace(data.y_mean, 1 / (epsilon * data.n))] * at.size

    def view(self, data: Dataset, epsilon: float, at: Floats) -> View:
        return super().view(data, epsilon, at[:1])  # every point gets the same number
