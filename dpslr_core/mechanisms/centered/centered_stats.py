"""CenteredStats: OLS from five centred sums, released together with jointly calibrated noise."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...dataset import Dataset, Record
from ...laws.base import Law
from ...laws.centered import Kind, centered_laws, slope_per_covariance
from ...laws.joint import JointLaw
from ...privacy import ZCDP, Draw, Guarantee, NoiseKind, PureDP, ReleaseKind, Spend, noise_loss, rho_of
from ...support import validate
from ...support.run import QUARTERS
from ...support.types import Floats
from ..base import CLIP_HELP, LOWER_HELP, UPPER_HELP, Mechanism, View, hyperparameter
from ..family import BudgetSplit, MechanismFamily
from ..released.noise import ReleasedNoise
from .sensitivity import sensitivity
from .statistics import CenteredStatistics

_SUMS = 5
_B_HELP = "Noise scales of the sums of u, w, u², uw and w², times ε; refused where the sensitivity is above 1."
_RIDGE_HELP = "Shrink the slope by as much as its noise makes likely: steadier where n var(x) is small."


@dataclass(frozen=True)
class CenteredSums(Mechanism):
    """The sums over the records of (u, w, u^2, uw, w^2) with noise, all of the budget on the five together."""

    b: tuple[float, ...] = hyperparameter(help=_B_HELP)
    clip: bool = hyperparameter(False, help=CLIP_HELP)
    ridge: bool = hyperparameter(False, help=_RIDGE_HELP)
    lower: float = hyperparameter(-0.5, help=LOWER_HELP, step=0.5)
    upper: float = hyperparameter(1.5, help=UPPER_HELP, step=0.5)

    family: ClassVar[MechanismFamily] = MechanismFamily.NOISY_STATISTICS
    budget_split: ClassVar[BudgetSplit] = BudgetSplit.ONE_RELEASE
    strength: ClassVar[str] = "it centres x and y and calibrates the noise of all its sums together"
    source: ClassVar[str] = "this project's own; noisy sufficient statistics as in Algorithm 1"
    compared: ClassVar[str] = "five noisy sums"
    aim: ClassVar[str] = "OLS moved into its range"
    _kind: ClassVar[Kind]
    _norm: ClassVar[int]  # of the shifts, by which the noise is calibrated

    def _check(self) -> None:
        b = validate.points(b=self.b)
        if b.size != _SUMS or not (b > 0).all():
            raise ValueError(f"b must hold five numbers above 0, got {self.b!r}")
        if (delta := sensitivity(tuple(b.tolist()), self._norm)) > 1:
            raise ValueError(f"b must have a sensitivity of at most 1, got {delta:.6g} for {self.b!r}")
        validate.boolean(clip=self.clip, ridge=self.ridge)
        validate.ordered(lower=self.lower, upper=self.upper)

    @abstractmethod
    def _noise(self, rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
        """Noise of scale one."""

    @staticmethod
    def summands(record: Record) -> Floats:
        """What one record adds to the five sums, shape (5,)."""
        u, w = record[0] - 0.5, record[1] - 0.5
        return np.array([u, w, u * u, u * w, w * w])

    def noise_scale(self, epsilon: float) -> Floats:
        """The scales of the noise on the five sums, shape (5,): b / epsilon; for Gaussian noise b / sqrt(2 rho)."""
        (draw,) = self.draws(epsilon)
        return np.array(self.b) / draw.size

    def draws(
        self, epsilon: float, points: int = len(QUARTERS), released: ReleaseKind = ReleaseKind.PREDICTIONS
    ) -> tuple[Draw, ...]:
        """The noise of the five sums, which move by at most one scale together times epsilon; all else follows."""
        return (Draw(self.noise_kind, epsilon),)

    def described_noise(self, epsilon: float) -> ReleasedNoise:
        """The noise on the five sums, which is public."""
        return ReleasedNoise(self._kind, tuple(self.noise_scale(epsilon).tolist()))

    def ledger(self, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Spend, ...]:
        return (Spend("centred sums of x, y, x², xy and y², together", epsilon),)

    def release_statistics(
        self, data: Dataset, epsilon: float, size: int = 1000, *, rng: np.random.Generator
    ) -> CenteredStatistics:
        """size releases of the five sums and all that follows from them; each release costs epsilon as a whole.

        Arrays of shape (size,). ValueError where epsilon <= 0, size < 1 or rng is not a numpy.random.Generator.
        """
        validate.positive(epsilon=epsilon)
        validate.integer(1, size=size)
        validate.generator(rng=rng)
        return self._statistics(data, float(epsilon), self._noise(rng, (_SUMS, int(size))))

    def _statistics(self, data: Dataset, epsilon: float, noise: Floats) -> CenteredStatistics:
        """The statistics of the sums with this noise, of scale one, shape (5, size)."""
        scale, away = self.noise_scale(epsilon), data.y - data.y_mean
        moments = data.x_mean - 0.5, data.y_mean - 0.5, data.nvar, data.ncov, float(away @ away)
        released = CenteredStatistics.noised(data.n, moments, self.described_noise(epsilon), scale[:, None] * noise)
        if not self.ridge:
            return released
        factor = slope_per_covariance(self._kind, released.nvar, released.x_mean - 0.5, scale, True)
        return replace(released, slope=released.ncov * factor)

    def slope_kept(self, data: Dataset, epsilon: float) -> float:
        if not self.ridge:
            return 1.0
        scales, nvar = self.noise_scale(epsilon), np.array(data.nvar)
        return float(nvar * slope_per_covariance(self._kind, nvar, np.array(data.x_mean - 0.5), scales, True))

    def _draw(self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator) -> Floats:
        released = self.release_statistics(data, epsilon, size, rng=rng).predict(at)
        return np.clip(released, self.lower, self.upper) if self.clip else released

    def _target(self, data: Dataset, at: Floats) -> Floats:
        """OLS: the ridge shrinks the slope by no more than its noise."""
        return np.clip(data.predict(at), self.lower, self.upper) if self.clip else data.predict(at)

    def view(self, data: Dataset, epsilon: float, at: Floats) -> View:
        return View(data, JointLaw())

    def loss(self, mine: View, theirs: View, epsilon: float) -> float:
        """Of the five sums together, all of which may be published: they move by what the replaced record moves.

        Laplace noise costs |shift|, Gaussian noise shift^2 / 2, in units of its scale. ValueError where the data sets
        are not neighbours.
        """
        replaced = mine.data.replaced(theirs.data)
        if replaced is None:
            return 0.0
        shift = np.subtract(*(self.summands(record) for record in replaced))
        return noise_loss(shift / self.noise_scale(epsilon), self.guarantee(epsilon))

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        ends = (self.lower, self.upper) if self.clip else None
        return centered_laws(self._kind, data, self.noise_scale(epsilon), at, self.ridge, ends)


@dataclass(frozen=True)
class CenteredStats(CenteredSums):
    """OLS from five centred sums with jointly calibrated Laplace noise; a flat line where V is not positive.

    $$
    T=\\sum_i\\bigl(u_i,\\,w_i,\\,u_i^2,\\,u_iw_i,\\,w_i^2\\bigr)+\\frac{b}{\\varepsilon}\\,\\mathrm{Lap}(1)^5,\\qquad
    u=x-\\tfrac12,\\; w=y-\\tfrac12,\\qquad \\bar u=\\tfrac{T_1}n,\\; \\bar w=\\tfrac{T_2}n
    $$

    $$
    V=T_3-n\\bar u^2,\\qquad C=T_4-n\\bar u\\bar w,\\qquad
    \\tilde p(x)=\\tfrac12+\\bar w+\\frac CV\\,(x-\\tfrac12-\\bar u),\\quad
    \\tilde p(x)=\\tfrac12+\\bar w\\text{ where } V\\le 0
    $$

    Private: replacing one record moves $(u,w)$ by $d=|u-u'|$ and $e=|w-w'|$. As $|u+u'|\\le 1-d$ and $|w+w'|\\le 1-e$,
    it moves $u^2$ by at most $d(1-d)$, $w^2$ by $e(1-e)$ and $uw$ by $\\frac12(d(1-e)+(1-d)e)$. The Laplace mechanism
    is ε-differentially private where
    $\\max_{0\\le d,e\\le1}\\ \\frac d{b_1}+\\frac e{b_2}+\\frac{d(1-d)}{b_3}+\\frac{d(1-e)+(1-d)e}{2b_4}
    +\\frac{e(1-e)}{b_5}\\le1$; other b are refused. What follows from the sums costs nothing.

    One release gives the line at every x, σₑ, R², n var(x), confidence intervals and a slope test. It is at its best
    where ε n var(x) is large; it is weak where the mean of x is far from 1/2 and its variance small.
    """

    b: tuple[float, ...] = hyperparameter((3.1, 3.4, 1.2, 0.83, 1.95), help=_B_HELP)

    noise_kind: ClassVar[NoiseKind] = NoiseKind.LAPLACE
    _kind = "Laplace"
    _norm = 1

    def guarantee(self, epsilon: float) -> Guarantee:
        return PureDP(epsilon)

    def _noise(self, rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
        return rng.laplace(size=shape)


@dataclass(frozen=True)
class CenteredStatsGaussian(CenteredSums):
    """CenteredStats with Gaussian noise: ρ-zCDP with ρ = ε²/2, as NoisyStatsGaussian and DPGDzCDP.

    $$
    T=\\sum_i\\bigl(u_i,\\,w_i,\\,u_i^2,\\,u_iw_i,\\,w_i^2\\bigr)+
    \\mathcal N\\bigl(0,\\mathrm{diag}(b^2)/(2\\rho)\\bigr)
    $$

    and otherwise as CenteredStats; b is refused unless the Euclidean norm of the five shifts, each over its b, is at
    most 1: then the Rényi divergence of order α is at most $\\alpha\\rho$.
    """

    b: tuple[float, ...] = hyperparameter((1.7, 1.7, 0.41, 0.63, 0.51), help=_B_HELP)

    noise_kind: ClassVar[NoiseKind] = NoiseKind.GAUSSIAN
    _kind = "Gaussian"
    _norm = 2

    def guarantee(self, epsilon: float) -> Guarantee:
        return ZCDP(rho_of(epsilon))

    def _noise(self, rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
        return rng.standard_normal(shape)
