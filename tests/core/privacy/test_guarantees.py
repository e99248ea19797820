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
    gaussian_delta,
    known_guarantee,
    noise_loss,
    of_group,
    pure_mu,
    zcdp_epsilon,
    zcdp_rho,
)


@pytest.mark.parametrize(
    ("guarantee", "text", "private", "pure", "promise"),
    [
        (PureDP(0.12345), "ε = 0.123", True, True, "0.12345-differential privacy"),
        (ApproxDP(2.0, 1e-9), "ε = 2, δ = 1 × 10⁻⁹", True, False, "(ε = 2, δ = 1 × 10⁻⁹)-differential privacy"),
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
    ],
)
def test_guarantees_are_frozen_values_that_know_what_they_promise(guarantee, text, private, pure, promise):
    assert (str(guarantee), guarantee.private, guarantee.pure, guarantee.promise) == (text, private, pure, promise)
    assert guarantee == eval(repr(guarantee)) and hash(guarantee) == hash(eval(repr(guarantee)))
    with pytest.raises(AttributeError):
        guarantee.epsilon = 99


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


# ---------------------------------------------------------------- group privacy


def hockey_stick(p, q, epsilon):
    """The least delta with which p is (epsilon, delta)-close to q, both ways."""
    return max(np.maximum(p - math.exp(epsilon) * q, 0).sum(), np.maximum(q - math.exp(epsilon) * p, 0).sum())


def chain(rng, length, size):
    """Discrete distributions of which each is a small change of the one before."""
    logs = np.cumsum(rng.normal(scale=0.6, size=(length + 1, size)), axis=0)
    weights = np.exp(logs)
    return weights / weights.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("records", [2, 3, 7])
@pytest.mark.parametrize("epsilon", [0.05, 0.4, 1.5])
def test_the_ends_of_a_chain_are_as_close_as_promised(records, epsilon):
    rng = np.random.default_rng(records)
    for _ in range(200):
        laws = chain(rng, records, 5)
        delta = max(hockey_stick(p, q, epsilon) for p, q in pairwise(laws))
        group = of_group(ApproxDP(epsilon, delta), records)
        assert hockey_stick(laws[0], laws[-1], group.epsilon) <= group.delta + 1e-12


@pytest.mark.parametrize("records", [2, 5])
def test_a_chain_that_reaches_the_delta_refutes_one_that_only_adds_up(records):
    """P_K(E) = 0 and P_i(E) = e^epsilon P_(i+1)(E) + delta: two outcomes, every step (epsilon, delta)-close."""
    epsilon, delta, mass = 0.3, 1e-3, [0.0]
    for _ in range(records):
        mass.append(math.exp(epsilon) * mass[-1] + delta)
    laws = [np.array([m, 1 - m]) for m in mass]
    assert max(hockey_stick(p, q, epsilon) for p, q in pairwise(laws)) <= delta * (1 + 1e-9)
    reached, group = hockey_stick(laws[0], laws[-1], records * epsilon), of_group(ApproxDP(epsilon, delta), records)
    assert reached == pytest.approx(group.delta, rel=1e-12)
    assert records * delta < reached < records * math.exp((records - 1) * epsilon) * delta


@pytest.mark.parametrize("records", [1, 3, 10])
def test_gaussian_noise_reaches_rho_and_mu(records):
    """Its Renyi divergence is a mu^2 / 2, and K shifts of mu are one of K mu."""
    mu = 0.7
    assert of_group(GaussianDP(mu), records) == GaussianDP(records * mu)
    assert of_group(ZCDP(mu**2 / 2), records).rho == pytest.approx((records * mu) ** 2 / 2)


def test_the_exact_delta_of_gaussian_noise_is_within_the_general_one():
    epsilon, mu, records = 0.5, 0.4, 4
    general = of_group(ApproxDP(epsilon, gaussian_delta(mu, epsilon)), records)
    assert 0 < gaussian_delta(records * mu, general.epsilon) < general.delta


def test_laplace_noise_reaches_epsilon():
    """Densities that are shifted by K scales differ by a factor of e^K at most, and in the tails by just that."""
    t = np.linspace(-30, 30, 601)
    loss = np.abs(t - 4) - np.abs(t)
    assert np.max(np.abs(loss)) == pytest.approx(of_group(PureDP(1.0), 4).epsilon)


@pytest.mark.parametrize(
    ("guarantee", "records", "group"),
    [
        *(
            (same, 1, same)
            for same in (PureDP(0.7), ApproxDP(0.7, 1e-6), ApproxDP(1e3, 1e-6), ZCDP(0.2), GaussianDP(1.1))
        ),
        *((NotPrivate("no noise"), records, NotPrivate("no noise")) for records in (1, 3)),
        (ApproxDP(1.0, 1e-6), 10_000, ApproxDP(10_000.0, 1.0)),  # a delta of many records is one and no more
    ],
)
def test_a_group_of_one_has_the_guarantee_itself_and_nothing_private_comes_of_nothing(guarantee, records, group):
    assert of_group(guarantee, records) == group
    with pytest.raises(ValueError, match="records"):
        of_group(guarantee, 0)
