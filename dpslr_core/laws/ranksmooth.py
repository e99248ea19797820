"""The smooth sensitivity of the median of all pairwise estimates by rank queries."""

from __future__ import annotations

import numpy as np

from .. import medians
from ..pairwise.ranks import PairRanks
from ..pairwise.ranktable import RankTable

_LISTED = 24_000_000  # entries listed for a smooth sensitivity: 0.2 GB, and six times that in between


def smooth_median(ranks: PairRanks, k: int, t: float, lower: float, upper: float) -> tuple[float, float] | None:
    """medians.lower_median and medians.smooth_sensitivity of all pairwise estimates, both exact.

    The entries that the largest window can need are listed, and it is certified from ranks further out that no
    wider window is larger. None where more than 2.4 * 10^7 would have to be: a bound on S is no smooth bound.
    """
    table = RankTable(ranks.central, lower, upper)
    middle, last = (table.total + 1) // 2 - 1, -(-(table.total + 1) // k) - 1
    levels = last if t == 0 else min(last, int(np.ceil(3.5 / t)))
    while (width := min(k * (levels + 1), table.total + 1)) <= _LISTED // 2:
        first, stop = max(middle - width, 0), min(middle + width + 1, table.total)
        outside = max(width - middle, 0), max(middle + width + 1 - table.total, 0)
        z = np.pad(table.entries(first, stop), outside, constant_values=(lower, upper))
        # Beyond the list its own ends stand in: no more than what is there.
        spread = float(medians.smooth_sensitivity(z, k, t, z[0], z[-1]))
        if levels == last or _no_wider_window(table, k, t, levels, last, spread):
            return float(z[width]), spread
        levels = min(last, 2 * levels)
    return None


def _no_wider_window(table: RankTable, k: int, t: float, level: int, last: int, spread: float) -> bool:
    """Whether e^(-l t) W(k(l+1)) <= spread for level < l <= last, as W(w) <= z[m+w] - z[m-w] and W grows with w."""
    middle = (table.total + 1) // 2 - 1
    while level < last and np.exp(-(level + 1) * t) * (table.edges[-1] - table.edges[0]) > spread:
        end = min(last, level + 1 + level // 4)
        high, low = middle + k * (end + 1), middle - k * (end + 1)
        stop = table.piece(high) if high < table.total else table.low.size
        top = table.edges[min(stop + 1, table.low.size)]  # read before the next query moves the numbers
        start = table.piece(low) if low >= 0 else 0
        if np.exp(-(level + 1) * t) * (top - table.edges[start]) > spread:
            return False
        level = end
    return True
