"""What one kind of privacy implies of another, against its definition by sums and quadrature."""

import itertools
import math

import numpy as np
import pytest

from dpslr_core.privacy import (
    bounded_range_mu,
    bounded_range_rho,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_mu,
    laplace_mu,
    laplace_rho,
    largest,
    pure_epsilon,
    pure_mu,
    pure_rho,
    zcdp_rho,
)
from tests.reference.privacy import coins, laplace_cells, laplace_renyi, mu_of_pair, rho_of_pair
from tests.reference.privacy import gaussian_delta as delta_by_quadrature

EPSILONS = [1e-3, 0.1, 1.0, 4.0, 16.0]
EXTREMES = [1e-3, 0.3, 2.0, 30.0, 1e3]
DELTAS = [2.0**-30, 1e-6, 0.01, 0.4]


def test_pure_privacy_is_worst_for_randomised_response():
    for epsilon in EPSILONS:
        p, q = coins(2 * epsilon, epsilon)
        assert rho_of_pair(p, q) == pytest.approx(pure_rho(epsilon), rel=1e-7)
        assert mu_of_pair(p, q) == pytest.approx(pure_mu(epsilon), rel=1e-9)


@pytest.mark.parametrize("eta", [0.01, 0.5, 2.0, 6.0, 25.0])
def test_a_bounded_range_is_worst_for_two_coins(eta):
    pairs = [coins(eta, t) for t in np.linspace(0, eta, 202)[1:-1]]
    assert max(rho_of_pair(*pair) for pair in pairs) <= bounded_range_rho(eta) * (1 + 1e-7)
    mus = [mu_of_pair(*pair) for pair in [*pairs, coins(eta, eta / 2)]]
    assert max(mus) == pytest.approx(bounded_range_mu(eta), rel=1e-9)


@pytest.mark.parametrize("shift", [0.1, 1.0, 4.0, 20.0])
def test_laplace_noise_loses_what_its_densities_and_its_trade_off_curve_say(shift):
    losses = [laplace_renyi(shift, a) / a for a in (1 + 1e-5, 1.01, 1.3, 2.0, 5.0)]
    assert max(losses) == losses[0] == pytest.approx(laplace_rho(shift), rel=1e-4)
    lower = mu_of_pair(*laplace_cells(shift, 40_001))
    assert lower <= laplace_mu(shift) * (1 + 1e-9) and lower == pytest.approx(
        laplace_mu(shift), rel=2e-3
    )


def test_delta_of_gaussian_noise_is_its_hockey_stick():
    for mu, share in itertools.product([0.01, 0.5, 1.0, 4.0, 20.0], [0.0, 0.5, 1.0, 4.0]):
        epsilon = share * mu * (mu / 2 + 1)
        assert gaussian_delta(mu, epsilon) == pytest.approx(
            delta_by_quadrature(mu, epsilon), rel=1e-8
        )
    for epsilon in (1e300, 745.0, 2e4):
        assert gaussian_delta(1.0, epsilon) == 0.0
    assert gaussian_delta(1e3, 1e3) == 1.0


def test_mu_and_epsilon_of_gaussian_noise_are_the_last_that_fit():
    for epsilon, delta in itertools.product(EXTREMES, DELTAS):
        mu = gaussian_mu(epsilon, delta)
        assert gaussian_delta(mu, epsilon) <= delta < gaussian_delta(mu * (1 + 1e-7), epsilon)
        assert delta_by_quadrature(mu, epsilon) == pytest.approx(delta, rel=1e-9)
        assert gaussian_epsilon(mu, delta) == pytest.approx(epsilon, rel=1e-6, abs=1e-9)
    little = [gaussian_epsilon(mu, 1e-6) for mu in (0.0, 1e-7, math.inf)]
    assert little == [0.0, 0.0, math.inf]


def test_rho_within_epsilon_and_delta_is_enough_for_every_kind():
    """Gaussian noise and randomised response of this rho have no more than delta; and rho is not far from the most."""
    for epsilon, delta in itertools.product(EXTREMES, DELTAS):
        rho = zcdp_rho(epsilon, delta)
        assert rho > 0 and gaussian_delta(math.sqrt(2 * rho), epsilon) <= delta
        pure = largest(lambda size, rho=rho: pure_rho(size) <= rho)
        if pure < 300:
            p, q = coins(2 * pure, pure)
            above = np.maximum(p - math.exp(min(epsilon, 700)) * q, 0)
            assert above.sum() <= delta * (1 + 1e-9)
    assert math.sqrt(2 * zcdp_rho(1.0, 1e-6)) > 0.85 * gaussian_mu(1.0, 1e-6)


def test_epsilon_of_pure_privacy_is_that_of_randomised_response():
    for epsilon, delta in itertools.product([0.01, 1.0, 8.0], DELTAS):
        more = pure_epsilon(epsilon, delta)
        p, q = coins(2 * more, more)
        above = np.maximum(p - math.exp(epsilon) * q, 0)
        assert more > epsilon and above.sum() == pytest.approx(delta, rel=1e-6)


@pytest.mark.parametrize("convert", [zcdp_rho, gaussian_mu, pure_epsilon, gaussian_epsilon])
def test_conversions_refuse_a_wrong_budget(convert):
    for delta in (0, 1, -0.5, math.nan, math.inf, None):
        with pytest.raises(ValueError, match=r"^delta must "):
            convert(1.0, delta)
    for epsilon in (0, -1.0, math.nan, math.inf, "much", None):
        if convert is not gaussian_epsilon:
            with pytest.raises(ValueError, match=r"^epsilon must be a "):
                convert(epsilon, 1e-6)


@pytest.mark.parametrize(
    "convert", [pure_rho, laplace_rho, bounded_range_rho, pure_mu, laplace_mu, bounded_range_mu]
)
def test_conversions_grow_without_a_jump(convert):
    sizes = np.geomspace(1e-9, 1e9, 4_001)
    values = np.array([convert(size) for size in sizes])
    assert np.isfinite(values).all() and (np.diff(values) > 0).all()
    assert (np.diff(np.log(values)) < 3 * np.diff(np.log(sizes))).all()
    for start in (0.01, 0.02, 1.0, 1.0986122886681098, 2.0):  # where formulas change
        assert convert(start * (1 + 1e-9)) == pytest.approx(convert(start * (1 - 1e-9)), rel=1e-8)


def test_largest_is_the_last_float_that_fits():
    for value in (2.0**-70, 1e-9, 1.0, 3.7, 1e9):
        assert largest(lambda number, value=value: number <= value) == value
    assert largest(lambda number: False) is None and largest(lambda number: True) == 2.0**70
