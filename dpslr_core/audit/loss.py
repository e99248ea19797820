"""The loss of one release between two neighbouring data sets: from its laws, or a lower bound from draws alone.

From draws an event is chosen on half of them and counted on the other half.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, ndtri

from ..dataset import Dataset, Record
from ..laws.divergence import joint_divergences, joint_rho
from ..mechanisms.base import Mechanism, View
from ..pairs import ranks
from ..privacy import ZCDP, ApproxDP, Budget, GaussianDP, Guarantee, gaussian_epsilon
from ..support import validate
from ..support.run import QUARTERS
from ..support.types import Floats

CONFIDENCE = 0.999_999  # of what draws show
_THRESHOLDS = 199  # per score
_ORDERS = np.concatenate([[1.0], 1 + np.geomspace(1e-3, 200, 60)])  # of Rényi divergences


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
        unit, field = {ZCDP: ("ρ", "rho"), GaussianDP: ("μ", "mu")}.get(type(guarantee), ("ε", "epsilon"))
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


def audit(mechanism: Mechanism, data: Dataset, neighbour: Dataset, epsilon: float, at: ArrayLike = QUARTERS) -> Loss:
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
    if isinstance(guarantee, ApproxDP | GaussianDP):  # measured is rho of Gaussian noise, of which all follows
        measured = float(np.sqrt(2 * measured))
    if isinstance(guarantee, ApproxDP):
        measured = gaussian_epsilon(measured, guarantee.delta)
    return Loss.against(measured, guarantee)


@contextmanager
def crossover_at(n: int, tolerance: float | None = None) -> Iterator[None]:
    """Within this context the laws of n records and more come from rank queries, whatever is faster.

    It shows that both ways give one mechanism. tolerance: of laws from rank queries; a large one makes draws from them
    reject more. It holds for the whole process: not for use in threads.
    ValueError where n is not a whole number, 3 or more, or tolerance is not above 0.
    """
    validate.integer(3, validate.MOST_SEED, n=n)
    validate.positive(tolerance=ranks.TOLERANCE if tolerance is None else tolerance)
    before = ranks.CROSSOVER, ranks.TOLERANCE
    ranks.CROSSOVER, ranks.TOLERANCE = n, before[1] if tolerance is None else tolerance
    try:
        yield
    finally:
        ranks.CROSSOVER, ranks.TOLERANCE = before


# ---------------------------------------------------------------- from draws alone


def trained_loss(
    mechanism: Mechanism,
    data: Dataset,
    neighbour: Dataset,
    budget: Budget,
    draws: int = 40_000,
    seed: int = 0,
) -> Loss:
    """A lower bound, with confidence CONFIDENCE, on the loss of one release, from draws on either data set.

    data, neighbour: the same records but for one that is replaced. budget: epsilon and the points of the release.
    draws: the number of releases from either data set, 4 or more.

    For mechanisms whose release has no law. An event is chosen on the first half of the draws: that a score of the
    released numbers is beyond a threshold, the one that shows most. Its probabilities P and Q are bounded by
    Clopper-Pearson limits on the second half, where it has not been chosen. Then

    - epsilon >= log(P / Q), or log((P - delta) / Q) for (epsilon, delta)-privacy;
    - rho >= D_a(P, Q) / a for every order a >= 1, D_a the Rényi divergence of two coins, for zCDP;
    - mu >= Phi^-1(P) - Phi^-1(Q) for Gaussian privacy.

    ValueError unless data and neighbour are neighbours, draws >= 4.
    """
    validate.integer(4, draws=draws)
    validate.integer(0, validate.MOST_SEED, seed=seed)
    data.replaced(neighbour)
    guarantee, half = mechanism.guarantee(budget.epsilon), draws // 2
    released = [
        mechanism.release(either, budget.epsilon, budget.at, draws, rng=rng)
        for either, rng in zip((data, neighbour), np.random.default_rng(seed).spawn(2), strict=True)
    ]
    scores = _scores(np.array(released), half)
    thresholds = np.quantile(scores[:, :, :half], np.linspace(0, 1, _THRESHOLDS + 2)[1:-1], axis=(1, 2)).T

    def bounds(part: Floats) -> Floats:
        """Bounds by the events up to each threshold, and by their complements, in either data set the likelier one."""
        each, trials = zip(np.sort(part, axis=-1), thresholds, strict=True), part.shape[-1]
        counts = np.array([[np.searchsorted(one, cuts, side="right") for one in both] for both, cuts in each])
        limits = [clopper_pearson(hits, trials, 1 - CONFIDENCE) for hits in (counts, trials - counts)]
        return np.array([lower_bound(low[:, i], high[:, 1 - i], guarantee) for low, high in limits for i in (0, 1)])

    chosen = int(np.argmax(bounds(scores[:, :, :half])))
    return Loss.against(float(bounds(scores[:, :, half:]).flat[chosen]), guarantee)


def _scores(released: Floats, half: int) -> Floats:
    """Scores of every draw, shape (scores, 2, draws): each number, the best direction, distances from the middle.

    The direction is Fisher's for the two data sets, from the first half alone, as is the middle. A failed release is
    moved far below all others.
    """
    training = released[:, :half].reshape(-1, released.shape[-1])
    middle, width = np.nanmedian(training, axis=0), np.nanquantile(training, [0.1, 0.9], axis=0)
    scaled = (released - middle) / np.maximum(np.diff(width, axis=0)[0], 1e-300)
    scaled = np.where(np.isnan(scaled), -1e6, np.clip(scaled, -1e3, 1e3))
    tame = np.clip(scaled[:, :half], -3, 3)
    spread = sum(np.atleast_2d(np.cov(part, rowvar=False)) for part in tame)
    direction = np.linalg.pinv(spread) @ (tame[0].mean(axis=0) - tame[1].mean(axis=0))
    numbers = np.moveaxis(scaled, -1, 0)
    return np.array([*numbers, scaled @ direction, *np.abs(numbers)])


def clopper_pearson(hits: ArrayLike, trials: int, error: float) -> tuple[Floats, Floats]:
    """Lower and upper limits of the probability of a hit, each wrong with chance error / 2 at most.

    Both of the shape of hits.
    """
    hits = np.asarray(hits, dtype=float)
    low = betaincinv(np.maximum(hits, 1), trials - np.maximum(hits, 1) + 1, error / 2)
    high = betaincinv(np.minimum(hits, trials - 1) + 1, trials - np.minimum(hits, trials - 1), 1 - error / 2)
    return np.where(hits > 0, low, 0.0), np.where(hits < trials, high, 1.0)


def lower_bound(p: ArrayLike, q: ArrayLike, guarantee: Guarantee) -> Floats:
    """The least epsilon, rho or mu with which an event can have probability p or more here and q or less there.

    p and q of one shape, which the result has. rho is the largest D_a(p, q) / a of two coins; D_1 is the divergence of
    Kullback and Leibler.
    """
    p, q = np.asarray(p, dtype=float), np.asarray(q, dtype=float)
    more = np.maximum(p, q)
    with np.errstate(divide="ignore", invalid="ignore"):
        if isinstance(guarantee, ZCDP):
            a = _ORDERS[1:].reshape(-1, *[1] * p.ndim)
            yes, no = np.log(more / q), np.log1p(-more) - np.log1p(-q)
            first = more * yes + np.where(more < 1, (1 - more) * no, 0.0)
            of_no = np.where(more < 1, np.log1p(-more) + (a - 1) * no, -np.inf)
            renyi = np.logaddexp(np.log(more) + (a - 1) * yes, of_no) / (a - 1)
            return np.where(p > q, np.maximum(first, (renyi / a).max(axis=0)), 0.0)
        if isinstance(guarantee, GaussianDP):
            return np.where(p > q, ndtri(more) - ndtri(q), 0.0)
        delta = guarantee.delta if isinstance(guarantee, ApproxDP) else 0.0
        return np.maximum(np.log(np.maximum(p - delta, 0.0) / q), 0.0)


# ---------------------------------------------------------------- the worst neighbour

SIDE = 11  # places along x and along y, by default
_ALL_RECORDS = 8  # up to so many records, each of them is replaced
_COARSE_SIDE = 5  # places along x and along y among the replacements of ``replacements``
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


def _search(
    mechanism: Mechanism, data: Dataset, epsilon: float, at: ArrayLike, batches: Sequence[Sequence[tuple[int, Record]]]
) -> Iterator[Searched]:
    """Losses between data and its neighbours, by rows and their new records; one result after each batch."""
    validate.positive(epsilon=epsilon)
    points = validate.points(at=at)
    tried, total = 0, sum(map(len, batches))
    mine, worst = mechanism.view(data, epsilon, points), None
    for moves in batches:
        for row, (x, y) in moves:
            theirs = mechanism.view(data.with_record(row, x, y), epsilon, points)
            loss = compare_views(mechanism, mine, theirs, epsilon)
            if loss.measured >= 0 and (worst is None or loss.measured > worst.loss.measured):
                worst = Replacement(row, x, y, loss)
        tried += len(moves)
        yield Searched(tried, total, worst)


def _existing(rows: Sequence[int] | None, data: Dataset, must: str) -> list[int]:
    """The rows, or those worth trying. ValueError, which begins with what they must be, where there is no such row."""
    chosen = rows_worth_trying(data) if rows is None else list(rows)
    if not chosen or any(row not in range(data.n) for row in chosen):
        raise ValueError(f"{must} 0 to {data.n - 1}, got {rows!r}")
    return chosen


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
    grid = list(product(np.linspace(0, 1, side).tolist(), repeat=2))
    batches = [list(product([row], grid)) for row in _existing(rows, data, "rows must be from")]
    yield from _search(mechanism, data, epsilon, at, batches)


def worst_neighbour(
    mechanism: Mechanism,
    data: Dataset,
    epsilon: float,
    at: ArrayLike = QUARTERS,
    records: Sequence[int] | None = None,
    pairs: int = 200,
) -> WorstLoss:
    """The largest loss of one release between data and an even choice of its neighbours.

    mechanism, epsilon, at: as in audit. records: the rows that may be replaced, by ``replacements``; by default
    ``rows_worth_trying``. pairs: neighbours that are tried at most, 1 or more.

    A lower bound on the worst loss of this data set; NaN where no loss is known. ValueError unless epsilon > 0,
    pairs >= 1 and every row exists.
    """
    validate.integer(1, pairs=pairs)
    moves = list(product(_existing(records, data, "records must be rows"), replacements(data)))
    chosen = np.unique(np.linspace(0, len(moves) - 1, min(pairs, len(moves))).astype(int)).tolist()
    (searched,) = _search(mechanism, data, epsilon, at, [[moves[number] for number in chosen]])
    (row, (x, y)), unknown = moves[0], Loss.against(np.nan, mechanism.guarantee(epsilon))
    worst = searched.worst or Replacement(row, x, y, unknown)
    return WorstLoss(worst.loss, data, data.with_record(*worst[:3]))


def rows_worth_trying(data: Dataset, count: int = 0) -> list[int]:
    """Rows of the extremes of x and y, of the largest residuals and of the middle ones; of few records all.

    Then others evenly, up to count in all.
    """
    first = list(range(data.n))
    if data.n > _ALL_RECORDS:
        intercept, slope = _line(data)
        columns = [data.x, data.y, data.y - intercept - slope * data.x, np.abs(data.x - data.x_mean)]
        orders = [np.argsort(column, kind="stable") for column in columns]
        first = sorted({int(order[position]) for order in orders for position in (0, data.n // 2, -1)})
    others = np.linspace(0, data.n - 1, min(count, data.n)).astype(int).tolist()
    return list(dict.fromkeys([*first, *others]))[: max(count, len(first))]


def replacements(data: Dataset) -> list[Record]:
    """Possible values of a record: corners, points of leverage, those on or near the line, values there, a grid."""
    intercept, slope = _line(data)
    ends = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    on_line = np.clip(intercept + slope * ends, 0, 1)
    x, y = np.quantile(data.x, [0, 0.5, 1], method="nearest"), np.quantile(data.y, [0, 0.5, 1], method="nearest")
    near = [(a, np.clip(b + shift, 0, 1)) for a, b in zip(ends, on_line, strict=True) for shift in (0, 0.01)]
    side = np.linspace(0, 1, _COARSE_SIDE)
    records = [*_CORNERS, *near, *product((0.0, 1.0), y), *product(x, y), *product(side, side)]
    return list(dict.fromkeys((float(a), float(b)) for a, b in records))


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
    mechanism: Mechanism, epsilon: float, at: ArrayLike = QUARTERS, grid: ArrayLike = (0.0, 0.5, 1.0), n: int = 3
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

    pairs = (pair for chosen in all_neighbours(grid, n) for pair in combinations(map(view, chosen), 2))
    losses = (WorstLoss(compare_views(mechanism, *pair, epsilon), *(each.data for each in pair)) for pair in pairs)
    return max(losses, key=lambda worst: worst.loss.measured)
