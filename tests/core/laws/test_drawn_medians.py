"""Draws of private medians against the whole lists, and against the definitions."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from long_lists import LONG, LOWER, UPPER, whole
from scipy import stats

from dpslr_core.laws import medians
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.pairs.matchings import SortedEstimates

tied_lists = st.lists(st.sampled_from([-0.5, -0.25, 0.0, 0.125, 0.25, 0.5, 1.0, 1.5]), min_size=1, max_size=12)
free_lists = st.lists(st.floats(LOWER, UPPER, allow_subnormal=False), min_size=1, max_size=12)
lists = st.one_of(tied_lists, free_lists).map(sorted)
epsilons = st.sampled_from([1e-3, 0.5, 4.0, 60.0])


def draw(rows, pieces, epsilon, rng, sizes=None):
    """One draw per row, of pieces that take lists without the ends of the range."""
    estimates = SortedEstimates.of_rows(rows)
    estimates = estimates._replace(sizes=sizes or estimates.sizes)
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
