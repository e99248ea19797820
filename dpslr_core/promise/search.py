"""The replacement of one record that a release is told apart by best: every record at every place of a grid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..audit.loss import Loss, compare_views
from ..audit.search import replaceable
from ..dataset import Dataset
from ..mechanisms.base import Mechanism
from ..support import validate
from ..support.run import QUARTERS

SIDE = 11  # places along x and along y


class Replacement(NamedTuple):
    """One record, by its row, the place it is moved to, and the loss of a release at all points together."""

    row: int
    x: float
    y: float
    loss: Loss


class Searched(NamedTuple):
    """How many neighbours have been compared, of how many, and the worst so far; None where no loss is known."""

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
    side: places along x and along y, corners among them.

    Each loss is that of ``audit``. A lower bound on the worst loss of these data: other places may be worse. ValueError
    unless epsilon > 0, side >= 2 and the rows exist.
    """
    validate.positive(epsilon=epsilon)
    validate.integer(2, side=side)
    points = validate.points(at=at)
    chosen = rows_worth_trying(data) if rows is None else list(rows)
    if not chosen or any(row not in range(data.n) for row in chosen):
        raise ValueError(f"rows must be from 0 to {data.n - 1}, got {rows!r}")
    ticks = np.linspace(0, 1, side).tolist()
    mine, worst = mechanism.view(data, epsilon, points), None
    for number, row in enumerate(chosen, 1):
        for x in ticks:
            for y in ticks:
                neighbour = mechanism.view(data.with_record(row, x, y), epsilon, points)
                loss = compare_views(mechanism, mine, neighbour, epsilon)
                if loss.measured >= 0 and (worst is None or loss.measured > worst.loss.measured):
                    worst = Replacement(row, x, y, loss)
        yield Searched(number * side**2, len(chosen) * side**2, worst)


def rows_worth_trying(data: Dataset, count: int = 0) -> list[int]:
    """The extremes of x and y, the largest residuals and the middle ones; then others evenly, up to so many in all."""
    first = replaceable(data)
    others = np.linspace(0, data.n - 1, min(count, data.n)).astype(int).tolist()
    return list(dict.fromkeys([*first, *others]))[: max(count, len(first))]


def middle_to_corner(data: Dataset) -> tuple[int, float, float]:
    """The row of the record in the middle of x, and the corner of the unit square farthest from the OLS line."""
    corners = np.array([(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)])
    line = data.predict(corners[:, 0]) if data.nvar > 0 else np.full(4, data.y_mean)
    x, y = corners[np.argmax(np.abs(corners[:, 1] - line))].tolist()
    return int(np.argsort(data.x, kind="stable")[data.n // 2]), x, y
