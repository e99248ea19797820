"""Pictures of a moved record: what is drawn is what was computed, in the users' units."""

from __future__ import annotations

from html import unescape
from math import exp

import numpy as np
import pytest

from dpslr_core import Dataset
from dpslr_core.charts.moved import moved_scatter, odds_chart
from dpslr_core.experiments.moved import MovedRecord, output_change
from dpslr_core.lesson.settings import HOURS, SCORE, Lesson
from dpslr_core.lesson.steps import person_moved
from dpslr_core.mechanisms import DPExpTheilSen, DPExpTheilSenZCDP
from dpslr_core.privacy import Budget
from dpslr_core.sources.axis import Axis
from dpslr_core.sources.linear import LinearModel

NAME = '<a href="http://evil.invalid">x</a>'
MOVED = person_moved(Lesson(person=10, person_y=0.0))


def drawn(change, y):
    return odds_chart(change, change.odds((0, 1), y), y)


def named(figure):
    return {trace.name: trace for trace in figure.data}


def test_the_first_trace_holds_the_records_in_their_order_so_that_a_click_names_one():
    first = moved_scatter(MOVED, HOURS, SCORE).data[0]
    np.testing.assert_allclose(first.x, HOURS.from_unit(MOVED.before.x))
    np.testing.assert_allclose(first.y, SCORE.from_unit(MOVED.before.y))


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


@pytest.mark.parametrize("epsilon", [0.1, 2.0, 16.0])
def test_odds_stay_in_the_band_that_epsilon_allows(epsilon):
    change = output_change(MOVED, DPExpTheilSen(), Budget(epsilon, (0.75,)))
    figure = drawn(change, SCORE)
    [band] = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    assert (band.y0, band.y1) == (pytest.approx(exp(-epsilon)), pytest.approx(exp(epsilon)))
    odds = np.asarray(named(figure)["odds"].y)
    assert band.y0 <= np.nanmin(odds) and np.nanmax(odds) <= band.y1
    table = change.odds((0, 1), SCORE)
    np.testing.assert_allclose(table["odds"], table["after"] / table["before"])
    assert table["before"].sum() * np.diff(table["estimate"])[0] < 1.01


def test_without_pure_privacy_there_is_no_band():
    change = output_change(MOVED, DPExpTheilSenZCDP(), Budget(2.0))
    assert not [shape for shape in drawn(change, SCORE).layout.shapes if shape.type == "rect"]


def test_large_data_are_drawn():
    rng = np.random.default_rng(0)
    data = Dataset(rng.random(2500), rng.random(2500))
    assert moved_scatter(MovedRecord(data, 0, 0.5, 0.5)).data[0].type == "scattergl"


def test_many_records_are_drawn_as_a_density_that_nobody_can_click():
    data = LinearModel(30_000, 0.03, 0.01).replicate(0, 0)
    figure = moved_scatter(MovedRecord(data, 0, float(data.x[0]), float(data.y[0])))
    assert figure.data[0].type == "histogram2d"
