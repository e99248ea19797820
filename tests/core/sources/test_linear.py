"""LinearModel and simulate_linear: moments, shared randomness, clipping, standard errors, refused arguments."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpslr_core.dataset import Dataset
from dpslr_core.sources import LinearModel, simulate_linear
from tests.cases.tables import check_refused


def rng(seed: int = 7) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_y_is_made_before_x_is_clipped():
    x, y = simulate_linear(
        500, 1 / 3, 0.0, slope=0.25, intercept=0.3, rng=rng()
    )  # x from -0.5 to 1.5
    assert (x == 0).any() and (x == 1).any()
    assert y[x == 0].min() < 0.3 and y[x == 1].max() > 0.55


VARIANCES, COEFFICIENTS = st.floats(0, 10), st.floats(-5, 5)


@given(
    st.integers(3, 60),
    VARIANCES,
    VARIANCES,
    COEFFICIENTS,
    COEFFICIENTS,
    st.floats(0, 1),
    st.integers(0, 2**32),
)
def test_every_allowed_call_gives_a_data_set(n, var_x, var_e, slope, intercept, x_mean, seed):
    x, y = simulate_linear(n, var_x, var_e, slope, intercept, x_mean, rng=rng(seed))
    assert x.shape == y.shape == (n,) and x.dtype == y.dtype == np.float64
    assert Dataset(x, y).n == n


REFUSED = """
    "n" | 2 | n must be a whole number, 3 or more, got 2
    "n" | 10.0 | n must be a whole number
    "n" | true | n must be a whole number
    "var_x" | -0.1 | var_x must be a finite number, 0 or more, got -0.1
    "var_x" | Infinity | var_x must be a finite number
    "var_e" | NaN | var_e must be a finite number
    "var_e" | "much" | var_e must be a number, got 'much'
    "slope" | NaN | slope must be a finite number
    "intercept" | Infinity | intercept must be a finite number
    "x_mean" | 1.5 | x_mean must lie in
    "rng" | 7 | rng must be a numpy.random.Generator
"""


def test_refused_arguments_are_named():
    usual = {"n": 10, "var_x": 0.02, "var_e": 0.01, "rng": rng()}
    check_refused(lambda argument, value: simulate_linear(**usual | {argument: value}), REFUSED)


# ---------------------------------------------------------------- the model


MODEL = LinearModel(400, 0.01, 0.0025, slope=-0.3, intercept=0.6, x_mean=0.4)


def test_records_are_made_of_uniforms_and_then_normals():
    noise = rng(3)
    data = MODEL.from_noise(noise.random(400), noise.standard_normal(400))
    assert data == MODEL.simulate(rng(3))
    columns = simulate_linear(400, 0.01, 0.0025, -0.3, 0.6, 0.4, rng=rng(3))
    np.testing.assert_array_equal(columns, (data.x, data.y))
    columns[0][0] = 0.5  # its arrays are the caller's


def check_law(values, law):
    """Values follow a law; with 2/3 or 3/2 of their deviations from its mean they do not."""
    assert stats.kstest(values, law.cdf).pvalue > 1e-3
    for factor in (2 / 3, 3 / 2):
        scaled = law.mean() + factor * (values - law.mean())
        assert stats.kstest(scaled, law.cdf).pvalue < 1e-6


X_LAWS = {
    "uniform": stats.uniform(0.45 - np.sqrt(0.03), np.sqrt(0.12)),
    "normal": stats.norm(0.45, 0.1),
    "skewed": stats.expon(0.35, 0.1),
}
ERROR_LAWS = {
    "normal": stats.norm(0, 0.05),
    "heavy tails": stats.t(3, 0, 0.05 / np.sqrt(3)),
    "skewed": stats.expon(-0.05, 0.05),
}


@pytest.mark.parametrize("shape", X_LAWS)
def test_x_has_its_distribution_with_the_given_mean_and_variance(shape):
    x = LinearModel(20_000, 0.01, 0.001, x_mean=0.45, x_shape=shape).simulate(rng()).x
    inside = x < 1  # the tail of skewed x is clipped
    assert inside.mean() > 0.98
    check_law(x[inside], X_LAWS[shape])


@pytest.mark.parametrize("shape", ERROR_LAWS)
def test_errors_have_their_distribution_with_the_given_variance(shape):
    model = LinearModel(20_000, 0.0, 0.0025, slope=0.0, intercept=0.5, error_shape=shape)
    check_law(model.simulate(rng()).y - 0.5, ERROR_LAWS[shape])


def test_leverage_is_one_record_in_twenty_four_deviations_of_the_others_out():
    x = LinearModel(40_000, 0.01, 0.0, x_shape="leverage").simulate(rng()).x - 0.5
    far = np.abs(x) > 2 * np.std(x)
    others = np.std(x[~far])
    assert far.mean() == pytest.approx(0.05, abs=0.005)
    np.testing.assert_allclose(np.abs(x[far]), 4 * others, rtol=0.02)
    assert np.mean(x[far] > 0) == pytest.approx(0.5, abs=0.05)
    assert np.var(x) == pytest.approx(0.01, rel=0.02)


def test_growing_errors_have_the_variance_on_average_and_a_deviation_in_proportion_to_the_rank():
    data = LinearModel(
        40_000, 0.03, 0.0025, slope=0.0, intercept=0.5, error_shape="growing"
    ).simulate(rng())
    errors, rank = data.y - 0.5, (data.x - 0.2) / 0.6
    assert np.mean(errors**2) == pytest.approx(0.0025, rel=0.05)
    for low, high in ((0.1, 0.2), (0.8, 0.9)):
        some = (rank > low) & (rank < high)
        expected = 0.05 * np.sqrt(3) * np.sqrt(np.mean(rank[some] ** 2))
        assert np.std(errors[some]) == pytest.approx(expected, rel=0.08)


@pytest.mark.parametrize("shape", ["uniform", "normal"])
def test_predictions_scatter_about_the_truth_by_the_standard_error(shape):
    """OLS over many draws of e for one x; the same with 3/2 or 2/3 of the standard error is told apart."""
    model = LinearModel(30, 0.02, 0.0004, x_shape=shape)
    at, uniform, normals = (0.1, 0.6), rng(1).random(30), rng(2).standard_normal((2_000, 30))
    data = [model.from_noise(uniform, normal) for normal in normals]
    z = (np.array([d.predict(at) for d in data]) - model.truth(at)) / model.standard_error(
        at, data[0]
    )
    for scaled in z.T:
        check_law(scaled, stats.norm())


def test_without_a_data_set_the_standard_error_is_that_of_a_typical_one():
    model, at = LinearModel(20_000, 0.03, 0.01), [0.25, 0.9]
    typical = model.standard_error(at, model.simulate(rng()))
    np.testing.assert_allclose(model.standard_error(at), typical, rtol=0.02)
    assert np.isinf(LinearModel(5, 0.0, 0.01).standard_error(0.3))
    assert np.isinf(model.standard_error(0.3, Dataset([0.5] * 4, [0.1, 0.2, 0.3, 0.4])))


def test_replicates_share_their_noise_at_every_n():
    small, large = LinearModel(12, 0.02, 0.01), LinearModel(100, 0.02, 0.01)
    np.testing.assert_array_equal(small.replicate(4, 2).x, large.replicate(4, 2).x[:12])


def standardised(model: LinearModel, data: Dataset) -> np.ndarray:
    """The errors of OLS's mean and slope in units of their standard errors, shape (2,)."""
    slope = np.sqrt(data.nvar / model.var_e) * (data.slope - model.slope)
    mean = np.sqrt(data.n / model.var_e) * (data.y_mean - model.truth(data.x_mean)[0])
    return np.array([mean, slope])


def test_the_errors_of_replicates_are_independent_and_normal():
    """Of one data set per seed; errors of OLS that are smaller than theirs are told apart."""
    model = LinearModel(8, 0.02, 1e-6)
    for number in (0, 3):
        replicates = [model.replicate(seed, number) for seed in range(600)]
        errors = np.array([data.y - model.truth(data.x) for data in replicates]) * 1e3
        assert stats.kstest(errors.ravel(), stats.norm.cdf).pvalue > 1e-3
        correlations = np.corrcoef(errors.T)[np.triu_indices(8, 1)]
        assert np.abs(correlations).max() < 4 / np.sqrt(600)
        mean, slope = np.transpose([standardised(model, data) for data in replicates])
        for each in (mean, slope, (mean + slope) / np.sqrt(2)):
            assert stats.kstest(each, stats.norm.cdf).pvalue > 1e-3
            assert stats.kstest(each, stats.norm(0, 4 / 3).cdf).pvalue < 1e-3


def test_replicates_of_a_seed_spread_the_errors_of_mean_and_slope_evenly_and_alike_at_every_n():
    few, many = (
        np.array([standardised(model, model.replicate(1, number)) for number in range(200)])
        for model in (LinearModel(10, 0.02, 1e-6), LinearModel(70, 0.004, 1e-4, x_shape="normal"))
    )
    np.testing.assert_allclose(few, many, atol=1e-6)
    even = stats.qmc.discrepancy(stats.norm.cdf(few))
    others = [np.random.default_rng(seed).random((200, 2)) for seed in range(20)]
    assert even < 0.3 * min(stats.qmc.discrepancy(points) for points in others)


def test_replicates_are_the_same_to_the_last_bit_on_every_processor():
    """Their digests choose the random streams of trials; sums of products by BLAS would differ between processors."""
    digests = [
        LinearModel(n, 0.03, 0.01).replicate(3, number).digest
        for n in (10, 250, 5000)
        for number in range(20)
    ]
    assert sha256("".join(digests).encode()).hexdigest()[:16] == "e7ee8d46e3b92236"
