"""Simulated releases against a literal transcription in records, and the percentile intervals."""

import numpy as np
import pytest
from scipy import stats

from dpslr_core import Dataset, simulate_linear
from dpslr_core.experiments import confidence_interval, privacy_interval
from dpslr_core.mechanisms import CenteredStats, CenteredStatsGaussian

DATA = Dataset(*simulate_linear(60, 0.03, 0.01, rng=np.random.default_rng(0)))


def released(epsilon, size=1, mechanism=None):
    return (mechanism or CenteredStats()).release_statistics(DATA, epsilon, size, rng=np.random.default_rng(5))


def test_simulated_sums_have_the_law_of_sums_over_records_with_new_errors():
    """Against OLS on records: x of these data, y from the line of the release with its sigma_e."""
    release, rng, size = released(1e9), np.random.default_rng(1), 4_000
    simulated = release.simulated(size, rng)
    x, sd = DATA.x, float(release.residual_sd[0])
    y = release.predict(x)[0] + sd * rng.standard_normal((size, x.size))
    away = x - x.mean()
    ncov, mean = y @ away, y.mean(axis=1)
    nvar_y = ((y - mean[:, None]) ** 2).sum(axis=1)
    for mine, literal in ((simulated.ncov, ncov), (simulated.y_mean, mean), (simulated.nvar_y, nvar_y)):
        assert stats.ks_2samp(mine, literal).pvalue > 1e-3
        assert stats.ks_2samp(1.5 * (mine - mine.mean()) + mine.mean(), literal).pvalue < 1e-6


def test_with_the_errors_kept_only_the_noise_is_new():
    release, rng = released(8.0), np.random.default_rng(2)
    drawn = release.simulated(20_000, rng, errors=False)
    spread = release.equation(0.25).of_ols().deviation[0, 0]
    quartiles = np.diff(np.quantile(drawn.predict(0.25)[:, 0], [0.25, 0.75]))[0]
    assert quartiles == pytest.approx(1.2 * spread, rel=0.15)  # between 2 ln 2 / sqrt 2 = 0.98 and 1.35 times it


def test_the_ends_are_order_statistics_of_the_simulated_predictions():
    release = released(30.0)
    found = confidence_interval(release, (0.25, 0.75), 0.9, "bootstrap", rng=np.random.default_rng(7), repetitions=99)
    lines = np.sort(release.simulated(99, np.random.default_rng(7)).predict((0.25, 0.75)), axis=0)
    np.testing.assert_allclose(found.low[0], lines[4])
    np.testing.assert_allclose(found.high[0], lines[94])


def test_simulated_releases_without_a_slope_are_infinitely_far_off():
    release = released(0.3, 40)
    found = confidence_interval(release, 0.25, 0.95, "bootstrap", rng=np.random.default_rng(7))
    assert 0 < found.identified.mean() < 1 or not found.identified.any()
    assert not found.identified[release.fallback].any()


@pytest.mark.parametrize("mechanism", [CenteredStats(), CenteredStatsGaussian()], ids=repr)
def test_each_release_of_many_gets_the_interval_it_would_get_alone(mechanism):
    """The parts of many releases do not mix: their ends agree with normal theory where that is good."""
    release = released(60.0, 300, mechanism)
    for ask in (confidence_interval, privacy_interval):
        found = ask(release, 0.25, 0.9, "bootstrap", rng=np.random.default_rng(1))
        normal = ask(release, 0.25, 0.9, "normal theory")
        np.testing.assert_allclose(found.width, normal.width, rtol=0.45)
        np.testing.assert_allclose(found.low, normal.low, atol=0.25 * float(normal.width.max()))
