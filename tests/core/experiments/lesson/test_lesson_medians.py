"""Step 2: the pairwise estimates and the bounds that no move leaves."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpslr_core.experiments.lesson.medians import PairwiseEstimates, pairwise, person_moved
from dpslr_core.experiments.lesson.people import POINT, ten_people
from dpslr_core.experiments.lesson.settings import Lesson


def test_the_estimates_are_heights_of_lines_through_two_people():
    data = ten_people()
    people = list(zip(data.x, data.y, strict=True))
    expected = sorted(np.polyval(np.polyfit(*zip(a, b, strict=True), 1), POINT) for a, b in combinations(people, 2))
    np.testing.assert_allclose(pairwise(data), expected, atol=1e-12)
    assert np.median(expected) == pytest.approx(data.theil_sen(POINT)[0], abs=1e-12)


def test_an_unmoved_person_is_where_the_data_have_them():
    assert not person_moved(Lesson(person=3)).moved
    moved = person_moved(Lesson(person=3, person_x=10.0))
    assert (moved.place, moved.x, moved.y) == (2, 0.5, ten_people().y[2])


hours, scores = st.floats(0, 20).map(lambda x: round(x, 1)), st.floats(0, 100)


@given(st.integers(1, 10), hours, scores)
def test_no_move_takes_the_median_out_of_its_bounds(person, x, y):
    estimates = PairwiseEstimates(person_moved(Lesson(person=person, person_x=x, person_y=y)))
    low, high = estimates.bounds()
    assert low - 1e-9 <= estimates.moved.after.theil_sen(POINT)[0] <= high + 1e-9


@pytest.mark.parametrize("person", [1, 5, 10])
def test_some_moves_come_close_to_both_bounds(person):
    """So that bounds which are too wide are seen: a search over a grid reaches each within a point and a half."""
    bounds = PairwiseEstimates(person_moved(Lesson(person=person))).bounds()
    reached = [
        person_moved(Lesson(person=person, person_x=x, person_y=y)).after.theil_sen(POINT)[0]
        for x in np.linspace(0, 20, 9)
        for y in np.linspace(0, 100, 9)
    ]
    assert abs(min(reached) - bounds[0]) < 0.015 and abs(max(reached) - bounds[1]) < 0.015
