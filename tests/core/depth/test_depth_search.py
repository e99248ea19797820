"""Refinement and draws: every line comes with its own chance, whatever the bounds."""

import numpy as np
import pytest
from cases import DATASETS
from scipy import stats
from scipy.special import logsumexp

from dpslr_core import Dataset, simulate_linear
from dpslr_core.depth import DepthScores, LineGrid, draw_lines, frontier_of, search

D0 = Dataset(*simulate_linear(250, 0.03, 0.01, rng=np.random.default_rng(0)))


def scores_of(data, c=0.1, side=16):
    return DepthScores(data.x, data.y, c, LineGrid(side, -0.5, 1.5))


def chances(scores, weight):
    known = scores.of_cells(np.arange(scores.grid.side**2))
    masses = np.exp(-weight * (known - known.min()))
    return masses / masses.sum()


def several(c):
    """With and without ties in x, few and many records; of one kind of residuals."""
    rng, every = np.random.default_rng(4), []
    for n in (3, 4, 40, 41, 90, 700):
        x, y = np.round(rng.random(n), 2 if n % 2 else 6), rng.random(n)
        every.append(DepthScores(x, y, c, LineGrid(60, -0.5, 1.5)))
    return [*every, DepthScores(np.repeat([0.2, 0.4, 0.9], 9), rng.random(27), c, every[0].grid)]


@pytest.mark.parametrize("few", [0, 2_000])
@pytest.mark.parametrize("slack", [1.0, 1e-11])
@pytest.mark.parametrize("weight", [1e-3, 0.5, 4.0, 1e18])
@pytest.mark.parametrize("c", [0.0, 0.1])
def test_a_frontier_covers_the_grid_in_each_data_set_with_as_little_slack_as_asked_for(
    c, weight, slack, few, monkeypatch
):
    """Divided in two at a time, or in many as for few records."""
    monkeypatch.setattr(search, "_FEW", few)
    every = several(c)
    frontier = frontier_of(every, weight, slack)
    least, greatest = frontier.masses(weight)
    assert (greatest >= least).all()
    for i, scores in enumerate(every):
        which, covered = frontier.owner == i, np.zeros((60, 60), dtype=int)
        assert (greatest - least)[which].sum() <= slack * least[which].sum()
        blocks = frontier.blocks.take(which)
        cells = blocks.in_cells().ends
        np.add.at(covered, (cells[0], cells[2]), 1)
        assert (covered == 1).all()
        known = scores.of_all()[cells[0] * 60 + cells[2]]
        low, high = (np.repeat(end[which], blocks.sizes) for end in (frontier.low, frontier.high))
        assert (low <= known).all() and (known <= high).all()


def test_at_n_250_few_lines_matter():
    assert len(frontier_of([scores_of(D0, 0.1, 400)], 0.5, 1e-13).blocks) < 3000


@pytest.mark.parametrize("weight", [1e-3, 0.5, 4.0, 60.0])
def test_masses_of_rows_and_columns_are_those_of_all_cells_and_of_no_other_data_set(weight, monkeypatch):
    """Off blocks, and off the table of all cells that they stand for; also where a mass is e^-5000 of the largest."""
    for c in (0.0, 0.1):
        every = several(c)
        frontier = frontier_of(every, weight, 1e-11)
        sums = frontier.log_sums(weight, 60)
        assert np.isfinite(sums).all()
        for i, scores in enumerate(every):
            alone = frontier_of([scores], weight, 1e-11).log_sums(weight, 60)
            np.testing.assert_array_equal(alone[:, :, 0], sums[:, :, i])
            least = frontier.low[frontier.owner == i].min()
            known = -weight * (scores.of_all().reshape(60, 60) - least)
            for axis in (0, 1):
                low, high = sums[axis, :, i]
                rounding = 1e-9 + 1e-12 * np.abs(low)
                for table in (known, frontier.log_mass_table(weight, 60, i)):
                    between = logsumexp(table, axis=1 - axis)
                    assert (low <= between + rounding).all() and (between <= high + rounding).all()
                assert np.exp(high - logsumexp(low)).sum() <= 1 + 1e-11 + 1e-9
        monkeypatch.setattr(search, "_LOG_TINY", np.inf)
        np.testing.assert_allclose(frontier.log_sums(weight, 60), sums, rtol=1e-12, atol=1e-12)
        monkeypatch.undo()


def test_there_is_no_frontier_where_it_would_take_too_many_blocks():
    assert frontier_of([scores_of(D0, 0.1, 60)], 1e-6, 1e-13, most=300) is None
    assert frontier_of([scores_of(D0, 0.1, 60)], 1e-6, 1e-13, most=4000) is not None


@pytest.mark.parametrize("weight", [1e-4, 0.02, 0.5, 5.0])
@pytest.mark.parametrize("name", ["larger", "tied x", "on a line", "constant x"])
def test_draws_have_the_chances_of_the_mechanism(name, weight):
    """Chi-square over all cells; cells that are hardly ever drawn count together."""
    for c in (0.0, 0.1):
        scores, size = scores_of(DATASETS[name], c, 12), 30_000
        expected = size * chances(scores_of(DATASETS[name], c, 12), weight)
        counts = np.bincount(draw_lines(scores, weight, size, np.random.default_rng(3)), minlength=144)
        often = expected >= 5
        observed, wanted = np.append(counts[often], counts[~often].sum()), np.append(expected[often], 0)
        wanted[-1] = size - wanted.sum()
        if wanted[-1] < 5:
            observed, wanted = np.append(observed[:-2], observed[-2:].sum()), np.append(wanted[:-2], wanted[-2:].sum())
        if observed.size > 1:
            assert stats.chisquare(observed, wanted).pvalue > 1e-4


def test_earlier_calls_change_no_draw():
    fresh, used = scores_of(D0, 0.1, 100), scores_of(D0, 0.1, 100)
    used.of_cells(np.arange(5000))
    draw_lines(used, 0.01, 50, np.random.default_rng(8))
    one, other = (draw_lines(scores, 0.3, 500, np.random.default_rng(1)) for scores in (fresh, used))
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("weight", [1e-300, 1e18])
def test_extreme_weights(weight):
    scores = scores_of(DATASETS["tied x"], 0.0, 9)
    drawn, known = draw_lines(scores, weight, 4000, np.random.default_rng(0)), scores.of_cells(np.arange(81))
    if weight < 1:
        assert len(np.unique(drawn)) == 81
    else:
        assert set(drawn.tolist()) == set(np.flatnonzero(known == known.min()).tolist())
