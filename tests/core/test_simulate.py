"""simulate_linear: the stated moments, shared randomness, clipping, and every refused argument."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpslr_core.dataset import Dataset
from dpslr_core.simulate import simulate_linear


def rng(seed: int = 7) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_x_is_uniform_with_the_given_mean_and_variance():
    x, _ = simulate_linear(20_000, 0.02, 0.001, rng=rng())
    width = np.sqrt(12 * 0.02)
    law = stats.uniform(0.5 - width / 2, width)
    assert stats.kstest(x, law.cdf).pvalue > 1e-3
    for factor in (2 / 3, 3 / 2):  # a test that accepts any width would prove nothing
        wrong = stats.uniform(0.5 - factor * width / 2, factor * width)
        assert stats.kstest(x, wrong.cdf).pvalue < 1e-6


def test_residuals_are_gaussian_about_the_stated_line():
    x, y = simulate_linear(20_000, 0.01, 0.0025, slope=-0.3, intercept=0.6, x_mean=0.4, rng=rng())
    residuals = y - (-0.3 * x + 0.6)
    assert stats.kstest(residuals, stats.norm(0, 0.05).cdf).pvalue > 1e-3
    for factor in (2 / 3, 3 / 2):
        assert stats.kstest(residuals, stats.norm(0, factor * 0.05).cdf).pvalue < 1e-6


def test_without_noise_the_points_lie_on_the_line():
    x, y = simulate_linear(50, 0.02, 0.0, rng=rng())
    np.testing.assert_allclose(y, 0.5 * x + 0.2, rtol=0, atol=1e-15)


def test_one_state_gives_scaled_versions_of_the_same_noise():
    x1, y1 = simulate_linear(200, 0.004, 0.0001, rng=rng())
    x2, y2 = simulate_linear(200, 0.016, 0.0004, rng=rng())
    np.testing.assert_allclose(x2 - 0.5, 2 * (x1 - 0.5), atol=1e-14)
    np.testing.assert_allclose(y2 - 0.5 * x2 - 0.2, 2 * (y1 - 0.5 * x1 - 0.2), atol=1e-14)


def test_the_state_afterwards_depends_only_on_n():
    first, second = rng(), rng()
    simulate_linear(50, 0.02, 0.1, rng=first)
    simulate_linear(50, 0.0, 0.0, slope=3, intercept=-1, x_mean=0.1, rng=second)
    assert first.random() == second.random()


def test_same_seed_same_numbers():
    first, second = (simulate_linear(30, 0.02, 0.01, rng=rng(3)) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_y_is_made_before_x_is_clipped():
    x, y = simulate_linear(500, 1 / 3, 0.0, slope=0.25, intercept=0.3, rng=rng())  # x from -0.5 to 1.5
    assert (x == 0).any() and (x == 1).any()
    assert y[x == 0].min() < 0.3 and y[x == 1].max() > 0.55


@given(
    n=st.integers(3, 60),
    var_x=st.floats(0, 10),
    var_e=st.floats(0, 10),
    slope=st.floats(-5, 5),
    intercept=st.floats(-5, 5),
    x_mean=st.floats(0, 1),
    seed=st.integers(0, 2**32),
)
@settings(deadline=None)
def test_every_allowed_call_gives_a_data_set(n, var_x, var_e, slope, intercept, x_mean, seed):
    x, y = simulate_linear(n, var_x, var_e, slope, intercept, x_mean, rng=rng(seed))
    assert x.shape == y.shape == (n,) and x.dtype == y.dtype == np.float64
    assert Dataset(x, y).n == n


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 2}, "n must be a whole number, 3 or more, got 2"),
        ({"n": 10.0}, "n must be a whole number"),
        ({"n": True}, "n must be a whole number"),
        ({"var_x": -0.1}, "var_x must be a finite number, 0 or more, got -0.1"),
        ({"var_x": np.inf}, "var_x must be a finite number"),
        ({"var_e": np.nan}, "var_e must be a finite number"),
        ({"var_e": "much"}, "var_e must be a number, got 'much'"),
        ({"slope": np.nan}, "slope must be a finite number"),
        ({"intercept": np.inf}, "intercept must be a finite number"),
        ({"x_mean": 1.5}, "x_mean must lie in"),
        ({"rng": 7}, "rng must be a numpy.random.Generator"),
        ({"rng": None}, "rng must be a numpy.random.Generator"),
    ],
)
def test_refused_arguments_are_named(change, message):
    arguments = {"n": 10, "var_x": 0.02, "var_e": 0.01, "rng": rng(), **change}
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        simulate_linear(**arguments)


def test_rng_is_required():
    with pytest.raises(TypeError, match="rng"):
        simulate_linear(10, 0.02, 0.01)  # type: ignore[call-arg]
