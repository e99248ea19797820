"""Trade-off curves against those known in closed form, and never below what a guarantee allows."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from dpslr_core import Dataset
from dpslr_core.laws.derived.clipped import ClippedLaw
from dpslr_core.laws.named import Gaussian, Laplace, PointMass
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.mechanisms import CenteredStats, CenteredStatsGaussian, DPExpTheilSen, DPGDApprox, NoisyStats
from dpslr_core.privacy import ZCDP, ApproxDP, Draw, Losses, NoiseKind, NotPrivate, PureDP, gaussian_mu, losses
from dpslr_core.promise.tradeoff import (
    allowed_misses,
    approximate_curve,
    attack_success,
    best_tests,
    concentrated_curve,
    gaussian_curve,
    largest_success,
    misses_at,
    share_beyond,
)

ALPHA = np.linspace(0.001, 0.999, 400)
ALGORITHMS = [NoisyStats(), DPExpTheilSen(), CenteredStats(), CenteredStatsGaussian()]
UNKNOWN = Losses(np.inf, np.inf, np.inf)
DATA = Dataset([0.1, 0.4, 0.5, 0.8, 0.9], [0.2, 0.3, 0.5, 0.5, 0.9])
MOVED = DATA.with_record(4, 0.0, 1.0)


def test_of_gaussian_noise():
    tests = best_tests(Gaussian(0.0, 2.0), Gaussian(3.0, 2.0))
    np.testing.assert_allclose(misses_at(tests, ALPHA), ndtr(-ndtri(ALPHA) - 1.5), atol=1e-4)
    np.testing.assert_allclose(gaussian_curve(1.5, ALPHA), ndtr(-ndtri(ALPHA) - 1.5))


def test_of_laplace_noise():
    """F(F^-1(1 - a) - s), F the distribution function of Laplace noise."""
    noise, shift = Laplace(0.0, 1.0), 1.3
    tests = best_tests(noise, Laplace(shift, 1.0))
    np.testing.assert_allclose(misses_at(tests, ALPHA), noise.cdf(noise.ppf(1 - ALPHA) - shift), atol=1e-4)


def test_of_steps_and_of_outcomes_without_a_number_it_is_exact():
    edges = np.array([0.0, 1.0, 2.0])
    before, after = (PiecewiseUniform(edges, np.log(p)) for p in ([0.8, 0.2], [0.3, 0.7]))
    corners = best_tests(before, after).to_numpy().tolist()
    assert corners == pytest.approx(np.array([[0.0, 1.0], [0.2, 0.3], [1.0, 0.0]]), abs=1e-12)
    told_apart = best_tests(PointMass(np.nan), Laplace(0.0, 1.0))
    assert attack_success(told_apart) == pytest.approx(1.0)
    assert attack_success(best_tests(before, before)) == pytest.approx(0.5)


def test_mass_at_the_ends_counts_once():
    """Clipping to one bit: the best test is that bit, and two corners are left."""
    before, after = (ClippedLaw(Gaussian(place, 1e-3), 0.4, 0.6) for place in (0.2, 0.8))
    tests = best_tests(before, after)
    assert attack_success(tests) == pytest.approx(1.0) and tests["misses"].iloc[0] == 1.0
    wide = [ClippedLaw(Laplace(place, 1.0), -1.0, 1.0) for place in (0.0, 0.5)]
    open_ended = best_tests(*(law.inner for law in wide))
    assert (misses_at(best_tests(*wide), ALPHA) >= misses_at(open_ended, ALPHA) - 1e-6).all()


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize("mechanism", ALGORITHMS, ids=repr)
def test_no_algorithm_is_easier_to_attack_than_its_guarantee_allows(mechanism, epsilon):
    before, after = (mechanism.law(data, epsilon)[0] for data in (DATA, MOVED))
    known = losses(mechanism.draws(epsilon, 2))
    allowed = allowed_misses(mechanism.guarantee(epsilon), known, ALPHA)
    tests = best_tests(before, after)
    assert (misses_at(tests, ALPHA) >= allowed - 1e-6).all()
    assert 0.5 <= attack_success(tests) <= largest_success(mechanism.guarantee(epsilon), known) + 1e-6


def test_a_broken_variant_with_half_the_noise_is_caught():
    """The worst pair of the mean of y, at twice the epsilon that is promised."""
    known = losses([Draw(NoiseKind.LAPLACE, 1.0)])
    honest, broken = ([Laplace(place, scale) for place in (0.0, 1.0)] for scale in (1.0, 0.5))
    allowed = allowed_misses(PureDP(1.0), known, ALPHA)
    assert (misses_at(best_tests(*honest), ALPHA) >= allowed - 1e-6).all()
    assert not (misses_at(best_tests(*broken), ALPHA) >= allowed - 1e-6).all()


def test_pure_privacy_is_reached_by_two_coins():
    share = 1 / (1 + np.exp(1.3))
    coins = (PiecewiseUniform(np.array([0.0, 1.0, 2.0]), np.log([p, 1 - p])) for p in (share, 1 - share))
    np.testing.assert_allclose(misses_at(best_tests(*coins), ALPHA), approximate_curve(1.3, 0.0, ALPHA), atol=1e-12)


def test_what_is_promised_of_gaussian_noise_with_delta_touches_its_curve():
    epsilon, delta = 1.0, 1e-3
    alpha, mu = np.geomspace(1e-6, 0.999, 5000), gaussian_mu(epsilon, delta)
    gap = gaussian_curve(mu, alpha) - approximate_curve(epsilon, delta, alpha)
    assert 0 <= gap.min() + 1e-12 < 1e-4
    own = DPGDApprox().guarantee(1.0)
    assert isinstance(own, ApproxDP) and allowed_misses(own, UNKNOWN, ALPHA)[0] > 0


@pytest.mark.parametrize("rho", [0.02, 0.5, 8.0])
def test_concentrated_privacy_alone_allows_more_than_gaussian_noise_does(rho):
    curve, gaussian = concentrated_curve(rho, ALPHA), gaussian_curve(np.sqrt(2 * rho), ALPHA)
    assert (curve <= gaussian + 1e-9).all() and (np.diff(curve) <= 1e-9).all()
    assert rho > 1 or curve[40] > 0.5 * gaussian[40]
    assert np.array_equal(allowed_misses(ZCDP(rho), UNKNOWN, ALPHA), np.maximum(curve, 0.0))


def test_where_nothing_is_promised_every_test_may_be_perfect():
    assert not allowed_misses(NotPrivate("no noise"), UNKNOWN, ALPHA).any()
    assert largest_success(NotPrivate("no noise"), UNKNOWN) == pytest.approx(1.0)


@dataclass
class _Case:
    epsilon: float
    success: float


@pytest.mark.parametrize("case", [_Case(np.log(3), 0.75), _Case(np.log(99), 0.99)])
def test_even_odds_and_a_pure_promise(case):
    known = Losses(case.epsilon, np.inf, np.inf)
    assert largest_success(PureDP(case.epsilon), known) == pytest.approx(case.success, abs=1e-3)


def test_how_often_a_loss_is_beyond_a_bound():
    """Of Gaussian noise with mu = 1: |z + 1/2| > 2 where z is the answer in standard deviations from after."""
    before, after = Gaussian(0.0, 1.0), Gaussian(1.0, 1.0)
    assert share_beyond(before, after, 2.0) == pytest.approx(ndtr(-1.5) + ndtr(-2.5), rel=0.02)
    assert share_beyond(Laplace(0.0, 1.0), Laplace(1.0, 1.0), 1.0) == 0
