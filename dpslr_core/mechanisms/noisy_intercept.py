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
from ..privacy import Draw, Guarantee, NoiseKind, PureDP, ReleaseKind, Spend
from ..support import validate
from ..support.run import QUARTERS
from ..support.types import Floats
from .base import Mechanism
from .family import BudgetSplit, MechanismFamily
from .released.noise import ReleasedNoise
from .released.statistics import NoisyMean


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
    interval_remark: ClassVar[str] = (
        "The interval of NoisyIntercept is for the mean of y: it says where the line lies only if the slope is 0."
    )
    flat_interval: ClassVar[bool] = True
    aim: ClassVar[str] = "the mean of y"

    def guarantee(self, epsilon: float) -> Guarantee:
        return PureDP(epsilon)

    def ledger(self, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Spend, ...]:
        return (Spend("mean of y", epsilon),)

    def draws(
        self, epsilon: float, points: int = len(QUARTERS), released: ReleaseKind = ReleaseKind.PREDICTIONS
    ) -> tuple[Draw, ...]:
        """The noise of the mean of y, which is the answer at every point."""
        return (Draw(self.noise_kind, epsilon),)

    def noise_scale(self, epsilon: float, n: int) -> float:
        """The scale of the noise on the mean of n values between 0 and 1, one of which moves it by 1 / n."""
        (draw,) = self.draws(epsilon)
        return 1 / (draw.size * n)

    def release_statistics(
        self, data: Dataset, epsilon: float, size: int = 1000, *, rng: np.random.Generator
    ) -> NoisyMean:
        """size releases of the mean of y, each of which costs epsilon as a whole.

        ValueError where epsilon <= 0, size < 1 or rng is not a numpy.random.Generator.
        """
        validate.positive(epsilon=epsilon)
        validate.integer(1, size=size)
        validate.generator(rng=rng)
        noise = ReleasedNoise("Laplace", (self.noise_scale(epsilon, data.n),))
        return NoisyMean(data.n, data.y_mean + noise.draw(size, rng)[0], noise)

    def _draw(self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator) -> Floats:
        return np.repeat(rng.laplace(data.y_mean, self.noise_scale(epsilon, data.n), (size, 1)), at.size, axis=1)

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        return [Laplace(data.y_mean, self.noise_scale(epsilon, data.n))] * at.size

    def _target(self, data: Dataset, at: Floats) -> Floats:
        return np.full(at.size, data.y_mean)
