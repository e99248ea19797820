"""The laws of predictions from a noisy slope: the verbs of a law, each one quadrature over the slope."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ...support import validate
from ...support.types import Floats, Integers
from ..base import Law
from .density import GaussianRatio, LaplaceRatio
from .panels import SPREAD, RatioDensity, find_panels
from .quadrature import averaged_tails

_FARTHEST = 1e250  # in units of the last noise; farther t count as this far
_DENSITIES = {"Laplace": LaplaceRatio, "Gaussian": GaussianRatio}


def noisy_slope_laws(
    noise: Literal["Laplace", "Gaussian"],
    nvar: float,
    ncov: float,
    scales: Sequence[float],
    y_mean: float,
    distances: Floats,
) -> list[Law]:
    """The law of y_mean + b distance + c (1 + |b|) E3 for each distance, b = (ncov + E1) / (nvar + E2).

    noise: of E1, E2 and E3, all independent, E3 of scale one.
    nvar, ncov: n var(x) and n cov(x, y).
    scales: of the noise on nvar, on ncov, and c, that of the noise on the intercept at slope 0, in units of y.
    y_mean: the mean of y. distances: x_new - mean x, shape (m,).

    The laws share one quadrature.
    Relative error of the cdf and of the survival function below 1e-9 (as far as a float can tell t from its
    neighbours). failure is P(nvar + E2 <= 0); both tails fall as 1/t, so that there is no mean.
    Source: Algorithm 1, NoisyStats.
    """
    of_nvar, of_ncov, of_intercept = scales
    slopes = _DENSITIES[noise](abs(ncov) / of_ncov, nvar / of_nvar, of_ncov / of_nvar)
    sign = -1.0 if ncov < 0 else 1.0
    return [NoisySlopeLaw(slopes, sign, y_mean, float(distance), of_intercept) for distance in distances]


@dataclass(frozen=True)
class NoisySlopeLaw(Law):
    """The law of y_mean + sign b distance + scale (1 + |b|) E, b = unit s, s a noisy ratio, E noise of scale one.

    slopes: the law of s, shared by the points of one data set; sign: 1 or -1, the sign of ncov;
    distance: x - x_mean; scale: in units of y.
    """

    slopes: RatioDensity
    sign: float
    y_mean: float
    distance: float
    scale: float

    @property
    def failure(self) -> float:
        return self.slopes.failure

    def cdf(self, t: ArrayLike) -> Floats:
        t = np.asarray(t, dtype=float)
        lower, upper = self._tails_and_density(t.ravel())
        inside = np.where(lower < upper, lower, (1 - self.failure) - upper).reshape(t.shape)
        return np.where(np.isinf(t), np.where(t > 0, 1 - self.failure, 0.0), inside)

    def logpdf(self, t: ArrayLike) -> Floats:
        t = np.asarray(t, dtype=float)
        density = self._tails_and_density(t.ravel(), dense=True)[2].reshape(t.shape)
        with np.errstate(divide="ignore"):
            return np.log(np.where(np.isinf(t), 0.0, density))

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """size independent draws, shape (size,): the mechanism's own noises, in its order; NaN = failed.

        Raises ValueError unless rng is a numpy.random.Generator.
        """
        validate.generator(rng=rng)
        ratio, draw = self.slopes, self.slopes.noise.draw
        bottom = ratio.denominator + draw(rng, size)
        top = ratio.numerator + self.sign * draw(rng, size)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            slope = np.where(bottom > 0, top / bottom, np.nan)
            beyond = (top - ratio.reference * bottom) / bottom  # slope - reference, which may be far smaller
            noise = self.scale * (1 + ratio.unit * np.abs(slope)) * draw(rng, size)
            return self._origin + self.sign * self.distance * ratio.unit * beyond + noise

    @cached_property
    def _origin(self) -> float:
        """The prediction from the reference slope: the point from which t is measured."""
        return self.y_mean + self.sign * self.slopes.reference * self.slopes.unit * self.distance

    @property
    def _pull(self) -> float:
        return self.sign * self.distance * self.slopes.unit / self.scale

    def _tails_and_density(self, t: Floats, dense: bool = False) -> Floats:
        """P(release <= t), P(release > t) and, if dense, the density at t; shape (2 or 3, len(t))."""
        steps = _steps(t, self._origin, self.scale)
        values = averaged_tails(
            [self.slopes], np.zeros(t.size, dtype=np.int64), np.full(t.shape, self._pull), steps, dense
        )
        if dense:
            values[2] /= self.scale
        values[:, np.isnan(t)] = np.nan
        return values

    @property
    def kind(self) -> Hashable:
        """The class of laws, and that of the noise."""
        return type(self), type(self.slopes)

    @classmethod
    def tails(cls, laws: Sequence[Any], number: Integers, t: Floats) -> Floats:
        """As Law.tails, with one quadrature for all."""
        origin, scale, pull = np.array([(law._origin, law.scale, law._pull) for law in laws]).T[:, number]
        places: dict[int, int] = {}
        slope = np.array([places.setdefault(id(law.slopes), len(places)) for law in laws])[number]
        every = list({id(law.slopes): law.slopes for law in laws}.values())
        find_panels(every)
        lower, upper, density = averaged_tails(every, slope, pull, _steps(t, origin, scale), True)
        answered, low = np.array([1 - law.failure for law in laws])[number], lower < upper
        return np.array(
            [np.where(low, lower, answered - upper), np.where(low, answered - lower, upper), density / scale]
        )

    @classmethod
    def samples(cls, laws: Sequence[Any]) -> Floats:
        """What the mechanism releases for evenly spread noises, given that there is an answer."""
        columns = [
            (s.numerator, s.denominator, s.unit, s.failure, law.sign, law.distance, law.y_mean, law.scale)
            for law in laws
            for s in (law.slopes,)
        ]
        top, bottom, unit, failure, sign, distance, y_mean, scale = np.array(columns).T[:, :, None]
        quantile = laws[0].slopes.noise.quantile
        first, second, third = SPREAD
        slope = unit * (top + quantile(first)) / (bottom + quantile(failure + (1 - failure) * second))
        return y_mean + sign * distance * slope + scale * (1 + np.abs(slope)) * quantile(third)


def _steps(t: Floats, origin: Floats | float, scale: Floats | float) -> Floats:
    """How far t lies from the origin, in units of the last noise."""
    return np.minimum(np.maximum((t - origin) / scale, -_FARTHEST), _FARTHEST)
