"""Steps "noise", "people" and "choice": errors as compare has them, on the same class."""

from __future__ import annotations

import numpy as np
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
    for column in ("c68", "standard_error", "ratio"):
        np.testing.assert_allclose(rows[column], expected[column], rtol=1e-9)


def test_the_stored_table_is_that_of_its_command():
    """One kind of class, made anew; to four digits."""
    table, made = classes.load(), classes.errors_in_classes(SCATTERS[5], SIZES[0])
    kept = table[(table["scatter"] == SCATTERS[5]) & (table["students"] == SIZES[0])].reset_index(drop=True)
    assert len(table) == len(SCATTERS) * len(SIZES) * len(kept)
    for column in classes.STORED_COLUMNS[4:]:
        np.testing.assert_allclose(kept[column], made[column], rtol=1e-3)
    assert kept[["class_epsilon", "algorithm"]].equals(made[["class_epsilon", "algorithm"]])


def test_medians_and_quartiles_are_those_of_classes_compared_one_by_one():
    size, scatter, epsilon, name = 50, 10.0, 4.0, "DPExpTheilSen"
    alone = []
    for number in range(classes.CLASSES):
        data = students(size, scatter, number)
        summary = compare(data, [DPExpTheilSen()], epsilon, AT, trials=1).summary.iloc[0]
        alone.append((summary["c68"], summary["noise"], abs(data.theil_sen(AT[0])[0] - data.predict(AT[0])[0]),
                      summary["ratio"] < 1))  # fmt: skip
    c68, noise, gap, below = zip(*alone, strict=True)
    row = classes.median_class(Lesson(students=size, scatter=scatter, class_epsilon=epsilon)).set_index("algorithm")
    middle = classes.CLASSES // 2
    assert row.loc[name, "c68"] == pytest.approx(sorted(c68)[middle], rel=1e-3)
    assert row.loc[name, "noise"] == pytest.approx(sorted(noise)[middle], rel=1e-3)
    assert row.loc[name, "gap"] == pytest.approx(sorted(gap)[middle], rel=1e-3, abs=1e-6)
    assert row.loc[name, "below"] == pytest.approx(np.mean(below), abs=1e-3)
    assert sum(value <= row.loc[name, "c68_low"] * 1.001 for value in c68) == -(-classes.CLASSES // 4)
    assert sum(value >= row.loc[name, "c68_high"] * 0.999 for value in c68) == -(-classes.CLASSES // 4)


def test_the_median_class_is_a_part_of_both_curves():
    here = classes.median_class(Lesson())
    for name, stops in (("students", SIZES), ("scatter", SCATTERS)):
        rows = classes.median_class(Lesson(), over=name)
        assert sorted(set(rows[name])) == list(stops)
        assert rows[rows[name] == getattr(Lesson(), name)].reset_index(drop=True).equals(here)
