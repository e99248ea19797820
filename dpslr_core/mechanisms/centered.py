"""OLS from five centred sums that are released together, with jointly calibrated noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..dataset import Dataset, Record
from ..intervals.equation import LineEquation
from ..laws.base import Law
from ..laws.centered import centered_laws, slope_per_covariance
from ..privacy import NoiseKind, noise_loss
from ..support import validate
from ..support.types import Floats
from .base import CLIP_HELP, LOWER_HELP, UPPER_HELP, View, check_release, hyperparameter
from .noisy_stats import LineOfStatistics, ReleasedNoise

_CLOSE = 1e-8  # relative excess of the bound over the maximum, at most
_ROUNDING = 1e-12
_START = 8  # cells along each side at the start


@cache
def sensitivity(b: tuple[float, ...], power: int) -> float:
    """Compute the joint sensitivity of the five sums in units of their noise scales b, rounded up by up to 10^-8.

    The value is the maximum over 0 <= d, e <= 1 of (sum_j (shift_j(d, e) / b_j)^power)^(1/power).

    Branch and bound: on a square cell with centre c and half side r a function with gradient g is at most
    f(c) + r |g|_1 + r^2 (M_dd + 2 M_de + M_ee) / 2, where M bounds the second derivatives. Cells whose bound is below
    the largest value seen are left out, the others cut into four, until the largest bound is that value.

    Parameters
    ----------
    b : tuple of 5 floats
        Noise scales of the sums of u, w, u^2, uw and w^2, above 0.
    power : int
        Norm of the shifts: 1, or 2 for the Euclidean norm.
    """
    scales, half = np.array(b)[:, None], 0.5 / _START
    d, e = (side.ravel() for side in np.meshgrid(*[half * (2 * np.arange(_START) + 1)] * 2))
    bend, best = 0.5 * _second_derivatives(scales.ravel(), power), 0.0
    while True:
        value, by_d, by_e = _value_and_gradient(d, e, scales, power)
        bound = value + half * (np.abs(by_d) + np.abs(by_e)) + half**2 * bend
        corner = _value_and_gradient(
            d + half * np.sign(by_d), e + half * np.sign(by_e), scales, power
        )[0]
        best = max(best, float(value.max()), float(corner.max()))
        if bound.max() <= best * (1 + _CLOSE):
            return float(max(bound.max(), best) ** (1 / power)) * (1 + _ROUNDING)
        open_cells, half = bound > best, 0.5 * half
        d, e = (
            (side[open_cells, None] + half * np.array(signs)).ravel()
            for side, signs in ((d, (-1, -1, 1, 1)), (e, (-1, 1, -1, 1)))
        )


def shifts(d: Floats, e: Floats) -> Floats:
    """Compute the largest shifts of (u, w, u^2, uw, w^2), shape (5, m), if u moves by d and w by e, shape (m,)."""
    return np.array([d, e, d * (1 - d), 0.5 * (d * (1 - e) + (1 - d) * e), e * (1 - e)])


def _value_and_gradient(
    d: Floats, e: Floats, scales: Floats, power: int
) -> tuple[Floats, Floats, Floats]:
    """Compute f = sum_j (shift_j / b_j)^power and its derivatives by d and by e, three arrays of shape (m,)."""
    zeros, ones = np.zeros_like(d), np.ones_like(d)
    terms = shifts(d, e) / scales
    by_d = np.array([ones, zeros, 1 - 2 * d, 0.5 - e, zeros]) / scales
    by_e = np.array([zeros, ones, zeros, 0.5 - d, 1 - 2 * e]) / scales
    outer = power * terms ** (power - 1)
    return (terms**power).sum(axis=0), (outer * by_d).sum(axis=0), (outer * by_e).sum(axis=0)


def _second_derivatives(b: Floats, power: int) -> float:
    """Bound M_dd + 2 M_de + M_ee of `sensitivity`.

    The second derivative of d (1 - d) and of its square is at most 2. For the square of the shift of uw the second
    derivatives are at most 1/2 and the mixed one at most 3/2; the mixed derivative of the shift itself is -1.
    """
    if power == 1:
        return float(2 / b[2] + 2 / b[3] + 2 / b[4])
    along = 2 / b[0] ** 2 + 2 / b[1] ** 2 + 2 / b[2] ** 2 + 2 / b[4] ** 2
    return float(along + (0.5 + 2 * 1.5 + 0.5) / b[3] ** 2)


_LEAST_FREEDOM = 1.0


@dataclass(frozen=True)
class CenteredStatistics:
    """Noisy statistics of `size` releases; all follow from the same five noisy sums.

    Attributes
    ----------
    n : int
        Number of records.
    x_mean, y_mean : array, shape (size,)
        Means.
    nvar, ncov, nvar_y : array, shape (size,)
        n var(x), n cov(x, y) and n var(y).
    slope : array, shape (size,)
        ncov / nvar, shrunk if there is a ridge; 0 where nvar <= 0 (see ``fallback``).
    noise : ReleasedNoise
        Noise of the five sums.
    """

    n: int
    x_mean: Floats
    y_mean: Floats
    nvar: Floats
    ncov: Floats
    nvar_y: Floats
    slope: Floats
    noise: ReleasedNoise

    @property
    def spread(self) -> Floats:
        """Noisy n var(x) for standard errors, shape (size,): raised to the noise scale of the sum of u^2 if below."""
        return np.maximum(self.nvar, self.noise.scale[2])

    @property
    def least_squares(self) -> float:
        """Lower bound on the sum of squared residuals: the noise scale of the sum of w^2."""
        return self.noise.scale[4]

    def take(self, which: np.ndarray | slice) -> CenteredStatistics:
        """Select releases by their numbers, a boolean mask or a slice."""
        arrays: dict[str, Any] = {
            k: value[which] for k, value in vars(self).items() if isinstance(value, np.ndarray)
        }
        return replace(self, **arrays)

    @property
    def fallback(self) -> np.ndarray:
        """Whether the noisy n var(x) of a release is 0 or less, so that the released line is flat; shape (size,)."""
        return self.nvar <= 0

    def predict(self, at: ArrayLike) -> Floats:
        """Predict y_mean + slope (at - x_mean), shape (size, len(at)). ValueError unless at is finite."""
        return self.y_mean[:, None] + self.slope[:, None] * (
            validate.points(at=at) - self.x_mean[:, None]
        )

    @property
    def residual_sd(self) -> Floats:
        """Residual standard deviation sigma_e, shape (size,), in units of y.

        sigma_e = sqrt((nvar_y - 2 slope ncov + slope^2 nvar) / (n - 2)), with ``least_squares`` as the least sum of
        squares.
        """
        squares = self.nvar_y - 2 * self.slope * self.ncov + self.slope**2 * self.nvar
        return np.sqrt(np.maximum(squares, self.least_squares) / (self.n - 2))

    def standard_error(self, at: ArrayLike) -> Floats:
        """Compute sigma_e sqrt(1/n + (at - x_mean)^2 / nvar), shape (size, len(at)), in units of y (Equation 3).

        The sampling error alone: the noise of the release comes on top. ValueError as for predict.
        """
        away = validate.points(at=at) - self.x_mean[:, None]
        return self.residual_sd[:, None] * np.sqrt(1 / self.n + away**2 / self.spread[:, None])

    def equation(self, at: ArrayLike) -> LineEquation:
        """Return the equation T(p) = 0 for the height p of the line at each point of at, shape (m,).

        With z = at - x_mean, V = nvar, C = ncov, d = p - y_mean and a noise N on each sum, T(p) = V d - C z moves by
        N_w (z ubar - V / n) + N_u (z wbar + C / n - 2 ubar d) + N_uu d - N_uw z, to first order; the errors of the
        records add the variance sigma_e^2 (V^2 / n + z^2 V). A ridge shrinks the slope and not the equation.
        ValueError as for predict.
        """
        away = validate.points(at=at) - self.x_mean[:, None]
        u, w, v, c = (
            moment[:, None]
            for moment in (self.x_mean - 0.5, self.y_mean - 0.5, self.nvar, self.ncov)
        )
        of_u, of_w, of_uu, of_uw, _ = self.noise.deviation
        zeros, ones = np.zeros_like(away), np.ones_like(away)
        constant = np.array(
            [of_w * (away * u - v / self.n), of_u * (away * w + c / self.n), zeros, -of_uw * away]
        )
        by_distance = np.array([zeros, -2 * of_u * u * ones, of_uu * ones, zeros])
        spread = self.spread[:, None]
        sampling = self.residual_sd[:, None] ** 2 * (spread**2 / self.n + away**2 * spread)
        height = np.repeat(self.y_mean[:, None], away.shape[1], axis=1)
        return LineEquation(
            height,
            v,
            c * away,
            constant,
            by_distance,
            sampling,
            self.freedom[:, None],
            self.noise.heavy,
        )

    @property
    def freedom(self) -> Floats:
        """Degrees of freedom of sigma_e^2 with the noise in it, shape (size,): at least 1, at most n - 2.

        The sum Q of squared residuals has the variance 2 Q^2 / (n - 2) from the records. The noise adds the variance of
        N_ww - 2 wbar N_w - 2 a (N_uw - ubar N_w - wbar N_u) + a^2 (N_uu - 2 ubar N_u), to first order, with a = slope.
        A t quantile treats both variances as one.
        """
        u, w, a = self.x_mean - 0.5, self.y_mean - 0.5, np.where(self.fallback, 0.0, self.slope)
        of_u, of_w, of_uu, of_uw, of_ww = self.noise.deviation**2
        own = of_ww + 4 * (a * u - w) ** 2 * of_w + 4 * a**2 * of_uw
        own = own + a**4 * of_uu + 4 * a**2 * (w - a * u) ** 2 * of_u
        squares = (self.residual_sd**2 * (self.n - 2)) ** 2
        return np.maximum(2 * squares / (2 * squares / (self.n - 2) + own), _LEAST_FREEDOM)

    def simulated(self, count: int, rng: np.random.Generator, slope: float) -> CenteredStatistics:
        """Simulate `count` releases from new data that are distributed as each release describes its data.

        The new x have the V = spread and x_mean of the release. The new y are normal about a line with the given slope:
        y_mean + sqrt(sigma^2 / n) Z, ncov = slope V + sqrt(sigma^2 V) Z, nvar_y = ncov^2 / V + sigma^2 chi^2 with n - 2
        degrees of freedom and sigma = sqrt(nvar_y / (n - 1)) of the release. All five sums get new noise. Source:
        Ferrando, Wang and Sheldon (2022).

        Parameters
        ----------
        count : int
            Number of simulations for each release.
        rng : numpy.random.Generator
            Source of all randomness.
        slope : float
            Slope of the simulated line.

        Returns
        -------
        CenteredStatistics
            Arrays of shape (size * count,); the simulations from one release stand together.
        """
        sd = np.sqrt(np.maximum(self.nvar_y, self.least_squares) / (self.n - 1))
        u, w, v, sd = (
            np.repeat(moment, count)
            for moment in (self.x_mean - 0.5, self.y_mean - 0.5, self.spread, sd)
        )
        w = w + sd / np.sqrt(self.n) * rng.standard_normal(w.size)
        c = slope * v + sd * np.sqrt(v) * rng.standard_normal(w.size)
        ww = c * c / v + sd**2 * rng.chisquare(self.n - 2, w.size)
        return self.noised(self.n, (u, w, v, c, ww), self.noise, self.noise.draw(w.size, rng))

    @classmethod
    def noised(
        cls, n: int, moments: tuple[ArrayLike, ...], noise: ReleasedNoise, drawn: Floats
    ) -> CenteredStatistics:
        """Compute the statistics from the exact moments and the noise on the five sums.

        With T the noisy sums, V = Tuu - Tu^2 / n is n var(x) + Nuu - 2 mean(u) Nu - Nu^2 / n; ncov and nvar_y are
        written alike. In this form nothing cancels where the noise is small.

        Parameters
        ----------
        n : int
            Number of records.
        moments : tuple of 5 array_like
            Means of u and w, nvar, ncov and nvar_y without noise, numbers or shape (size,).
        noise : ReleasedNoise
            Public description of the noise.
        drawn : array, shape (5, size)
            Noise on the five sums.
        """
        u, w, v, c, ww = (np.asarray(moment, dtype=float) for moment in moments)
        of_u, of_w, of_uu, of_uw, of_ww = drawn
        nvar = v + of_uu - 2 * u * of_u - of_u**2 / n
        ncov = c + of_uw - u * of_w - w * of_u - of_u * of_w / n
        nvar_y = ww + of_ww - 2 * w * of_w - of_w**2 / n
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            slope = np.where(nvar > 0, ncov / nvar, 0.0)
        return cls(n, 0.5 + u + of_u / n, 0.5 + w + of_w / n, nvar, ncov, nvar_y, slope, noise)


_SUMS = 5
_B_HELP = "Noise scales of the sums of u, w, u², uw and w², times ε; refused where the sensitivity is above 1."
_RIDGE_HELP = (
    "Shrink the slope by as much as its noise makes likely: steadier where n var(x) is small."
)


@dataclass(frozen=True)
class CenteredSums(LineOfStatistics):
    """Base of the mechanisms that add noise to the sums of (u, w, u^2, uw, w^2), calibrated together."""

    b: tuple[float, ...] = hyperparameter(help=_B_HELP)
    clip: bool = hyperparameter(False, help=CLIP_HELP)
    ridge: bool = hyperparameter(False, help=_RIDGE_HELP)
    lower: float = hyperparameter(-0.5, help=LOWER_HELP, step=0.5)
    upper: float = hyperparameter(1.5, help=UPPER_HELP, step=0.5)

    strength: ClassVar[str] = "it centres x and y and calibrates the noise of all its sums together"
    source: ClassVar[str] = (
        "this project's own. The noisy sufficient statistics are as in Algorithm 1 of the paper"
    )
    released: ClassVar[str] = "centred sums of x, y, x², xy and y², together"

    def _check(self) -> None:
        b = validate.points(b=self.b)
        if b.size != _SUMS or not (b > 0).all():
            raise ValueError(f"b must hold five numbers above 0, got {self.b!r}")
        # Norm of the shifts, by which the noise is calibrated.
        norm = 1 if self.noise_name == "Laplace" else 2
        if (delta := sensitivity(tuple(b.tolist()), norm)) > 1:
            raise ValueError(
                f"b must have a sensitivity of at most 1, got {delta:.6g} for {self.b!r}"
            )
        super()._check()
        validate.boolean(ridge=self.ridge)

    @staticmethod
    def summands(record: Record) -> Floats:
        """Compute the contribution of one record to the five sums, shape (5,)."""
        u, w = record[0] - 0.5, record[1] - 0.5
        return np.array([u, w, u * u, u * w, w * w])

    def noise_scale(self, epsilon: float) -> Floats:
        """Compute the noise scales of the five sums, shape (5,): b / epsilon, or b / sqrt(2 rho) for Gaussian noise."""
        (draw,) = self.draws(epsilon)
        return np.array(self.b) / draw.size

    def described_noise(self, epsilon: float) -> ReleasedNoise:
        """Describe the noise on the five sums, which is public."""
        return ReleasedNoise(self.noise_name, tuple(self.noise_scale(epsilon).tolist()))

    def release_statistics(
        self, data: Dataset, epsilon: float, size: int = 1000, *, rng: np.random.Generator
    ) -> CenteredStatistics:
        """Draw `size` releases of the five sums and compute all statistics; each release costs epsilon as a whole.

        The arrays have shape (size,). ValueError unless epsilon > 0, size >= 1 and rng is a numpy.random.Generator.
        """
        check_release(epsilon, size, rng)
        return self._statistics(data, float(epsilon), self._noise(rng, (_SUMS, int(size))))

    def _statistics(self, data: Dataset, epsilon: float, noise: Floats) -> CenteredStatistics:
        """Compute CenteredStatistics from the data and noise of scale 1, shape (5, size)."""
        scale, away = self.noise_scale(epsilon), data.y - data.y_mean
        moments = data.x_mean - 0.5, data.y_mean - 0.5, data.nvar, data.ncov, float(away @ away)
        released = CenteredStatistics.noised(
            data.n, moments, self.described_noise(epsilon), scale[:, None] * noise
        )
        if not self.ridge:
            return released
        factor = slope_per_covariance(
            self.noise_name, released.nvar, released.x_mean - 0.5, scale, True
        )
        return replace(released, slope=released.ncov * factor)

    def slope_kept(self, data: Dataset, epsilon: float) -> float:
        if not self.ridge:
            return 1.0
        scales, nvar = self.noise_scale(epsilon), np.array(data.nvar)
        return float(
            nvar
            * slope_per_covariance(self.noise_name, nvar, np.array(data.x_mean - 0.5), scales, True)
        )

    def loss(self, before: View, after: View, epsilon: float) -> float:
        """Compute the loss of publishing all five sums, which the replaced record moves by its summands.

        Laplace noise costs |shift|, Gaussian noise shift^2 / 2, in units of its scale. ValueError where the data sets
        are not neighbours.
        """
        replaced = before.data.replaced(after.data)
        if replaced is None:
            return 0.0
        shift = np.subtract(*(self.summands(record) for record in replaced))
        return noise_loss(shift / self.noise_scale(epsilon), self.guarantee(epsilon))

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        ends = (self.lower, self.upper) if self.clip else None
        return centered_laws(self.noise_name, data, self.noise_scale(epsilon), at, self.ridge, ends)


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


@dataclass(frozen=True)
class CenteredStatsGaussian(CenteredSums):
    """CenteredStats with Gaussian noise: ρ-zCDP with ρ = ε²/2, as NoisyStatsGaussian and DPGDzCDP.

    $$
    T=\\sum_i\\bigl(u_i,\\,w_i,\\,u_i^2,\\,u_iw_i,\\,w_i^2\\bigr)+
    \\mathcal N\\bigl(0,\\mathrm{diag}(b^2)/(2\\rho)\\bigr)
    $$

    and otherwise as CenteredStats. The Euclidean norm of the five shifts, each over its b, must be at most 1; other b
    are refused. Then the Rényi divergence of order α is at most $\\alpha\\rho$.
    """

    b: tuple[float, ...] = hyperparameter((1.7, 1.7, 0.41, 0.63, 0.51), help=_B_HELP)

    noise_kind: ClassVar[NoiseKind] = NoiseKind.GAUSSIAN
