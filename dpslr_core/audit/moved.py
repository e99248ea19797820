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
    """A data set with one record that is moved to another point.

    Parameters
    ----------
    before : Dataset
        The data before the move.
    place : int
        Row of the record, from 0; ValueError if there is no such row.
    x, y : float
        New position of the record; ValueError unless in [0, 1].
    """

    before: Dataset
    place: int
    x: float
    y: float

    def __post_init__(self) -> None:
        """Make the neighbour at once, so that an impossible move is refused here."""
        assert self.after.n == self.before.n

    @cached_property
    def after(self) -> Dataset:
        """Data set with the record at the new position."""
        return self.before.with_record(self.place, self.x, self.y)

    @property
    def digest(self) -> str:
        """Key of this move, for cached results."""
        return f"{self.before.digest} {self.place} {self.x!r} {self.y!r}"

    @property
    def old(self) -> Record:
        """Position of the record before the move."""
        return float(self.before.x[self.place]), float(self.before.y[self.place])

    @property
    def moved(self) -> bool:
        """Whether the new position differs from the old one."""
        return self.old != (self.x, self.y)

    def predictions(self, at: ArrayLike) -> pd.DataFrame:
        """Predict by OLS and Theil-Sen before and after the move.

        Parameters
        ----------
        at : array_like, shape (m,)
            Points, in the unit square.

        Returns
        -------
        DataFrame, 2 m rows
            Columns data (before or after), x, ols and theil_sen.
        """
        return self._rows(at, Dataset.theil_sen)

    def lines(self) -> pd.DataFrame:
        """Compute the ends of both pairs of lines, at x = 0 and 1; columns as in predictions."""
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
    """Output distributions of one algorithm at one point, before and after a move, and the privacy loss.

    The loss is measured between the two data sets, for all points of the release together.
    """

    mechanism: Mechanism
    point: float
    before: Law
    after: Law
    loss: Loss

    def window(self) -> tuple[float, float]:
        """Compute the range of outcomes to draw around the median before the move.

        It reaches six times as far as the nearer end of the central 68% of the answers, on both sides. The range is cut
        to the central 99.9% of the answers. It is in units of y, and does not change with the move.
        """
        answers = np.array([0.0005, 0.16, 0.5, 0.84, 0.9995]) * (1 - self.before.failure)
        first, low, middle, high, last = self.before.ppf(answers).tolist()
        half = 6 * min(middle - low, high - middle)
        return max(first, middle - half), min(last, middle + half)

    def odds(self, window: tuple[float, float], y: Axis = UNIT_Y) -> pd.DataFrame:
        """Tabulate both densities over a window: columns estimate, before, after and odds, which is after / before.

        Parameters
        ----------
        window : pair of float
            Ends, in the unit square.
        y : Axis
            Axis of y, whose units the table has.

        Returns
        -------
        DataFrame
            A density is NaN where the law has none.
        """
        estimate = np.linspace(*window, _DENSITY_POINTS)
        before, after = (density(law, estimate) for law in (self.before, self.after))
        with np.errstate(divide="ignore", invalid="ignore"):
            densities = {BEFORE: before / y.scale, AFTER: after / y.scale, "odds": after / before}
        return pd.DataFrame({"estimate": y.from_unit(estimate), **densities})


def output_change(
    moved: MovedRecord, mechanism: Mechanism, budget: Budget, number: int = 0
) -> OutputChange | None:
    """Compare the output distributions of one algorithm at one point before and after a move.

    Parameters
    ----------
    moved : MovedRecord
        Data and move.
    mechanism : Mechanism
        The algorithm.
    budget : Budget
        Budget and points; ValueError if its rule leaves the mechanism out.
    number : int
        Index of the point in the budget, from 0.

    Returns
    -------
    OutputChange or None
        None where no exact distribution is known.
    """
    epsilon, at = paid(mechanism, budget).epsilon, budget.at

    def released(data: Dataset) -> tuple[tuple[Law | None, ...], View]:
        """Compute laws and view; cached with the data, so that a further move needs only its own half."""
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
    """Compute the density of a law at t; NaN at a point mass."""
    log_density = law.logpdf(t)
    return np.where(log_density < np.inf, np.exp(np.minimum(log_density, 700.0)), np.nan)
