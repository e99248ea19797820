"""Exact laws of predictions from a noisy slope (ncov + E1) / (nvar + E2), given that nvar + E2 > 0.

>>> import numpy as np
>>> scales = (3.0, 3.0, 0.0015)  # of the noise on nvar, on ncov and on the intercept
>>> (law,) = noisy_slope_laws("Laplace", 60.0, 30.0, scales, y_mean=0.5, distances=np.array([0.25]))
>>> round(law.median, 4), round(law.error_bound(68, center=0.625), 4)
(0.625, 0.0174)

In units of its noise, let C = top + E1 be the noisy ncov, V = bottom + E2 the noisy nvar and s = C / V. The prediction
is y_mean + lever s + scale (1 + unit |s|) E: the sensitivity of the intercept grows with the slope, which is unit s
(the lemma on its sensitivity). Put height = (t - y_mean) / scale and pull = lever / scale. Given the last noise E = e,
the prediction is at most t where

    s (pull + unit e) <= height - e for s >= 0,    |s| (unit e - pull) <= height - e for s < 0:

on either side of 0 that is s up to, or from, one m = (height - e) / (pull + unit e). P(s <= m, V > 0) is that of a half
plane, the sum of two noises, less its mass with V <= 0: a closed form for Laplace and for Gaussian noise, as is the
density. So cdf(t) is the average of a closed form over one noise with light tails, whatever the tails of s.

The closed form has kinks at e = 0 (Laplace noise), where m is 0, and where m is infinite, at e = -pull / unit and
pull / unit. It changes fast where m passes the noiseless slope top / bottom, at e = crossing, and where the direction
(pull + unit e, height - e) of m turns fast, nearest to 0. Panels are short there. top >= 0: else both top and lever
change their signs.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, owens_t

from ..support import validate
from ..support.run import checkpoint
from ..support.types import Floats, Integers
from .base import Law
from .quadrature import NOISES, AveragedLaw, Kind, Noise, nodes, panels

_NODES = 5  # per panel
_AT_ONCE = 60  # points t at a time; their nodes fit into the cache
_TURN = np.array(
    [-16.0, -4.0, -1.0, -0.3, 0.0, 0.3, 1.0, 4.0, 16.0]
)  # about the fastest turn, in its widths
_FINE = np.array(
    [-8.0, -2.0, 2.0, 8.0]
)  # about the crossing, in widths of the noise that matters less there
_FARTHEST = 1e200  # in scales of the last noise; larger distances count as this
_LEAST = 1e-7  # least |height| + |pull|: at the mean of x, t is moved this far from the mean of y
_SURE = 6.0  # Gaussian V <= 0 is negligible this many scales above 0


class Ends(NamedTuple):
    """Slopes m = sign size / rest, with size + rest = 1, and off = (m bottom - top) rest; arrays of shape (k,)."""

    sign: float
    size: Floats
    rest: Floats
    off: Floats


def _laplace_below(top: Floats, bottom: Floats, ends: Ends) -> tuple[Floats, Floats]:
    """Compute P(s <= m, V > 0) and the density of m / (1 + |m|) for Laplace noise, shape (k,) each.

    The density is the integral over V of V exp(-|V - bottom| - |m V - top|) / 4, in three parts, between which the
    slope of the exponent changes: at V = bottom and where m V = top.
    """
    sign, size, rest, off = ends
    away = np.abs(off)
    tail = sum(
        term.tail * np.exp(-term.rate * away) for term in NOISES["Laplace"].tail_terms(rest, size)
    )
    if sign > 0:
        lost = 0.25 * np.exp(-top - bottom) * rest
        of_top, at_top, length = top / size, np.exp(-away / size), away / (size * rest)
    else:
        beyond, unequal = np.exp(-top * rest / size), rest - size
        near = np.abs(unequal) < 1e-7
        between = np.where(
            near, top * beyond, rest * (np.exp(-top) - beyond) / np.where(near, 1.0, unequal)
        )
        lost = 0.5 * np.exp(-bottom) * (0.5 * between + beyond * (1 - 0.5 * rest))
        of_top, at_top, length = np.zeros_like(top), np.exp(-top - bottom), bottom / rest
    of_bottom, at_bottom = bottom / rest, np.exp(-away / rest)
    ordered = of_top <= of_bottom
    low, high = np.minimum(of_top, of_bottom), np.maximum(of_top, of_bottom)
    at_low, at_high = np.where(ordered, at_top, at_bottom), np.where(ordered, at_bottom, at_top)
    first, second = _moments(np.abs(rest - size), length)
    rising = (rest > size) == ordered
    middle = np.where(rising, at_high * (high * first - second), at_low * (low * first + second))
    density = 0.25 * (at_low * (low + np.expm1(-low)) + middle + at_high * (high + 1))
    return np.where(off < 0, tail, 1 - tail) - lost, density


def _moments(rate: Floats, length: Floats) -> tuple[Floats, Floats]:
    """Integrate exp(-rate x) and x exp(-rate x) over 0 < x < length, shape (k,) each."""
    z = rate * length
    small, lost = z < 1e-3, -np.expm1(-z)
    first = np.where(small, length * (1 - z / 2 + z * z / 6), lost / rate)
    series = length * length * (0.5 - z / 3 + z * z / 8)
    return first, np.where(small, series, (lost - z * np.exp(-z)) / (rate * rate))


def _gaussian_below(top: Floats, bottom: Floats, ends: Ends) -> tuple[Floats, Floats]:
    """Compute P(s <= m, V > 0) and the density of m / (1 + |m|) for Gaussian noise, shape (k,) each.

    P(s <= m, V <= 0) is a probability of two correlated Gaussians, by Owen's T function.
    """
    sign, size, rest, off = ends
    norm = np.hypot(size, rest)
    z, below = off / norm, ndtr(off / norm)
    few = np.flatnonzero(bottom < _SURE)
    # Neither is -0.0, whose quotients would have a wrong sign.
    a, b = z[few] + 0.0, np.minimum(-bottom[few], -1e-300)
    correlation, complement = -sign * (size / norm)[few], (rest / norm)[few]
    of_both = owens_t(a, (b - correlation * a) / (a * complement)) + owens_t(
        b, (a - correlation * b) / (b * complement)
    )
    below[few] -= 0.5 * (ndtr(a) + ndtr(b)) - of_both - np.where(a >= 0, 0.5, 0.0)
    along = (sign * top * size + bottom * rest) / norm
    radial = np.exp(-0.5 * along**2) + np.sqrt(2 * np.pi) * along * ndtr(along)
    return below, np.exp(-0.5 * z * z) * radial / (2 * np.pi * norm**2)


_BELOW = {"Laplace": _laplace_below, "Gaussian": _gaussian_below}


class Points(NamedTuple):
    """Points t of laws, as `height` and `pull`, with the parameters of these laws; arrays of shape (m,).

    Attributes
    ----------
    top, bottom, unit, pull, height : as in the docstring of this module
    start : bottom height - top pull, without cancellation
    """

    top: Floats
    bottom: Floats
    unit: Floats
    pull: Floats
    height: Floats
    start: Floats

    def take(self, which: Integers | slice) -> Points:
        """Return the points with the indices `which`."""
        return Points(*(column[which] for column in self))

    def edges(self, noise: Noise) -> Floats:
        """Compute the values of the last noise at which panels end, in any order, shape (m, edges)."""
        top, bottom, unit, pull, height, start = (column[:, None] for column in self)
        ladder = np.append(-noise.ladder, noise.ladder)
        steep, norm = np.maximum(bottom + unit * top, 1e-200), 1 + unit * unit
        crossing = start / steep
        levels = np.abs(pull + unit * crossing), np.abs(height - crossing)
        fixed = np.broadcast_to(ladder, (len(self.top), ladder.size))
        groups = [fixed, height, pull / unit, -pull / unit]
        groups += [
            crossing + np.maximum(*levels) / steep * ladder,
            crossing + np.minimum(*levels) / steep * _FINE,
        ]
        groups += [
            (height - unit * signed) / norm + np.abs(signed + unit * height) / norm * _TURN
            for signed in (pull, -pull)
        ]
        return np.concatenate(groups, axis=1)

    def tails(self, kind: Kind) -> tuple[Floats, Floats]:
        """Compute P(release <= t), and the density in units of the last noise, shape (m,) each."""
        noise, count = NOISES[kind], self.top.size
        reach = noise.ladder[-1]
        row, low, high = panels(self.edges(noise), -reach, reach)
        e, weight = (values.ravel() for values in nodes(low, high, _NODES))
        row, weight = np.repeat(row, _NODES), weight * noise.density(np.abs(e))
        weight /= np.bincount(row, weight, count)[row]
        all_of = 1 - noise.tail(self.bottom)
        negative = noise.tail(self.top) * all_of
        below, density = np.zeros((2, count))
        end = self.height[row] - e
        for sign, pull, share in (
            (1.0, self.pull, all_of - negative),
            (-1.0, -self.pull, negative),
        ):
            slope = pull[row] + self.unit[row] * e
            all_below = (end > 0) & (slope <= 0)
            below += np.bincount(row[all_below], weight[all_below], count) * share
            cut = np.flatnonzero(slope * end > 0)
            which, slope, size, chance = row[cut], slope[cut], np.abs(end[cut]), weight[cut]
            norm = np.abs(slope) + size
            top, bottom, unit, _, _, start = self.take(which)
            size, rest = size / norm, np.abs(slope) / norm
            if sign > 0:
                off = np.sign(slope) * (start - e[cut] * (bottom + unit * top)) / norm
            else:
                off = -(bottom * size + top * rest)
            ends = Ends(sign, size, rest, off)
            inner, rate = _BELOW[kind](top, bottom, ends)
            inner = sign * (inner - negative[which])  # P(s between 0 and m)
            below += np.bincount(
                which, chance * np.where(slope > 0, inner, share[which] - inner), count
            )
            density += np.bincount(which, chance * rate * rest / norm, count)
        return below, density


def noisy_slope_laws(
    noise: Kind, nvar: float, ncov: float, scales: Sequence[float], y_mean: float, distances: Floats
) -> list[Law]:
    """Compute the laws of y_mean + b distance + c (1 + |b|) E3 at m distances, b = (ncov + E1) / (nvar + E2).

    A cdf(t) is off by 1e-7 at most, as far as a float can tell t from its neighbours. failure is P(nvar + E2 <= 0);
    both tails fall as 1/t, so that there is no mean. Source: Algorithm 1, NoisyStats.

    Parameters
    ----------
    noise : "Laplace" or "Gaussian"
        Kind of the independent noises E1, E2 and E3.
    nvar, ncov : float
        n var(x) and n cov(x, y).
    scales : (float, float, float)
        Scales of the noise E2 on nvar and E1 on ncov, and c, the scale of the intercept's noise at slope 0, in units
        of y. E3 has scale one.
    y_mean : float
    distances : array, shape (m,)
        x_new - mean x.
    """
    of_nvar, of_ncov, of_intercept = scales
    unit = of_ncov / of_nvar
    return [
        NoisySlopeLaw(
            noise, ncov / of_ncov, nvar / of_nvar, unit, y_mean, distance * unit, of_intercept
        )
        for distance in distances.tolist()
    ]


@dataclass(frozen=True)
class NoisySlopeLaw(AveragedLaw):
    """Law of y_mean + lever s + scale (1 + unit |s|) E3, s = (top + E1) / (bottom + E2), noises of scale one.

    `top` has any sign, bottom >= 0; y_mean, lever and scale are in units of y.
    """

    noise: Kind
    top: float
    bottom: float
    unit: float
    y_mean: float
    lever: float
    scale: float

    @cached_property
    def failure(self) -> float:
        return float(NOISES[self.noise].tail(np.array(self.bottom)))

    @property
    def least_tail(self) -> float:
        """Probability of the smallest tail with digits: a cdf is known to 7 digits after the point."""
        return 1e-7

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw `size` predictions with the mechanism's own noises in its order, shape (size,); NaN = failed.

        Raises ValueError unless rng is a numpy.random.Generator.
        """
        validate.generator(rng=rng)
        draw = NOISES[self.noise].draw
        bottom = self.bottom + draw(rng, size)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            slope = np.where(bottom > 0, (self.top + draw(rng, size)) / bottom, np.nan)
            return self._prediction(slope, draw(rng, size))

    def _prediction(self, slope: Floats, noise: Floats) -> Floats:
        return (
            self.y_mean + self.lever * slope + self.scale * (1 + self.unit * np.abs(slope)) * noise
        )

    @property
    def kind(self) -> Hashable:
        """Class of the law, and kind of noise."""
        return type(self), self.noise

    @classmethod
    def tails(cls, laws: Sequence[Any], number: Integers, t: Floats) -> Floats:
        fields = np.array(
            [(a.top, a.bottom, a.unit, a.y_mean, a.lever, a.scale, a.failure) for a in laws]
        )
        top, bottom, unit, y_mean, lever, scale, failure = fields.T[:, number]
        kind, pull = laws[0].noise, np.where(top < 0, -lever, lever) / scale
        top = np.abs(top)
        reference = np.where(bottom > 1, top / np.maximum(bottom, 1.0), 0.0)
        away = np.where(
            np.abs(t - y_mean) < (_LEAST - np.abs(pull)) * scale, _LEAST * scale, t - y_mean
        )
        height, step = (
            np.clip(distance / scale, -_FARTHEST, _FARTHEST)
            for distance in (away, away - reference * pull * scale)
        )
        start = bottom * step - np.where(bottom > 1, 0.0, top * pull)
        points, values = Points(top, bottom, unit, pull, height, start), np.empty((3, t.size))
        with np.errstate(all="ignore"):
            for first in range(0, t.size, _AT_ONCE):
                checkpoint()
                batch = slice(first, first + _AT_ONCE)
                values[0, batch], values[2, batch] = points.take(batch).tails(kind)
        return np.array([values[0], 1 - failure - values[0], values[2] / scale])
