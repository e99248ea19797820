"""NoisyStats: OLS from noisy sufficient statistics, with Laplace or Gaussian noise."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..dataset import Dataset
from ..laws.base import Law
from ..laws.derived.clipped import ClippedLaw
from ..laws.derived.fallback import FallbackLaw
from ..laws.joint import JointLaw
from ..laws.named import Gaussian, Laplace
from ..laws.ratio import noisy_slope_laws
from ..privacy import ZCDP, Guarantee, NoiseKind, PureDP, Spend, noise_loss, rho_of
from ..support import validate
from ..support.run import QUARTERS
from ..support.types import Floats
from .base import Mechanism, View, hyperparameter, hyperparameters
from .family import BudgetSplit, MechanismFamily

CLIP_HELP = "Move predictions into [lower, upper]."
LOWER_HELP = "Lower end of the range that predictions are clipped to (public knowledge)."
UPPER_HELP = "Upper end of the range that predictions are clipped to (public knowledge)."
_FALLBACK_HELP = "Where the noisy n var(x) is not positive, release a flat line through a noisy mean of y."
_SPLIT_HELP = "Public shares of the budget for nvar(x), ncov(x, y) and the intercept, in this order; they sum to 1."
_LEAST_SHARE = 1e-6
_ROUNDING = 1e-12  # of the sum of three shares


@dataclass(frozen=True)
class NoisyStatistics:
    """What one release of noisy statistics hands out, each of shape (size,).

    Where nvar <= 0 slope and intercept are NaN, as the mechanism failed, or those of a flat line with a fallback.
    nvar and ncov come at no extra cost.
    """

    nvar: Floats
    ncov: Floats
    slope: Floats
    intercept: Floats


@dataclass(frozen=True, repr=False)
class _NoisySufficientStatistics(Mechanism):
    """nvar, ncov and then the intercept with noise, a public share of the budget each, by default a third."""

    fallback: bool = hyperparameter(False, help=_FALLBACK_HELP)
    clip: bool = hyperparameter(False, help=CLIP_HELP)
    lower: float = hyperparameter(-0.5, help=LOWER_HELP, step=0.5)
    upper: float = hyperparameter(1.5, help=UPPER_HELP, step=0.5)
    split: tuple[float, float, float] = hyperparameter((1 / 3, 1 / 3, 1 / 3), help=_SPLIT_HELP)

    family: ClassVar[MechanismFamily] = MechanismFamily.NOISY_STATISTICS
    budget_split: ClassVar[BudgetSplit] = BudgetSplit.ONE_RELEASE
    compared: ClassVar[str] = "noisy nvar, ncov and intercept"
    _noise_family: ClassVar[Literal["Laplace", "Gaussian"]]
    _best_power: ClassVar[float]  # the best shares are proportional to this power of what the noises do to a prediction

    def __repr__(self) -> str:
        """Without fields at their default, so that the paper's algorithm keeps its key of a random stream."""
        chosen = ", ".join(f"{name}={value!r}" for name, value in hyperparameters(self).items())
        return f"{type(self).__name__}({chosen})"

    def _check(self) -> None:
        validate.boolean(fallback=self.fallback, clip=self.clip)
        validate.ordered(lower=self.lower, upper=self.upper)
        split = validate.points(split=self.split)
        if split.size != 3 or split.min() < _LEAST_SHARE or abs(fsum(split) - 1) > _ROUNDING:
            raise ValueError(f"split must hold three shares of at least 1e-6 that sum to 1, got {self.split!r}")

    @classmethod
    def best_split(cls, var_x: float, slope: float, distance: float) -> tuple[float, float, float]:
        """The split with the least noise variance of a prediction, to first order, from public guesses.

        var_x: of the variance of x; slope: of the slope; distance: of |x_new - mean x|.

        With v = var x, h = distance and a = slope, a prediction moves with the noises of nvar, ncov and the intercept
        in proportion to g = (|a| h / v, h / v, 1 + |a|). Laplace noise with a share s of epsilon has a variance
        proportional to g^2 / s^2, so that the best shares are proportional to g^(2/3); Gaussian noise with a share s
        of rho to g^2 / s, so that they are proportional to g. ValueError where a guess is not finite, var_x or
        distance is not above 0, or slope is 0.

        >>> [round(share, 3) for share in NoisyStats.best_split(var_x=0.02, slope=0.5, distance=0.25)]
        [0.336, 0.534, 0.13]
        """
        validate.positive(var_x=var_x, distance=distance)
        validate.finite(slope=slope)
        if slope == 0:
            raise ValueError("slope must not be 0: nvar(x) would get no share of the budget")
        steep = distance / var_x
        weights = np.array([abs(slope) * steep, steep, 1 + abs(slope)]) ** cls._best_power
        of_nvar, of_ncov, of_intercept = (weights / weights.sum()).tolist()
        return of_nvar, of_ncov, of_intercept

    @abstractmethod
    def noise_scale(self, sensitivity: ArrayLike, epsilon: float, share: ArrayLike = 1 / 3) -> Floats:
        """The scale of the noise on a statistic with this share of the budget, same shape as its sensitivity."""

    @abstractmethod
    def _noise(self, rng: np.random.Generator, size: int) -> Floats:
        """Noise of scale one."""

    def parts(self, points: int) -> int:
        """With shares of at most 1/m it loses no more than m equal parts: what is known of a part is convex in it."""
        return int(1 / max(self.split))

    def ledger(self, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Spend, ...]:
        names = ("nvar(x)", "ncov(x, y)", "intercept")
        return tuple(Spend(name, epsilon * share) for name, share in zip(names, self.split, strict=True))

    def _scales(self, n: int, epsilon: float) -> Floats:
        """The scales of the noise on nvar, ncov and the intercept of a flat line, shape (3,)."""
        return self.noise_scale(np.array([1 - 1 / n, 1 - 1 / n, 1 / n]), epsilon, np.array(self.split))

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
        of_nvar, of_ncov, _ = self._scales(data.n, epsilon)
        nvar = data.nvar + of_nvar * self._noise(rng, size)
        ncov = data.ncov + of_ncov * self._noise(rng, size)
        with np.errstate(over="ignore", divide="ignore"):
            slope = np.where(nvar > 0, ncov / nvar, 0.0 if self.fallback else np.nan)
        scale = self.noise_scale((1 + np.abs(slope)) / data.n, epsilon, self.split[2])
        noise = scale * self._noise(rng, size)
        return NoisyStatistics(nvar, ncov, slope, data.y_mean - slope * data.x_mean + noise)

    def _draw(self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator) -> Floats:
        released = self.release_statistics(data, epsilon, size, rng=rng)
        lines = released.intercept[:, None] + released.slope[:, None] * at
        return np.clip(lines, self.lower, self.upper) if self.clip else lines

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
        return noise_loss(shift / self._scales(a.n, epsilon), self.guarantee(epsilon))

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        scales = self._scales(data.n, epsilon).tolist()
        laws: list[Law] = list(noisy_slope_laws(self._noise_family, data, scales, at))
        if self.fallback:
            flat = self._flat_law(data, scales[2])
            laws = [FallbackLaw.of(law, flat) for law in laws]
        return [ClippedLaw(law, self.lower, self.upper) for law in laws] if self.clip else laws

    def _flat_law(self, data: Dataset, scale: float) -> Law:
        """The law of the fallback: the mean of y with the noise of an intercept at slope 0."""
        return (Laplace if self._noise_family == "Laplace" else Gaussian)(data.y_mean, scale)


@dataclass(frozen=True, repr=False)
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

    Options, off by default. *fallback*: where it fails, $\\bar y+L_3$ at slope 0. *clip*: predictions are moved into
    [lower, upper]. *split*: shares $s_j$ in the place of the three thirds. Private: the slope, 0 where it failed,
    follows from the noisy nvar(x) and ncov(x, y), at $s_1\\varepsilon$ and $s_2\\varepsilon$; given the slope
    $\\bar y-\\tilde\\alpha\\bar x$ moves by at most $(1+|\\tilde\\alpha|)/n$, at slope 0 by 1/n, and its one release
    costs $s_3\\varepsilon$. Clipping is post-processing.
    """

    _noise_family = "Laplace"
    _best_power = 2 / 3
    noise_kind: ClassVar[NoiseKind] = NoiseKind.LAPLACE
    source: ClassVar[str] = "Algorithm 1"
    in_paper: ClassVar[bool] = True
    corrections: ClassVar[tuple[str, ...]] = (
        "The appendix puts the failure rate for nvar(x) = 0.0245, n = 39, ε = 8 at 'at most 12%'. "
        "It is exp(−nvar(x) ε / (3 (1 − 1/n))) / 2 = 46.8%, the tail of the Laplace noise.",
    )

    def guarantee(self, epsilon: float) -> Guarantee:
        return PureDP(epsilon)

    def noise_scale(self, sensitivity: ArrayLike, epsilon: float, share: ArrayLike = 1 / 3) -> Floats:
        return np.asarray(sensitivity) * (1 / np.asarray(share) / epsilon)

    def _noise(self, rng: np.random.Generator, size: int) -> Floats:
        return rng.laplace(size=size)


@dataclass(frozen=True, repr=False)
class NoisyStatsGaussian(_NoisySufficientStatistics):
    """NoisyStats with Gaussian noise: the ε²/2-zCDP analogue, a fair partner for DPGDzCDP.

    $$
    \\sigma = \\Delta\\sqrt{3/(2\\rho)},\\qquad \\rho = \\varepsilon^2/2,\\; \\rho/3\\text{ to each of nvar, ncov
    and the intercept}
    $$

    The options are those of NoisyStats; *split* holds shares of ρ.
    """

    _noise_family = "Gaussian"
    _best_power = 1.0
    noise_kind: ClassVar[NoiseKind] = NoiseKind.GAUSSIAN
    source: ClassVar[str] = "Mentioned and omitted in 'Which non-robust estimator?'"

    def guarantee(self, epsilon: float) -> Guarantee:
        return ZCDP(rho_of(epsilon))

    def noise_scale(self, sensitivity: ArrayLike, epsilon: float, share: ArrayLike = 1 / 3) -> Floats:
        # sqrt(1 / (2 share rho)) with rho = epsilon^2 / 2
        return np.asarray(sensitivity) * (np.sqrt(1 / np.asarray(share)) / epsilon)

    def _noise(self, rng: np.random.Generator, size: int) -> Floats:
        return rng.standard_normal(size)
