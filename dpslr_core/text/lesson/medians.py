"""Step 2: why the median of pairwise lines is robust."""

from __future__ import annotations

import numpy as np

from ...experiments.lesson.medians import PairwiseEstimates
from ...experiments.lesson.people import POINT
from .words import PLACE, StepText, place_of, points, times

CONTEXT = (
    "Through each two people runs a line; its height at 15 hours is a pairwise estimate. Theil–Sen is their median, "
    "OLS is the line of least squares."
)
QUESTION = "Wherever this person goes, how far can the median move? Why no further?"


def step_text(estimates: PairwiseEstimates) -> StepText:
    """How far OLS and the median move with one person."""
    moved = estimates.moved
    rows, person = moved.predictions([POINT]), moved.place + 1
    if not moved.moved:
        median, ols = (points(rows[name].iloc[0]) for name in ("theil_sen", "ols"))
        headline = f"{estimates.total} pairwise lines: their median {PLACE} is {median}, OLS is {ols}"
        return StepText(headline, CONTEXT, f"{headline}.", QUESTION)
    ols, median = (abs(rows[name].iloc[1] - rows[name].iloc[0]) for name in ("ols", "theil_sen"))
    headline = f"Person {person} moves OLS {PLACE} by {points(ols)}, the median by {points(median)}"
    picture = f"Person {person} is at {place_of((moved.x, moved.y))}. {headline}."
    return StepText(headline, CONTEXT, picture, QUESTION)


def answer(estimates: PairwiseEstimates) -> str:
    """The range that the median cannot leave, and from where to where OLS goes with the person's score."""
    low, high = estimates.bounds()
    data, place = estimates.moved.before, estimates.moved.place
    x = estimates.moved.x
    ols = [float(data.with_record(place, x, end).predict([POINT])[0]) for end in (0.0, 1.0)]
    reach = (
        f"It stays between {points(low)} and {points(high)}"
        if np.isfinite([low, high]).all()
        else "It can go anywhere, as the person is in half of the pairs"
    )
    return (
        f"{reach}. The person is in {estimates.touched} of {estimates.total} pairs, so at most {estimates.touched} "
        f"estimates change sides. OLS follows the person: from {points(ols[0])} to {points(ols[1])}"
        f"{_as_far(abs(ols[1] - ols[0]), high - low)}."
    )


def _as_far(ols: float, median: float) -> str:
    """How far OLS goes, over how far the median can: ", 5.2 times as far"."""
    if not np.isfinite(median) or median <= 0:
        return ""
    return f", {times(ols / median, 2)} as far"
