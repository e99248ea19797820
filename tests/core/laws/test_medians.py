"""The private medians against the definitions, on lists with many ties."""

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from long_lists import LONG, LOWER, UPPER, whole

from dpslr_core.laws import medians
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.pairs.matchings import SortedEstimates

# Few different values, so that ties, also at both ends of the range, are the rule.
tied_lists = st.lists(st.sampled_from([-0.5, -0.25, 0.0, 0.125, 0.25, 0.5, 1.0, 1.5]), min_size=1, max_size=12)
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
@settings(max_examples=300)
def test_widened_is_its_definition(z, epsilon, theta):
    pieces = medians.widened_pieces(np.array(z), epsilon, LOWER, UPPER, theta)
    assert np.all(np.diff(pieces[0]) >= 0)
    assert_same_density(pieces, reference.median_density(z, epsilon, LOWER, UPPER, theta))


@pytest.mark.parametrize(
    "values", [[0.25], [0.25, 0.25], [0.1, 0.25, 0.25, 0.25, 0.7], [0.1, 0.2, 0.2, 0.9], [-0.5, 1.5]]
)
@pytest.mark.parametrize("theta", [0.0, 0.05, 3.0])
def test_widened_where_the_best_utility_is_at_a_value(values, theta):
    pieces = medians.widened_pieces(np.array(values), 3.0, LOWER, UPPER, theta)
    assert_same_density(pieces, reference.median_density(values, 3.0, LOWER, UPPER, theta))


@given(lists, epsilons)
def test_widening_by_nothing_is_the_exponential_mechanism(z, epsilon):
    plain = PiecewiseUniform(*medians.exponential_pieces(np.array(z), epsilon, LOWER, UPPER))
    widened = PiecewiseUniform(*medians.widened_pieces(np.array(z), epsilon, LOWER, UPPER, 0.0))
    t = np.linspace(LOWER, UPPER, 41)
    np.testing.assert_allclose(widened.cdf(t), plain.cdf(t), rtol=1e-9, atol=1e-12)


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


@given(lists, st.data())
@settings(max_examples=300)
def test_smooth_sensitivity_is_smooth_and_bounds_the_local_one(z, data):
    """The two properties that its privacy proof asks for, with k entries changed at will."""
    k = data.draw(st.integers(1, len(z)))
    t = data.draw(st.sampled_from([0.05, 0.3, 1.0]))
    where = data.draw(st.lists(st.integers(0, len(z) - 1), min_size=k, max_size=k))
    changed = list(z)
    for i in where:
        changed[i] = data.draw(st.sampled_from([-0.5, 0.0, 0.25, 1.0, 1.5]))
    changed.sort()
    here, there = (float(medians.smooth_sensitivity(np.array(v), k, t, LOWER, UPPER)) for v in (z, changed))
    assert here <= np.exp(t) * there * (1 + 1e-12)
    assert there <= np.exp(t) * here * (1 + 1e-12)
    moved = abs(medians.lower_median(np.array(z)) - medians.lower_median(np.array(changed)))
    assert moved <= here * (1 + 1e-12)


@given(lists)
def test_lower_median_is_the_middle_entry_counted_from_below(z):
    assert medians.lower_median(np.array(z)) == reference.lower_median(z)


@given(
    st.lists(st.lists(st.sampled_from([-0.5, 0.0, 0.25, 0.25, 1.5]), min_size=5, max_size=5), min_size=1, max_size=4)
)
def test_rows_are_independent_of_each_other(rows):
    """Many trials at once give what each row gives alone."""
    z = np.sort(np.array(rows), axis=-1)
    for function, more in (
        (medians.exponential_pieces, (2.0, LOWER, UPPER)),
        (medians.widened_pieces, (2.0, LOWER, UPPER, 0.2)),
    ):
        edges, log_density = function(z, *more)
        for row, got in enumerate(edges):
            alone_edges, alone_density = function(z[row], *more)
            np.testing.assert_array_equal(got, alone_edges)
            np.testing.assert_array_equal(
                np.broadcast_to(log_density, (len(z), edges.shape[-1] - 1))[row], alone_density
            )
    together = medians.smooth_sensitivity(z, 2, 0.1, LOWER, UPPER)
    alone = [float(medians.smooth_sensitivity(row, 2, 0.1, LOWER, UPPER)) for row in z]
    np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("t", [0.0, 1e-300, 1e-3, 0.1, 0.5, 3.0, 1e5])
@pytest.mark.parametrize("k", [1, 10, 300])
@pytest.mark.parametrize("name", LONG)
def test_smooth_sensitivity_of_the_middle_is_that_of_the_whole_list(name, k, t):
    location, spread = medians.medians_and_sensitivities(SortedEstimates.of_rows(LONG[name]), k, t, LOWER, UPPER)
    z = whole(LONG[name])
    np.testing.assert_array_equal(location, medians.lower_median(z))
    np.testing.assert_allclose(spread, medians.smooth_sensitivity(z, k, t, LOWER, UPPER), rtol=1e-12)
