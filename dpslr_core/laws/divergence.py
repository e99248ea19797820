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
from .joint import JointLaw, JointMedianLaw
from .named import Laplace, PointMass, StudentT
from .piecewise import PiecewiseUniform, Staircase

_OUTCOMES = 4096  # outcomes on a grid, where a supremum has no closed form
_QUERIES = 100  # outcomes at most at which ranks are queried
_VOLUMES = 1_000_000  # pairs of levels whose common volume is computed
_ROUNDING = 1e-15  # error of a difference of two values of a cdf
_ORDERS = 1 + np.geomspace(1e-3, 200, 25)


def joint_divergences(
    joint: JointLaw | JointMedianLaw, other: JointLaw | JointMedianLaw
) -> tuple[float, float]:
    """Compute the suprema of log(joint density / other density) and of its negative; NaN where not known.

    If both laws have one part, the sums of max_divergences at the points, or their maxima where the dependence of the
    points is unknown. For mixtures, read off a grid of outcomes. A certain lower bound for laws known by ranks.
    TypeError where only one law is JointMedianLaw.
    """
    if isinstance(joint, JointMedianLaw) and isinstance(other, JointMedianLaw):
        return joint_median_divergences(joint, other)
    joint, other, columns = _products(joint, other)
    if not columns:
        return np.nan, np.nan
    if len(joint.parts) == len(other.parts) == 1:
        add_up = np.max if joint.dependence_unknown else np.sum
        forth, back = add_up([max_divergences(*pair) for pair in columns], axis=0).tolist()
        return forth, back
    outcomes = [_outcomes(column, round(_OUTCOMES ** (1 / len(columns)))) for column in columns]
    of_law, of_other = joint.log_density(outcomes), other.log_density(outcomes)
    return _largest(of_law, of_other), _largest(of_other, of_law)


def _products(
    joint: JointLaw | JointMedianLaw, other: JointLaw | JointMedianLaw
) -> tuple[JointLaw, JointLaw, list[tuple[Law, ...]]]:
    """Return both laws and, for every point, the laws of all parts of both; no points where a law is not known."""
    if isinstance(joint, JointMedianLaw) or isinstance(other, JointMedianLaw):
        raise TypeError("joint and other must be laws of one mechanism")
    if not (joint.parts and other.parts):
        return joint, other, []
    return joint, other, list(zip(*(laws for _, laws in (*joint.parts, *other.parts)), strict=True))


def privacy_loss(law: Law, other: Law) -> float:
    """Compute the privacy loss: the supremum of |log density ratio| over all outcomes, failure included.

    Exact or a lower bound as max_divergences, whose larger number it is.

    Parameters
    ----------
    law, other : Law
        Laws of one release from two neighbouring data sets.

    Examples
    --------
    >>> from dpslr_core.laws import Laplace
    >>> round(privacy_loss(Laplace(0.0, 1.0), Laplace(0.5, 1.0)), 6)
    0.5
    """
    return max(max_divergences(law, other))


def max_divergences(law: Law, other: Law) -> tuple[float, float]:
    """Compute the suprema over all outcomes of log(density under law / density under other) and of its negative.

    Exact for point masses, Laplace, Student-t and piecewise uniform laws; certain lower bounds where a law is known
    between bounds; otherwise read off a fine grid, which ends where the densities have no digits left.

    Parameters
    ----------
    law, other : Law
        Laws of one release from two neighbouring data sets.

    Returns
    -------
    (float, float)
        Both 0 or more; inf where an outcome is possible under one law only.

    Examples
    --------
    >>> from dpslr_core.laws import Laplace
    >>> max_divergences(Laplace(0.0, 1.0), Laplace(0.0, 2.0))
    (0.6931471805599453, inf)
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
            outcomes = _outcomes([law, other], _OUTCOMES)
            ends = log(law.failure), log(other.failure)
    log_densities = []
    for current, end in zip((law, other), ends, strict=True):
        log_density = current.logpdf(outcomes)
        if isinstance(current, PiecewiseUniform):  # just right of the outcomes
            log_density = np.where(outcomes < current.edges[-1], log_density, -np.inf)
        log_densities.append(np.append(log_density, end))
    of_law, of_other = log_densities
    return _largest(of_law, of_other), _largest(of_other, of_law)


def _student_extremes(a: float, s: float, b: float, r: float, df: float) -> Floats:
    """Find outcomes where the ratio of two Student-t densities, locations a and b, scales s and r, may be extreme.

    The log ratio is stationary at the roots of (a-b)(t-a)(t-b) + df (r^2 (t-a) - s^2 (t-b)), and far out.
    """
    distance, wider = (b - a) / s, r / s  # in units of the first law
    linear, constant = distance**2 + df * (wider**2 - 1), df * distance
    root = np.sqrt(max(0.0, linear**2 + 4 * distance * constant))
    half = -0.5 * (linear + np.copysign(root, linear))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        roots = np.append(np.array([half, constant]) / np.array([-distance, half]), [0.0, distance])
    return a + s * roots[np.abs(roots) < 1e100]


def _largest(log_density: Floats, other: Floats) -> float:
    """Compute the largest log_density - other over the outcomes possible under the first law, at least 0."""
    possible = log_density > -np.inf
    return float(np.max(log_density[possible] - other[possible], initial=0.0))


def _outcomes(laws: Sequence[Law], count: int) -> Floats:
    """Choose outcomes: left ends of all steps of piecewise uniform laws, else sorted quantiles down to least_tail."""
    edges = [law.edges for law in laws if isinstance(law, PiecewiseUniform)]
    if len(edges) == len(laws):
        return np.unique(np.concatenate(edges))[:-1]
    end = -logit(max(law.least_tail for law in laws))
    shares = expit(np.linspace(-end, end, max(8, count // len(laws))))
    quantiles = np.unique(np.concatenate([law.ppf(shares * (1 - law.failure)) for law in laws]))
    return quantiles[np.isfinite(quantiles)]


class _DensityBounds(NamedTuple):
    """Bounds on an unnormalised log density at outcomes, and on the logarithm of its normaliser."""

    low: Floats
    high: Floats
    total_low: float
    total_high: float

    @classmethod
    def of(cls, law: Staircase | PiecewiseUniform, piece: Integers) -> _DensityBounds:
        """Make the bounds of a law in the pieces with these indices; -inf outside its range."""
        inside = (piece >= 0) & (piece < law.edges.size - 1)

        def at(staircase: PiecewiseUniform) -> Floats:
            return np.where(inside, staircase.log_density.take(piece, mode="clip"), -np.inf)

        if isinstance(law, PiecewiseUniform):
            return cls(at(law), at(law), law._log_total, law._log_total)
        low, high = (
            PiecewiseUniform(law.edges, law.log_low),
            PiecewiseUniform(law.edges, law.log_high),
        )
        return cls(at(low), at(high), low._log_total, high._log_total)

    def at_least(self, other: _DensityBounds) -> float:
        """Compute the largest certain log ratio; at least 0, as no density is below another everywhere."""
        possible = self.low > -np.inf
        ratio = float(np.max(self.low[possible] - other.high[possible], initial=-np.inf))
        return max(0.0, ratio - self.total_high + other.total_low)


def _common_pieces(
    law: Staircase | PiecewiseUniform, other: Staircase | PiecewiseUniform
) -> tuple[Floats, Integers, Integers]:
    """Cut the outcomes at the edges of both laws; return ends, pieces of law and pieces of other, merging sorted edges.

    Shapes (2, p), (p,) and (p,): both ends of every common piece, and the index of the piece of either law around it.
    """
    edges = np.concatenate([law.edges, other.edges])
    order = np.argsort(edges, kind="stable")
    edges, passed = (
        edges[order],
        np.cumsum(order < law.edges.size, dtype=np.int64),
    )  # without the dtype ten times slower
    filled = np.flatnonzero(edges[1:] > edges[:-1])
    passed = passed[filled]
    return np.array([edges[filled], edges[filled + 1]]), passed - 1, filled - passed


def _staircase_divergences(
    law: Staircase | PiecewiseUniform, other: Staircase | PiecewiseUniform
) -> tuple[float, float]:
    """Compute certain lower bounds on the two suprema of max_divergences.

    Both sides of every edge of both staircases are outcomes, so that a jump is seen. Some unknown ranks
    there are queried: half where the ratio may be largest, half spread over the rest. A normaliser lies between the
    masses under the two staircases of its law; the mass that makes the bound smaller counts.
    """
    ends, *pieces = _common_pieces(law, other)
    outcomes = ends[0]
    if isinstance(law, StaircaseLaw) or isinstance(other, StaircaseLaw):
        outcomes, pieces = (
            np.append(ends[0], np.nextafter(ends[1], -np.inf)),
            [np.tile(piece, 2) for piece in pieces],
        )
    of_law, of_other = _DensityBounds.of(law, pieces[0]), _DensityBounds.of(other, pieces[1])
    queried = np.flatnonzero((of_law.low < of_law.high) | (of_other.low < of_other.high))
    if queried.size > _QUERIES:
        widest = np.maximum(
            of_law.high[queried] - of_other.low[queried],
            of_other.high[queried] - of_law.low[queried],
        )
        top = np.argpartition(widest, -_QUERIES // 2)[-_QUERIES // 2 :]
        queried = queried[
            np.union1d(top, np.linspace(0, queried.size - 1, _QUERIES // 2).astype(int))
        ]
    for current, bounds, piece in zip((law, other), (of_law, of_other), pieces, strict=True):
        unknown = queried[bounds.low[queried] < bounds.high[queried]]
        if isinstance(current, StaircaseLaw) and unknown.size:
            bounds.low[unknown] = bounds.high[unknown] = current.log_density(
                outcomes[unknown], piece[unknown]
            )
    return of_law.at_least(of_other), of_other.at_least(of_law)


def joint_median_divergences(joint: JointMedianLaw, other: JointMedianLaw) -> tuple[float, float]:
    """Compute the suprema of log(joint density / other density) and of its negative, or certain lower bounds.

    With scores s = max_j s_j, -log of the density up to the normaliser, sup (s' - s) = max_j sup over r of
    s'_j(r) - max(s_j(r), max over i != j of min s_i): once j decides s', the other coordinates make s least.
    """
    of_law, of_other = [], []  # bounds on the scores at each point, wherever either may change
    for point in range(len(joint.points)):
        edges = np.unique(np.concatenate([law.points[point].edges for law in (joint, other)]))[:-1]
        of_law.append(joint.score_bounds(point, edges))
        of_other.append(other.score_bounds(point, edges))

    def rise(upper: list[tuple[Floats, Floats]], lower: list[tuple[Floats, Floats]]) -> float:
        """Compute the certain excess of the joint score in upper over the joint score in lower, at its largest."""
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
    """Compute the Rényi divergences of law from other, or certain lower bounds, at orders above 1; shape of orders."""
    (left, right), piece, other_piece = _common_pieces(law, other)
    of_law, of_other = _DensityBounds.of(law, piece), _DensityBounds.of(other, other_piece)
    possible = of_law.low > -np.inf
    log_mass = np.log((right - left)[possible])
    at_least, at_most = (
        of_law.low[possible] - of_law.total_high,
        of_other.high[possible] - of_other.total_low,
    )
    return renyi(log_mass + at_least, at_least - at_most, orders)


def joint_median_renyi(joint: JointMedianLaw, other: JointMedianLaw, orders: Floats) -> Floats:
    """Compute the Rényi divergences of joint from other, or certain lower bounds, at orders above 1; shape of orders.

    Exact where ranks are exact and levels few, by the volumes on which both laws have given levels: intersections of
    boxes less their share in higher levels. Otherwise the largest divergence at any point alone, a lower bound.
    """
    if not (joint.exact and other.exact and joint.levels.size * other.levels.size <= _VOLUMES):
        pairs = zip(joint.marginals(), other.marginals(), strict=True)
        return np.max([staircase_renyi(law, another, orders) for law, another in pairs], axis=0)
    (left, right), (other_left, other_right) = (law.boxes(law.levels) for law in (joint, other))
    sides = np.minimum(right[:, :, None], other_right[:, None]) - np.maximum(
        left[:, :, None], other_left[:, None]
    )
    inside = np.maximum(sides, 0.0).prod(axis=0)
    volume = -np.diff(-np.diff(inside, axis=0, append=0.0), axis=1, append=0.0)
    of_law, of_other = np.nonzero(volume > 1e-12 * inside)  # less is rounding
    heights, other_heights = (
        -2 * law.rate * (law.levels[-1] - law.levels) - law.log_totals[0] for law in (joint, other)
    )
    log_mass = np.log(volume[of_law, of_other]) + heights[of_law]
    return renyi(log_mass, heights[of_law] - other_heights[of_other], orders)


def renyi(log_mass: Floats, log_ratio: Floats, orders: Floats) -> Floats:
    """Compute log(sum of mass ratio^(a - 1)) / (a - 1), at least 0, for orders a > 1; shape of orders."""
    sums = [np.logaddexp.reduce(log_mass + (order - 1) * log_ratio) for order in orders.tolist()]
    return np.maximum(np.array(sums) / (orders - 1), 0.0)


def joint_rho(joint: JointLaw | JointMedianLaw, other: JointLaw | JointMedianLaw) -> float:
    """Compute the largest D_a / a over orders a > 1 and both directions, D_a the Rényi divergence; NaN where not known.

    Over 25 orders from 1.001 to 201, so never more than the supremum. D_a is exact for laws of constant pieces; a
    lower bound for laws known by ranks, and for smooth laws, whose outcomes are taken together in intervals.
    """
    divergences = [_renyi_divergences(joint, other), _renyi_divergences(other, joint)]
    return float(np.max(np.array(divergences) / _ORDERS))


def _renyi_divergences(
    joint: JointLaw | JointMedianLaw, other: JointLaw | JointMedianLaw
) -> Floats:
    """Compute the Rényi divergences of joint from other at _ORDERS; NaN for mixtures but of constant pieces."""
    if isinstance(joint, JointMedianLaw) and isinstance(other, JointMedianLaw):
        return joint_median_renyi(joint, other, _ORDERS)
    joint, other, columns = _products(joint, other)
    if columns and len(joint.parts) == len(other.parts) == 1:
        add_up = np.max if joint.dependence_unknown else np.sum
        return np.asarray(add_up([_at_one_point(*pair) for pair in columns], axis=0))
    if not columns or not all(
        isinstance(law, PiecewiseUniform) for column in columns for law in column
    ):
        return np.full(_ORDERS.size, np.nan)
    edges = [np.unique(np.concatenate([law.edges for law in column])) for column in columns]  # type: ignore[attr-defined]
    outcomes = [ends[:-1] for ends in edges]
    of_law, of_other = joint.log_density(outcomes), other.log_density(outcomes)
    log_mass = of_law + reduce(np.add.outer, [np.log(np.diff(ends)) for ends in edges])
    possible = of_law > -np.inf
    return renyi(log_mass[possible], (of_law - of_other)[possible], _ORDERS)


def _at_one_point(law: Law, other: Law) -> Floats:
    """Compute the Rényi divergences of law from other at _ORDERS; of smooth laws by intervals of outcomes."""
    if isinstance(law, Staircase | PiecewiseUniform) and isinstance(
        other, Staircase | PiecewiseUniform
    ):
        return staircase_renyi(law, other, _ORDERS)
    shares = expit(np.linspace(-27.6, 27.6, _OUTCOMES // 2))
    outcomes = np.unique(
        np.concatenate([one_law.ppf(shares * (1 - one_law.failure)) for one_law in (law, other)])
    )
    masses, of_other = (
        np.diff([0.0, *one_law.cdf(outcomes), 1 - one_law.failure, 1.0]) for one_law in (law, other)
    )
    sure = masses > _ROUNDING
    of_law = np.log(masses[sure] - _ROUNDING)
    return renyi(of_law, of_law - np.log(of_other[sure] + _ROUNDING), _ORDERS)
