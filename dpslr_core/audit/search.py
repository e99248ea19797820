"""The neighbours that a release is told apart from best: of one data set, or of all small ones on a grid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement, product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..dataset import Dataset, Record
from ..mechanisms.base import Mechanism, View
from ..support import validate
from ..support.run import QUARTERS
from ..support.types import Floats
from .loss import Loss, WorstLoss, compare_views

SIDE = 11  # places along x and along y, by default
_ALL_RECORDS = 8  # up to so many records, each of them is replaced
_COARSE_SIDE = 5  # places along x and along y among the replacements of ``replacements``

Moves = Sequence[tuple[int, Record]]  # the row of a record, and by which record it is replaced


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


def _search(
    mechanism: Mechanism, data: Dataset, epsilon: float, at: Floats, batches: Sequence[Moves]
) -> Iterator[Searched]:
    """Compare data with the neighbours that the moves of each batch make; one result after each batch."""
    tried, total = 0, sum(map(len, batches))
    mine, worst = mechanism.view(data, epsilon, at), None
    for moves in batches:
        for row, (x, y) in moves:
            loss = compare_views(mechanism, mine, mechanism.view(data.with_record(row, x, y), epsilon, at), epsilon)
            if loss.measured >= 0 and (worst is None or loss.measured > worst.loss.measured):
                worst = Replacement(row, x, y, loss)
        tried += len(moves)
        yield Searched(tried, total, worst)


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
    places = list(product(np.linspace(0, 1, side).tolist(), repeat=2))
    yield from _search(mechanism, data, epsilon, points, [[(row, place) for place in places] for row in chosen])


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

    The rows are replaced by corners of the unit square, points of leverage beside and on the present line, values that
    are there, and a grid. Where there are more than ``pairs`` such neighbours, an even choice of them is tried. A lower
    bound on the worst loss of this data set: the search is not complete. Measured is NaN where no loss is known.
    ValueError unless epsilon > 0, pairs >= 1 and every row exists.
    """
    validate.positive(epsilon=epsilon)
    validate.integer(1, pairs=pairs)
    points = validate.points(at=at)
    rows = replaceable(data) if records is None else list(records)
    if not rows or any(row not in range(data.n) for row in rows):
        raise ValueError(f"records must be rows 0 to {data.n - 1}, got {records!r}")
    moves = list(product(rows, replacements(data)))
    chosen = np.unique(np.linspace(0, len(moves) - 1, min(pairs, len(moves))).astype(int)).tolist()
    (searched,) = _search(mechanism, data, epsilon, points, [[moves[number] for number in chosen]])
    if searched.worst is None:
        row, (x, y) = moves[0]
        return WorstLoss(Loss.against(np.nan, mechanism.guarantee(epsilon)), data, data.with_record(row, x, y))
    row, x, y, loss = searched.worst
    return WorstLoss(loss, data, data.with_record(row, x, y))


def replaceable(data: Dataset) -> list[int]:
    """Rows worth replacing: all of few, otherwise extremes, the largest residuals and the middle ones."""
    if data.n <= _ALL_RECORDS:
        return list(range(data.n))
    intercept, slope = _line(data)
    columns = [data.x, data.y, data.y - intercept - slope * data.x, np.abs(data.x - data.x_mean)]
    orders = [np.argsort(column, kind="stable") for column in columns]
    return sorted({int(order[place]) for order in orders for place in (0, data.n // 2, -1)})


def rows_worth_trying(data: Dataset, count: int = 0) -> list[int]:
    """The extremes of x and y, the largest residuals and the middle ones; then others evenly, up to so many in all."""
    first = replaceable(data)
    others = np.linspace(0, data.n - 1, min(count, data.n)).astype(int).tolist()
    return list(dict.fromkeys([*first, *others]))[: max(count, len(first))]


def replacements(data: Dataset) -> list[Record]:
    """What a record may become: corners, points of leverage, those on or near the line, values there, a grid."""
    intercept, slope = _line(data)
    ends = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    on_line = np.clip(intercept + slope * ends, 0, 1)
    x, y = np.quantile(data.x, [0, 0.5, 1], method="nearest"), np.quantile(data.y, [0, 0.5, 1], method="nearest")
    near = [(a, float(np.clip(b + shift, 0, 1))) for a, b in zip(ends, on_line, strict=True) for shift in (0, 0.01)]
    side = np.linspace(0, 1, _COARSE_SIDE)
    places = [*product((0.0, 1.0), (0.0, 1.0)), *near, *product((0.0, 1.0), y), *product(x, y), *product(side, side)]
    return list(dict.fromkeys((float(a), float(b)) for a, b in places))


def _line(data: Dataset) -> tuple[float, float]:
    """Intercept and slope by OLS; level where all x are equal."""
    return (data.intercept, data.slope) if np.isfinite(data.slope) else (data.y_mean, 0.0)


def middle_to_corner(data: Dataset) -> tuple[int, float, float]:
    """The row of the record in the middle of x, and the corner of the unit square farthest from the OLS line."""
    corners = np.array([(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)])
    line = data.predict(corners[:, 0]) if data.nvar > 0 else np.full(4, data.y_mean)
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
    mechanism: Mechanism, epsilon: float, at: ArrayLike = QUARTERS, grid: ArrayLike = (0.0, 0.5, 1.0), n: int = 3
) -> WorstLoss:
    """The largest loss over all neighbouring data sets of n records whose x and y lie on the grid.

    mechanism: the algorithm with its hyperparameters.
    epsilon: the total budget of a release.
    at: the points of a release, shape (m,).
    grid: the values of x and of y, in the unit square, shape (g,).
    n: the number of records.

    ValueError unless epsilon > 0, n >= 3 and the grid holds two different values or more.
    """
    validate.positive(epsilon=epsilon)
    points: Floats = validate.points(at=at)
    views: dict[tuple[Record, ...], View] = {}
    worst: WorstLoss | None = None
    for chosen in all_neighbours(grid, n):
        for records in chosen:
            if records not in views:
                views[records] = mechanism.view(Dataset(*np.array(records).T), epsilon, points)
        for mine, theirs in combinations([views[records] for records in chosen], 2):
            loss = compare_views(mechanism, mine, theirs, epsilon)
            if worst is None or loss.measured > worst.loss.measured:
                worst = WorstLoss(loss, mine.data, theirs.data)
    assert worst is not None
    return worst
