"""Rank queries against literal counts: exact rational arithmetic for few records, the sorted list for many."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pair_cases import direct_list, nasty, on_grid, synthetic

from dpslr_core.pairs.ranks import PairRanks, median_of_pairs

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
@settings(max_examples=400, deadline=None)
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
@settings(max_examples=300, deadline=None)
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
