"""How far apart two laws are: suprema of log density ratios, failure among the outcomes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import expit, logit

from ..support.types import Floats
from .base import Law
from .by_rank import StaircaseLaw, joint_median_divergences, staircase_divergences
from .joint import JointLaw
from .named import Laplace, PointMass, StudentT
from .piecewise import PiecewiseUniform
from .together.medians import JointMedians

_OUTCOMES = 4096  # outcomes on a grid, where a supremum has no closed form


def joint_divergences(joint: JointLaw | JointMedians, other: JointLaw | JointMedians) -> tuple[float, float]:
    """The suprema of log(joint density / other joint density) and of its negative; NaN where not known.

    Exact for one part each, up to max_divergences; of points apart the largest of each alone. Otherwise read off a
    grid of outcomes. A certain lower bound for laws known by ranks. TypeError where only one of them is of
    JointMedians.
    """
    if isinstance(joint, JointMedians) and isinstance(other, JointMedians):
        return joint_median_divergences(joint, other)
    if isinstance(joint, JointMedians) or isinstance(other, JointMedians):
        raise TypeError("joint and other must be laws of one mechanism")
    if not (joint.parts and other.parts):
        return np.nan, np.nan
    columns = list(zip(*(laws for _, laws in (*joint.parts, *other.parts)), strict=True))
    if len(joint.parts) == len(other.parts) == 1:
        add_up = np.max if joint.apart else np.sum
        forth, back = add_up([max_divergences(*pair) for pair in columns], axis=0).tolist()
        return forth, back
    outcomes = [_outcomes(column, round(_OUTCOMES ** (1 / len(columns)))) for column in columns]
    mine, theirs = joint.log_density(outcomes), other.log_density(outcomes)
    return _largest(mine, theirs), _largest(theirs, mine)


def privacy_loss(law: Law, other: Law) -> float:
    """The supremum over all outcomes, failure included, of |log density ratio| of two laws: see max_divergences."""
    return max(max_divergences(law, other))


def max_divergences(law: Law, other: Law) -> tuple[float, float]:
    """The suprema over all outcomes of log(density under law / density under other) and of its negative.

    Exact for point masses, Laplace, Student-t and piecewise uniform laws; certain lower bounds where a law is known by
    ranks; otherwise read off a fine grid, which ends where the densities have no digits left.
    """
    match law, other:
        case PointMass(a), PointMass(b):
            return (0.0, 0.0) if np.array_equal(a, b, equal_nan=True) else (np.inf, np.inf)
        case (PointMass(), _) | (_, PointMass()):
            return np.inf, np.inf
        case (StaircaseLaw() as a, (StaircaseLaw() | PiecewiseUniform()) as b):
            return staircase_divergences(a, b)
        case PiecewiseUniform() as a, StaircaseLaw() as b:
            return staircase_divergences(a, b)
        case PiecewiseUniform() as a, PiecewiseUniform() as b:
            mine, theirs = step_densities(a, b)
            return _largest(mine, theirs), _largest(theirs, mine)
        case Laplace(a, s), Laplace(b, r):  # the ratio is extreme at a, at b, or far out, where the wider law wins
            outcomes, ends = np.array([a, b]), (_log(s >= r), _log(r >= s))
        case StudentT(a, s, df), StudentT(b, r, other_df) if df == other_df:
            outcomes, ends = _student_extremes(a, s, b, r, df), (df * _log(s), df * _log(r))
        case _:
            outcomes, ends = _outcomes([law, other], _OUTCOMES), (_log(law.failure), _log(other.failure))
    mine, theirs = (np.append(_density_right_of(z, outcomes), end) for z, end in zip((law, other), ends, strict=True))
    return _largest(mine, theirs), _largest(theirs, mine)


def step_densities(law: PiecewiseUniform, other: PiecewiseUniform) -> Floats:
    """The log densities of both laws between neighbouring edges of either, empty pieces left out; shape (2, p).

    Both lists of edges are in order, so that merging them tells the place of each piece in both.
    """
    edges = np.concatenate([law.edges, other.edges])
    order = np.argsort(edges, kind="stable")
    edges, passed = edges[order], np.cumsum(order < law.edges.size, dtype=np.int32)  # without it ten times as long
    filled = np.flatnonzero(edges[1:] > edges[:-1])
    passed = passed[filled]
    return np.stack([each.log_density_of(piece) for each, piece in ((law, passed - 1), (other, filled - passed))])


def _student_extremes(a: float, s: float, b: float, r: float, df: float) -> Floats:
    """Where the ratio of two Student-t densities, locations a and b, scales s and r, may be extreme.

    Its logarithm is stationary at the roots of (a-b)(t-a)(t-b) + df (r^2 (t-a) - s^2 (t-b)), and far out.
    """
    distance, wider = (b - a) / s, r / s  # in units of the first law
    linear, constant = distance**2 + df * (wider**2 - 1), df * distance
    root = np.sqrt(max(0.0, linear**2 + 4 * distance * constant))
    half = -0.5 * (linear + np.copysign(root, linear))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        roots = np.append(np.array([half, constant]) / np.array([-distance, half]), [0.0, distance])
    return a + s * roots[np.abs(roots) < 1e100]


def _density_right_of(law: Law, t: Floats) -> Floats:
    """The log density just right of t."""
    log_density = law.logpdf(t)
    return np.where(t < law.edges[-1], log_density, -np.inf) if isinstance(law, PiecewiseUniform) else log_density


def _log(share: float) -> float:
    return math.log(share) if share > 0 else -math.inf


def _largest(log_density: Floats, other: Floats) -> float:
    """max(0, log_density - other) over the outcomes that are possible under the first."""
    possible = log_density > -np.inf
    if not possible.all():
        log_density, other = log_density[possible], other[possible]
    return float(np.max(log_density - other, initial=0.0))


def _outcomes(laws: Sequence[Law], count: int) -> Floats:
    """Left ends of all steps of piecewise uniform laws; else sorted quantiles of the laws, to least_tail."""
    edges = [law.edges for law in laws if isinstance(law, PiecewiseUniform)]
    if len(edges) == len(laws):
        return np.unique(np.concatenate(edges))[:-1]
    end = -logit(max(law.least_tail for law in laws))
    shares = expit(np.linspace(-end, end, max(8, count // len(laws))))
    quantiles = np.unique(np.concatenate([law.ppf(shares * (1 - law.failure)) for law in laws]))
    return quantiles[np.isfinite(quantiles)]
