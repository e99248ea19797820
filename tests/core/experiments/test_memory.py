"""Megabytes never fall with more of anything, and tell what a server can do from what it cannot."""

from __future__ import annotations

from itertools import pairwise

import pytest

from dpslr_core.experiments.memory import megabytes
from dpslr_core.mechanisms import MECHANISMS


def rising(values):
    return all(low <= high for low, high in pairwise(values))


@pytest.mark.parametrize("algorithm", MECHANISMS, ids=lambda algorithm: algorithm.__name__)
def test_megabytes_never_fall_with_records_and_points(algorithm):
    for numbers in (
        (3, 30, 100, 1000, 1499),
        (1500, 3000, 100_000, 1_000_000),
    ):  # from 1,500 on ranks serve for lists
        assert rising(megabytes([algorithm()], n, 2) for n in numbers)
    assert rising(megabytes([algorithm()], 500, points) for points in range(1, 9))
