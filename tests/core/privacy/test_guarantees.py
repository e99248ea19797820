"""Guarantees as values."""

import pytest

from dpslr_core.privacy import ZCDP, ApproxDP, GaussianDP, NotPrivate, PureDP, Spend, noise_loss


@pytest.mark.parametrize(
    ("guarantee", "text"),
    [
        (PureDP(1), "ε = 1"),
        (PureDP(0.12345), "ε = 0.123"),
        (ApproxDP(2.0, 1e-9), "ε = 2, δ = 1 × 10⁻⁹"),
        (ZCDP(0.5), "ρ = 0.5 zCDP"),
        (GaussianDP(1.25), "μ = 1.25 Gaussian privacy"),
        (NotPrivate("because"), "not private"),
    ],
)
def test_guarantees_are_frozen_values_with_a_badge(guarantee, text):
    assert str(guarantee) == text
    assert guarantee == eval(repr(guarantee))
    assert hash(guarantee) == hash(eval(repr(guarantee)))
    with pytest.raises(AttributeError):
        guarantee.epsilon = 99


@pytest.mark.parametrize(
    ("guarantee", "private", "pure", "promise"),
    [
        (PureDP(0.5), True, True, "0.5-differential privacy"),
        (ApproxDP(2.0, 1e-9), True, False, "(ε = 2, δ = 1 × 10⁻⁹)-differential privacy"),
        (ZCDP(0.5), True, False, "ρ = 0.5 zCDP"),
        (GaussianDP(1.25), True, False, "μ = 1.25 Gaussian privacy"),
        (NotPrivate("because"), False, False, "not private"),
    ],
)
def test_guarantees_know_what_they_promise(guarantee, private, pure, promise):
    assert (guarantee.private, guarantee.pure, guarantee.promise) == (private, pure, promise)


def test_spend_is_a_row():
    what, share = Spend("nvar(x)", 0.5)
    assert (what, share) == ("nvar(x)", 0.5)


def test_loss_of_noise_is_in_epsilon_for_laplace_and_in_rho_for_gaussian_noise():
    assert noise_loss([1.0, -2.0], PureDP(1.0)) == 3.0
    for guarantee in (ZCDP(1.0), ApproxDP(1.0, 1e-6), GaussianDP(1.0)):
        assert noise_loss([1.0, -2.0], guarantee) == 2.5
