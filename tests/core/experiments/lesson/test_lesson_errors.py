"""Steps 3, 5 and 6: errors as compare has them, on the same class."""

from __future__ import annotations

import numpy as np
import pytest

from dpslr_core import compare
from dpslr_core.experiments.lesson import errors
from dpslr_core.experiments.lesson.people import ALGORITHMS, AT
from dpslr_core.experiments.lesson.settings import SCATTERS, SIZES, Lesson


@pytest.mark.parametrize("lesson", [Lesson(), Lesson(students=50, class_epsilon=8.0, scatter=3.0)])
def test_errors_are_those_of_compare(lesson):
    rows = errors.errors_of(lesson)
    result = compare(errors.class_of(lesson), ALGORITHMS, lesson.class_epsilon, AT, trials=10).summary
    expected = result[result["at"] == AT[0]].set_index("mechanism").loc[rows["algorithm"]]
    assert expected["exact"].all()
    for column in ("c68", "standard_error", "ratio"):
        np.testing.assert_allclose(rows[column], expected[column], rtol=1e-9)


def test_what_is_not_moved_in_a_step_does_not_change_its_errors():
    assert errors.errors_of(Lesson(person_y=0.0, leaver=3)).equals(errors.errors_of(Lesson()))


def test_curves_go_through_the_errors_of_each_stop():
    for rows, name, stops in (
        (errors.over_sizes(Lesson()), "students", SIZES),
        (errors.over_scatters(Lesson()), "scatter", SCATTERS),
    ):
        assert list(dict.fromkeys(rows[name])) == list(stops)
        here = rows[rows[name] == getattr(Lesson(), name)].drop(columns=name).reset_index(drop=True)
        assert here.equals(errors.errors_of(Lesson()))


def test_twenty_lines_of_each_algorithm_less_those_that_fail():
    lines = errors.private_lines_of(Lesson())
    assert lines.groupby("mechanism")["trial"].nunique().to_dict() == {m.name: 20 for m in ALGORITHMS}
    assert lines.equals(errors.private_lines_of(Lesson()))
