"""Intervals of several algorithms: one release, many, areas; the slope and the power of its test."""

from __future__ import annotations

import numpy as np
import pytest

from dpslr_core.experiments.released_intervals import (
    ols_interval,
    one_release,
    slope_p_value,
)
from dpslr_core.intervals import confidence_interval
from dpslr_core.mechanisms import (
    CenteredStats,
    DeepestLine,
)
from dpslr_core.privacy import Budget
from dpslr_core.support.run import stream
from tests.cases.inputs import simulated

DATA = simulated(200)
BUDGET = Budget(4.0)


def test_one_release_is_that_of_the_core():
    rows = one_release(DATA, CenteredStats(), BUDGET, seed=3, draw=5)
    rng = stream(3, "intervals", DATA.digest, repr(CenteredStats()))
    intervals = confidence_interval(CenteredStats().release_statistics(DATA, 4.0, 400, rng=rng))
    np.testing.assert_allclose(rows["low"], intervals.low[5])
    np.testing.assert_allclose(rows["width"], np.median(intervals.width, axis=0))
    assert rows["at"].tolist() == [0.25, 0.75] and (rows["own_low"] > rows["low"]).all()


def test_the_interval_of_ols_is_the_usual_one():
    low, high = ols_interval(DATA, [0.25])
    assert (high - low)[0] == pytest.approx(2 * 1.972017 * DATA.standard_error(0.25)[0], rel=1e-6)


def test_the_slope_test_is_on_the_release_that_is_shown():
    assert slope_p_value(DATA, CenteredStats(), Budget(50.0), 0, 3) == 1 / 400
    assert slope_p_value(DATA, CenteredStats(), Budget(0.01), 0, 3) > 0.05
    assert slope_p_value(DATA, DeepestLine(), BUDGET, 0, 3) is None
