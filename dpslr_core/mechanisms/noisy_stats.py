"""NoisyStats: OLS from noisy sufficient statistics, with Laplace or Gaussian noise."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from ..privacy import ZCDP, Guarantee, NoiseKind, PureDP, rho_of
from ..support.types import Floats
from .sufficient_statistics import NoisySufficientStatistics


@dataclass(frozen=True, repr=False)
class NoisyStats(NoisySufficientStatistics):
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

    Options, off by default. *fallback*: where it fails, $\\bar y+L_3$ at slope 0. *clip*: predictions are moved into
    [lower, upper]. *split*: shares $s_j$ in the place of the three thirds. Private: the slope, 0 where it failed,
    follows from the noisy nvar(x) and ncov(x, y), at $s_1\\varepsilon$ and $s_2\\varepsilon$; given the slope
    $\\bar y-\\tilde\\alpha\\bar x$ moves by at most $(1+|\\tilde\\alpha|)/n$, at slope 0 by 1/n, and its one release
    costs $s_3\\varepsilon$. Clipping is post-processing.

    *adaptive_ridge* (Wang's AdaSSP, 2018, in one dimension; β = 0.05) adds λ to the noisy nvar(x), $\\tilde v$:

    $$
    \\tilde\\alpha=\\frac{\\mathrm{ncov}+L_1}{\\max(\\tilde v,0)+\\lambda},\\quad
    \\lambda=\\max\\Bigl(0,\\ \\tfrac{1-1/n}{s_2\\varepsilon}\\ln\\tfrac1\\beta-
    \\max\\bigl(0,\\ \\tilde v-\\tfrac{1-1/n}{s_1\\varepsilon}\\ln\\tfrac1{2\\beta}\\bigr)\\Bigr)
    $$

    The denominator is never below $\\frac{1-1/n}{s_2\\varepsilon}\\ln\\frac1\\beta$, so that it never fails and
    *fallback* changes nothing. The slope still follows from the same two noisy numbers, so that the proof above holds;
    it is biased towards 0 where nvar(x) is small. There is no exact law: trials are drawn.
    """

    _noise_family = "Laplace"
    _best_power = 2 / 3
    noise_kind: ClassVar[NoiseKind] = NoiseKind.LAPLACE
    source: ClassVar[str] = "Algorithm 1"
    in_paper: ClassVar[bool] = True
    corrections: ClassVar[tuple[str, ...]] = (
        "The appendix says that NoisyStats fails in about 40% of its releases at nvar(x) = 0.0245 and n = 39, for any "
        "ε from 2⁻⁷ to 8. It fails in exp(−nvar(x) ε / (3 (1 − 1/n))) / 2 of them, the tail of the Laplace noise, "
        "which falls from 50% to 46.8%. Of all tracts of Illinois the appendix says that at most 12% of the releases "
        "fail at ε = 8. This tract is one of them.",
    )

    def guarantee(self, epsilon: float) -> Guarantee:
        return PureDP(epsilon)

    def noise_size(self, epsilon: float, share: ArrayLike = 1 / 3) -> Floats:
        return epsilon * np.asarray(share)

    def _noise(self, rng: np.random.Generator, size: int) -> Floats:
        return rng.laplace(size=size)

    def _noise_above(self, chance: float) -> float:
        return log(0.5 / chance)


@dataclass(frozen=True, repr=False)
class NoisyStatsGaussian(NoisySufficientStatistics):
    """NoisyStats with Gaussian noise: the ε²/2-zCDP analogue, a fair partner for DPGDzCDP.

    $$
    \\sigma = \\Delta\\sqrt{3/(2\\rho)},\\qquad \\rho = \\varepsilon^2/2,\\; \\rho/3\\text{ to each of nvar, ncov
    and the intercept}
    $$

    The options are those of NoisyStats; *split* holds shares of ρ. With *adaptive_ridge* the bounds on the noise are
    those of Gaussian noise: $z_{1-\\beta}$ scales on nvar, $z_{1-\\beta/2}$ on ncov.
    """

    _noise_family = "Gaussian"
    _best_power = 1.0
    noise_kind: ClassVar[NoiseKind] = NoiseKind.GAUSSIAN
    source: ClassVar[str] = "Mentioned and omitted in 'Which non-robust estimator?'"

    def guarantee(self, epsilon: float) -> Guarantee:
        return ZCDP(rho_of(epsilon))

    def noise_size(self, epsilon: float, share: ArrayLike = 1 / 3) -> Floats:
        return epsilon * np.sqrt(np.asarray(share))  # sqrt(2 share rho) with rho = epsilon^2 / 2

    def _noise(self, rng: np.random.Generator, size: int) -> Floats:
        return rng.standard_normal(size)

    def _noise_above(self, chance: float) -> float:
        return float(-ndtri(chance))
