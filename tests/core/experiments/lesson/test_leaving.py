"""Step 1, against a fit of numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from dpslr_core.experiments.lesson.leaving import Leaving
from dpslr_core.experiments.lesson.people import HOURS, MOST, SCORE, TEN, students, ten_people

HOURS_AND_POINTS = np.array(TEN, dtype=float)


def fitted(rows):
    """The prediction at 15 hours, in points."""
    return np.polyval(np.polyfit(*rows.T, 1), 15)


def test_the_changes_are_those_of_lines_fitted_without_each_person():
    everyone = fitted(HOURS_AND_POINTS)
    expected = [fitted(np.delete(HOURS_AND_POINTS, person, 0)) - everyone for person in range(10)]
    np.testing.assert_allclose(100 * Leaving().changes, expected, atol=1e-9)
    assert Leaving().most == np.argmax(np.abs(expected)) + 1


def test_nobody_or_one_leaves():
    assert Leaving(0).remaining.n == 10 and Leaving(3).remaining.n == 9
    gone = records(Leaving().everyone) - records(Leaving(3).remaining)
    assert gone == {(float(HOURS.to_unit(TEN[2][0])), float(SCORE.to_unit(TEN[2][1])))}


def records(data):
    return set(zip(data.x.tolist(), data.y.tolist(), strict=True))


def test_the_ten_are_within_the_public_bounds_and_no_two_practise_equally_long():
    data = ten_people()
    assert data.x.min() > 0 and data.x.max() < 1 and len(set(data.x)) == 10


def test_a_larger_class_holds_the_smaller_one():
    small, large = students(20, 10.0), students(MOST, 10.0)
    np.testing.assert_array_equal(small.x, large.x[:20])
    np.testing.assert_array_equal(small.y, large.y[:20])
    assert 100 * large.residual_sd == pytest.approx(10, rel=0.05)


@pytest.mark.parametrize(("count", "scatter"), [(2, 1.0), (MOST + 1, 1.0), (20, -1.0)])
def test_a_class_that_cannot_be_is_refused(count, scatter):
    with pytest.raises(ValueError, match=r"count|scatter"):
        students(count, scatter)
