"""Intervals without normal errors: predictions of all lines that are about as deep as the true line can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..support.types import Floats
from .crossing import draw_crossings, safety
from .depth_walk import depth_bound
from .result import Intervals, Target, between_ends

SENSITIVITY = 2.0
_SHARE = 0.2  # of 1 - level, for the noise


@dataclass(frozen=True)
class DepthPlan:
    """What is public of intervals from n records at so many points.

    bound: the true line has M <= bound but for chance. target: what the ends are drawn at. most: where scores are cut.
    weight: of a score in the exponent. out_of_reach: no score of n records can reach the target.
    """

    bound: float
    target: float
    most: float
    weight: float
    out_of_reach: bool = False

    @classmethod
    def of(cls, n: int, level: float, budget_of_end: float, cells: int) -> DepthPlan:
        """The plan whose intervals hold the true line at each point with chance level or more.

        budget_of_end: epsilon of each end; for zCDP the range of its log ratio.
        cells: of the grid, along each axis.
        """
        weight = budget_of_end / (2 * SENSITIVITY)
        bound = float(depth_bound(n, 1 - (1 - level) * (1 - _SHARE)))
        margin = safety(cells, (1 - level) * _SHARE / 2, weight)
        return cls(bound, bound + margin, bound + 2 * margin, weight, bound + margin > n)


class PointCells(NamedTuple):
    """What is known at one point: least and greatest prediction of each cell, its least score, and the public edges."""

    low: Floats
    high: Floats
    least: Floats
    edges: Floats


def depth_intervals(
    points: Sequence[PointCells], plan: DepthPlan, level: float, size: int, rng: np.random.Generator
) -> Intervals:
    """size intervals at each of m points for the true line; errors need be independent with median 0 only.

    points: of all cells in which some line may have M < plan.most, with M by signs. Where the plan is out of reach the
    intervals have no ends, and the cells are not looked at. The line must lie in the public range of the grid.

    Both ends are crossings: A(t) = min of M over the lines with p(x) >= t, cut at plan.most, is nondecreasing and moves
    by at most 2 when a record is replaced, as M does. A cell of lines counts with a number that no M in it is below.
    The upper end drawn is above all lines with M <= bound but for chance; the lower end likewise. Crossed ends are
    exchanged.
    """
    ends = []
    for cells in points:
        if plan.out_of_reach:
            ends.append((np.full(size, cells.edges[0]), np.full(size, cells.edges[-1])))
            continue
        mirrored = PointCells(-cells.high, -cells.low, cells.least, -cells.edges[::-1])
        ends.append((-upper_end(mirrored, plan, size, rng), upper_end(cells, plan, size, rng)))
    lower, upper = (np.column_stack(side) for side in zip(*ends, strict=True))
    reach = np.array([cells.edges[[0, -1]] for cells in points]).T
    return between_ends(lower, upper, reach, level, Target.TRUE_LINE, "depth region")


def upper_end(cells: PointCells, plan: DepthPlan, size: int, rng: np.random.Generator) -> Floats:
    """size upper ends, shape (size,)."""
    place = np.clip(np.searchsorted(cells.edges, cells.high, side="right") - 1, 0, cells.edges.size - 1)
    lowest = np.full(cells.edges.size, plan.most)
    np.minimum.at(lowest, place, cells.least)
    values = np.minimum.accumulate(lowest[::-1])[::-1]  # min over lines with p(x) >= edge
    return cells.edges[1 + draw_crossings(values[1:-1], plan.target, plan.weight, size, rng)]
