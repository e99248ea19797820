"""A law with a fallback, and what is clipped of a law that fails: by their definitions."""

import numpy as np
import pytest
from cases import DATASETS

from dpslr_core.laws import Gaussian, Laplace, PointMass
from dpslr_core.laws.mixture import ClippedLaw, FallbackLaw
from dpslr_core.mechanisms import NoisyStats

T = np.linspace(-3, 4, 41)


def failing(epsilon=1.0, at=0.25, name="nearly constant x"):
    return NoisyStats().law(DATASETS[name], epsilon, [at])[0]


@pytest.mark.parametrize("crude", [Laplace(0.4, 0.1), Gaussian(0.4, 2.0)])
def test_the_cdf_is_that_of_the_answers_and_the_share_of_the_other(crude):
    answered = failing()
    law = FallbackLaw.of(answered, crude)
    assert law.failure == 0 and law.fallback == answered.failure > 0.4 and law.exact
    np.testing.assert_allclose(law.cdf(T), answered.cdf(T) + answered.failure * crude.cdf(T), rtol=1e-13)
    density = np.exp(answered.logpdf(T)) + answered.failure * np.exp(crude.logpdf(T))
    np.testing.assert_allclose(np.exp(law.logpdf(T)), density, rtol=1e-12)


def test_a_law_that_never_fails_needs_no_fallback():
    assert FallbackLaw.of(Laplace(0.3, 1.0), Laplace(0.5, 1.0)) == Laplace(0.3, 1.0)
    assert FallbackLaw.of(PointMass(0.3), Laplace(0.5, 1.0)).failure == 0


def test_laws_with_a_fallback_are_solved_for_together():
    mechanism = NoisyStats(fallback=True)
    first, second = mechanism.law(DATASETS["tied x"], 3.0, (0.1, 0.8))
    assert first.kind == second.kind
    for law in (first, second):
        for q, center in ((30, 0.2), (68, 0.5), (95, 2.0)):
            c = law.error_bound(q, center)
            assert law.cdf(center + c) - law.cdf(center - c) == pytest.approx(q / 100, rel=1e-7)


@pytest.mark.parametrize("center", [0.4, 0.02, 0.97, -0.5, 1.2])
def test_bounds_of_a_clipped_law_that_fails(center):
    """By the quantiles of the law without bounds; a failure is infinitely far off."""
    inner = failing(8.0, name="tied x")
    law = ClippedLaw(inner, 0.0, 1.0)
    assert law.failure == inner.failure > 0.001 and law.cdf(1.0) == law.cdf(9.0) == 1 - inner.failure
    answers = np.clip(inner.ppf((np.arange(4000) + 0.5) / 4000 * (1 - inner.failure)), 0, 1)
    distances = np.sort(np.abs(answers - center))
    for q in (10, 50, 60, 80):
        if q / 100 < 1 - inner.failure:
            expected = distances[min(3999, int(q / 100 / (1 - inner.failure) * 4000))]
            assert law.error_bound(q, center) == pytest.approx(expected, abs=3e-3)
    assert law.error_bound(100, center) == np.inf
    assert np.isnan(law.sample(4000, np.random.default_rng(3))).mean() == pytest.approx(inner.failure, abs=0.03)
