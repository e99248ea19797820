"""The equation of a release and Fieller's method against scipy, differences and a search over a grid."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from dpslr_core.intervals.equation import critical_value
from dpslr_core.mechanisms import CenteredStats, CenteredStatsGaussian, NoisyStats
from dpslr_core.mechanisms.centered import CenteredStatistics
from tests.cases.inputs import simulated

AT = np.array([0.1, 0.25, 0.9])
ALGORITHMS = [CenteredStats(), CenteredStatsGaussian()]


def released(mechanism, epsilon, size=5, n=250):
    return mechanism.release_statistics(simulated(n), epsilon, size, rng=np.random.default_rng(3))


@pytest.mark.parametrize("mechanism", ALGORITHMS, ids=repr)
def test_without_noise_the_intervals_are_those_of_a_regression(mechanism):
    records = simulated(30)
    fit = stats.linregress(records.x, records.y)
    sd = np.sqrt(np.sum((records.y - fit.intercept - fit.slope * records.x) ** 2) / 28)
    nvar = np.sum((records.x - records.x.mean()) ** 2)
    half = stats.t.ppf(0.975, 28) * sd * np.sqrt(1 / 30 + (AT - records.x.mean()) ** 2 / nvar)
    found = released(mechanism, 1e9, 1, 30).equation(AT).fieller(0.95)
    np.testing.assert_allclose(found.low[0], fit.intercept + fit.slope * AT - half, atol=1e-6)
    np.testing.assert_allclose(found.high[0], fit.intercept + fit.slope * AT + half, atol=1e-6)
    np.testing.assert_allclose(found.sampling[0], half, atol=1e-6)


@pytest.mark.parametrize("mechanism", ALGORITHMS, ids=repr)
def test_the_noise_of_a_prediction_is_that_of_small_changes_of_each_sum(mechanism):
    release = released(mechanism, 3.0, 1)
    moments = [float(part[0]) for part in (release.x_mean - 0.5, release.y_mean - 0.5)]
    moments += [float(part[0]) for part in (release.nvar, release.ncov, release.nvar_y)]
    step = 1e-5
    drawn = step * np.eye(5)
    moved = CenteredStatistics.noised(release.n, tuple(moments), release.noise, drawn).predict(
        AT
    ) - release.predict(AT)
    expected = (release.noise.deviation[:, None] * moved / step) ** 2
    equation = release.equation(AT)
    order = [1, 0, 2, 3]  # w, u, uu, uw
    np.testing.assert_allclose(
        equation.noise[:, 0] / release.nvar**2, expected[order], rtol=1e-3, atol=1e-12
    )
    np.testing.assert_allclose(expected[4], 0, atol=1e-12)


@pytest.mark.parametrize("mechanism", [*ALGORITHMS, NoisyStats()], ids=repr)
def test_fieller_takes_all_heights_that_the_noise_could_explain(mechanism):
    """Every p with T(p)^2 <= q^2 var T(p), on a fine grid, where that is one interval; otherwise no end."""
    equation = released(mechanism, 3.0, 20).equation(AT)
    intervals, critical = equation.fieller(0.9), equation.critical(0.9)
    grid, bounded = np.linspace(-60, 60, 240_001), 0
    for i, j in product(range(20), range(AT.size)):
        d = grid - equation.height[i, j]
        parts = equation.constant[:, i, j, None] + equation.by_distance[:, i, j, None] * d
        variance = equation.sampling[i, j] + (parts**2).sum(axis=0)
        squared = (equation.nvar[i, 0] * d - equation.product[i, j]) ** 2
        taken = grid[squared <= critical[i, j] ** 2 * variance]
        if taken[0] == grid[0] or taken[-1] == grid[-1]:
            assert np.isinf(intervals.high[i, j]) or intervals.width[i, j] > 50
            continue
        bounded += 1
        low, high = taken[[0, -1]]
        if (
            equation.released_offset is not None
        ):  # only how far it is, and not on which side, is known
            middle = equation.height[i, j] + equation.released_offset[i, j]
            most = max(middle - low, high - middle)
            low, high = middle - most, middle + most
        assert (intervals.low[i, j], intervals.high[i, j]) == pytest.approx((low, high), abs=1.5e-3)
    assert bounded > 10


# ---------------------------------------------------------------- critical values of normal errors and laplace noise t


ONE = np.ones((1, 1))


def value(level, sampling, noise, heavy=True, freedom=np.inf):
    noises = np.array(noise, dtype=float).reshape(-1, 1, 1)
    return critical_value(level, sampling * ONE, noises, heavy, freedom * ONE)[0, 0]


def test_of_errors_of_one_kind_alone_it_is_the_quantile_of_a_t_or_laplace_or_normal_law():
    for level in (0.5, 0.8, 0.95, 0.99):
        upper = (1 + level) / 2
        assert value(level, 2.0, [0.0], freedom=28) == pytest.approx(
            stats.t.ppf(upper, 28), rel=1e-6
        )
        assert value(level, 0.0, [3.0]) == pytest.approx(-np.log(1 - level) / np.sqrt(2), rel=1e-4)
        assert value(level, 0.0, [3.0], heavy=False) == pytest.approx(
            stats.norm.ppf(upper), rel=1e-6
        )


def test_critical_values_hold_the_share_of_draws_that_they_say():
    rng, size = np.random.default_rng(1), 200_000
    for sampling, noise in ((1, [1]), (1, [0.3, 0.2]), (0, [1, 1]), (0.1, [1, 0.5, 0.2, 0.1])):
        draws = np.sqrt(sampling) * rng.standard_normal(size)
        for each in noise:
            draws += rng.laplace(scale=np.sqrt(each / 2), size=size)
        for level in (0.8, 0.95, 0.99):
            half = value(level, sampling, noise) * np.sqrt(sampling + sum(noise))
            assert np.mean(np.abs(draws) <= half) == pytest.approx(level, abs=0.005), (
                sampling,
                noise,
                level,
            )
