"""Settings to the link and back, whatever the link says; the ten people and the simulated class."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpslr_core.lesson.settings import AXES, CHOICES, MOST, Lesson, students, ten_people

lessons = st.builds(
    Lesson,
    **{name: st.sampled_from(choices) for name, choices in CHOICES.items()},
    **{name: st.none() | st.floats(axis.lower, axis.upper) for name, axis in AXES.items()},
)


@given(lessons)
def test_a_link_holds_the_lesson(lesson):
    assert Lesson.from_query(lesson.to_query()) == lesson


def test_usual_values_are_not_in_the_link():
    assert Lesson().to_query() == {}
    assert Lesson(step=4, class_epsilon=0.5, person_y=0.0).to_query() == {
        "step": "4", "class_epsilon": "0.5", "person_y": "0",
    }  # fmt: skip


texts = st.text() | st.sampled_from(["nan", "inf", "-1", "7", "1e9"])


@given(st.dictionaries(st.sampled_from([*CHOICES, *AXES]), texts))
def test_an_absurd_link_is_a_lesson(query):
    assert isinstance(Lesson.from_query(query), Lesson)


@pytest.mark.parametrize(
    ("make", "name", "values"),
    [
        (Lesson, "step", {"step": 7}), (Lesson, "leaver", {"leaver": 11}), (Lesson, "person_x", {"person_x": 20.5}),
        (Lesson, "person_y", {"person_y": float("nan")}), (students, "count", {"count": 2, "scatter": 1.0}),
        (students, "count", {"count": MOST + 1, "scatter": 1.0}), (students, "scatter", {"count": 20, "scatter": -1.0}),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_its_name(make, name, values):
    with pytest.raises(ValueError, match=name):
        make(**values)


def test_the_ten_are_within_the_public_bounds_and_no_two_practise_equally_long():
    data = ten_people()
    assert data.x.min() > 0 and data.x.max() < 1 and len(set(data.x)) == 10


def test_a_larger_class_holds_the_smaller_one():
    small, large = students(20, 10.0), students(MOST, 10.0)
    np.testing.assert_array_equal(small.x, large.x[:20])
    np.testing.assert_array_equal(small.y, large.y[:20])
    assert 100 * large.residual_sd == pytest.approx(10, rel=0.05)
