"""The pictures of the lesson and of a moved record: what is drawn is what was computed, in the users' units."""

from __future__ import annotations

from html import unescape
from math import exp

import numpy as np
import pytest

from dpslr_core import Dataset
from dpslr_core.charts.labels import Room
from dpslr_core.charts.lesson.errors import REACH, error_bars, over_scatter
from dpslr_core.charts.lesson.moved import moved_scatter, people_with_lines
from dpslr_core.charts.lesson.odds import odds_chart
from dpslr_core.charts.lesson.pairwise import HIGH, LOW, histogram
from dpslr_core.experiments.lesson import errors
from dpslr_core.experiments.lesson.medians import PairwiseEstimates, person_moved
from dpslr_core.experiments.lesson.odds import odds_table
from dpslr_core.experiments.lesson.people import HOURS, POINT, SCORE, ten_people
from dpslr_core.experiments.lesson.settings import Lesson
from dpslr_core.experiments.moved import MovedRecord, output_change
from dpslr_core.mechanisms import DPExpTheilSen, DPExpTheilSenZCDP
from dpslr_core.sources.axis import Axis
from dpslr_core.sources.linear import LinearModel
from dpslr_core.support.run import Budget

NAME = '<a href="http://evil.invalid">x</a>'
MOVED = person_moved(Lesson(person=10, person_y=0.0))


def drawn(change, y):
    return odds_chart(change, change.odds((0, 1)), y)


def named(figure):
    return {trace.name: trace for trace in figure.data}


def test_the_first_trace_holds_the_records_in_their_order_so_that_a_click_names_one():
    data = ten_people()
    for figure in (
        moved_scatter(MOVED, HOURS, SCORE),
        people_with_lines(data, [("OLS", data)], None, HOURS, SCORE, POINT),
    ):
        np.testing.assert_allclose(figure.data[0].x, HOURS.from_unit(data.x))
        np.testing.assert_allclose(figure.data[0].y, SCORE.from_unit(data.y))


def test_a_moved_record_has_both_lines_twice_and_one_that_was_not_once():
    lines = named(moved_scatter(MOVED, HOURS, SCORE))
    assert {"OLS", "OLS, before", "Theil–Sen", "Theil–Sen, before"} <= set(lines)
    np.testing.assert_allclose(lines["OLS"].y, SCORE.from_unit(MOVED.after.predict([0, 1])))
    np.testing.assert_allclose(lines["OLS, before"].y, SCORE.from_unit(MOVED.before.predict([0, 1])))
    still = moved_scatter(MovedRecord(MOVED.before, 9, *MOVED.old), HOURS, SCORE)
    assert "OLS, before" not in named(still) and not still.layout.annotations


def test_names_of_columns_are_no_markup():
    figures = [
        moved_scatter(MOVED, Axis(NAME), Axis(NAME)),
        drawn(output_change(MOVED, DPExpTheilSen(), Budget(2.0)), Axis(NAME)),
    ]
    for figure in figures:
        titles = [axis.title.text for axis in (*figure.select_xaxes(), *figure.select_yaxes()) if axis.title.text]
        assert not set("".join(titles)) & set("<>") and any(NAME in unescape(title) for title in titles)


@pytest.mark.parametrize("lesson", [Lesson(), Lesson(person_y=0.0), Lesson(person=9, person_x=13.5, person_y=100.0)])
def test_every_pair_is_in_a_bar(lesson):
    estimates = PairwiseEstimates(person_moved(lesson))
    bars = named(histogram(estimates))["pairs"]
    assert sum(bars.y) == estimates.after.size and min(bars.x) > LOW and max(bars.x) < HIGH
    middle = named(histogram(estimates))["median"].x[0]
    assert middle == pytest.approx(100 * np.median(estimates.after))


@pytest.mark.parametrize("epsilon", [0.1, 2.0, 16.0])
def test_odds_stay_in_the_band_that_epsilon_allows(epsilon):
    change = output_change(MOVED, DPExpTheilSen(), Budget(epsilon, (POINT,)))
    figure = drawn(change, SCORE)
    [band] = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    assert (band.y0, band.y1) == (pytest.approx(exp(-epsilon)), pytest.approx(exp(epsilon)))
    odds = np.asarray(named(figure)["odds"].y)
    assert band.y0 <= np.nanmin(odds) and np.nanmax(odds) <= band.y1
    table = odds_table(change.odds((0, 1)), SCORE)
    np.testing.assert_allclose(table["odds"], table["after"] / table["before"])
    assert table["before"].sum() * np.diff(table["estimate"])[0] < 1.01


def test_without_pure_privacy_there_is_no_band():
    change = output_change(MOVED, DPExpTheilSenZCDP(), Budget(2.0))
    assert not [shape for shape in drawn(change, SCORE).layout.shapes if shape.type == "rect"]


def test_bars_are_as_long_as_the_median_errors_or_end_in_an_arrow():
    rows = errors.median_class(Lesson())
    for row in rows.itertuples():
        bars = [bar for bar in error_bars(rows).data if bar.y[0].startswith(row.algorithm)]
        full, hollow, whisker = bars[:3]
        assert full.x[0] == pytest.approx(min(100 * min(row.noise, row.c68), REACH))
        assert hollow.base[0] + hollow.x[0] == pytest.approx(min(100 * row.c68, REACH))
        assert whisker.x == (100 * row.c68_low, pytest.approx(min(100 * row.c68_high, REACH)))
    wide = error_bars(errors.median_class(Lesson(students=20)))
    [arrow] = [
        each
        for each in wide.data
        if each.y[0].startswith("NoisyStats") and each["type"] == "scatter" and len(each.x) == 1
    ]
    assert arrow.marker.symbol == "triangle-right" and arrow.x[0] > REACH


def test_curves_are_the_ratios_and_the_chosen_scatter_is_marked():
    rows = errors.over_scatters(Lesson())
    figure = over_scatter(rows, 5.0, Room())
    for name, part in rows.groupby("algorithm"):
        np.testing.assert_allclose(named(figure)[name].y, part["ratio"])
    assert any(shape.x0 == shape.x1 == 5.0 for shape in figure.layout.shapes)


def test_large_data_are_drawn():
    rng = np.random.default_rng(0)
    data = Dataset(rng.random(2500), rng.random(2500))
    assert moved_scatter(MovedRecord(data, 0, 0.5, 0.5)).data[0].type == "scattergl"


def test_many_records_are_drawn_as_a_density_that_nobody_can_click():
    data = LinearModel(30_000, 0.03, 0.01).replicate(0, 0)
    figure = moved_scatter(MovedRecord(data, 0, float(data.x[0]), float(data.y[0])))
    assert figure.data[0].type == "histogram2d"
