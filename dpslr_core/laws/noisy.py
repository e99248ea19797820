"""The exact laws of predictions of NoisyStats and NoisyStatsGaussian.

The release is y_mean + s (at - mean x) + scale (1 + |s|) E with s the noisy slope. Given w = s / (1 + |s|),
"release <= t" says E <= z with z linear in w on either side of w = 0, so

    cdf(t) = integral over -1 < w < 1 of density(w) P(E <= z(w, t)).

The density of w is closed form; one set of panels serves every t and every point of ``at``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from .. import _validate
from .._types import Floats, Integers
from ..dataset import Dataset
from .base import Law
from .ratio_panels import RatioDensity
from .ratio_quadrature import averaged_tails, rough_tails
from .roots import increasing_root

_FARTHEST = 1e250  # in units of the last noise; farther t count as this far
_LAST = 590.0  # the largest y looked at; t lies spread sinh(y) from where it is measured
_TRIES = 0.5 * np.sinh(np.linspace(-3.6, 3.6, 21))  # where the rough law is looked at, for places
_TRIES_ABOVE = 0.5 * np.sinh(np.linspace(0.1, 3.6, 21))  # and for distances, above the y of distance 0


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
        inside = (q >= 0) & (q <= 1 - self.failure)
        found = np.full(q.shape, np.nan)
        if inside.any():
            found[inside] = _find(self.slopes, self._places(q[inside]))
        return found

    @classmethod
    def measure_together(
        cls, laws: Sequence[Law], qs: Sequence[float], centers: Sequence[float]
    ) -> list[tuple[Floats, float]]:
        """measure of every law; those that share a noisy slope are looked at in one quadrature."""
        mine = cast("Sequence[NoisySlopeLaw]", laws)
        if any(law.slopes is not mine[0].slopes for law in mine):
            return super().measure_together(laws, qs, centers)
        bounds = np.array([law._decided(qs, center) for law, center in zip(laws, centers, strict=True)])
        open_, shares = np.isnan(bounds), np.asarray(qs) / 100
        distances = [law._distances(shares[o], c) for law, c, o in zip(mine, centers, open_, strict=True)]
        medians = [law._places(np.array([0.5 * (1 - law.failure)])) for law in mine]
        found = _find(mine[0].slopes, _Figures.join([*distances, *medians]))
        bounds[open_] = found[: -len(mine)]
        return list(zip(bounds, found[-len(mine) :].tolist(), strict=True))

    def measure(self, qs: Sequence[float], center: float) -> tuple[Floats, float]:
        return self.measure_together([self], qs, [center])[0]

    def _bounds(self, shares: Floats, center: float) -> Floats:
        return _find(self.slopes, self._distances(shares, center))

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
    def whereabouts(self) -> tuple[float, float]:
        """A place in the middle of the law and its rough width, both without a quadrature."""
        return self._origin, self._spread

    @property
    def _pull(self) -> float:
        return self.sign * self.distance / self.scale

    def _steps(self, t: Floats) -> Floats:
        """How far t lies from the origin, in units of the last noise."""
        return _steps(t, self._origin, self.scale)

    def _places(self, masses: Floats) -> _Figures:
        """The t below which these masses lie."""
        return self._figures(False, self._origin, masses, 0.0)

    def _distances(self, shares: Floats, center: float) -> _Figures:
        """The distances from center within which these shares lie."""
        return self._figures(True, abs(center - self._origin), shares, center)

    def _figures(self, paired: bool, base: float, mass: Floats, center: float) -> _Figures:
        with np.errstate(divide="ignore"):
            log_odds = np.log(mass) - np.log(np.maximum(1 - self.failure - mass, 0.0))
        same = (paired, base, center, self._origin, self.scale, self._pull, self._spread)
        return _Figures(log_odds, *(np.full(mass.size, value) for value in same))


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


class _Figures(NamedTuple):
    """Numbers asked of laws, each base + spread sinh(y): distances from a center (paired), then places.

    log_odds: of lying within such a distance, or below such a place, where there is an answer. origin, scale, pull
    and spread are those of the law that is asked.
    """

    log_odds: Floats
    paired: np.ndarray
    base: Floats
    center: Floats
    origin: Floats
    scale: Floats
    pull: Floats
    spread: Floats

    def take(self, which: np.ndarray) -> _Figures:
        return _Figures(*(part[which] for part in self))

    @staticmethod
    def join(parts: Sequence[_Figures]) -> _Figures:
        return _Figures(*map(np.concatenate, zip(*parts, strict=True)))

    @property
    def kinds(self) -> list[slice]:
        """The stretches of figures of one law and of one kind."""
        same = (self.paired, self.origin, self.scale, self.pull, self.center)
        changes = np.any([part[1:] != part[:-1] for part in same], axis=0)
        edges = [0, *(np.flatnonzero(changes) + 1).tolist(), self.base.size]
        return [slice(*pair) for pair in pairwise(edges)]


def _find(slopes: RatioDensity, figures: _Figures) -> Floats:
    """All these figures of laws with this noisy slope at once."""
    found = np.where(figures.log_odds > 0, np.inf, -np.inf)
    finite = np.isfinite(figures.log_odds)
    sought = figures.take(finite)
    if finite.any():
        least = np.where(sought.paired, -np.arcsinh(sought.base / sought.spread), -_LAST)  # where a distance is 0

        def excess(y: Floats, which: Integers) -> tuple[Floats, Floats]:
            return _excess(slopes, sought.take(which), y, averaged_tails)

        y = increasing_root(excess, _guess(slopes, sought, least), least, np.full(least.size, _LAST))
        found[finite] = sought.base + sought.spread * np.sinh(y)
    return found


def _guess(slopes: RatioDensity, figures: _Figures, least: Floats) -> Floats:
    """The y of these figures by the rough law; figures of one kind share one table of it."""
    kinds = figures.kinds
    first = np.array([kind.start for kind in kinds])
    tries = np.where(figures.paired[first, None], least[first, None] + _TRIES_ABOVE, _TRIES)
    asked = figures.take(np.repeat(first, _TRIES.size))._replace(log_odds=np.zeros(tries.size))
    values = _excess(slopes, asked, tries.ravel(), rough_tails)[0]
    guess = np.empty(least.size)
    for kind, y, value in zip(kinds, tries, values.reshape(tries.shape), strict=True):
        known = np.isfinite(value)
        odds = figures.log_odds[kind]
        guess[kind] = np.interp(odds, value[known], y[known]) if known.any() else y[y.size // 2]
    return guess


def _excess(slopes: RatioDensity, figures: _Figures, y: Floats, tails: _Tails) -> tuple[Floats, Floats]:
    """How far the log odds of the figures at y are above those sought, and the derivative."""
    size, pairs = figures.base + figures.spread * np.sinh(y), np.count_nonzero(figures.paired)
    left, right, single = slice(pairs), slice(pairs, 2 * pairs), slice(2 * pairs, None)
    center, c, t = figures.center[:pairs], size[:pairs], size[pairs:]
    origin, scale, pull = (np.concatenate([part[:pairs], part]) for part in figures[4:7])
    steps = _steps(np.concatenate([center - c, center + c, t]), origin, scale)
    lower, upper, density = tails(slopes, pull, steps, True)
    density = density / scale
    outside = np.concatenate([lower[left] + upper[right], upper[single]])
    inside = np.concatenate([1 - slopes.failure - outside[:pairs], lower[single]])
    rate = np.concatenate([density[left] + density[right], density[single]]) * figures.spread * np.cosh(y)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.log(inside) - np.log(outside) - figures.log_odds, rate / inside + rate / outside


_Tails = Callable[[RatioDensity, Floats, Floats, bool], Floats]  # averaged_tails, or a rough one


def noisy_slope_laws(
    ratio: type[RatioDensity], data: Dataset, slope_scale: float, intercept_scale: float, at: Floats
) -> list[Law]:
    """The laws of the predictions at these points, one quadrature for all.

    slope_scale: of the noise on nvar and on ncov; intercept_scale: of the noise on the intercept of a flat line.
    """
    slopes = ratio(abs(data.ncov) / slope_scale, data.nvar / slope_scale)
    sign = -1.0 if data.ncov < 0 else 1.0
    return [NoisySlopeLaw(slopes, sign, data.y_mean, float(x - data.x_mean), intercept_scale) for x in at]
