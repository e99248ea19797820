"""Refinement and draws: every line comes with its own chance, whatever the bounds."""

import numpy as np
import pytest
from cases import DATASETS
from scipy import stats
from scipy.special import logsumexp

from dpslr_core import Dataset, simulate_linear
from dpslr_core.depth import DepthScores, LineGrid, draw_lines, refined, search

D0 = Dataset(*simulate_linear(250, 0.03, 0.01, rng=np.random.default_rng(0)))


def scores_of(data, c=0.1, side=16):
    return DepthScores(data.x, data.y, c, LineGrid(side, -0.5, 1.5))


def chances(scores, weight):
    known = scores.of_cells(np.arange(scores.grid.side**2))
    masses = np.exp(-weight * (known - known.min()))
    return masses / masses.sum()


@pytest.mark.parametrize("slack", [1.0, 1e-3, 1e-13])
@pytest.mark.parametrize("weight", [1e-3, 0.5, 50.0])
@pytest.mark.parametrize("c", [0.0, 0.1])
def test_a_frontier_covers_the_grid_with_as_little_slack_as_asked_for(c, weight, slack):
    scores = scores_of(D0, c, 37)
    frontier = refined(scores, weight, slack)
    least, greatest = frontier.masses(weight)
    assert (greatest >= least).all() and (greatest - least).sum() <= slack * least.sum()
    covered = np.zeros((37, 37), dtype=int)
    for first, last, left, right in frontier.blocks.ends.T.tolist():
        covered[first : last + 1, left : right + 1] += 1
    assert (covered == 1).all()


def test_at_n_250_few_lines_matter():
    scores = scores_of(D0, 0.1, 400)
    refined(scores, 0.5, 1e-13)
    assert np.count_nonzero(scores._known) < 2000


@pytest.mark.parametrize("weight", [1e-3, 0.05, 0.5, 50.0])
def test_masses_of_rows_and_columns_are_those_of_all_cells(weight):
    """Off blocks, and off the table of all cells that they stand for; also where a mass is e^-1000 of the largest."""
    for c in (0.0, 0.1):
        scores = scores_of(D0, c, 37)
        frontier = refined(scores, weight, 1e-9)
        known = -weight * scores_of(D0, c, 37).of_all().reshape(37, 37)
        for axis in (0, 1):
            expected = logsumexp(known, axis=1 - axis)
            table = logsumexp(frontier.log_mass_table(weight, 37), axis=1 - axis)
            sums = frontier.log_sums(weight, 37, axis)
            np.testing.assert_allclose(sums, table, rtol=0, atol=1e-9)
            shares = [np.exp(each - logsumexp(each)) for each in (sums, expected)]
            np.testing.assert_allclose(*shares, rtol=0, atol=1e-9)
    assert np.isfinite(sums).all()


def test_many_small_blocks_are_divided_into_cells(monkeypatch):
    """What the search goes through on the way makes no difference beyond the slack."""
    weight, sums = 0.1, []
    for many in (0, 10**9):
        monkeypatch.setattr(search, "_MANY", many)
        sums.append(refined(scores_of(D0, 0.1, 90), weight, 1e-9).log_sums(weight, 90, 0))
    np.testing.assert_allclose(*(np.exp(each - logsumexp(each)) for each in sums), rtol=0, atol=1e-9)


def test_there_is_no_frontier_where_it_would_take_too_many_blocks():
    assert refined(scores_of(D0), 1e-6, 1e-13, most=50) is None
    assert refined(scores_of(D0), 1e-6, 1e-13, most=1000) is not None


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
