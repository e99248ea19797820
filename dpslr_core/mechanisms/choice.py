"""ChooseByCenteredStats: a look at the data by CenteredStats, then the algorithm that it predicts to be the better."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, pi
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from ..dataset import Dataset
from ..privacy import Draw, Guarantee, NoiseKind, PureDP, ReleaseKind, Spend
from ..support import validate
from ..support.run import QUARTERS
from ..support.types import Floats
from .base import BudgetSplit, Mechanism, MechanismFamily, View, hyperparameter
from .centered import CenteredStatistics, CenteredStats
from .deepest_line import LOWER_HELP, MOST_CELLS, UPPER_HELP, DeepestLine

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


def predicted_plan(released: CenteredStatistics, scale: Floats, first: float, rest: float, line: DeepestLine) -> Plan:
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
    """n, n var(x) as it counts in standard errors, and x - mean x at the quarters, shape (2, size)."""
    return released.n, released.spread, np.array(QUARTERS)[:, None] - released.x_mean


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


_SUMS = CenteredStats()
_PROBES = np.random.default_rng(0).laplace(size=(5, 16))  # noises of first sums at which an audit compares choices


@dataclass(frozen=True)
class ChooseByCenteredStats(Mechanism):
    """A share of ε buys CenteredStats; by its answer the rest goes to CenteredStats again or to DeepestLine.

    $$
    \\tilde p=\\begin{cases}\\text{line of }T&\\text{if }\\hat v_s<\\hat v_d\\\\
    \\tilde p_1+W(\\tilde p_d-\\tilde p_1)&\\text{otherwise}\\end{cases}
    $$

    $$
    T=\\frac{\\varepsilon_1^2T_1+\\varepsilon_2^2T_2}{\\varepsilon_1^2+\\varepsilon_2^2},\\qquad
    \\varepsilon_1=\\text{share}\\cdot\\varepsilon,\\quad \\varepsilon_2=\\varepsilon-\\varepsilon_1
    $$

    $T_1$ are the sums of CenteredStats at $\\varepsilon_1$, $\\tilde p_1$ is their line. At $\\varepsilon_2$ come the
    sums $T_2$, or the line $\\tilde p_d$ of DeepestLine. The two variances are predicted at 1/4 and 3/4, from n, ε and
    the released n var(x), σₑ and line. $\\hat v_s$ is the noise of the sums to first order. $\\hat v_d$ is the noise of
    a drawn line, and what it is less efficient than OLS. W weights the two lines by the inverse of their noise. Where
    the released n var(x) is not positive, DeepestLine alone is the answer. Where the released σₑ² is not positive, it
    counts as 0.

    Private by adaptive composition: $T_1$ is $\\varepsilon_1$-differentially private. Whatever it is, the algorithm
    that it chooses is $\\varepsilon_2$-differentially private. Together they spend
    $\\varepsilon_1+\\varepsilon_2=\\varepsilon$; W and the line follow from what is released. There is no exact law:
    trials are drawn.

    CenteredStats is the better where $\\varepsilon\\sqrt n$ is above about 10/σₑ, DeepestLine elsewhere. One trial in
    ten takes the worse one; one in twenty where its error is 1.5 times the other's. The look has a price. On bike share
    DeepestLine alone has a median error of 0.44 standard errors at ε = 16, the choice 0.47. At ε = 2 they have 1.18 and
    1.52. On simulated census tracts at ε = 16 they have 1.00 and 0.22. The price is highest where ε n is below about
    100. At n = 100, ε = 0.5 the error is 2.3 times DeepestLine's. As n and ε are public, use DeepestLine there.
    """

    share: float = hyperparameter(
        0.25, help="Share of ε that pays for the first sums, by which the algorithm is chosen.", low=0.01, high=0.99,
        step=0.05,
    )  # fmt: skip
    grid: int = hyperparameter(400, help="Cells of DeepestLine's grid along one axis.", low=2, high=MOST_CELLS, step=50)
    lower: float = hyperparameter(-0.5, help=LOWER_HELP, step=0.5)
    upper: float = hyperparameter(1.5, help=UPPER_HELP, step=0.5)

    family: ClassVar[MechanismFamily] = MechanismFamily.CHOICE
    budget_split: ClassVar[BudgetSplit] = BudgetSplit.ONE_RELEASE
    source: ClassVar[str] = (
        "this project's own; it answers the question of Section 'Robustness vs. Non-robustness: Guidance for "
        "Algorithm Selection', which the paper leaves to public knowledge"
    )
    compared: ClassVar[str] = "first sums and what is released by them"
    loss_by_law: ClassVar[bool] = False

    def _check(self) -> None:
        validate.inside(0, 1, closed="neither", share=self.share)
        self.line._check()

    def guarantee(self, epsilon: float) -> Guarantee:
        return PureDP(epsilon)

    def ledger(self, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Spend, ...]:
        epsilon = validate.number("epsilon", epsilon)
        choice = Spend("centred sums, by which the algorithm is chosen", self.first(epsilon))
        return choice, Spend("what the chosen algorithm releases: centred sums or a line", self.rest(epsilon))

    def draws(
        self, epsilon: float, points: int = len(QUARTERS), released: ReleaseKind = ReleaseKind.PREDICTIONS
    ) -> tuple[Draw, ...]:
        """The noise of the first sums, and then that of further sums or a line: one or the other, so no more is known.

        Sums and line each spend what is left, so that the second draw has that epsilon whatever the first one was.
        """
        self.must_offer(released)
        first = self.share * epsilon
        return Draw(NoiseKind.LAPLACE, first), Draw(NoiseKind.PURE, epsilon - first)

    @property
    def line(self) -> DeepestLine:
        """The algorithm chosen where sums are too noisy."""
        return DeepestLine(grid=self.grid, lower=self.lower, upper=self.upper)

    def first(self, epsilon: float) -> float:
        """What the first sums may spend."""
        return self.draws(epsilon)[0].size

    def rest(self, epsilon: float) -> float:
        """What the chosen algorithm may spend."""
        return self.draws(epsilon)[1].size

    def plan(self, data: Dataset, first: CenteredStatistics, epsilon: float) -> Plan:
        """What each first release leads to; of the data it may know n alone."""
        scale = _SUMS.noise_scale(self.first(epsilon))
        return predicted_plan(first, scale, self.first(epsilon), self.rest(epsilon), self.line)

    def loss(self, mine: View, theirs: View, epsilon: float) -> float:
        """Of the first sums together with what is then released: that of both stages, the worse algorithm second.

        The supremum where that algorithm is chosen somewhere beyond both data sets' sums, in the direction in which
        they lose most, else more than it. Infinite where the same first sums lead to different plans on the two data
        sets.
        """
        first = _SUMS._statistics(mine.data, self.first(epsilon), _PROBES)
        plans = (self.plan(view.data, first, epsilon) for view in (mine, theirs))
        if not all(np.array_equal(*parts) for parts in zip(*plans, strict=True)):
            return np.inf
        second = [algorithm.loss(mine, theirs, self.rest(epsilon)) for algorithm in (_SUMS, self.line)]
        return _SUMS.loss(mine, theirs, self.first(epsilon)) + max(second)

    def _draw(self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator) -> Floats:
        noise = rng.laplace(size=(len(_PROBES), size))
        first = _SUMS._statistics(data, self.first(epsilon), noise)
        plan, released = self.plan(data, first, epsilon), np.empty((size, at.size))
        if plan.sums.any():
            released[plan.sums] = self._of_all_sums(data, epsilon, noise[:, plan.sums], rng).predict(at)
        others = ~plan.sums
        if others.any():
            ends = self._of_both_lines(data, epsilon, first.take(others), plan.weight[others], rng)
            released[others] = ends @ np.array([2 * (0.75 - at), 2 * (at - 0.25)])
        return released

    def _target(self, data: Dataset, at: Floats) -> Floats:
        """OLS: the noise of sums vanishes as epsilon grows, so that in the end they are chosen on all data.

        Where DeepestLine is chosen, its own distance from OLS counts as noise: a larger epsilon removes it.
        """
        return data.predict(at)

    def _of_all_sums(
        self, data: Dataset, epsilon: float, noise: Floats, rng: np.random.Generator
    ) -> CenteredStatistics:
        """The statistics of (e1^2 T1 + e2^2 T2) / (e1^2 + e2^2); noise: of T1, of scale one, shape (5, size).

        Its noise is b / e times (e1 N1 + e2 N2) / e, with e^2 = e1^2 + e2^2.
        """
        first, rest = self.first(epsilon), self.rest(epsilon)
        both = hypot(first, rest)
        mixed = (first / both) * noise + (rest / both) * rng.laplace(size=noise.shape)
        return _SUMS._statistics(data, both, mixed)

    def _of_both_lines(
        self, data: Dataset, epsilon: float, first: CenteredStatistics, weight: Floats, rng: np.random.Generator
    ) -> Floats:
        """p1 + W (pd - p1) at 1/4 and 3/4, shape (size, 2); p1 is moved into [lower, upper]."""
        drawn = self.line._draw(data, self.rest(epsilon), np.array(QUARTERS), first.slope.size, rng)
        known = np.clip(np.nan_to_num(first.predict(QUARTERS)), self.lower, self.upper)
        return known + np.einsum("sij,sj->si", weight, drawn - known)
