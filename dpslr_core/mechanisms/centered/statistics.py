"""What one release of centred sums hands out: the line, its standard error, how well it fits, and further draws."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ...intervals.equation import LineEquation
from ...support import validate
from ...support.types import Floats
from ..released.noise import ReleasedNoise

_LEAST_FREEDOM = 1.0


@dataclass(frozen=True)
class CenteredStatistics:
    """Noisy statistics of size releases, each of shape (size,); all of it is read off the same five noisy sums.

    n: the number of records.
    x_mean, y_mean: the means.
    nvar, ncov: n var(x) and n cov(x, y).
    nvar_y: n var(y).
    slope: ncov / nvar, shrunk if there is a ridge; 0 where nvar <= 0, which ``fallback`` says.
    noise: of the five sums.
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
    def least_nvar(self) -> float:
        """What nvar counts as at least in standard errors: the scale of the noise of the sum of u^2."""
        return self.noise.scale[2]

    @property
    def least_squares(self) -> float:
        """What the sum of squared residuals counts as at least: the scale of the noise of the sum of w^2."""
        return self.noise.scale[4]

    def take(self, which: np.ndarray) -> CenteredStatistics:
        """The releases with these numbers, or where this is true."""
        arrays = {name: value[which] for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return replace(self, **arrays)

    @property
    def fallback(self) -> np.ndarray:
        """Whether nvar <= 0, so that the line is flat; shape (size,)."""
        return self.nvar <= 0

    @property
    def middle(self) -> Floats:
        """The height of the line at x = 1/2, shape (size,), in units of y."""
        return self.predict(0.5)[:, 0]

    def predict(self, at: ArrayLike) -> Floats:
        """y_mean + slope (at - x_mean), shape (size, len(at)). ValueError unless at is one or more finite numbers."""
        return self.y_mean[:, None] + self.slope[:, None] * (validate.points(at=at) - self.x_mean[:, None])

    @property
    def residual_sd(self) -> Floats:
        """sigma_e = sqrt((nvar_y - 2 slope ncov + slope^2 nvar) / (n - 2)), shape (size,), in units of y."""
        squares = self.nvar_y - 2 * self.slope * self.ncov + self.slope**2 * self.nvar
        return np.sqrt(np.maximum(squares, self.least_squares) / (self.n - 2))

    @property
    def r_squared(self) -> Floats:
        """The share of n var(y) that the line explains, slope ncov / nvar_y cut to [0, 1]; shape (size,)."""
        return np.clip(self.slope * self.ncov / np.maximum(self.nvar_y, self.least_squares), 0, 1)

    def standard_error(self, at: ArrayLike) -> Floats:
        """sigma_e sqrt(1/n + (at - x_mean)^2 / nvar), shape (size, len(at)), in units of y (Equation 3).

        The sampling error alone: the noise of the release comes on top. ValueError as for predict.
        """
        away = validate.points(at=at) - self.x_mean[:, None]
        spread = np.maximum(self.nvar, self.least_nvar)[:, None]
        return self.residual_sd[:, None] * np.sqrt(1 / self.n + away**2 / spread)

    def equation(self, at: ArrayLike) -> LineEquation:
        """What the five sums say about the line at the points of at, shape (m,). ValueError as for predict.

        With z = at - x_mean, V = nvar, C = ncov, d = p - y_mean and a noise N on each sum, T(p) = V d - C z moves by
        N_w (z ubar - V / n) + N_u (z wbar + C / n - 2 ubar d) + N_uu d - N_uw z, to first order; the errors of the
        records add the variance sigma_e^2 (V^2 / n + z^2 V). A ridge shrinks the slope and not the equation.
        """
        away = validate.points(at=at) - self.x_mean[:, None]
        u, w, v, c = (part[:, None] for part in (self.x_mean - 0.5, self.y_mean - 0.5, self.nvar, self.ncov))
        of_u, of_w, of_uu, of_uw, _ = self.noise.deviation
        nothing, one = np.zeros_like(away), np.ones_like(away)
        constant = np.array([of_w * (away * u - v / self.n), of_u * (away * w + c / self.n), nothing, -of_uw * away])
        by_distance = np.array([nothing, -2 * of_u * u * one, of_uu * one, nothing])
        spread = np.maximum(v, self.least_nvar)
        sampling = self.residual_sd[:, None] ** 2 * (spread**2 / self.n + away**2 * spread)
        height = np.repeat(self.y_mean[:, None], away.shape[1], axis=1)
        return LineEquation(
            height, v, c * away, constant, by_distance, sampling, self.freedom[:, None], self.noise.heavy
        )

    @property
    def freedom(self) -> Floats:
        """Degrees of freedom of sigma_e^2 with the noise in it, shape (size,): at least 1, at most n - 2.

        The sum Q of squared residuals has the variance 2 Q^2 / (n - 2) from the records, and that of
        N_ww - 2 wbar N_w - 2 a (N_uw - ubar N_w - wbar N_u) + a^2 (N_uu - 2 ubar N_u) from the noise, to first order
        with a = slope; a t quantile takes the two for one.
        """
        u, w, a = self.x_mean - 0.5, self.y_mean - 0.5, np.where(self.fallback, 0.0, self.slope)
        of_u, of_w, of_uu, of_uw, of_ww = self.noise.deviation**2
        own = of_ww + 4 * (a * u - w) ** 2 * of_w + 4 * a**2 * of_uw
        own = own + a**4 * of_uu + 4 * a**2 * (w - a * u) ** 2 * of_u
        squares = (self.residual_sd**2 * (self.n - 2)) ** 2
        return np.maximum(2 * squares / (2 * squares / (self.n - 2) + own), _LEAST_FREEDOM)

    @property
    def unexplained(self) -> Floats:
        """sigma_e if the line is flat: sqrt(nvar_y / (n - 1)), shape (size,), in units of y."""
        return np.sqrt(np.maximum(self.nvar_y, self.least_squares) / (self.n - 1))

    def simulated(
        self, count: int, rng: np.random.Generator, errors: bool = True, slope: float | None = None
    ) -> CenteredStatistics:
        """count releases from data as each release describes them, shape (size count,), those of one release together.

        The x are those of the release: V = nvar (at least least_nvar) and x_mean. The y are new, normal about the
        line: y_mean + sqrt(sigma^2 / n) Z, ncov = slope V + sqrt(sigma^2 V) Z, nvar_y = ncov^2 / V + sigma^2 chi^2
        with n - 2 degrees of freedom. Then new noise on all five sums. Source: Ferrando, Wang and Sheldon (2022).

        errors: False keeps y as well, so that the noise alone is new.
        slope: of the line; None for that of the release, ncov / nvar. Given, sigma is ``unexplained``.
        """
        u, w, v, c, ww = (
            np.repeat(part, count)
            for part in (
                self.x_mean - 0.5,
                self.y_mean - 0.5,
                np.maximum(self.nvar, self.least_nvar),
                self.ncov,
                self.nvar_y,
            )
        )
        if errors:
            sd = np.repeat(self.residual_sd if slope is None else self.unexplained, count)
            w = w + sd / np.sqrt(self.n) * rng.standard_normal(w.size)
            c = (c if slope is None else slope * v) + sd * np.sqrt(v) * rng.standard_normal(w.size)
            ww = c * c / v + sd**2 * rng.chisquare(self.n - 2, w.size)
        return self.noised(self.n, (u, w, v, c, ww), self.noise, self.noise.draw(w.size, rng))

    def part(self, first: int, last: int) -> CenteredStatistics:
        """The releases first, ..., last - 1."""
        names = ("x_mean", "y_mean", "nvar", "ncov", "nvar_y", "slope")
        return replace(self, **{name: getattr(self, name)[first:last] for name in names})

    @classmethod
    def noised(cls, n: int, moments: tuple[ArrayLike, ...], noise: ReleasedNoise, drawn: Floats) -> CenteredStatistics:
        """The statistics of the sums with noise.

        moments: the means of u and w, nvar, ncov and nvar_y without noise, numbers or shape (size,).
        drawn: the noises of the five sums, shape (5, size).

        With T the noisy sums, V = Tuu - Tu^2 / n is n var(x) + Nuu - 2 mean(u) Nu - Nu^2 / n, and so are the others:
        written so, nothing cancels where there is little noise.
        """
        u, w, v, c, ww = (np.asarray(part, dtype=float) for part in moments)
        of_u, of_w, of_uu, of_uw, of_ww = drawn
        nvar = v + of_uu - 2 * u * of_u - of_u**2 / n
        ncov = c + of_uw - u * of_w - w * of_u - of_u * of_w / n
        nvar_y = ww + of_ww - 2 * w * of_w - of_w**2 / n
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            slope = np.where(nvar > 0, ncov / nvar, 0.0)
        return cls(n, 0.5 + u + of_u / n, 0.5 + w + of_w / n, nvar, ncov, nvar_y, slope, noise)
