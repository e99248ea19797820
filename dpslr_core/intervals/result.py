"""Intervals at points: where they end, what they are for, and which part of them is sampling error."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

import numpy as np

from ..support.types import Floats

Method = Literal["fieller", "normal theory", "bootstrap", "depth region", "quantiles"]


class Target(Enum):
    """What an interval is for."""

    TRUE_LINE = "true line"  # a confidence interval: sampling error and noise
    OLS = "OLS on these data"  # a privacy interval: noise alone
    TRUE_SLOPE = "true slope"


@dataclass(frozen=True, eq=False)
class Intervals:
    """Intervals of size releases at m points, in units of y; of the slope m = 1, in units of y per unit of x.

    estimate: what is released, shape (size, m); NaN where the release has no answer.
    low, high: the ends, shape (size, m); -inf and inf where the release does not say: the slope is not identified.
    sampling: half the width of the interval that sampling error alone would make, shape (size, m); 0 in a privacy
    interval, NaN where the method does not part the two.
    level: the share of releases whose interval should hold the target.
    """

    estimate: Floats
    low: Floats
    high: Floats
    sampling: Floats
    level: float
    target: Target
    method: Method

    @property
    def width(self) -> Floats:
        """high - low, shape (size, m)."""
        return self.high - self.low

    @property
    def identified(self) -> np.ndarray:
        """Whether both ends are finite, shape (size, m)."""
        return np.isfinite(self.width)

    def hold(self, value: Floats) -> np.ndarray:
        """Whether low <= value <= high, shape (size, m); value: of shape (m,) or (size, m)."""
        return (self.low <= value) & (value <= self.high)


def between_ends(one: Floats, other: Floats, reach: Floats, level: float, target: Target, method: Method) -> Intervals:
    """Intervals from pairs of ends, shape (size, m), in any order; an end at the end of the public range is none.

    reach: the public range at each point, shape (2, m).
    """
    low, high = np.minimum(one, other), np.maximum(one, other)
    low, high = np.where(low <= reach[0], -np.inf, low), np.where(high >= reach[1], np.inf, high)
    known = np.isfinite(low) & np.isfinite(high)
    middle = np.where(known, low, np.nan) / 2 + np.where(known, high, np.nan) / 2
    return Intervals(middle, low, high, np.full(low.shape, np.nan), level, target, method)
