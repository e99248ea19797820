"""A search for the neighbour of one data set that its release is told apart from best."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from ..dataset import Dataset, Record
from ..mechanisms.base import Mechanism
from ..support import validate
from ..support.run import QUARTERS
from ..support.types import Floats
from .loss import WorstLoss, compare_views

_ALL_RECORDS = 8  # up to so many records, each of them is replaced
_SIDE = 5  # of the grid of replacements


def worst_neighbour(
    mechanism: Mechanism,
    data: Dataset,
    epsilon: float,
    at: ArrayLike = QUARTERS,
    records: Sequence[int] | None = None,
    pairs: int = 200,
) -> WorstLoss:
    """The largest loss of one release between data and the neighbours that a search of so many pairs tries.

    mechanism: the algorithm with its hyperparameters.
    data: the records, in the unit square.
    epsilon: the total budget of the release; above 0.
    at: the points of the release, shape (m,).
    records: the rows that may be replaced; by default all of up to 8, otherwise the extremes of x and y, the largest
    residuals and those in the middle.
    pairs: how many neighbours are tried at most, 1 or more.

    The rows are replaced by corners of the unit square, points of leverage beside and
    on the present line, values that are there, and a grid. Where there are more than ``pairs`` such neighbours, an even
    choice of them is tried. A lower bound on the worst loss of this data set: the search is not complete. Measured is
    NaN where no loss is known. ValueError unless epsilon > 0, pairs >= 1 and every row exists.
    """
    validate.positive(epsilon=epsilon)
    validate.integer(1, pairs=pairs)
    points = validate.points(at=at)
    rows = replaceable(data) if records is None else list(records)
    if not rows or any(row not in range(data.n) for row in rows):
        raise ValueError(f"records must be rows 0 to {data.n - 1}, got {records!r}")
    tried = list(product(rows, replacements(data)))
    chosen = np.unique(np.linspace(0, len(tried) - 1, min(pairs, len(tried))).astype(int))
    mine, worst = mechanism.view(data, epsilon, points), None
    for number in chosen.tolist():
        neighbour = with_record(data, *tried[number])
        loss = compare_views(mechanism, mine, mechanism.view(neighbour, epsilon, points), epsilon)
        if worst is None or loss.measured > worst.loss.measured:
            worst = WorstLoss(loss, data, neighbour)
    assert worst is not None
    return worst


def with_record(data: Dataset, row: int, record: Record) -> Dataset:
    """The neighbour that has this record in a row; ValueError where the record is outside the unit square."""
    x, y = data.x.copy(), data.y.copy()
    x[row], y[row] = record
    return Dataset(x, y)


def replaceable(data: Dataset) -> list[int]:
    """The rows worth replacing: all of few, otherwise extremes, the largest residuals and the middle ones."""
    if data.n <= _ALL_RECORDS:
        return list(range(data.n))
    columns = [data.x, data.y, _residuals(data), np.abs(data.x - data.x_mean)]
    orders = [np.argsort(column, kind="stable") for column in columns]
    return sorted({int(order[place]) for order in orders for place in (0, data.n // 2, -1)})


def replacements(data: Dataset) -> list[Record]:
    """What a record may become: corners, points of leverage, those on or near the line, values there, a grid."""
    line = _line(data)
    ends = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    on_line = np.clip(line[0] + line[1] * ends, 0, 1)
    x, y = np.quantile(data.x, [0, 0.5, 1], method="nearest"), np.quantile(data.y, [0, 0.5, 1], method="nearest")
    near = [(a, float(np.clip(b + shift, 0, 1))) for a, b in zip(ends, on_line, strict=True) for shift in (0, 0.01)]
    side = np.linspace(0, 1, _SIDE)
    places = [*product((0.0, 1.0), (0.0, 1.0)), *near, *product((0.0, 1.0), y), *product(x, y), *product(side, side)]
    return list(dict.fromkeys((float(a), float(b)) for a, b in places))


def _line(data: Dataset) -> Floats:
    """Intercept and slope by OLS; level where all x are equal."""
    return np.array([data.intercept, data.slope] if np.isfinite(data.slope) else [data.y_mean, 0.0])


def _residuals(data: Dataset) -> Floats:
    intercept, slope = _line(data)
    return data.y - intercept - slope * data.x
