"""The law of the difference of two numbers of one release, the second less the first."""

from __future__ import annotations

import numpy as np

from ..support.types import Floats
from .joint import JointLaw, JointMedianLaw

_V = (np.arange(8192) + 0.5) / 8192
_SHARES, _WEIGHTS = (
    _V**2 * (3 - 2 * _V),
    6 * _V * (1 - _V) / _V.size,
)  # of mass, dense at both ends for heavy tails
_UNKNOWN = 1e-4  # the largest share of all mass that may be known between bounds alone


def difference_cdf(joint: JointLaw | JointMedianLaw, t: Floats) -> Floats | None:
    """Compute P(second - first <= t) of the two numbers of one release, shape (m,); None where their law is not known.

    Exact for JointMedianLaw. For independent numbers an average over 8,192 quantiles of the first number, off by at
    most 1e-6 on laws that were tried.

    Parameters
    ----------
    joint : JointLaw or JointMedianLaw
        Law at two points.
    t : array, shape (m,), in units of y
    """
    if isinstance(joint, JointMedianLaw):
        return _of_boxes(joint, t)
    if not joint.parts or joint.dependence_unknown or not joint.exact:
        return None
    means = [
        second.cdf(np.add.outer(t, first.ppf(_SHARES))) @ _WEIGHTS
        for _, (first, second) in joint.parts
    ]
    return np.asarray(np.average(means, axis=0, weights=[weight for weight, _ in joint.parts]))


def _of_boxes(joint: JointMedianLaw, t: Floats) -> Floats | None:
    """Compute difference_cdf of a mixture of uniform laws in boxes: in a box, of a sum of two uniform numbers."""
    if not joint.exact and joint.gaps.sum() > _UNKNOWN:
        return None
    with np.errstate(under="ignore"):
        weight = np.exp(joint.log_rises + joint.log_widths[-1].sum(axis=0) - joint.log_totals[-1])
    kept = weight > 1e-12
    (first, second), (first_high, second_high) = joint.boxes(joint.levels[kept])
    return sum_of_uniforms_cdf(
        t[:, None] - (second - first_high), first_high - first, second_high - second
    ) @ (weight[kept] / weight[kept].sum())


def sum_of_uniforms_cdf(z: Floats, u_width: Floats, v_width: Floats) -> Floats:
    """Compute P(U + V <= z), U uniform in [0, u_width], V in [0, v_width], independent; shapes broadcast."""
    long, short = np.maximum(u_width, v_width), np.minimum(u_width, v_width)
    z = np.clip(z, 0.0, long + short)
    thin = short <= 1e-9 * long
    squares = [np.square(np.maximum(z - corner, 0.0)) for corner in (0.0, long, short)]
    with np.errstate(divide="ignore", invalid="ignore"):
        trapezoid = np.clip((squares[0] - squares[1] - squares[2]) / (2 * long * short), 0.0, 1.0)
        return np.where(thin, np.where(long > 0, np.minimum(z / long, 1.0), 1.0), trapezoid)
