"""What a class has moved: to the link and back, whatever the link says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpslr_core.experiments.lesson.settings import AXES, CHOICES, Lesson

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


@given(
    st.dictionaries(st.sampled_from([*CHOICES, *AXES]), st.text() | st.sampled_from(["nan", "inf", "-1", "7", "1e9"]))
)
def test_an_absurd_link_is_a_lesson(query):
    assert isinstance(Lesson.from_query(query), Lesson)


@pytest.mark.parametrize("values", [{"step": 7}, {"leaver": 11}, {"person_x": 20.5}, {"person_y": float("nan")}])
def test_what_cannot_be_is_refused_with_its_name(values):
    with pytest.raises(ValueError, match=next(iter(values))):
        Lesson(**values)
