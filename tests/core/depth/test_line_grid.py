"""The grid of lines, and blocks that are divided until they are cells."""

import numpy as np
import pytest

from dpslr_core.depth import Blocks, LineGrid


def numbers(blocks):
    """The cells of each block."""
    return [
        [i * blocks.side + j for i in range(first, last + 1) for j in range(left, right + 1)]
        for first, last, left, right in blocks.ends.T.tolist()
    ]


@pytest.mark.parametrize(("side", "parts"), [(2, 2), (16, 5), (17, 2), (33, 2), (81, 5), (90, 5)])
def test_blocks_of_each_size_are_parts_of_those_before_and_cover_every_cell_once(side, parts):
    grid = LineGrid(side, -0.5, 1.5)
    factors = grid.factors(parts)
    blocks = grid.blocks(factors[0])
    assert factors[-1] == 1 and blocks.across <= 16 and set(np.divide(factors[:-1], factors[1:])) <= {parts}
    for factor in factors[1:]:
        which, divided = blocks.divided(factor)
        wholes = [set(cells) for cells in numbers(blocks)]
        assert all(set(cells) <= wholes[i] for i, cells in zip(which.tolist(), numbers(divided), strict=True))
        assert (np.diff(which) >= 0).all() and divided.factor == factor
        blocks = divided
        assert sorted(cell for cells in numbers(blocks) for cell in cells) == list(range(side**2))
        assert blocks.sizes.tolist() == [len(cells) for cells in numbers(blocks)]


def test_the_last_blocks_of_a_line_are_narrower():
    blocks = LineGrid(7, -0.5, 1.5).blocks(3).take(np.array([2, 4, 8]))
    assert blocks.places.tolist() == [[0, 1, 2], [2, 1, 2]] and blocks.across == 3
    assert blocks.ends.tolist() == [[0, 3, 6], [2, 5, 6], [6, 3, 6], [6, 5, 6]]
    assert blocks.widths(blocks.places).tolist() == [[3, 3, 1], [1, 3, 1]] and blocks.sizes.tolist() == [3, 9, 1]
    which, cells = blocks.divided(1)
    assert which.tolist() == [0] * 3 + [1] * 9 + [2] and cells.numbers.tolist()[:4] == [6, 13, 20, 24]


def test_cells_are_numbered_row_by_row():
    assert numbers(Blocks(4, 1, np.array([0, 5, 11]))) == [[0], [5], [11]]


def test_edges_and_cell():
    grid = LineGrid(4, -0.5, 1.5)
    assert grid.cell == 0.5 and grid.edges.tolist() == [-0.5, 0.0, 0.5, 1.0, 1.5]


@pytest.mark.parametrize(("lower", "upper"), [(-1e308, 1e308), (0.0, 1e10), (0.3, 0.3 + 1e-12), (1e8, 1e8 + 1e-3)])
def test_ranges_without_floats_for_their_cells_are_refused(lower, upper):
    with pytest.raises(ValueError, match=r"^lower and upper must be"):
        LineGrid(400, lower, upper)
