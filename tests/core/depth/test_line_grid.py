"""The grid of lines, and blocks that are halved until they are cells."""

import numpy as np
import pytest

from dpslr_core.depth import Blocks, LineGrid


@pytest.mark.parametrize("side", [2, 3, 7, 16, 25])
def test_halving_covers_every_cell_once(side):
    grid = LineGrid(side, -0.5, 1.5)
    blocks, cells = grid.whole(), []
    while len(blocks):
        assert blocks.sizes.sum() + sum(map(len, cells)) == side**2
        cells.append(blocks.take(blocks.sizes == 1))
        blocks = blocks.take(blocks.sizes > 1).halved()
    ends = np.concatenate([each.ends for each in cells], axis=1)
    assert sorted((ends[0] * side + ends[2]).tolist()) == list(range(side**2))


@pytest.mark.parametrize("side", [2, 3, 16, 25, 400])
def test_the_search_starts_with_blocks_that_cover_every_cell_once(side):
    blocks = LineGrid(side, -0.5, 1.5).coarse()
    assert len(blocks) <= 256 and np.ptp(blocks.sides) <= 1
    assert sorted(numbers(blocks.in_cells(), side)) == list(range(side**2))


def test_blocks_in_cells_and_along_either_axis():
    blocks = Blocks(np.array([[0, 3], [1, 3], [1, 0], [3, 1]]))
    assert numbers(blocks.in_cells(), 4) == [1, 2, 3, 5, 6, 7, 12, 13]
    assert [part.tolist() for part in blocks.along(0)] == [[0, 0, 1], [0, 1, 3]]
    assert [part.tolist() for part in blocks.along(1)] == [[0, 0, 0, 1, 1], [1, 2, 3, 0, 1]]


def numbers(cells, side):
    assert (cells.sizes == 1).all()
    return (cells.ends[0] * side + cells.ends[2]).tolist()


def test_cells_are_numbered_row_by_row():
    blocks = Blocks.of_cells(np.array([0, 5, 11]), 4)
    assert blocks.ends.tolist() == [[0, 1, 2], [0, 1, 2], [0, 1, 3], [0, 1, 3]]
    assert blocks.sides.tolist() == [[1, 1, 1], [1, 1, 1]] and blocks.sizes.tolist() == [1, 1, 1]


def test_edges_and_cell():
    grid = LineGrid(4, -0.5, 1.5)
    assert grid.cell == 0.5 and grid.edges.tolist() == [-0.5, 0.0, 0.5, 1.0, 1.5]


@pytest.mark.parametrize(("lower", "upper"), [(-1e308, 1e308), (0.0, 1e10), (0.3, 0.3 + 1e-12), (1e8, 1e8 + 1e-3)])
def test_ranges_without_floats_for_their_cells_are_refused(lower, upper):
    with pytest.raises(ValueError, match=r"^lower and upper must be"):
        LineGrid(400, lower, upper)
