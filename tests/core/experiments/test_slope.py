"""The slope: curves of power over n, and intervals that were paid for."""

import numpy as np
import pytest

from dpslr_core import Dataset, simulate_linear
from dpslr_core.experiments.released_intervals import (
    PAID_RELEASES,
    datasets_of,
    ols_slope_interval,
    power_row,
    power_settings,
    slope_costs,
    slope_release,
    slope_test_power,
    with_slope,
    with_slope_intervals,
)
from dpslr_core.mechanisms import MECHANISMS, CenteredStats, CenteredStatsGaussian, DeepestLine, DPExpTheilSen
from dpslr_core.privacy import Budget, PureDP
from dpslr_core.sources.linear import LinearModel
from dpslr_core.support.run import stream

DATA = Dataset(*simulate_linear(120, 0.03, 0.01, rng=np.random.default_rng(0)))
MODEL = LinearModel(100, 0.03, 0.01)


def test_another_slope_keeps_the_line_at_mean_x():
    flat = with_slope(MODEL, 50, 0.0)
    assert flat.n == 50 and flat.truth(MODEL.x_mean) == pytest.approx(MODEL.truth(MODEL.x_mean))


def test_a_curve_is_over_n_for_half_once_and_twice_epsilon():
    settings = power_settings(MODEL, Budget(2.0), 0.3)
    assert {model.n for model, _, _ in settings} == {25, 50, 100, 200, 400}
    assert {budget.epsilon for _, budget, _ in settings} == {1.0, 2.0, 4.0} and len(settings) == 15
    assert all(model.slope == 0.3 for model, _, _ in settings)
    assert datasets_of(100) == 300 and datasets_of(40_000) == 100 and datasets_of(10**7) == 40


def test_power_is_that_of_what_the_rule_lets_an_algorithm_spend():
    budgets = [Budget(8.0, accounting=rule) for rule in ("paper", "implied")]
    mechanism, model = CenteredStatsGaussian(), LinearModel(30, 0.01, 0.02)
    rows = [power_row(model, budget, mechanism, 60, 0) for budget in budgets]
    assert rows[0][:3] == (30, 0.5, 8.0) and rows[0][3] != rows[1][3]
    assert rows[0][3:] == slope_test_power(model, 8.0, mechanism, 60, 0)


def test_the_interval_for_the_slope_is_that_of_the_core_and_costs_its_ledger():
    row = slope_release(DATA, DPExpTheilSen(), Budget(8.0), 3, 5).iloc[0]
    rng = stream(3, "slope interval", DATA.digest, repr(DPExpTheilSen()))
    made = DPExpTheilSen().release_slope_intervals(DATA, 8.0, 0.95, PAID_RELEASES, rng=rng)
    assert (row["low"], row["high"]) == (made.low[5, 0], made.high[5, 0])
    assert row["width"] == np.median(made.width)
    whole, ends = slope_costs(DPExpTheilSen(), Budget(8.0))
    assert whole == PureDP(8.0) and [cost for _, cost in ends] == [PureDP(4.0)] * 2
    with pytest.raises(ValueError, match=r"^CenteredStats offers no intervals for the slope"):
        slope_costs(CenteredStats(), Budget(8.0))


def test_that_of_ols_is_the_usual_one():
    low, high = ols_slope_interval(DATA)
    slope, error = np.polyfit(DATA.x, DATA.y, 1, cov=True)
    assert (low + high) / 2 == pytest.approx(slope[0])
    assert (high - low) / 2 == pytest.approx(1.980272 * error[0, 0] ** 0.5, rel=1e-5)


def test_those_that_offer_it_are_found_and_others_refused():
    names = {m.name for m in with_slope_intervals([algorithm() for algorithm in MECHANISMS])}
    assert "DPExpTheilSen" in names and not names & {"CenteredStats", "DeepestLine", "OLS"}
    with pytest.raises(ValueError, match="offers no intervals for the slope"):
        slope_release(DATA, DeepestLine(), Budget(1.0), 0, 0)
