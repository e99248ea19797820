"""ChooseByCenteredStats: a look at the data by CenteredStats, then the algorithm that it predicts to be the better."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...dataset import Dataset
from ...laws.joint import JointLaw
from ...privacy import Draw, Guarantee, NoiseKind, PureDP, ReleaseKind, Spend
from ...support import validate
from ...support.run import QUARTERS
from ...support.types import Floats
from ..base import Mechanism, View, hyperparameter
from ..centered.centered_stats import CenteredStats
from ..centered.statistics import CenteredStatistics
from ..depth.deepest_line import LOWER_HELP, MOST_CELLS, UPPER_HELP, DeepestLine
from ..family import BudgetSplit, MechanismFamily
from . import predicted

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
    ten takes the worse one; one in twenty where its error is 1.5 times the other's. The look has a price: on bike share
    DeepestLine alone has a median error of 0.44 standard errors at ε = 16, the choice 0.47. At ε = 2 they have 1.18 and
    1.52. On simulated census tracts at ε = 16 they have 1.00 and 0.22. The price is highest where ε n is below about
    100: at n = 100, ε = 0.5 the error is 2.3 times DeepestLine's. As n and ε are public, use DeepestLine there.
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

    def _check(self) -> None:
        validate.inside(0, 1, closed="neither", share=self.share)
        self.line._check()

    def guarantee(self, epsilon: float) -> Guarantee:
        return PureDP(epsilon)

    def ledger(self, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Spend, ...]:
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

    def plan(self, data: Dataset, first: CenteredStatistics, epsilon: float) -> predicted.Plan:
        """What each first release leads to; of the data it may know n alone."""
        scale = _SUMS.noise_scale(self.first(epsilon))
        return predicted.plan(first, scale, self.first(epsilon), self.rest(epsilon), self.line)

    def view(self, data: Dataset, epsilon: float, at: Floats) -> View:
        return View(data, JointLaw())

    def loss(self, mine: View, theirs: View, epsilon: float) -> float:
        """Of the first sums together with what is then released: that of both stages, the worse algorithm second.

        The supremum where that algorithm is chosen somewhere beyond both data sets' sums, in the direction in which
        they lose most, else more than it. Infinite where the same first sums lead to different plans on the two data
        sets.
        """
        first = _SUMS._statistics(mine.data, self.first(epsilon), _PROBES)
        if not self.plan(mine.data, first, epsilon).same_as(self.plan(theirs.data, first, epsilon)):
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
