"""The exact laws of predictions of NoisyStats and NoisyStatsGaussian.

The release is y_mean + s (at - mean x) + scale (1 + |s|) E with s the noisy slope. Given w = s / (1 + |s|),
"release <= t" says E <= z with z linear in w on either side of w = 0, so

    cdf(t) = integral over -1 < w < 1 of density(w) P(E <= z(w, t)).

The density of w is closed form; one set of panels serves every t and every point of ``at``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _validate
from .._types import Floats, Integers
from ..dataset import Dataset
from .base import Law
from .quantile_search import LAST, TRIES, SearchedLaw, Targets
from .ratio_panels import RatioDensity
from .ratio_quadrature import averaged_tails, rough_tails
from .roots import Excess, increasing_root

_FARTHEST = 1e250  # in units of the last noise; farther t count as this far
_TRIES_ABOVE = 0.5 * np.sinh(np.linspace(0.1, 3.6, 21))  # where rough laws are looked at above the y of distance 0


@dataclass(frozen=True)
class NoisySlopeLaw(SearchedLaw):
    """The law of y_mean + s distance + scale (1 + |s|) E, s = sign times a noisy ratio, E noise of scale one.

    slopes: the law of that ratio, shared by the points of one data set; sign: 1 or -1, the sign of ncov;
    distance: at - mean x; scale: in units of y. Relative error of the cdf and of the survival function below
    1e-9 (as far as a float can tell t from its neighbours). Both tails fall as 1/t: there is no mean.
    Source: Algorithm 1, NoisyStats.
    """

    slopes: RatioDensity
    sign: float
    y_mean: float
    distance: float
    scale: float

    @property
    def failure(self) -> float:  # type: ignore[override]
        return self.slopes.failure

    def cdf(self, t: ArrayLike) -> Floats:
        t = np.asarray(t, dtype=float)
        lower, upper = self._parts(t.ravel())
        inside = np.where(lower < upper, lower, (1 - self.failure) - upper).reshape(t.shape)
        return np.where(np.isinf(t), np.where(t > 0, 1 - self.failure, 0.0), inside)

    def survival(self, t: ArrayLike) -> Floats:
        """P(release > t), failures excluded: what 1 - failure - cdf(t) would lose far out; same shape as t."""
        t = np.asarray(t, dtype=float)
        lower, upper = self._parts(t.ravel())
        outside = np.where(upper < lower, upper, (1 - self.failure) - lower).reshape(t.shape)
        return np.where(np.isinf(t), np.where(t < 0, 1 - self.failure, 0.0), outside)

    def logpdf(self, t: ArrayLike) -> Floats:
        t = np.asarray(t, dtype=float)
        density = self._parts(t.ravel(), dense=True)[2].reshape(t.shape)
        with np.errstate(divide="ignore"):
            return np.log(np.where(np.isinf(t), 0.0, density))

    def shares_work_with(self, other: Any) -> bool:
        """Whether both are made from one noisy slope: then one quadrature serves both."""
        return bool(other.slopes is self.slopes)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """size independent draws, shape (size,): the mechanism's own noises, in its order; NaN = failed."""
        _validate.generator(rng=rng)
        ratio, draw = self.slopes, self.slopes.noise.draw
        bottom = ratio.denominator + draw(rng, size)
        top = ratio.numerator + self.sign * draw(rng, size)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            slope = np.where(bottom > 0, top / bottom, np.nan)
            beyond = (top - ratio.reference * bottom) / bottom  # slope - reference, which may be far smaller
            noise = self.scale * (1 + np.abs(slope)) * draw(rng, size)
            return self._origin + self.sign * self.distance * beyond + noise

    @cached_property
    def _origin(self) -> float:
        """The prediction from the reference slope: the point from which t is measured."""
        return self.y_mean + self.sign * self.slopes.reference * self.distance

    @cached_property
    def _spread(self) -> float:
        """The rough width of the law about its origin."""
        steep = (1 + self.slopes.numerator) / (1 + self.slopes.denominator)
        return (1 + steep) * (self.scale + abs(self.distance) / (1 + self.slopes.denominator))

    def _parts(self, t: Floats, dense: bool = False) -> Floats:
        """P(release <= t), P(release > t) and, if dense, the density at t; shape (2 or 3, len(t))."""
        parts = averaged_tails(self.slopes, np.full(t.shape, self._pull), self._steps(t), dense)
        if dense:
            parts[2] /= self.scale
        parts[:, np.isnan(t)] = np.nan
        return parts

    @property
    def middle_and_width(self) -> tuple[float, float]:
        return self._origin, self._spread

    @property
    def ends(self) -> tuple[float, float]:
        return -np.inf, np.inf

    @property
    def _pull(self) -> float:
        return self.sign * self.distance / self.scale

    def _steps(self, t: Floats) -> Floats:
        """How far t lies from the origin, in units of the last noise."""
        return _steps(t, self._origin, self.scale)

    @staticmethod
    def _tails(laws: Sequence[Any], number: Integers, t: Floats, rough: bool) -> Floats:
        return tails_together(laws, number, t, rough)

    @staticmethod
    def _tries(laws: Sequence[Any], kinds: Targets) -> Floats:
        return np.where(kinds.paired[:, None], kinds.least[:, None] + _TRIES_ABOVE, TRIES)

    @staticmethod
    def _roots(excess: Excess, guess: Floats, sought: Targets) -> Floats:
        return increasing_root(excess, guess, sought.least, np.full(guess.size, LAST))


def _steps(t: Floats, origin: Floats | float, scale: Floats | float) -> Floats:
    """How far t lies from the origin, in units of the last noise."""
    return np.minimum(np.maximum((t - origin) / scale, -_FARTHEST), _FARTHEST)


def tails_together(laws: Sequence[NoisySlopeLaw], which: Integers, t: Floats, rough: bool = False) -> Floats:
    """cdf, survival and the density at t[i] of laws[which[i]], shape (3, len(t)).

    The laws share a noisy slope. rough: to some digits, at a tenth of the price, and density 0.
    """
    origin, scale, pull = np.array([(law._origin, law.scale, law._pull) for law in laws]).T[:, which]
    tails = rough_tails if rough else averaged_tails
    lower, upper, density = tails(laws[0].slopes, pull, _steps(t, origin, scale), True)
    answered, low = 1 - laws[0].failure, lower < upper
    return np.array([np.where(low, lower, answered - upper), np.where(low, answered - lower, upper), density / scale])


def noisy_slope_laws(
    ratio: type[RatioDensity], data: Dataset, slope_scale: float, intercept_scale: float, at: Floats
) -> list[Law]:
    """The laws of the predictions at these points, one quadrature for all.

    slope_scale: of the noise on nvar and on ncov; intercept_scale: of the noise on the intercept of a flat line.
    """
    slopes = ratio(abs(data.ncov) / slope_scale, data.nvar / slope_scale)
    sign = -1.0 if data.ncov < 0 else 1.0
    return [NoisySlopeLaw(slopes, sign, data.y_mean, float(x - data.x_mean), intercept_scale) for x in at]
