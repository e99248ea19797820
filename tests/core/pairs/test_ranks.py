"""Rank queries against literal counts: exact rational arithmetic for few records, the sorted list for many."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


def test_counts_agree_with_the_sorted_list():
    for n, at in ((301, 0.25), (1000, 0.75), (1000, -0.3)):
        x, y = synthetic(n, n)
        z, ranks = direct_list(x, y, at), PairRanks(x, y, at)
        values = np.quantile(z, [0.001, 0.2, 0.5, 0.9, 0.999]) + 1e-9
        values = values[np.min(np.abs(z[:, None] - values), axis=0) > 1e-12]
        expected = [(int(np.sum(z < r)), 0, int(np.sum(z > r))) for r in values]
        for near in (ranks, ranks.central, *(ranks.near(r) for r in (-5.0, 0.3, 5.0))):
            assert [near.counts(r) for r in values] == expected, (n, at)


def test_a_tiny_distance_from_the_point_does_not_overflow():
    x, y = np.array([0.0, 5e-324, 1e-310, 0.5, 1.0]), np.array([0.1, 0.9, 0.3, 0.2, 0.7])
    with np.errstate(all="raise", under="ignore"):
        below, equal, above = PairRanks(x, y, 0.0).counts(0.123)
    found = literal_estimates(x, y, 0.0)
    assert (below, equal, above) == literal_counts(found, 0.123)


@pytest.mark.filterwarnings("ignore:All-NaN slice")  # of numpy's nanmedian, which is compared with
def test_median_of_pairs_is_that_of_the_list():
    for (n, seed), at in product(((60, 0), (9, 1), (400, 2)), [0.5, 0.25]):
        for name, (x, y) in nasty(n, seed).items():
            expected = pytest.approx(np.nanmedian(direct_list(x, y, at)), abs=2e-12, nan_ok=True)
            assert median_of_pairs(PairRanks(x, y, at)) == expected, (name, n, at)
    x, y = np.array([0.5, 0.5 + 1e-9, 0.5 - 1e-9, 0.5 + 2e-9]), np.array([0.0, 1.0, 0.1, 0.3])  # far off
    expected = np.nanmedian(direct_list(x, y, 0.0))
    assert median_of_pairs(PairRanks(x, y, 0.0)) == pytest.approx(expected, rel=1e-12)


def test_what_is_listed_for_one_range_serves_others():
    """Inside it, on both sides of it, apart from it."""
    for records in nasty().values():
        _, ranks, z = on_grid(*records, 0.5)
        z = z * 2.0**24
        for low, high in ((0.4, 0.6), (0.45, 0.5), (0.3, 0.55), (0.2, 0.7), (0.9, 1.0), (0.0, 1.2), (0.5, 0.5)):
            ends = np.rint(np.array([low, high]) * 2**24)
            expected = z[(z > ends[0]) & (z <= ends[1])]
            np.testing.assert_array_equal(ranks.sorted_between(*ends), expected)
            assert sum(part.size for part in ranks.between(*ends)) == expected.size


# ---------------------------------------------------------------- sorting whole numbers, and inversions against all pa


RNG = np.random.default_rng(6)
VALUES = {
    "whole": np.ceil(RNG.normal(0, 1e6, 500)),
    "close": RNG.integers(-150, 100, 500).astype(float),
    "not whole": RNG.normal(size=500),
    "infinite": np.append(np.ceil(RNG.normal(0, 1e6, 50)), [np.inf, -np.inf]),
    "at the limit": np.array([2.0**31, 5.0, -(2.0**31), 2.0**31 - 1]),
    "none": np.empty(0),
}


def test_whole_numbers_are_sorted_as_others_are():
    for name, values in VALUES.items():
        np.testing.assert_array_equal(sort_whole(values.copy()), np.sort(values), err_msg=name)


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


def test_positions_are_those_of_the_list():
    for name, bounds, at in product(nasty(), BOUNDS, [0.5, 0.25]):
        counts, z = counts_and_list(*nasty()[name], at, bounds)
        for number in np.random.default_rng(1).integers(z.size, size=6).tolist():
            case = name, bounds, at, number
            assert counts.position(number) == z[number], case
            assert counts.up_to(z[number]) == np.searchsorted(z, z[number], side="right"), case
            low, high = counts.bracket(number, 1000)
            assert low <= z[number] <= high <= low + 1000, case


def test_queries_and_lists_say_the_truth():
    for name, bounds, most in product(nasty(), BOUNDS, [10**6, 64]):
        counts, z = counts_and_list(*nasty()[name], bounds=bounds)
        assert_true(counts, z)
        counts.split(np.random.default_rng(2).integers(counts.cells, size=9))
        assert_true(counts, z)
        unknown = np.flatnonzero(counts.low < counts.high)
        if unknown.size:
            counts.resolve(unknown[0], unknown[-1] + 1, most)
            assert_true(counts, z)
            assert most == 64 or np.array_equal(counts.low, counts.high), (name, bounds)
        assert not counts.split(counts.edges[:-1][counts.low == counts.high])


def test_between_lists_what_stands_strictly_between():
    counts, z = counts_and_list(*nasty()["grid of 1/20"])
    low, high = z[300], z[1200]
    listed = np.sort(np.concatenate(list(counts.between(low, high))))
    np.testing.assert_array_equal(listed, z[(z > low) & (z < high)])
    assert not list(counts.between(low, low + 1))


def test_few_queries_find_an_entry_of_many_also_where_many_pairs_share_it():
    counts, z = counts_and_list(*synthetic(2000, 8), 0.25)
    middle = (z.size + 1) // 2 - 1
    assert counts.position(middle) == z[middle] and counts.queries < 15
    for name in ("one estimate", "two x", "constant x"):
        counts, z = counts_and_list(*nasty(1200)[name], at=0.25)
        assert counts.position(z.size // 2) == z[z.size // 2] and counts.queries < 20
