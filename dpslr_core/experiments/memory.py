"""Megabytes that runs hold at once, by what they list: known before they start."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..mechanisms.base import Mechanism
from ..pairs import is_complete, pair_count
from ..pairs.ranks import CROSSOVER

BYTES = 40  # held for each pairwise estimate that is listed: the estimate, its place and what is made of them
RECORD = 200  # bytes held for each record
RELEASED = 300  # bytes of a released number in a comparison, with its table
LAWS = (32, 256)  # fewest and most conditional laws of k random matchings
ESTIMATES = (
    4_000_000  # most pairwise estimates in all conditional laws, if the fewest laws need less
)


def megabytes(
    mechanisms: Sequence[Mechanism], n: int, points: int, trials: int | None = None
) -> float:
    """Estimate the megabytes of errors of algorithms on n records, from above.

    Parameters
    ----------
    points : int. Number of points of a release.
    trials : int, optional. Releases of each algorithm that are kept, beside all laws; None where one algorithm is
        measured after the other and nothing is kept.
    """
    listed = [_listed(mechanism, n, points) for mechanism in mechanisms]
    if trials is None:
        return max(listed, default=0.0)
    return sum(listed) + len(listed) * trials * points * RELEASED / 1e6


def _listed(mechanism: Mechanism, n: int, points: int) -> float:
    """Estimate the megabytes of the pairwise estimates that are listed for a law or for releases of one algorithm."""
    k = getattr(mechanism, "k", None)
    if is_complete(n, k):
        pairs = pair_count(n, None) * points if mechanism.by_ranks and n < CROSSOVER else 0
        return (pairs * BYTES + RECORD * n) / 1e6
    estimates = pair_count(n, k) * points
    return int(np.clip(ESTIMATES // estimates, *LAWS)) * estimates * BYTES / 1e6
