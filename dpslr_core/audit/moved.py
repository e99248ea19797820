"""Comparison of a data set before and after one record is moved: lines, output distributions and privacy loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..dataset import Dataset, Record
from ..laws.base import Law
from ..mechanisms.base import Mechanism, View
from ..privacy import Budget
from ..privacy.accounting import paid
from ..sources.axis import UNIT_Y, Axis
from ..support.types import Floats
from .loss import Loss, compare_views

BEFORE, AFTER = "before", "after"
_DENSITY_POINTS = 400


@dataclass(frozen=True)
class MovedRecord:
    """Data, the row of one of its records, from 0, and the point that it is moved to, in the unit square.

    ValueError where there is no such row, or x or y is not in [0, 1].
    """

    before: Dataset
    place: int
    x: float
    y: float

    def __post_init__(self) -> None:
        """The neighbour is made at once, so that what cannot be is refused here."""
        assert self.after.n == self.before.n

    @cached_property
    def after(self) -> Dataset:
        """The neighbour."""
        return self.before.with_record(self.place, self.x, self.y)

    @property
    def digest(self) -> str:
        """The key of this move, under which results are cached."""
        return f"{self.before.digest} {self.place} {self.x!r} {self.y!r}"

    @property
    def old(self) -> Record:
        """The record as it is in the data."""
        return float(self.before.x[self.place]), float(self.before.y[self.place])

    @property
    def moved(self) -> bool:
        """Whether the record is anywhere else than before."""
        return self.old != (self.x, self.y)

    def predictions(self, at: ArrayLike) -> pd.DataFrame:
        """Rows before and after: x, ols, theil_sen at each point of at, in the unit square; shape (2 len(at), 4)."""
        return self._rows(at, Dataset.theil_sen)

    def lines(self) -> pd.DataFrame:
        """Columns of predictions at 0 and 1, the ends of both pairs of lines."""
        return self._rows((0.0, 1.0), Dataset.theil_sen_line)

    def _rows(
        self, at: ArrayLike, theil_sen: Callable[[Dataset, ArrayLike], Floats]
    ) -> pd.DataFrame:
        frames = [
            pd.DataFrame(
                {"data": name, "x": at, "ols": data.predict(at), "theil_sen": theil_sen(data, at)}
            )
            for name, data in ((BEFORE, self.before), (AFTER, self.after))
        ]
        return pd.concat(frames, ignore_index=True)


@dataclass(frozen=True)
class OutputChange:
    """The output distributions of one algorithm at one point, before and after a move, and the privacy loss.

    loss: measured between the two data sets, all points of the release together.
    """

    mechanism: Mechanism
    point: float
    before: Law
    after: Law
    loss: Loss

    def window(self) -> tuple[float, float]:
        """About the median before the move, six times the distance to the nearer end of the central 68% of answers.

        No more than holds all answers but 0.1%. In units of y; it does not change with the move.
        """
        answers = np.array([0.0005, 0.16, 0.5, 0.84, 0.9995]) * (1 - self.before.failure)
        first, low, middle, high, last = self.before.ppf(answers).tolist()
        half = 6 * min(middle - low, high - middle)
        return max(first, middle - half), min(last, middle + half)

    def odds(self, window: tuple[float, float], y: Axis = UNIT_Y) -> pd.DataFrame:
        """estimate, before, after and odds, the density after over that before, in the units of y; NaN where none is.

        window: in the unit square.
        """
        estimate = np.linspace(*window, _DENSITY_POINTS)
        before, after = (density(law, estimate) for law in (self.before, self.after))
        with np.errstate(divide="ignore", invalid="ignore"):
            densities = {BEFORE: before / y.scale, AFTER: after / y.scale, "odds": after / before}
        return pd.DataFrame({"estimate": y.from_unit(estimate), **densities})


def output_change(
    moved: MovedRecord, mechanism: Mechanism, budget: Budget, number: int = 0
) -> OutputChange | None:
    """The change of one algorithm's release by a move; the distributions are those at the first point.

    number: of another point of the budget, from 0.

    None where no exact distribution is known. ValueError where the rule of the budget leaves the mechanism out.
    """
    epsilon, at = paid(mechanism, budget).epsilon, budget.at

    def released(data: Dataset) -> tuple[tuple[Law | None, ...], View]:
        """The laws, and what an audit compares; cached with the data, so that a move makes half of it."""
        key = ("released", repr(mechanism), epsilon, at)
        return data.cached(
            key,
            lambda: (mechanism.law(data, epsilon, at), mechanism.view(data, epsilon, np.array(at))),
        )

    (laws_before, view_before), (laws_after, view_after) = (
        released(moved.before),
        released(moved.after),
    )
    before, after = laws_before[number], laws_after[number]
    if before is None or after is None:
        return None
    return OutputChange(
        mechanism,
        at[number],
        before,
        after,
        compare_views(mechanism, view_before, view_after, epsilon),
    )


def density(law: Law, t: Floats) -> Floats:
    """The density at t, NaN where there is none."""
    log_density = law.logpdf(t)
    return np.where(log_density < np.inf, np.exp(np.minimum(log_density, 700.0)), np.nan)
