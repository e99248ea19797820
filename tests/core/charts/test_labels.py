"""Names of curves at their right ends: apart, inside the picture, in the order of the curves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from dpslr_core.charts.labels import Room, apart, named_curves

AXES = {
    "xaxis": {"title": {"text": "n"}, "range": [0, 2], "type": "log"},
    "yaxis": {"title": {"text": "error"}, "range": [-1, 1], "type": "log"},
}


def curve(name, y, **more):
    x = 10.0 ** np.linspace(0, 2, len(y))
    return {
        "type": "scatter",
        "name": name,
        "x": x,
        "y": np.array(y, dtype=float),
        "line": {"color": "#123456"},
        **more,
    }


def labels(figure):
    return {note.text: note.y for note in figure.layout.annotations}


@given(st.lists(st.floats(-2, 3), min_size=1, max_size=9).map(sorted))
def test_places_are_a_gap_apart_and_inside(heights):
    placed = apart(heights, 0.1, 0.05, 0.95)
    assert (np.diff(placed) >= 0.1 - 1e-9).all()
    assert placed.min() >= 0.05 - 1e-9 and placed.max() <= 0.95 + 1e-9


@given(st.lists(st.floats(-2, 3), min_size=1, max_size=9).map(sorted))
def test_places_are_the_nearest(heights):
    steps = 0.1 * np.arange(len(heights))
    expected = isotonic_regression(np.array(heights) - steps).x + steps
    np.testing.assert_allclose(apart(heights, 0.1, -10, 10), expected, atol=1e-12)


def test_what_is_apart_already_stays_and_equal_heights_are_centred():
    np.testing.assert_allclose(apart([0.1, 0.5, 0.9], 0.2, 0, 1), [0.1, 0.5, 0.9])
    np.testing.assert_allclose(apart([0.5, 0.5, 0.5], 0.1, 0, 1), [0.4, 0.5, 0.6])
    np.testing.assert_allclose(apart([1, 1], 0.1, 0, 1), [0.9, 1])


def test_names_stand_at_the_ends_and_there_is_no_legend():
    figure = named_curves([curve("low", [1, 1]), curve("high", [0.1, 10])], 430, **AXES)
    assert figure.layout.showlegend is False
    assert labels(figure)["low"] == pytest.approx(0.5) and labels(figure)["high"] > 0.9
    assert {note.x for note in figure.layout.annotations} == {1} and figure.layout.margin.r > 40


def test_curves_that_end_together_are_named_in_the_order_they_come_in():
    figure = named_curves([curve("late", [0.1, 0.1, 1]), curve("early", [0.1, 1, 1])], 430, **AXES)
    assert labels(figure)["early"] > labels(figure)["late"]


def test_a_curve_that_ends_early_has_a_line_to_its_name():
    figure = named_curves([curve("broken", [1, 2, np.nan])], 430, **AXES)
    (leader,) = figure.layout.shapes
    assert (leader.x0, leader.y0, leader.x1) == pytest.approx((10, 2, 100))
    assert (np.log10(leader.y1) + 1) / 2 == pytest.approx(labels(figure)["broken"])


def test_what_is_not_named_has_no_label():
    figure = named_curves([curve("band", [1, 1], showlegend=False), curve("mean", [1, 1])], 430, **AXES)
    assert list(labels(figure)) == ["mean"]


@pytest.mark.parametrize(("count", "narrow"), [(2, True), (40, False)])
def test_a_compact_legend_stands_below_where_there_is_no_room(count, narrow):
    figure = named_curves([curve(f"c{i}", [1, 2]) for i in range(count)], 430, Room(narrow), **AXES)
    assert not figure.layout.annotations and figure.layout.showlegend is not False
    assert figure.layout.height > 430 and figure.layout.height - figure.layout.margin.b > 300
