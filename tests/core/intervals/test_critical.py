"""Critical values of normal errors and Laplace noise together, against draws and closed forms."""

import numpy as np
import pytest
from scipy import stats

from dpslr_core.intervals.equation import critical_value, upper_tail

ONE = np.ones((1, 1))


def value(level, sampling, noise, heavy=True, freedom=np.inf):
    noises = np.array(noise, dtype=float).reshape(-1, 1, 1)
    return critical_value(level, sampling * ONE, noises, heavy, freedom * ONE)[0, 0]


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99])
def test_without_noise_it_is_a_t_quantile(level):
    assert value(level, 2.0, [0.0], freedom=28) == pytest.approx(stats.t.ppf((1 + level) / 2, 28), rel=1e-6)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99])
def test_one_laplace_noise_alone_has_the_quantile_of_laplace(level):
    assert value(level, 0.0, [3.0]) == pytest.approx(-np.log(1 - level) / np.sqrt(2), rel=1e-4)
    assert value(level, 0.0, [3.0], heavy=False) == pytest.approx(stats.norm.ppf((1 + level) / 2), rel=1e-6)


@pytest.mark.parametrize(("sampling", "noise"), [(1, [1]), (1, [0.3, 0.2]), (0, [1, 1]), (0.1, [1, 0.5, 0.2, 0.1])])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_it_holds_the_share_of_draws_that_it_says(sampling, noise, level):
    rng, size = np.random.default_rng(1), 400_000
    draws = np.sqrt(sampling) * rng.standard_normal(size)
    for each in noise:
        draws += rng.laplace(scale=np.sqrt(each / 2), size=size)
    half = value(level, sampling, noise) * np.sqrt(sampling + sum(noise))
    assert np.mean(np.abs(draws) <= half) == pytest.approx(level, abs=0.004)


def test_the_tail_is_the_integral_of_the_normal_density_against_the_laplace_tail():
    t, s, b = 1.3, 0.7, 0.4
    z = np.linspace(-12, 12, 400_001)
    tail = stats.laplace.sf(t - s * z, scale=b)
    assert upper_tail(np.array(t), np.array(s), np.array(b)) == pytest.approx(
        np.trapezoid(stats.norm.pdf(z) * tail, z), rel=1e-8
    )
