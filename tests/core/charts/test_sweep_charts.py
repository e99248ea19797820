"""Charts of sweeps: every number of the frame is in the picture, infinite ones are gaps."""

from itertools import pairwise
from math import inf, log10

import numpy as np
import pandas as pd
import pytest
from scenes import Mark, check_specification, marks, texts

from dpslr_core import sweep
from dpslr_core.charts import style
from dpslr_core.charts.labels import LINE, Room
from dpslr_core.charts.styles import dash_lengths
from dpslr_core.charts.sweeps import HEIGHT, error_curves, width_curves
from dpslr_core.mechanisms import OLS, DPExpTheilSen, NoisyStats
from dpslr_core.scenario import Scenario

NAMES = ("OLS", "NoisyStats", "NoisyIntercept")


def rows(name, means, low=None, high=None, median=None, parameter="n"):
    means = np.asarray(means, dtype=float)
    count = len(means)
    return pd.DataFrame({
        "parameter": parameter, "value": 10.0 ** np.arange(1, count + 1), "mechanism": name, "mean": means,
        "low": means * 0.9 if low is None else low, "high": means * 1.1 if high is None else high,
        "median": means if median is None else median, "infinite_share": np.where(np.isfinite(means), 0.0, 0.25),
    })  # fmt: skip


def several(**more):
    means = ([1.0, 1.0, 1.0], [inf, 100.0, 10.0], [30.0, 20.0, 10.0])
    return pd.concat(
        [rows(name, each, median=np.full(3, inf), **more) for name, each in zip(NAMES, means, strict=True)]
    )


def dots(picture, name: str) -> list[Mark]:
    """The dots of a curve, from left to right."""
    found = [mark for mark in marks(picture) if mark.kind == "symbol" and mark.color == style(name)["color"]]
    return sorted(found, key=lambda mark: mark.x)


def encoding(picture, data: str):
    return next(layer["encoding"] for layer in picture["layer"] if layer["data"]["name"] == data)


def test_the_curves_are_the_means_of_the_sweep():
    base = Scenario(n=20, epsilon=4.0)
    frame = sweep("n", [10, 20, 40], base, [OLS(), NoisyStats(), DPExpTheilSen()], datasets=4)
    picture = error_curves(frame, (10, 40), "n", "error")
    check_specification(picture)
    curves = picture["datasets"]["curves"]
    for name, curve in frame.groupby("mechanism"):
        drawn = curves.loc[curves["mechanism"] == name, "mean"]
        np.testing.assert_array_equal(drawn, np.where(np.isfinite(m := curve["mean"]), m, np.nan))
    look = encoding(picture, "curves")
    assert look["color"]["scale"]["range"] == [style(name)["color"] for name in look["color"]["scale"]["domain"]]
    dashes = look["strokeDash"]["scale"]
    assert dashes["range"] == [dash_lengths(name) for name in dashes["domain"]]
    assert picture["datasets"]["one"]["mean"].tolist() == [1.0]


def test_both_axes_are_logarithmic_and_infinite_errors_leave_a_gap():
    picture = error_curves(several(), (10, 1000), "n", "error")
    ols, noisy = dots(picture, "OLS"), dots(picture, "NoisyStats")
    assert (len(ols), len(noisy)) == (3, 2)
    assert ols[1].x - ols[0].x == pytest.approx(ols[2].x - ols[1].x) and noisy[0].x == ols[1].x
    per_decade = noisy[1].y - noisy[0].y  # from 100 down to 10
    assert per_decade > 0 and ols[0].y - noisy[1].y == pytest.approx(per_decade * log10(10 / 1))


def test_names_of_curves_do_not_touch_and_all_is_on_the_canvas():
    picture = error_curves(several(), (10, 1000), "n", "error")
    names = sorted((mark for mark in marks(picture) if mark.text in NAMES), key=lambda mark: mark.y)
    assert len(names) == 3 and all(below.y - above.y >= LINE * 0.99 for above, below in pairwise(names))
    for name in NAMES:
        assert all(0 < dot.x < names[0].x and 0 <= dot.y < HEIGHT + 10 for dot in dots(picture, name)), name
    narrow = error_curves(several(), (10, 1000), "n", "error", Room(narrow=True))
    assert set(NAMES) <= set(texts(narrow, 340)) and encoding(narrow, "curves")["color"]["legend"]["orient"] == "bottom"


def test_an_infinite_mean_is_a_gap_with_the_median_as_an_open_circle():
    frame = rows("NoisyStats", [3.0, np.inf, 2.0, 1.0], median=[3.0, 7.0, 2.0, 1.0])
    picture = error_curves(frame, (10, 10_000), "n", "error")
    assert np.isnan(picture["datasets"]["curves"]["mean"]).tolist() == [False, True, False, False]
    circles = picture["datasets"]["medians"][["value", "median", "infinite_share"]]
    assert circles.to_numpy().tolist() == [[100.0, 7.0, 0.25]]
    lines = [mark for mark in marks(picture) if mark.kind == "line" and mark.more.get("strokeWidth") == 2]
    assert [mark.more.get("defined", True) for mark in sorted(lines, key=lambda mark: mark.x)].count(False) == 1


def test_the_band_ends_where_it_is_not_known():
    frame = rows("OLS", [1.0, 2.0, np.inf, 3.0, 4.0])
    bands = error_curves(frame, (10, 1e5), "n", "error")["datasets"]["bands"]
    np.testing.assert_allclose(bands["low"], [0.9, 1.8, np.nan, 2.7, 3.6])
    np.testing.assert_allclose(bands["high"], [1.1, 2.2, np.nan, 3.3, 4.4])


def test_what_is_exact_has_no_band():
    frame = rows("OLS", [1.0, 2.0], low=[1.0, 2.0], high=[1.0, 2.0])
    bands = error_curves(frame, (10, 100), "n", "error")["datasets"]["bands"]
    assert bands[["low", "high"]].isna().all(axis=None)


def test_the_parameters_axis_is_fixed_by_the_settings():
    across = encoding(error_curves(rows("OLS", [1.0, 2.0]), (10, 100_000), "n", "error"), "curves")["x"]["scale"]
    assert across["type"] == "log" and np.log10(across["domain"]) == pytest.approx([0.9, 5.1])


@pytest.mark.parametrize("parameter, linear", [("x_new", True), ("slope", True), ("n", False)])
def test_a_linear_parameter_has_a_linear_axis(parameter: str, linear: bool):
    picture = error_curves(several(parameter=parameter), (10, 1000), "x", "error")
    xs = [dot.x for dot in dots(picture, "OLS")]
    assert (xs[1] - xs[0]) / (xs[2] - xs[0]) == pytest.approx(90 / 990 if linear else 0.5)
    assert encoding(picture, "curves")["x"]["scale"]["type"] == ("linear" if linear else "log")


def test_widths_of_intervals_are_curves_with_gaps_where_they_have_no_ends():
    frame = pd.concat([rows("OLS", [0.1, 0.05, 0.02]), rows("CenteredStats", [np.inf, 0.2, 0.03])])
    frame = frame.rename(columns={"mean": "width"})[["parameter", "value", "mechanism", "width"]].assign(two_ends=1.0)
    picture = width_curves(frame, (10, 1000), "n", "width")
    check_specification(picture)
    curves = picture["datasets"]["curves"].set_index("mechanism")
    np.testing.assert_array_equal(curves.loc["CenteredStats", "mean"], [np.nan, 0.2, 0.03])
    np.testing.assert_array_equal(curves.loc["OLS", "value"], [10, 100, 1000])
    up = encoding(picture, "curves")["y"]["scale"]
    assert up["domain"][0] <= 0.02 and up["domain"][1] >= 0.2 and up["type"] == "log"


def test_a_shape_is_made_once_for_all_data():
    first, second = (error_curves(rows("OLS", means), (10, 100), "n", "error") for means in ([1.0, 2.0], [1.5, 1.2]))
    assert first["layer"] is second["layer"]
    assert not first["datasets"]["curves"].equals(second["datasets"]["curves"])
