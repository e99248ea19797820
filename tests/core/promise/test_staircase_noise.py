"""Staircase noise: as private as it should be, and as small."""

import numpy as np
import pytest

from dpslr_core.promise.staircase import laplace_law, noise_ratio, staircase_law


@pytest.mark.parametrize("epsilon", [0.3, 2.0, 16.0])
def test_a_move_by_up_to_one_changes_the_density_by_e_to_the_epsilon_at_most(epsilon):
    law = staircase_law(epsilon)
    t = np.linspace(-3, 3, 100_001)
    t = t[np.abs(t) < law.edges[-1] - 1]
    losses = [np.max(np.abs(law.logpdf(t) - law.logpdf(t - shift))) for shift in (0.01, 0.4, 0.999, 1.0)]
    assert max(losses) == pytest.approx(epsilon, rel=1e-9)
    assert np.max(np.abs(law.logpdf(t) - law.logpdf(t - 1.4))) > epsilon * 1.5


@pytest.mark.parametrize(("epsilon", "ratio"), [(5.3, 0.22), (16.0, 0.003)])
def test_it_is_far_smaller_than_laplace_noise_where_epsilon_is_large(epsilon, ratio):
    assert noise_ratio(epsilon) == pytest.approx(ratio, rel=0.1)


def test_at_a_small_epsilon_it_is_laplace_noise():
    assert noise_ratio(0.1) == pytest.approx(1.0, abs=0.02)
    assert laplace_law(0.5).error_bound(50, 0.0) == pytest.approx(2 * np.log(2))


def test_its_expected_size_is_that_of_print():
    """E|noise| = e^(epsilon/2) / (e^epsilon - 1), at the best step; Laplace noise has 1 / epsilon."""
    for epsilon in (1.0, 4.0, 8.0):
        q = (np.arange(200_000) + 0.5) / 200_000
        size = np.abs(staircase_law(epsilon).ppf(q)).mean()
        assert size == pytest.approx(np.exp(epsilon / 2) / np.expm1(epsilon), rel=2e-2)
