"""The exact laws of predictions of NoisyStats and NoisyStatsGaussian.

The release is y_mean + s (at - mean x) + scale (1 + |s|) E with s the noisy slope. Given w = s / (1 + |s|),
"release <= t" says E <= z with z linear in w on either side of w = 0, so

    cdf(t) = integral over -1 < w < 1 of density(w) P(E <= z(w, t)).

The density of w is closed form; one set of panels serves every t and every point of ``at``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from . import _validate
from ._types import Floats
from .dataset import Dataset
from .laws import Law
from .ratio_panels import RatioDensity
from .ratio_quadrature import averaged_tails

_FARTHEST = 1e250  # in units of the last noise; farther t count as this far
_TRIES = np.array([-2.0, -0.6, 0.3, 0.8, 1.4, 2.2])  # where error_bound looks first, in units of the spread


@dataclass(frozen=True)
class NoisySlopeLaw(Law):
    """The law of y_mean + s distance + scale (1 + |s|) E, s = sign times a noisy ratio, E noise of scale one.

    slopes: the law of that ratio, shared by the points of one data set; sign: 1 or -1, the sign of ncov;
    distance: at - mean x; scale: in units of y. Relative error of the cdf and of the survival function below
    1e-9 (as far as a float can tell t from its neighbours). Both tails fall as 1/t: there is no mean.
    Source: Algorithm 1 and Lemma 12.
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

    def ppf(self, q: ArrayLike) -> Floats:
        q = np.asarray(q, dtype=float)
        answered = 1 - self.failure
        inside = (q > 0) & (q < answered)
        found = np.where(q == 0, -np.inf, np.where(q == answered, np.inf, np.nan))
        if inside.any():
            found[inside] = self._origin + self._spread * np.sinh(self._solve(q[inside], answered - q[inside]))
        return found

    def error_bound(self, q: float, center: float) -> float:
        """C(q): the smallest c with P(|release - center| <= c) >= q/100; inf where failures exceed 1 - q/100.

        A failed release counts as infinitely far off. Raises ValueError unless 0 <= q <= 100.
        """
        _validate.inside(0, 100, q=q)
        share, answered = q / 100, 1 - self.failure
        if not np.isfinite(center) or share >= answered:
            return np.inf
        if share == 0:
            return 0.0
        target, away = np.log(share / (answered - share)), abs(center - self._origin)

        def excess(y: Floats, which: np.ndarray) -> tuple[Floats, Floats]:
            c = away + self._spread * np.sinh(y)
            lower, upper, density = self._parts(np.concatenate([center - c, center + c]), dense=True)
            outside = lower[: c.size] + upper[c.size :]
            rate = (density[: c.size] + density[c.size :]) * self._spread * np.cosh(y)
            return _log_odds(answered - outside, outside, rate, target)

        least = -float(np.arcsinh(away / self._spread))  # where c = 0
        y = _increasing_root(excess, *_bracket(excess, _TRIES[least < _TRIES], least))
        return float(away + self._spread * np.sinh(y[0]))

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
        steps = np.clip((t - self._origin) / self.scale, -_FARTHEST, _FARTHEST)
        parts = averaged_tails(self.slopes, self.sign * self.distance / self.scale, steps, dense)
        if dense:
            parts[2] /= self.scale
        parts[:, np.isnan(t)] = np.nan
        return parts

    @cached_property
    def _table(self) -> tuple[Floats, Floats]:
        """Points y with t = origin + spread sinh(y), and the log odds of release <= t there, both increasing."""
        y = np.linspace(-30, 30, 61)
        lower, upper = self._parts(self._origin + self._spread * np.sinh(y))
        return y, np.maximum.accumulate(_log_odds(lower, upper)[0])

    def _solve(self, lower_mass: Floats, upper_mass: Floats) -> Floats:
        """The y at which these masses lie on either side of t."""
        target = np.log(lower_mass) - np.log(upper_mass)

        def excess(y: Floats, which: np.ndarray) -> tuple[Floats, Floats]:
            lower, upper, density = self._parts(self._origin + self._spread * np.sinh(y), dense=True)
            return _log_odds(lower, upper, density * self._spread * np.cosh(y), target[which])

        y, known = self._table
        place = np.searchsorted(known, target)
        low, high = np.append(-590.0, y)[place], np.append(y, 590.0)[place]
        finite = np.isfinite(known)
        guess = np.clip(np.interp(target, known[finite], y[finite]), low, high)
        return _increasing_root(excess, guess, low, high)


_Excess = Callable[[Floats, np.ndarray], tuple[Floats, Floats]]  # values and slopes at x of the functions numbered


def _log_odds(
    inside: Floats, outside: Floats, rate: Floats | float = 0.0, target: Floats | float = 0.0
) -> tuple[Floats, Floats]:
    """log(inside / outside) - target and its slope, where inside grows and outside shrinks at this rate."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.log(inside) - np.log(outside) - target, rate / inside + rate / outside


def _bracket(excess: _Excess, tries: Floats, least: float) -> tuple[Floats, Floats, Floats]:
    """A guess at the root of one increasing function, and bounds on it, from its values at some points."""
    values, slopes = excess(tries, np.zeros(tries.size, dtype=int))
    place = int(np.searchsorted(values, 0.0))
    low, high = np.append(least, tries)[[place]], np.append(tries, 590.0)[[place]]
    near = [min(max(place - 1, 0), tries.size - 1), min(place, tries.size - 1)]
    (x0, x1), (v0, v1), (d0, d1) = tries[near], values[near], slopes[near]
    guess = x1 - v1 / d1
    if v0 < 0 <= v1 < np.inf and d0 > 0 and v0 > -np.inf:  # cubic Hermite interpolation of the inverse
        u = -v0 / (v1 - v0)
        slack = (v1 - v0) * (1 - u) * u
        guess = x0 + (x1 - x0) * u * u * (3 - 2 * u) + slack * ((1 - u) / d0 - u / d1)
    if not low[0] < guess < high[0]:
        guess = 0.5 * (low[0] + high[0])
    return np.array([guess]), low, high


def _increasing_root(excess: _Excess, guess: Floats, low: Floats, high: Floats) -> Floats:
    """Roots of increasing functions, by Newton's method that falls back on bisection; all of shape (m,)."""
    guess, low, high, left = guess.copy(), low.copy(), high.copy(), np.arange(guess.size)
    for _ in range(200):
        x = guess[left]
        value, slope = excess(x, left)
        short = ~(value >= 0)
        low[left[short]], high[left[~short]] = x[short], x[~short]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            newton = x - value / slope
        bracketed = (newton >= low[left]) & (newton <= high[left])
        guess[left] = np.where(bracketed, newton, 0.5 * (low[left] + high[left]))
        step = np.abs(guess[left] - x) / np.maximum(1.0, np.abs(x))
        left = left[step > np.where(bracketed, 1e-7, 1e-14)]  # Newton's next step would be the square of this one
        if left.size == 0:
            break
    return guess


def noisy_slope_laws(
    ratio: type[RatioDensity], data: Dataset, slope_scale: float, intercept_scale: float, at: Floats
) -> list[Law]:
    """The laws of the predictions at these points, one quadrature for all.

    slope_scale: of the noise on nvar and on ncov; intercept_scale: of the noise on the intercept of a flat line.
    """
    slopes = ratio(abs(data.ncov) / slope_scale, data.nvar / slope_scale)
    sign = -1.0 if data.ncov < 0 else 1.0
    return [NoisySlopeLaw(slopes, sign, data.y_mean, float(x - data.x_mean), intercept_scale) for x in at]
