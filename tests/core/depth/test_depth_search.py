"""Refinement and draws: every line comes with its own chance, whatever the bounds."""

from itertools import product

import numpy as np
from scipy import stats

from dpslr_core.depth import DepthScores, LineGrid, draw_lines, frontier_of
from dpslr_core.depth import scores as module
from tests.cases.inputs import DATASETS


def scores_of(data, c=0.1, side=16):
    return DepthScores(data.x, data.y, c, LineGrid(side, -0.5, 1.5))


def chances(scores, weight):
    known = scores.of_cells(np.arange(scores.grid.side**2))
    masses = np.exp(-weight * (known - known.min()))
    return masses / masses.sum()


def several(c):
    """With and without ties in x, few and many records."""
    rng, every = np.random.default_rng(4), []
    for n in (3, 4, 40, 41, 90, 700):
        x, y = np.round(rng.random(n), 2 if n % 2 else 6), rng.random(n)
        every.append(DepthScores(x, y, c, LineGrid(61, -0.5, 1.5)))
    return [*every, DepthScores(np.repeat([0.2, 0.4, 0.9], 9), rng.random(27), c, every[0].grid)]


def masses(frontier, weight):
    """Least and greatest of all blocks, up to one factor, and how many cells each stands for."""
    low, high, sizes = (
        np.concatenate([each(level) for level in frontier.levels])
        for each in (
            lambda level: level.low,
            lambda level: level.high,
            lambda level: level.blocks.sizes,
        )
    )
    return *(sizes * np.exp(-weight * (end - low.min())) for end in (high, low)), sizes


def test_a_frontier_covers_the_grid_with_as_little_slack_as_asked_for(monkeypatch):
    """Divided in two at a time, or in many as for few records."""
    cases = (0, 1e-3, 1.0), (0, 0.5, 1e-11), (2_000, 0.5, 1e-11), (2_000, 1e18, 1e-11)
    for (few, weight, slack), c in product(cases, (0.0, 0.1)):
        monkeypatch.setattr(module, "_FEW", few)
        for scores in several(c):
            frontier, covered = frontier_of(scores, weight, slack), np.zeros((61, 61), dtype=int)
            least, greatest, _ = masses(frontier, weight)
            case = few, weight, slack, c
            assert (greatest >= least).all() and (greatest - least).sum() <= slack * least.sum(), (
                case
            )
            for level in frontier.levels:
                for i, (first, last, left, right) in enumerate(level.blocks.ends.T.tolist()):
                    covered[first : last + 1, left : right + 1] += 1
                    known = scores.of_all().reshape(61, 61)[first : last + 1, left : right + 1]
                    assert level.low[i] <= known.min() and known.max() <= level.high[i], case
            assert (covered == 1).all(), case


def test_draws_have_the_chances_of_the_mechanism():
    """Chi-square over all cells; cells that are hardly ever drawn count together."""
    for name, weight, c in product(
        ["larger", "tied x", "constant x"], [1e-4, 0.02, 0.5], [0.0, 0.1]
    ):
        scores, size = scores_of(DATASETS[name], c, 24), 30_000
        expected = size * chances(scores_of(DATASETS[name], c, 24), weight)
        counts = np.bincount(
            draw_lines(scores, weight, size, np.random.default_rng(3)), minlength=576
        )
        often = expected >= 5
        both = [np.append(each[often], each[~often].sum()) for each in (counts, expected)]
        if both[1][-1] < 5:
            both = [np.append(each[:-2], each[-2:].sum()) for each in both]
        assert stats.chisquare(*both).pvalue > 1e-4, (name, weight, c)
