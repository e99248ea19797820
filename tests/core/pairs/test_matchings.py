"""Matchings of the complete graph and the estimates of pairs, against the circle method played out."""

from collections import Counter
from functools import partial
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpslr_core import pairs
from dpslr_core.pairs.grid import PublicGrid
from dpslr_core.pairs.matchings import sorted_lists
from tests.cases.inputs import DATASETS
from tests.cases.pairs import awkward, nasty, pair_estimates, random_matchings
from tests.reference import paper as reference

SIZES = [3, 4, 5, 6, 7, 10, 15, 50, 51]


def test_rounds_are_matchings_that_hold_every_pair_exactly_once():
    for n in SIZES:
        first, second = pairs.rounds(n)
        assert first.shape == second.shape == (pairs.round_count(n), n // 2)
        met = Counter(frozenset(pair) for pair in zip(first.flat, second.flat, strict=True))
        assert met == Counter({frozenset(pair): 1 for pair in combinations(range(n), 2)})
        assert all(len({*a, *b}) == 2 * (n // 2) for a, b in zip(first, second, strict=True))
        for every, some in zip(pairs.rounds(n), pairs.rounds(n, [2, 1]), strict=True):
            assert (some == every[[2, 1]]).all()


def test_counts():
    for n in SIZES:
        first, _ = pairs.all_pairs(n)
        assert pairs.pair_count(n, None) == first.size == n * (n - 1) // 2
        assert pairs.lipschitz(n, None) == pairs.lipschitz(n, n - 1) == n - 1
        assert (
            pairs.is_complete(n, None)
            and pairs.is_complete(n, n - 1)
            and pairs.is_complete(n, 10 * n)
        )
        for k in range(1, n - 1):
            assert not pairs.is_complete(n, k)
            assert (pairs.lipschitz(n, k), pairs.pair_count(n, k)) == (k, k * (n // 2))


@pytest.mark.parametrize(("n", "k"), [(4, 1), (5, 1), (6, 1), (4, 2), (5, 2)])
def test_random_matchings_are_uniform(n, k):
    """Each set of pairs comes up as often as in the relabelled tournament (they all weigh the same here)."""
    first, second = random_matchings(n, k, 30_000, np.random.default_rng(5))
    ends = np.sort(np.stack([first, second]), axis=0)
    codes = np.sort(ends[0] * n + ends[1], axis=1)
    seen, counts = np.unique(codes, axis=0, return_counts=True)
    expected = {
        tuple(sorted(a * n + b for a, b in edges)) for edges in reference.all_pair_sets(n, k)
    }
    assert {tuple(row) for row in seen.tolist()} == expected
    assert stats.chisquare(counts).pvalue > 1e-3


def test_estimates_are_the_lines_through_pairs():
    """Whichever end comes first."""
    for (name, data), point in product(DATASETS.items(), [0.25, 0.0, 3.0]):
        ends, lines = pairs.all_pairs(data.n), partial(pairs.lines_through, at=point)
        estimates, back = (
            pair_estimates(data.x, data.y, *order, lines)[0] for order in (ends, ends[::-1])
        )
        expected = reference.pairwise_estimates(data.x.tolist(), data.y.tolist(), point)
        expected = [np.nan if value is None else value for value in expected]
        np.testing.assert_allclose(estimates, expected, rtol=1e-12, atol=1e-12, err_msg=name)
        np.testing.assert_array_equal(estimates, back)
    x, y = np.array([0.0, 5e-324, 1.0]), np.array([0.0, 1.0, 0.5])  # the steepest line
    steep = pair_estimates(
        x, y, *pairs.all_pairs(3), partial(pairs.lines_through, at=[0.0, 0.25, 1e5])
    )
    assert np.isfinite(steep).all()


@given(
    st.lists(
        st.one_of(st.none(), st.sampled_from([-9.0, -0.5, 0.0, 0.3, 1.5, 7.0])),
        min_size=1,
        max_size=12,
    ),
    st.randoms(use_true_random=False),
)
def test_clipped_lists_keep_a_place_for_every_tied_pair(estimates, shuffler):
    """Row by row, in any order."""
    rows = np.array([[np.nan if v is None else v for v in estimates], [np.nan] * len(estimates)])
    shuffler.shuffle(estimates)
    expected = [
        reference.kept_estimates(row, -0.5, 1.5) for row in (estimates, [None] * len(estimates))
    ]
    np.testing.assert_array_equal(pairs.clip_and_place_ties(rows, -0.5, 1.5), expected)


# ---------------------------------------------------------------- all pairs by cyclic shifts, compared with index arra


# The last has more steps than short integers hold.
RANGES = [(-0.5, 1.5), (0.4, 0.45), (-3.0, 0.2), (-3000.0, 3000.0)]


@pytest.mark.parametrize("ends", RANGES)
def test_sorted_lists_are_those_of_the_grid_to_the_last_bit(ends):
    grid = PublicGrid(*ends, np.array([0.25, 0.75, -1.0, 0.5, 3.0]))
    for n in (3, 20, 21):
        for kind, (x, y) in {**nasty(n), **awkward(n)}.items():
            records = grid.positions(x), grid.positions(y)
            estimates = pair_estimates(*records, *pairs.all_pairs(x.size), grid.heights)
            kept = pairs.clip_and_place_ties(np.sort(estimates, axis=1), *grid.range)
            for places in ([0, 1, 2, 3, 4], [4, 0]):
                lists = sorted_lists(*records, grid, places)
                np.testing.assert_array_equal(
                    lists, pairs.with_ends(kept[places], *grid.range), err_msg=kind
                )
