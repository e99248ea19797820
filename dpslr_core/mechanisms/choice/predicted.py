"""The errors that five released sums predict for CenteredStats and for DeepestLine, and what to do by them.

Both release a line. Its error is a covariance over the predictions at 1/4 and 3/4, about the line of OLS; all that it
is computed from is public or released: n, epsilon, the sums of the first stage.
"""

from __future__ import annotations

from math import hypot, pi
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from ...support.run import QUARTERS
from ...support.types import Floats
from ..centered.statistics import CenteredStatistics
from ..depth.deepest_line import DeepestLine

_LAPLACE_VARIANCE = 2.0  # of noise of scale one
_LEAST_SIGMA = 1e-6
_LEVEL = (16 + 3 * pi) / (4 + pi)  # E a^2 and E b^2 under the density exp(-m(a, b)) of errors_of_deepest_line
_TILT = (16 + 5 * pi) / (4 + pi)
_LESS_EFFICIENT = pi / 2 - 1  # variance of least absolute deviations over that of OLS, less 1, with normal errors


class Plan(NamedTuple):
    """What the first releases lead to.

    sums: whether sums are released once more, shape (size,). weight: W of the answer p1 + W (p2 - p1) from the line
    of the first sums and a deepest line, at 1/4 and 3/4, shape (size, 2, 2); the identity where p1 is of no use.
    """

    sums: np.ndarray
    weight: Floats

    def same_as(self, other: Plan) -> bool:
        """Whether both are equal to the last digit."""
        return all(np.array_equal(mine, theirs) for mine, theirs in zip(self, other, strict=True))


def plan(released: CenteredStatistics, scale: Floats, first: float, rest: float, line: DeepestLine) -> Plan:
    """The plan with the smaller predicted variance, averaged over 1/4 and 3/4.

    released: statistics of the first sums. scale: of their Laplace noise, shape (5,). first, rest: the epsilon of the
    first sums and that of what follows. line: the alternative to sums.

    Sums released with e1 and then with e2, each weighted by its epsilon^2, have the noise of one release with
    sqrt(e1^2 + e2^2). Two lines are weighted by their noise. Far lines, which DeepestLine draws where epsilon n is
    small, are left out: sums are of little more use there. Where the released n var(x) is not above 0, or a number is
    too large, the first sums are of no use.
    """
    width = line.upper - line.lower
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        of_sums = errors_of_sums(released, scale, width)
        noise, inefficiency = (_within(part, width) for part in errors_of_deepest_line(released, rest, line.c))
        noise += np.eye(2) * ((width / line.grid) ** 2 / 6)  # the centre of the cell, and where in the cell
        again = _within(of_sums * (first / hypot(first, rest)) ** 2, width)
        weight = _share_of_second(_within(of_sums, width), noise)
        of_both = weight @ noise + weight @ inefficiency @ weight.swapaxes(1, 2)
    usable = ~released.fallback & np.isfinite(weight).all(axis=(1, 2))
    better = _mean_variance(again) < _mean_variance(of_both)
    return Plan(usable & better, np.where(usable[:, None, None], weight, np.eye(2)))


def errors_of_sums(released: CenteredStatistics, scale: Floats, width: float) -> Floats:
    """The covariance of the error of the line from sums with Laplace noise of these scales, shape (size, 2, 2).

    scale: of the noise on the sums of u, w, u^2, uw and w^2, shape (5,). width: upper - lower; the slope counts as at
    most 2 width.

    First order: with h = (x - mean x) / V and a the slope, the prediction at x moves with the noises of the first four
    sums by -a/n + h (2 a mean u - mean w), 1/n - h mean u, -h a and h.
    """
    n, nvar, away = _circumstances(released)
    u_mean, w_mean = released.x_mean - 0.5, released.y_mean - 0.5
    slope = np.clip(released.ncov / nvar, -2 * width, 2 * width)
    h = away / nvar
    moves = np.array([h * (2 * slope * u_mean - w_mean) - slope / n, 1 / n - h * u_mean, -h * slope, h])
    return np.einsum("kis,kjs,k->sij", moves, moves, _LAPLACE_VARIANCE * scale[:4] ** 2)


def errors_of_deepest_line(released: CenteredStatistics, epsilon: float, c: float) -> tuple[Floats, Floats]:
    """Of a line drawn near the deepest: the covariance of its noise, its cell aside, and that of the deepest line.

    Shapes (size, 2, 2).

    epsilon: that of the draw. c: of DeepestLine, above 0.

    A line that is off by a + b z, z = (x - mean x) / sd(x), moves the score by n kappa m(a, b): kappa =
    (2 Phi(c / sigma_e) - 1) / c for normal errors, and for uniform x m = max over |u| <= 1 of
    |a u - b (sqrt(3)/2) (1 - u^2)|. The density exp(-l m), l = epsilon n kappa / 4, has E a^2 = (16 + 3 pi) / ((4 + pi)
    l^2) and E b^2 = (16 + 5 pi) / ((4 + pi) l^2). The deepest line itself is off the line of OLS as much as it is less
    efficient, about as least absolute deviations: (pi/2 - 1) SE^2.
    """
    n, nvar, away = _circumstances(released)
    squares = np.maximum(released.nvar_y - released.slope * released.ncov, 0)
    sigma = np.maximum(np.sqrt(squares / (n - 2)), _LEAST_SIGMA)
    rate = 0.25 * epsilon * n * (2 * ndtr(c / sigma) - 1) / c
    levels, tilts = np.ones((2, 2, 1)), away[:, None] * away[None] * (n / nvar)
    noise = (_LEVEL * levels + _TILT * tilts) / rate**2
    inefficiency = _LESS_EFFICIENT * sigma**2 / n * (levels + tilts)
    return np.moveaxis(noise, -1, 0), np.moveaxis(inefficiency, -1, 0)


def _circumstances(released: CenteredStatistics) -> tuple[int, Floats, Floats]:
    """n, n var(x), which counts as the scale of its noise at least, and x - mean x at the quarters, shape (2, size)."""
    nvar = np.maximum(released.nvar, released.least_nvar)
    return released.n, nvar, np.array(QUARTERS)[:, None] - released.x_mean


def _within(errors: Floats, width: float) -> Floats:
    """The same errors with no more variance than a uniform law on a range of this width."""
    return errors / (1 + 12 * _mean_variance(errors) / width**2)[:, None, None]


def _mean_variance(errors: Floats) -> Floats:
    """The variance, averaged over both points, shape (size,)."""
    return 0.5 * (errors[:, 0, 0] + errors[:, 1, 1])


def _share_of_second(first: Floats, second: Floats) -> Floats:
    """The matrix W for which (1 - W) p1 + W p2 has the least error, W = A (A + B)^-1, shape (size, 2, 2).

    first, second: the covariances A and B of the errors of p1 and p2, which are independent. The error is then W B.
    """
    (a, b), (_, d) = np.moveaxis(first + second, 0, -1)
    inverse = np.array([[d, -b], [-b, a]]) / (a * d - b * b)
    return np.einsum("sij,jks->sik", first, inverse)
