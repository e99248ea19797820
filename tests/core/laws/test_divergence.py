"""Suprema of log density ratios and Rényi divergences: against brute force, integrals and cells, and lower bounds."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate

from dpslr_core import Dataset, simulate_linear
from dpslr_core.audit import max_divergences, privacy_loss
from dpslr_core.laws import Gaussian, Laplace, Law, PointMass, StudentT, medians
from dpslr_core.laws.by_rank import StaircaseLaw
from dpslr_core.laws.divergence import joint_divergences, joint_rho, staircase_renyi
from dpslr_core.laws.joint import JointLaw, JointMedianLaw, RankBounds
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.mechanisms import CenteredStats
from dpslr_core.pairs import with_ends


def brute_force(law, other, outcomes):
    """The largest log density ratios over these outcomes, forth and back."""
    with np.errstate(invalid="ignore"):
        ratios = law.logpdf(outcomes) - other.logpdf(outcomes)
    return float(np.nanmax(ratios)), float(np.nanmax(-ratios))


def test_a_law_that_is_a_sum_tells_nothing_where_it_has_no_digits():
    """One prediction by CenteredStats loses no more than the whole release may, far into its tails."""
    for n, var_x, epsilon in ((10, 0.05, 16.0), (60, 0.03, 2.0), (250, 0.01, 0.3)):
        x, y = simulate_linear(n, var_x, 0.01, rng=np.random.default_rng(n))
        neighbours = Dataset(x, y), Dataset([1.0, *x[1:]], [0.0, *y[1:]])
        laws = [CenteredStats().law(data, epsilon)[0] for data in neighbours]
        assert 0 < privacy_loss(*laws) <= epsilon


locations, scales = st.floats(-2, 2), st.floats(0.05, 5)


@given(locations, scales, locations, scales, st.floats(0.5, 20))
@settings(max_examples=200)
def test_loss_of_two_student_laws_is_the_supremum(a, s, b, r, df):
    law, other = StudentT(a, s, df), StudentT(b, r, df)
    far = np.geomspace(1e-4, 1e9, 20_000)
    outcomes = np.concatenate([a + s * far, a - s * far, b + r * far, b - r * far, [a, b]])
    exact, found = max_divergences(law, other), brute_force(law, other, outcomes)
    assert privacy_loss(law, other) == max(exact)
    assert exact == pytest.approx(found, rel=1e-4, abs=1e-6)


@given(locations, scales, locations, st.just(1.0) | st.floats(1.01, 5))
def test_loss_of_two_laplace_laws_is_the_supremum(a, s, b, factor):
    narrow, wide = Laplace(a, s), Laplace(b, factor * s)
    outcomes = np.concatenate([np.linspace(-60, 60, 2001), [a, b]])
    assert max_divergences(narrow, wide)[0] == pytest.approx(
        brute_force(narrow, wide, outcomes)[0], abs=1e-9
    )
    back = abs(a - b) / s if factor == 1 else np.inf  # without bound far out
    assert privacy_loss(narrow, wide) == pytest.approx(back)
    assert max_divergences(wide, narrow)[0] == pytest.approx(back)


@given(
    st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.7, 1.0]), min_size=1, max_size=6).map(sorted),
    st.floats(0.1, 60),
)
def test_loss_of_two_piecewise_laws_is_the_largest_over_merged_pieces(z, epsilon):
    law, other = (
        PiecewiseUniform(*medians.exponential_pieces(np.array(values), epsilon, 0.0, 1.0))
        for values in (z, [0.05, 0.5, 0.5, 1.0])
    )
    edges = np.unique(np.concatenate([law.edges, other.edges]))
    found = brute_force(law, other, (edges[1:] + edges[:-1]) / 2)
    assert max_divergences(law, other) == pytest.approx(found, abs=1e-9)


def test_outcomes_that_only_one_data_set_can_give_lose_everything():
    law, shifted = (PiecewiseUniform(np.array([low, 1.0]), np.array([0.0])) for low in (0.0, 0.5))
    assert max_divergences(law, shifted)[0] == np.inf
    assert max_divergences(shifted, law)[0] == pytest.approx(math.log(2))
    shorter = PiecewiseUniform(np.array([0.0, 0.25]), np.array([0.0]))
    assert privacy_loss(law, shorter) == np.inf and max_divergences(shorter, law)[
        0
    ] == pytest.approx(math.log(4))
    assert privacy_loss(PointMass(0.1), PointMass(0.2)) == np.inf
    assert (
        privacy_loss(PointMass(0.1), PointMass(0.1))
        == privacy_loss(PointMass(np.nan), PointMass(np.nan))
        == 0
    )
    assert (
        privacy_loss(PointMass(0.1), Laplace(0.1, 1.0))
        == privacy_loss(Laplace(0.1, 1.0), PointMass(0.1))
        == np.inf
    )


@dataclass(frozen=True)
class OftenFailing(Law):
    """A Laplace law that fails with a given probability: a kind of law without a closed form of its loss."""

    inner: Laplace
    rate: float

    @property
    def failure(self):
        return self.rate

    def cdf(self, t):
        return (1 - self.failure) * self.inner.cdf(t)

    def ppf(self, q):
        return self.inner.ppf(np.asarray(q) / (1 - self.failure))

    def logpdf(self, t):
        return self.inner.logpdf(t) + np.log1p(-self.failure)


def test_failure_is_an_outcome_too():
    law, other = OftenFailing(Laplace(0.0, 1.0), 0.5), OftenFailing(Laplace(0.0, 1.0), 0.1)
    assert max_divergences(law, other)[0] == pytest.approx(math.log(5))
    assert max_divergences(other, law)[0] == pytest.approx(math.log(0.9 / 0.5))
    never = OftenFailing(Laplace(0.0, 1.0), 0.0)
    assert max_divergences(law, never)[0] == np.inf
    assert max_divergences(never, law)[0] == pytest.approx(math.log(2))


def test_a_law_without_a_closed_form_is_read_off_a_grid():
    law, other = OftenFailing(Laplace(0.0, 0.5), 0.0), OftenFailing(Laplace(0.3, 0.5), 0.0)
    assert privacy_loss(law, other) == pytest.approx(0.6, rel=1e-6)


# ---------------------------------------------------------------- laws known by ranks


def staircase(edges, log_density, slack):
    """A law known between bounds that are so far from the exact density on either side."""
    edges, log_density = np.array(edges, dtype=float), np.array(log_density, dtype=float)
    return StaircaseLaw(
        edges, log_density - slack, log_density + slack, lambda r, piece: log_density[piece]
    )


@given(
    st.lists(st.floats(-3, 3), min_size=4, max_size=4),
    st.lists(st.floats(-3, 3), min_size=4, max_size=4),
)
def test_the_loss_of_laws_between_bounds_is_a_lower_bound_of_the_loss(density, another):
    """Every density is asked for, so that only the normalisers are uncertain: each by a factor e^slack."""
    edges, others = [0.0, 0.2, 0.5, 0.75, 1.0], [0.0, 0.3, 0.5, 0.9, 1.0]
    exact = max_divergences(
        PiecewiseUniform(np.array(edges), np.array(density)),
        PiecewiseUniform(np.array(others), np.array(another)),
    )
    for slack in (0.0, 0.1):
        law, other = staircase(edges, density, slack), staircase(others, another, slack)
        for bound, supremum in zip(max_divergences(law, other), exact, strict=True):
            assert max(0.0, supremum - 2 * slack) - 1e-9 <= bound <= supremum + 1e-9


# ---------------------------------------------------------------- the loss in zCDP

ORDERS = np.array([1.001, 1.5, 2.0, 20.0])
LAW = PiecewiseUniform(np.array([0.0, 0.2, 0.7, 1.0]), np.array([0.0, 1.0, -0.5]))
OTHER = PiecewiseUniform(np.array([0.0, 0.3, 0.7, 1.0]), np.array([0.3, 0.8, 0.1]))


def test_divergence_of_piecewise_laws_is_the_integral():
    for order, divergence in zip(ORDERS, staircase_renyi(LAW, OTHER, ORDERS), strict=True):

        def integrand(t, order=order):
            return np.exp(order * LAW.logpdf(t) + (1 - order) * OTHER.logpdf(t))

        value = integrate.quad(integrand, 0, 1, points=[0.2, 0.3, 0.7])[0]
        assert divergence == pytest.approx(np.log(value) / (order - 1), rel=1e-6)


def test_points_add_up_where_they_are_independent_and_the_largest_counts_where_they_may_not_be():
    one, two = (
        joint_rho(*(JointLaw.independent([law] * count) for law in (LAW, OTHER)))
        for count in (1, 2)
    )
    assert two == pytest.approx(2 * one, rel=1e-9)
    for apart, factor in ((False, 2), (True, 1)):
        laws = [JointLaw.independent([law, law], apart) for law in (LAW, OTHER)]
        assert joint_divergences(*laws) == pytest.approx(
            factor * np.array(max_divergences(LAW, OTHER))
        )


def test_normal_laws_lose_half_the_squared_shift():
    """Taken together in intervals their outcomes show a little less."""
    laws = [JointLaw.independent([Gaussian(location, 1.0)]) for location in (0.0, 0.7)]
    assert 0.99 * 0.7**2 / 2 < joint_rho(*laws) <= 0.7**2 / 2 * (1 + 1e-9)


def test_mixtures_of_products_are_compared_cell_by_cell():
    """The same law as a mixture over its levels, and in one piece."""
    lists = (
        [[0.1, 0.3, 0.3, 0.6], [0.2, 0.2, 0.5, 0.7]],
        [[0.3, 0.3, 0.6, 0.9], [0.2, 0.5, 0.7, 0.8]],
    )
    laws = [
        JointMedianLaw([RankBounds.of_list(with_ends(np.array(z), 0.0, 1.0)) for z in each], 4, 0.4)
        for each in lists
    ]
    mixtures = [JointLaw(law.parts) for law in laws]
    assert (
        joint_rho(*mixtures) == pytest.approx(joint_rho(*laws), rel=1e-9)
        and joint_rho(*laws) > 0.01
    )
    unlike = JointLaw([(0.5, [LAW, Gaussian(0.0, 1.0)]), (0.5, [OTHER, Gaussian(0.0, 1.0)])])
    assert np.isnan(joint_rho(unlike, unlike))


def test_what_is_not_known_is_not_a_number():
    assert np.isnan(joint_rho(JointLaw(), JointLaw.independent([LAW])))
    law = JointMedianLaw([RankBounds.of_list(np.array([0.0, 0.5, 1.0]))], 1, 1.0)
    with pytest.raises(TypeError, match="of one mechanism"):
        joint_rho(law, JointLaw.independent([LAW]))
