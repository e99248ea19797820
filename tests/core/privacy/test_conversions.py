"""What one kind of privacy implies of another, against its definition by sums and quadrature."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

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
    rho_of,
    zcdp_rho,
)
from tests.reference.privacy import (
    ORDERS,
    coins,
    laplace_cells,
    laplace_renyi,
    mu_of_pair,
    renyi,
    rho_of_pair,
)
from tests.reference.privacy import (
    gaussian_delta as delta_by_quadrature,
)

EPSILONS = [1e-3, 0.1, 1.0, 4.0, 16.0]
EXTREMES = [1e-3, 0.3, 2.0, 30.0, 1e3]
DELTAS = [2.0**-30, 1e-6, 0.01, 0.4]
seeds = st.integers(0, 2**32 - 1)


def some_pair(seed, low, high):
    """Two lists of probabilities whose log ratios lie between low and high, both of which are reached."""
    rng = np.random.default_rng(seed)
    ratios = np.exp(np.concatenate([[low, high], rng.uniform(low, high, rng.integers(0, 4))]))
    q = rng.dirichlet(np.ones(ratios.size))
    for _ in range(2):  # more weight on ratios below 1, or above it, until P adds up to 1
        heavy = ratios < 1 if q @ ratios > 1 else ratios > 1
        share = (1 - q[~heavy] @ ratios[~heavy] / q[~heavy].sum()) / (
            q[heavy] @ ratios[heavy] / q[heavy].sum() - q[~heavy] @ ratios[~heavy] / q[~heavy].sum()
        )
        q = np.where(heavy, q / q[heavy].sum() * share, q / q[~heavy].sum() * (1 - share))
    return q * ratios, q


@pytest.mark.parametrize(
    ("convert", "epsilon", "value"),
    [
        (rho_of, 3.0, 4.5),
        (pure_rho, 1, 0.46212),
        (pure_rho, 4, 3.85611),
        (pure_rho, 16, 16.0),
        (laplace_rho, 1, 0.36788),
        (laplace_rho, 4, 3.01832),
        (pure_mu, 1, 1.232),
        (pure_mu, 4, 4.194),
        (pure_mu, 16, 10.355),
        (lambda mu: gaussian_epsilon(mu, 1e-6), 1, 4.887),
    ],
)
def test_known_values(convert, epsilon, value):
    assert convert(epsilon) == pytest.approx(value, abs=10 ** -len(str(value).partition(".")[2]))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_pure_privacy_is_worst_for_randomised_response(epsilon):
    p, q = coins(2 * epsilon, epsilon)
    assert rho_of_pair(p, q) == pytest.approx(pure_rho(epsilon), rel=1e-7)
    assert mu_of_pair(p, q) == pytest.approx(pure_mu(epsilon), rel=1e-9)


@given(seeds, st.sampled_from(EPSILONS[1:]))
def test_no_pair_within_epsilon_loses_more(seed, epsilon):
    rng = np.random.default_rng(seed)
    p, q = some_pair(seed, -epsilon * rng.random(), epsilon)
    assert p.sum() == pytest.approx(1) and q.min() >= 0
    assert rho_of_pair(p, q) <= pure_rho(epsilon) * (1 + 1e-7)
    assert mu_of_pair(p, q) <= pure_mu(epsilon) * (1 + 1e-9)


@pytest.mark.parametrize("shift", [0.1, 1.0, 4.0])
def test_rho_of_laplace_noise_is_that_of_the_densities(shift):
    losses = [laplace_renyi(shift, a) / a for a in (1 + 1e-5, 1.01, 1.3, 2.0, 5.0, 30.0)]
    assert max(losses) == losses[0] == pytest.approx(laplace_rho(shift), rel=1e-4)


@pytest.mark.parametrize("shift", [0.1, 1.0, 4.0, 20.0])
def test_mu_of_laplace_noise_is_that_of_its_trade_off_curve(shift):
    lower = mu_of_pair(*laplace_cells(shift, 40_001))
    assert lower <= laplace_mu(shift) * (1 + 1e-9) and lower == pytest.approx(laplace_mu(shift), rel=2e-3)


@pytest.mark.parametrize("first", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("shift", [0.4, 3.0, 12.0])
def test_laplace_noise_on_two_numbers_loses_less_than_on_one(first, shift):
    """Cells of the plane: what moves by ``shift`` in all is told apart less well."""
    one, two = laplace_cells(first * shift, 101), laplace_cells((1 - first) * shift, 101)
    p, q = (np.outer(a, b).ravel() for a, b in zip(one, two, strict=True))
    assert rho_of_pair(p, q) < laplace_rho(shift) and mu_of_pair(p, q) < laplace_mu(shift)


@pytest.mark.parametrize("convert", [laplace_rho, bounded_range_rho, pure_rho])
@pytest.mark.parametrize("convert_mu", [laplace_mu, bounded_range_mu, pure_mu])
def test_parts_lose_less_than_the_whole(convert, convert_mu):
    for size in np.geomspace(1e-3, 1e3, 40):
        for share in (0.5, 0.1):
            assert convert(share * size) + convert((1 - share) * size) <= convert(size) * (1 + 1e-9)
            parts = math.hypot(convert_mu(share * size), convert_mu((1 - share) * size))
            assert parts <= convert_mu(size) * (1 + 1e-9)


@pytest.mark.parametrize("eta", [0.01, 0.5, 2.0, 6.0, 25.0])
def test_a_bounded_range_is_worst_for_two_coins(eta):
    pairs = [coins(eta, t) for t in np.linspace(0, eta, 202)[1:-1]]
    assert max(rho_of_pair(*pair) for pair in pairs) <= bounded_range_rho(eta) * (1 + 1e-7)
    mus = [mu_of_pair(*pair) for pair in [*pairs, coins(eta, eta / 2)]]
    assert max(mus) == pytest.approx(bounded_range_mu(eta), rel=1e-9) and np.argmax(mus) in (99, 100, 200)


@given(seeds, st.sampled_from([0.3, 2.0, 9.0]))
def test_no_pair_with_a_bounded_range_loses_more(seed, eta):
    top = eta * np.random.default_rng(seed).uniform(0.05, 0.95)
    p, q = some_pair(seed, top - eta, top)
    assert rho_of_pair(p, q) <= bounded_range_rho(eta) * (1 + 1e-7)
    assert mu_of_pair(p, q) <= bounded_range_mu(eta) * (1 + 1e-9)


def test_the_step_of_the_proof_for_bounded_ranges():
    """z Phi (1 - Phi) <= (2 Phi - 1) phi for z >= 0, and what shows it on either side of 1.27."""
    z = np.linspace(0, 30, 30_001)[1:]
    tail, density = stats.norm.sf(z), stats.norm.pdf(z)
    assert (z * (1 - tail) * tail <= (1 - 2 * tail) * density * (1 + 1e-12)).all()
    near, far = z <= 1.27, z >= 1.27
    assert (1 - 2 * tail[near] >= z[near] * math.sqrt(2 * math.pi) / 4).all()
    assert (1 / (z[far] ** 2 + 3) >= tail[far] / (1 - tail[far])).all()


def test_range_of_a_mixture_may_be_wide_but_its_divergence_is_not():
    """Matchings: whichever of two releases of range eta is drawn, whatever the data, rho is that of one of them."""
    (p, q), (r, s) = coins(2.0, 0.1), coins(2.0, 1.9)
    both = np.concatenate([0.3 * p, 0.7 * r]), np.concatenate([0.3 * q, 0.7 * s])
    assert np.ptp(np.log(both[0] / both[1])) > 3.7
    assert rho_of_pair(*both) <= bounded_range_rho(2.0) and mu_of_pair(*both) <= bounded_range_mu(2.0)


@pytest.mark.parametrize("mu", [0.01, 0.5, 1.0, 4.0, 20.0])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0, 4.0])
def test_delta_of_gaussian_noise_is_its_hockey_stick(mu, share):
    epsilon = share * mu * (mu / 2 + 1)
    assert gaussian_delta(mu, epsilon) == pytest.approx(delta_by_quadrature(mu, epsilon), rel=1e-8)


@pytest.mark.parametrize("epsilon", [1e300, 745.0, 2e4])
def test_delta_of_gaussian_noise_does_not_overflow(epsilon):
    assert gaussian_delta(1.0, epsilon) == 0.0
    assert gaussian_delta(1e3, 1e3) == 1.0


@pytest.mark.parametrize("epsilon", EXTREMES)
@pytest.mark.parametrize("delta", DELTAS)
def test_mu_and_epsilon_of_gaussian_noise_are_the_last_that_fit(epsilon, delta):
    mu = gaussian_mu(epsilon, delta)
    assert gaussian_delta(mu, epsilon) <= delta < gaussian_delta(mu * (1 + 1e-7), epsilon)
    assert delta_by_quadrature(mu, epsilon) == pytest.approx(delta, rel=1e-9)
    assert gaussian_epsilon(mu, delta) == pytest.approx(epsilon, rel=1e-6, abs=1e-9)


def test_epsilon_of_little_noise_or_none():
    assert gaussian_epsilon(0.0, 1e-6) == 0.0 and gaussian_epsilon(math.inf, 1e-6) == math.inf
    assert gaussian_epsilon(1e-7, 1e-6) == 0.0


def test_the_exact_curve_needs_less_noise_than_the_papers_lemma():
    """rho + sqrt(4 rho log(sqrt(pi rho) / delta)) <= epsilon: the lemma; the noise is proportional to 1 / sqrt(rho)."""

    def lemma(rho, delta):
        return rho + math.sqrt(4 * rho * max(0.0, 0.5 * math.log(math.pi * rho) - math.log(delta)))

    rho = largest(lambda rho: lemma(rho, 2.0**-30) <= 1.0)
    assert math.sqrt(2 * rho) / gaussian_mu(1.0, 2.0**-30) == pytest.approx(0.878, abs=5e-4)
    assert lemma(0.5, 1e-6) == pytest.approx(5.799, abs=5e-4) and gaussian_epsilon(1.0, 1e-6) < 4.9


@pytest.mark.parametrize("epsilon", EXTREMES)
@pytest.mark.parametrize("delta", DELTAS)
def test_rho_within_epsilon_and_delta_is_enough_for_every_kind(epsilon, delta):
    """Gaussian noise, randomised response and a bounded range of this rho have no more than delta."""
    rho = zcdp_rho(epsilon, delta)
    assert rho > 0 and gaussian_delta(math.sqrt(2 * rho), epsilon) <= delta
    pure = largest(lambda size: pure_rho(size) <= rho)
    if pure < 300:
        p, q = coins(2 * pure, pure)
        assert np.maximum(p - math.exp(min(epsilon, 700)) * q, 0).sum() <= delta * (1 + 1e-9)


def test_rho_within_epsilon_and_delta_is_not_far_from_that_of_gaussian_noise():
    rho = zcdp_rho(1.0, 1e-6)
    assert 0.85 < math.sqrt(2 * rho) / gaussian_mu(1.0, 1e-6) < 1


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 8.0])
@pytest.mark.parametrize("delta", DELTAS)
def test_epsilon_of_pure_privacy_is_that_of_randomised_response(epsilon, delta):
    more = pure_epsilon(epsilon, delta)
    p, q = coins(2 * more, more)
    assert more > epsilon and np.maximum(p - math.exp(epsilon) * q, 0).sum() == pytest.approx(delta, rel=1e-6)


@pytest.mark.parametrize("convert", [zcdp_rho, gaussian_mu, pure_epsilon])
@pytest.mark.parametrize("wrong", [0, -1.0, math.nan, math.inf, "much", None])
def test_conversions_refuse_a_wrong_budget(convert, wrong):
    with pytest.raises(ValueError, match=r"^epsilon must be a "):
        convert(wrong, 1e-6)


@pytest.mark.parametrize("convert", [zcdp_rho, gaussian_mu, pure_epsilon, gaussian_epsilon])
@pytest.mark.parametrize("wrong", [0, 1, -0.5, math.nan, math.inf, None])
def test_conversions_refuse_a_wrong_delta(convert, wrong):
    with pytest.raises(ValueError, match=r"^delta must "):
        convert(1.0, wrong)


@pytest.mark.parametrize("convert", [pure_rho, laplace_rho, bounded_range_rho, pure_mu, laplace_mu, bounded_range_mu])
def test_conversions_grow_without_a_jump(convert):
    sizes = np.geomspace(1e-9, 1e9, 4_001)
    values = np.array([convert(size) for size in sizes])
    assert np.isfinite(values).all() and (np.diff(values) > 0).all()
    assert (np.diff(np.log(values)) < 3 * np.diff(np.log(sizes))).all()
    for start in (0.01, 0.02, 1.0, 1.0986122886681098, 2.0):  # where formulas change
        assert convert(start * (1 + 1e-9)) == pytest.approx(convert(start * (1 - 1e-9)), rel=1e-8)


def test_divergences_of_the_reference_are_those_of_the_definition():
    p, q = np.array([0.2, 0.8]), np.array([0.5, 0.5])
    assert renyi(p, q, np.array([2.0]))[0] == pytest.approx(math.log(0.2**2 / 0.5 + 0.8**2 / 0.5))
    assert renyi(p, q)[0] == pytest.approx(0.2 * math.log(0.4) + 0.8 * math.log(1.6)) and ORDERS[0] == 1


@pytest.mark.parametrize("value", [2.0**-70, 1e-9, 1.0, 3.7, 1e9])
def test_largest_is_the_last_float_that_fits(value):
    assert largest(lambda number: number <= value) == value


def test_largest_knows_where_nothing_and_everything_fits():
    assert largest(lambda number: False) is None and largest(lambda number: True) == 2.0**70
