"""Steps "noise", "people" and "choice": errors as compare has them, on the same class."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpslr_core.lesson import classes
from dpslr_core.lesson.settings import Lesson, students
from dpslr_core.mechanisms import DPExpTheilSen


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
