"""The chance that the second of two released numbers less the first lies between two ends, for many such ends."""

from __future__ import annotations

import numpy as np

from ..support.types import Floats
from .base import Law
from .joint import JointLaw, JointMedians
from .piecewise import PiecewiseUniform

_V = (np.arange(1024) + 0.5) / 1024
_PLACES, _WEIGHTS = (
    _V**2 * (3 - 2 * _V),
    6 * _V * (1 - _V) / _V.size,
)  # of mass, dense at both ends for heavy tails
_SHORT = 1e-7  # pieces shorter than this, in units of y, count as points
_UNKNOWN = 1e-4  # the largest share of all mass that may be known between bounds alone


def difference_cdf(joint: JointLaw | JointMedians, t: Floats) -> Floats | None:
    """P(second - first <= t) of the two numbers of one release, shape t.shape; None where their law is not known.

    joint: of two points. t: in units of y, shape (m,).

    Of independent piecewise uniform numbers and of JointMedians the sum is exact; of other independent numbers it is an
    average over 1,024 quantiles of the first, off by 1e-5 at most on laws that were tried.
    """
    if isinstance(joint, JointMedians):
        return _of_boxes(joint, t)
    if not joint.parts or joint.apart or not joint.exact:
        return None
    total = np.zeros(t.shape)
    for weight, (first, second) in joint.parts:
        if isinstance(first, PiecewiseUniform) and isinstance(second, PiecewiseUniform):
            total += weight * _of_pieces(first, second, t)
        else:
            total += weight * _of_quantiles(first, second, t)
    return total


def _of_quantiles(first: Law, second: Law, t: Floats) -> Floats:
    return second.cdf(np.add.outer(t, first.ppf(_PLACES))) @ _WEIGHTS


def _of_pieces(first: PiecewiseUniform, second: PiecewiseUniform, t: Floats) -> Floats:
    """The mean over each piece of the first of the second's cdf, by the integral of that, which is quadratic in pieces.

    The mean over a piece too short for a difference of integrals is the cdf at its middle.
    """
    edges, cumulative = second.edges, second.cdf(second.edges)
    integral = np.append(0.0, np.cumsum(0.5 * (cumulative[1:] + cumulative[:-1]) * np.diff(edges)))
    ends, masses = first.edges, np.diff(first.cdf(first.edges))
    kept = masses > 0
    low, high, masses = ends[:-1][kept], ends[1:][kept], masses[kept]
    long = high - low > _SHORT

    def integrated(r: Floats) -> Floats:
        """The integral of the second's cdf up to r, same shape."""
        within = np.clip(r, edges[0], edges[-1])
        piece = np.minimum(np.searchsorted(edges, within, side="right") - 1, edges.size - 2)
        inside = 0.5 * (cumulative[piece] + second.cdf(within)) * (within - edges[piece])
        return integral[piece] + inside + np.maximum(r - edges[-1], 0.0)

    shifted = np.add.outer(t, 0.5 * (low + high))
    means = second.cdf(shifted)
    means[:, long] = (
        integrated(np.add.outer(t, high[long])) - integrated(np.add.outer(t, low[long]))
    ) / (high[long] - low[long])
    return means @ masses


def _of_boxes(joint: JointMedians, t: Floats) -> Floats | None:
    """A mixture of uniform laws in boxes, of which each has the cdf of a sum of two uniform numbers."""
    if not joint.exact and joint.gaps.sum() > _UNKNOWN:
        return None
    with np.errstate(under="ignore"):
        weight = np.exp(joint.log_rises + joint.log_widths[-1].sum(axis=0) - joint.log_totals[-1])
    kept = weight > 1e-12
    (first, second), (first_high, second_high) = joint.boxes(joint.levels[kept])
    return sum_of_uniforms_cdf(
        t[:, None] - (second - first_high), first_high - first, second_high - second
    ) @ (weight[kept] / weight[kept].sum())


def sum_of_uniforms_cdf(z: Floats, one: Floats, other: Floats) -> Floats:
    """P(U + V <= z) of independent numbers, U uniform between 0 and one, V between 0 and other; shapes broadcast."""
    long, short = np.maximum(one, other), np.minimum(one, other)
    z = np.clip(z, 0.0, long + short)
    thin = short <= 1e-9 * long
    squares = [np.square(np.maximum(z - left, 0.0)) for left in (0.0, long, short)]
    with np.errstate(divide="ignore", invalid="ignore"):
        trapezoid = np.clip((squares[0] - squares[1] - squares[2]) / (2 * long * short), 0.0, 1.0)
        return np.where(thin, np.where(long > 0, np.minimum(z / long, 1.0), 1.0), trapezoid)
