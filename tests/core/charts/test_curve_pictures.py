"""Curves: every number is in the picture, infinite ones are gaps; names apart, in the order of the curves."""

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
    Room,
    apart,
    error_curves,
    error_range,
)
from dpslr_core.mechanisms import OLS, DPExpTheilSen, NoisyStats
from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import Axis
from tests.cases.scenes import check_specification, marks, texts


def rows(name, errors, low=None, high=None):
    errors = np.asarray(errors, dtype=float)
    count = len(errors)
    return pd.DataFrame(
        {
            "parameter": "n",
            "value": 10.0 ** np.arange(1, count + 1),
            "mechanism": name,
            "error": errors,
            "low": errors * 0.9 if low is None else low,
            "high": errors * 1.1 if high is None else high,
        }
    )


def encoding(picture, data: str):
    return next(
        layer["encoding"] for layer in picture["layer"] if layer["data"].get("name") == data
    )


def test_the_curves_are_the_errors_of_the_sweep():
    base = Scenario(n=20, epsilon=4.0)
    frame = sweep("n", [10, 20, 40], base, [OLS(), NoisyStats(), DPExpTheilSen()], datasets=4)
    picture = error_curves(frame, (10, 40), "n", "error")
    check_specification(picture)
    curves, ends = picture["datasets"]["curves"], picture["datasets"]["names"]
    for name, curve in frame.groupby("mechanism"):
        last = curves[curves["algorithm"] == name].dropna().iloc[-1]
        np.testing.assert_array_equal(
            ends.loc[ends["algorithm"] == name, ["x", "y"]], [last[["x", "y"]]]
        )
        drawn = curves.loc[curves["algorithm"] == name, "y"]
        np.testing.assert_array_equal(drawn, np.where(np.isfinite(m := curve["error"]), m, np.nan))
    colors = encoding(picture, "curves")["color"]["scale"]
    assert colors["range"] == [style(name)["color"] for name in colors["domain"]]
    assert picture["layer"][0]["encoding"]["y"]["datum"] == 1.0


def test_names_of_curves_do_not_touch_and_stand_below_where_there_is_no_room():
    names = ("OLS", "NoisyStats", "NoisyIntercept")
    frame = pd.concat([rows(name, [1.0, 2.0]) for name in names])
    heights = sorted(
        mark.y for mark in marks(error_curves(frame, (10, 100), "n", "error")) if mark.text in names
    )
    assert len(heights) == 3 and np.diff(heights).min() >= LINE * 0.99
    assert (
        "names" not in error_curves(frame, (10, 100), "n", "error", Room(narrow=True))["datasets"]
    )


def test_the_band_ends_where_it_is_not_known_and_what_is_exact_has_none():
    frame = rows("OLS", [1.0, 2.0, np.inf, 3.0, 4.0], high=[1.1, np.inf, np.inf, 3.3, 4.4])
    bands = error_curves(frame, (10, 1e5), "n", "error")["datasets"]["bands"]
    np.testing.assert_allclose(bands["low"], [0.9, np.nan, np.nan, 2.7, 3.6])
    np.testing.assert_allclose(bands["high"], [1.1, np.nan, np.nan, 3.3, 4.4])
    exact = error_curves(
        rows("OLS", [1.0, 2.0], low=[1.0, 2.0], high=[1.0, 2.0]), (10, 100), "n", "error"
    )
    assert exact["datasets"]["bands"][["low", "high"]].isna().all(axis=None)


def test_trials_are_named_only_where_there_is_no_exact_curve():
    kinds = [("NoisyStats", "exact"), ("NoisyStats", "trials"), ("DPGDPure", "trials")]
    curves = pd.concat(
        [
            pd.DataFrame(
                {
                    "mechanism": name,
                    "kind": kind,
                    "estimate": [0.0, 0.5, 1.0],
                    "cdf": [0.0, 0.4, 0.9],
                }
            )
            for name, kind in kinds
        ]
    )
    picture = output_cdf(curves, 0.5, 0.1, (0.0, 1.0), Axis("rides", "rides", 0, 1000))
    check_specification(picture)
    assert {"NoisyStats", "DPGDPure (trials)", GAUSSIAN} <= set(texts(picture))
    assert picture["datasets"]["trials"]["algorithm"].unique().tolist() == [
        "NoisyStats",
        "DPGDPure (trials)",
    ]
    band = picture["layer"][0]["encoding"]
    assert (band["x"]["datum"], band["x2"]["datum"]) == pytest.approx((400, 600))


# Names.


@given(st.lists(st.floats(-2, 3), min_size=1, max_size=9).map(sorted))
def test_places_are_the_nearest_a_gap_apart_and_inside(heights):
    placed = apart(heights, 0.1, 0.05, 0.95)
    assert (np.diff(placed) >= 0.1 - 1e-9).all()
    assert placed.min() >= 0.05 - 1e-9 and placed.max() <= 0.95 + 1e-9
    steps = 0.1 * np.arange(len(heights))
    expected = isotonic_regression(np.array(heights) - steps).x + steps
    np.testing.assert_allclose(apart(heights, 0.1, -10, 10), expected, atol=1e-12)


# Axes.


def test_the_error_axis_moves_in_steps_and_holds_the_line_at_1():
    for errors in ([1.0], [0.02, 800.0], [5e-7, 1e9], [np.inf], [0.0]):
        low, high = error_range(errors)
        assert 1e-3 <= low < 1 < high <= 1e4
        steps = 2 * np.log10([low, high])
        assert steps == pytest.approx(steps.round(), abs=1e-9)
        assert all(low <= error <= high for error in errors if 1e-3 <= error <= 1e4)
