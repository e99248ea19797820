"""The exact density of (numerator + E1) / (denominator + E2) given that the denominator is above 0.

E1 and E2 are independent, of scale one, both Laplace or both Gaussian. Closed forms, stable from no noise to
nothing but noise; w = s / (1 + |s|) stands for the ratio s.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import asin, atan2, cos, exp, hypot, sin, sqrt, tan
from typing import ClassVar

import numpy as np
from scipy.special import ndtr, ndtri

from ...support.types import Floats
from .panels import Anchor, Noise, RatioDensity
from .spots import Spot

_FINEST = 4e-6  # first panel beside a kink, relative to the density's own width, where the kink is a faint one


def _laplace_tail(z: Floats) -> Floats:
    return 0.5 * np.exp(-z)


@dataclass(frozen=True)
class LaplaceRatio(RatioDensity):
    """Laplace noise. With r = |u| + v, u = r w and v = r (1 - |w|) the joint density of numerator u and
    denominator v is exp(-|r w - numerator| - |r (1 - |w|) - denominator|) / 4, and the density of w is its
    integral times r over r > 0: three parts, on each of which the exponent is linear in r.
    """

    noise: ClassVar[Noise] = Noise(
        tail=_laplace_tail,
        density=_laplace_tail,
        exponent=np.abs,
        cuts=np.array([-40.0, -12.0, 0.0, 12.0, 40.0]),
        draw=lambda rng, size: rng.laplace(size=size),
        quantile=lambda q: np.where(q < 0.5, np.log(2 * q), -np.log(2 * (1 - q))),
    )

    @property
    def failure(self) -> float:
        return 0.5 * exp(-self.denominator)

    def density(self, point: Anchor) -> Floats:
        size, rest, across = point.size, point.rest, np.abs(self.offset(point))
        above = point.sign > 0
        with np.errstate(over="ignore"):
            numerator_kink = np.where(above, self.numerator / size, 0.0)
            denominator_kink = self.denominator / rest
            at_numerator = np.where(above, across / size, self.numerator + self.denominator)
            at_denominator = across / rest
            length = np.where(above, across / (size * rest), denominator_kink)
        ordered = numerator_kink <= denominator_kink
        low, high = np.minimum(numerator_kink, denominator_kink), np.maximum(numerator_kink, denominator_kink)
        at_low = np.exp(-np.where(ordered, at_numerator, at_denominator))
        at_high = np.exp(-np.where(ordered, at_denominator, at_numerator))
        rising = (rest > size) == ordered
        first, second = _moments(np.abs(rest - size), length)
        middle = np.where(rising, at_high * (high * first - second), at_low * (low * first + second))
        return 0.25 * (at_low * (low + np.expm1(-low)) + middle + at_high * (high + 1))

    def _spots(self) -> list[Spot]:
        top, bottom = self.numerator, self.denominator
        w, rest = self.peak
        wide, tall = 4 / (1 + bottom), 4 / (1 + top)  # widths beside w = 0 and w = 1
        finest = _FINEST / (1 + top + bottom)
        end = min(bottom / 20, 1.0) if bottom else 1.0
        spots = [
            self.spot(-1.0, max(end, _FINEST)),
            self.spot(0.0, max(min(top / 20, wide) if top else wide, _FINEST * wide)),
            self.spot(1.0, max(min(bottom / 20, tall) if bottom else tall, _FINEST * tall)),
        ]
        if max(top, bottom) > 2:  # two exponentials swap order at |s| = 1
            spots += [self.spot(half, 1 / (1 + max(top, bottom))) for half in (-0.5, 0.5)]
        if w > 0 and rest > 0:
            spots.append(Spot(w, rest, 0.0, max(min(w, rest) * min(1.0, 4 / (top + bottom)), finest)))
        return spots

    def _exponent(self, at: Spot) -> float:
        """The larger exponent of the density's terms."""
        top, bottom = self.numerator, self.denominator
        if at.w >= 0:
            return (top + bottom) * abs(at.gap) / max(at.w, at.rest)
        return top + bottom * min(1.0, -at.w / at.rest if at.rest > 0 else 1.0)

    def _panel_count(self, low: Spot, high: Spot) -> float:
        return abs(self._exponent(high) - self._exponent(low)) / 12

    def _ends(self, deepest: float) -> tuple[float, float]:
        (w, rest), top, bottom = self.peak, self.numerator, self.denominator
        total = top + bottom
        first, last = -1 - w, rest
        if total > deepest:
            up = max(deepest * rest / (total + deepest), deepest * w / (total - deepest))
            down = max(deepest * w / (total + deepest), deepest * rest / (total - deepest))
            slope = (deepest - top) / bottom if bottom and top < deepest else 0.0
            first = -down if down < w else -w - slope / (1 + slope)
            last = min(up, rest)
        return first, last


def _moments(rate: Floats, length: Floats) -> tuple[Floats, Floats]:
    """The integrals of exp(-rate x) and x exp(-rate x) over 0 < x < length."""
    z = rate * length
    small = z < 1e-3
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        lost = -np.expm1(-z)
        first = np.where(small, length * (1 - z / 2 + z * z / 6), lost / rate)
        series = length * length * (0.5 - z / 3 + z * z / 8 - z * z * z / 30)
        second = np.where(small, series, (lost - z * np.exp(-z)) / (rate * rate))
    return first, second


@dataclass(frozen=True)
class GaussianRatio(RatioDensity):
    """Gaussian noise. With q = w^2 + (1 - |w|)^2, d = denominator w - numerator (1 - |w|) and
    y = (numerator w + denominator (1 - |w|)) / sqrt(q), the density of w is
    exp(-d^2 / 2q) (exp(-y^2 / 2) + sqrt(2 pi) y Phi(y)) / (2 pi q).
    """

    noise: ClassVar[Noise] = Noise(
        tail=lambda z: ndtr(-z),
        density=lambda z: np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi),
        exponent=lambda z: 0.5 * z * z,
        cuts=np.array([-10.0, -7.0, -4.0, 0.0, 4.0, 7.0, 10.0]),
        draw=lambda rng, size: rng.standard_normal(size),
        quantile=ndtri,
    )

    @property
    def failure(self) -> float:
        return float(ndtr(-self.denominator))

    def density(self, point: Anchor) -> Floats:
        q = point.size**2 + point.rest**2
        along = (point.sign * self.numerator * point.size + self.denominator * point.rest) / np.sqrt(q)
        with np.errstate(under="ignore"):
            radial = np.exp(-0.5 * along**2) + np.sqrt(2 * np.pi) * along * ndtr(along)
            return np.exp(-0.5 * self.offset(point) ** 2 / q) * radial / (2 * np.pi * q)

    @property
    def _distance(self) -> float:
        return hypot(self.numerator, self.denominator)

    def _spots(self) -> list[Spot]:
        w, rest = self.peak
        step = 2 / (1 + self._distance)
        spots = [self.spot(-1.0, step), self.spot(0.0, step), self.spot(1.0, step)]
        if w > 0 and rest > 0:
            spots.append(Spot(w, rest, 0.0, step * (w * w + rest * rest)))
        return spots

    def _exponent(self, at: Spot) -> float:
        total = self.numerator + self.denominator
        ahead = self.denominator * at.rest + self.numerator * at.w > 0
        across = total * at.gap if at.w >= 0 else self.numerator * at.rest - self.denominator * at.w
        return 0.5 * across**2 / (at.w**2 + at.rest**2) if ahead else 0.5 * self._distance**2

    def _panel_count(self, low: Spot, high: Spot) -> float:
        turn = (high.gap - low.gap) / (low.w**2 + low.rest**2)
        return abs(self._exponent(high) - self._exponent(low)) / 8 + self._distance * turn / 5

    def _ends(self, deepest: float) -> tuple[float, float]:
        (w, rest), distance, reach = self.peak, self._distance, sqrt(2 * deepest)
        if distance <= reach:
            return -1 - w, rest
        turn, angle = asin(reach / distance), atan2(self.numerator, self.denominator)
        unit = (cos(angle) + sin(angle)) / sin(turn)
        high, low = angle + turn, angle - turn
        last = 1 / (unit * (cos(high) + sin(high))) if cos(high) > 0 else rest
        if low < 0:
            return tan(low) / (1 - tan(low)) - w, min(last, rest)
        return -1 / (unit * (cos(low) + sin(low))), min(last, rest)
