"""The laws of NoisyStats and NoisyStatsGaussian against draws and against a second route to the same numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from dpslr_core.mechanisms import NoisyStats
from tests.reference.noisy import CASES, MECHANISMS, centre_and_width, law_of, two_dimensional


def survival(law, t):
    """P(release > t), as the quantile search sees it."""
    t = np.asarray(t, dtype=float)
    return law.tails([law], np.zeros(t.size, dtype=int), t.ravel())[1].reshape(t.shape)


WIDTHS = np.array([-1e5, -20.0, -1.3, 0.0, 0.3, 4.0, 1e3])  # t, in rough widths from the centre


@pytest.mark.parametrize("mechanism", [*MECHANISMS, NoisyStats(split=(0.02, 0.9, 0.08))], ids=repr)
@pytest.mark.parametrize("name", CASES)
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


def test_failure_is_the_tail_of_the_noise_on_nvar():
    for epsilon in (0.1, 8, 100):
        laplace, gaussian = (
            law_of(each, (epsilon, 39, 0.0245, 0.0, 0.5, 0.3)) for each in MECHANISMS
        )
        z = 0.0245 * epsilon / (1 - 1 / 39)
        assert laplace.failure == pytest.approx(np.exp(-z / 3) / 2, rel=1e-12)
        assert gaussian.failure == pytest.approx(ndtr(-z / np.sqrt(3)), rel=1e-12)
