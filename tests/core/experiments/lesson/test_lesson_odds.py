"""Step 4: odds by Bayes' rule, and a promise that holds for every move."""

from __future__ import annotations

from math import exp, inf, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpslr_core.experiments.lesson.odds import change, largest_belief, largest_odds, somebody_moved
from dpslr_core.experiments.lesson.settings import EPSILONS, Lesson


@pytest.mark.parametrize("odds", [1.0, 3.0, 99.0])
def test_even_odds_after_an_outcome_that_is_so_many_times_as_likely(odds):
    likely, unlikely = odds * 0.01, 0.01
    assert largest_belief(log(odds)) == pytest.approx(0.5 * likely / (0.5 * likely + 0.5 * unlikely))
    assert largest_odds(log(odds)) == pytest.approx(odds)
    assert largest_belief(inf) == 1


@settings(max_examples=40)
@given(st.integers(1, 10), st.floats(0, 20), st.floats(0, 100), st.sampled_from(EPSILONS))
def test_no_move_costs_more_than_epsilon(person, x, y, epsilon):
    found = change(Lesson(person=person, person_x=x, person_y=y, class_epsilon=epsilon))
    assert found.loss.measured <= found.loss.promised * (1 + 1e-9) == epsilon * (1 + 1e-9)


def test_where_nobody_is_moved_yet_the_person_goes_to_no_points():
    moved = somebody_moved(Lesson())
    assert (moved.place, moved.x, moved.y) == (9, moved.old[0], 0.0)
    assert somebody_moved(Lesson(person_x=1.0)).y == moved.old[1]
    assert 1 < exp(change(Lesson()).loss.measured) < exp(2)
