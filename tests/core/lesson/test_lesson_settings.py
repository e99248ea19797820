"""Settings to the link and back, whatever the link says; the ten people and the simulated class."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpslr_core.lesson.settings import (
    AXES,
    CHOICES,
    EPSILONS,
    MOST,
    STEPS,
    TOTAL,
    Lesson,
    allowed,
    students,
)

lessons = st.builds(
    Lesson,
    step=st.sampled_from(STEPS),
    **{name: st.sampled_from(choices) for name, choices in CHOICES.items()},
    **{name: st.none() | st.floats(axis.lower, axis.upper) for name, axis in AXES.items()},
)


@given(lessons)
def test_a_link_holds_the_lesson(lesson):
    read = {name: allowed(name, text) for name, text in lesson.to_query().items()}
    assert Lesson(**read) == lesson


def test_usual_values_are_not_in_the_link():
    assert Lesson().to_query() == {}


def test_steps_with_stored_errors_have_the_nearest_budget_of_the_table():
    for epsilon, nearest in {0.063: 0.1, 0.63: 0.5, 0.8: 1.0, 16.0: 16.0}.items():
        assert Lesson(class_epsilon=epsilon).tabled_epsilon == nearest


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_no_more_is_released_than_the_budget_pays_for(epsilon):
    lesson = Lesson(class_epsilon=epsilon, released=253)
    assert lesson.drawn * epsilon <= TOTAL < (lesson.drawn + 1) * epsilon
    assert Lesson(class_epsilon=epsilon, released=1).drawn == 1


def test_what_cannot_be_is_refused_with_its_name():
    for name, value in {"step": 4, "leaver": 11, "person_y": float("nan")}.items():
        with pytest.raises(ValueError, match=name):
            Lesson(**{name: value})
    for name, wrong in {"count": (2, 1.0), "scatter": (20, -1.0)}.items():
        with pytest.raises(ValueError, match=name):
            students(*wrong)


def test_a_larger_class_holds_the_smaller_one():
    small, large = students(20, 10.0), students(MOST, 10.0)
    np.testing.assert_array_equal(small.x, large.x[:20])
    np.testing.assert_array_equal(small.y, large.y[:20])
    assert 100 * large.residual_sd == pytest.approx(10, rel=0.05)
