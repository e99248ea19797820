"""Intervals that cost a budget of their own: the exact laws of their ends, between neighbours and against draws.

Each end is one draw of the exponential mechanism over public cells. Its law is computed here from the definition: how
far a nondecreasing function of the records is from a public target in each cell, weighted by the size of the draw that
``Mechanism.draws`` declares over twice the sensitivity.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from .. import pairs
from ..dataset import Dataset
from ..depth import DepthScores, LineGrid, deep_cells, public_edges
from ..intervals.equation import Intervals
from ..intervals.own_budget import CELLS, SENSITIVITY, DepthPlan, rank_reach, safety
from ..laws.divergence import renyi
from ..mechanisms.base import Mechanism
from ..mechanisms.deepest_line import DeepestLine
from ..mechanisms.pairwise import MAX_MATCHED, all_matchings
from ..mechanisms.theil_sen import DPExpTheilSen
from ..privacy import ZCDP, ReleaseKind
from ..support.types import Floats
from .draws import Agreement, of_uniforms
from .loss import Loss

LEVEL = 0.95
_SHARE = 0.2  # of 1 - level, for the noise, by the definition of both intervals
_ORDERS = 1 + np.geomspace(1e-3, 200, 25)


class Ends(NamedTuple):
    """The law of the two ends of an interval at one point: independent draws among public edges.

    edges: ascending, shape (c + 1,). lower, upper: log probabilities of each edge, shape (parts, c + 1). weights: of
    the parts, one for each set of matchings that can be drawn; shape (parts,).
    """

    edges: Floats
    lower: Floats
    upper: Floats
    weights: Floats

    @property
    def log_joint(self) -> Floats:
        """Log probabilities of (lower end, upper end), shape (c + 1, c + 1)."""
        each = self.lower[:, :, None] + self.upper[:, None, :] + np.log(self.weights)[:, None, None]
        return np.asarray(np.logaddexp.reduce(each, axis=0))


def ends_of(
    mechanism: Mechanism,
    data: Dataset,
    epsilon: float,
    at: Sequence[float],
    released: ReleaseKind,
    level: float = LEVEL,
) -> tuple[Ends, ...] | None:
    """The law of the ends of intervals at each point, for the slope of the one; None where it is not known.

    Slopes of k matchings are known for few records, see MAX_MATCHED.
    """
    sizes = [draw.size for draw in mechanism.draws(epsilon, len(at), released)]
    if released is ReleaseKind.INTERVALS and isinstance(mechanism, DeepestLine):
        each = zip(at, sizes[::2], strict=True)
        return tuple(_depth_ends(mechanism, data, point, size, level) for point, size in each)
    if released is ReleaseKind.SLOPE_INTERVAL and isinstance(mechanism, DPExpTheilSen):
        return _slope_ends(mechanism, data, sizes[0], level)
    return None


def _depth_ends(mechanism: DeepestLine, data: Dataset, point: float, size: float, level: float) -> Ends:
    """Ends of the interval at one point: A(t) = min of the scores by signs over the lines with p >= t, and mirrored."""
    grid = LineGrid(mechanism.grid, mechanism.lower, mechanism.upper)
    plan, edges = DepthPlan.of(data.n, level, size, mechanism.grid), public_edges(grid, point)
    if plan.out_of_reach:
        with np.errstate(divide="ignore"):
            lower, upper = np.log(np.eye(edges.size)[[0, -1], None])  # the outermost
        return Ends(edges, lower, upper, np.ones(1))
    scores = data.cached(("depth", 0.0, grid), lambda: DepthScores(data.x, data.y, 0.0, grid))
    deep = deep_cells(scores, plan.most)

    def log_chances(edges: Floats, highest: Floats) -> Floats:
        """Log probabilities of the cells between edges, by the least score of the cells that reach beyond."""
        order = np.argsort(highest, kind="stable")
        after = np.append(np.minimum.accumulate(deep.least[order][::-1])[::-1], np.inf)
        least = np.minimum(after[np.searchsorted(highest[order], edges[1:-1])], plan.most)
        return _log_chances(least, plan.target, size / (2 * SENSITIVITY))

    low, high = deep.predictions(point)
    return _ends(edges, [(log_chances(-edges[::-1], -low)[::-1], log_chances(edges, high))], [1.0])


def _slope_ends(mechanism: DPExpTheilSen, data: Dataset, size: float, level: float) -> tuple[Ends, ...] | None:
    """Ends of the interval for the slope: #{slopes < t} and #{slopes > t} about a rank, for each set of matchings."""
    n, k = data.n, mechanism.k
    if pairs.is_complete(n, k):
        matched: list[tuple[tuple[tuple[int, ...], ...], float]] = [(tuple(combinations(range(n), 2)), 1.0)]
    elif n <= MAX_MATCHED:
        matched = all_matchings(n, int(k or 0))
    else:
        return None
    steepest, changed = 2 * (mechanism.upper - mechanism.lower), pairs.lipschitz(n, k)
    edges, laws = np.linspace(-steepest, steepest, CELLS + 1), []
    for ends, _ in matched:
        first, second = np.array(ends).T
        run = data.x[second] - data.x[first]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            slopes = np.where(run == 0, np.nan, (data.y[second] - data.y[first]) / run)
        row = np.sort(pairs.clip_and_place_ties(np.sort(slopes)[None], -steepest, steepest)[0])
        above = row.size - np.searchsorted(row, edges[1:-1], "right").astype(float)
        below = np.searchsorted(row, edges[1:-1], "left").astype(float)
        about = _slope_target(row.size, changed, size, level), size / (2 * changed)
        laws.append((_log_chances(above[::-1], *about)[::-1], _log_chances(below, *about)))
    return (_ends(edges, laws, [chance for _, chance in matched]),)


def _ends(edges: Floats, laws: Sequence[tuple[Floats, Floats]], weights: Sequence[float]) -> Ends:
    """The lower end is the lower edge of its cell, the upper end the upper edge; laws of cells, one for each part."""
    lower, upper = (np.array(side) for side in zip(*laws, strict=True))
    no = np.full((len(laws), 1), -np.inf)
    return Ends(edges, np.hstack([lower, no]), np.hstack([no, upper]), np.array(weights))


def _log_chances(values: Floats, target: float, weight: float) -> Floats:
    """Log probabilities of the cells between edges where a nondecreasing function has these values at the inner ones.

    In proportion to exp(-weight distance) of the target from the stretch of values of each cell.
    """
    below, above = np.append(-np.inf, values), np.append(values, np.inf)
    logs = -weight * np.maximum(np.maximum(below - target, target - above), 0)
    return np.asarray(logs - np.logaddexp.reduce(logs))


def _slope_target(count: int, changed: int, size: float, level: float = LEVEL) -> float:
    """The rank that the ends of an interval for the slope are drawn at, among a number of slopes."""
    rank = rank_reach(count, changed, 1 - (1 - level) * (1 - _SHARE))
    return count / 2 + rank + safety(CELLS, (1 - level) * _SHARE / 2, size / (2 * changed))


# ---------------------------------------------------------------- between neighbours


def log_outcomes(mine: Sequence[Ends], theirs: Sequence[Ends]) -> Iterator[tuple[Floats, Floats]]:
    """Log probabilities of the outcomes of each draw, on one data set and on the other, same shape.

    The ends are draws of their own; where matchings are drawn, both ends share them and are one outcome.
    """
    for one, other in zip(mine, theirs, strict=True):
        if one.weights.size == 1:
            yield one.lower[0], other.lower[0]
            yield one.upper[0], other.upper[0]
        else:
            yield one.log_joint.ravel(), other.log_joint.ravel()


def interval_loss(
    mechanism: Mechanism,
    data: Dataset,
    neighbour: Dataset,
    epsilon: float,
    at: Sequence[float],
    released: ReleaseKind,
    level: float = LEVEL,
) -> Loss | None:
    """The loss of all ends of intervals together, in the unit of the guarantee; None where their law is not known."""
    laws = [ends_of(mechanism, each, epsilon, at, released, level) for each in (data, neighbour)]
    if laws[0] is None or laws[1] is None:
        return None
    guarantee, measured, outcomes = mechanism.guarantee(epsilon), [], list(log_outcomes(laws[0], laws[1]))
    for way in (outcomes, [(theirs, mine) for mine, theirs in outcomes]):
        possible = [(mine[mine > -np.inf], theirs[mine > -np.inf]) for mine, theirs in way]
        if isinstance(guarantee, ZCDP):
            divergences = sum(renyi(mine, mine - theirs, _ORDERS) for mine, theirs in possible)
            measured.append(float(np.max(divergences / _ORDERS)))
        else:
            measured.append(sum(float(np.max(mine - theirs)) for mine, theirs in possible))
    return Loss.against(max(measured), guarantee)


def interval_pair(
    mechanism: Mechanism, epsilon: float, points: int, released: ReleaseKind, records: int = 1
) -> tuple[Dataset, Dataset] | None:
    """Data sets that differ in some records and whose ends, at x = 1/2, lose as much as they may; None if unknown.

    Below the target of an end the function it is drawn by has a wide plateau, above it another one; replacing a record
    moves one away from the target and the other towards it.
    """
    size = mechanism.draws(epsilon, points, released)[0].size
    if released is ReleaseKind.INTERVALS and isinstance(mechanism, DeepestLine):
        # #{y > p} - #{y < p} is one above the target on one plateau and one below minus it on the other
        n, to = 40, 1.0
        while (plan := DepthPlan.of(n, LEVEL, size, mechanism.grid)).target > 0.6 * n:
            n = n * 4 // 3
        lowest, up_to_middle = max(records, round((n - plan.target - 1) / 2)), round((n + plan.target - 1) / 2)
        x = np.full(n, 0.5)
        y = np.repeat([0.0, 0.37, 0.63, 1.0], [lowest, up_to_middle - lowest, 1, n - up_to_middle - 1])
    elif released is ReleaseKind.SLOPE_INTERVAL and isinstance(mechanism, DPExpTheilSen) and mechanism.k is None:
        # records at x = 0 move from y = 1 to 0, and all slopes from there; the others' slopes are 0 and about 1/2
        n, to = 20, 0.0
        while _slope_target(n * (n - 1) // 2, n - 1, size) > 0.8 * n * (n - 1) / 2:
            n = n * 4 // 3
        counts = [records, n - 4, 4 - records]
        ends = ((0, 0.01), (0.5, 0.55), (0.95, 1))
        x = np.concatenate([np.linspace(*end, count) for end, count in zip(ends, counts, strict=True)])
        y = np.repeat([1.0, 0.4, 0.6], counts)
    elif released is ReleaseKind.SLOPE_INTERVAL and isinstance(mechanism, DPExpTheilSen) and records == 1:
        # few enough records for every set of matchings; with one move the slopes of all pairs that it is in
        x, to = np.array([0.0, 0.5, 0.95, 0.97, 0.98, 1.0]), 0.0
        y = np.array([1.0, 0.4, 0.6, 0.6, 0.6, 0.6])
    else:
        return None
    return Dataset(x, y), Dataset(x, np.append(np.full(records, to), y[records:]))


# ---------------------------------------------------------------- against draws


def interval_agreement(drawn: Sequence[Intervals], ends: Sequence[Ends], rng: np.random.Generator) -> Agreement:
    """Agreement of intervals, drawn together or one by one, with the laws of their ends.

    Crossed ends are exchanged, and one at the end of the public range is infinite. Compared are the shares of the lower
    end's law up to it and of the upper end's given the lower one, which are uniform and independent (Rosenblatt).
    """
    low, high = (np.concatenate([getattr(each, side) for each in drawn]) for side in ("low", "high"))
    if low.shape[1:] != (len(ends),) or high.shape != low.shape:
        return Agreement(0.0, "shape")
    shares = []
    for law, *both in zip(ends, low.T, high.T, strict=True):
        known = [np.clip(side, law.edges[0], law.edges[-1]) for side in both]
        first, second = (np.abs(side[:, None] - law.edges).argmin(axis=1) for side in known)
        near = 1e-9 * (law.edges[-1] - law.edges[0])
        if not np.allclose(law.edges[[first, second]], known, rtol=0, atol=near):
            return Agreement(0.0, "an end is not on the public grid")
        chances = np.exp(law.log_joint)
        ordered = np.triu(chances) + np.tril(chances, -1).T
        marginal = np.append(0.0, np.cumsum(ordered.sum(axis=1)))
        conditional = np.hstack([np.zeros((len(ordered), 1)), np.cumsum(ordered, axis=1)])
        total = np.where(conditional[first, -1] > 0, conditional[first, -1], 1.0)
        up_to_second = (conditional[first, place] / total for place in (second, second + 1))
        for below, up_to in ((marginal[first], marginal[first + 1]), up_to_second):
            shares.append(below + rng.random(below.size) * (up_to - below))
    return of_uniforms(np.column_stack(shares), independent=True)
