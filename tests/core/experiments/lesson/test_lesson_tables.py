"""The tables of the steps are the numbers of the lesson in hours and points."""

import numpy as np
import pandas as pd

from dpslr_core.experiments.lesson.errors import median_class
from dpslr_core.experiments.lesson.people import TEN
from dpslr_core.experiments.lesson.settings import Lesson
from dpslr_core.experiments.lesson.tables import step_table


def test_the_people_are_as_they_are_written():
    table = step_table(Lesson())
    np.testing.assert_allclose(table[["hours", "points"]], np.array(TEN))
    hours, points = np.array(TEN, dtype=float).T
    for person, change in enumerate(table["change at 15 hours"]):
        kept = np.arange(10) != person
        before, after = (np.polyval(np.polyfit(hours[k], points[k], 1), 15) for k in (slice(None), kept))
        np.testing.assert_allclose(change, after - before, atol=1e-9)


def test_all_pairs_are_there_and_a_move_changes_nine():
    table = step_table(Lesson(step=2, person=9, person_y=10.0))
    assert len(table) == 45
    assert len(set(table["after"].round(9)) - set(table["before"].round(9))) == 9


def test_errors_are_in_points():
    lesson = Lesson(step=5, students=50)
    table, unit = step_table(lesson), median_class(lesson)
    pd.testing.assert_series_equal(table["c68"], 100 * unit["c68"])
    pd.testing.assert_series_equal(table["ratio"], unit["ratio"])
