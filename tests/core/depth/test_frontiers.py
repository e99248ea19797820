"""Lines that matter in many data sets at once: those of each alone, and the masses that all cells have."""

import numpy as np
import pytest
from scipy.special import logsumexp

from dpslr_core.depth import DepthScores, LineGrid, frontiers, frontiers_of_all

SIDE, SLACK = 60, 1e-11
GRID = LineGrid(SIDE, -0.5, 1.5)


def several(c):
    """With and without ties in x, few and many records; of one kind of residuals."""
    rng, every = np.random.default_rng(4), []
    for n in (3, 4, 40, 41, 90, 2500):
        x, y = np.round(rng.random(n), 2 if n % 2 else 6), rng.random(n)
        every.append(DepthScores(x, y, c, GRID))
    return [*every, DepthScores(np.repeat([0.2, 0.4, 0.9], 9), rng.random(27), c, GRID)]


@pytest.mark.parametrize("weight", [0.5, 4.0, 1e18])
@pytest.mark.parametrize("c", [0.0, 0.1])
def test_a_frontier_of_each_covers_the_grid_and_leaves_little_unknown(c, weight):
    every = several(c)
    together = frontiers_of_all(every, weight, SLACK)
    for i, scores in enumerate(every):
        frontier, covered = together.of(i), np.zeros((SIDE, SIDE), dtype=int)
        for first, last, left, right in frontier.blocks.ends.T.tolist():
            covered[first : last + 1, left : right + 1] += 1
        assert (covered == 1).all()
        cells = frontier.blocks.in_cells().ends
        known = scores.of_all()[cells[0] * SIDE + cells[2]]
        low, high = (np.repeat(end, frontier.blocks.sizes) for end in (frontier.low, frontier.high))
        assert (low <= known).all() and (known <= high).all()
        least, greatest = frontier.masses(weight)
        assert (greatest - least).sum() <= SLACK * least.sum()


@pytest.mark.parametrize("c", [0.0, 0.1])
def test_what_is_found_in_a_data_set_depends_on_no_other_one(c):
    every = several(c)
    together = frontiers_of_all(every, 4.0, SLACK)
    sums = together.log_sums(4.0, SIDE)
    for i, scores in enumerate(every):
        alone = frontiers_of_all([DepthScores(scores.x, scores.y, c, GRID)], 4.0, SLACK)
        np.testing.assert_array_equal(together.of(i).blocks.ends, alone.of(0).blocks.ends)
        np.testing.assert_array_equal(sums[:, i], alone.log_sums(4.0, SIDE)[:, 0])


@pytest.mark.parametrize("weight", [0.5, 4.0, 60.0])
def test_masses_of_rows_and_columns_are_those_of_all_cells(weight, monkeypatch):
    """Also where a mass is e^-5000 of the largest, and is formed from logarithms."""
    every = several(0.1)[:5]
    found = frontiers_of_all(every, weight, SLACK)
    sums = found.log_sums(weight, SIDE)
    monkeypatch.setattr(frontiers, "_TINY", np.inf)
    np.testing.assert_allclose(found.log_sums(weight, SIDE), sums, rtol=1e-12, atol=1e-12)
    for i, scores in enumerate(every):
        known = -weight * scores.of_all().reshape(SIDE, SIDE)
        for axis in (0, 1):
            expected = logsumexp(known, axis=1 - axis)
            shares = [np.exp(each - logsumexp(each)) for each in (sums[axis, i], expected)]
            np.testing.assert_allclose(*shares, rtol=0, atol=1e-11)
            np.testing.assert_allclose(sums[axis, i], found.of(i).log_sums(weight, SIDE, axis), rtol=1e-12, atol=1e-12)
