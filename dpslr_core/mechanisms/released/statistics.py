"""What NoisyStats and NoisyIntercept release: less than intervals need, so that public bounds stand in for the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...intervals.equation import LineEquation
from ...support import validate
from ...support.types import Floats
from .noise import ReleasedNoise

LARGEST_SD = 0.5  # of anything between 0 and 1 (Popoviciu)


@dataclass(frozen=True)
class NoisyStatistics:
    """What one release of noisy statistics hands out, each of shape (size,).

    Where nvar <= 0 slope and intercept are NaN, as the mechanism failed, or those of a flat line with a fallback.
    nvar and ncov come at no extra cost.

    n: the number of records. noise: of nvar and ncov. intercept_scale: of the noise of the intercept, shape (size,).
    residual_sd: a public upper bound on sigma_e, which is not released; dataclasses.replace gives a smaller one.
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
        """intercept + slope at, shape (size, len(at)). ValueError unless at is one or more finite numbers."""
        return self.intercept[:, None] + self.slope[:, None] * validate.points(at=at)

    def equation(self, at: ArrayLike) -> LineEquation:
        """What the three numbers say about the line at the points of at, shape (m,). ValueError as for predict.

        The mean of x is not released: the distance of a point from it counts as |x - 1/2| + 1/2, the most it can be.
        With that R, V = nvar and C = ncov, T(d) = V d - C R moves by N_V d - N_C R - V N_intercept, and by the errors
        of the records with the variance sigma^2 (V^2 / n + R^2 V).
        """
        reach = np.abs(validate.points(at=at) - 0.5) + 0.5
        released = np.isfinite(self.slope)
        slope, v, c = np.where(released, self.slope, 0.0)[:, None], self.nvar[:, None], self.ncov[:, None]
        own = self.intercept_scale * (self.noise.deviation[0] / self.noise.scale[0])
        of_intercept = np.where(released, own, 0.0)[:, None]
        of_v, of_c = self.noise.deviation
        nothing = np.zeros((self.nvar.size, reach.size))
        spread = np.maximum(v, self.noise.scale[0])
        height = np.where(released[:, None], self.predict(at), 0.0) - slope * reach
        return LineEquation(
            height=height,
            nvar=v,
            product=c * reach,
            constant=np.array([nothing, nothing - of_c * reach, nothing + v * of_intercept]),
            by_distance=np.array([nothing + of_v, nothing, nothing]),
            sampling=self.residual_sd**2 * (spread**2 / self.n + reach**2 * spread),
            freedom=np.full_like(v, np.inf),
            heavy=self.noise.heavy,
            own=slope * reach,
        )


@dataclass(frozen=True)
class NoisyMean:
    """What NoisyIntercept releases: the mean of y, shape (size,), which is the height of the line at the mean of x.

    n: the number of records. noise: of the mean.
    residual_sd: a public upper bound on the standard deviation of y; dataclasses.replace gives a smaller one.
    """

    n: int
    y_mean: Floats
    noise: ReleasedNoise
    residual_sd: float = LARGEST_SD

    def predict(self, at: ArrayLike) -> Floats:
        """The mean of y at every point, shape (size, len(at)). ValueError unless at is one or more finite numbers."""
        return np.repeat(self.y_mean[:, None], validate.points(at=at).size, axis=1)

    def equation(self, at: ArrayLike) -> LineEquation:
        """What the mean says about a flat line at the points of at, shape (m,); nothing about a slope.

        ValueError as for predict.
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
            heavy=self.noise.heavy,
        )
