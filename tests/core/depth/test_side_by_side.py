"""Scans over several data sets: the scores of the definition, whatever is scanned together."""

import numpy as np
import pytest

from dpslr_core.depth import Blocks, DepthScores, LineGrid, side_by_side

GRID = LineGrid(40, -0.5, 1.5)


@pytest.mark.parametrize("held", [100, 90_000])
@pytest.mark.parametrize("c", [0.0, 0.1])
def test_bounds_are_those_of_each_data_set_alone(c, held, monkeypatch):
    monkeypatch.setattr(side_by_side, "_HELD", held)
    monkeypatch.setattr(side_by_side, "_FEWEST", 50)
    rng, every, ends = np.random.default_rng(1), [], []
    for n in (3, 17, 40, 60):
        every.append(DepthScores(np.round(rng.random(n), 1 if n % 2 else 3), rng.random(n), c, GRID))
    for blocks in (GRID.cells(), GRID.coarse(), Blocks(np.empty((4, 0), dtype=int)), GRID.whole()):
        ends.append(blocks.ends)
    found = side_by_side.bounds_side_by_side([scores.records for scores in every], ends)
    for scores, blocks, bounds in zip(every, ends, found, strict=True):
        np.testing.assert_array_equal(bounds, np.array(scores._computed(Blocks(blocks))))
