"""Releases of noisy sums of whole numbers: a mean, five centred sums, and sufficient statistics of a line."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, cached_property
from math import isqrt
from typing import Any

import numpy as np

from ..dataset import Dataset
from ..laws.base import Law
from ..laws.centered import centered_laws
from ..mechanisms.centered import CenteredStatistics, CenteredSums
from ..mechanisms.noisy_stats import (
    NoisyMean,
    NoisyStatistics,
    NoisySufficientStatistics,
    ReleasedNoise,
)
from ..privacy import PureDP
from ..support.types import Floats, Integers
from .base import Answer, Private, Program, Step, decimal

_HALF = Fraction(1, 2)
_UNIT = 2**20  # units of a released mean in a cell of the records' grid
PRECISION = 1000  # weights of five sums are rounded: noise scales are b but for a share of 1/1000


class NoisySum(Program):
    """NoisyIntercept: the sum of L y, L = 2^20, with discrete Laplace noise.

    Sensitivity L K: y is a whole number 0, ..., K, so that replacing a record moves the sum of y by K at most. With L
    the steps of the noise are small against its scale, and its law is Laplace's.
    """

    @property
    def steps(self) -> tuple[Step, ...]:
        return (Step("sum of y", "noisy", 1, self.grid * _UNIT),)

    @property
    def largest_term(self) -> int:
        return self.grid * _UNIT

    def private(self, x: Integers, y: Integers) -> Private:
        return lambda released: [_UNIT * int(y.sum())]

    def answer(self, integers: Sequence[Sequence[int]]) -> Answer:
        self.must_be_released(integers, 1)
        mean = Fraction(integers[0][0], self.n * self.grid * _UNIT)
        noise = ReleasedNoise("Laplace", (self.scale(0) / (self.n * self.grid * _UNIT),))
        return Answer(
            (mean,) * len(self.points),
            mean,
            Fraction(0),
            intervals=self.intervals_of(NoisyMean(self.n, _one(mean), noise)),
            remark=self.mechanism.interval_remark,
        )

    def law(self, data: Dataset) -> tuple[Law | None, ...]:
        return self.mechanism.law(self.as_drawn(data), self.epsilon, self.points)


def shifts(d: Integers, e: int, grid: int) -> list[Any]:
    """Return the largest shifts of (u, w, u^2, uw, w^2) in cells, whole numbers, see `FiveSums`; d of shape (m,)."""
    return [
        d,
        np.full_like(d, e),
        d * (grid - d),
        (d * (grid - e) + (grid - d) * e) // 2,
        np.full_like(d, e * (grid - e)),
    ]


@cache
def joint_sensitivity(weights: tuple[int, ...], grid: int, power: int) -> int:
    """Return the largest norm of the shifts of the weighted five sums over all whole d, e = 0, ..., grid, rounded up.

    Parameters
    ----------
    weights : tuple of int
        Weights of the sums.
    grid : int
        Number of cells that the unit interval is divided into.
    power : int
        1, or 2 for the Euclidean norm.
    """
    d = np.arange(grid + 1, dtype=np.int64)
    best = 0
    for e in range(grid + 1):
        terms = [weight * shift for weight, shift in zip(weights, shifts(d, e, grid), strict=True)]
        size = sum(term.astype(float) ** power for term in terms)
        for index in np.flatnonzero(size >= max(float(best), float(size.max())) * (1 - 1e-12)):
            best = max(best, sum(int(term[index]) ** power for term in terms))
    return best if power == 1 else isqrt(best - 1) + 1


class FiveSums(Program):
    """CenteredStats and CenteredStatsGaussian: the sums of (u, w, u^2, uw, w^2), times whole weights, in one draw.

    u = x - K/2 and w = y - K/2 are whole, as K is even; the weights W_j are 1000 K / b_j of the first two sums and
    1000 / b_j of the others, rounded, so that equal noise on all is noise in proportion to b.

    Sensitivity: with d = |u - u'| and e = |w - w'|, |u + u'| <= K - d and |w + w'| <= K - e. So u^2 moves by at most
    d (K - d), w^2 by e (K - e), and uw = ((u - u')(w + w') + (u + u')(w - w')) / 2 + u'w' by (d (K - e) + (K - d) e)/2,
    all at once for u = w = K/2. ``joint_sensitivity`` takes the largest norm of the five, each times W_j, over all
    whole d and e.
    """

    mechanism: CenteredSums

    def __post_init__(self) -> None:
        if self.grid % 2:
            raise ValueError(f"grid must be even for centred sums, got {self.grid}")
        if self.mechanism.ridge:
            raise ValueError(
                "ridge must be off in a release: the answer is exact arithmetic on what was "
                "released"
            )
        if min(self.weights) < 1:
            raise ValueError(
                f"b must be at most {PRECISION:,} in a release, got {self.mechanism.b}"
            )
        super().__post_init__()

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """Whole numbers that the five sums are multiplied by."""
        exact_weights = [PRECISION / decimal(b) for b in self.mechanism.b]
        return tuple(
            round(w * self.grid) if j < 2 else round(w) for j, w in enumerate(exact_weights)
        )

    @property
    def units(self) -> tuple[Fraction, ...]:
        """Size of a released 1 in each of the sums over the unit square."""
        return tuple(
            Fraction(1, w * self.grid ** (1 if j < 2 else 2)) for j, w in enumerate(self.weights)
        )

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        sensitivity = joint_sensitivity(
            self.weights, self.grid, 1 if isinstance(self.guarantee, PureDP) else 2
        )
        return (Step("sums of u, w, u², uw and w², weighted", "noisy", 5, sensitivity),)

    @property
    def largest_term(self) -> int:
        half = self.grid // 2
        return max(w * half ** (1 if j < 2 else 2) for j, w in enumerate(self.weights))

    def private(self, x: Integers, y: Integers) -> Private:
        u, w = x - self.grid // 2, y - self.grid // 2
        sums = (u.sum(), w.sum(), u @ u, u @ w, w @ w)
        weighted = [weight * int(total) for weight, total in zip(self.weights, sums, strict=True)]
        return lambda released: weighted

    @property
    def noise(self) -> ReleasedNoise:
        """Noise on the five sums over the unit square, which is public."""
        scale = self.scale(0)
        return ReleasedNoise(
            self.mechanism.noise_name, tuple(scale * float(unit) for unit in self.units)
        )

    def moments(self, integers: Sequence[Sequence[int]]) -> tuple[Fraction, ...]:
        """Return the means of u and w, n var(x), n cov(x, y) and n var(y) that follow from released integers."""
        self.must_be_released(integers, 5)
        su, sw, suu, suw, sww = (
            value * unit for value, unit in zip(integers[0], self.units, strict=True)
        )
        u, w = su / self.n, sw / self.n
        return u, w, suu - self.n * u * u, suw - self.n * u * w, sww - self.n * w * w

    def statistics(self, integers: Sequence[Sequence[int]]) -> CenteredStatistics:
        """Return the released moments in floats, as intervals and pooling take them; ValueError as for `answer`."""
        u, w, v, c, vy = self.moments(integers)
        x_mean, y_mean, slope = _HALF + u, _HALF + w, c / v if v > 0 else Fraction(0)
        return CenteredStatistics(
            self.n, _one(x_mean), _one(y_mean), _one(v), _one(c), _one(vy), _one(slope), self.noise
        )

    def answer(self, integers: Sequence[Sequence[int]]) -> Answer:
        """Return the line by the formulas of CenteredStats; a flat line where the released n var(x) <= 0."""
        u, w, v, c, vy = self.moments(integers)
        slope = c / v if v > 0 else Fraction(0)
        intercept = _HALF + w - slope * (_HALF + u)
        squares = max(vy - 2 * slope * c + slope * slope * v, Fraction(self.noise.scale[4]))
        return Answer(
            tuple(clipped(intercept + slope * x, self.mechanism) for x in self.at),
            intercept,
            slope,
            squares / (self.n - 2),
            self.intervals_of(self.statistics(integers)),
            "" if v > 0 else _NO_SLOPE[True],
        )

    def law(self, data: Dataset) -> tuple[Law | None, ...]:
        ends = (self.mechanism.lower, self.mechanism.upper) if self.mechanism.clip else None
        scales, at = np.array(self.noise.scale), np.array(self.points)
        return tuple(
            centered_laws(self.mechanism.noise_name, self.as_drawn(data), scales, at, False, ends)
        )


class Statistics(Program):
    """NoisyStats and NoisyStatsGaussian: n sum x^2 - (sum x)^2, n sum xy - sum x sum y, then a mean of y and x.

    With S_x, S_y the sums of the other n - 1 records, 0, ..., (n - 1) K each:

    - the first moves by (x - x') ((n - 1)(x + x') - 2 S_x), at most |x - x'| (n - 1) max(x + x', 2K - x - x') and so by
      at most (n - 1) K^2, as (x - x')(x + x') <= K^2;
    - the second by (n - 1)(xy - x'y') - (x - x') S_y - (y - y') S_x, linear in S_x and S_y, so that it is largest
      where each is 0 or (n - 1) K: there it is n - 1 times the change of xy, -x(K - y), -(K - x)y or (K - x)(K - y),
      each a number in an interval of length K^2;
    - the third is the sum of floor(L (y + |s| x*) / (1 + |s|)), L = 2^20, with the released slope s and x* = K - x for
      s >= 0, x for s < 0: whole numbers 0, ..., K L, so that it moves by K L at most, whatever s is. It tells the
      intercept, mean y - s mean x, with noise in proportion to 1 + |s|, as Algorithm 1 does.

    All three sensitivities are public before the first draw; the maps of three draws add up.
    """

    mechanism: NoisySufficientStatistics

    @property
    def steps(self) -> tuple[Step, ...]:
        of_nvar, of_ncov, of_intercept = map(decimal, self.mechanism.split)
        square = (self.n - 1) * self.grid**2
        return (
            Step("n² var(x)", "noisy", 1, square, of_nvar),
            Step("n² cov(x, y)", "noisy", 1, square, of_ncov),
            Step("intercept", "noisy", 1, self.grid * _UNIT, of_intercept),
        )

    @property
    def largest_term(self) -> int:
        return max(self.n * self.grid**2, self.grid * _UNIT)

    @staticmethod
    def slope_of(nvar: int, ncov: int) -> Fraction | None:
        """Return the slope that follows from the first two draws; None where there is none."""
        return Fraction(ncov, nvar) if nvar > 0 else None

    def private(self, x: Integers, y: Integers) -> Private:
        def integers(released: Sequence[Sequence[int]]) -> Sequence[int]:
            if len(released) < 2:
                column = (x, y)[len(released)]
                return [self.n * int(x @ column) - int(x.sum()) * int(column.sum())]
            slope = self.slope_of(released[0][0], released[1][0]) or Fraction(0)
            rise, run = abs(slope.numerator), slope.denominator
            across = (self.grid - x if slope >= 0 else x).tolist()
            return [
                sum(
                    _UNIT * (run * b + rise * a) // (run + rise)
                    for a, b in zip(across, y.tolist(), strict=True)
                )
            ]

        return integers

    def answer(self, integers: Sequence[Sequence[int]]) -> Answer:
        """Return the line by Algorithm 1; none, or a flat line as a fallback, where the released n var(x) <= 0."""
        self.must_be_released(integers, 1, 1, 1)
        (of_nvar,), (of_ncov,), (of_mean,) = integers
        slope, mean = self.slope_of(of_nvar, of_ncov), Fraction(of_mean, self.n * self.grid * _UNIT)
        if slope is None and self.mechanism.fallback:
            slope = Fraction(0)
        unit = Fraction(1, self.n * self.grid**2)
        remark = "" if of_nvar > 0 else _NO_SLOPE[self.mechanism.fallback]
        if slope is None:
            return Answer((None,) * len(self.points), remark=remark)
        steep = 1 + abs(slope)
        intercept = mean * steep - max(slope, Fraction(0))
        statistics = NoisyStatistics(
            _one(of_nvar * unit),
            _one(of_ncov * unit),
            _one(slope),
            _one(intercept),
            self.n,
            ReleasedNoise(
                self.mechanism.noise_name,
                (self.scale(0) * float(unit), self.scale(1) * float(unit)),
            ),
            np.array([self.scale(2) / (self.n * self.grid * _UNIT) * float(steep)]),
        )
        return Answer(
            tuple(clipped(intercept + slope * x, self.mechanism) for x in self.at),
            intercept,
            slope,
            intervals=self.intervals_of(statistics),
            remark=remark,
        )

    def law(self, data: Dataset) -> tuple[Law | None, ...]:
        return self.mechanism.law(self.as_drawn(data), self.epsilon, self.points)


_NO_SLOPE = {
    True: "n var(x) with its noise is not positive: the line is flat.",
    False: "n var(x) with its noise is not positive: there is no line.",
}


def _one(value: Fraction) -> Floats:
    """Return the number of a single release, as intervals take it."""
    return np.array([float(value)])


def clipped(prediction: Fraction, mechanism: Any) -> Fraction:
    """Return the prediction moved into [lower, upper] where the mechanism clips."""
    if not mechanism.clip:
        return prediction
    return min(max(prediction, decimal(mechanism.lower)), decimal(mechanism.upper))
