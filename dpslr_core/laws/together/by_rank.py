"""The joint law of private medians of all pairwise estimates at several points, from rank queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...pairs import ranks as by_queries
from ...pairs.cell_counts import CellCounts
from ...pairs.grid import PublicGrid
from ...pairs.ranks import PairRanks
from ...support.run import checkpoint
from ...support.types import Floats, Integers
from ..by_rank import refined_counts
from .medians import JointMedians, RankBounds

_QUERIES = 400  # after so many more rank queries a law within a factor of two is left as it is
_WORST = 4  # levels that are looked at in a round


@dataclass(frozen=True, eq=False)
class _Ranks:
    """The exact number of estimates below r, in units of y."""

    counts: CellCounts
    spacing: float

    def __call__(self, r: Floats) -> Integers:
        cells = np.floor(r / self.spacing).astype(np.int64) - self.counts.first
        return np.array([self.counts.up_to(cell) for cell in np.clip(cells, 0, self.counts.cells - 1).tolist()])


def joint_medians(
    ranks: Sequence[PairRanks], epsilon: float, grid: PublicGrid, tolerance: float | None = None
) -> JointMedians:
    """The law of JointMedians for all pairwise estimates clipped to the range of the grid.

    ranks: of positions on the grid, at each of its points.
    epsilon: the budget per changed number, that is epsilon / (n - 1).
    grid: of the range and the points.
    tolerance: of the mass of all boxes, relative; by default pairs.ranks.TOLERANCE.

    The weight of a level is the product over the m points of what it is in exponential_law with a share epsilon / m: as
    for those, few queries find nearly all of the mass. Then the levels whose boxes are known worst are queried, until
    the masses of all least and all largest boxes agree to the tolerance, or, after 400 queries, to a factor of two.
    """
    tolerance = by_queries.TOLERANCE if tolerance is None else tolerance
    every = [refined_counts(each, epsilon / len(ranks), grid, tolerance) for each in ranks]
    before = sum(counts.queries for counts in every)
    while True:
        checkpoint()
        law = JointMedians([_bounds(counts, grid) for counts in every], every[0].total, epsilon / 4)
        enough = tolerance if sum(counts.queries for counts in every) < before + _QUERIES else 1.0
        if law.gaps.sum() <= enough:
            return law
        for counts in every:
            for level in law.levels[np.argsort(law.gaps)[-_WORST:]].tolist():
                _query_ends(counts, level)


def _bounds(counts: CellCounts, grid: PublicGrid) -> RankBounds:
    edges = (counts.first + counts.edges.astype(float)) * grid.spacing
    return RankBounds(edges, counts.low, counts.high, _Ranks(counts, grid.spacing))


def _query_ends(counts: CellCounts, level: int) -> None:
    """Queries in both stretches that hold an end of the box of a level: where ranks linear in r lead, and halfway."""
    ends = (
        (np.searchsorted(counts.high, level), level),
        (
            np.searchsorted(counts.low, counts.total - level, "right") - 1,
            counts.total - level,
        ),
    )
    probes = []
    for stretch, number in ends:
        left, right = counts.edges[stretch], counts.edges[stretch + 1]
        low, high = int(counts.low[stretch]), int(counts.high[stretch])
        if low < high:
            probes += [left + share * (right - left) for share in ((number - low) / (high - low), 0.5)]
    counts.split(np.minimum(probes, counts.cells - 1))
