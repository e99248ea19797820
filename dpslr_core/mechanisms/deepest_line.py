"""The deepest line among the records, by the exponential mechanism over a public grid of lines."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import logsumexp

from ..dataset import Dataset
from ..depth import (
    DepthScores,
    LineGrid,
    draw_lines,
    frontier_of,
)
from ..laws.base import Law
from ..laws.cells import cells_within, prediction_law, row_law
from ..privacy import NoiseKind
from ..support import validate
from ..support.run import QUARTERS
from ..support.types import Floats
from .base import (
    BoundedRange,
    BudgetSplit,
    Chance,
    EqualDraws,
    MechanismFamily,
    View,
    hyperparameter,
)

MOST_CELLS = 2000  # along one axis of the grid
_LEFT_OUT = 2e-7  # mass that a law may know by bounds alone: the largest error of its cdf
_LAW_WORK = 5e8  # residuals of blocks of one size, some seconds; beyond it there is no law
_TABLE_WORK = 1e8  # residuals up to which the scores of all cells are computed at once
LARGEST_WEIGHT = 1e18  # scores differ by 2^-51 or more: beyond it only the best lines are left
LOWER_HELP = (
    "Lower end of the range that predictions at 1/4 and 3/4 are searched in (public knowledge)."
)
UPPER_HELP = (
    "Upper end of the range that predictions at 1/4 and 3/4 are searched in (public knowledge)."
)


@dataclass(frozen=True)
class DeepestLine(EqualDraws):
    """A private line for all points, with as many records above as below on both sides of every x.

    $$
    \\text{density}(p)\\propto e^{-\\frac{\\varepsilon}{4}M(p)},\\qquad
    M(p)=\\max_t\\Bigl|\\sum_{x_i\\le t}s_i-\\sum_{x_i>t}s_i\\Bigr|,\\qquad
    s_i=\\mathrm{clip}\\Bigl(\\frac{y_i-p(x_i)}{c},-1,1\\Bigr)
    $$

    for the lines p in the centres of a grid over the predictions at 1/4 and 3/4. The line released is uniform within
    its cell. With c = 0, s is the sign of the residual, and (n − M)/2 the regression depth of the line. The budget is
    not split over the points, so that it works from smaller ε n on than private medians. It aims at medians. A quarter
    of a cell is a floor under its error.

    Private for every data set: replacing a record moves each sum by at most 2, and so the maximum. The weight of a cell
    then changes by a factor of at most exp(ε/2), and so does their total.
    """

    c: float = hyperparameter(
        0.1,
        help="Residuals beyond c count fully, smaller ones in proportion; 0 = signs alone.",
        low=0.0,
        step=0.05,
    )
    grid: int = hyperparameter(
        400, help="Cells of the grid along one axis.", low=2, high=MOST_CELLS, step=50
    )
    lower: float = hyperparameter(-0.5, help=LOWER_HELP, step=0.5)
    upper: float = hyperparameter(1.5, help=UPPER_HELP, step=0.5)

    family: ClassVar[MechanismFamily] = MechanismFamily.DEPTH
    budget_split: ClassVar[BudgetSplit] = BudgetSplit.ONE_RELEASE
    noise_kind: ClassVar[NoiseKind] = NoiseKind.BOUNDED_RANGE
    released: ClassVar[str] = "a line near the deepest"
    source: ClassVar[str] = (
        "this project's own. Rousseeuw and Hubert (1999) define regression depth. "
        "McSherry and Talwar (2007) define the exponential mechanism"
    )
    loss_by_law: ClassVar[bool] = False  # an audit compares the scores of all cells
    aim: ClassVar[str] = "the deepest line"

    def _check(self) -> None:
        validate.non_negative(c=self.c)
        validate.integer(2, grid=self.grid)
        validate.inside(2, MOST_CELLS, grid=self.grid)
        validate.ordered(lower=self.lower, upper=self.upper)
        LineGrid(self.grid, float(self.lower), float(self.upper))

    def weight(self, epsilon: float) -> float:
        """Compute the factor of a score in the exponent of the weight of a line: epsilon / 4, within limits."""
        (draw,) = self.draws(epsilon)
        return min(draw.size / 4, LARGEST_WEIGHT)

    @property
    def _target_key(self) -> Hashable:
        """Key of the settings that the target depends on: at unlimited epsilon only the best lines are left."""
        return "deepest", self.c, self.grid, self.lower, self.upper

    def scores(self, data: Dataset) -> DepthScores:
        """Prepare the scores of all lines of the grid, to be computed when needed; cached with the data."""
        grid = LineGrid(self.grid, self.lower, self.upper)
        return data.cached(
            ("depth", self.c, grid), lambda: DepthScores(data.x, data.y, self.c, grid)
        )

    def _draw(
        self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator
    ) -> Floats:
        scores = self.scores(data)
        cells = np.divmod(draw_lines(scores, self.weight(epsilon), size, rng), self.grid)
        quarter, three_quarters = self.lower + scores.grid.cell * (
            np.array(cells) + rng.random((2, size))
        )
        return np.outer(quarter, 2 * (0.75 - at)) + np.outer(three_quarters, 2 * (at - 0.25))

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        scores, weight = self.scores(data), self.weight(epsilon)
        frontier = frontier_of(scores, weight, _LEFT_OUT, _LAW_WORK / data.n)
        if frontier is None:
            return (None,) * at.size
        edges, points = scores.grid.edges, at.tolist()
        on_axes = [point in QUARTERS for point in points]
        log_sums = frontier.log_sums(weight) if any(on_axes) else np.empty(0)
        table = np.empty(0) if all(on_axes) else frontier.log_mass_table(weight)
        return [
            row_law(edges, *log_sums[QUARTERS.index(point)])
            if on_axis
            else prediction_law(edges, table, point)
            for point, on_axis in zip(points, on_axes, strict=True)
        ]

    def chance_within(
        self, data: Dataset, at: Sequence[float], low: float, high: float
    ) -> Callable[[float], Chance | None]:
        """Prepare the function of Mechanism.chance_within; with few records from the scores of all cells."""
        scores = DepthScores(data.x, data.y, self.c, LineGrid(self.grid, self.lower, self.upper))
        if scores.grid.side**2 * data.n > _TABLE_WORK:
            return super().chance_within(data, at, low, high)
        inside = cells_within(scores.grid.edges, float(at[0]), low, high)
        above = scores.of_all() - scores.of_all().min()

        def chance(epsilon: float) -> Chance:
            with np.errstate(under="ignore"):
                masses = np.exp(-self.weight(epsilon) * above)
            return Chance(float(masses @ inside / masses.sum()))

        return chance

    def loss(self, before: View, after: View, epsilon: float) -> float:
        """Compute the loss of the released line: the largest |log p - log p'| over all cells.

        The probabilities of a cell on the two data sets are p and p'.
        """

        def log_total(data: Dataset) -> float:
            key = (repr(self), "log total", epsilon)  # cached, as a data set has many neighbours
            return data.cached(
                key, lambda: float(logsumexp(-self.weight(epsilon) * self._all_scores(data)))
            )

        change = self._change(before, after, epsilon) + (
            log_total(after.data) - log_total(before.data)
        )
        return float(np.abs(change).max())

    def _change(self, before: View, after: View, epsilon: float) -> Floats:
        """Compute the log ratio of the weights of each cell, after over before, shape (grid^2,)."""
        return self.weight(epsilon) * (self._all_scores(after.data) - self._all_scores(before.data))

    def _all_scores(self, data: Dataset) -> Floats:
        return self.scores(data).of_all()


@dataclass(frozen=True)
class DeepestLineZCDP(BoundedRange, DeepestLine):
    """DeepestLine with the budget counted in zero-concentrated differential privacy.

    $$
    \\text{density}(p)\\propto e^{-\\frac{\\eta}{4}M(p)},\\qquad \\eta=\\sqrt{8\\rho},\\qquad
    \\rho=\\frac{\\varepsilon^2}{2}
    $$

    Twice the weight that DeepestLine gives the scores at the same ε, for a weaker guarantee.

    ρ-zCDP: M moves by between −2 and 2, so the log ratio L of two chances lies in an interval of length η. Then
    K(a) = log E exp(a L), the mean under the second law, has K(0) = K(1) = 0 and K″ ≤ η²/4, so K(a) ≤ a (a − 1) η²/8:
    the Rényi divergence of order a, K(a)/(a − 1), is at most a η²/8 = a ρ.
    """

    strength: ClassVar[str] = "counted in zCDP the same ε buys half its noise"
    source: ClassVar[str] = DeepestLine.source + ". Cesar and Rogers (2021) prove the zCDP"

    def loss(self, before: View, after: View, epsilon: float) -> float:
        """Compute rho = r^2 / 8, r the range of the log ratios of all cells: Rényi divergences are at most rho a."""
        return float(np.ptp(self._change(before, after, epsilon)) ** 2 / 8)
