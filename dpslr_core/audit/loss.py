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

    Attributes
    ----------
    measured : float
        Loss in `unit`; NaN where it cannot be computed: random matchings of more than 6 records, or a mechanism
        without a law.
    promised : float
        Bound of the guarantee; inf without one.
    unit : str
        "ε", "ρ" for zCDP or "μ" for Gaussian privacy.
    """

    measured: float
    promised: float
    unit: str

    @classmethod
    def against(cls, measured: float, guarantee: Guarantee) -> Loss:
        """Combine a measured loss with the bound of a guarantee, infinite without one."""
        unit, field = {ZCDP: ("ρ", "rho"), GaussianDP: ("μ", "mu")}.get(
            type(guarantee), ("ε", "epsilon")
        )
        return cls(measured, getattr(guarantee, field, np.inf), unit)

    @property
    def holds(self) -> bool:
        """Whether the promise covers the measured loss, up to rounding (one part in 10^9)."""
        return self.measured <= self.promised + 1e-9 * max(1.0, self.promised)

    @property
    def share(self) -> float:
        """The measured loss over the promised bound; above 1 the promise is broken."""
        return self.measured / self.promised


class WorstLoss(NamedTuple):
    """The pair of neighbours with the largest loss, and that loss."""

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
    """Measure the privacy loss of one release at all points together between a data set and a neighbour.

    The loss is the supremum of |log density ratio| over all outcomes. Where zCDP is promised, it is the largest Rényi
    divergence over its order (dpslr_core.laws.divergence). It is exact for the joint law of the release, with four
    exceptions. NoisyStats is charged for publishing nvar and ncov too. Gradient descent is charged steps times its
    worst step. Smooth sensitivity with k matchings is read off a grid. Laws known by ranks give a certain lower bound.

    Parameters
    ----------
    mechanism : Mechanism
        The algorithm to audit.
    data, neighbour : Dataset
        Data sets with the same records but for one that is replaced, in any order.
    epsilon : float
        Total budget of the release; above 0.
    at : array_like, shape (m,)
        Points of the release, in the unit square.

    Returns
    -------
    Loss
        Measured and promised loss in the unit of the guarantee.

    Raises
    ------
    ValueError
        epsilon is not above 0, at is not finite, or the data sets differ by more than one replaced record.

    Examples
    --------
    >>> from dpslr_core.mechanisms import NoisyIntercept
    >>> data = Dataset(x=[0.0, 0.5, 1.0], y=[0.2, 0.5, 0.6])
    >>> loss = audit(NoisyIntercept(), data, data.with_record(2, 1.0, 0.0), epsilon=2.0)
    >>> round(loss.measured, 3), loss.promised, loss.holds
    (1.2, 2.0, True)
    """
    validate.positive(epsilon=epsilon)
    points = validate.points(at=at)
    data.replaced(neighbour)
    before, after = (mechanism.view(records, epsilon, points) for records in (data, neighbour))
    return compare_views(mechanism, before, after, epsilon)


def compare_views(mechanism: Mechanism, before: View, after: View, epsilon: float) -> Loss:
    """Compute the loss between two views of neighbours, in the unit of the mechanism's guarantee.

    ValueError if the mechanism needs the replaced record and the data sets are not neighbours.
    """
    guarantee, measured = mechanism.guarantee(epsilon), mechanism.loss(before, after, epsilon)
    if measured is None and isinstance(guarantee, ZCDP):
        measured = joint_rho(before.law, after.law)
    elif measured is None:
        measured = max(joint_divergences(before.law, after.law))
    # Gaussian noise is measured as rho, from which mu, epsilon and delta follow.
    if isinstance(guarantee, ApproxDP | GaussianDP):
        measured = float(np.sqrt(2 * measured))
    if isinstance(guarantee, ApproxDP):
        measured = gaussian_epsilon(measured, guarantee.delta)
    return Loss.against(measured, guarantee)


# ---------------------------------------------------------------- the worst neighbour

SIDE = 11  # default number of positions along x and along y
_ALL_RECORDS = 8  # up to this n all records are replaced
_CORNERS = list(product((0.0, 1.0), repeat=2))


class Replacement(NamedTuple):
    """The row of a record, its new position, and the loss of a release at all points together by this move."""

    row: int
    x: float
    y: float
    loss: Loss


class Searched(NamedTuple):
    """Number of neighbours compared so far, number in all, and the worst replacement; None if no loss is known."""

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
    """Search the neighbours with one record on a grid for the largest loss; yield the state after each row.

    Each loss is computed as by ``audit``. The largest one is a lower bound on the worst loss of these data: positions
    off the grid may be worse.

    Parameters
    ----------
    mechanism : Mechanism
        The algorithm to audit.
    data : Dataset
        The records.
    epsilon : float
        Total budget of the release; ValueError unless above 0.
    at : array_like, shape (m,)
        Points of the release, in the unit square.
    rows : sequence of int, optional
        Rows of the records that are replaced, by default ``rows_worth_trying``; ValueError unless they exist.
    side : int
        Number of positions along x and along y, corners among them; ValueError unless 2 or more.

    Yields
    ------
    Searched
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
    """List the rows of extreme x, extreme y, extreme residuals and of the middle of each; all rows of few records."""
    if data.n <= _ALL_RECORDS:
        return list(range(data.n))
    intercept, slope = _line(data)
    columns = [data.x, data.y, data.y - intercept - slope * data.x, np.abs(data.x - data.x_mean)]
    orders = [np.argsort(column, kind="stable") for column in columns]
    return sorted({int(order[position]) for order in orders for position in (0, data.n // 2, -1)})


def _line(data: Dataset) -> tuple[float, float]:
    """Fit intercept and slope by OLS; level where all x are equal."""
    return (data.intercept, data.slope) if np.isfinite(data.slope) else (data.y_mean, 0.0)


def middle_to_corner(data: Dataset) -> tuple[int, float, float]:
    """Pick the record in the middle of x and the corner of the unit square farthest from the OLS line: row, x, y."""
    corners = np.array(_CORNERS)
    line = data.predict(corners[:, 0]) if not data.x_is_constant else np.full(4, data.y_mean)
    x, y = corners[np.argmax(np.abs(corners[:, 1] - line))].tolist()
    return int(np.argsort(data.x, kind="stable")[data.n // 2]), x, y


def all_neighbours(grid: ArrayLike, n: int) -> Iterator[list[tuple[Record, ...]]]:
    """Yield groups of data sets of n records on a grid; all data sets of a group share n - 1 records.

    Every choice of shared records makes a group. No law depends on the order of the records, so that each multiset is
    used once, as a sorted tuple. ValueError unless
    n >= 3 and the grid holds two different values or more.
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
    """Find the largest loss over all neighbouring data sets of n records whose x and y lie on a grid.

    Parameters
    ----------
    mechanism : Mechanism
        The algorithm to audit.
    epsilon : float
        Total budget of the release; above 0.
    at : array_like, shape (m,)
        Points of the release, in the unit square.
    grid : array_like, shape (g,)
        Values of x and of y, in the unit square.
    n : int
        Number of records.

    Returns
    -------
    WorstLoss
        The loss and both data sets.

    Raises
    ------
    ValueError
        epsilon is not above 0, n is below 3, or the grid holds fewer than two different values.

    Examples
    --------
    >>> from dpslr_core.mechanisms import NoisyIntercept
    >>> worst = worst_loss(NoisyIntercept(), epsilon=2.0, grid=(0.0, 1.0))
    >>> round(worst.loss.measured, 3)
    2.0
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
        WorstLoss(compare_views(mechanism, *pair, epsilon), *(side.data for side in pair))
        for pair in pairs
    )
    return max(losses, key=lambda worst: worst.loss.measured)
