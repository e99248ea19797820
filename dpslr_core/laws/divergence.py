"""Divergences of two laws: suprema of log density ratios, failure among the outcomes, and Rényi divergences.

Exact, or a certain lower bound where ranks are known between bounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from ..support.types import Floats, Integers
from .base import Law
from .by_rank import StaircaseLaw
from .joint import JointLaw, JointMedians
from .named import Laplace, PointMass, StudentT
from .piecewise import PiecewiseUniform, Staircase

_OUTCOMES = 4096  # outcomes on a grid, where a supremum has no closed form
_ASKED = 100  # cells at most where the rank of each law is asked for
_VOLUMES = 1_000_000  # pairs of levels whose common volume is computed
_ROUNDING = 1e-15  # of a difference of two values of a cdf
_ORDERS = 1 + np.geomspace(1e-3, 200, 25)


def joint_divergences(
    joint: JointLaw | JointMedians, other: JointLaw | JointMedians
) -> tuple[float, float]:
    """The suprema of log(joint density / other joint density) and of its negative; NaN where not known.

    Exact for one part each, up to max_divergences; of points apart the largest of each alone. Otherwise read off a
    grid of outcomes. A certain lower bound for laws known by ranks. TypeError where only one of them is of
    JointMedians.
    """
    if isinstance(joint, JointMedians) and isinstance(other, JointMedians):
        return joint_median_divergences(joint, other)
    joint, other, columns = _products(joint, other)
    if not columns:
        return np.nan, np.nan
    if len(joint.parts) == len(other.parts) == 1:
        add_up = np.max if joint.apart else np.sum
        forth, back = add_up([max_divergences(*pair) for pair in columns], axis=0).tolist()
        return forth, back
    outcomes = [_outcomes(column, round(_OUTCOMES ** (1 / len(columns)))) for column in columns]
    of_law, of_other = joint.log_density(outcomes), other.log_density(outcomes)
    return _largest(of_law, of_other), _largest(of_other, of_law)


def _products(
    joint: JointLaw | JointMedians, other: JointLaw | JointMedians
) -> tuple[JointLaw, JointLaw, list[tuple[Law, ...]]]:
    """Both, and the laws of all of their parts at each point; no points where a law is not known."""
    if isinstance(joint, JointMedians) or isinstance(other, JointMedians):
        raise TypeError("joint and other must be laws of one mechanism")
    known = joint.parts and other.parts
    return (
        joint,
        other,
        list(zip(*(laws for _, laws in (*joint.parts, *other.parts)), strict=True))
        if known
        else [],
    )


def privacy_loss(law: Law, other: Law) -> float:
    """The supremum over all outcomes, failure included, of |log density ratio| of two laws: see max_divergences."""
    return max(max_divergences(law, other))


def max_divergences(law: Law, other: Law) -> tuple[float, float]:
    """The suprema over all outcomes of log(density under law / density under other) and of its negative.

    Exact for point masses, Laplace, Student-t and piecewise uniform laws; certain lower bounds where a law is known
    between bounds; otherwise read off a fine grid, which ends where the densities have no digits left.
    """

    def log(share: float) -> float:
        return math.log(share) if share > 0 else -math.inf

    match law, other:
        case PointMass(a), PointMass(b):
            return (0.0, 0.0) if np.array_equal(a, b, equal_nan=True) else (np.inf, np.inf)
        case (PointMass(), _) | (_, PointMass()):
            return np.inf, np.inf
        case (Staircase() | PiecewiseUniform()) as a, (Staircase() | PiecewiseUniform()) as b:
            return _staircase_divergences(a, b)
        case Laplace(a, s), Laplace(
            b, r
        ):  # the ratio is extreme at a, at b, or far out, where the wider law wins
            outcomes, ends = np.array([a, b]), (log(s >= r), log(r >= s))
        case StudentT(a, s, df), StudentT(b, r, other_df) if df == other_df:
            outcomes, ends = _student_extremes(a, s, b, r, df), (df * log(s), df * log(r))
        case _:
            outcomes, ends = (
                _outcomes([law, other], _OUTCOMES),
                (log(law.failure), log(other.failure)),
            )
    log_densities = []
    for each, end in zip((law, other), ends, strict=True):
        log_density = each.logpdf(outcomes)
        if isinstance(each, PiecewiseUniform):  # just right of each outcome
            log_density = np.where(outcomes < each.edges[-1], log_density, -np.inf)
        log_densities.append(np.append(log_density, end))
    of_law, of_other = log_densities
    return _largest(of_law, of_other), _largest(of_other, of_law)


def _student_extremes(a: float, s: float, b: float, r: float, df: float) -> Floats:
    """Outcomes at which the ratio of two Student-t densities, locations a and b, scales s and r, may be extreme.

    Its logarithm is stationary at the roots of (a-b)(t-a)(t-b) + df (r^2 (t-a) - s^2 (t-b)), and far out.
    """
    distance, wider = (b - a) / s, r / s  # in units of the first law
    linear, constant = distance**2 + df * (wider**2 - 1), df * distance
    root = np.sqrt(max(0.0, linear**2 + 4 * distance * constant))
    half = -0.5 * (linear + np.copysign(root, linear))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        roots = np.append(np.array([half, constant]) / np.array([-distance, half]), [0.0, distance])
    return a + s * roots[np.abs(roots) < 1e100]


def _largest(log_density: Floats, other: Floats) -> float:
    """max(0, log_density - other) over the outcomes that are possible under the first."""
    possible = log_density > -np.inf
    return float(np.max(log_density[possible] - other[possible], initial=0.0))


def _outcomes(laws: Sequence[Law], count: int) -> Floats:
    """Left ends of all steps of piecewise uniform laws; else sorted quantiles of the laws, to least_tail."""
    edges = [law.edges for law in laws if isinstance(law, PiecewiseUniform)]
    if len(edges) == len(laws):
        return np.unique(np.concatenate(edges))[:-1]
    end = -logit(max(law.least_tail for law in laws))
    shares = expit(np.linspace(-end, end, max(8, count // len(laws))))
    quantiles = np.unique(np.concatenate([law.ppf(shares * (1 - law.failure)) for law in laws]))
    return quantiles[np.isfinite(quantiles)]


class _Known(NamedTuple):
    """Bounds on a log density up to its normaliser at some outcomes, and on the normaliser's logarithm."""

    low: Floats
    high: Floats
    total_low: float
    total_high: float

    @classmethod
    def of(cls, law: Staircase | PiecewiseUniform, piece: Integers) -> _Known:
        """The bounds that both staircases give in these pieces; -inf outside the range of the law."""
        inside = (piece >= 0) & (piece < law.edges.size - 1)

        def at(staircase: PiecewiseUniform) -> Floats:
            log_density = staircase.log_density.take(piece, mode="clip")
            return log_density if inside.all() else np.where(inside, log_density, -np.inf)

        if isinstance(law, PiecewiseUniform):
            return cls(at(law), at(law), law._log_total, law._log_total)
        low, high = (
            PiecewiseUniform(law.edges, law.log_low),
            PiecewiseUniform(law.edges, law.log_high),
        )
        return cls(at(low), at(high), low._log_total, high._log_total)

    def at_least(self, other: _Known) -> float:
        """The largest log ratio that is certain, and 0 at least: no density is below another everywhere."""
        low, high = self.low, other.high
        if not (possible := low > -np.inf).all():
            low, high = low[possible], high[possible]
        return max(
            0.0, float(np.max(low - high, initial=-np.inf)) - self.total_high + other.total_low
        )


def _common_pieces(
    law: Staircase | PiecewiseUniform, other: Staircase | PiecewiseUniform
) -> tuple[Floats, Integers, Integers]:
    """Both ends of the pieces between neighbouring edges of either law, and the pieces of each that they are in.

    Shapes (2, p), (p,) and (p,). Both lists of edges are in order, so that merging them tells the pieces.
    """
    edges = np.concatenate([law.edges, other.edges])
    order = np.argsort(edges, kind="stable")
    edges, passed = (
        edges[order],
        np.cumsum(order < law.edges.size, dtype=np.int64),
    )  # without it ten times as long
    filled = np.flatnonzero(edges[1:] > edges[:-1])
    passed = passed[filled]
    return np.array([edges[filled], edges[filled + 1]]), passed - 1, filled - passed


def _staircase_divergences(
    law: Staircase | PiecewiseUniform, other: Staircase | PiecewiseUniform
) -> tuple[float, float]:
    """Certain lower bounds on the suprema of log(density under law / density under other) and of its negative.

    Both sides of every edge of both staircases are outcomes, so that a jump is seen. Where ranks are not known there,
    some are asked for: half where the ratio may be largest, half spread over the rest. Each normaliser lies between the
    masses under its two staircases, of which the one counts that makes the bound smaller.
    """
    ends, *pieces = _common_pieces(law, other)
    outcomes = ends[0]
    if isinstance(law, StaircaseLaw) or isinstance(other, StaircaseLaw):
        outcomes, pieces = (
            np.append(ends[0], np.nextafter(ends[1], -np.inf)),
            [np.tile(piece, 2) for piece in pieces],
        )
    of_law, of_other = known = _Known.of(law, pieces[0]), _Known.of(other, pieces[1])
    asked = np.flatnonzero((of_law.low < of_law.high) | (of_other.low < of_other.high))
    if asked.size > _ASKED:
        widest = np.maximum(
            of_law.high[asked] - of_other.low[asked], of_other.high[asked] - of_law.low[asked]
        )
        top = np.argpartition(widest, -_ASKED // 2)[-_ASKED // 2 :]
        asked = asked[np.union1d(top, np.linspace(0, asked.size - 1, _ASKED // 2).astype(int))]
    for each, bounds, piece in zip((law, other), known, pieces, strict=True):
        unknown = asked[bounds.low[asked] < bounds.high[asked]]
        if isinstance(each, StaircaseLaw) and unknown.size:
            bounds.low[unknown] = bounds.high[unknown] = each.log_density(
                outcomes[unknown], piece[unknown]
            )
    return of_law.at_least(of_other), of_other.at_least(of_law)


def joint_median_divergences(joint: JointMedians, other: JointMedians) -> tuple[float, float]:
    """The suprema of log(joint density / other joint density) and of its negative; where not exact, less for certain.

    With scores s = max_j s_j, -log of the density up to the normaliser, sup (s' - s) = max_j sup over r of
    s'_j(r) - max(s_j(r), max over i != j of min s_i): once j decides s', the other coordinates make s least.
    """
    of_law, of_other = [], []  # bounds on the scores at each point, wherever either may change
    for point in range(len(joint.points)):
        edges = np.unique(np.concatenate([each.points[point].edges for each in (joint, other)]))[
            :-1
        ]
        of_law.append(joint.score_bounds(point, edges))
        of_other.append(other.score_bounds(point, edges))

    def rise(upper: list[tuple[Floats, Floats]], lower: list[tuple[Floats, Floats]]) -> float:
        """The least that the joint score in upper exceeds that in lower by somewhere."""
        least = np.array([high.min() for _, high in lower])
        return max(
            float(np.max(low - np.maximum(high, np.delete(least, point).max(initial=0.0))))
            for point, ((low, _), (_, high)) in enumerate(zip(upper, lower, strict=True))
        )

    (low, high), (other_low, other_high) = joint.log_totals, other.log_totals
    return max(0.0, rise(of_other, of_law) - high + other_low), max(
        0.0, rise(of_law, of_other) - other_high + low
    )


def staircase_renyi(
    law: Staircase | PiecewiseUniform, other: Staircase | PiecewiseUniform, orders: Floats
) -> Floats:
    """The Rényi divergences of law from other, shape of orders, each above 1; certain lower bounds where not exact."""
    (left, right), piece, other_piece = _common_pieces(law, other)
    of_law, of_other = _Known.of(law, piece), _Known.of(other, other_piece)
    possible = of_law.low > -np.inf
    log_mass = np.log((right - left)[possible])
    at_least, at_most = (
        of_law.low[possible] - of_law.total_high,
        of_other.high[possible] - of_other.total_low,
    )
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
    sides = np.minimum(right[:, :, None], other_right[:, None]) - np.maximum(
        left[:, :, None], other_left[:, None]
    )
    inside = np.maximum(sides, 0.0).prod(axis=0)
    volume = -np.diff(-np.diff(inside, axis=0, append=0.0), axis=1, append=0.0)
    of_law, of_other = np.nonzero(volume > 1e-12 * inside)  # less is rounding
    heights, other_heights = (
        -2 * each.rate * (each.levels[-1] - each.levels) - each.log_totals[0]
        for each in (joint, other)
    )
    log_mass = np.log(volume[of_law, of_other]) + heights[of_law]
    return renyi(log_mass, heights[of_law] - other_heights[of_other], orders)


def renyi(log_mass: Floats, log_ratio: Floats, orders: Floats) -> Floats:
    """log(sum of mass ratio^(a - 1)) / (a - 1) for orders a > 1, shape of orders; 0 at least."""
    sums = [np.logaddexp.reduce(log_mass + (order - 1) * log_ratio) for order in orders.tolist()]
    return np.maximum(np.array(sums) / (orders - 1), 0.0)


def joint_rho(joint: JointLaw | JointMedians, other: JointLaw | JointMedians) -> float:
    """The largest D_a / a over orders a > 1 and both directions, D_a the Rényi divergence; NaN where not known.

    Over 25 orders from 1.001 to 201, so never more than the supremum. At each exact for laws of constant pieces; a
    lower bound for laws known by ranks, and for others, whose outcomes are taken together in intervals.
    """
    both = [_renyi_divergences(joint, other), _renyi_divergences(other, joint)]
    return float(np.max(np.array(both) / _ORDERS))


def _renyi_divergences(joint: JointLaw | JointMedians, other: JointLaw | JointMedians) -> Floats:
    """The Rényi divergences of joint from other at each order; of mixtures only where all pieces are constant."""
    if isinstance(joint, JointMedians) and isinstance(other, JointMedians):
        return joint_median_renyi(joint, other, _ORDERS)
    joint, other, columns = _products(joint, other)
    if columns and len(joint.parts) == len(other.parts) == 1:
        add_up = np.max if joint.apart else np.sum
        return np.asarray(add_up([_at_one_point(*pair) for pair in columns], axis=0))
    if not columns or not all(
        isinstance(law, PiecewiseUniform) for column in columns for law in column
    ):
        return np.full(_ORDERS.size, np.nan)
    edges = [np.unique(np.concatenate([law.edges for law in column])) for column in columns]  # type: ignore[attr-defined]
    outcomes = [each[:-1] for each in edges]
    of_law, of_other = joint.log_density(outcomes), other.log_density(outcomes)
    log_mass = of_law + reduce(np.add.outer, [np.log(np.diff(each)) for each in edges])
    possible = of_law > -np.inf
    return renyi(log_mass[possible], (of_law - of_other)[possible], _ORDERS)


def _at_one_point(law: Law, other: Law) -> Floats:
    if isinstance(law, Staircase | PiecewiseUniform) and isinstance(
        other, Staircase | PiecewiseUniform
    ):
        return staircase_renyi(law, other, _ORDERS)
    shares = expit(np.linspace(-27.6, 27.6, _OUTCOMES // 2))
    outcomes = np.unique(
        np.concatenate([each.ppf(shares * (1 - each.failure)) for each in (law, other)])
    )
    masses, of_other = (
        np.diff([0.0, *each.cdf(outcomes), 1 - each.failure, 1.0]) for each in (law, other)
    )
    sure = masses > _ROUNDING
    of_law = np.log(masses[sure] - _ROUNDING)
    return renyi(of_law, of_law - np.log(of_other[sure] + _ROUNDING), _ORDERS)
