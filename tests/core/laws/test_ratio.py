"""The laws of NoisyStats and NoisyStatsGaussian against draws and against a second route to the same numbers."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.special import ndtr

from dpslr_core import Dataset, simulate_linear
from dpslr_core.laws.base import measure_together
from dpslr_core.laws.ratio import NoisySlopeLaw
from dpslr_core.mechanisms import NoisyStats, NoisyStatsGaussian
from tests.reference.noisy import CASES, EVERY_LAW, MECHANISMS, centre_and_width, law_of, two_dimensional


def survival(law, t):
    """P(release > t), as the quantile search sees it."""
    t = np.asarray(t, dtype=float)
    return law.tails([law], np.zeros(t.size, dtype=int), t.ravel())[1].reshape(t.shape)


WIDTHS = np.array([-1e5, -20.0, -1.3, 0.0, 0.3, 4.0, 1e3])  # t, in rough widths from the centre


UNEVEN = [
    NoisyStats(split=(0.5, 0.2, 0.3)),
    NoisyStats(split=(0.02, 0.9, 0.08)),
    NoisyStats(split=(0.9, 0.001, 0.099)),
    NoisyStatsGaussian(split=(0.6, 0.1, 0.3)),
    NoisyStatsGaussian(split=(0.3, 0.5, 0.2)),
]


# Shares change the scales of the noise, which the cases vary too: the uneven ones need only some of these.
BY_CASE = [(m, name) for name in CASES for m in MECHANISMS] + [(m, name) for name in list(CASES)[::4] for m in UNEVEN]


@pytest.mark.parametrize(("mechanism", "name"), BY_CASE, ids=repr)
def test_two_dimensional_quadrature_agrees(mechanism, name):
    law = law_of(mechanism, CASES[name])
    centre, width = centre_and_width(mechanism, CASES[name])
    t = centre + width * WIDTHS
    expected = np.array([two_dimensional(mechanism, CASES[name], one) for one in t]).T
    found = np.array([law.cdf(t), survival(law, t), np.exp(law.logpdf(t))])
    tail = expected[:2].min(axis=0)
    shown, far = tail > 1e-5, tail > 1e-7
    assert far.sum() >= 2
    np.testing.assert_allclose(found[:2], expected[:2], rtol=0, atol=1e-7)
    np.testing.assert_allclose(found[2][shown], expected[2][shown], rtol=1e-4)
    np.testing.assert_allclose(found[2][far], expected[2][far], rtol=3e-4)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: m.name)
def test_ten_million_draws_follow_the_law_and_no_other_scale(mechanism):
    size = 10_000_000
    data = Dataset(*simulate_linear(60, 0.03, 0.01, rng=np.random.default_rng(5)))
    law = mechanism.law(data, 4.0, (0.8,))[0]
    rng = np.random.default_rng(11)
    draws = np.concatenate([mechanism.release(data, 4.0, (0.8,), size // 10, rng=rng)[:, 0] for _ in range(10)])
    centre, tolerance = data.predict([0.8])[0], np.sqrt(np.log(2e9) / (2 * size))  # DKW: one run in 10^9 fails
    t = centre + np.r_[-np.geomspace(100, 0.003, 150), 0, np.geomspace(0.003, 100, 150)]
    below = np.cumsum(np.bincount(np.searchsorted(t, draws[~np.isnan(draws)]), minlength=t.size + 1))[:-1] / size
    assert np.abs(below - law.cdf(t)).max() < tolerance
    for factor in (2 / 3, 3 / 2):
        assert np.abs(below - law.cdf(centre + factor * (t - centre))).max() > 20 * tolerance
    assert abs(np.isnan(draws).mean() - law.failure) < tolerance
    distances = np.where(np.isnan(draws), np.inf, np.abs(draws - centre))
    assert abs((distances <= law.error_bound(68, centre)).mean() - 0.68) < 2 * tolerance


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: m.name)
@pytest.mark.parametrize("sign", (1, -1))
def test_sample_draws_what_the_mechanism_releases(mechanism, sign):
    x, y = simulate_linear(30, 0.03, 0.01, rng=np.random.default_rng(3))
    data = Dataset(x, y if sign > 0 else 1 - y)
    law = mechanism.law(data, 2.0, (0.1,))[0]
    released = mechanism.release(data, 2.0, (0.1,), 1000, rng=np.random.default_rng(8))[:, 0]
    np.testing.assert_allclose(law.sample(1000, np.random.default_rng(8)), released, rtol=1e-9)
    assert np.isnan(released).any()


@pytest.mark.parametrize("epsilon", (0.1, 8, 100))
def test_failure_is_the_tail_of_the_noise_on_nvar(epsilon):
    laplace = law_of(NoisyStats(), (epsilon, 39, 0.0245, 0.0, 0.5, 0.3))
    gaussian = law_of(NoisyStatsGaussian(), (epsilon, 39, 0.0245, 0.0, 0.5, 0.3))
    assert laplace.failure == pytest.approx(np.exp(-0.0245 * epsilon / (3 * (1 - 1 / 39))) / 2, rel=1e-12)
    assert gaussian.failure == pytest.approx(ndtr(-0.0245 * epsilon / (np.sqrt(3) * (1 - 1 / 39))), rel=1e-12)
    if epsilon == 8:
        assert laplace.failure == pytest.approx(0.468, abs=5e-4)


@pytest.mark.parametrize(("law", "centre", "width"), EVERY_LAW.values(), ids=EVERY_LAW)
def test_cdf_rises_from_nothing_to_what_does_not_fail(law, centre, width):
    t = centre + width * np.r_[-np.geomspace(1e12, 1e-6, 300), 0, np.geomspace(1e-6, 1e12, 300)]
    lower, upper = law.cdf(t), survival(law, t)
    assert (np.diff(lower) >= -1e-9).all()
    np.testing.assert_allclose(lower + upper, 1 - law.failure, rtol=1e-11)
    np.testing.assert_array_equal(law.cdf([-np.inf, np.inf]), [0, 1 - law.failure])
    assert np.isnan(law.cdf(np.nan)) and law.cdf(np.zeros((2, 3))).shape == (2, 3) and law.cdf(0.5).shape == ()


@pytest.mark.parametrize(("law", "centre", "width"), EVERY_LAW.values(), ids=EVERY_LAW)
def test_quantiles_invert_the_cdf(law, centre, width):
    q = (1 - law.failure) * np.r_[1e-6, 1e-3, np.linspace(0.01, 0.99, 50), 1 - 1e-3, 1 - 1e-6]
    t = law.ppf(q)
    noise = np.spacing(np.abs(t)) * np.exp(law.logpdf(t))  # what a float t can be told apart by
    assert (np.abs(law.cdf(t) - q) <= 1e-7 * np.minimum(q, 1 - law.failure - q) + 4 * noise + 4e-12).all()
    assert law.median == law.ppf(0.5 * (1 - law.failure)) and (np.diff(t) > 0).all()
    np.testing.assert_array_equal(law.ppf([0, 1 - law.failure]), [-np.inf, np.inf])
    assert np.isnan(law.ppf([-0.1, 1 - 0.5 * law.failure + 1e-9, 1.1, np.nan])).all()


@pytest.mark.parametrize(("law", "centre", "width"), EVERY_LAW.values(), ids=EVERY_LAW)
def test_density_is_the_derivative_of_the_cdf(law, centre, width):
    t, step = centre + width * np.array([-30, -1.1, -0.2, 0.05, 0.6, 4.0, 100.0]), 3e-4 * width
    offsets = step * np.array([-2, -1, 1, 2])
    slope = np.array([1, -8, 8, -1]) @ law.cdf(t + offsets[:, None]) / (12 * step)
    shown = np.minimum(law.cdf(t), survival(law, t)) > 1e-6
    np.testing.assert_allclose(np.exp(law.logpdf(t))[shown], slope[shown], rtol=2e-3 if step < 1e-9 else 1e-4)
    np.testing.assert_array_equal(law.logpdf([-np.inf, np.inf]), -np.inf)


@pytest.mark.parametrize(("law", "centre", "width"), EVERY_LAW.values(), ids=EVERY_LAW)
def test_error_bounds_hold_their_share_and_are_the_same_alone(law, centre, width):
    """By the cdf; C(q), the median and quantiles are the same bit for bit, whatever they are computed with."""
    for away in (0.0, 0.4, -5.0, 1e4):
        ((bounds, median),) = measure_together([law], (1e-6, 30, 50, 68, 99.9), [centre + away * width])
        alone = [law.error_bound(q, centre + away * width) for q in (1e-6, 30, 50, 68, 99.9)]
        np.testing.assert_array_equal(bounds, alone)
        assert median == law.median
        wide = np.isfinite(bounds)
        held = law.cdf(centre + away * width + bounds[wide]) - law.cdf(centre + away * width - bounds[wide])
        np.testing.assert_allclose(held, np.array([1e-8, 0.3, 0.5, 0.68, 0.999])[wide], rtol=1e-7, atol=1e-8)
    q = (1 - law.failure) * np.array([1e-9, 0.2, 0.5, 0.97])
    np.testing.assert_array_equal(law.ppf(q), [float(law.ppf(one)) for one in q])


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: m.name)
@pytest.mark.parametrize("epsilon", (2, 16, 100))
def test_numbers_of_a_small_area_take_two_evaluations_or_three(mechanism, epsilon, monkeypatch):
    evaluated, tails = [], NoisySlopeLaw.tails
    monkeypatch.setattr(NoisySlopeLaw, "tails", staticmethod(lambda *given: evaluated.append(1) or tails(*given)))
    data = Dataset(*simulate_linear(70, 0.05, 0.04, rng=np.random.default_rng(4)))
    for law, center in zip(mechanism.law(data, epsilon), data.predict([0.25, 0.75]), strict=True):
        evaluated.clear()
        measure_together([law], (68, 95), [center])
        assert 1 <= len(evaluated) <= 3


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: m.name)
def test_reflecting_y_reflects_the_law(mechanism):
    one = law_of(mechanism, (3, 50, 1.0, 0.7, 0.4, 0.3))
    other = law_of(mechanism, (3, 50, 1.0, -0.7, 0.6, 0.3))
    t = np.linspace(-2, 3, 41)
    np.testing.assert_allclose(other.cdf(1 - t), survival(one, t), rtol=1e-12)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: m.name)
@pytest.mark.parametrize("distance", (0.0, 1e-17, -1e-12, 1e-9))
def test_points_at_the_mean_of_x_join_up(mechanism, distance):
    near, at_mean = (law_of(mechanism, (8, 100, 3.0, 1.0, 0.5, d)) for d in (distance, 0.0))
    t = 0.5 + np.linspace(-0.2, 0.2, 41)
    np.testing.assert_allclose(near.cdf(t), at_mean.cdf(t), rtol=0, atol=1e-7)
    assert at_mean.median == pytest.approx(0.5, abs=1e-9)


def test_tails_fall_as_one_over_t():
    law = law_of(NoisyStats(), CASES["much noise"])
    np.testing.assert_allclose(survival(law, [1e8, 1e10]) * [1e8, 1e10], survival(law, 1e6) * 1e6, rtol=1e-3)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: m.name)
@pytest.mark.parametrize("epsilon", (1e-4, 1.0, 1e6))
def test_little_noise_is_one_noise_about_the_prediction(mechanism, epsilon):
    data = Dataset(*simulate_linear(200, 0.04, 0.01, rng=np.random.default_rng(2)))
    first = mechanism.law(data, epsilon, (0.25, 0.75))[0]
    assert pickle.loads(pickle.dumps(first)) == first
    if epsilon == 1e6:  # to first order p - OLS is a sum of three independent noises
        b, c = mechanism.noise_scale(np.array([1 - 1 / 200, 1 / 200]), epsilon)
        lever = (0.25 - data.x_mean) / data.nvar * b
        e = mechanism._noise(np.random.default_rng(1), 3_000_000).reshape(3, -1)
        p = lever * (e[0] - data.slope * e[1]) + c * (1 + abs(data.slope)) * e[2]
        center = data.predict([0.25])[0]
        assert np.abs(first.cdf(center + np.quantile(p, [0.05, 0.3, 0.5, 0.9])) - [0.05, 0.3, 0.5, 0.9]).max() < 2e-3
        assert first.error_bound(68, center) == pytest.approx(np.quantile(np.abs(p), 0.68), rel=5e-3)
