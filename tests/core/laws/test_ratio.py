"""The laws of NoisyStats and NoisyStatsGaussian against draws and against a second route to the same numbers."""

from __future__ import annotations

from itertools import product

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


def test_sample_draws_what_the_mechanism_releases():
    x, y = simulate_linear(30, 0.03, 0.01, rng=np.random.default_rng(3))
    for mechanism, data in product(MECHANISMS, (Dataset(x, y), Dataset(x, 1 - y))):
        law = mechanism.law(data, 2.0, (0.1,))[0]
        released = mechanism.release(data, 2.0, (0.1,), 1000, rng=np.random.default_rng(8))[:, 0]
        np.testing.assert_allclose(law.sample(1000, np.random.default_rng(8)), released, rtol=1e-9)
        assert np.isnan(released).any()


def test_failure_is_the_tail_of_the_noise_on_nvar():
    for epsilon in (0.1, 8, 100):
        laplace, gaussian = (law_of(each, (epsilon, 39, 0.0245, 0.0, 0.5, 0.3)) for each in MECHANISMS)
        z = 0.0245 * epsilon / (1 - 1 / 39)
        assert laplace.failure == pytest.approx(np.exp(-z / 3) / 2, rel=1e-12)
        assert gaussian.failure == pytest.approx(ndtr(-z / np.sqrt(3)), rel=1e-12)


@pytest.mark.parametrize(("law", "centre", "width"), EVERY_LAW.values(), ids=EVERY_LAW)
def test_the_cdf_rises_and_quantiles_invert_it(law, centre, width):
    t = centre + width * np.r_[-np.geomspace(1e12, 1e-6, 100), 0, np.geomspace(1e-6, 1e12, 100)]
    assert (np.diff(law.cdf(t)) >= -1e-9).all()
    np.testing.assert_array_equal(law.cdf([-np.inf, np.inf]), [0, 1 - law.failure])
    q = (1 - law.failure) * np.r_[1e-6, 1e-3, np.linspace(0.01, 0.99, 15), 1 - 1e-3, 1 - 1e-6]
    t = law.ppf(q)
    noise = np.spacing(np.abs(t)) * np.exp(law.logpdf(t))  # what a float t can be told apart by
    assert (np.abs(law.cdf(t) - q) <= 1e-7 * np.minimum(q, 1 - law.failure - q) + 4 * noise + 4e-12).all()
    np.testing.assert_array_equal(law.ppf([0, 1 - law.failure]), [-np.inf, np.inf])


def test_numbers_of_a_small_area_take_few_evaluations(monkeypatch):
    evaluated, tails = [], NoisySlopeLaw.tails
    monkeypatch.setattr(NoisySlopeLaw, "tails", staticmethod(lambda *given: evaluated.append(1) or tails(*given)))
    data = Dataset(*simulate_linear(70, 0.05, 0.04, rng=np.random.default_rng(4)))
    for mechanism, epsilon in product(MECHANISMS, (2, 16, 100)):
        for law, center in zip(mechanism.law(data, epsilon), data.predict([0.25, 0.75]), strict=True):
            evaluated.clear()
            measure_together([law], (68, 95), [center])
            assert 1 <= len(evaluated) <= 3, (mechanism, epsilon)
