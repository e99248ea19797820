"""Each family against the literal reference: exact numbers where the noise can be handed in, laws where not."""

import numpy as np
import pytest

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset
from dpslr_core.laws import Laplace, StudentT
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.privacy import PureDP, rho_of
from tests.cases.inputs import DATASETS, MECHANISM_CASES
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


# ---------------------------------------------------------------- Theil-Sen


@pytest.mark.parametrize(
    ("mechanism", "epsilon"),
    [
        (dp.DPExpTheilSen(lower=-0.4, upper=1.2), 0.3),
        (dp.DPExpTheilSen(lower=-0.4, upper=1.2), 20.0),
        *((dp.DPWideTheilSen(theta=theta), 5.0) for theta in (0.0, 0.01, 0.4)),
    ],
)
def test_exponential_and_widened_laws_are_their_definition(mechanism, epsilon):
    theta = float(reference.to_grid(getattr(mechanism, "theta", 0.0)))
    ends = reference.range_on_grid(mechanism.lower, mechanism.upper)
    for data in map(small, DATASETS.values()):
        for law, point in zip(mechanism.law(data, epsilon, AT), AT, strict=True):
            z = kept(data, point, mechanism)
            assert len(z) == data.n * (data.n - 1) // 2
            each = epsilon / len(AT) / (data.n - 1)
            assert_law_is(law, reference.median_density(z, each, *ends, theta))


@pytest.mark.parametrize(
    "mechanism", [dp.DPSSTheilSen(), dp.DPSSTheilSen(lower=-4, upper=3, df=1.5, beta=0.2)]
)
@pytest.mark.parametrize("epsilon", [0.2, 6.0])
def test_smooth_sensitivity_law_is_its_definition(mechanism, epsilon):
    t, s = reference.student_noise(epsilon / len(AT), mechanism.df, mechanism.beta)
    for data in map(small, DATASETS.values()):
        for law, point in zip(mechanism.law(data, epsilon, AT), AT, strict=True):
            z = kept(data, point, mechanism)
            spread = reference.smooth_sensitivity(
                z, data.n - 1, t, mechanism.lower, mechanism.upper
            )
            assert isinstance(law, StudentT) and law.df == mechanism.df
            assert law.location == pytest.approx(reference.lower_median(z), rel=1e-12, abs=1e-12)
            assert law.scale == pytest.approx(spread / s, rel=1e-9)


# ---------------------------------------------------------------- noisy statistics


NOISY = [
    m for m in MECHANISM_CASES.values() if isinstance(m, dp.NoisyStats | dp.NoisyStatsGaussian)
]


@pytest.mark.parametrize("mechanism", NOISY, ids=repr)
def test_noisy_stats_is_algorithm_1_on_the_same_noise(mechanism):
    """The same generator hands out the same noise: nvar, ncov and the intercept are then plain arithmetic."""
    epsilon, size = 2.0, 50
    gaussian = isinstance(mechanism, dp.NoisyStatsGaussian)
    rng = np.random.default_rng(6)
    noise = [rng.standard_normal(size) if gaussian else rng.laplace(size=size) for _ in range(3)]
    ends = (mechanism.lower, mechanism.upper) if mechanism.clip else (-np.inf, np.inf)
    options = mechanism.fallback, ends

    def scale(sensitivity, number):
        share = mechanism.split[number]
        if gaussian:
            return sensitivity * np.sqrt(1 / (2 * share * rho_of(epsilon)))
        return sensitivity / (share * epsilon)

    for data in DATASETS.values():
        (x, y), n = columns(data), data.n
        released = mechanism.release_statistics(data, epsilon, size, rng=np.random.default_rng(6))
        points = mechanism.release(data, epsilon, AT, size, rng=np.random.default_rng(6))
        nvar = reference.nvar(x) + scale(1 - 1 / n, 0) * noise[0]
        ncov = reference.ncov(x, y) + scale(1 - 1 / n, 1) * noise[1]
        np.testing.assert_allclose(released.nvar, nvar, rtol=1e-9)
        np.testing.assert_allclose(released.ncov, ncov, rtol=1e-9)
        for released_points, *unit_noise in zip(points, *noise, strict=True):
            for point, value in zip(AT, released_points, strict=True):
                expected = reference.noisy_stats(x, y, unit_noise, point, scale, *options)
                expected = np.nan if expected is None else expected
                assert value == pytest.approx(expected, rel=1e-7, abs=1e-9, nan_ok=True)
        failed = released.nvar <= 0
        assert not released.slope[failed & mechanism.fallback].any()
        for numbers in (released.slope, released.intercept):
            np.testing.assert_array_equal(np.isnan(numbers), failed & (not mechanism.fallback))


def test_a_ledger_lists_its_rows_in_the_order_of_the_draws():
    """A Gaussian draw of share s has a noise multiplier in proportion to the root of s."""
    uneven = 0
    for mechanism in MECHANISM_CASES.values():
        shares = np.array([spend.share for spend in mechanism.ledger(1.7)])
        sizes = np.array([draw.size for draw in mechanism.draws(1.7, 2)])
        if shares.size == sizes.size and mechanism.guarantee(1.7).private:
            power = 1 if isinstance(mechanism.guarantee(1.7), PureDP) else 2
            parts = sizes**power / (sizes**power).sum()
            np.testing.assert_allclose(
                parts, shares / shares.sum(), rtol=1e-9, err_msg=repr(mechanism)
            )
            uneven += np.ptp(shares) > 0
    assert uneven >= 3


# ---------------------------------------------------------------- maximum observed sensitivity


@pytest.mark.parametrize("grid", [2, 11])
def test_observed_sensitivity_is_found_by_refits(grid):
    mechanism = dp.MaximumObservedSensitivity(grid=grid)
    for data in [data for data in DATASETS.values() if data.nvar > 1e-12]:
        expected = [reference.observed_sensitivity(*columns(data), point, grid) for point in AT]
        np.testing.assert_allclose(mechanism.observed_sensitivity(data, AT), expected, rtol=1e-8)
        laws = mechanism.law(data, 4.0, AT)
        for law, chi, center in zip(laws, expected, data.predict(AT), strict=True):
            assert isinstance(law, Laplace) and law.location == center
            assert law.scale == pytest.approx(chi / (4.0 / len(AT) * data.n), rel=1e-8)
