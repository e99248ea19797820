"""How far one record moves the clipped gradients."""

from __future__ import annotations

from itertools import product

import numpy as np

from ...dataset import Record
from ...support.types import Floats


def gradient_shifts(record: Record, other: Record, clip: float) -> Floats:
    """|g - g'| of the clipped gradients of two records where it is extreme over all parameters, shape (some, 2).

    The residuals at two different x are any two numbers; at the same x they differ by y' - y. Between the
    residuals where clipping sets in, g and g' are linear and what a shift costs is convex: only those need a look.
    """
    weights = np.array([[0.75 - x, x - 0.25] for x, _ in (record, other)])
    ends = [np.array([sign * clip / (2 * abs(w)) for w in row if w for sign in (-1, 1)]) for row in weights]
    if record[0] == other[0]:
        residual = np.append(ends[0], ends[1] - (other[1] - record[1]))
        residuals = np.array([residual, residual + (other[1] - record[1])])
    else:
        residuals = np.array(list(product(*ends))).T
    mine, theirs = (np.clip(2 * np.outer(e, w), -clip, clip) for w, e in zip(weights, residuals, strict=True))
    return np.abs(mine - theirs)
