"""The private medians, and draws of them, against the definitions and whole lists, on lists with many ties."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from dpslr_core.laws import medians
from dpslr_core.laws.piecewise import PiecewiseUniform
from tests.cases.long_lists import LONG, LOWER, UPPER, as_drawn, whole
from tests.reference import paper as reference

# Few different values, so that ties, also at both ends of the range, are the rule.
tied_lists = st.lists(
    st.sampled_from([-0.5, -0.25, 0.0, 0.125, 0.25, 0.5, 1.0, 1.5]), min_size=1, max_size=12
)
free_lists = st.lists(st.floats(LOWER, UPPER, allow_subnormal=False), min_size=1, max_size=12)
lists = st.one_of(tied_lists, free_lists).map(sorted)
thetas = st.sampled_from([0.0, 0.01, 0.125, 0.25, 0.3, 1.0, 5.0])
epsilons = st.sampled_from([1e-3, 0.5, 4.0, 60.0])


def assert_same_density(pieces, expected):
    """The law of the pieces has the expected density in the middle of every expected piece, and its masses."""
    law = PiecewiseUniform(*pieces)
    for left, right, density in expected:
        mass = (right - left) * density
        assert law.cdf(right) - law.cdf(left) == pytest.approx(mass, rel=1e-9, abs=1e-12)
        if right - left > 1e-9 and density > 1e-290:
            assert np.exp(law.logpdf((left + right) / 2)) == pytest.approx(density, rel=1e-9)


@given(lists, epsilons)
def test_exponential_is_its_definition(z, epsilon):
    pieces = medians.exponential_pieces(np.array(z), epsilon, LOWER, UPPER)
    assert_same_density(pieces, reference.median_density(z, epsilon, LOWER, UPPER))


@given(lists, epsilons, thetas)
@example([0.25], 3.0, 0.05)
@example([0.1, 0.25, 0.25, 0.25, 0.7], 3.0, 0.05)
@settings(max_examples=200)
def test_widened_is_its_definition(z, epsilon, theta):
    pieces = medians.widened_pieces(np.array(z), epsilon, LOWER, UPPER, theta)
    assert np.all(np.diff(pieces[0]) >= 0)
    assert_same_density(pieces, reference.median_density(z, epsilon, LOWER, UPPER, theta))


@given(
    lists,
    st.integers(1, 14),
    st.sampled_from([0.0, 0.01, 0.1, 0.5, 3.0]),
    st.sampled_from([(LOWER, UPPER), (-3.0, 9.0)]),
)
@settings(max_examples=300)
def test_smooth_sensitivity_is_its_definition(z, k, t, ends):
    fast = medians.smooth_sensitivity(np.array(z), k, t, *ends)
    assert fast == pytest.approx(reference.smooth_sensitivity(z, k, t, *ends), rel=1e-12)


@given(lists)
def test_lower_median_is_the_middle_entry_counted_from_below(z):
    assert medians.lower_median(np.array(z)) == reference.lower_median(z)


@pytest.mark.filterwarnings("ignore:All-NaN slice")  # of numpy's nanmedian, which is compared with
def test_medians_and_smooth_sensitivity_of_the_middle_are_those_of_the_whole_list():
    cases = (1, 0.0), (300, 1e-300), (1, 1e-3), (10, 0.1), (1, 0.5), (300, 0.5), (10, 1e5)
    for name, (k, t) in product(LONG, cases):
        estimates, z = as_drawn(LONG[name]), whole(LONG[name])
        location, spread = medians.medians_and_sensitivities(estimates, k, t, LOWER, UPPER)
        np.testing.assert_array_equal(location, medians.lower_median(z))
        np.testing.assert_array_equal(estimates.medians(), np.nanmedian(LONG[name], axis=-1))
        expected = medians.smooth_sensitivity(z, k, t, LOWER, UPPER)
        np.testing.assert_allclose(spread, expected, rtol=1e-12, err_msg=f"{name} {k} {t}")


# ---------------------------------------------------------------- draws


def draw(rows, pieces, epsilon, rng):
    """One draw per row, of pieces that take lists without the ends of the range."""
    estimates = as_drawn(rows)
    return medians.draw_median(
        estimates, lambda z: pieces(z[..., 1:-1]), epsilon, LOWER, UPPER, rng
    )


def test_draws_from_pieces_follow_the_density():
    for epsilon in (0.5, 8.0, 2000.0):
        pieces = medians.widened_pieces(
            np.array([-0.5, 0.0, 0.0, 0.2, 0.21, 0.9, 1.5]), epsilon, LOWER, UPPER, 0.15
        )
        law, edges = PiecewiseUniform(*pieces), np.broadcast_to(pieces[0], (4000, pieces[0].size))
        draws = medians.draw_from_pieces(edges, pieces[1], np.random.default_rng(3))
        assert stats.kstest(draws, law.cdf).pvalue > 1e-3
    edges = np.tile([0.0, 0.0, 0.3, 0.3, 0.7, 0.7], (2000, 1))
    draws = medians.draw_from_pieces(
        edges, np.array([50.0, -900.0, 70.0, 0.0, 90.0]), np.random.default_rng(0)
    )
    assert draws.min() >= 0.3 and draws.max() <= 0.7  # never in an empty piece


def test_draws_from_the_middle_are_those_from_the_whole_list():
    """With the same random numbers."""
    kinds = (medians.exponential_pieces, {}), (medians.widened_pieces, {"theta": 0.01})
    for name, epsilon, (function, more) in product(LONG, (1e-300, 0.02, 0.1, 1.0, 1e5), kinds):
        pieces = partial(function, epsilon=epsilon, lower=LOWER, upper=UPPER, **more)
        rng, same = np.random.default_rng(5), np.random.default_rng(5)
        drawn = draw(LONG[name], pieces, epsilon, rng)
        plain = medians.draw_from_pieces(*pieces(whole(LONG[name])), same)
        np.testing.assert_allclose(drawn, plain, rtol=0, atol=1e-12, err_msg=f"{name} {epsilon}")
