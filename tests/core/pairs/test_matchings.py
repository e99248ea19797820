"""Matchings of the complete graph and the estimates of pairs, against the circle method played out."""

from collections import Counter
from functools import partial
from itertools import combinations

import numpy as np
import pytest
import reference
from cases import DATASETS
from hypothesis import given
from hypothesis import strategies as st
from pair_cases import random_matchings
from scipy import stats

from dpslr_core import pairs

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
    np.testing.assert_array_equal(found, pairs.estimates(x, y, *random_matchings(n, k, 9, same), lines))
    assert rng.random() == same.random()


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.parametrize("point", [0.25, 0.75, 0.0, 3.0])
def test_estimates_are_the_lines_through_pairs(name, point):
    data = DATASETS[name]
    found = pairs.estimates(data.x, data.y, *pairs.all_pairs(data.n), partial(pairs.lines_through, at=point))[0]
    expected = reference.pairwise_estimates(data.x.tolist(), data.y.tolist(), point)
    np.testing.assert_allclose(
        found, [np.nan if value is None else value for value in expected], rtol=1e-12, atol=1e-12
    )


def test_estimates_do_not_care_which_end_comes_first():
    rng = np.random.default_rng(2)
    x, y = rng.random(40), rng.random(40)
    first, second = pairs.all_pairs(40)
    lines = partial(pairs.lines_through, at=[0.25, 0.9])
    forth, back = (pairs.estimates(x, y, *ends, lines) for ends in ((first, second), (second, first)))
    np.testing.assert_array_equal(forth, back)


def test_estimates_of_the_steepest_line_are_finite():
    x, y = np.array([0.0, 5e-324, 1.0]), np.array([0.0, 1.0, 0.5])
    assert np.isfinite(
        pairs.estimates(x, y, *pairs.all_pairs(3), partial(pairs.lines_through, at=[0.0, 0.25, 1e5]))
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
