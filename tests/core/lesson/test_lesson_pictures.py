"""Pictures of the lesson: what is drawn is what was computed, in hours and points."""

from __future__ import annotations

import numpy as np
import pytest

from dpslr_core.charts.labels import Room
from dpslr_core.lesson import Lesson, classes
from dpslr_core.lesson.pictures import HIGH, LOW, REACH, error_bars, histogram, people_with_lines, ratio_curves
from dpslr_core.lesson.settings import HOURS, SCORE, ten_people
from dpslr_core.lesson.steps import Leaving, PairwiseEstimates, person_moved


def named(figure):
    return {trace.name: trace for trace in figure.data}


def test_the_first_trace_holds_the_people_in_their_order_so_that_a_click_names_one():
    people = ten_people()
    first = people_with_lines(Leaving(3)).data[0]
    np.testing.assert_allclose(first.x, HOURS.from_unit(people.x))
    np.testing.assert_allclose(first.y, SCORE.from_unit(people.y))


def test_the_lines_are_those_of_everyone_and_of_those_who_stay():
    leaving = Leaving(3)
    lines = named(people_with_lines(leaving))
    for name, data in (("OLS, all ten", leaving.everyone), ("OLS without person 3", leaving.remaining)):
        np.testing.assert_allclose(lines[name].y, SCORE.from_unit(data.predict([0, 1])))
    assert lines["leaves"].x[0] == HOURS.from_unit(leaving.everyone.x[2])
    assert set(named(people_with_lines(Leaving()))) == {"people", "OLS, all ten"}


@pytest.mark.parametrize("lesson", [Lesson(), Lesson(person_y=0.0), Lesson(person=9, person_x=13.5, person_y=100.0)])
def test_every_pair_is_in_a_bar(lesson):
    estimates = PairwiseEstimates(person_moved(lesson))
    bars = named(histogram(estimates))["pairs"]
    assert sum(bars.y) == estimates.after.size and min(bars.x) > LOW and max(bars.x) < HIGH
    middle = named(histogram(estimates))["median"].x[0]
    assert middle == pytest.approx(100 * np.median(estimates.after))


def test_bars_are_as_long_as_the_median_errors_or_end_in_an_arrow():
    rows = classes.median_class(Lesson())
    for row in rows.itertuples():
        bars = [bar for bar in error_bars(rows).data if bar.y[0].startswith(row.algorithm)]
        full, hollow, whisker = bars[:3]
        assert full.x[0] == pytest.approx(min(100 * min(row.noise, row.c68), REACH))
        assert hollow.base[0] + hollow.x[0] == pytest.approx(min(100 * row.c68, REACH))
        assert whisker.x == (100 * row.c68_low, pytest.approx(min(100 * row.c68_high, REACH)))
    wide = error_bars(classes.median_class(Lesson(students=20)))
    [arrow] = [
        each
        for each in wide.data
        if each.y[0].startswith("NoisyStats") and each["type"] == "scatter" and len(each.x) == 1
    ]
    assert arrow.marker.symbol == "triangle-right" and arrow.x[0] > REACH


def test_curves_are_the_ratios_and_the_chosen_scatter_is_marked():
    rows = classes.over_scatters(Lesson())
    figure = ratio_curves(rows, 5.0, Room())
    for name, part in rows.groupby("algorithm"):
        np.testing.assert_allclose(named(figure)[name].y, part["ratio"])
    assert any(shape.x0 == shape.x1 == 5.0 for shape in figure.layout.shapes)
