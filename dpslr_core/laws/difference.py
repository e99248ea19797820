"""The chance that the second of two released numbers less the first lies between two ends, for many such ends."""

from __future__ import annotations

import numpy as np

from ..support.types import Floats
from .joint import JointLaw, JointMedians

_V = (np.arange(8192) + 0.5) / 8192
_PLACES, _WEIGHTS = (
    _V**2 * (3 - 2 * _V),
    6 * _V * (1 - _V) / _V.size,
)  # of mass, dense at both ends for heavy tails
_UNKNOWN = 1e-4  # the largest share of all mass that may be known between bounds alone


def difference_cdf(joint: JointLaw | JointMedians, t: Floats) -> Floats | None:
    """P(second - first <= t) of the two numbers of one release, shape t.shape; None where their law is not known.

    joint: of two points. t: in units of y, shape (m,).

    Exact for JointMedians; for independent numbers an average over 8,192 quantiles of the first, off by 1e-6 at most on
    laws that were tried.
    """
    if isinstance(joint, JointMedians):
        return _of_boxes(joint, t)
    if not joint.parts or joint.apart or not joint.exact:
        return None
    means = [
        second.cdf(np.add.outer(t, first.ppf(_PLACES))) @ _WEIGHTS
        for _, (first, second) in joint.parts
    ]
    return np.asarray(np.average(means, axis=0, weights=[weight for weight, _ in joint.parts]))


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
