"""Counts by cells of the public grid against the sorted list on the same grid: every number is the same."""

import numpy as np
import pytest
from pair_cases import nasty, on_grid, synthetic

from dpslr_core.laws import medians
from dpslr_core.pairs.ranks import CellCounts

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
