"""Guarantees as values."""

import math
from dataclasses import astuple

import pytest

from dpslr_core.privacy import (
    ZCDP,
    ApproxDP,
    GaussianDP,
    Losses,
    NotPrivate,
    PureDP,
    Spend,
    booked,
    known_guarantee,
    noise_loss,
    pure_mu,
    zcdp_epsilon,
    zcdp_rho,
)


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


@pytest.mark.parametrize("whole", [PureDP(2.0), ZCDP(0.5), GaussianDP(1.5), ApproxDP(1.0, 1e-6)], ids=str)
def test_rows_of_a_ledger_cost_parts_that_add_up_to_the_whole(whole):
    rows = booked([Spend("first", 1.0), Spend("second", 3.0)], whole)
    power = 2 if isinstance(whole, GaussianDP) else 1
    columns = zip(*(astuple(cost) for _, cost in rows), strict=True)
    sums = [sum(number**power for number in numbers) for numbers in columns]
    assert sums == pytest.approx([number**power for number in astuple(whole)])
    assert astuple(rows[1][1])[0] ** power == pytest.approx(3 * astuple(rows[0][1])[0] ** power)


def test_the_strongest_guarantee_that_follows_from_losses():
    """By the least of what each currency implies; nothing follows from nothing."""
    known, none = Losses(1.0, 0.4, 1.2), Losses(math.inf, math.inf, math.inf)
    assert known_guarantee(known, PureDP(9.0)) == PureDP(1.0)
    assert known_guarantee(known, ZCDP(9.0)) == ZCDP(0.4)
    assert known_guarantee(Losses(math.inf, 9.0, 1.0), ZCDP(9.0)) == ZCDP(0.5)
    assert known_guarantee(known, GaussianDP(9.0)) == GaussianDP(1.2)
    assert known_guarantee(Losses(0.5, 9.0, 9.0), GaussianDP(9.0)) == GaussianDP(pure_mu(0.5))
    assert known_guarantee(known, ApproxDP(9.0, 1e-6)) == ApproxDP(1.0, 1e-6)
    follows = known_guarantee(Losses(math.inf, 0.02, math.inf), ApproxDP(9.0, 1e-6))
    assert zcdp_rho(follows.epsilon, 1e-6) == pytest.approx(0.02, rel=1e-9)
    assert zcdp_epsilon(0.02, 1e-6) == follows.epsilon
    for wanted in (PureDP(9.0), ZCDP(9.0), GaussianDP(9.0), ApproxDP(9.0, 1e-6)):
        assert known_guarantee(none, wanted) == wanted
