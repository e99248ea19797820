"""The adaptive ridge of NoisyStats and NoisyStatsGaussian: its denominator, its limits, and the error with it."""

import numpy as np
import pytest
from cases import DATASETS, PLAIN

from dpslr_core import Dataset, simulate_linear
from dpslr_core.mechanisms import NoisyStats, NoisyStatsGaussian

EACH = pytest.mark.parametrize("cls", [NoisyStats, NoisyStatsGaussian])
BOUNDS = {NoisyStats: (np.log(10), np.log(20)), NoisyStatsGaussian: (1.6448536269514722, 1.959963984540054)}


@EACH
@pytest.mark.parametrize("split", [(1 / 3, 1 / 3, 1 / 3), (0.6, 0.1, 0.3)])
def test_the_denominator_rises_in_four_pieces(cls, split):
    """From b, by nvar up to a + b, flat, and then nvar itself."""
    mechanism, n, epsilon = cls(adaptive_ridge=True, split=split), 20, 1.5
    of_nvar, of_ncov = (float(mechanism.noise_scale(1 - 1 / n, epsilon, share)) for share in split[:2])
    a, b = of_nvar * BOUNDS[cls][0], of_ncov * BOUNDS[cls][1]
    nvar = np.array([-50.0, 0.0, 0.5 * a, a, a + 0.5 * b, a + b, a + b + 3.0])
    expected = [b, b, b + 0.5 * a, a + b, a + b, a + b, a + b + 3.0]
    np.testing.assert_allclose(mechanism.ridged(nvar, n, epsilon), expected, rtol=1e-12)


@EACH
@pytest.mark.parametrize("name", ["constant x", "three records", "corners"])
@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 1e3])
def test_with_a_ridge_no_release_fails(cls, name, epsilon):
    released = cls(adaptive_ridge=True).release(DATASETS[name], epsilon, size=2000, rng=np.random.default_rng(0))
    assert np.isfinite(released).all()
    if name == "constant x":
        assert np.isnan(cls().release(DATASETS[name], epsilon, size=200, rng=np.random.default_rng(0))).any()


@EACH
def test_where_the_noise_is_small_the_ridge_changes_nothing(cls):
    plain, ridged = (
        cls(adaptive_ridge=ridge).release(PLAIN, 400.0, size=500, rng=np.random.default_rng(1))
        for ridge in (False, True)
    )
    np.testing.assert_array_equal(plain, ridged)


@EACH
def test_a_fallback_beside_a_ridge_changes_nothing(cls):
    both, alone = (
        cls(fallback=fallback, adaptive_ridge=True).release(PLAIN, 1.0, size=500, rng=np.random.default_rng(1))
        for fallback in (True, False)
    )
    np.testing.assert_array_equal(both, alone)


@EACH
def test_a_ridge_has_no_law_and_costs_nothing(cls):
    mechanism = cls(adaptive_ridge=True)
    assert mechanism.law(PLAIN, 1.0) == (None, None)
    assert mechanism.ledger(2.0) == cls().ledger(2.0) and mechanism.guarantee(2.0) == cls().guarantee(2.0)


def test_a_ridge_is_steadier_where_the_noise_hides_the_variance():
    """At epsilon n var(x) = 4 the error is a small part of that without, and near 400 about the same."""
    for n, most, least in ((100, 0.5, 0.0), (10_000, 1.02, 0.98)):
        data = Dataset(*simulate_linear(n, 0.04, 0.01, rng=np.random.default_rng(3)))
        errors = []
        for ridge in (False, True):
            mechanism = NoisyStats(fallback=True, adaptive_ridge=ridge)
            released = mechanism.release(data, 1.0, 0.25, 4000, rng=np.random.default_rng(2))
            errors.append(np.quantile(np.abs(released - data.predict(0.25)), 0.95))
        assert least <= errors[1] / errors[0] <= most
