"""MaximumObservedSensitivity: the method deployed with the Opportunity Atlas. It is not private."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .. import _validate
from .._types import Floats
from ..dataset import Dataset
from ..laws import Laplace, Law, PointMass
from ..privacy import Guarantee, NotPrivate, Spend
from .base import QUARTERS, Mechanism, hyperparameter, point_ledger


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

    grid: int = hyperparameter(11, help="Points per side of the grid laid over the unit square.", low=2, step=1)

    source: ClassVar[str] = "Appendix 'The Maximum Observed Sensitivity Algorithm' (Opportunity Insights)"

    def _check(self) -> None:
        _validate.integer(2, grid=self.grid)

    def guarantee(self, epsilon: float) -> Guarantee:
        return NotPrivate("the scale of its noise is read off the data")

    def ledger(self, epsilon: float, at: ArrayLike = QUARTERS) -> tuple[Spend, ...]:
        """What the method would spend if its noise scale were public."""
        return point_ledger("OLS prediction (noise scale itself leaks)", epsilon, at)

    def observed_sensitivity(self, data: Dataset, at: ArrayLike) -> Floats:
        """chi, shape (len(at),): n times the largest change of each prediction; NaN where all x are equal.

        Adding (a, b) moves nvar by n/(n+1) (a - mean x)^2 and ncov by n/(n+1) (a - mean x)(b - mean y), so
        each of the grid's refits is a rank-one update.
        """
        at, n = _validate.points(at=at), data.n
        side = np.linspace(0, 1, self.grid)
        a, b = side[:, None, None], side[None, :, None]
        nvar = data.nvar + n / (n + 1) * (a - data.x_mean) ** 2
        ncov = data.ncov + n / (n + 1) * (a - data.x_mean) * (b - data.y_mean)
        x_mean, y_mean = (n * data.x_mean + a) / (n + 1), (n * data.y_mean + b) / (n + 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            change = np.abs(y_mean + ncov / nvar * (at - x_mean) - data.predict(at))
        return n * change.max(axis=(0, 1))

    def informed_by(self, groups: Sequence[Dataset], at: ArrayLike) -> Mechanism:
        """The method with chi per point the largest over all groups; groups with constant x say nothing."""
        seen = [self.observed_sensitivity(data, at) for data in groups if data.nvar > 0]
        chi = np.max(seen, axis=0) if seen else np.full(_validate.points(at=at).shape, np.nan)
        return _WithSharedSensitivity(self.grid, tuple(float(c) for c in chi))

    def _chi(self, data: Dataset, at: Floats) -> Floats:
        return self.observed_sensitivity(data, at)

    def _scale(self, data: Dataset, epsilon: float, at: Floats) -> Floats:
        return self._chi(data, at) / (epsilon / at.size * data.n)

    def _draw(self, data: Dataset, epsilon: float, at: Floats, size: int, rng: np.random.Generator) -> Floats:
        return data.predict(at) + self._scale(data, epsilon, at) * rng.laplace(size=(size, at.size))

    def _laws(self, data: Dataset, epsilon: float, at: Floats) -> Sequence[Law | None]:
        if data.nvar == 0:
            return [PointMass(np.nan)] * at.size
        located = zip(data.predict(at), self._scale(data, epsilon, at), strict=True)
        return [Laplace(float(prediction), float(scale)) for prediction, scale in located]


@dataclass(frozen=True)
class _WithSharedSensitivity(MaximumObservedSensitivity):
    """The method as used over many areas: one chi per point, the largest of all areas."""

    chi: tuple[float, ...] = ()

    @property
    def name(self) -> str:
        return MaximumObservedSensitivity.__name__

    def _chi(self, data: Dataset, at: Floats) -> Floats:
        if len(self.chi) != at.size:
            raise ValueError(f"at must be the {len(self.chi)} points that chi was found for, got {at.size}")
        return np.asarray(self.chi)
