"""How far apart two laws known by ranks are: exact, or a certain lower bound where ranks are known between bounds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...support.types import Floats, Integers
from ..piecewise import PiecewiseUniform, Staircase
from ..together.medians import JointMedians
from .staircase import StaircaseLaw

_QUERIES = 100  # cells at most where the rank of each law is asked for
_VOLUMES = 1_000_000  # pairs of levels whose common volume is computed


class _Known(NamedTuple):
    """What is certain of a log density up to its normaliser at some outcomes, and of the normaliser's logarithm."""

    low: Floats
    high: Floats
    total_low: float
    total_high: float


def staircase_divergences(
    law: StaircaseLaw | PiecewiseUniform, other: StaircaseLaw | PiecewiseUniform
) -> tuple[float, float]:
    """Certain lower bounds on the suprema of log(density under law / density under other) and of its negative.

    Both sides of every edge of both staircases are outcomes, so that a jump is seen. Where ranks are not known there,
    some are asked for; and each normaliser lies between the masses under its two staircases, of which the one counts
    that makes the bound smaller.
    """
    edges = np.unique(np.concatenate([law.edges, other.edges]))
    outcomes = np.concatenate([edges[:-1], np.nextafter(edges[1:], -np.inf)])
    mine, theirs = _known(law, outcomes), _known(other, outcomes)
    asked = _asked(mine, theirs)
    mine, theirs = (_answered(*pair, outcomes, asked) for pair in ((law, mine), (other, theirs)))
    return _at_least(mine, theirs), _at_least(theirs, mine)


def joint_median_divergences(joint: JointMedians, other: JointMedians) -> tuple[float, float]:
    """The suprema of log(joint density / other joint density) and of its negative; where not exact, less for certain.

    With scores s = max_j s_j, -log of the density up to the normaliser, sup (s' - s) = max_j sup over r of
    s'_j(r) - max(s_j(r), max over i != j of min s_i): once j decides s', the other coordinates make s least.
    """
    scores = [_scores(joint, other, point) for point in range(len(joint.points))]
    mine, theirs = ([each[side] for each in scores] for side in (0, 1))
    totals = zip(joint.log_totals, other.log_totals, strict=True)
    (low, other_low), (high, other_high) = totals
    return max(0.0, _rise(theirs, mine) - high + other_low), max(0.0, _rise(mine, theirs) - other_high + low)


def _scores(joint: JointMedians, other: JointMedians, point: int) -> list[tuple[Floats, Floats]]:
    """Bounds on the scores of both laws at one point, wherever either may change."""
    edges = np.unique(np.concatenate([each.points[point].edges for each in (joint, other)]))[:-1]
    return [each.score_bounds(point, edges) for each in (joint, other)]


def _rise(upper: list[tuple[Floats, Floats]], lower: list[tuple[Floats, Floats]]) -> float:
    """How much the joint score in upper exceeds that in lower somewhere at least; each has bounds for every point."""
    least = np.array([high.min() for _, high in lower])
    return max(
        float(np.max(low - np.maximum(high, np.delete(least, point).max(initial=0.0))))
        for point, ((low, _), (_, high)) in enumerate(zip(upper, lower, strict=True))
    )


def staircase_renyi(law: Staircase | PiecewiseUniform, other: Staircase | PiecewiseUniform, orders: Floats) -> Floats:
    """The Rényi divergences of law from other, shape of orders, each above 1; certain lower bounds where not exact."""
    edges = np.unique(np.concatenate([law.edges, other.edges]))
    mine, theirs = _known(law, edges[:-1]), _known(other, edges[:-1])
    possible = mine.low > -np.inf
    log_mass = np.log(np.diff(edges)[possible])
    at_least, at_most = mine.low[possible] - mine.total_high, theirs.high[possible] - theirs.total_low
    return renyi(log_mass + at_least, at_least - at_most, orders)


def joint_median_renyi(joint: JointMedians, other: JointMedians, orders: Floats) -> Floats:
    """The Rényi divergences of joint from other, shape of orders, each above 1.

    Exact where ranks are, and levels few: by the volumes on which both have their levels, those of intersections of
    boxes less what higher levels have of them. Otherwise the largest of the divergences at each point alone, a certain
    lower bound.
    """
    if not (joint.exact and other.exact and joint.levels.size * other.levels.size <= _VOLUMES):
        pairs = zip(joint.marginals(), other.marginals(), strict=True)
        return np.max([staircase_renyi(law, another, orders) for law, another in pairs], axis=0)
    (left, right), (other_left, other_right) = (each.boxes(each.levels) for each in (joint, other))
    sides = np.minimum(right[:, :, None], other_right[:, None]) - np.maximum(left[:, :, None], other_left[:, None])
    inside = np.maximum(sides, 0.0).prod(axis=0)
    volume = -np.diff(-np.diff(inside, axis=0, append=0.0), axis=1, append=0.0)
    mine, theirs = np.nonzero(volume > 1e-12 * inside)  # less is rounding
    heights, other_heights = (
        -2 * each.rate * (each.levels[-1] - each.levels) - each.log_totals[0] for each in (joint, other)
    )
    log_mass = np.log(volume[mine, theirs]) + heights[mine]
    return renyi(log_mass, heights[mine] - other_heights[theirs], orders)


def renyi(log_mass: Floats, log_ratio: Floats, orders: Floats) -> Floats:
    """log(sum of mass ratio^(a - 1)) / (a - 1) for orders a > 1, shape of orders; 0 at least."""
    sums = [np.logaddexp.reduce(log_mass + (order - 1) * log_ratio) for order in orders.tolist()]
    return np.maximum(np.array(sums) / (orders - 1), 0.0)


def _piece_of(edges: Floats, outcomes: Floats) -> Integers:
    return np.searchsorted(edges, outcomes, side="right") - 1


def _known(law: Staircase | PiecewiseUniform, outcomes: Floats) -> _Known:
    """The bounds that both staircases give; -inf outside the range of the law."""
    if isinstance(law, PiecewiseUniform):
        low, high = law, law
    else:
        low, high = PiecewiseUniform(law.edges, law.log_low), PiecewiseUniform(law.edges, law.log_high)
    piece = _piece_of(law.edges, outcomes)
    inside, piece = (piece >= 0) & (piece < low.log_density.size), np.clip(piece, 0, low.log_density.size - 1)
    at_low, at_high = (np.where(inside, staircase.log_density[piece], -np.inf) for staircase in (low, high))
    return _Known(at_low, at_high, low._log_total, high._log_total)


def _asked(mine: _Known, theirs: _Known) -> Integers:
    """The numbers of the outcomes to ask at: half where the ratio may be largest, half spread over the rest."""
    undecided = np.flatnonzero((mine.low < mine.high) | (theirs.low < theirs.high))
    if undecided.size <= _QUERIES:
        return undecided
    widest = np.maximum(mine.high[undecided] - theirs.low[undecided], theirs.high[undecided] - mine.low[undecided])
    top = np.argpartition(widest, -_QUERIES // 2)[-_QUERIES // 2 :]
    spread = np.linspace(0, undecided.size - 1, _QUERIES // 2).astype(int)
    return undecided[np.union1d(top, spread)]


def _answered(law: StaircaseLaw | PiecewiseUniform, known: _Known, outcomes: Floats, asked: Integers) -> _Known:
    """What is known once the exact density has been asked for at some outcomes."""
    asked = asked[known.low[asked] < known.high[asked]]
    if isinstance(law, PiecewiseUniform) or not asked.size:
        return known
    low, high = known.low.copy(), known.high.copy()
    low[asked] = high[asked] = law.log_density(outcomes[asked], _piece_of(law.edges, outcomes[asked]))
    return known._replace(low=low, high=high)


def _at_least(mine: _Known, theirs: _Known) -> float:
    """The largest log ratio that is certain, and 0 at least: no density is below another everywhere."""
    possible = mine.low > -np.inf
    ratios = mine.low[possible] - theirs.high[possible]
    return max(0.0, float(np.max(ratios, initial=-np.inf)) - mine.total_high + theirs.total_low)
