"""NoisyStats: OLS from noisy sufficient statistics, with Laplace or Gaussian noise."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..dataset import Dataset
from ..laws.base import Law
from ..laws.joint import JointLaw
from ..laws.ratio import noisy_slope_laws
from ..privacy import ZCDP, Guarantee, NoiseKind, PureDP, Spend, noise_loss, rho_of
from ..support import validate
from ..support.run import QUARTERS
from ..support.types import Floats
from .base import Mechanism, View
from .family import BudgetSplit, MechanismFamily


@dataclass(frozen=True)
class NoisyStatistics:
    """What one release of noisy statistics hands out, each of shape (size,).

    slope and intercept are NaN where nvar <= 0: the mechanism failed. nvar and ncov come at no extra cost.
    """

    nvar: Floats
    ncov: Floats
    slope: Floats
    intercept: Floats


@dataclass(frozen=True)
class _NoisySufficientStatistics(Mechanism):
    """nvar, ncov and then the intercept with noise, a third of the budget each."""

    family: ClassVar[MechanismFamily] = MechanismFamily.NOISY_STATISTICS
    budget_split: ClassVar[BudgetSplit] = BudgetSplit.ONE_RELEASE
    compared: ClassVar[str] = "noisy nvar, ncov and intercept"
    _noise_family: ClassVar[Literal["Laplace", "Gaussian"]]

    @abstractmethod
    def noise_scale(self, sensitivity: ArrayLike, epsilon: float) -> Floats:
        """The scale of the noise on a statistic, same shape as its sensitivity, with a third of the budget."""

    @abstractmethod
    def _noise(self, rng: np.random.Generator, size: int) -> Floats:
        """Noise of scale one."""

    def parts(self, points: int) -> int:
        return 3

    def ledger(self, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Spend, ...]:
        return (
            Spend("nvar(x)", epsilon / 3),
            Spend("ncov(x, y)", epsilon / 3),
            Spend("intercept", epsilon / 3),
        )

    def release_statistics(
        self, data: Dataset, epsilon: float, size: int = 1000, *, rng: np.random.Generator
    ) -> NoisyStatistics:
        """size releases of (nvar, ncov, slope, intercept) (Algorithm 1); the whole costs epsilon.

        nvar and ncov have sensitivity 1 - 1/n, the intercept mean y - slope mean x given the slope has
        (1 + |slope|)/n (the appendix's proof for NoisyStats). Arrays of shape (size,). ValueError where epsilon <= 0,
        size < 1 or rng is not a numpy.random.Generator.
        """
        validate.positive(epsilon=epsilon)
        validate.integer(1, size=size)
        validate.generator(rng=rng)
        scale = self.noise_scale(1 - 1 / data.n, epsilon)
        nvar = data.nvar + scale * self._noise(rng, size)
        ncov = data.ncov + scale * self._noise(rng, size)
        with np.errstate(over="ignore", divide="ignore"):
            slope = np.where(nvar > 0, ncov / nvar, np.nan)
        noise = self.noise_scale((1 + np.abs(slope)) / data.n, epsilon) * self._noise(rng, size)
        return NoisyStatistics(nvar, ncov, slope, data.y_mean - slope * data.x_mean + noise)

    def _draw(self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator) -> Floats:
        released = self.release_statistics(data, epsilon, size, rng=rng)
        return released.intercept[:, None] + released.slope[:, None] * at

    def view(self, data: Dataset, epsilon: float, at: Floats) -> View:
        return View(data, JointLaw())

    def loss(self, mine: View, theirs: View, epsilon: float) -> float:
        """Of nvar, ncov and the intercept together, all of which may be published.

        The intercept moves by |dy - slope dx| for a scale of 1 + |slope|: between |dy|, at slope 0, and |dx|, at steep
        slopes. Laplace noise costs |shift|, Gaussian noise shift^2 / 2, in units of its scale.
        """
        a, b = mine.data, theirs.data
        intercept = max(abs(a.y_mean - b.y_mean), abs(a.x_mean - b.x_mean))
        shift = np.array([a.nvar - b.nvar, a.ncov - b.ncov, intercept])
        scale = self.noise_scale(np.array([1 - 1 / a.n, 1 - 1 / a.n, 1 / a.n]), epsilon)
        return noise_loss(shift / scale, self.guarantee(epsilon))

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        slope_scale, intercept_scale = self.noise_scale([1 - 1 / data.n, 1 / data.n], epsilon)
        return noisy_slope_laws(self._noise_family, data, float(slope_scale), float(intercept_scale), at)


@dataclass(frozen=True)
class NoisyStats(_NoisySufficientStatistics):
    """OLS from sufficient statistics with Laplace noise; fails where the noisy nvar(x) is not positive.

    $$
    \\tilde\\alpha = \\frac{\\mathrm{ncov}+L_1}{\\mathrm{nvar}+L_2},\\quad
    \\tilde p(x) = \\bar y + \\tilde\\alpha\\,(x-\\bar x) + L_3,\\quad
    L_1,L_2\\sim\\mathrm{Lap}\\Bigl(\\tfrac{3(1-1/n)}{\\varepsilon}\\Bigr),\\;
    L_3\\sim\\mathrm{Lap}\\Bigl(\\tfrac{3(1+|\\tilde\\alpha|)}{n\\varepsilon}\\Bigr)
    $$

    Its noise does not depend on how well the line fits, so it is at its best where
    $\\varepsilon\\,n\\,\\mathrm{var}(x)$ is large and the data are noisy. The noisy nvar(x) and ncov(x, y) may
    be published too, at no extra cost.
    """

    _noise_family = "Laplace"
    noise_kind: ClassVar[NoiseKind] = NoiseKind.LAPLACE
    source: ClassVar[str] = "Algorithm 1"
    in_paper: ClassVar[bool] = True
    corrections: ClassVar[tuple[str, ...]] = (
        "The appendix puts the failure rate for nvar(x) = 0.0245, n = 39, ε = 8 at 'at most 12%'. "
        "It is exp(−nvar(x) ε / (3 (1 − 1/n))) / 2 = 46.8%, the tail of the Laplace noise.",
    )

    def guarantee(self, epsilon: float) -> Guarantee:
        return PureDP(epsilon)

    def noise_scale(self, sensitivity: ArrayLike, epsilon: float) -> Floats:
        return np.asarray(sensitivity) * (3 / epsilon)

    def _noise(self, rng: np.random.Generator, size: int) -> Floats:
        return rng.laplace(size=size)


@dataclass(frozen=True)
class NoisyStatsGaussian(_NoisySufficientStatistics):
    """NoisyStats with Gaussian noise: the ε²/2-zCDP analogue, a fair partner for DPGDzCDP.

    $$
    \\sigma = \\Delta\\sqrt{3/(2\\rho)},\\qquad \\rho = \\varepsilon^2/2,\\; \\rho/3\\text{ to each of nvar, ncov
    and the intercept}
    $$
    """

    _noise_family = "Gaussian"
    noise_kind: ClassVar[NoiseKind] = NoiseKind.GAUSSIAN
    source: ClassVar[str] = "Mentioned and omitted in 'Which non-robust estimator?'"

    def guarantee(self, epsilon: float) -> Guarantee:
        return ZCDP(rho_of(epsilon))

    def noise_scale(self, sensitivity: ArrayLike, epsilon: float) -> Floats:
        return np.asarray(sensitivity) * (np.sqrt(3) / epsilon)  # sqrt(3 / (2 rho)), rho = epsilon^2 / 2

    def _noise(self, rng: np.random.Generator, size: int) -> Floats:
        return rng.standard_normal(size)
