"""Guarantees as values, and conversions between them."""

import math
from decimal import Decimal, getcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpslr_core.privacy import ZCDP, ApproxDP, NotPrivate, PureDP, Spend, rho_of, zcdp_epsilon, zcdp_rho

deltas = st.floats(1e-300, 0.999)
epsilons = st.floats(1e-12, 1e6)


@given(epsilons, deltas)
def test_zcdp_rho_is_the_largest_that_fits(epsilon, delta):
    rho = zcdp_rho(epsilon, delta)
    assert zcdp_epsilon(rho, delta) <= epsilon
    assert zcdp_epsilon(rho * (1 + 1e-12), delta) > epsilon * (1 - 1e-13)
    assert zcdp_epsilon(rho * 1.0001, delta) > epsilon


@given(st.floats(1e-20, 1e6), deltas)
def test_zcdp_round_trip(rho, delta):
    # A step of one in the last place of epsilon may be a longer one of rho, where the logarithm starts at zero.
    assert zcdp_rho(zcdp_epsilon(rho, delta), delta) == pytest.approx(rho, rel=1e-6)


def test_zcdp_epsilon_against_forty_digits():
    """rho + sqrt(4 rho log(sqrt(pi rho) / delta)), worked out in decimals."""
    getcontext().prec = 40
    pi = Decimal("3.141592653589793238462643383279502884197")
    for rho, delta in ((0.5, 1e-6), (1e-8, 1e-12), (128.0, 2.0**-30), (3.0, 0.5)):
        r, d = Decimal(rho), Decimal(delta)
        expected = r + (4 * r * ((pi * r).sqrt() / d).ln()).sqrt()
        assert zcdp_epsilon(rho, delta) == pytest.approx(float(expected), rel=1e-14)


def test_the_logarithm_is_not_below_zero():
    assert zcdp_epsilon(1e-6, 0.5) == 1e-6
    assert zcdp_rho(1e-6, 0.5) == 1e-6


@given(st.floats(1e-6, 100), deltas)
def test_zcdp_epsilon_grows_with_rho_and_with_smaller_delta(rho, delta):
    assert zcdp_epsilon(2 * rho, delta) > zcdp_epsilon(rho, delta) >= rho
    assert zcdp_epsilon(rho, delta / 2) >= zcdp_epsilon(rho, delta)


def test_rho_of():
    assert rho_of(3.0) == 4.5


@pytest.mark.parametrize("convert", [zcdp_epsilon, zcdp_rho])
@pytest.mark.parametrize("wrong", [0, -1.0, math.nan, math.inf, "much", None])
def test_conversions_refuse_a_wrong_budget(convert, wrong):
    with pytest.raises(ValueError, match=r"^(rho|epsilon) must be a "):
        convert(wrong, 1e-6)


@pytest.mark.parametrize("convert", [zcdp_epsilon, zcdp_rho])
@pytest.mark.parametrize("wrong", [0, 1, -0.5, math.nan, math.inf, None])
def test_conversions_refuse_a_wrong_delta(convert, wrong):
    with pytest.raises(ValueError, match=r"^delta must "):
        convert(1.0, wrong)


@pytest.mark.parametrize(
    ("guarantee", "text"),
    [
        (PureDP(1), "ε = 1"),
        (PureDP(0.12345), "ε = 0.123"),
        (ApproxDP(2.0, 1e-9), "ε = 2, δ = 1 × 10⁻⁹"),
        (ZCDP(0.5), "ρ = 0.5 zCDP"),
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
        (NotPrivate("because"), False, False, "not private"),
    ],
)
def test_guarantees_know_what_they_promise(guarantee, private, pure, promise):
    assert (guarantee.private, guarantee.pure, guarantee.promise) == (private, pure, promise)


def test_spend_is_a_row():
    what, share = Spend("nvar(x)", 0.5)
    assert (what, share) == ("nvar(x)", 0.5)
