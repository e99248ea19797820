"""The slope test: its statistic, p values that are uniform without a slope, and power with one."""

import numpy as np
import pytest
from scipy import stats

from dpslr_core import Dataset, simulate_linear
from dpslr_core.experiments import slope_test
from dpslr_core.experiments.released_intervals import power_table, slope_test_power
from dpslr_core.intervals.of_release import f_statistic
from dpslr_core.mechanisms import CenteredStats, CenteredStatsGaussian
from dpslr_core.sources.linear import LinearModel

FLAT = LinearModel(100, 0.03, 0.01, slope=0.0, intercept=0.45)


def test_without_noise_it_is_the_f_test_of_a_regression():
    data = Dataset(*simulate_linear(30, 0.03, 0.05, slope=0.3, rng=np.random.default_rng(4)))
    release = CenteredStats().release_statistics(data, 1e9, 1, rng=np.random.default_rng(0))
    fit = stats.linregress(data.x, data.y)
    assert f_statistic(release)[0] == pytest.approx((fit.slope / fit.stderr) ** 2, rel=1e-4)
    p = slope_test(release, 20_000, rng=np.random.default_rng(0))[0]
    assert p == pytest.approx(fit.pvalue, abs=4 * np.sqrt(fit.pvalue / 20_000))


def test_a_release_without_a_slope_never_tells_of_one():
    data = FLAT.replicate(0, 0)
    release = CenteredStats().release_statistics(data, 0.02, 200, rng=np.random.default_rng(0))
    assert release.fallback.sum() > 50
    assert (slope_test(release, 99, rng=np.random.default_rng(1))[release.fallback] == 1).all()


@pytest.mark.parametrize(("mechanism", "epsilon"), [(CenteredStats(), 4.0), (CenteredStatsGaussian(), 1.0)], ids=repr)
def test_without_a_slope_one_test_in_twenty_finds_one(mechanism, epsilon):
    share, low, high = slope_test_power(FLAT, epsilon, mechanism, datasets=1_000)
    assert low <= 0.05 <= high and share > 0.02


def test_a_test_that_forgets_the_noise_finds_slopes_that_are_not_there():
    """Broken variant: the F test of a regression, as if the sums had no noise."""
    data = [FLAT.replicate(0, number) for number in range(400)]
    rng = np.random.default_rng(0)
    found = [f_statistic(CenteredStats().release_statistics(each, 4.0, 1, rng=rng))[0] for each in data]
    assert np.mean(np.array(found) > stats.f.ppf(0.95, 1, 98)) > 0.15


def test_power_grows_with_n_the_slope_and_epsilon():
    table = power_table(FLAT, (60, 400), (0.0, 0.5), (1.0, 4.0), datasets=150).set_index(["n", "slope", "epsilon"])
    power = table["power"]
    assert power[60, 0.5, 1.0] < power[400, 0.5, 1.0] < power[400, 0.5, 4.0] + 1e-9
    assert power[400, 0.5, 4.0] > 0.95 > 0.15 > power[400, 0.0, 4.0]
    assert (table["low"] <= power).all() and (power <= table["high"]).all()
