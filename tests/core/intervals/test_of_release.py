"""What can be asked of a release, and what is refused."""

import numpy as np
import pytest
from scipy import stats

import dpslr_core.mechanisms as dp
from dpslr_core.audit.scores import clopper_pearson
from dpslr_core.experiments import confidence_interval, privacy_interval, slope_test
from dpslr_core.intervals import Target
from dpslr_core.sources.linear import LinearModel
from tests.cases.inputs import simulated

DATA = simulated(250)
ALL = [
    dp.CenteredStats(),
    dp.CenteredStats(ridge=True),
    dp.NoisyStats(),
    dp.NoisyStatsGaussian(),
    dp.NoisyIntercept(),
]


def released(mechanism, epsilon=8.0, size=6):
    return mechanism.release_statistics(DATA, epsilon, size, rng=np.random.default_rng(3))


@pytest.mark.parametrize("mechanism", ALL, ids=repr)
def test_intervals_are_about_the_released_predictions(mechanism):
    release, at = released(mechanism), (0.25, 0.6, 0.75)
    line, own = (ask(release, at, 0.9) for ask in (confidence_interval, privacy_interval))
    assert line.low.shape == own.high.shape == (6, 3)
    assert (line.target, own.target) == (Target.TRUE_LINE, Target.OLS)
    if not getattr(mechanism, "ridge", False):
        np.testing.assert_allclose(line.estimate, release.predict(at))
    assert (own.low > line.low).all() and (own.high < line.high).all()
    assert (own.low < own.estimate).all() and (own.estimate < own.high).all()


def test_wrong_arguments_are_refused_by_name():
    for level in (0, 1.0):
        with pytest.raises(ValueError, match="level must lie in"):
            confidence_interval(released(dp.CenteredStats()), level=level)


def test_what_tells_too_little_is_refused():
    with pytest.raises(
        TypeError, match="release must come from a mechanism's release_statistics, got Dataset"
    ):
        confidence_interval(DATA)
    for mechanism in (dp.NoisyStats(), dp.NoisyIntercept()):
        with pytest.raises(ValueError, match="describe its data"):
            slope_test(released(mechanism), rng=np.random.default_rng(0))


# ---------------------------------------------------------------- simulated releases against a literal transcription i


SIMULATED = simulated(60)


def released_once(epsilon, size=1):
    return dp.CenteredStats().release_statistics(
        SIMULATED, epsilon, size, rng=np.random.default_rng(5)
    )


def test_simulated_sums_have_the_law_of_sums_over_records_with_new_errors():
    """Against OLS on records: x of these data, y about a line of slope 0.3 with all that the release leaves of y."""
    release, rng, size = released_once(1e9), np.random.default_rng(1), 4_000
    simulated = release.simulated(size, rng, slope=0.3)
    x, sd = SIMULATED.x, float(SIMULATED.y.std(ddof=1))
    y = SIMULATED.y.mean() + 0.3 * (x - x.mean()) + sd * rng.standard_normal((size, x.size))
    away = x - x.mean()
    ncov, mean = y @ away, y.mean(axis=1)
    nvar_y = ((y - mean[:, None]) ** 2).sum(axis=1)
    for by_release, literal in (
        (simulated.ncov, ncov),
        (simulated.y_mean, mean),
        (simulated.nvar_y, nvar_y),
    ):
        assert stats.ks_2samp(by_release, literal).pvalue > 1e-3
        assert (
            stats.ks_2samp(
                1.5 * (by_release - by_release.mean()) + by_release.mean(), literal
            ).pvalue
            < 1e-6
        )


# ---------------------------------------------------------------- the slope test


FLAT = LinearModel(100, 0.03, 0.01, slope=0.0, intercept=0.45)


def test_without_noise_it_is_the_f_test_of_a_regression():
    data = simulated(30, 0.03, 0.05, seed=4, slope=0.3)
    release = dp.CenteredStats().release_statistics(data, 1e9, 1, rng=np.random.default_rng(0))
    fit = stats.linregress(data.x, data.y)
    test = slope_test(release, 20_000, rng=np.random.default_rng(0))
    assert test.statistic[0] == pytest.approx((fit.slope / fit.stderr) ** 2, rel=1e-4)
    p = test.pvalue[0]
    assert p == pytest.approx(fit.pvalue, abs=4 * np.sqrt(fit.pvalue / 20_000))


def test_a_p_value_counts_the_release_itself():
    """With a slope that no simulated release shows it is 1 / (repetitions + 1), and not 0."""
    assert slope_test(released_once(1e9), 99, rng=np.random.default_rng(0)).pvalue.tolist() == [
        0.01
    ]


def test_a_release_without_a_slope_never_tells_of_one():
    data = FLAT.replicate(0, 0)
    release = dp.CenteredStats().release_statistics(data, 0.02, 200, rng=np.random.default_rng(0))
    assert release.fallback.sum() > 50
    assert (
        slope_test(release, 99, rng=np.random.default_rng(1)).pvalue[release.fallback] == 1
    ).all()


@pytest.mark.parametrize(
    ("mechanism", "epsilon"),
    [(dp.CenteredStats(), 4.0), (dp.CenteredStatsGaussian(), 1.0)],
    ids=repr,
)
def test_without_a_slope_one_test_in_twenty_finds_one(mechanism, epsilon):
    rng = np.random.default_rng(1)
    groups = [FLAT.replicate(0, number, even=False) for number in range(1_000)]
    releases = [mechanism.release_statistics(data, epsilon, 1, rng=rng) for data in groups]
    found = sum(slope_test(release, rng=rng).pvalue[0] <= 0.05 for release in releases)
    low, high = clopper_pearson(found, 1_000, 0.05)
    assert low <= 0.05 <= high and found > 20
