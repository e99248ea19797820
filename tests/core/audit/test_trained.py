"""Loss lower bounds from draws: below the promise, above it for broken variants, and right for known coins."""

import math

import numpy as np
import pytest
from scipy import stats

from dpslr_core import Dataset
from dpslr_core.audit import audit, trained_loss
from dpslr_core.audit.loss import clopper_pearson, lower_bound
from dpslr_core.mechanisms import DPExpTheilSen, DPGDApprox, DPGDPure, DPGDzCDP, NoisyIntercept, NoisyStats
from dpslr_core.privacy import ZCDP, ApproxDP, Budget, GaussianDP, PureDP

# The clipped gradients of the other records add up along (1, -1); the record that changes moves the sum along (1, 1),
# so that the direction of the noisy sum, which two steps release, shows all of the change.
X = np.append(np.zeros(39), 0.5)
DATA, NEIGHBOUR = (Dataset(X, np.append(np.ones(39), end)) for end in (1.0, 0.0))


class HalvedIntercept(NoisyIntercept):
    """Half the noise."""

    def _draw(self, data, epsilon, at, size, rng):
        return super()._draw(data, 2 * epsilon, at, size, rng)


class HalvedDescent(DPGDzCDP):
    """Half the noise in every step."""

    def noise_scale(self, epsilon):
        return super().noise_scale(epsilon) / 2


@pytest.mark.parametrize(
    "mechanism",
    [DPGDPure(), DPGDApprox(), DPGDApprox(delta=0.01), DPGDzCDP(), DPGDzCDP(steps=2, clip=0.1), DPExpTheilSen(k=3)],
    ids=repr,
)
@pytest.mark.parametrize("epsilon", [0.5, 8.0])
def test_draws_show_no_more_than_promised(mechanism, epsilon):
    loss = trained_loss(mechanism, DATA, NEIGHBOUR, Budget(epsilon), draws=10_000)
    assert 0 <= loss.measured <= loss.promised
    assert (loss.unit, loss.promised) == audit(mechanism, DATA, NEIGHBOUR, epsilon)[:0:-1]


def test_half_the_noise_of_a_mean_is_caught():
    assert trained_loss(HalvedIntercept(), DATA, NEIGHBOUR, Budget(1.0)).measured > 1.7
    assert 0.85 < trained_loss(NoisyIntercept(), DATA, NEIGHBOUR, Budget(1.0)).measured <= 1


def test_half_the_noise_of_a_descent_is_caught():
    """Two steps release the direction of one noisy gradient: half of rho, and four times as much with half the noise.

    An event shows up to 2/pi of it and more, so that 2 rho is caught.
    """
    broken = trained_loss(HalvedDescent(steps=2, clip=0.1), DATA, NEIGHBOUR, Budget(2.0))
    assert broken.unit == "ρ" and broken.measured > 1.1 * broken.promised and not broken.holds
    sound = trained_loss(DPGDzCDP(steps=2, clip=0.1), DATA, NEIGHBOUR, Budget(2.0))
    assert 0.2 * sound.promised < sound.measured <= 0.5 * sound.promised


def test_failures_are_outcomes():
    """NoisyStats fails with very different chances where x hardly varies and where it does."""
    same = Dataset([0.5, 0.5, 0.5, 0.5], [0.5] * 4), Dataset([0.5, 0.5, 0.5, 1.0], [0.5] * 4)
    loss = trained_loss(NoisyStats(), *same, Budget(30.0), draws=4_000)
    assert 1 < loss.measured <= 30


@pytest.mark.parametrize("hits", [0, 1, 7, 99, 100])
def test_clopper_pearson_limits_are_those_of_scipy(hits):
    low, high = clopper_pearson(hits, 100, 0.01)
    expected = stats.binomtest(hits, 100).proportion_ci(0.99, method="exact")
    assert (low, high) == pytest.approx((expected.low, expected.high), rel=1e-9, abs=1e-12)


def test_bounds_of_coins_are_those_of_the_definitions():
    p, q = np.array([0.5, 0.3, 1.0]), np.array([0.1, 0.3, 0.25])
    assert lower_bound(p, q, PureDP(1.0)) == pytest.approx([math.log(5), 0, math.log(4)])
    assert lower_bound(p, q, ApproxDP(1.0, 0.1)) == pytest.approx([math.log(4), 0, math.log(3.6)])
    rho = lower_bound(p, q, ZCDP(1.0))
    orders = np.linspace(1.001, 60, 20_000)[:, None]
    sums = p[:2] ** orders * q[:2] ** (1 - orders) + (1 - p[:2]) ** orders * (1 - q[:2]) ** (1 - orders)
    assert rho[:2] == pytest.approx((np.log(sums) / (orders - 1) / orders).max(axis=0), rel=1e-2)
    assert rho[2] == pytest.approx(math.log(4))


@pytest.mark.parametrize("rho", [0.01, 0.5, 4.0])
def test_gaussian_noise_with_this_rho_is_never_shown_to_have_more(rho):
    """Coins from a threshold on N(0, 1) against N(sqrt(2 rho), 1), of which every Rényi divergence is rho a."""
    thresholds = np.linspace(-6, 6 + math.sqrt(2 * rho), 400)
    p, q = stats.norm.sf(thresholds - math.sqrt(2 * rho)), stats.norm.sf(thresholds)
    bounds = lower_bound(p, q, ZCDP(rho))
    assert 0.6 * rho < bounds.max() <= rho * (1 + 1e-9)


@pytest.mark.parametrize("wrong", [{"draws": 3}, {"seed": -1}])
def test_wrong_arguments_are_refused_by_name(wrong):
    with pytest.raises(ValueError, match=rf"^{next(iter(wrong))} must"):
        trained_loss(NoisyIntercept(), DATA, NEIGHBOUR, Budget(1.0), **wrong)


def test_lower_bound_of_gaussian_privacy_is_the_distance_of_normal_quantiles():
    p, q = stats.norm.sf([1.0, 2.0]), stats.norm.sf([2.5, 2.0])
    assert lower_bound(p, q, GaussianDP(1.0)) == pytest.approx([1.5, 0.0])
    assert lower_bound(q, p, GaussianDP(1.0)) == pytest.approx([0.0, 0.0])
