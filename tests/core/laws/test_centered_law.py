"""Laws of CenteredStats: against dense quadrature, against draws, and where they must agree with something known."""

from __future__ import annotations

import numpy as np
import pytest

from dpslr_core import Dataset
from dpslr_core.mechanisms import CenteredStats, CenteredStatsGaussian
from tests.cases.inputs import simulated
from tests.reference.centered import prediction_cdf

MECHANISMS = [CenteredStats(), CenteredStatsGaussian()]


THREE = Dataset([0.1, 0.4, 0.9], [0.2, 0.9, 0.6])
SCATTERED = np.random.default_rng(3).random(600) - 0.5
# name: data, epsilon, point
CASES = {
    "typical": (simulated(250, 0.03, 0.01), 2.0, 0.25),
    "smooth": (simulated(1000, 0.05, 0.02), 4.0, 0.25),
    "often flat": (simulated(60, 0.02, 0.02), 0.5, 0.75),
    "only noise": (simulated(250, 0.03, 0.01), 1e-3, 0.25),
    "three records": (THREE, 1.0, 0.25),
    "constant x at the point": (Dataset([0.25] * 60, np.linspace(0, 1, 60)), 5.0, 0.25),
    "x far from the middle": (simulated(250, 0.002, 0.01, x_mean=0.85), 2.0, 0.25),
    "far outside": (simulated(250, 0.03, 0.01), 2.0, 50.0),
    "at the mean": (simulated(250, 0.03, 0.01), 2.0, 0.5),
    "steep": (Dataset(0.5 + 0.02 * SCATTERED, (SCATTERED > 0) * 1.0), 5.0, 0.25),
    "corners": (Dataset([0, 0, 1, 1], [0, 1, 0, 1]), 2.0, 0.25),
}
SHARES = np.array([0.01, 0.3, 0.5, 0.9])


@pytest.mark.parametrize("mechanism", [*MECHANISMS, CenteredStats(ridge=True)], ids=repr)
@pytest.mark.parametrize("name", CASES)
def test_dense_quadrature_agrees(mechanism, name):
    data, epsilon, at = CASES[name]
    (law,) = mechanism.law(data, epsilon, at)
    t, laplace = law.ppf(SHARES), isinstance(mechanism, CenteredStats)
    expected, flat = prediction_cdf(
        data, mechanism.noise_scale(epsilon), at, t, laplace, mechanism.ridge
    )
    np.testing.assert_allclose(law.cdf(t), expected, atol=3e-6)
    assert law.fallback == pytest.approx(flat, abs=2e-7)
    assert (
        law.failure == 0
        and law.terms.weight.min() >= 0
        and law.terms.weight.sum() == pytest.approx(1, abs=1e-12)
    )
