"""Errors: the empirical bound and its interval, and the summary off a law or off trials."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpslr_core import error_bound
from dpslr_core.experiments import error_bound_interval, measure, summarise
from dpslr_core.experiments.errors import draw
from dpslr_core.mechanisms import (
    OLS,
    CenteredStats,
    DPExpTheilSen,
    DPGDPure,
    DPSSTheilSen,
    DPWideTheilSen,
    JointTheilSen,
    NoisyStats,
)
from dpslr_core.privacy import Budget
from dpslr_core.support.run import Run
from tests.cases.inputs import PLAIN, simulated


def measured(data, mechanism, budget, run):
    """The errors on one data set."""
    return measure([data], mechanism, budget, run)[0]


def summary(laws, trials, centers):
    """The summaries of one data set."""
    return summarise([laws], {} if trials is None else {0: trials}, [centers])[0]


def test_releases_at_two_budgets_or_points_share_no_noise():
    """Else the difference of both would give the data away."""
    mechanism, run = DPSSTheilSen(k=5), Run(trials=200)
    budgets = [Budget(2.0, (0.25,)), Budget(3.0, (0.25,)), Budget(2.0, (0.26,))]
    released = [draw([PLAIN], mechanism, budget, run)[0][:, 0] for budget in budgets]
    for first, second in combinations(released, 2):
        assert (
            abs(stats.spearmanr(first, second).statistic) < 0.25
        )  # of independent ones it is about .07


# ---------------------------------------------------------------- the empirical error bound


@given(
    st.lists(st.one_of(st.floats(-2, 2), st.just(float("nan"))), min_size=1, max_size=30),
    st.floats(-1, 1),
    st.sampled_from([0, 1, 5, 25, 50, 68, 90, 95, 99, 100]),
)
def test_error_bound_is_the_smallest_width_that_holds_enough_trials(estimates, center, q):
    c = error_bound(estimates, center, q)
    errors = [float("inf") if np.isnan(value) else abs(value - center) for value in estimates]
    needed = q * len(errors) / 100
    assert sum(error <= c for error in errors) >= needed - 1e-6
    if c > 0:
        assert sum(error < c for error in errors) < needed  # nothing smaller will do


def test_error_bound_interval_is_not_needlessly_wide():
    """The next order statistic inwards at either end would miss more often than allowed."""
    errors = np.arange(1.0, 201.0)
    low, high = error_bound_interval(errors, 0.0, 68)
    binomial = stats.binom(200, 0.68)
    assert binomial.cdf(low - 1) <= 0.025 < binomial.cdf(low)
    assert binomial.sf(high - 1) <= 0.025 < binomial.sf(high - 2)
    assert low < error_bound(errors, 0.0, 68) < high


def test_error_bound_interval_at_its_ends():
    assert error_bound_interval([np.nan] * 50, 0.0, 68) == (np.inf, np.inf)
    low, high = error_bound_interval([*[0.1] * 60, *[np.nan] * 40], 0.0, 68)
    assert (low, high) == (0.1, np.inf)


# ---------------------------------------------------------------- the summary


CENTERS = np.array([0.3, 0.6])


def test_a_law_that_is_an_estimate_has_an_interval():
    (law,) = DPExpTheilSen(k=1).law(PLAIN, 9.0, (0.2,))
    (errors,) = summary([law], None, CENTERS[:1])
    assert (errors.c68_low, errors.c68_high) == law.error_bound_interval(68, 0.3)
    assert errors.c68_low < errors.c68 < errors.c68_high and not errors.exact


def test_the_summary_of_trials_counts_those_that_failed():
    trials = np.array([[0.1, 0.2, 0.4, 0.3], [np.nan, 0.5, 0.6, 0.9]]).T
    few, failing = summary([None, None], trials, CENTERS)
    assert (few.c68, few.c95) == (pytest.approx(0.1), pytest.approx(0.2))
    assert few.median == pytest.approx(0.25) and few.failure == 0
    assert (failing.c95, failing.median, failing.failure) == (np.inf, 0.6, 0.25)
    assert (failing.exact, failing.how) == (False, "4 trials")


# ---------------------------------------------------------------- gap and noise


@pytest.mark.parametrize(
    "mechanism", [DPExpTheilSen(), DPWideTheilSen(), JointTheilSen(), DPSSTheilSen()]
)
def test_with_a_law_gap_and_noise_agree_with_draws_and_a_direct_count(mechanism):
    data, at = simulated(60, seed=5), (0.25, 0.75)
    errors = measured(data, mechanism, Budget(4.0, at), Run())
    drawn = mechanism.release(data, 4.0, at, 20_000, rng=np.random.default_rng(1))
    for place, e in enumerate(errors):
        target = np.median(theil_sen_estimates(data, at[place]))
        assert e.gap == pytest.approx(abs(target - data.predict(at)[place]), abs=1e-6)
        assert e.noise == pytest.approx(
            np.quantile(np.abs(drawn[:, place] - target), 0.68), rel=0.03
        )
        assert e.c68 <= e.gap + e.noise


def theil_sen_estimates(data, point):
    records = list(zip(data.x.tolist(), data.y.tolist(), strict=True))
    return [
        a[1] + (b[1] - a[1]) / (b[0] - a[0]) * (point - a[0]) for a, b in combinations(records, 2)
    ]


def test_without_a_law_gap_and_noise_come_from_the_same_trials():
    budget, run, mechanism = Budget(3.0, (0.2, 0.7)), Run(trials=50), DPGDPure(steps=9)
    (trials,), target = draw([PLAIN], mechanism, budget, run), mechanism.target(PLAIN, (0.2, 0.7))
    for place, e in enumerate(measured(PLAIN, mechanism, budget, run)):
        assert e.noise == np.sort(np.abs(trials[:, place] - target[place]))[33]  # the 34th of 50
        assert e.gap == abs(target[place] - PLAIN.predict([0.2, 0.7])[place]) > 0


@pytest.mark.parametrize("mechanism", [OLS(), NoisyStats(), CenteredStats()])
def test_algorithms_that_aim_at_ols_have_no_gap_and_c68_as_noise(mechanism):
    for e in measured(PLAIN, mechanism, Budget(3.0, (0.2, 0.7)), Run(trials=20)):
        assert (e.gap, e.noise) == (0.0, e.c68)
