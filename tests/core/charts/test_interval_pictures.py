"""Intervals: the two colours, bars within the picture, arrows where there is no end."""

import numpy as np
import pandas as pd

from dpslr_core.charts.intervals import (
    MISSED,
    NOISE,
    SAMPLING,
    hundred_intervals,
    interval_bars,
)
from dpslr_core.sources.axis import Axis
from tests.cases.scenes import check_specification

Y = Axis("wage", "$", 10.0, 60.0)
ROWS = pd.DataFrame({
    "algorithm": ["CenteredStats", "NoisyStats", "DeepestLine"],
    "estimate": [0.5, np.nan, 0.45],
    "low": [0.4, -np.inf, 0.3],
    "high": [0.6, np.inf, 0.6],
    "sampling": [0.03, np.nan, np.nan],
    "own_low": [0.42, -np.inf, np.nan],
    "own_high": [0.58, np.inf, np.nan],
})  # fmt: skip


def traces(figure):
    return {trace.name: trace for trace in figure.data if trace.name}


def test_sampling_error_and_noise_are_bars_of_two_colours_in_the_units_of_y():
    drawn = traces(interval_bars(ROWS, (0.5, 0.46, 0.54), Y))
    whole, inner = drawn["with noise: 95% confidence interval"], drawn["sampling error alone"]
    assert (whole.line.color, inner.line.color) == (
        NOISE,
        SAMPLING,
    ) and inner.line.width > whole.line.width
    np.testing.assert_allclose(whole.x[:2], [30, 40])
    np.testing.assert_allclose(inner.x[:2], [33.5, 36.5])
    assert np.isnan(np.array(inner.x[6:9], dtype=float)).all()  # no part is told apart
    own = np.array(drawn["privacy interval: where OLS lies"].x, dtype=float)
    np.testing.assert_allclose(own, [31, 39, *[np.nan] * 4])


def test_bars_without_end_reach_across_the_picture_and_end_in_arrows():
    figure = interval_bars(ROWS, (0.5, 0.46, 0.54), Y)
    low, high = figure.layout.xaxis.range
    np.testing.assert_allclose(
        traces(figure)["with noise: 95% confidence interval"].x[3:5], [low, high]
    )
    arrows = [
        trace for trace in figure.data if trace.marker.symbol in ("triangle-left", "triangle-right")
    ]
    assert [list(trace.y) for trace in arrows] == [["NoisyStats"], ["NoisyStats"]]
    assert [list(trace.x) for trace in arrows] == [[low], [high]]


def test_misses_are_drawn_apart():
    simulated = pd.DataFrame(
        {"number": [1, 2, 3], "low": [0.4, 0.55, -np.inf], "high": [0.6, 0.7, np.inf]}
    )
    picture = hundred_intervals(simulated.assign(held=[True, False, True]), 0.5, Y)
    check_specification(picture)
    line, intervals = (part["encoding"] for part in picture["layer"])
    low, high = intervals["y"]["scale"]["domain"]
    drawn = picture["datasets"]["intervals"]
    np.testing.assert_allclose(drawn["low"], np.maximum([30, 37.5, -np.inf], low))
    np.testing.assert_allclose(drawn["high"], np.minimum([40, 45, np.inf], high))
    looks = dict(
        zip(
            intervals["color"]["scale"]["domain"], intervals["color"]["scale"]["range"], strict=True
        )
    )
    assert [looks[name] == MISSED for name in drawn["held"]] == [False, True, False]
    assert line["y"]["datum"] == 35.0
