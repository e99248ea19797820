"""The exact law of the depth score of the true line: the largest excursion of a random walk."""

from __future__ import annotations

from functools import cache
from math import isqrt

import numpy as np
from scipy.special import gammaln

from ..support.types import Integers


@cache
def at_most(n: int, m: int) -> float:
    """P(M <= m) at the true line, for n records with independent errors that have median 0 and no two equal x.

    The signs s_i of the errors are then fair coins, and M = max_k |2 C_k - C_n| with the sums C_k of the first k. Given
    C_n = c the walk must stay between (c - m) / 2 and (c + m) / 2; by reflection at barriers a and b, one step beyond,
    the chance of that and of C_n = c is sum_j P(c + 2 j (b - a)) - P(2 b - c + 2 j (b - a)), P(s) = binom(n, (n+s)/2) /
    2^n. Records with equal x count as one step, so that M can only be smaller.
    """
    if m < 0:
        return 0.0
    ends = np.arange(-min(m, n), min(m, n) + 1)
    ends = ends[(ends + n) % 2 == 0]
    above = (ends + m) // 2 + 1  # the first place that is too high
    span = above - (-((m - ends) // 2) - 1)
    most = n // (2 * int(span.min(initial=n + 2))) + 1
    turns = np.arange(-most, most + 1)
    shift = 2 * turns[:, None] * span
    return float(min(1.0, (_chance(n, ends + shift) - _chance(n, 2 * above - ends + shift)).sum()))


def _chance(n: int, place: Integers) -> np.ndarray:
    """P(C_n = place) of n fair steps of +-1, same shape; places of the other parity must not occur."""
    inside = np.abs(place) <= n
    up = np.where(inside, (n + place) // 2, 0)
    return np.where(inside, np.exp(gammaln(n + 1) - gammaln(up + 1) - gammaln(n - up + 1) - n * np.log(2)), 0.0)


@cache
def depth_bound(n: int, level: float) -> int:
    """The least m with P(M <= m) >= level; near 3 sqrt(n) for 95%. It has the parity of n."""
    low, high = -1, min(n, 6 + 8 * isqrt(n))  # in steps of 2 from n: at_most(low) < level <= at_most(high)
    low, high = low - (low + n) % 2, high - (high + n) % 2
    while at_most(n, high) < level and high < n:
        high = min(n, 2 * high + (n % 2))
    while high - low > 2:
        middle = (low + high) // 2
        middle -= (middle + n) % 2
        low, high = (low, middle) if at_most(n, middle) >= level else (middle, high)
    return high
