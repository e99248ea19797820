"""C(q) of any law, slowly and from its cdf alone."""

from __future__ import annotations

import numpy as np


def mass_within(law, c, center):
    """The mass up to c from the center, from the cdf alone; 0 for c below 0."""
    return np.where(
        np.less(c, 0), 0.0, law.cdf(center + c) - law.cdf(np.nextafter(center - c, -np.inf))
    )


def by_bisection(law, share, center):
    """The smallest c with at least this share within it, from the cdf alone; inf where there is none below 1e300."""
    low, high = 0.0, 1e-300
    while mass_within(law, high, center) < share and high < 1e300:
        low, high = high, 1e6 * high
    if mass_within(law, high, center) < share:
        return np.inf
    while high - low > max(1e-13 * high, 2.3e-308):
        middle = np.sqrt(low * high) if high > 2 * low > 0 else 0.5 * (low + high)
        low, high = (low, middle) if mass_within(law, middle, center) >= share else (middle, high)
    return high
