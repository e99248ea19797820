"""Intervals: the two colours, bars within the picture, arrows where there is no end."""

import numpy as np
import pandas as pd

from dpslr_core.charts.intervals import interval_bars
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


def test_bars_are_in_the_units_of_y_and_end_in_arrows_at_the_edge_of_the_picture():
    picture = interval_bars(ROWS, (0.5, 0.46, 0.54), Y)
    check_specification(picture)
    bars = picture["datasets"]["bars"].set_index("algorithm")
    low, high = picture["layer"][2]["encoding"]["x"]["scale"]["domain"]
    np.testing.assert_allclose(bars[["low", "high"]], [[30, 40], [low, high], [25, 40]])
    np.testing.assert_allclose(
        bars.loc["CenteredStats", ["inner_low", "inner_high", "own_low", "own_high"]].tolist(),
        [33.5, 36.5, 31, 39],
    )
    assert bars.loc["DeepestLine", ["inner_low", "inner_high", "own_low"]].isna().all()
    assert bars["left"].tolist() == ["", "◀", ""] and bars["right"].tolist() == ["", "▶", ""]
