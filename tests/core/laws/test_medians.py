"""The private medians, and draws of them, against the definitions and whole lists, on lists with many ties."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpslr_core.laws import medians
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.pairs.matchings import SortedEstimates
from tests.cases.long_lists import LONG, LOWER, UPPER, whole
from tests.reference import paper as reference

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
            np.testing.assert_array_equal(got[: alone_edges.size], alone_edges)
            assert (got[alone_edges.size :] == UPPER).all()  # an empty piece where other rows have one more
            each = np.broadcast_to(log_density, (len(z), edges.shape[-1] - 1))[row]
            np.testing.assert_array_equal(each[: alone_density.size], alone_density)
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


# ---------------------------------------------------------------- draws


def draw(rows, pieces, epsilon, rng, sizes=None):
    """One draw per row, of pieces that take lists without the ends of the range."""
    estimates = SortedEstimates.of_rows(rows)
    estimates.sizes = sizes or estimates.sizes
    return medians.draw_median(estimates, lambda z: pieces(z[..., 1:-1]), epsilon, LOWER, UPPER, rng)


@pytest.mark.parametrize("epsilon", [0.5, 8.0, 2000.0])
@pytest.mark.parametrize("theta", [0.0, 0.15])
def test_draws_from_pieces_follow_the_density(epsilon, theta):
    z = np.array([-0.5, 0.0, 0.0, 0.2, 0.21, 0.9, 1.5])
    pieces = medians.widened_pieces(z, epsilon, LOWER, UPPER, theta)
    law, rng = PiecewiseUniform(*pieces), np.random.default_rng(3)
    edges = np.broadcast_to(pieces[0], (4000, pieces[0].size))
    draws = medians.draw_from_pieces(edges, pieces[1], rng)
    assert stats.kstest(draws, law.cdf).pvalue > 1e-3
    for factor in (2 / 3, 3 / 2):
        assert stats.kstest(law.median + factor * (draws - law.median), law.cdf).pvalue < 1e-6


def test_draws_never_leave_the_range_nor_land_in_an_empty_piece():
    edges = np.tile([0.0, 0.0, 0.3, 0.3, 0.7, 0.7], (2000, 1))
    draws = medians.draw_from_pieces(edges, np.array([50.0, -900.0, 70.0, 0.0, 90.0]), np.random.default_rng(0))
    assert draws.min() >= 0.3 and draws.max() <= 0.7


@pytest.mark.parametrize("epsilon", [1e-300, 1e-3, 0.02, 0.1, 1.0, 60.0, 1e5])
@pytest.mark.parametrize("name", LONG)
def test_draws_from_the_middle_are_those_from_the_whole_list(name, epsilon):
    for pieces, more in ((medians.exponential_pieces, ()), (medians.widened_pieces, (0.01,))):
        rng, same = np.random.default_rng(5), np.random.default_rng(5)
        for _ in range(5):
            drawn = draw(LONG[name], lambda z: pieces(z, epsilon, LOWER, UPPER, *more), epsilon, rng)  # noqa: B023
            plain = medians.draw_from_pieces(*pieces(whole(LONG[name]), epsilon, LOWER, UPPER, *more), same)
            np.testing.assert_allclose(drawn, plain, rtol=0, atol=1e-12)


@given(lists, st.integers(1, 40), epsilons, st.sampled_from([0.0, 0.01, 0.25]))
def test_draws_from_the_middle_of_any_list(z, copies, epsilon, theta):
    """Lists repeated so often that most of them is left out."""
    z, rng, same = np.repeat(z, 20 * copies), np.random.default_rng(1), np.random.default_rng(1)
    for pieces in (
        lambda z: medians.exponential_pieces(z, epsilon, LOWER, UPPER),
        lambda z: medians.widened_pieces(z, epsilon, LOWER, UPPER, theta),
    ):
        drawn = draw(z[::-1], pieces, epsilon, rng)
        assert drawn == pytest.approx(float(medians.draw_from_pieces(*pieces(z), same)), abs=1e-12)


def test_ordinary_lists_need_their_middle_only(monkeypatch):
    """Else the tests above would say nothing."""
    asked, around = [], SortedEstimates.around

    def noted(self, reach, *ends):
        asked.append(reach)
        return around(self, reach, *ends)

    monkeypatch.setattr(SortedEstimates, "around", noted)
    draw(LONG["normal"], lambda z: medians.exponential_pieces(z, 0.1, LOWER, UPPER), 0.1, np.random.default_rng(0))
    medians.medians_and_sensitivities(SortedEstimates.of_rows(LONG["normal"]), 10, 0.5, LOWER, UPPER)
    assert max(asked) < 1500


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 60.0])
@pytest.mark.parametrize("sizes", [(6,), (4, 2), (1, 1, 1, 1, 1, 1)])
def test_trials_formed_together_take_the_noise_that_each_part_would_take(epsilon, sizes):
    def pieces(z):
        return medians.exponential_pieces(z, epsilon, LOWER, UPPER)

    rng, same = np.random.default_rng(5), np.random.default_rng(5)
    ends = np.cumsum((0, *sizes))
    apart = [draw(LONG["normal"][None, a:b], pieces, epsilon, same) for a, b in pairwise(ends)]
    together = draw(LONG["normal"][None], pieces, epsilon, rng, sizes)
    np.testing.assert_allclose(together, np.concatenate(apart, axis=1), rtol=0, atol=1e-12)
    assert rng.random() == same.random()
