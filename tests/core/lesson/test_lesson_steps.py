"""Numbers of the steps: fits of numpy's, bounds that no move leaves, a guarantee for every move, and the tables."""

from __future__ import annotations

from itertools import combinations
from math import exp

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpslr_core.lesson import Lesson, step_table
from dpslr_core.lesson.classes import median_class
from dpslr_core.lesson.settings import EPSILONS, HOURS, POINT, SCORE, TEN, ten_people
from dpslr_core.lesson.steps import change_of, changes, median_bounds, pairwise, person_moved, remaining, somebody_moved

HOURS_AND_POINTS = np.array(TEN, dtype=float)


def fitted(rows):
    """The prediction at 15 hours, in points."""
    return np.polyval(np.polyfit(*rows.T, 1), 15)


def test_the_changes_are_those_of_lines_fitted_without_each_person():
    everyone = fitted(HOURS_AND_POINTS)
    expected = [fitted(np.delete(HOURS_AND_POINTS, person, 0)) - everyone for person in range(10)]
    np.testing.assert_allclose(100 * changes(), expected, atol=1e-9)
    table = step_table(Lesson())
    np.testing.assert_allclose(table[["hours", "points"]], HOURS_AND_POINTS)
    np.testing.assert_allclose(table["change at 15 hours"], expected, atol=1e-9)


def test_nobody_or_one_leaves():
    everyone, others = ({*zip(d.x.tolist(), d.y.tolist(), strict=True)} for d in map(remaining, (0, 3)))
    assert (len(everyone), len(others)) == (10, 9)
    assert everyone - others == {(float(HOURS.to_unit(TEN[2][0])), float(SCORE.to_unit(TEN[2][1])))}


def test_the_estimates_are_heights_of_lines_through_two_people():
    data = ten_people()
    people = list(zip(data.x, data.y, strict=True))
    expected = sorted(np.polyval(np.polyfit(*zip(a, b, strict=True), 1), POINT) for a, b in combinations(people, 2))
    np.testing.assert_allclose(pairwise(data), expected, atol=1e-12)
    assert np.median(expected) == pytest.approx(data.theil_sen(POINT)[0], abs=1e-12)


hours, scores = st.floats(0, 20).map(lambda x: round(x, 1)), st.floats(0, 100)


@given(st.integers(1, 10), hours, scores)
def test_no_move_takes_the_median_out_of_its_bounds(person, x, y):
    moved = person_moved(Lesson(person=person, person_x=x, person_y=y))
    low, high = median_bounds(moved)
    assert low - 1e-9 <= moved.after.theil_sen(POINT)[0] <= high + 1e-9


@pytest.mark.parametrize("person", [1, 5, 10])
def test_some_moves_come_close_to_both_bounds(person):
    """So that bounds which are too wide are seen: a search over a grid reaches each within a point and a half."""
    bounds = median_bounds(person_moved(Lesson(person=person)))
    reached = [
        person_moved(Lesson(person=person, person_x=x, person_y=y)).after.theil_sen(POINT)[0]
        for x in np.linspace(0, 20, 9)
        for y in np.linspace(0, 100, 9)
    ]
    assert abs(min(reached) - bounds[0]) < 0.015 and abs(max(reached) - bounds[1]) < 0.015


@settings(max_examples=40)
@given(st.integers(1, 10), st.floats(0, 20), st.floats(0, 100), st.sampled_from(EPSILONS))
def test_no_move_costs_more_than_epsilon(person, x, y, epsilon):
    change = change_of(Lesson(person=person, person_x=x, person_y=y, class_epsilon=epsilon))
    assert change.loss.measured <= change.loss.promised * (1 + 1e-9) == epsilon * (1 + 1e-9)


def test_an_unmoved_person_is_where_the_data_have_them_but_goes_to_no_points_in_step_4():
    assert not person_moved(Lesson(person=3)).moved
    moved = person_moved(Lesson(person=3, person_x=10.0))
    assert (moved.place, moved.x, moved.y) == (2, 0.5, ten_people().y[2])
    moved = somebody_moved(Lesson())
    assert (moved.place, moved.x, moved.y) == (9, moved.old[0], 0.0)
    assert somebody_moved(Lesson(person_x=1.0)).y == moved.old[1]
    assert 1 < exp(change_of(Lesson()).loss.measured) < exp(2)


def test_tables_have_all_pairs_and_errors_in_points():
    table = step_table(Lesson(step=2, person=9, person_y=10.0))
    assert len(table) == 45
    assert len(set(table["after"].round(9)) - set(table["before"].round(9))) == 9
    lesson = Lesson(step=5, students=50)
    table, unit = step_table(lesson), median_class(lesson)
    pd.testing.assert_series_equal(table["c68"], 100 * unit["c68"])
    pd.testing.assert_series_equal(table["ratio"], unit["ratio"])
