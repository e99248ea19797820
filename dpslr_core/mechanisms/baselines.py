"""Algorithms without privacy: the estimators that serve as reference, and the Opportunity Atlas's method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .. import pairs
from ..dataset import Dataset
from ..laws.base import Law
from ..laws.named import Laplace, PointMass
from ..pairs.grid import PublicGrid
from ..pairs.matchings import SortedEstimates
from ..privacy import Guarantee, NotPrivate, Spend
from ..support import validate
from ..support.run import QUARTERS
from ..support.types import Floats
from .base import BudgetSplit, Mechanism, MechanismFamily, hyperparameter
from .pairwise import MatchingMechanism


class ExactEstimate(Mechanism):
    """An estimate that is released without noise, so that no privacy budget bounds its loss."""

    family: ClassVar[MechanismFamily] = MechanismFamily.BASELINE
    budget_split: ClassVar[BudgetSplit] = BudgetSplit.NO_BUDGET
    in_paper: ClassVar[bool] = True

    def guarantee(self, epsilon: float) -> Guarantee:
        return NotPrivate(f"the exact {self.released} is released, without noise")

    def ledger(self, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Spend, ...]:
        return ()

    def _draw(
        self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator
    ) -> Floats:
        return np.tile(self._target(data, at), (size, 1))

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        return [PointMass(prediction) for prediction in self._target(data, at).tolist()]


@dataclass(frozen=True)
class OLS(ExactEstimate):
    """Ordinary least squares: the exact prediction, the same in every release.

    $$
    \\hat p(x) = \\bar y + \\hat\\alpha\\,(x - \\bar x),\\qquad \\hat\\alpha = \\mathrm{ncov}/\\mathrm{nvar}
    $$
    """

    source: ClassVar[str] = "Equation (2)"
    released: ClassVar[str] = "estimate"

    def _target(self, data: Dataset, at: Floats) -> Floats:
        return data.predict(at)


@dataclass(frozen=True)
class TheilSen(MatchingMechanism, ExactEstimate):
    """Theil–Sen: the median of the predictions by the lines through pairs of records; robust, not private.

    $$
    \\hat p(x) = \\mathrm{median}_{i<j}\\; z_{ij}(x),\\qquad
    z_{ij}(x) = \\tfrac{y_j-y_i}{x_j-x_i}\\bigl(x-\\tfrac{x_i+x_j}{2}\\bigr)+\\tfrac{y_i+y_j}{2}
    $$
    """

    k: int | None = hyperparameter(
        None, help="Number of random matchings; empty = all pairs.", low=1, step=1
    )

    source: ClassVar[str] = "Section 'DP TheilSen'"
    released: ClassVar[str] = "median"

    def _draw(
        self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator
    ) -> Floats:
        if pairs.is_complete(data.n, self.k):
            return super()._draw(data, epsilon, at, size, rng)
        lines = partial(pairs.lines_through, at=at)
        return np.concatenate(
            [estimates.medians().T for estimates in self._drawn((data.x, data.y), lines, size, rng)]
        )

    def medians(
        self,
        estimates: SortedEstimates,
        epsilon: float,
        changed: int,
        grid: PublicGrid,
        rng: np.random.Generator,
    ) -> Floats:
        return estimates.medians()

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        return (
            super()._laws(data, epsilon, at)
            if pairs.is_complete(data.n, self.k)
            else [None] * at.size
        )


@dataclass(frozen=True)
class MaximumObservedSensitivity(Mechanism):
    """The OLS prediction with noise scaled to the largest change that one added grid point makes.

    $$
    \\tilde p(x) = \\hat p(x) + \\mathrm{Lap}\\Bigl(\\frac{\\chi(x)}{(\\varepsilon/m)\\,n}\\Bigr),\\qquad
    \\chi(x) = n\\,\\max_{(a,b)\\in\\text{grid}}\\bigl|\\hat p(x) - \\hat p_{+(a,b)}(x)\\bigr|
    $$

    The scale is read off the data, and so tells about them: **not differentially private**. On one data set
    $\\chi$ comes from that data set alone; over many areas it is the largest of all.
    """

    grid: int = hyperparameter(
        11, help="Points per side of the grid laid over the unit square.", low=2, high=101, step=1
    )

    family: ClassVar[MechanismFamily] = MechanismFamily.NOT_PRIVATE
    budget_split: ClassVar[BudgetSplit] = BudgetSplit.EQUAL_SHARES
    source: ClassVar[str] = (
        "Appendix 'The Maximum Observed Sensitivity Algorithm' (Opportunity Insights)"
    )
    released: ClassVar[str] = "OLS prediction (noise scale itself leaks)"
    in_paper: ClassVar[bool] = True
    aim: ClassVar[str] = "OLS"

    def _check(self) -> None:
        validate.integer(2, 10**6, grid=self.grid)

    def guarantee(self, epsilon: float) -> Guarantee:
        return NotPrivate("the scale of its noise is read off the data")

    def observed_sensitivity(self, data: Dataset, at: ArrayLike) -> Floats:
        """Compute chi at each point: n times the largest change of the prediction by adding one grid point as a record.

        Adding (a, b) moves nvar by n/(n+1) (a - mean x)^2 and ncov by n/(n+1) (a - mean x)(b - mean y), so that each
        refit is a rank-one update. Shape (len(at),); NaN where all x are equal. ValueError unless at is one or more
        finite numbers. Source: appendix, The Maximum Observed Sensitivity Algorithm.
        """
        at, n = validate.points(at=at), data.n
        side = np.linspace(0, 1, self.grid)
        a, b = side[:, None, None], side[None, :, None]
        nvar = data.nvar + n / (n + 1) * (a - data.x_mean) ** 2
        ncov = data.ncov + n / (n + 1) * (a - data.x_mean) * (b - data.y_mean)
        x_mean, y_mean = (n * data.x_mean + a) / (n + 1), (n * data.y_mean + b) / (n + 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            change = np.abs(y_mean + ncov / nvar * (at - x_mean) - data.predict(at))
        return n * change.max(axis=(0, 1))

    def informed_by(self, groups: Sequence[Dataset], at: ArrayLike) -> Mechanism:
        """Return the method whose chi at each point is the largest over all areas that it is used on.

        ValueError unless at is one or more finite numbers. Source: the paper's appendix on the algorithm.
        """
        points = validate.points(at=at)
        seen = [
            self.observed_sensitivity(data, points) for data in groups if not data.x_is_constant
        ]
        chi = np.max(seen, axis=0) if seen else np.full(points.shape, np.nan)
        return _OverManyAreas(self.grid, tuple(points.tolist()), tuple(chi.tolist()))

    def _scales(self, data: Dataset, epsilon: float, at: Floats) -> Floats:
        """Compute the noise scale of the release at each point, shape (m,); NaN if none is made."""
        return self.observed_sensitivity(data, at) / (epsilon / at.size * data.n)

    def _draw(
        self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator
    ) -> Floats:
        scales = self._scales(data, epsilon, at)
        return data.predict(at) + scales * rng.laplace(size=(size, at.size))

    def _target(self, data: Dataset, at: Floats) -> Floats:
        return data.predict(at)

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        located = zip(data.predict(at), self._scales(data, epsilon, at), strict=True)
        return [
            PointMass(np.nan)
            if np.isnan(location + scale)
            else Laplace(float(location), float(scale))
            for location, scale in located
        ]


@dataclass(frozen=True)
class _OverManyAreas(MaximumObservedSensitivity):
    """The method as used over many areas, with one chi per point, from all areas."""

    points: tuple[float, ...] = ()
    chi: tuple[float, ...] = ()

    @property
    def name(self) -> str:
        return MaximumObservedSensitivity.__name__

    def informed_by(self, groups: Sequence[Dataset], at: ArrayLike) -> Mechanism:
        return self

    def observed_sensitivity(self, data: Dataset, at: ArrayLike) -> Floats:
        """Look up the largest chi of all areas at each point; ValueError at a point that it was not computed for."""
        chi_at = dict(zip(self.points, self.chi, strict=True))
        points = validate.points(at=at).tolist()
        if unknown := [point for point in points if point not in chi_at]:
            raise ValueError(
                f"at must be among the points that chi was found for, {list(chi_at)}, got "
                f"{unknown[0]}"
            )
        return np.array([chi_at[point] for point in points])
