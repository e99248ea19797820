"""Scores of lines: the definition, exact sensitivity, and bounds that hold for every line of a block."""

from itertools import product

import numpy as np
import pytest

from dpslr_core import Dataset
from dpslr_core.depth import DepthScores, LineGrid
from tests.audit.suite import KINDS
from tests.cases.inputs import DATASETS, simulated
from tests.reference import depth as depth_reference

D0 = simulated(250)
GRID = LineGrid(8, -0.5, 1.5)


def all_scores(data, c, grid=GRID):
    return (
        DepthScores(data.x, data.y, c, grid)
        .of_cells(np.arange(grid.side**2))
        .reshape(grid.side, grid.side)
    )


def test_depth_scores_equal_the_definition_in_rational_numbers():
    """In rational numbers: residuals that are 0 on paper count as 0."""
    for (name, data), c in product(DATASETS.items(), [0.0, 1e-9, 0.1, 0.7]):
        expected = depth_reference.scores(data.x, data.y, c, 8, -0.5, 1.5)
        slack = 1e-9 if c != 1e-9 else 1e-3
        np.testing.assert_allclose(
            all_scores(data, c), expected, rtol=0, atol=slack, err_msg=f"{name} {c}"
        )


def test_the_order_of_the_records_changes_no_bit():
    order = np.random.default_rng(1).permutation(D0.n)
    for c in (0.0, 0.03, 0.1):
        np.testing.assert_array_equal(
            all_scores(D0, c), all_scores(Dataset(D0.x[order], D0.y[order]), c)
        )


@pytest.mark.parametrize("c", [0.0, 1e-10, 0.013, 0.1, 3.0])
@pytest.mark.parametrize(
    "grid", [GRID, LineGrid(9, 0.1, 0.3), LineGrid(5, -1e6, 3e5), LineGrid(7, -0.5, 1.5)], ids=str
)
def test_one_record_moves_no_score_by_more_than_two(c, grid):
    """In floating-point numbers, without any tolerance: shared values, constants, outliers, n = 3."""
    rng, moved = np.random.default_rng(5), []
    for n in (3, 4, 11, 60):
        for make in KINDS.values():
            x, y = make(n, rng)
            other = x.copy(), y.copy()
            row = rng.integers(n)
            for column in other:
                column[row] = rng.choice([0.0, 1.0, 0.5, rng.random(), column[0]])
            moved.append(
                np.abs(
                    all_scores(Dataset(x, y), c, grid) - all_scores(Dataset(*other), c, grid)
                ).max()
            )
    assert max(moved) <= 2
    if grid == GRID:
        assert max(moved) == pytest.approx(2 if c < 1 else 1.0, abs=0.7 if c > 1 else 1e-9)
