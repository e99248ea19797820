"""Curves: every number is in the picture, infinite ones are gaps; names apart, in the order of the curves."""

from itertools import pairwise
from math import inf

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from dpslr_core import sweep
from dpslr_core.charts import output_cdf, style
from dpslr_core.charts.curves import (
    GAUSSIAN,
    LINE,
    ONE,
    USUAL,
    Room,
    apart,
    error_curves,
    error_range,
    named_curves,
    noise_curves,
    power_curves,
)
from dpslr_core.charts.styles import dash_lengths
from dpslr_core.charts.vega import GREY, axis, round_ticks
from dpslr_core.experiments.released_intervals import POWER_COLUMNS
from dpslr_core.guidance.required_values import NoiseCurve, RequiredValue
from dpslr_core.mechanisms import OLS, DPExpTheilSen, NoisyStats
from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import Axis
from tests.cases.scenes import check_specification, marks, texts

NAMES = ("OLS", "NoisyStats", "NoisyIntercept")
HEIGHT = 420


def rows(name, errors, low=None, high=None):
    errors = np.asarray(errors, dtype=float)
    count = len(errors)
    return pd.DataFrame({
        "parameter": "n", "value": 10.0 ** np.arange(1, count + 1), "mechanism": name, "error": errors,
        "low": errors * 0.9 if low is None else low, "high": errors * 1.1 if high is None else high,
    })  # fmt: skip


def several():
    errors = ([1.0, 1.0, 1.0], [inf, 100.0, 10.0], [30.0, 20.0, 10.0])
    return pd.concat([rows(name, each) for name, each in zip(NAMES, errors, strict=True)])


def encoding(picture, data: str):
    return next(layer["encoding"] for layer in picture["layer"] if layer["data"].get("name") == data)


def test_the_curves_are_the_errors_of_the_sweep():
    base = Scenario(n=20, epsilon=4.0)
    frame = sweep("n", [10, 20, 40], base, [OLS(), NoisyStats(), DPExpTheilSen()], datasets=4)
    picture = error_curves(frame, (10, 40), "n", "error")
    check_specification(picture)
    curves = picture["datasets"]["curves"]
    for name, curve in frame.groupby("mechanism"):
        drawn = curves.loc[curves["algorithm"] == name, "y"]
        np.testing.assert_array_equal(drawn, np.where(np.isfinite(m := curve["error"]), m, np.nan))
    look = encoding(picture, "curves")
    assert look["color"]["scale"]["range"] == [style(name)["color"] for name in look["color"]["scale"]["domain"]]
    dashes = look["strokeDash"]["scale"]
    assert dashes["range"] == [dash_lengths(style(name)["dash"]) for name in dashes["domain"]]
    assert picture["layer"][0]["encoding"]["y"]["datum"] == 1.0


def test_names_of_curves_do_not_touch_and_all_is_on_the_canvas():
    picture = error_curves(several(), (10, 1000), "n", "error")
    names = sorted((mark for mark in marks(picture) if mark.text in NAMES), key=lambda mark: mark.y)
    assert len(names) == 3 and all(below.y - above.y >= LINE * 0.99 for above, below in pairwise(names))
    curves = [mark for mark in marks(picture) if mark.kind == "symbol"]
    assert all(0 < dot.x < names[0].x and 0 <= dot.y < HEIGHT + 10 for dot in curves if dot.more["role"] == "mark")


def test_the_best_has_its_colour_and_a_band_and_the_users_own_value_is_named():
    picture = error_curves(several(), (10, 1000), "n", "error", best="NoisyStats", here=100.0)
    scale = encoding(picture, "curves")["color"]["scale"]
    looks = dict(zip(scale["domain"], scale["range"], strict=True))
    assert looks.pop("NoisyStats") == style("NoisyStats")["color"] and set(looks.values()) == {GREY}
    assert picture["datasets"]["bands"]["algorithm"].unique().tolist() == ["NoisyStats"]
    assert {"you: 100", ONE} <= {mark.text for mark in marks(picture)}


def test_an_infinite_error_is_a_gap():
    frame = rows("NoisyStats", [3.0, np.inf, 2.0, 1.0])
    picture = error_curves(frame, (10, 10_000), "n", "error")
    assert np.isnan(picture["datasets"]["curves"]["y"]).tolist() == [False, True, False, False]
    lines = [mark for mark in marks(picture) if mark.kind == "line" and mark.more.get("strokeWidth") == 2]
    assert [mark.more.get("defined", True) for mark in sorted(lines, key=lambda mark: mark.x)].count(False) == 1


def test_the_band_ends_where_it_is_not_known_and_what_is_exact_has_none():
    frame = rows("OLS", [1.0, 2.0, np.inf, 3.0, 4.0])
    bands = error_curves(frame, (10, 1e5), "n", "error")["datasets"]["bands"]
    np.testing.assert_allclose(bands["low"], [0.9, 1.8, np.nan, 2.7, 3.6])
    np.testing.assert_allclose(bands["high"], [1.1, 2.2, np.nan, 3.3, 4.4])
    exact = error_curves(rows("OLS", [1.0, 2.0], low=[1.0, 2.0], high=[1.0, 2.0]), (10, 100), "n", "error")
    assert exact["datasets"]["bands"][["low", "high"]].isna().all(axis=None)
    across = encoding(error_curves(frame, (10, 100_000), "n", "error"), "curves")["x"]["scale"]
    assert across["type"] == "log" and np.log10(across["domain"]) == pytest.approx([0.9, 5.1])  # fixed by the settings


def test_power_is_a_curve_for_each_epsilon_with_its_limits():
    table = pd.DataFrame(
        [(n, 0.5, e, 0.5 + 0.05 * e, 0.4, 0.9) for n in (50, 100) for e in (1.0, 2.0, 4.0)], columns=POWER_COLUMNS
    )
    picture = power_curves(table, "CenteredStats", 0.8)
    check_specification(picture)
    curves, bands = picture["datasets"]["curves"], picture["datasets"]["bands"]
    assert curves["algorithm"].unique().tolist() == ["ε = 1", "ε = 2", "ε = 4"]
    assert curves.loc[curves["algorithm"] == "ε = 2", "y"].tolist() == [0.6, 0.6]
    assert set(bands["low"]) == {0.4} and set(bands["high"]) == {0.9}
    assert [layer["encoding"]["y"]["datum"] for layer in picture["layer"][:2]] == [0.05, 0.8]
    scale = encoding(picture, "curves")["color"]["scale"]
    assert set(scale["range"]) == {style("CenteredStats")["color"]}


def test_trials_are_named_only_where_there_is_no_exact_curve():
    kinds = [("NoisyStats", "exact"), ("NoisyStats", "trials"), ("DPGDPure", "trials")]
    curves = pd.concat([
        pd.DataFrame({"mechanism": name, "kind": kind, "estimate": [0.0, 0.5, 1.0], "cdf": [0.0, 0.4, 0.9]})
        for name, kind in kinds
    ])  # fmt: skip
    picture = output_cdf(curves, 0.5, 0.1, (0.0, 1.0), Axis("rides", "rides", 0, 1000))
    check_specification(picture)
    assert picture["datasets"]["names"]["algorithm"].nunique() == 3
    assert {"NoisyStats", "DPGDPure (trials)", GAUSSIAN} <= set(texts(picture))
    assert picture["datasets"]["trials"]["algorithm"].unique().tolist() == ["NoisyStats", "DPGDPure (trials)"]
    band = picture["layer"][0]["encoding"]
    assert (band["x"]["datum"], band["x2"]["datum"]) == pytest.approx((400, 600))
    scale = encoding(picture, "trials")["color"]["scale"]
    assert dict(zip(scale["domain"], scale["range"], strict=True))["DPGDPure (trials)"] == style("DPGDPure")["color"]


def test_curves_mark_where_the_target_is_reached():
    reached = NoiseCurve(RequiredValue("DPExpTheilSen", 2.0, 1e-3, 1e3), (0.5, 2.0, 5.0), (np.inf, 1.0, 0.5), 4)
    never = NoiseCurve(RequiredValue("NoisyIntercept", None, 1e-3, 1e3), (0.5, 5.0), (9.0, 8.0), 4)
    drawn = noise_curves([reached, never], 1.0, 3.0)
    check_specification(drawn)
    dots, points = drawn["datasets"]["medians"], drawn["datasets"]["curves"]
    assert dots[["algorithm", "x", "y"]].to_numpy().tolist() == [["DPExpTheilSen", 2.0, 1.0]]
    np.testing.assert_array_equal(points["y"], [np.nan, 1.0, 0.5, 9.0, 8.0])
    across, up = (layer["encoding"] for layer in drawn["layer"][:2])
    assert (across["x"]["datum"], up["y"]["datum"]) == (3.0, 1.0)


# Names.


@given(st.lists(st.floats(-2, 3), min_size=1, max_size=9).map(sorted))
def test_places_are_the_nearest_a_gap_apart_and_inside(heights):
    placed = apart(heights, 0.1, 0.05, 0.95)
    assert (np.diff(placed) >= 0.1 - 1e-9).all()
    assert placed.min() >= 0.05 - 1e-9 and placed.max() <= 0.95 + 1e-9
    steps = 0.1 * np.arange(len(heights))
    expected = isotonic_regression(np.array(heights) - steps).x + steps
    np.testing.assert_allclose(apart(heights, 0.1, -10, 10), expected, atol=1e-12)


def curve(name, y):
    y = np.array(y, dtype=float)
    return pd.DataFrame({"algorithm": name, "x": 10.0 ** np.linspace(0, 2, y.size), "y": y})


def drawn(*curves, room=USUAL, **more):
    across, up = axis("n", (1.0, 100.0), log=True), axis("error", (0.1, 10.0), log=True)
    return named_curves({"curves": (pd.concat(curves), {})}, across, up, 430, room, **more)


def heights(picture):
    return {mark.text: mark.y for mark in marks(picture) if mark.text and mark.more["role"] == "mark"}


def test_curves_that_end_together_are_named_in_the_order_they_come_in():
    found = heights(drawn(curve("late", [0.1, 0.1, 1]), curve("early", [0.1, 1, 1])))
    assert found["early"] < found["late"]


def test_a_curve_that_ends_early_has_a_line_to_its_name():
    picture = drawn(curve("broken", [1, 2, np.nan]))
    (name,) = picture["datasets"]["names"].itertuples()
    assert (name.x, name.y) == (10, 2) and name.name_at == pytest.approx(2)
    assert any(mark.kind == "rule" and mark.x > 100 for mark in marks(picture))


def test_a_compact_legend_stands_below_where_there_is_no_room():
    for count, narrow in ((2, True), (25, False)):
        picture = drawn(*(curve(f"c{i}", [1, 2]) for i in range(count)), room=Room(narrow))
        assert "names" not in picture["datasets"] and picture["height"] > 430
        assert encoding(picture, "curves")["color"]["legend"]["orient"] == "bottom"
        assert {f"c{i}" for i in range(count)} <= set(texts(picture))


# Axes.


def test_the_error_axis_moves_in_steps_and_holds_the_line_at_1():
    for errors in ([1.0], [0.02, 800.0], [5e-7, 1e9], [np.inf], [0.0]):
        low, high = error_range(errors)
        assert 1e-3 <= low < 1 < high <= 1e4
        steps = 2 * np.log10([low, high])
        assert steps == pytest.approx(steps.round(), abs=1e-9)
        assert all(low <= error <= high for error in errors if 1e-3 <= error <= 1e4)


def test_a_logarithmic_axis_has_a_few_round_ticks_within_it():
    for span in [(0.9, 1.1), (3, 2_100), (1e-5, 0.04), (1e-12, 1e12), (10, 10)]:
        ticks = np.array(round_ticks(span))
        assert 1 <= ticks.size <= 26 and (np.diff(ticks) > 0).all()
        assert ticks[0] >= span[0] * (1 - 1e-9) and ticks[-1] <= span[1] * (1 + 1e-9)
        digits = ticks / 10 ** np.floor(np.log10(ticks) + 1e-9)
        assert np.isclose(digits[:, None], [1, 2, 3, 5, 7]).any(axis=1).all()
