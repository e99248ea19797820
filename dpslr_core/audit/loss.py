"""The loss of one release between two neighbouring data sets, from its laws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..dataset import Dataset, Record
from ..laws.divergence import joint_divergences, joint_rho
from ..mechanisms.base import Mechanism, View
from ..privacy import ZCDP, ApproxDP, GaussianDP, Guarantee, gaussian_epsilon
from ..support import validate
from ..support.run import QUARTERS


class Loss(NamedTuple):
    """The loss measured between two data sets, and the bound promised for every pair of neighbours.

    unit: "ε", "ρ" for zCDP or "μ" for Gaussian privacy. promised is inf where nothing is; measured is NaN where it
    cannot be computed: random matchings of more than 6 records, or a mechanism without a law.
    """

    measured: float
    promised: float
    unit: str

    @classmethod
    def against(cls, measured: float, guarantee: Guarantee) -> Loss:
        """A measured loss, and the bound that a guarantee gives; infinite where there is none."""
        unit, field = {ZCDP: ("ρ", "rho"), GaussianDP: ("μ", "mu")}.get(
            type(guarantee), ("ε", "epsilon")
        )
        return cls(measured, getattr(guarantee, field, np.inf), unit)

    @property
    def holds(self) -> bool:
        """Whether the promise covers what was measured, rounding (one part in 10^9) aside."""
        return self.measured <= self.promised + 1e-9 * max(1.0, self.promised)

    @property
    def share(self) -> float:
        """The measured loss over the promised bound: above 1 the promise is broken."""
        return self.measured / self.promised


class WorstLoss(NamedTuple):
    """The neighbours that are easiest to distinguish, and the loss between them."""

    loss: Loss
    data: Dataset
    neighbour: Dataset


def audit(
    mechanism: Mechanism,
    data: Dataset,
    neighbour: Dataset,
    epsilon: float,
    at: ArrayLike = QUARTERS,
) -> Loss:
    """The loss of one release, all points together, between data and neighbour: the supremum of |log density ratio|.

    Where zCDP is promised, the largest Rényi divergence over its order (dpslr_core.laws.divergence).

    data, neighbour: the same records but for one that is replaced, in any order.
    epsilon: the total budget of the release; above 0.
    at: the points of the release, shape (m,).

    Exact for the joint law of the release, but for: NoisyStats, taken with the nvar and ncov it hands out;
    gradient descent, charged steps times its worst step; smooth sensitivity with k matchings, read off a grid; and
    laws known by ranks, whose loss is a certain lower bound.
    ValueError unless epsilon > 0, at is finite and data and neighbour are equal or differ by replacing one record.
    """
    validate.positive(epsilon=epsilon)
    points = validate.points(at=at)
    data.replaced(neighbour)
    mine, theirs = (mechanism.view(either, epsilon, points) for either in (data, neighbour))
    return compare_views(mechanism, mine, theirs, epsilon)


def compare_views(mechanism: Mechanism, mine: View, theirs: View, epsilon: float) -> Loss:
    """The loss between two views of neighbours, in the unit of the mechanism's guarantee.

    ValueError where a mechanism asks for the replaced record and the data sets are not neighbours.
    """
    guarantee, measured = mechanism.guarantee(epsilon), mechanism.loss(mine, theirs, epsilon)
    if measured is None and isinstance(guarantee, ZCDP):
        measured = joint_rho(mine.law, theirs.law)
    elif measured is None:
        measured = max(joint_divergences(mine.law, theirs.law))
    if isinstance(
        guarantee, ApproxDP | GaussianDP
    ):  # measured is rho of Gaussian noise, of which all follows
        measured = float(np.sqrt(2 * measured))
    if isinstance(guarantee, ApproxDP):
        measured = gaussian_epsilon(measured, guarantee.delta)
    return Loss.against(measured, guarantee)


# ---------------------------------------------------------------- the worst neighbour

SIDE = 11  # places along x and along y, by default
_ALL_RECORDS = 8  # up to so many records, each of them is replaced
_CORNERS = list(product((0.0, 1.0), repeat=2))


class Replacement(NamedTuple):
    """One record, by its row, the position it is moved to, and the loss of a release at all points together."""

    row: int
    x: float
    y: float
    loss: Loss


class Searched(NamedTuple):
    """Number of neighbours compared, of how many, and the worst of them; None where no loss is known."""

    tried: int
    total: int
    worst: Replacement | None


def worst_replacement(
    mechanism: Mechanism,
    data: Dataset,
    epsilon: float,
    at: ArrayLike = QUARTERS,
    rows: Sequence[int] | None = None,
    side: int = SIDE,
) -> Iterator[Searched]:
    """The largest loss between data and every neighbour with one record on a grid, row by row as it is searched.

    mechanism, epsilon, at: as in audit. rows: whose records are replaced, by default ``rows_worth_trying``.
    side: positions along x and along y, corners among them.

    Each loss is that of ``audit``. A lower bound on the worst loss of these data: other positions may be worse.
    ValueError unless epsilon > 0, side >= 2 and the rows exist.
    """
    validate.integer(2, side=side)
    validate.positive(epsilon=epsilon)
    points = validate.points(at=at)
    chosen = rows_worth_trying(data) if rows is None else list(rows)
    if not chosen or any(row not in range(data.n) for row in chosen):
        raise ValueError(f"rows must be from 0 to {data.n - 1}, got {rows!r}")
    grid = list(product(np.linspace(0, 1, side).tolist(), repeat=2))
    before, worst = mechanism.view(data, epsilon, points), None
    for number, row in enumerate(chosen, 1):
        for x, y in grid:
            after = mechanism.view(data.with_record(row, x, y), epsilon, points)
            loss = compare_views(mechanism, before, after, epsilon)
            if loss.measured >= 0 and (worst is None or loss.measured > worst.loss.measured):
                worst = Replacement(row, x, y, loss)
        yield Searched(number * len(grid), len(chosen) * len(grid), worst)


def rows_worth_trying(data: Dataset) -> list[int]:
    """Rows of the extremes of x and y, of the largest residuals and of the middle ones; of few records all."""
    if data.n <= _ALL_RECORDS:
        return list(range(data.n))
    intercept, slope = _line(data)
    columns = [data.x, data.y, data.y - intercept - slope * data.x, np.abs(data.x - data.x_mean)]
    orders = [np.argsort(column, kind="stable") for column in columns]
    return sorted({int(order[position]) for order in orders for position in (0, data.n // 2, -1)})


def _line(data: Dataset) -> tuple[float, float]:
    """Intercept and slope by OLS; level where all x are equal."""
    return (data.intercept, data.slope) if np.isfinite(data.slope) else (data.y_mean, 0.0)


def middle_to_corner(data: Dataset) -> tuple[int, float, float]:
    """The row of the record in the middle of x, and the corner of the unit square farthest from the OLS line."""
    corners = np.array(_CORNERS)
    line = data.predict(corners[:, 0]) if not data.x_is_constant else np.full(4, data.y_mean)
    x, y = corners[np.argmax(np.abs(corners[:, 1] - line))].tolist()
    return int(np.argsort(data.x, kind="stable")[data.n // 2]), x, y


def all_neighbours(grid: ArrayLike, n: int) -> Iterator[list[tuple[Record, ...]]]:
    """The data sets of n records on a grid that share n - 1 of them, for each choice of those; sorted records.

    No law depends on the order of the records, so only multisets are gone through. ValueError unless n >= 3 and the
    grid holds two different values or more.
    """
    validate.integer(3, n=n)
    values = np.unique(validate.points(grid=grid)).tolist()
    if len(values) < 2:
        raise ValueError(f"grid must hold two or more different values, got {grid!r}")
    records: list[Record] = list(product(values, values))
    for rest in combinations_with_replacement(records, n - 1):
        yield [tuple(sorted((*rest, record))) for record in records]


def worst_loss(
    mechanism: Mechanism,
    epsilon: float,
    at: ArrayLike = QUARTERS,
    grid: ArrayLike = (0.0, 0.5, 1.0),
    n: int = 3,
) -> WorstLoss:
    """The largest loss over all neighbouring data sets of n records whose x and y lie on the grid.

    mechanism, epsilon, at: as in audit. grid: the values of x and of y, in the unit square, shape (g,).

    ValueError unless epsilon > 0, n >= 3 and the grid holds two different values or more.
    """
    validate.positive(epsilon=epsilon)
    points = validate.points(at=at)

    @cache
    def view(records: tuple[Record, ...]) -> View:
        return mechanism.view(Dataset(*np.array(records).T), epsilon, points)

    pairs = (
        pair for chosen in all_neighbours(grid, n) for pair in combinations(map(view, chosen), 2)
    )
    losses = (
        WorstLoss(compare_views(mechanism, *pair, epsilon), *(each.data for each in pair))
        for pair in pairs
    )
    return max(losses, key=lambda worst: worst.loss.measured)
