"""Rank queries against literal counts: exact rational arithmetic for few records, the sorted list for many."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpslr_core.pairs.ranks import PairRanks, median_of_pairs
from tests.cases.pairs import direct_list, nasty, on_grid
from tests.reference import paper as reference

GRIDS = (2, 4, 8, 16)


def literal_estimates(x, y, at):
    """Every pairwise estimate as a fraction, from the definition."""
    exact = map(Fraction, x), map(Fraction, y), Fraction(at)
    return [value for value in reference.pairwise_estimates(*exact) if value is not None]


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
    values += [
        float(z) for z in found[:4] if Fraction(float(z)) == z
    ]  # hit some estimates on the head
    if referred:
        ranks.near(values[0])
    for r in values:
        assert ranks.counts(r) == ranks.central.counts(r) == literal_counts(found, r)


@given(on_a_grid())
@settings(max_examples=100, deadline=None)
def test_between_is_literal(data):
    x, y, at, values = data
    low, high = min(values), max(values) + 0.125
    inside = sorted(
        float(z) for z in literal_estimates(x, y, at) if Fraction(low) < z <= Fraction(high)
    )
    found = np.sort(np.concatenate([np.empty(0), *PairRanks(x, y, at).between(low, high)]))
    np.testing.assert_allclose(found, inside, rtol=0, atol=1e-15)


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
    x, y = (
        np.array([0.5, 0.5 + 1e-9, 0.5 - 1e-9, 0.5 + 2e-9]),
        np.array([0.0, 1.0, 0.1, 0.3]),
    )  # far off
    expected = np.nanmedian(direct_list(x, y, 0.0))
    assert median_of_pairs(PairRanks(x, y, 0.0)) == pytest.approx(expected, rel=1e-12)


def test_what_is_listed_for_one_range_serves_others():
    """Inside it, on both sides of it, apart from it."""
    for records in nasty().values():
        _, ranks, z = on_grid(*records, 0.5)
        z = z * 2.0**24
        for low, high in (
            (0.4, 0.6),
            (0.45, 0.5),
            (0.3, 0.55),
            (0.2, 0.7),
            (0.9, 1.0),
            (0.0, 1.2),
            (0.5, 0.5),
        ):
            ends = np.rint(np.array([low, high]) * 2**24)
            expected = z[(z > ends[0]) & (z <= ends[1])]
            np.testing.assert_array_equal(ranks.sorted_between(*ends), expected)
            assert sum(part.size for part in ranks.between(*ends)) == expected.size
