"""Numbers of the lesson by step: one person leaves, pairwise estimates, odds after a move; the table of each step."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .. import pairs
from ..dataset import Dataset
from ..experiments.moved import MovedRecord, OutputChange, output_change
from ..mechanisms import DPExpTheilSen
from ..privacy import Budget
from ..support.types import Floats
from .classes import class_lines, median_class
from .settings import HOURS, POINT, SCORE, TEN, Lesson, class_of, ten_people

ALGORITHM = DPExpTheilSen()  # of step 4, which releases one prediction, at 15 hours
UNMOVED = (None, 0.0)  # hours and points of the person in step 4 while nobody has been moved; None: their own
_SCORES = (0.0, 1.0)  # the public bounds of the score
_ERRORS = ("c68", "c68_low", "c68_high", "standard_error", "noise", "gap")


def _without(data: Dataset, row: int) -> Dataset:
    return Dataset(np.delete(data.x, row), np.delete(data.y, row))


def remaining(leaver: int) -> Dataset:
    """Step 1: the ten people without one of them, from 1; 0 for nobody."""
    return _without(ten_people(), leaver - 1) if leaver else ten_people()


def changes() -> Floats:
    """Step 1: change of the prediction at 15 hours when each person leaves, in the unit square, shape (10,)."""
    before = ten_people().predict(POINT)[0]
    return np.array([remaining(person).predict(POINT)[0] - before for person in range(1, len(TEN) + 1)])


def pairwise(data: Dataset) -> Floats:
    """Step 2: heights at 15 hours of the lines through two people, ascending; pairs with equal x have none."""
    first, second = pairs.all_pairs(data.n)
    apart = data.x[first] != data.x[second]
    x, y, u, v = data.x[first][apart], data.y[first][apart], data.x[second][apart], data.y[second][apart]
    return np.sort(y + (POINT - x) * (v - y) / (u - x))


def median_bounds(moved: MovedRecord) -> tuple[float, float]:
    """Smallest and largest median wherever the person goes: all pairs with the person below, or all above.

    The others' estimates stay. An estimate more on one side, or one less where x is equal, moves a median towards that
    side at most, so the extremes are at minus and plus infinity.
    """
    others, touched = pairwise(_without(moved.before, moved.place)), moved.before.n - 1
    low, high = (np.median(np.append(others, np.full(touched, end))) for end in (-np.inf, np.inf))
    return float(low), float(high)


def person_moved(lesson: Lesson) -> MovedRecord:
    """The move of step 2: the ten people, and the one of them who is moved."""
    data, row = ten_people(), lesson.person - 1
    x = data.x[row] if lesson.person_x is None else HOURS.to_unit(lesson.person_x)
    y = data.y[row] if lesson.person_y is None else SCORE.to_unit(lesson.person_y)
    return MovedRecord(data, row, float(x), float(y))


def somebody_moved(lesson: Lesson) -> MovedRecord:
    """The move of step 4: the same, but the person goes to 0 points while nobody has been moved."""
    moved = person_moved(lesson)
    if lesson.person_x is not None or lesson.person_y is not None:
        return moved
    return MovedRecord(moved.before, moved.place, moved.x, float(SCORE.to_unit(UNMOVED[1])))


def change_of(lesson: Lesson) -> OutputChange:
    """Step 4: the output distributions before and after the move, in a release of one prediction."""
    change = output_change(somebody_moved(lesson), ALGORITHM, Budget(lesson.class_epsilon, (POINT,)))
    assert change is not None  # the law of all pairs is exact
    return change


def step_table(lesson: Lesson) -> pd.DataFrame:
    """The numbers of the picture of the lesson's step, in hours and points, as its page shows them."""
    match lesson.step:
        case 1:
            return leaving_table()
        case 2:
            return pairs_table(person_moved(lesson))
        case 3:
            return lines_table(class_lines(class_of(lesson), lesson.class_epsilon))
        case 4:
            return odds_table(change_of(lesson))
        case 5:
            return errors_table(median_class(lesson))
        case _:
            return errors_table(median_class(lesson, over="scatter"))


def leaving_table() -> pd.DataFrame:
    """Step 1: each person's record, and the change of the prediction at 15 hours when they leave."""
    hours, points = np.array(TEN, dtype=float).T
    change = SCORE.scale * changes()
    return pd.DataFrame(
        {"person": range(1, len(TEN) + 1), "hours": hours, "points": points, "change at 15 hours": change}
    )


def pairs_table(moved: MovedRecord) -> pd.DataFrame:
    """Step 2: the pairwise estimates before and after the move, ascending."""
    heights = {"before": pairwise(moved.before), "after": pairwise(moved.after)}
    return pd.DataFrame({name: pd.Series(SCORE.from_unit(values)) for name, values in heights.items()})


def lines_table(lines: pd.DataFrame) -> pd.DataFrame:
    """Step 3: the lines of class_lines."""
    return lines.assign(x=HOURS.from_unit(lines["x"]), y=SCORE.from_unit(lines["y"]))


def odds_table(change: OutputChange) -> pd.DataFrame:
    """Step 4: both output densities, and the odds of each outcome."""
    return change.odds(_SCORES, SCORE)


def errors_table(errors: pd.DataFrame) -> pd.DataFrame:
    """Steps 5 and 6: the errors of median_class."""
    return errors.assign(**{name: SCORE.scale * errors[name] for name in _ERRORS})
