"""Laws of CenteredStats: against dense quadrature, against draws, and where they must agree with something known."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from dpslr_core import Dataset, simulate_linear
from dpslr_core.laws.base import measure_together
from dpslr_core.laws.quadrature import NOISES
from dpslr_core.mechanisms import CenteredStats, CenteredStatsGaussian
from tests.reference.centered import below, gauss, prediction_cdf

MECHANISMS = [CenteredStats(), CenteredStatsGaussian()]


def simulated(n, var_x, var_e, x_mean=0.5):
    return Dataset(*simulate_linear(n, var_x, var_e, x_mean=x_mean, rng=np.random.default_rng(0)))


THREE = Dataset([0.1, 0.4, 0.9], [0.2, 0.9, 0.6])
SCATTERED = np.random.default_rng(3).random(600) - 0.5
# name: data, epsilon, point
CASES = {
    "typical": (simulated(250, 0.03, 0.01), 2.0, 0.25),
    "often flat": (simulated(60, 0.02, 0.02), 0.5, 0.75),
    "only noise": (simulated(250, 0.03, 0.01), 1e-3, 0.25),
    "no noise": (simulated(250, 0.03, 0.01), 1e3, 0.25),
    "three records": (THREE, 1.0, 0.25),
    "three records, only noise": (THREE, 1e-3, 0.25),
    "constant x": (Dataset([0.4] * 6, [0.0, 0.2, 0.3, 0.6, 0.7, 1.0]), 2.0, 0.25),
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
    expected, flat = prediction_cdf(data, mechanism.noise_scale(epsilon), at, t, laplace, mechanism.ridge)
    np.testing.assert_allclose(law.cdf(t), expected, atol=3e-6)
    assert law.fallback == pytest.approx(flat, abs=2e-7)
    assert law.failure == 0 and law.terms.weight.min() >= 0 and law.terms.weight.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_few_nodes_where_the_law_is_smooth_are_as_good_as_panels(mechanism):
    """And they are not used where the mean of x is far from the middle, or where n var(x) is drowned in noise."""
    cases = (
        (simulated(250, 0.03, 0.01), 4.0, True),
        (simulated(1000, 0.05, 0.02), 4.0, True),
        (simulated(250, 0.002, 0.01, x_mean=0.85), 2.0, False),
        (simulated(60, 0.02, 0.02), 0.5, False),
    )
    for data, epsilon, smooth in cases:
        (law,) = mechanism.law(data, epsilon, 0.25)
        assert law.spread.smooth == smooth
        by_panels = replace(law, spread=replace(law.spread, smooth=False))
        t = law.ppf(np.linspace(0.01, 0.99, 25))
        np.testing.assert_allclose(law.cdf(t), by_panels.cdf(t), atol=1e-6 if smooth else 0)
        assert not smooth or law.terms.place.size < 0.6 * by_panels.terms.place.size


def test_tails_of_a_sum_of_two_noises():
    for kind, first, second in product(("Laplace", "Gaussian"), (1.0, 3.0), (0.3, 2.0, 1.0, 0.99997, 0.0)):
        noise = NOISES[kind]
        parts = noise.parts(np.array([first]), np.array([second]))
        for c in (0.0, 0.4, 3.0):
            tail = sum(float(part.tail[0] * noise.part_tail(-c * part.rate)[0]) for part in parts)
            expected = float(below(-c, first, second, kind == "Laplace"))
            assert tail == pytest.approx(expected, abs=3e-9), (kind, first, second, c)
            nodes, weights = gauss(np.linspace(c, c + 60 * max(first, second), 300))
            density = sum(part.density * noise.part_density(-np.outer(nodes, part.rate)) for part in parts)[:, 0]
            assert weights @ density == pytest.approx(tail, abs=1e-8) and (density >= 0).all()


def test_points_share_their_nodes_and_are_the_same_alone():
    data = simulated(250, 0.03, 0.01)
    for mechanism in MECHANISMS:
        both, (alone,) = mechanism.law(data, 2.0), mechanism.law(data, 2.0, 0.75)
        assert both[0].spread is both[1].spread and pickle.loads(pickle.dumps(both[0])) == both[0]
        bounds, median = measure_together(both, (68, 95), [0.4, 0.5])[1]
        np.testing.assert_array_equal(bounds, alone.error_bounds((68, 95), 0.5))
        assert median == alone.median


def test_without_any_chance_of_a_slope_the_line_is_flat():
    (law,) = CenteredStats().law(THREE, 1e-20, 0.25)
    assert law.fallback == 1.0 and law.median == pytest.approx(THREE.y_mean, abs=1e12)
    assert law.error_bound(68, 0.5) == pytest.approx(-np.log(0.32) * 3.4e20 / 3, rel=1e-6)


def test_a_clipped_law_has_mass_at_its_ends():
    data = simulated(60, 0.03, 0.01)
    (law,), (inner,) = (CenteredStats(clip=c).law(data, 0.5, 0.1) for c in (True, False))
    assert law.fallback == inner.fallback > 0.1 and law.failure == 0
    np.testing.assert_array_equal(law.cdf([-0.51, -0.5, 0.3, 1.49, 1.5]), [0, *inner.cdf([-0.5, 0.3, 1.49]), 1])
    np.testing.assert_array_equal(law.ppf([0, 0.01, 1]), [-0.5, -0.5, 1.5])
    np.testing.assert_array_equal(law.logpdf([-1, -0.5, 1.5, 2]), [-np.inf, np.inf, np.inf, -np.inf])
    assert law.logpdf(0.4) == inner.logpdf(0.4)
