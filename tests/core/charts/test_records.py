"""Records: everything at its place, nothing outside, small for many records; texts of others are no markup."""

from __future__ import annotations

from html import unescape

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpslr_core import compare
from dpslr_core.charts.records import (
    CELLS,
    MANY_POINTS,
    RECORD,
    SAVED,
    moved_scatter,
    records_picture,
    spaghetti,
)
from dpslr_core.charts.styles import as_text
from dpslr_core.charts.vega import WIDE, Spec
from dpslr_core.dataset import Dataset
from dpslr_core.experiments.curves import private_lines, regression_lines
from dpslr_core.lesson.settings import HOURS, SCORE, Lesson
from dpslr_core.lesson.steps import person_moved
from dpslr_core.mechanisms import OLS, NoisyIntercept
from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import Axis
from dpslr_core.text.phrases import format_amount, value_on
from tests.cases.scenes import Mark, check_specification, dots, marks, texts

DATA = Scenario(n=30).source.load().dataset()
HOSTILE = Axis('<a href="http://evil.invalid">x</a><br>&lt;b&gt; $x$', "<i>m</i>")
X, Y = Axis("age", "years", 20, 60), Axis("pay", "", 0, 5000)


def of_color(picture: Spec, color: str, kind: str = "symbol") -> list[Mark]:
    return [mark for mark in marks(picture) if mark.kind == kind and mark.color == color]


def inside(picture: Spec) -> bool:
    return all(0 <= mark.x <= WIDE and 0 <= mark.y <= SAVED + 80 for mark in dots(picture))


def test_every_record_is_a_dot_at_its_place():
    picture = records_picture(DATA, regression_lines(DATA), X, Y)
    check_specification(picture)
    records = of_color(picture, RECORD)
    assert np.corrcoef([dot.x for dot in records], DATA.x)[0, 1] == pytest.approx(1)
    assert np.corrcoef([dot.y for dot in records], DATA.y)[0, 1] == pytest.approx(-1)
    zoomed = records_picture(DATA, regression_lines(DATA), X, Y, zoom=True)
    assert np.ptp([dot.x for dot in of_color(zoomed, RECORD)]) > np.ptp([dot.x for dot in records])
    assert len(records) == 30 and inside(picture) and inside(zoomed)
    bare, named = (
        set(texts(picture)),
        set(texts(records_picture(DATA, regression_lines(DATA), X, Y, at=0.25, theil_sen=True))),
    )
    center, error = (float(of([0.25])[0]) for of in (DATA.predict, DATA.standard_error))
    prediction = f"at age = 30 years: {value_on(Y, center)} ±{format_amount(5000 * error)}"
    assert "Theil–Sen line" not in bare and {"Theil–Sen line", prediction} <= named


def test_many_records_are_a_density():
    rng = np.random.default_rng(0)
    data = Dataset(rng.random(MANY_POINTS + 1), rng.random(MANY_POINTS + 1))
    picture = records_picture(data, regression_lines(data))
    check_specification(picture)
    cells = of_color(picture, RECORD, "rect")
    assert not of_color(picture, RECORD) and 0 < len(cells) <= CELLS[0] * CELLS[1]


# By Plotly.


MOVED = person_moved(Lesson(person=10, person_y=0.0))


def test_the_first_trace_holds_the_records_in_their_order_so_that_a_click_names_one():
    first = moved_scatter(MOVED, HOURS, SCORE).data[0]
    np.testing.assert_allclose(first.x, HOURS.from_unit(MOVED.before.x))
    np.testing.assert_allclose(first.y, SCORE.from_unit(MOVED.before.y))


@given(st.text())
def test_the_text_is_the_same_without_marks(text):
    assert unescape(as_text(text)) == text
    assert not set(as_text(text)) & set("<>$")


def test_names_of_columns_are_no_markup():
    lines = regression_lines(DATA)
    figure = moved_scatter(MOVED, HOSTILE, HOSTILE)
    titles = [axis.title.text for axis in (*figure.select_xaxes(), *figure.select_yaxes())]
    assert len(titles) == 2 and not set("".join(titles)) & set("<>$")
    assert all(unescape(title) == HOSTILE.label for title in titles)
    assert HOSTILE.label in texts(records_picture(DATA, lines, HOSTILE, HOSTILE))


def test_private_lines_have_a_panel_for_each_algorithm_with_the_same_axes():
    lines = private_lines(compare(DATA, [OLS(), NoisyIntercept()], 2.0, trials=3))
    panels = spaghetti(DATA, lines, X, Y)
    assert list(panels) == ["OLS", "NoisyIntercept"]
    for name, panel in panels.items():
        check_specification(panel)
        rows = lines[lines["mechanism"] == name]
        np.testing.assert_allclose(panel["datasets"]["lines"]["y"], Y.from_unit(rows["y"]))
