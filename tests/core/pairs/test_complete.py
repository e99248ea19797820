"""All pairs by cyclic shifts, compared with index arrays."""

from functools import partial

import numpy as np
import pytest
from pair_cases import awkward, nasty

from dpslr_core import pairs
from dpslr_core.pairs import matchings
from dpslr_core.pairs.grid import PublicGrid
from dpslr_core.pairs.matchings import ShiftedPairs, every_estimate, replaced_lists, sorted_lists

RANGES = [(-0.5, 1.5), (0.0, 1.0), (0.4, 0.45), (-3.0, 0.2), (-500.0, 400.0), (-3000.0, 3000.0)]


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 17, 40, 41])
@pytest.mark.parametrize("block", [1, 100, 1 << 14])
def test_every_pair_comes_once_in_its_place(n, block, monkeypatch):
    monkeypatch.setattr(matchings, "_BLOCK", block)
    labels, met = np.arange(float(n)), []
    for place, ((first, second),) in ShiftedPairs(n).blocks(labels):
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
            by_index = pairs.estimates(x, y, *pairs.all_pairs(x.size), lines)
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
        estimates = pairs.estimates(x, y, *pairs.all_pairs(x.size), grid.heights)
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
