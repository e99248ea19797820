"""OLS from noisy sufficient statistics, a noisy mean, and the statistics that both release with the predictions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..dataset import Dataset
from ..intervals.equation import LineEquation
from ..laws.base import Law
from ..laws.mixture import ClippedLaw, FallbackLaw
from ..laws.named import Gaussian, Laplace
from ..laws.quadrature import NOISES, Kind
from ..laws.ratio import noisy_slope_laws
from ..privacy import NoiseKind, Spend, noise_loss
from ..support import validate
from ..support.run import QUARTERS
from ..support.types import Floats
from .base import (
    CLIP_HELP,
    LOWER_HELP,
    UPPER_HELP,
    AddedNoise,
    BudgetSplit,
    MechanismFamily,
    View,
    check_release,
    hyperparameter,
    hyperparameters,
)


@dataclass(frozen=True)
class ReleasedNoise:
    """Public description of independent noises: their distribution and their scales, k numbers."""

    kind: Kind
    scale: tuple[float, ...]

    @property
    def heavy(self) -> bool:
        """Whether the noise is Laplace noise, whose tails are heavier than normal."""
        return self.kind == "Laplace"

    @property
    def deviation(self) -> Floats:
        """Standard deviations, shape (k,): sqrt(2) scale for Laplace noise, scale for Gaussian noise."""
        return np.array(self.scale) * (np.sqrt(2) if self.heavy else 1.0)

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw all k noises `size` times, shape (k, size)."""
        return np.array(self.scale)[:, None] * NOISES[self.kind].draw(rng, (len(self.scale), size))


LARGEST_SD = 0.5  # largest standard deviation of numbers between 0 and 1 (Popoviciu)


@dataclass(frozen=True)
class NoisyStatistics:
    """Noisy statistics of `size` releases, with the public numbers that describe their noise.

    nvar and ncov come at no extra cost. Where nvar <= 0, slope and intercept are NaN, or a flat line with a fallback.

    Attributes
    ----------
    nvar, ncov, slope, intercept : array, shape (size,)
        Noisy statistics.
    n : int
        Number of records.
    noise : ReleasedNoise
        Noise of nvar and ncov.
    intercept_scale : array, shape (size,)
        Noise scale of the intercept.
    residual_sd : float
        Public upper bound on sigma_e, which is not released; dataclasses.replace gives a smaller one.
    """

    nvar: Floats
    ncov: Floats
    slope: Floats
    intercept: Floats
    n: int
    noise: ReleasedNoise
    intercept_scale: Floats
    residual_sd: float = LARGEST_SD

    def predict(self, at: ArrayLike) -> Floats:
        """Predict intercept + slope at, shape (size, len(at)). ValueError unless at is one or more finite numbers."""
        return self.intercept[:, None] + self.slope[:, None] * validate.points(at=at)

    def equation(self, at: ArrayLike) -> LineEquation:
        """Return the equation T(p) = 0 for the height p of the line at each point of at, shape (m,).

        The mean of x is not released: the distance of a point from it counts as |x - 1/2| + 1/2, the most it can be.
        With that distance R, V = nvar, C = ncov and d = p - height, T(p) = V d - C R moves by N_V d - N_C R - V
        N_intercept, and by the errors of the records with the variance sigma^2 (V^2 / n + R^2 V). ValueError as for
        predict.
        """
        reach = np.abs(validate.points(at=at) - 0.5) + 0.5
        released = np.isfinite(self.slope)
        slope, v, c = (
            np.where(released, self.slope, 0.0)[:, None],
            self.nvar[:, None],
            self.ncov[:, None],
        )
        own = self.intercept_scale * (self.noise.deviation[0] / self.noise.scale[0])
        of_intercept = np.where(released, own, 0.0)[:, None]
        of_v, of_c = self.noise.deviation
        zeros = np.zeros((self.nvar.size, reach.size))
        spread = np.maximum(v, self.noise.scale[0])
        height = np.where(released[:, None], self.predict(at), 0.0) - slope * reach
        return LineEquation(
            height=height,
            nvar=v,
            product=c * reach,
            constant=np.array([zeros, zeros - of_c * reach, zeros + v * of_intercept]),
            by_distance=np.array([zeros + of_v, zeros, zeros]),
            sampling=self.residual_sd**2 * (spread**2 / self.n + reach**2 * spread),
            freedom=np.full_like(v, np.inf),
            is_laplace=self.noise.heavy,
            released_offset=slope * reach,
        )


@dataclass(frozen=True)
class NoisyMean:
    """Noisy means of y from `size` releases of NoisyIntercept: the height of the line at the mean of x.

    Attributes
    ----------
    n : int
        Number of records.
    y_mean : array, shape (size,)
        Noisy means.
    noise : ReleasedNoise
        Noise of the mean.
    residual_sd : float
        Public upper bound on the standard deviation of y; dataclasses.replace gives a smaller one.
    """

    n: int
    y_mean: Floats
    noise: ReleasedNoise
    residual_sd: float = LARGEST_SD

    def predict(self, at: ArrayLike) -> Floats:
        """Predict the mean of y at every point, shape (size, len(at)). ValueError unless at is finite."""
        return np.repeat(self.y_mean[:, None], validate.points(at=at).size, axis=1)

    def equation(self, at: ArrayLike) -> LineEquation:
        """Return the equation for the height of a flat line at each point of at, shape (m,). ValueError as for predict.

        The mean of y holds no information about a slope.
        """
        height = self.predict(at)
        return LineEquation(
            height=height,
            nvar=np.ones((self.y_mean.size, 1)),
            product=np.zeros_like(height),
            constant=np.full((1, *height.shape), self.noise.deviation[0]),
            by_distance=np.zeros((1, *height.shape)),
            sampling=np.full_like(height, self.residual_sd**2 / self.n),
            freedom=np.full((self.y_mean.size, 1), np.inf),
            is_laplace=self.noise.heavy,
        )


@dataclass(frozen=True)
class NoisyIntercept(AddedNoise):
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
        "The interval of NoisyIntercept is for the mean of y. It says where the line lies only "
        "if the slope is 0."
    )
    flat_interval: ClassVar[bool] = True
    released: ClassVar[str] = "mean of y"
    aim: ClassVar[str] = "the mean of y"

    def noise_scale(self, epsilon: float, n: int) -> float:
        """Compute the noise scale of the mean of n values between 0 and 1, which one record moves by at most 1 / n."""
        (draw,) = self.draws(epsilon)
        return 1 / (draw.size * n)

    def release_statistics(
        self, data: Dataset, epsilon: float, size: int = 1000, *, rng: np.random.Generator
    ) -> NoisyMean:
        """Draw `size` releases of the mean of y; each release costs epsilon as a whole.

        ValueError unless epsilon > 0, size >= 1 and rng is a numpy.random.Generator.
        """
        check_release(epsilon, size, rng)
        noise = ReleasedNoise(self.noise_name, (self.noise_scale(epsilon, data.n),))
        return NoisyMean(data.n, data.y_mean + noise.draw(size, rng)[0], noise)

    def _draw(
        self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator
    ) -> Floats:
        return self.release_statistics(data, epsilon, size, rng=rng).predict(at)

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        return [Laplace(data.y_mean, self.noise_scale(epsilon, data.n))] * at.size

    def _target(self, data: Dataset, at: Floats) -> Floats:
        return np.full(at.size, data.y_mean)


_FALLBACK_HELP = (
    "Where the noisy n var(x) is not positive, release a flat line through a noisy mean of y."
)
_SPLIT_HELP = "Public shares of the budget for nvar(x), ncov(x, y) and the intercept, in this order; they sum to 1."
_LEAST_SHARE = 1e-6
_ROUNDING = 1e-12  # largest error of the sum of three shares


class LineOfStatistics(AddedNoise):
    """Base of the algorithms that compute OLS from noisy statistics: one release gives the predictions at all points.

    The noisy statistics may be published.
    """

    # Fields of every subclass, which decides their order.
    clip: bool
    lower: float
    upper: float
    family: ClassVar[MechanismFamily] = MechanismFamily.NOISY_STATISTICS
    budget_split: ClassVar[BudgetSplit] = BudgetSplit.ONE_RELEASE
    aim: ClassVar[str] = "OLS moved into its range"
    loss_by_law: ClassVar[bool] = False

    @abstractmethod
    def release_statistics(
        self, data: Dataset, epsilon: float, size: int = 1000, *, rng: np.random.Generator
    ) -> Any:
        """Draw `size` releases of the noisy statistics; each release costs epsilon as a whole."""

    def _check(self) -> None:
        validate.boolean(clip=self.clip)
        validate.ordered(lower=self.lower, upper=self.upper)

    def _clipped(self, predictions: Floats) -> Floats:
        return np.clip(predictions, self.lower, self.upper) if self.clip else predictions

    def _draw(
        self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator
    ) -> Floats:
        return self._clipped(self.release_statistics(data, epsilon, size, rng=rng).predict(at))

    def _target(self, data: Dataset, at: Floats) -> Floats:
        """Predict by OLS. A ridge vanishes with the noise, so that it does not change the limit."""
        return self._clipped(data.predict(at))


@dataclass(frozen=True, repr=False)
class NoisySufficientStatistics(LineOfStatistics):
    """Base of the algorithms with noise on nvar, ncov and the intercept, which share the budget in public parts."""

    fallback: bool = hyperparameter(False, help=_FALLBACK_HELP)
    clip: bool = hyperparameter(False, help=CLIP_HELP)
    lower: float = hyperparameter(-0.5, help=LOWER_HELP, step=0.5)
    upper: float = hyperparameter(1.5, help=UPPER_HELP, step=0.5)
    split: tuple[float, float, float] = hyperparameter((1 / 3, 1 / 3, 1 / 3), help=_SPLIT_HELP)

    interval_remark: ClassVar[str] = (
        "NoisyStats releases neither the mean of x nor σₑ: public bounds stand in, so that its "
        "intervals are wide."
    )

    def __repr__(self) -> str:
        """Write only fields that differ from their defaults: the paper's algorithm keeps its random streams."""
        chosen = ", ".join(f"{name}={value!r}" for name, value in hyperparameters(self).items())
        return f"{type(self).__name__}({chosen})"

    def _check(self) -> None:
        super()._check()
        validate.boolean(fallback=self.fallback)
        split = validate.points(split=self.split)
        if split.size != 3 or split.min() < _LEAST_SHARE or abs(fsum(split) - 1) > _ROUNDING:
            raise ValueError(
                f"split must hold three shares of at least 1e-6 that sum to 1, got {self.split!r}"
            )

    def noise_size(self, epsilon: float, share: ArrayLike = 1 / 3) -> Floats:
        """Compute the largest shift of a statistic by one record, in scales of its noise; same shape as share."""
        if self.noise_name == "Laplace":
            return epsilon * np.asarray(share)
        return epsilon * np.sqrt(np.asarray(share))  # sqrt(2 share rho) with rho = epsilon^2 / 2

    def noise_scale(
        self, sensitivity: ArrayLike, epsilon: float, share: ArrayLike = 1 / 3
    ) -> Floats:
        """Compute the noise scale of a statistic from sensitivity and share of the budget; same shape as both."""
        return np.asarray(sensitivity) / self.noise_size(epsilon, share)

    def noise_sizes(self, epsilon: float) -> Sequence[float]:
        """List the largest shifts of nvar, ncov and the intercept by one record, in scales of their noise."""
        return self.noise_size(epsilon, self.split).tolist()

    def ledger(self, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Spend, ...]:
        names = ("nvar(x)", "ncov(x, y)", "intercept")
        epsilon = validate.number("epsilon", epsilon)
        return tuple(
            Spend(name, epsilon * share) for name, share in zip(names, self.split, strict=True)
        )

    def _scales(self, n: int, epsilon: float) -> Floats:
        """Compute the noise scales of nvar, ncov and the intercept of a flat line, shape (3,)."""
        return self.noise_scale(
            np.array([1 - 1 / n, 1 - 1 / n, 1 / n]), epsilon, np.array(self.split)
        )

    def release_statistics(
        self, data: Dataset, epsilon: float, size: int = 1000, *, rng: np.random.Generator
    ) -> NoisyStatistics:
        """Draw `size` releases of (nvar, ncov, slope, intercept) (Algorithm 1); each release costs epsilon as a whole.

        The sensitivity of nvar and ncov is 1 - 1/n. Given the slope, the sensitivity of the intercept, mean y - slope
        mean x, is (1 + |slope|)/n (the appendix's proof for NoisyStats). The arrays have shape (size,). ValueError
        unless epsilon > 0, size >= 1 and rng is a numpy.random.Generator.
        """
        check_release(epsilon, size, rng)
        of_nvar, of_ncov, _ = self._scales(data.n, epsilon)
        nvar = data.nvar + of_nvar * self._noise(rng, size)
        ncov = data.ncov + of_ncov * self._noise(rng, size)
        with np.errstate(over="ignore", divide="ignore"):
            slope = np.where(nvar > 0, ncov / nvar, 0.0 if self.fallback else np.nan)
        scale = self.noise_scale((1 + np.abs(slope)) / data.n, epsilon, self.split[2])
        noise = scale * self._noise(rng, size)
        intercept = data.y_mean - slope * data.x_mean + noise
        scales = ReleasedNoise(self.noise_name, (float(of_nvar), float(of_ncov)))
        return NoisyStatistics(nvar, ncov, slope, intercept, data.n, scales, scale)

    def loss(self, before: View, after: View, epsilon: float) -> float:
        """Compute the loss of publishing nvar, ncov and the intercept.

        The intercept moves by |dy - slope dx| for a scale of 1 + |slope|: between |dy|, at slope 0, and |dx|, at steep
        slopes. Laplace noise costs |shift|, Gaussian noise shift^2 / 2, in units of its scale.
        """
        a, b = before.data, after.data
        intercept = max(abs(a.y_mean - b.y_mean), abs(a.x_mean - b.x_mean))
        shift = np.array([a.nvar - b.nvar, a.ncov - b.ncov, intercept])
        return noise_loss(shift / self._scales(a.n, epsilon), self.guarantee(epsilon))

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        scales = self._scales(data.n, epsilon).tolist()
        sums, away = (data.nvar, data.ncov), at - data.x_mean
        laws: list[Law] = list(noisy_slope_laws(self.noise_name, *sums, scales, data.y_mean, away))
        if self.fallback:
            flat = self._flat_law(data, scales[2])
            laws = [FallbackLaw.of(law, flat) for law in laws]
        return [ClippedLaw(law, self.lower, self.upper) for law in laws] if self.clip else laws

    def _flat_law(self, data: Dataset, scale: float) -> Law:
        """Return the law of the fallback: the mean of y with the noise of an intercept at slope 0."""
        return (Laplace if self.noise_name == "Laplace" else Gaussian)(data.y_mean, scale)


@dataclass(frozen=True, repr=False)
class NoisyStats(NoisySufficientStatistics):
    """OLS from sufficient statistics with Laplace noise; fails where the noisy nvar(x) is not positive.

    $$
    \\tilde\\alpha = \\frac{\\mathrm{ncov}+L_1}{\\mathrm{nvar}+L_2},\\quad
    \\tilde p(x) = \\bar y + \\tilde\\alpha\\,(x-\\bar x) + L_3,\\quad
    L_1,L_2\\sim\\mathrm{Lap}\\Bigl(\\tfrac{3(1-1/n)}{\\varepsilon}\\Bigr),\\;
    L_3\\sim\\mathrm{Lap}\\Bigl(\\tfrac{3(1+|\\tilde\\alpha|)}{n\\varepsilon}\\Bigr)
    $$

    Its noise does not depend on how well the line fits. So it is at its best where
    $\\varepsilon\\,n\\,\\mathrm{var}(x)$ is large and the data are noisy. The noisy nvar(x) and ncov(x, y) may
    be published too, at no extra cost.

    Options, off by default:

    - *fallback*: where it fails, $\\bar y+L_3$ at slope 0.
    - *clip*: predictions are moved into [lower, upper].
    - *split*: shares $s_j$ in the place of the three thirds.

    Private: the noisy nvar(x) and ncov(x, y) cost $s_1\\varepsilon$ and $s_2\\varepsilon$. The slope follows from them;
    it counts as 0 where it failed. Given the slope, $\\bar y-\\tilde\\alpha\\bar x$ moves by at most
    $(1+|\\tilde\\alpha|)/n$. Its one release costs $s_3\\varepsilon$. Clipping is post-processing.
    """

    noise_kind: ClassVar[NoiseKind] = NoiseKind.LAPLACE
    source: ClassVar[str] = "Algorithm 1"
    in_paper: ClassVar[bool] = True
    corrections: ClassVar[tuple[str, ...]] = (
        "The appendix says that about 40% of its releases fail at nvar(x) = 0.0245 and n = 39, "
        "for any ε from 2⁻⁷ to "
        "8. The tail of the Laplace noise is exp(−nvar(x) ε / (3 (1 − 1/n))) / 2, which falls "
        "from 50% to 46.8%. "
        "For all tracts of Illinois the appendix says that at most 12% of the releases fail at ε "
        "= 8. This tract is one of them.",
    )


@dataclass(frozen=True, repr=False)
class NoisyStatsGaussian(NoisySufficientStatistics):
    """NoisyStats with Gaussian noise: the ε²/2-zCDP analogue, a fair partner for DPGDzCDP.

    $$
    \\sigma = \\Delta\\sqrt{3/(2\\rho)},\\qquad \\rho = \\varepsilon^2/2
    $$

    Each of nvar, ncov and the intercept gets ρ/3. The options are those of NoisyStats; *split* holds shares of ρ.
    """

    noise_kind: ClassVar[NoiseKind] = NoiseKind.GAUSSIAN
    source: ClassVar[str] = (
        "The paper mentions and omits this algorithm in 'Which non-robust estimator?'"
    )
