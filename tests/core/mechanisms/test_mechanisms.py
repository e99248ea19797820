"""Each family against the literal reference: exact numbers where the noise can be handed in, laws where not."""

import numpy as np
import pytest
from scipy import stats

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset
from dpslr_core.laws import Laplace, PointMass, StudentT
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.privacy import ZCDP, GaussianDP, PureDP, laplace_mu, laplace_rho, rho_of
from tests.cases.inputs import DATASETS, MECHANISM_CASES, PLAIN
from tests.reference import paper as reference

AT = (0.25, 0.9)


def columns(data):
    return data.x.tolist(), data.y.tolist()


def small(data):
    """Its first records: the reference takes N^3 steps for N estimates."""
    return Dataset(data.x[:12], data.y[:12])


def kept(data, point, mechanism, pairs=None):
    return reference.private_list(*columns(data), point, mechanism.lower, mechanism.upper, pairs)


def assert_law_is(law, expected):
    """expected: (left, right, density) pieces."""
    assert isinstance(law, PiecewiseUniform)
    ends = np.array([right for _, right, _ in expected])
    masses = np.cumsum([(right - left) * density for left, right, density in expected])
    # Pieces of no width may be told apart by rounding: their mass may stand on either side of an end.
    np.testing.assert_allclose(law.cdf(ends), masses, rtol=1e-7, atol=1e-9)


# ---------------------------------------------------------------- baselines


@pytest.mark.parametrize("name", DATASETS)
def test_baselines_release_the_exact_estimates(name):
    data, rng = DATASETS[name], np.random.default_rng(0)
    for mechanism, expected in ((dp.OLS(), data.predict(AT)), (dp.TheilSen(), data.theil_sen(AT))):
        np.testing.assert_array_equal(mechanism.release(data, 1.0, AT, 3, rng=rng), np.tile(expected, (3, 1)))
        for law, value in zip(mechanism.law(data, 1.0, AT), expected, strict=True):
            assert isinstance(law, PointMass)
            np.testing.assert_array_equal(law.location, value)


@pytest.mark.parametrize("name", ["even n", "odd n", "tied x", "constant x", "two x values"])
@pytest.mark.parametrize("k", [1, 2])
def test_theil_sen_by_matchings_draws_medians_of_matchings(name, k):
    """Every set of k matchings that the definition allows comes up in its share."""
    data = Dataset(DATASETS[name].x[:5], DATASETS[name].y[:5])
    draws = dp.TheilSen(k=k).release(data, 1.0, [0.25], 20_000, rng=np.random.default_rng(1))[:, 0]
    medians = [reference.theil_sen(*columns(data), 0.25, pairs) for pairs in reference.all_pair_sets(5, k)]
    expected = np.array([np.nan if value is None else value for value in medians])
    assert np.mean(np.isnan(draws)) == pytest.approx(np.mean(np.isnan(expected)), abs=0.02)
    for value in np.unique(expected[~np.isnan(expected)]):
        share = np.mean(np.isclose(expected, value, rtol=0, atol=1e-12))
        assert np.mean(np.isclose(draws, value, rtol=0, atol=1e-12)) == pytest.approx(share, abs=0.02)


# ---------------------------------------------------------------- Theil-Sen


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.parametrize(
    ("mechanism", "epsilon"),
    [
        *((dp.DPExpTheilSen(lower=-0.4, upper=1.2), epsilon) for epsilon in (0.3, 20.0)),
        *((dp.DPWideTheilSen(theta=theta), 5.0) for theta in (0.0, 0.01, 0.4)),
    ],
)
def test_exponential_and_widened_laws_are_their_definition(name, mechanism, epsilon):
    data, theta = small(DATASETS[name]), float(reference.to_grid(getattr(mechanism, "theta", 0.0)))
    ends = reference.range_on_grid(mechanism.lower, mechanism.upper)
    for law, point in zip(mechanism.law(data, epsilon, AT), AT, strict=True):
        z = kept(data, point, mechanism)
        assert len(z) == data.n * (data.n - 1) // 2
        assert_law_is(law, reference.median_density(z, epsilon / len(AT) / (data.n - 1), *ends, theta))


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.parametrize("mechanism", [dp.DPSSTheilSen(), dp.DPSSTheilSen(lower=-4, upper=3, df=1.5, beta=0.2)])
@pytest.mark.parametrize("epsilon", [0.2, 6.0])
def test_smooth_sensitivity_law_is_its_definition(name, mechanism, epsilon):
    data = small(DATASETS[name])
    t, s = reference.student_noise(epsilon / len(AT), mechanism.df, mechanism.beta)
    for law, point in zip(mechanism.law(data, epsilon, AT), AT, strict=True):
        z = kept(data, point, mechanism)
        spread = reference.smooth_sensitivity(z, data.n - 1, t, mechanism.lower, mechanism.upper)
        assert isinstance(law, StudentT) and law.df == mechanism.df
        assert law.location == pytest.approx(reference.lower_median(z), rel=1e-12, abs=1e-12)
        assert law.scale == pytest.approx(spread / s, rel=1e-9)


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("mechanism", [dp.DPExpTheilSen, dp.DPWideTheilSen, dp.DPSSTheilSen])
@pytest.mark.parametrize("n", [5, 6])
def test_matchings_mix_the_laws_of_all_matchings(mechanism, k, n):
    """Draws follow the average, over every set of k matchings, of the law given that set; scaled draws do not."""
    mechanism = mechanism(k=k)
    data, point, epsilon = Dataset(PLAIN.x[:n], PLAIN.y[:n]), 0.25, 3.0
    laws = []
    for pairs in reference.all_pair_sets(n, k):
        z = kept(data, point, mechanism, pairs)
        if isinstance(mechanism, dp.DPSSTheilSen):
            t, s = reference.student_noise(epsilon, mechanism.df, mechanism.beta)
            spread = reference.smooth_sensitivity(z, k, t, mechanism.lower, mechanism.upper)
            laws.append(stats.t(mechanism.df, reference.lower_median(z), spread / s).cdf)
        else:
            pieces = reference.median_density(z, epsilon / k, -0.5, 1.5, getattr(mechanism, "theta", 0.0))
            ends = [-0.5, *(right for _, right, _ in pieces)]
            masses = np.cumsum([0, *((right - left) * density for left, right, density in pieces)])
            laws.append(lambda t, ends=ends, masses=masses: np.interp(t, ends, masses))

    def cdf(t):
        return np.mean([law(t) for law in laws], axis=0)

    # Two points at twice the budget: each has epsilon to itself.
    draws = mechanism.release(data, 2 * epsilon, [0.75, point], 20_000, rng=np.random.default_rng(8))[:, 1]
    assert stats.kstest(draws, cdf).pvalue > 1e-3
    for factor in (2 / 3, 3 / 2):
        middle = np.median(draws)
        assert stats.kstest(middle + factor * (draws - middle), cdf).pvalue < 1e-6


@pytest.mark.parametrize("mechanism", [dp.TheilSen, dp.DPExpTheilSen, dp.DPWideTheilSen, dp.DPSSTheilSen])
@pytest.mark.parametrize("n", [5, 6])
def test_many_matchings_are_all_pairs(mechanism, n):
    data = Dataset(PLAIN.x[:n], PLAIN.y[:n])
    t = np.linspace(-1, 2, 31)
    for k in (n - 1, n, 40):
        np.testing.assert_array_equal(mechanism(k=k).law(data, 2.0)[0].cdf(t), mechanism().law(data, 2.0)[0].cdf(t))
    assert all(law is None or not law.exact for law in mechanism(k=n - 2).law(data, 2.0))


# ---------------------------------------------------------------- noisy statistics


NOISY = [m for m in MECHANISM_CASES.values() if isinstance(m, dp.NoisyStats | dp.NoisyStatsGaussian)]
UNEVEN = (0.5, 0.2, 0.3)


@pytest.mark.parametrize("mechanism", NOISY, ids=repr)
@pytest.mark.parametrize("name", DATASETS)
def test_noisy_stats_is_algorithm_1_on_the_same_noise(mechanism, name):
    """The same generator hands out the same noise: nvar, ncov and the intercept are then plain arithmetic."""
    data, epsilon, size = DATASETS[name], 2.0, 100
    x, y = columns(data)
    released = mechanism.release_statistics(data, epsilon, size, rng=np.random.default_rng(6))
    points = mechanism.release(data, epsilon, AT, size, rng=np.random.default_rng(6))
    rng, n = np.random.default_rng(6), data.n
    gaussian = isinstance(mechanism, dp.NoisyStatsGaussian)
    unit = (lambda: rng.standard_normal(size)) if gaussian else (lambda: rng.laplace(size=size))
    noise = [unit() for _ in range(3)]

    def scale(sensitivity, number):
        share = mechanism.split[number]
        gaussian_scale = np.sqrt(1 / (2 * share * rho_of(epsilon)))
        return sensitivity * gaussian_scale if gaussian else sensitivity / (share * epsilon)

    np.testing.assert_allclose(released.nvar, reference.nvar(x) + scale(1 - 1 / n, 0) * noise[0], rtol=1e-9)
    np.testing.assert_allclose(released.ncov, reference.ncov(x, y) + scale(1 - 1 / n, 1) * noise[1], rtol=1e-9)
    ends = (mechanism.lower, mechanism.upper) if mechanism.clip else (-np.inf, np.inf)
    bounds = (stats.norm if gaussian else stats.laplace).isf([0.05, 0.025]) if mechanism.adaptive_ridge else ()
    options = mechanism.fallback, ends, tuple(bounds)
    for trial in range(size):
        unit_noise = [float(kind[trial]) for kind in noise]
        for i, point in enumerate(AT):
            expected = reference.noisy_stats(x, y, unit_noise, point, scale, *options)
            got = points[trial, i]
            assert np.isnan(got) if expected is None else got == pytest.approx(expected, rel=1e-7, abs=1e-9)
    failed = (released.nvar <= 0) & (not mechanism.adaptive_ridge)
    assert failed.any() != mechanism.adaptive_ridge and not released.slope[failed & mechanism.fallback].any()
    for part in (released.slope, released.intercept):
        np.testing.assert_array_equal(np.isnan(part), failed & (not mechanism.fallback))


@pytest.mark.parametrize("cls", [dp.NoisyStats, dp.NoisyStatsGaussian])
def test_options_that_are_off_change_nothing(cls):
    """Neither the name that a random stream goes by, nor the release, nor the law."""
    off = cls(fallback=False, clip=False, lower=-0.5, upper=1.5, split=(1 / 3, 1 / 3, 1 / 3), adaptive_ridge=False)
    assert repr(cls()) == repr(off) == f"{cls.__name__}()"
    assert repr(cls(clip=True)) == f"{cls.__name__}(clip=True)"
    other = cls(lower=0.0, upper=1.0)
    np.testing.assert_array_equal(other.release(PLAIN, 2.0, rng=np.random.default_rng(1)), draws(cls()))
    assert other.law(PLAIN, 2.0) == cls().law(PLAIN, 2.0)


def draws(mechanism):
    return mechanism.release(PLAIN, 2.0, rng=np.random.default_rng(1))


@pytest.mark.parametrize(("cls", "power"), [(dp.NoisyStats, 2), (dp.NoisyStatsGaussian, 1)])
@pytest.mark.parametrize("guess", [(0.02, 0.5, 0.25), (0.08, -2.0, 0.1), (0.005, 0.1, 0.4)])
def test_best_split_has_the_least_variance(cls, power, guess):
    """Laplace: the sum of (g / s)^2; Gaussian: of g^2 / s. No other shares on a grid have less."""
    var_x, slope, distance = guess
    g = np.array([abs(slope) * distance / var_x, distance / var_x, 1 + abs(slope)])

    def variance(split):
        return float(np.sum(g**2 / np.array(split) ** power))

    best = cls.best_split(*guess)
    assert sum(best) == pytest.approx(1, abs=1e-14) and cls(split=best).split == best
    grid = [(i / 60, j / 60, (60 - i - j) / 60) for i in range(1, 59) for j in range(1, 60 - i)]
    assert variance(best) <= min(map(variance, grid))


@pytest.mark.parametrize(
    ("guess", "word"),
    [((0.0, 0.5, 0.2), "var_x"), ((0.1, 0.0, 0.2), "slope"), ((0.1, np.nan, 0.2), "slope"), ((1, 1, 0), "distance")],
)
def test_best_split_takes_usable_guesses_only(guess, word):
    with pytest.raises(ValueError, match=f"^{word} must "):
        dp.NoisyStats.best_split(*guess)


def test_shares_decide_the_ledger_and_what_is_drawn():
    """Unequal draws count as what they are."""
    assert [spend.share for spend in dp.NoisyStats(split=UNEVEN).ledger(4.0)] == pytest.approx([2.0, 0.8, 1.2])
    assert [draw.size for draw in dp.NoisyStats(split=UNEVEN).draws(4.0)] == pytest.approx([2.0, 0.8, 1.2])
    for split in (UNEVEN, (0.6, 0.2, 0.2), (0.34, 0.33, 0.33)):
        mechanism = dp.NoisyStats(split=split)
        rho, mu = mechanism.calibrated(ZCDP(0.5)), mechanism.calibrated(GaussianDP(1.5))
        assert sum(laplace_rho(share * rho) for share in split) == pytest.approx(0.5)
        assert sum(laplace_mu(share * mu) ** 2 for share in split) == pytest.approx(1.5**2)
        gaussian = dp.NoisyStatsGaussian(split=split)
        assert gaussian.calibrated(ZCDP(0.5)) == pytest.approx(1.0, rel=1e-9)


def test_a_ledger_lists_its_rows_in_the_order_of_the_draws():
    """A Gaussian draw of share s has a noise multiplier in proportion to the root of s."""
    uneven = 0
    for mechanism in MECHANISM_CASES.values():
        shares = np.array([spend.share for spend in mechanism.ledger(1.7)])
        sizes = np.array([draw.size for draw in mechanism.draws(1.7, 2)])
        if shares.size == sizes.size and mechanism.guarantee(1.7).private:
            power = 1 if isinstance(mechanism.guarantee(1.7), PureDP) else 2
            parts = sizes**power / (sizes**power).sum()
            np.testing.assert_allclose(parts, shares / shares.sum(), rtol=1e-9, err_msg=repr(mechanism))
            uneven += np.ptp(shares) > 0
    assert uneven >= 4


def test_noisy_stats_fails_as_often_as_the_laplace_tail_says():
    """exp(-nvar epsilon / (3 (1 - 1/n))) / 2: 46.8% in a tract where the paper says 'about 40%'."""
    rng = np.random.default_rng(12)
    x = 0.5 + rng.uniform(-1, 1, 39)
    x = 0.5 + (x - x.mean()) * np.sqrt(0.0245 / np.sum((x - x.mean()) ** 2))
    data = Dataset(x, rng.random(39))
    assert data.nvar == pytest.approx(0.0245)
    failed = np.isnan(dp.NoisyStats().release(data, 8.0, [0.25], 40_000, rng=rng)).mean()
    assert np.exp(-0.0245 * 8 / (3 * (1 - 1 / 39))) / 2 == pytest.approx(0.4676, abs=1e-4)
    assert failed == pytest.approx(0.4676, abs=0.01)


def test_noisy_intercept_is_a_laplace_about_the_mean():
    data = DATASETS["odd n"]
    law, same = dp.NoisyIntercept().law(data, 2.0, AT)
    assert law == same == Laplace(data.y_mean, 1 / (2.0 * data.n))
    draws = dp.NoisyIntercept().release(data, 2.0, AT, 50, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(draws[:, 0], draws[:, 1])


# ---------------------------------------------------------------- maximum observed sensitivity


@pytest.mark.parametrize("name", [name for name, data in DATASETS.items() if data.nvar > 1e-12])
@pytest.mark.parametrize("grid", [2, 11])
def test_observed_sensitivity_is_found_by_refits(name, grid):
    data, mechanism = DATASETS[name], dp.MaximumObservedSensitivity(grid=grid)
    expected = [reference.observed_sensitivity(*columns(data), point, grid) for point in AT]
    np.testing.assert_allclose(mechanism.observed_sensitivity(data, AT), expected, rtol=1e-8)
    for law, chi, center in zip(mechanism.law(data, 4.0, AT), expected, data.predict(AT), strict=True):
        assert isinstance(law, Laplace)
        assert law.location == center
        assert law.scale == pytest.approx(chi / (4.0 / len(AT) * data.n), rel=1e-8)
