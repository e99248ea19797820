"""Sorting whole numbers, and inversions against all pairs."""

import numpy as np
import pytest

from dpslr_core.pairs.ranks import crossings, inversions, sort_whole, tied_pairs

RNG = np.random.default_rng(6)
VALUES = {
    "whole": np.ceil(RNG.normal(0, 1e6, 500)),
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
