"""Laws of CenteredStats: against dense quadrature, against draws, and where they must agree with something known."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy import integrate

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


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_millions_of_draws_follow_the_law_and_no_other_scale(mechanism, epsilon):
    size = 2_000_000
    data = simulated(60, 0.03, 0.01)
    (law,) = mechanism.law(data, epsilon, 0.8)
    rng, centre = np.random.default_rng(11), data.predict([0.8])[0]
    draws = np.concatenate([mechanism.release(data, epsilon, 0.8, size // 4, rng=rng)[:, 0] for _ in range(4)])
    tolerance = np.sqrt(np.log(2e9) / (2 * size))  # DKW: one run in 10^9 fails
    t = centre + np.r_[-np.geomspace(100, 0.003, 60), 0, np.geomspace(0.003, 100, 60)]
    share = np.searchsorted(np.sort(draws), t, side="right") / size
    assert np.abs(share - law.cdf(t)).max() < tolerance
    for factor in (2 / 3, 3 / 2):
        assert np.abs(share - law.cdf(centre + factor * (t - centre))).max() > 10 * tolerance
    assert abs((np.abs(draws - centre) <= law.error_bound(68, centre)).mean() - 0.68) < 2 * tolerance


@pytest.mark.parametrize("kind", ["Laplace", "Gaussian"])
@pytest.mark.parametrize(("first", "second"), [(1.0, 0.3), (0.2, 2.0), (1.0, 1.0), (1.0, 0.99997), (3.0, 0.0)])
def test_tails_of_a_sum_of_two_noises(kind, first, second):
    noise = NOISES[kind]
    parts = noise.parts(np.array([first]), np.array([second]))
    for c in (0.0, 0.4, 3.0):
        tail = sum(float(part.tail[0] * noise.part_tail(-c * part.rate)[0]) for part in parts)
        density = sum(float(part.density[0] * noise.part_density(-c * part.rate)[0]) for part in parts)
        if second == 0:
            expected = float(noise.tail(np.array(c / first)))
        else:
            expected = integrate.quad(
                lambda e, c=c: float(noise.density(np.abs(e)) * noise.above((c - first * e) / second)),
                -40, 40, points=[0, c / first], limit=500, epsabs=1e-11,
            )[0]  # fmt: skip
        assert tail == pytest.approx(expected, abs=3e-9)
        assert tail == pytest.approx(float(below(-c, first, second, kind == "Laplace")), abs=3e-9)
        nodes, weights = gauss(np.linspace(c, c + 60 * max(first, second), 300))
        spread = sum(part.density * noise.part_density(-np.outer(nodes, part.rate)) for part in parts)[:, 0]
        assert weights @ spread == pytest.approx(tail, abs=1e-8) and density > 0


@pytest.mark.parametrize("mechanism", [*MECHANISMS, CenteredStatsGaussian(ridge=True)], ids=repr)
def test_signs_may_change(mechanism):
    """-u, or -w: the line is mirrored."""
    data, t = simulated(40, 0.03, 0.02), np.linspace(-1, 2, 31)
    (law,) = mechanism.law(data, 1.0, 0.3)
    (from_right,) = mechanism.law(Dataset(1 - data.x, data.y), 1.0, 0.7)
    (upside_down,) = mechanism.law(Dataset(data.x, 1 - data.y), 1.0, 0.3)
    np.testing.assert_allclose(from_right.cdf(t), law.cdf(t), atol=1e-6)
    np.testing.assert_allclose(1 - upside_down.cdf(1 - t), law.cdf(t), atol=1e-6)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_points_share_their_nodes_and_are_the_same_alone(mechanism):
    data = simulated(250, 0.03, 0.01)
    both = mechanism.law(data, 2.0)
    assert both[0].spread is both[1].spread and pickle.loads(pickle.dumps(both[0])) == both[0]
    (alone,) = mechanism.law(data, 2.0, 0.75)
    centers = data.predict((0.25, 0.75)).tolist()
    together = measure_together(both, (68, 95), centers)
    ((bounds, median),) = measure_together([alone], (68, 95), centers[1:])
    np.testing.assert_array_equal(together[1][0], bounds)
    assert together[1][1] == median == alone.median


def test_without_any_chance_of_a_slope_the_line_is_flat():
    (law,) = CenteredStats().law(THREE, 1e-20, 0.25)
    assert law.fallback == 1.0 and law.median == pytest.approx(THREE.y_mean, abs=1e12)
    assert law.error_bound(68, 0.5) == pytest.approx(-np.log(0.32) * 3.4e20 / 3, rel=1e-6)


@pytest.mark.parametrize("center", [0.4, 0.05, 1.4, -3.0, 2.0, 0.9])
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_bounds_of_a_clipped_law_hold_their_share(center, epsilon):
    """By the draws of the law without bounds."""
    data = simulated(60, 0.03, 0.01)
    (law,), (inner,) = (CenteredStats(clip=c, lower=0, upper=1).law(data, epsilon, 0.3) for c in (True, False))
    draws = np.sort(np.abs(np.clip(inner.ppf((np.arange(1000) + 0.5) / 1000), 0, 1) - center))
    for q in (10, 50, 68, 95):
        assert law.error_bound(q, center) == pytest.approx(np.interp(10 * q, np.arange(1, 1001), draws), abs=4e-3)
    assert law.error_bound(0, center) == 0
    assert law.error_bound(100, center) == max(abs(center), abs(1 - center))


def test_a_clipped_law_has_mass_at_its_ends():
    data = simulated(60, 0.03, 0.01)
    (law,), (inner,) = (CenteredStats(clip=c).law(data, 0.5, 0.1) for c in (True, False))
    assert law.fallback == inner.fallback > 0.1 and law.failure == 0
    np.testing.assert_array_equal(law.cdf([-0.51, -0.5, 0.3, 1.49, 1.5]), [0, *inner.cdf([-0.5, 0.3, 1.49]), 1])
    np.testing.assert_array_equal(law.ppf([0, 0.01, 1]), [-0.5, -0.5, 1.5])
    assert law.ppf(0.5) == inner.ppf(0.5) == law.median and np.isnan(law.ppf(1.1))
    np.testing.assert_array_equal(law.logpdf([-1, -0.5, 1.5, 2]), [-np.inf, np.inf, np.inf, -np.inf])
    assert law.logpdf(0.4) == inner.logpdf(0.4)
    drawn = law.sample(20_000, np.random.default_rng(1))
    assert (drawn == -0.5).mean() == pytest.approx(float(inner.cdf(-0.5)), abs=0.02)
    assert drawn.min() == -0.5 and drawn.max() == 1.5
