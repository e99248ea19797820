"""What a sweep tells: means that may be infinite, and how sure the difference of two curves is."""

import numpy as np
from sweep_cases import BUDGET, MODEL, SMALL, curve, made

from dpslr_core import sweep
from dpslr_core.mechanisms import OLS, NoisyStats
from dpslr_core.support.run import Run
from dpslr_core.sweeps import combine, plan_sweep, run_sweep


def test_one_infinite_ratio_makes_the_mean_infinite_and_is_told():
    measured = combine([made([[1.0, 1.0], [2.0, np.inf], [3.0, 3.0], [6.0, 2.0]])])
    frame = measured.frame.set_index("mechanism")
    assert frame.loc["A", ["mean", "median", "infinite_share"]].tolist() == [3.0, 2.5, 0.0]
    assert frame.loc["B", ["mean", "low", "high", "median", "infinite_share"]].tolist() == [np.inf] * 3 + [2.5, 0.25]
    assert np.isnan(frame.loc["B", "monte_carlo_error"])
    assert measured.difference_errors("A", "B") == {1.0: np.inf}


def test_noisy_stats_that_fails_too_often_is_infinite_without_a_warning():
    frame = sweep("epsilon", [0.5, 60.0], SMALL, [OLS(), NoisyStats()], datasets=4)
    assert curve(frame, "NoisyStats", "infinite_share").tolist() == [1.0, 0.0]
    assert curve(frame, "NoisyStats")[0.5] == np.inf == curve(frame, "NoisyStats", "median")[0.5]
    assert np.isfinite(curve(frame, "OLS")).all()


def test_one_data_set_has_no_error():
    row = sweep("epsilon", [2.0], SMALL, [OLS()], datasets=1).iloc[0]
    assert np.isfinite(row["mean"]) and np.isnan([row["monte_carlo_error"], row["low"], row["high"]]).all()


def test_pairing_makes_differences_surer():
    measured = run_sweep(plan_sweep("epsilon", [50.0], MODEL, BUDGET, [OLS(), NoisyStats()]), Run(), 60)
    (paired,) = measured.difference_errors("OLS", "NoisyStats").values()
    assert measured.difference_errors("NoisyStats", "OLS") == {50.0: paired}
    assert paired < 0.5 * np.hypot(*measured.frame["monte_carlo_error"])
