"""Rank queries against literal counts: exact rational arithmetic for few records, the sorted list for many."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpslr_core.laws import medians
from dpslr_core.pairs.matchings import tied_pairs
from dpslr_core.pairs.ranks import CellCounts, PairRanks, crossings, inversions, median_of_pairs, sort_whole
from tests.cases.pairs import direct_list, nasty, on_grid, synthetic

GRIDS = (2, 4, 8, 16)


def literal_estimates(x, y, at):
    """Every pairwise estimate as a fraction, from the definition."""
    found = []
    for i, j in combinations(range(len(x)), 2):
        if x[i] != x[j]:
            x_i, y_i = Fraction(x[i]), Fraction(y[i])
            slope = (Fraction(y[j]) - y_i) / (Fraction(x[j]) - x_i)
            found.append(y_i + slope * (Fraction(at) - x_i))
    return found


def literal_counts(found, r):
    r = Fraction(r)
    return sum(z < r for z in found), sum(z == r for z in found), sum(z > r for z in found)


@st.composite
def on_a_grid(draw):
    """Records, a point and values that are all exact in binary, with many ties."""
    grid = draw(st.sampled_from(GRIDS))
    n = draw(st.integers(2, 12))
    coordinates = st.lists(st.integers(0, grid), min_size=n, max_size=n)
    x, y = np.array(draw(coordinates)) / grid, np.array(draw(coordinates)) / grid
    at = draw(st.integers(-1, 9)) / 8
    values = draw(st.lists(st.integers(-48, 48), min_size=1, max_size=6))
    return x, y, at, [value / 16 for value in values]


@given(on_a_grid(), st.booleans())
@settings(max_examples=100, deadline=None)
def test_counts_are_literal(data, referred):
    x, y, at, values = data
    found = literal_estimates(x, y, at)
    ranks = PairRanks(x, y, at)
    assert (ranks.pairs, ranks.tied) == (len(found), len(x) * (len(x) - 1) // 2 - len(found))
    values += [float(z) for z in found[:4] if Fraction(float(z)) == z]  # hit some estimates on the head
    if referred:
        ranks.near(values[0])
    for r in values:
        assert ranks.counts(r) == ranks.central.counts(r) == literal_counts(found, r)


@given(on_a_grid())
@settings(max_examples=100, deadline=None)
def test_between_is_literal(data):
    x, y, at, values = data
    low, high = min(values), max(values) + 0.125
    inside = sorted(float(z) for z in literal_estimates(x, y, at) if Fraction(low) < z <= Fraction(high))
    found = np.sort(np.concatenate([np.empty(0), *PairRanks(x, y, at).between(low, high)]))
    np.testing.assert_allclose(found, inside, rtol=0, atol=1e-15)


@pytest.mark.parametrize("n", [301, 1000])
@pytest.mark.parametrize("at", [0.25, 0.75, 0.0, -0.3])
def test_counts_agree_with_the_sorted_list(n, at):
    x, y = synthetic(n, n)
    z = direct_list(x, y, at)
    values = np.quantile(z, [0.001, 0.2, 0.49, 0.5, 0.51, 0.9, 0.999]) + 1e-9
    values = values[np.min(np.abs(z[:, None] - values), axis=0) > 1e-12]
    ranks = PairRanks(x, y, at)
    expected = [(int(np.sum(z < r)), 0, int(np.sum(z > r))) for r in values]
    assert [ranks.central.counts(r) for r in values] == expected
    assert [ranks.counts(r) for r in values] == expected
    for reference in (-5.0, 0.3, 5.0):
        ranks.near(reference)
        assert [ranks.counts(r) for r in values] == expected


def test_between_agrees_with_the_sorted_list_bit_for_bit():
    x, y = synthetic(1200, 5)
    z = direct_list(x, y, 0.25)
    found = np.sort(np.concatenate(list(PairRanks(x, y, 0.25).between(0.28, 0.41))))
    np.testing.assert_array_equal(found, z[(z > 0.28) & (z <= 0.41)])


def test_a_tiny_distance_from_the_point_does_not_overflow():
    x, y = np.array([0.0, 5e-324, 1e-310, 0.5, 1.0]), np.array([0.1, 0.9, 0.3, 0.2, 0.7])
    with np.errstate(all="raise", under="ignore"):
        below, equal, above = PairRanks(x, y, 0.0).counts(0.123)
    found = literal_estimates(x, y, 0.0)
    assert (below, equal, above) == literal_counts(found, 0.123)


@pytest.mark.filterwarnings("ignore:All-NaN slice")  # of numpy's nanmedian, which is compared with
@pytest.mark.parametrize("name", nasty())
@pytest.mark.parametrize("at", [0.5, 0.25, 1.0])
def test_median_of_pairs_is_that_of_the_list(name, at):
    for x, y in (nasty()[name], nasty(9, 1)[name], nasty(400, 2)[name]):
        expected = np.nanmedian(direct_list(x, y, at))
        assert median_of_pairs(PairRanks(x, y, at)) == pytest.approx(expected, abs=2e-12, nan_ok=True)


def test_median_of_pairs_is_found_however_far_off():
    x, y = np.array([0.5, 0.5 + 1e-9, 0.5 - 1e-9, 0.5 + 2e-9]), np.array([0.0, 1.0, 0.1, 0.3])
    expected = np.nanmedian(direct_list(x, y, 0.0))
    assert median_of_pairs(PairRanks(x, y, 0.0)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", nasty())
def test_what_is_listed_for_one_range_serves_others(name):
    """Inside it, on both sides of it, apart from it."""
    _, ranks, z = on_grid(*nasty()[name], 0.5)
    z = z * 2.0**24
    for low, high in ((0.4, 0.6), (0.45, 0.5), (0.3, 0.55), (0.2, 0.7), (0.9, 1.0), (0.0, 1.2), (0.5, 0.5)):
        ends = np.rint(np.array([low, high]) * 2**24)
        expected = np.sort(np.concatenate([np.empty(0), *ranks.between(*ends)]))
        np.testing.assert_array_equal(ranks.sorted_between(*ends), expected)
        np.testing.assert_array_equal(expected, z[(z > ends[0]) & (z <= ends[1])])


# ---------------------------------------------------------------- sorting whole numbers, and inversions against all pa


RNG = np.random.default_rng(6)
VALUES = {
    "whole": np.ceil(RNG.normal(0, 1e6, 500)),
    "close": RNG.integers(-150, 100, 500).astype(float),
    "in order": np.arange(50.0),
    "too large": np.ceil(RNG.normal(0, 1e10, 500)),
    "not whole": RNG.normal(size=500),
    "infinite": np.append(np.ceil(RNG.normal(0, 1e6, 50)), [np.inf, -np.inf]),
    "at the limit": np.array([2.0**31, 5.0, -(2.0**31), 2.0**31 - 1]),
    "one": np.array([3.0]),
    "none": np.empty(0),
}


@pytest.mark.parametrize("name", VALUES)
def test_whole_numbers_are_sorted_as_others_are(name):
    np.testing.assert_array_equal(sort_whole(VALUES[name].copy()), np.sort(VALUES[name]))


def test_inversions_are_those_of_all_pairs():
    order = RNG.permutation(60)
    expected = {(i, j) for i in range(60) for j in range(i + 1, 60) if order[i] > order[j]}
    listed = [pair for part in crossings(order) for pair in zip(*(end.tolist() for end in part), strict=True)]
    assert len(listed) == len(expected) == inversions(order.astype(float), 0) and set(listed) == expected
    assert tied_pairs(np.array([1, 1, 1, 2, 3, 3])) == 4


# ---------------------------------------------------------------- counts by cells of the public grid against the sorte


BOUNDS = [(-0.5, 1.5), (0.4137, 0.5213), (0.9137, 2.0), (-2.0, 0.0713)]


def counts_and_list(x, y, at=0.5, bounds=(-0.5, 1.5)):
    """Fresh counts, and the sorted estimates as positions counted from the lower end."""
    grid, ranks, z = on_grid(x, y, at, *bounds)
    return CellCounts(ranks.central, grid.first, grid.last), (z / grid.spacing - grid.first).astype(int)


def assert_true(counts, z):
    """Every stretch says what the list says of its first and last cell, and its low is the count of the cell before."""
    first, last = counts.edges[:-1], counts.edges[1:] - 1
    assert np.all(first <= last) and counts.edges[0] == 0 and counts.edges[-1] == counts.cells
    at_first, at_last = (np.searchsorted(z, cells, side="right") for cells in (first, last))
    assert np.all(counts.low <= at_first) and np.all(at_last <= counts.high)
    unknown = counts.low < counts.high
    assert np.array_equal(counts.low[unknown], np.searchsorted(z, first[unknown] - 1, side="right"))


@pytest.mark.parametrize("name", nasty())
@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize("at", [0.5, 0.25])
def test_positions_are_those_of_the_list(name, bounds, at):
    counts, z = counts_and_list(*nasty()[name], at, bounds)
    for number in np.random.default_rng(1).integers(z.size, size=6).tolist():
        assert counts.position(number) == z[number]
        assert counts.up_to(z[number]) == np.searchsorted(z, z[number], side="right")
        low, high = counts.bracket(number, 1000)
        assert low <= z[number] <= high <= low + 1000


@pytest.mark.parametrize("name", nasty())
@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize("most", [10**6, 64])
def test_queries_and_lists_say_the_truth(name, bounds, most):
    counts, z = counts_and_list(*nasty()[name], bounds=bounds)
    assert_true(counts, z)
    counts.split(np.random.default_rng(2).integers(counts.cells, size=9))
    assert_true(counts, z)
    unknown = np.flatnonzero(counts.low < counts.high)
    if unknown.size:
        counts.resolve(unknown[0], unknown[-1] + 1, most)
        assert_true(counts, z)
        assert most == 64 or np.array_equal(counts.low, counts.high)
    assert not counts.split(counts.edges[:-1][counts.low == counts.high])


def test_between_lists_what_stands_strictly_between():
    counts, z = counts_and_list(*nasty()["grid of 1/20"])
    low, high = z[300], z[1200]
    listed = np.sort(np.concatenate(list(counts.between(low, high))))
    np.testing.assert_array_equal(listed, z[(z > low) & (z < high)])
    assert not list(counts.between(low, low + 1))


def test_few_queries_find_an_entry_of_many():
    x, y = synthetic(2000, 8)
    counts, z = counts_and_list(x, y, 0.25)
    middle = (z.size + 1) // 2 - 1
    assert counts.position(middle) == medians.lower_median(z) and counts.queries < 15


@pytest.mark.parametrize("name", ["one estimate", "two x", "constant x"])
def test_a_value_that_many_pairs_share_is_found_at_once(name):
    counts, z = counts_and_list(*nasty(1200)[name], at=0.25)
    assert counts.position(z.size // 2) == z[z.size // 2] and counts.queries < 20
