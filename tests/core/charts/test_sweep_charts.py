"""Charts of sweeps: every number of the frame is in the figure, infinite ones are gaps."""

import numpy as np
import pandas as pd
import pytest

from dpslr_core import sweep
from dpslr_core.charts import style
from dpslr_core.charts.sweeps import error_curves, width_curves
from dpslr_core.mechanisms import OLS, DPExpTheilSen, NoisyStats
from dpslr_core.scenario import Scenario


def rows(name, means, low=None, high=None, median=None, parameter="n"):
    means = np.asarray(means, dtype=float)
    count = len(means)
    return pd.DataFrame({
        "parameter": parameter, "value": 10.0 ** np.arange(1, count + 1), "mechanism": name, "mean": means,
        "low": means * 0.9 if low is None else low, "high": means * 1.1 if high is None else high,
        "median": means if median is None else median, "infinite_share": np.where(np.isfinite(means), 0.0, 0.25),
    })  # fmt: skip


def trace(figure, name):
    return next(t for t in figure.data if t.name == name)


def test_the_curves_are_the_means_of_the_sweep():
    base = Scenario(n=20, epsilon=4.0)
    frame = sweep("n", [10, 20, 40], base, [OLS(), NoisyStats(), DPExpTheilSen()], datasets=4)
    figure = error_curves(frame, (10, 40), "n", "error")
    for name, curve in frame.groupby("mechanism"):
        np.testing.assert_array_equal(trace(figure, name).y, np.where(np.isfinite(m := curve["mean"]), m, np.nan))
        assert trace(figure, name).line.color == style(name)["color"]
        assert trace(figure, name).line.dash == style(name)["dash"]
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    assert figure.layout.shapes[0].y0 == 1


def test_an_infinite_mean_is_a_gap_with_the_median_as_an_open_circle():
    frame = rows("NoisyStats", [3.0, np.inf, 2.0, 1.0], median=[3.0, 7.0, 2.0, 1.0])
    figure = error_curves(frame, (10, 10_000), "n", "error")
    assert np.isnan(trace(figure, "NoisyStats").y).tolist() == [False, True, False, False]
    assert not trace(figure, "NoisyStats").connectgaps
    circles = trace(figure, "NoisyStats (median)")
    assert (circles.x.tolist(), circles.y.tolist(), circles.customdata.tolist()) == ([100.0], [7.0], [0.25])


def test_the_band_is_a_closed_area_for_each_stretch():
    frame = rows("OLS", [1.0, 2.0, np.inf, 3.0, 4.0])
    band = trace(error_curves(frame, (10, 1e5), "n", "error"), "OLS (95%)")
    assert band.fill == "toself"
    np.testing.assert_allclose(band.x[:5], [10, 100, 100, 10, np.nan])
    np.testing.assert_allclose(band.y[:5], [1.1, 2.2, 1.8, 0.9, np.nan])
    assert len(band.x) == 10


def test_what_is_exact_has_no_band():
    frame = rows("OLS", [1.0, 2.0], low=[1.0, 2.0], high=[1.0, 2.0])
    assert [t.name for t in error_curves(frame, (10, 100), "n", "error").data] == ["OLS"]


def test_the_parameters_axis_is_fixed_by_the_settings():
    figure = error_curves(rows("OLS", [1.0, 2.0]), (10, 100_000), "n", "error")
    low, high = figure.layout.xaxis.range
    assert low == pytest.approx(0.9) and high == pytest.approx(5.1)


def test_a_linear_parameter_has_a_linear_axis():
    frame = rows("OLS", [1.0, 2.0], parameter="x_new").assign(value=[0.0, 1.0])
    figure = error_curves(frame, (0, 1), "x", "error")
    assert figure.layout.xaxis.type is None and figure.layout.xaxis.range[0] < 0


def test_widths_of_intervals_are_curves_with_gaps_where_they_have_no_ends():
    frame = pd.concat([rows("OLS", [0.1, 0.05, 0.02]), rows("CenteredStats", [np.inf, 0.2, 0.03])])
    frame = frame.rename(columns={"mean": "width"})[["parameter", "value", "mechanism", "width"]].assign(two_ends=1.0)
    figure = width_curves(frame, (10, 1000), "n", "width")
    np.testing.assert_array_equal(trace(figure, "CenteredStats").y, [np.nan, 0.2, 0.03])
    np.testing.assert_array_equal(trace(figure, "OLS").x, [10, 100, 1000])
    low, high = 10 ** np.array(figure.layout.yaxis.range)
    assert low <= 0.02 and high >= 0.2 and figure.layout.yaxis.type == "log"
