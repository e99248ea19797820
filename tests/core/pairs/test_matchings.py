"""Matchings of the complete graph and the estimates of pairs, against the circle method played out."""

from collections import Counter
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpslr_core import pairs
from dpslr_core.pairs import matchings
from dpslr_core.pairs.grid import PublicGrid
from dpslr_core.pairs.matchings import (
    SortedEstimates,
    every_estimate,
    matched_lists,
    replaced_lists,
    shifted_pairs,
    sorted_lists,
)
from tests.cases.inputs import DATASETS
from tests.cases.pairs import awkward, nasty, pair_estimates, random_matchings
from tests.reference import paper as reference

SIZES = [3, 4, 5, 6, 7, 10, 15, 50, 51]


def pair_sets(first, second):
    """Each round as a set of unordered pairs."""
    return [
        {frozenset(pair) for pair in zip(a, b, strict=True)}
        for a, b in zip(first.tolist(), second.tolist(), strict=True)
    ]


@pytest.mark.parametrize("n", SIZES)
def test_rounds_hold_every_pair_exactly_once(n):
    first, second = pairs.rounds(n)
    assert first.shape == second.shape == (pairs.round_count(n), n // 2)
    met = Counter(frozenset(pair) for pair in zip(first.flat, second.flat, strict=True))
    assert set(met) == {frozenset(pair) for pair in combinations(range(n), 2)}
    assert set(met.values()) == {1}


@pytest.mark.parametrize("n", SIZES)
def test_each_round_is_a_matching(n):
    for a, b in zip(*pairs.rounds(n), strict=True):
        assert len({*a, *b}) == 2 * (n // 2)


@pytest.mark.parametrize("n", SIZES)
def test_rounds_are_a_tournament(n):
    """The same decomposition as the circle method played out, up to names: every two rounds form as long cycles."""

    def cycles(rounds):
        found = Counter()
        for one, other in combinations(rounds, 2):
            links = {}
            for pair in (*one, *other):
                a, b = tuple(pair)
                links.setdefault(a, []).append(b)
                links.setdefault(b, []).append(a)
            unseen, lengths = set(links), []
            while unseen:
                stack, size = [unseen.pop()], 0
                while stack:
                    size += 1
                    for near in links[stack.pop()]:
                        if near in unseen:
                            unseen.remove(near)
                            stack.append(near)
                lengths.append(size)
            found[tuple(sorted(lengths))] += 1
        return found

    assert cycles(pair_sets(*pairs.rounds(n))) == cycles([set(played) for played in reference.rounds(n)])


@pytest.mark.parametrize("n", [6, 7])
def test_chosen_rounds_are_rows_of_all_rounds(n):
    for all_of_them, some in zip(pairs.rounds(n), pairs.rounds(n, [4, 1]), strict=True):
        assert (some == all_of_them[[4, 1]]).all()


@pytest.mark.parametrize("n", SIZES)
def test_counts(n):
    first, _ = pairs.all_pairs(n)
    assert pairs.pair_count(n, None) == first.size == n * (n - 1) // 2
    assert pairs.lipschitz(n, None) == n - 1
    assert pairs.is_complete(n, None) and pairs.is_complete(n, n - 1) and pairs.is_complete(n, 10 * n)
    for k in range(1, n - 1):
        assert not pairs.is_complete(n, k)
        assert pairs.lipschitz(n, k) == k
        assert pairs.pair_count(n, k) == k * (n // 2)


@pytest.mark.parametrize(("n", "k"), [(4, 1), (4, 2), (5, 1), (5, 3), (6, 2), (9, 4)])
def test_random_matchings_put_each_record_into_at_most_k_different_pairs(n, k):
    first, second = random_matchings(n, k, 200, np.random.default_rng(1))
    assert first.shape == second.shape == (200, k * (n // 2))
    for a, b in zip(first.tolist(), second.tolist(), strict=True):
        edges = [frozenset(pair) for pair in zip(a, b, strict=True)]
        assert len(set(edges)) == len(edges) and all(len(pair) == 2 for pair in edges)
        assert max(Counter([*a, *b]).values()) <= k
        if n % 2 == 0:
            assert set(Counter([*a, *b]).values()) == {k}


@pytest.mark.parametrize(("n", "k"), [(4, 1), (5, 1), (6, 1), (4, 2), (5, 2)])
def test_random_matchings_are_uniform(n, k):
    """Each set of pairs comes up as often as in the relabelled tournament (they all weigh the same here)."""
    first, second = random_matchings(n, k, 30_000, np.random.default_rng(5))
    ends = np.sort(np.stack([first, second]), axis=0)
    codes = np.sort(ends[0] * n + ends[1], axis=1)
    seen, counts = np.unique(codes, axis=0, return_counts=True)
    expected = {tuple(sorted(a * n + b for a, b in edges)) for edges in reference.all_pair_sets(n, k)}
    assert {tuple(row) for row in seen.tolist()} == expected
    assert stats.chisquare(counts).pvalue > 1e-3


def test_random_matchings_refuse_a_wrong_k():
    with pytest.raises(ValueError, match="k must be a whole number, 1 or more"):
        random_matchings(6, 0, 1, np.random.default_rng(0))


@pytest.mark.parametrize(("n", "k"), [(3, 1), (4, 2), (5, 4), (12, 1), (13, 3), (50, 10), (51, 20)])
@pytest.mark.parametrize("chunk", [1, 100, 1 << 16])
def test_matched_estimates_are_those_of_random_matchings(n, k, chunk, monkeypatch):
    monkeypatch.setattr(pairs.matchings, "_CHUNK", chunk)
    x, y = np.random.default_rng(n).random((2, n)).round(2)
    lines = partial(pairs.lines_through, at=[0.25, 2.0])
    rng, same = np.random.default_rng(3), np.random.default_rng(3)
    found = pairs.matched_estimates(x, y, k, 9, lines, rng)
    np.testing.assert_array_equal(found, pair_estimates(x, y, *random_matchings(n, k, 9, same), lines))
    assert rng.random() == same.random()


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.parametrize("point", [0.25, 0.75, 0.0, 3.0])
def test_estimates_are_the_lines_through_pairs(name, point):
    data = DATASETS[name]
    found = pair_estimates(data.x, data.y, *pairs.all_pairs(data.n), partial(pairs.lines_through, at=point))[0]
    expected = reference.pairwise_estimates(data.x.tolist(), data.y.tolist(), point)
    np.testing.assert_allclose(
        found, [np.nan if value is None else value for value in expected], rtol=1e-12, atol=1e-12
    )


def test_estimates_do_not_care_which_end_comes_first():
    rng = np.random.default_rng(2)
    x, y = rng.random(40), rng.random(40)
    first, second = pairs.all_pairs(40)
    lines = partial(pairs.lines_through, at=[0.25, 0.9])
    forth, back = (pair_estimates(x, y, *ends, lines) for ends in ((first, second), (second, first)))
    np.testing.assert_array_equal(forth, back)


def test_estimates_of_the_steepest_line_are_finite():
    x, y = np.array([0.0, 5e-324, 1.0]), np.array([0.0, 1.0, 0.5])
    assert np.isfinite(
        pair_estimates(x, y, *pairs.all_pairs(3), partial(pairs.lines_through, at=[0.0, 0.25, 1e5]))
    ).all()


@given(
    st.lists(st.one_of(st.none(), st.sampled_from([-9.0, -0.5, 0.0, 0.3, 1.5, 7.0])), min_size=1, max_size=12),
    st.randoms(use_true_random=False),
)
def test_within_clips_and_keeps_a_place_for_every_tied_pair(found, shuffler):
    fast = pairs.clip_and_place_ties(np.sort(np.array([np.nan if v is None else v for v in found])), -0.5, 1.5)
    np.testing.assert_array_equal(fast, reference.kept_estimates(found, -0.5, 1.5))
    shuffler.shuffle(found)
    np.testing.assert_array_equal(fast, reference.kept_estimates(found, -0.5, 1.5))


def test_within_treats_rows_one_by_one():
    rows = np.array([[-2.0, 0.1, 0.2, np.nan], [0.0, np.nan, np.nan, np.nan], [0.1, 0.2, 0.3, 4.0], [np.nan] * 4])
    expected = [reference.kept_estimates([None if np.isnan(v) else v for v in row], -0.5, 1.5) for row in rows]
    np.testing.assert_array_equal(pairs.clip_and_place_ties(rows, -0.5, 1.5), expected)


@given(st.lists(st.one_of(st.none(), st.sampled_from([-9.0, 0.0, 0.3, 0.8, 7.0])), min_size=1, max_size=15))
def test_an_even_number_of_tied_pairs_leaves_the_clipped_median_unmoved(found):
    found = [*found, *[None] * (found.count(None) % 2)]
    known = [min(max(v, -0.5), 1.5) for v in found if v is not None]
    if known:
        kept = pairs.clip_and_place_ties(np.sort(np.array([np.nan if v is None else v for v in found])), -0.5, 1.5)
        assert np.median(kept) == pytest.approx(reference.median(known), abs=1e-15)


# ---------------------------------------------------------------- all pairs by cyclic shifts, compared with index arra


RANGES = [(-0.5, 1.5), (0.0, 1.0), (0.4, 0.45), (-3.0, 0.2), (-500.0, 400.0), (-3000.0, 3000.0)]


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 17, 40, 41])
@pytest.mark.parametrize("block", [1, 100, 1 << 14])
def test_every_pair_comes_once_in_its_place(n, block, monkeypatch):
    monkeypatch.setattr(matchings, "_BLOCK", block)
    labels, met = np.arange(float(n)), []
    for place, ((first, second),) in shifted_pairs(labels):
        both = np.broadcast_arrays(first, second)
        ends = [end.ravel().tolist() for end in both]
        assert place.start == len(met) and place.stop - place.start == len(ends[0])
        met += [frozenset(pair) for pair in zip(*ends, strict=True)]
    assert len(met) == len(set(met)) == n * (n - 1) // 2
    assert all(len(pair) == 2 for pair in met)


@pytest.mark.parametrize("n", [3, 24, 25])
def test_every_estimate_is_that_of_the_index_arrays(n):
    for x, y in nasty(n).values():
        for at in (0.3, [0.25, 2.0]):
            lines = partial(pairs.lines_through, at=at)
            by_index = pair_estimates(x, y, *pairs.all_pairs(x.size), lines)
            np.testing.assert_array_equal(
                np.sort(every_estimate(x, y, lines), axis=1),
                np.sort(by_index, axis=1).reshape(-1, by_index.shape[-1]),
            )


@pytest.mark.parametrize("ends", RANGES)
@pytest.mark.parametrize("n", [3, 20, 21])
def test_sorted_lists_are_those_of_the_grid_to_the_last_bit(ends, n):
    for kind, (x, y) in {**nasty(n), **awkward(n)}.items():
        grid = PublicGrid(*ends, np.array([0.25, 0.75, -1.0, 0.5, 3.0]))
        x, y = grid.positions(x), grid.positions(y)
        estimates = pair_estimates(x, y, *pairs.all_pairs(x.size), grid.heights)
        known = pairs.clip_and_place_ties(np.sort(estimates, axis=1), *grid.range)
        for places in ([0, 1, 2, 3, 4], [3], [4, 0]):
            found = sorted_lists(x, y, grid, places)
            np.testing.assert_array_equal(found, pairs.with_ends(known[places], *grid.range), err_msg=kind)


def test_wide_ranges_have_more_steps_than_short_integers_hold():
    grid = PublicGrid(-3000.0, 3000.0, np.array([0.5]))
    assert grid.last - grid.first > 2**31


def test_a_list_that_were_cut_off_downwards_would_be_noticed():
    """The estimate counts as the grid point at or above it: 1/3 of a step below the upper end is the upper end."""
    grid = PublicGrid(0.0, 1.0, np.array([0.0]))
    x, y = grid.positions([0.25, 1.0, 1.0]), grid.positions([1.0, 1.0, 1.0])
    y[1] += 1  # a line through y = 1 at x = 1/4 that falls by 1/3 of a step on its way back to 0
    np.testing.assert_array_equal(sorted_lists(x, y, grid, [0])[0], [0, 0, 1, 1, 1])


@pytest.mark.parametrize("range_of", RANGES)
@pytest.mark.parametrize("n", [3, 24, 25])
def test_lists_of_a_neighbour_are_those_formed_anew(n, range_of):
    grid, rng = PublicGrid(*range_of, np.array([0.25, 0.5])), np.random.default_rng(n)
    for x, y in [*nasty(n).values(), *awkward(n).values()]:
        before = grid.positions(x), grid.positions(y)
        lists = sorted_lists(*before, grid, [0, 1])
        for record, new in ((0, (0.5, 0.5)), (x.size - 1, (x[0], y[0])), (1, (0.0, 1.0)), (1, tuple(rng.random(2)))):
            after = tuple(column.copy() for column in before)
            after[0][record], after[1][record] = grid.positions(new)
            replaced = replaced_lists(lists, before, after, record, grid)
            np.testing.assert_array_equal(replaced, sorted_lists(*after, grid, [0, 1]))


# ---------------------------------------------------------------- sorted estimates of trials, against sorted lists


RNG = np.random.default_rng(4)
ROWS = {
    "odd": RNG.normal(size=(3, 201)),
    "even": RNG.normal(size=(3, 200)),
    "two values": RNG.integers(0, 2, (3, 200)) * 1.0,
    "with NaN": np.where(RNG.random((3, 200)) < 0.1, np.nan, RNG.normal(size=(3, 200))),
    "nothing but NaN": np.full((2, 200), np.nan),
    "more axes": RNG.normal(size=(2, 3, 11)),
    "one row": RNG.normal(size=200),
}


@pytest.mark.filterwarnings("ignore:All-NaN slice")  # of numpy's nanmedian, which is compared with
@pytest.mark.parametrize("name", ROWS)
def test_middles_and_medians_are_those_of_the_sorted_list(name):
    rows, z = ROWS[name], pairs.clip_and_place_ties(ROWS[name], -0.5, 0.75)
    estimates = SortedEstimates.of_rows(rows)
    for reach in (2, 70, 0, 1 << 20):
        skip = max(z.shape[-1] // 2 - reach, 0)
        np.testing.assert_array_equal(estimates.around(reach, -0.5, 0.75), z[..., skip : z.shape[-1] - skip])
    np.testing.assert_array_equal(estimates.medians(), np.nanmedian(rows, axis=-1))


@pytest.mark.filterwarnings("ignore:All-NaN slice")  # of numpy's nanmedian, which is compared with
@given(st.lists(st.one_of(st.none(), st.floats(-5, 5), st.sampled_from([0.0, 1.0])), min_size=1, max_size=12))
def test_medians_of_short_lists_with_pairs_without_a_slope(found):
    row = np.array([np.nan if value is None else value for value in found])
    np.testing.assert_array_equal(SortedEstimates.of_rows(row).medians(), np.nanmedian(row))


@pytest.mark.parametrize("sizes", [(6,), (3, 2, 1)])
@pytest.mark.parametrize("ends", [(-0.5, 1.5), (-5000.0, 5000.0)])
def test_matched_lists_are_matched_estimates_in_order(sizes, ends):
    """On the grid as whole numbers, of lines as they are; some records share an x, and some nearly."""
    x, y = np.random.default_rng(2).random((2, 21)).round(2)
    x[3:7], y[3:7] = 0.5 + 2e-6 * np.arange(4), (0.0, 1.0, 0.0, 1.0)
    grid = PublicGrid(*ends, np.array([0.25, 0.75]))
    on_grid = grid.positions(x), grid.positions(y), 4
    plain = x, y, 4
    lines = partial(pairs.lines_through, at=grid.at)
    for arguments, function, unit in ((on_grid, grid.estimates, grid.spacing), (plain, lines, None)):
        lists = matched_lists(*arguments, sizes, function, np.random.default_rng(3), unit)
        rng = np.random.default_rng(3)
        drawn = [pairs.matched_estimates(*arguments, size, function, rng) for size in sizes]
        expected = np.concatenate(drawn, axis=1) * (unit or 1.0)
        assert lists.z.shape == (2, 6, 40) and lists.sizes == sizes and lists.z.dtype.kind == ("i" if unit else "f")
        np.testing.assert_array_equal(lists.around(40, *ends), pairs.clip_and_place_ties(expected, *ends))
        np.testing.assert_array_equal(lists.medians(), np.nanmedian(expected, axis=-1))


@pytest.mark.parametrize("reaches", [(3, 599, 600, 601, 1_100, 4_400), (700, 3, 2_000, 9_001), (5_000, 3), ()])
def test_long_rows_are_in_order_wherever_they_are_asked_for(reaches):
    rows = np.where(RNG.random((2, 9_001)) < 0.01, np.nan, RNG.normal(size=(2, 9_001)))
    z, estimates = pairs.clip_and_place_ties(rows, -9, 9), SortedEstimates.of_rows(rows)
    for reach in reaches:
        skip = max(4_500 - reach, 0)
        np.testing.assert_array_equal(estimates.around(reach, -9, 9), z[:, skip : 9_001 - skip])
    np.testing.assert_array_equal(estimates.medians(), np.nanmedian(rows, axis=-1))
