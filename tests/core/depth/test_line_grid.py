"""The grid of lines, and blocks that are divided until they are cells."""

import pytest

from dpslr_core.depth import LineGrid


@pytest.mark.parametrize(
    ("lower", "upper"), [(-1e308, 1e308), (0.0, 1e10), (0.3, 0.3 + 1e-12), (1e8, 1e8 + 1e-3)]
)
def test_ranges_without_floats_for_their_cells_are_refused(lower, upper):
    with pytest.raises(ValueError, match=r"^lower and upper must be"):
        LineGrid(400, lower, upper)
