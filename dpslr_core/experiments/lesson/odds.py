"""Step 4: what epsilon promises, as odds."""

from __future__ import annotations

from math import exp

import pandas as pd
from scipy.special import expit

from ...mechanisms import DPExpTheilSen
from ...sources.axis import UNIT_Y, Axis
from ...support.run import Budget
from ..moved import AFTER, BEFORE, MovedRecord, OutputChange, output_change
from .medians import person_moved
from .people import POINT, SCORE
from .settings import Lesson

ALGORITHM = DPExpTheilSen()  # of which one prediction is released, at 15 hours
UNMOVED = (None, 0.0)  # hours and points of the person while nobody has been moved; None: their own


def change(lesson: Lesson) -> OutputChange:
    """The output distribution before and after the move, in a release of one prediction."""
    found = output_change(somebody_moved(lesson), ALGORITHM, Budget(lesson.class_epsilon, (POINT,)))
    assert found is not None  # the law of all pairs is exact
    return found


def somebody_moved(lesson: Lesson) -> MovedRecord:
    """The move of the lesson; where nobody has been moved yet, the person goes to 0 points."""
    moved = person_moved(lesson)
    if lesson.person_x is not None or lesson.person_y is not None:
        return moved
    return MovedRecord(moved.before, moved.place, moved.x, float(SCORE.to_unit(UNMOVED[1])))


def largest_odds(loss: float) -> float:
    """exp(loss): how many times as likely an outcome can be on one of two data sets as on the other."""
    return exp(loss)


def largest_belief(loss: float) -> float:
    """The largest belief in one of two data sets after a release, from even odds: exp(loss) / (1 + exp(loss))."""
    return float(expit(loss))


def odds_table(rows: pd.DataFrame, y: Axis = UNIT_Y) -> pd.DataFrame:
    """The numbers of the picture, of change.odds, in the units of y."""
    densities = {name: rows[name] / y.scale for name in (BEFORE, AFTER)}
    return rows.assign(estimate=y.from_unit(rows["estimate"]), **densities)
