"""Guarantees as values."""

import math
from dataclasses import astuple
from itertools import pairwise

import numpy as np
import pytest

from dpslr_core.privacy import (
    ZCDP,
    ApproxDP,
    ForPerson,
    GaussianDP,
    Losses,
    NotPrivate,
    PureDP,
    Spend,
    booked,
    known_guarantee,
    noise_loss,
    of_group,
    pure_mu,
    zcdp_epsilon,
    zcdp_rho,
)

# guarantee, in a table, whether private, whether pure, in a sentence
GUARANTEES = [
    (PureDP(0.12345), "ε = 0.123", True, True, "0.12345-differential privacy"),
    (
        ApproxDP(2.0, 1e-9),
        "ε = 2, δ = 1 × 10⁻⁹",
        True,
        False,
        "(ε = 2, δ = 1 × 10⁻⁹)-differential privacy",
    ),
    (ZCDP(0.5), "ρ = 0.5 zCDP", True, False, "ρ = 0.5 zCDP"),
    (GaussianDP(1.25), "μ = 1.25 Gaussian privacy", True, False, "μ = 1.25 Gaussian privacy"),
    (NotPrivate("because"), "not private", False, False, "not private"),
    (
        ForPerson(PureDP(1.0), 3),
        "ε = 1 for 3 records",
        True,
        True,
        "1-differential privacy for people with up to 3 records each",
    ),
]


def test_guarantees_are_frozen_values_that_know_what_they_promise():
    for guarantee, text, private, pure, promise in GUARANTEES:
        assert (str(guarantee), guarantee.promise) == (text, promise)
        assert (guarantee.private, guarantee.pure) == (private, pure)
        again = eval(repr(guarantee))
        assert guarantee == again and hash(guarantee) == hash(again)
        with pytest.raises(AttributeError):
            guarantee.epsilon = 99


def test_loss_of_noise_is_in_epsilon_for_laplace_and_in_rho_for_gaussian_noise():
    assert noise_loss([1.0, -2.0], PureDP(1.0)) == 3.0
    for guarantee in (ZCDP(1.0), ApproxDP(1.0, 1e-6), GaussianDP(1.0)):
        assert noise_loss([1.0, -2.0], guarantee) == 2.5


def test_rows_of_a_ledger_cost_parts_that_add_up_to_the_whole():
    for whole in (PureDP(2.0), ZCDP(0.5), GaussianDP(1.5), ApproxDP(1.0, 1e-6)):
        first, second = booked([Spend("first", 1.0), Spend("second", 3.0)], whole)
        power = 2 if isinstance(whole, GaussianDP) else 1
        for part, other, number in zip(
            astuple(first[1]), astuple(second[1]), astuple(whole), strict=True
        ):
            assert part**power + other**power == pytest.approx(number**power)
            assert other**power == pytest.approx(3 * part**power)


def test_the_strongest_guarantee_that_follows_from_losses():
    """By the least of what each currency implies; nothing follows from nothing."""
    least, none = Losses(1.0, 0.4, 1.2), Losses(math.inf, math.inf, math.inf)
    assert known_guarantee(least, PureDP(9.0)) == PureDP(1.0)
    assert known_guarantee(least, ZCDP(9.0)) == ZCDP(0.4)
    assert known_guarantee(Losses(math.inf, 9.0, 1.0), ZCDP(9.0)) == ZCDP(0.5)
    assert known_guarantee(least, GaussianDP(9.0)) == GaussianDP(1.2)
    assert known_guarantee(Losses(0.5, 9.0, 9.0), GaussianDP(9.0)) == GaussianDP(pure_mu(0.5))
    assert known_guarantee(least, ApproxDP(9.0, 1e-6)) == ApproxDP(1.0, 1e-6)
    follows = known_guarantee(Losses(math.inf, 0.02, math.inf), ApproxDP(9.0, 1e-6))
    assert zcdp_rho(follows.epsilon, 1e-6) == pytest.approx(0.02, rel=1e-9)
    assert zcdp_epsilon(0.02, 1e-6) == follows.epsilon
    for wanted in (PureDP(9.0), ZCDP(9.0), GaussianDP(9.0), ApproxDP(9.0, 1e-6)):
        assert known_guarantee(none, wanted) == wanted


# ---------------------------------------------------------------- group privacy


def hockey_stick(p, q, epsilon):
    """The least delta with which p is (epsilon, delta)-close to q, both ways."""
    return max(
        np.maximum(p - math.exp(epsilon) * q, 0).sum(),
        np.maximum(q - math.exp(epsilon) * p, 0).sum(),
    )


@pytest.mark.parametrize("records", [2, 5])
def test_a_chain_that_reaches_the_delta_refutes_one_that_only_adds_up(records):
    """P_K(E) = 0 and P_i(E) = e^epsilon P_(i+1)(E) + delta: two outcomes, every step (epsilon, delta)-close."""
    epsilon, delta, mass = 0.3, 1e-3, [0.0]
    for _ in range(records):
        mass.append(math.exp(epsilon) * mass[-1] + delta)
    laws = [np.array([m, 1 - m]) for m in mass]
    assert max(hockey_stick(p, q, epsilon) for p, q in pairwise(laws)) <= delta * (1 + 1e-9)
    reached, group = (
        hockey_stick(laws[0], laws[-1], records * epsilon),
        of_group(ApproxDP(epsilon, delta), records),
    )
    assert reached == pytest.approx(group.delta, rel=1e-12)
    assert records * delta < reached < records * math.exp((records - 1) * epsilon) * delta


def test_gaussian_noise_reaches_rho_and_mu():
    """Its Renyi divergence is a mu^2 / 2, and K shifts of mu are one of K mu."""
    mu = 0.7
    for records in (1, 3, 10):
        assert of_group(GaussianDP(mu), records) == GaussianDP(records * mu)
        assert of_group(ZCDP(mu**2 / 2), records).rho == pytest.approx((records * mu) ** 2 / 2)


def test_laplace_noise_reaches_epsilon():
    """Densities that are shifted by K scales differ by a factor of e^K at most, and in the tails by just that."""
    t = np.linspace(-30, 30, 601)
    loss = np.abs(t - 4) - np.abs(t)
    assert np.max(np.abs(loss)) == pytest.approx(of_group(PureDP(1.0), 4).epsilon)


def test_a_group_of_one_has_the_guarantee_itself_and_nothing_private_comes_of_nothing():
    nothing = NotPrivate("no noise")
    for same in (
        PureDP(0.7),
        ApproxDP(0.7, 1e-6),
        ApproxDP(1e3, 1e-6),
        ZCDP(0.2),
        GaussianDP(1.1),
        nothing,
    ):
        assert of_group(same, 1) == same
    assert of_group(nothing, 3) == nothing
    # a delta of many records is one and no more
    assert of_group(ApproxDP(1.0, 1e-6), 10_000) == ApproxDP(10_000.0, 1.0)
    with pytest.raises(ValueError, match="records"):
        of_group(nothing, 0)
