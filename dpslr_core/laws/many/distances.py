"""C(q) of many laws by one search for all."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from sys import float_info

import numpy as np

from ...support.types import Floats, Integers

Quantiles = Callable[[Floats, Integers], Floats]  # (q, laws): of the laws with these numbers
CdfAndDensity = Callable[[Floats, Integers], tuple[Floats, Floats]]  # (t, laws)
MassAndRate = Callable[[Floats, Integers], tuple[Floats, Floats]]  # (c, numbers): mass within c, and its derivative


def bounds_of_many(shares: Floats, centers: Floats, quantiles: Quantiles, at: CdfAndDensity) -> Floats:
    """The smallest distances from centers that hold shares of laws that never fail, shape (laws, len(shares)).

    shares: from 0 to 1. centers: shape (laws,); infinitely far off where one is not finite.
    """
    bounds = np.where(np.isfinite(centers)[:, None] | (shares == 0), 0.0, inf)
    law, column = np.nonzero((bounds == 0) & (shares > 0))
    share, center = shares[column], centers[law]
    tail = (1 - share) / 2
    ends = np.abs(quantiles(np.concatenate([tail, 1 - tail]), np.tile(law, 2)) - np.tile(center, 2))

    def mass_and_rate(c: Floats, which: Integers) -> tuple[Floats, Floats]:
        middle = center[which]
        cdf, density = at(np.concatenate([middle - c, middle + c]), np.tile(law[which], 2))
        return cdf[c.size :] - cdf[: c.size], density[: c.size] + density[c.size :]

    bounds[law, column] = smallest_distances(share, ends.reshape(2, -1).max(axis=0), mass_and_rate)
    return bounds


def smallest_distances(shares: Floats, high: Floats, mass_and_rate: MassAndRate, resolution: float = 1e-12) -> Floats:
    """The smallest c up to high with mass at least share, shape (m,) as shares and high, to this relative resolution.

    mass_and_rate(c, numbers): the mass within c of the center of the targets with these numbers, and its derivative.

    Newton's method in a bracket, as Law._smallest_distance: step by step the same numbers.
    """
    low, high, c, last = np.zeros(high.size), high.copy(), high.copy(), np.full(high.size, inf)
    unsolved = np.arange(high.size)
    with np.errstate(divide="ignore", invalid="ignore"):
        while True:
            width = high[unsolved] - low[unsolved]
            least = np.maximum(resolution * high[unsolved], float_info.min)
            unsolved = unsolved[(least < width) & (width < inf)]
            if not unsolved.size:
                return high
            x, share = c[unsolved], shares[unsolved]
            mass, rate = mass_and_rate(x, unsolved)
            step, enough = np.where(rate > 0, (share - mass) / rate, inf), mass >= share
            above, below = np.where(enough, x, high[unsolved]), np.where(enough, low[unsolved], x)
            beyond = 0.5 * resolution * x
            step = np.where(enough, step - beyond, step + beyond)
            good = (below < x + step) & (x + step < above) & (np.abs(step) <= 0.5 * np.abs(last[unsolved]))
            step = np.where(good, step, 0.5 * (below + above) - x)
            low[unsolved], high[unsolved], last[unsolved], c[unsolved] = below, above, step, x + step
