"""The loss of one release between two neighbouring data sets, and the worst over many of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations, combinations_with_replacement, product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..dataset import Dataset, Record
from ..laws.divergence import joint_divergences
from ..laws.together.renyi import joint_rho
from ..mechanisms.base import Mechanism, View
from ..pairs import ranks
from ..privacy import ZCDP, ApproxDP, GaussianDP, Guarantee, NotPrivate, gaussian_epsilon
from ..support import validate
from ..support.run import QUARTERS
from ..support.types import Floats


class Loss(NamedTuple):
    """The loss measured between two data sets, and the bound promised for every pair of neighbours.

    unit: "ε", "ρ" for zCDP or "μ" for Gaussian privacy. promised is inf where nothing is; measured is NaN where it
    cannot be computed: random matchings of more than 6 records, or a mechanism without a law.
    """

    measured: float
    promised: float
    unit: str

    @property
    def holds(self) -> bool:
        """Whether the promise covers what was measured, rounding (one part in 10^9) aside."""
        return self.measured <= self.promised + 1e-9 * max(1.0, self.promised)

    @property
    def share(self) -> float:
        """What was measured over what is promised: above 1 the promise is broken."""
        return self.measured / self.promised


class WorstLoss(NamedTuple):
    """The neighbours that can be told apart best, and how well."""

    loss: Loss
    data: Dataset
    neighbour: Dataset


def audit(mechanism: Mechanism, data: Dataset, neighbour: Dataset, epsilon: float, at: ArrayLike = QUARTERS) -> Loss:
    """The loss of one release, all points together, between data and neighbour: the supremum of |log density ratio|.

    Where zCDP is promised, the largest Rényi divergence over its order (dpslr_core.laws.together.renyi).

    mechanism: the algorithm with its hyperparameters.
    data, neighbour: the same records but for one that is replaced, in any order.
    epsilon: the total budget of the release; above 0.
    at: the points of the release, shape (m,).

    Exact for the joint law of the release, but for: NoisyStats, taken with the nvar and ncov it hands out;
    gradient descent, charged steps times its worst step; smooth sensitivity with k matchings, read off a grid;
    ChooseByCenteredStats, taken with the sums it chose by; and laws known by ranks, whose loss is a certain lower
    bound.
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
    if isinstance(guarantee, ApproxDP | GaussianDP):  # measured is rho of Gaussian noise, of which all follows
        measured = float(np.sqrt(2 * measured))
    if isinstance(guarantee, ApproxDP):
        measured = gaussian_epsilon(measured, guarantee.delta)
    return Loss(measured, *promise(guarantee))


def promise(guarantee: Guarantee) -> tuple[float, str]:
    """The bound on the loss that a guarantee gives, infinite where there is none, and its unit."""
    if isinstance(guarantee, ZCDP):
        return guarantee.rho, "ρ"
    if isinstance(guarantee, GaussianDP):
        return guarantee.mu, "μ"
    return np.inf if isinstance(guarantee, NotPrivate) else guarantee.epsilon, "ε"


@contextmanager
def crossover_at(n: int, tolerance: float | None = None) -> Iterator[None]:
    """Within this context the laws of n records and more come from rank queries, whatever is faster.

    It shows that both ways give one mechanism. tolerance: of laws from rank queries; a large one makes draws from them
    reject more. It holds for the whole process: not for use in threads.
    ValueError where n is not a whole number, 3 or more, or tolerance is not above 0.
    """
    validate.integer(3, n=n)
    validate.positive(tolerance=ranks.TOLERANCE if tolerance is None else tolerance)
    before = ranks.CROSSOVER, ranks.TOLERANCE
    ranks.CROSSOVER, ranks.TOLERANCE = n, before[1] if tolerance is None else tolerance
    try:
        yield
    finally:
        ranks.CROSSOVER, ranks.TOLERANCE = before


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
