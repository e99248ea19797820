"""Where a nondecreasing function of the records crosses a target: by the exponential mechanism over public cells."""

from __future__ import annotations

from math import log

import numpy as np

from ..support.types import Floats, Integers


def safety(cells: int, failure: float, weight: float) -> float:
    """How far the target must be above a value so that the crossing drawn is below that value with chance failure.

    The cell that holds the target has score 0; each of the others whose upper edge is below the value has a score of at
    most -safety, so that they come with a chance of at most cells exp(-weight safety) together.
    """
    return log(cells / failure) / weight


def crossing_chances(values: Floats, target: float, weight: float) -> Floats:
    """The chances of the cells: in proportion to exp(-weight distance(target, [f_j, f_(j+1)])), shape (cells,).

    values: f at the inner edges, nondecreasing, shape (cells - 1,); f is -inf at the first edge and inf at the last, so
    that some cell holds the target. weight: budget / (2 sensitivity), where replacing a record moves no value by more
    than the sensitivity.

    Private for every data set: both ends of [f_j, f_(j+1)] move by at most the sensitivity, and so does the distance of
    a number from an interval. Scoring cells and not edges, a jump of f past the target costs nothing.
    """
    below, above = np.append(-np.inf, values), np.append(values, np.inf)
    chances = np.exp(-weight * np.maximum(np.maximum(below - target, target - above), 0))
    return chances / chances.sum()


def draw_crossings(values: Floats, target: float, weight: float, size: int, rng: np.random.Generator) -> Integers:
    """size independent cells with these chances, shape (size,); arguments as in crossing_chances."""
    cumulated = np.cumsum(crossing_chances(values, target, weight))
    drawn = np.searchsorted(cumulated, rng.random(size) * cumulated[-1], side="right")
    return np.minimum(drawn, values.size)
