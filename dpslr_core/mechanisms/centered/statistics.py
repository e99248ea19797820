"""What one release of centred sums hands out: the line, its standard error and how well it fits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...support import validate
from ...support.types import Floats


@dataclass(frozen=True)
class CenteredStatistics:
    """Noisy statistics of size releases, each of shape (size,); all of it is read off the same five noisy sums.

    n: the number of records.
    x_mean, y_mean: the means.
    nvar, ncov: n var(x) and n cov(x, y).
    nvar_y: n var(y).
    slope: ncov / nvar, shrunk if there is a ridge; 0 where nvar <= 0, which ``fallback`` says.
    least_nvar, least_squares: what nvar and the sum of squared residuals count as at least: the scale of their noise.
    """

    n: int
    x_mean: Floats
    y_mean: Floats
    nvar: Floats
    ncov: Floats
    nvar_y: Floats
    slope: Floats
    least_nvar: float
    least_squares: float

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
