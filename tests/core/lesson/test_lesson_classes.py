"""Steps "noise", "people" and "choice": errors as compare has them, on the same class."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpslr_core import compare
from dpslr_core.lesson import classes
from dpslr_core.lesson.settings import ALGORITHMS, AT, SCATTERS, SIZES, Lesson, class_of, students
from dpslr_core.mechanisms import DPExpTheilSen


@pytest.mark.parametrize("lesson", [Lesson(), Lesson(students=50, class_epsilon=8.0, scatter=3.0)])
def test_errors_are_those_of_compare(lesson):
    rows = classes.class_errors(class_of(lesson), lesson.class_epsilon)
    result = compare(class_of(lesson), ALGORITHMS, lesson.class_epsilon, AT, trials=10).summary
    expected = result[result["at"] == AT[0]].set_index("mechanism").loc[rows["algorithm"]]
    assert expected["exact"].all()
    for column in ("c68", "standard_error", "ratio", "noise", "gap"):
        np.testing.assert_allclose(rows[column], expected[column], rtol=1e-9)


def test_medians_and_quartiles_are_those_of_the_classes_one_by_one():
    size, scatter, epsilon, middle = 50, 10.0, 4.0, classes.CLASSES // 2
    every = [students(size, scatter, number) for number in range(classes.CLASSES)]
    rows = pd.concat([classes.class_errors(data, epsilon, [DPExpTheilSen()]) for data in every])
    stored = classes.median_class(Lesson(students=size, scatter=scatter, class_epsilon=epsilon))
    stored = stored.set_index("algorithm").loc["DPExpTheilSen"]
    for column in ("c68", "noise", "gap"):
        assert stored[column] == pytest.approx(np.sort(rows[column])[middle], rel=1e-3, abs=1e-6)
    assert stored["below"] == pytest.approx((rows["ratio"] < 1).mean(), abs=1e-3)
    quartiles = np.quantile(rows["c68"], [0.25, 0.75], method="inverted_cdf")
    assert stored[["c68_low", "c68_high"]].tolist() == pytest.approx(quartiles, rel=1e-3)


def test_the_median_class_is_a_part_of_both_curves():
    here = classes.median_class(Lesson())
    for name, stops in (("students", SIZES), ("scatter", SCATTERS)):
        rows = classes.median_class(Lesson(), over=name)
        assert sorted(set(rows[name])) == list(stops)
        assert rows[rows[name] == getattr(Lesson(), name)].reset_index(drop=True).equals(here)
