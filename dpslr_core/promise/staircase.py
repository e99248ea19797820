"""Staircase noise, for teaching: the least noise that a large epsilon allows."""

from __future__ import annotations

from math import ceil, exp

import numpy as np

from ..laws.named import Laplace
from ..laws.piecewise import PiecewiseUniform
from ..support import validate

_SMALLEST = 80.0  # log density, below the top, at which the steps end
_MOST_STEPS = 20_000


def staircase_law(epsilon: float) -> PiecewiseUniform:
    """The law of staircase noise for a number that one record moves by up to 1.

    Density, up to a factor: e^(-k epsilon) for |t| in [k, k + g), e^(-(k+1) epsilon) in [k + g, k + 1), with
    g = 1 / (1 + e^(epsilon/2)), which has the least expected |noise|. A move by up to 1 crosses one step at most, so
    that densities differ by a factor of e^epsilon at most. Steps below e^-80, which nobody will see, are left out.
    Source: Geng and Viswanath (2016). ValueError unless epsilon > 0.
    """
    validate.positive(epsilon=epsilon)
    steps = min(_MOST_STEPS, max(2, ceil(_SMALLEST / epsilon)))
    near = 1 / (1 + exp(min(epsilon / 2, 700.0)))
    k = np.arange(steps)
    right = np.ravel(np.column_stack([k, k + near])).astype(float)
    heights = np.ravel(np.column_stack([-k * epsilon, -(k + 1) * epsilon]))
    edges = np.concatenate([[-float(steps)], -right[:0:-1], right, [float(steps)]])
    heights = np.concatenate([heights[::-1], heights])
    return PiecewiseUniform(edges, heights)


def laplace_law(epsilon: float) -> Laplace:
    """The law of Laplace noise for a number that one record moves by up to 1. ValueError unless epsilon > 0."""
    validate.positive(epsilon=epsilon)
    return Laplace(0.0, 1 / epsilon)


def noise_ratio(epsilon: float, share: float = 68.0) -> float:
    """C(share) of staircase noise over that of Laplace noise."""
    return staircase_law(epsilon).error_bound(share, 0.0) / laplace_law(epsilon).error_bound(share, 0.0)
