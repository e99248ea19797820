"""Depth intervals: bounds of cells, the profile by brute force, sensitivity, coverage and a broken variant."""

import numpy as np
import pytest

from dpslr_core import Dataset, simulate_linear
from dpslr_core.depth import DepthScores, LineGrid, deep_cells, public_edges
from dpslr_core.intervals.own_budget import DepthPlan, PointCells, upper_end
from dpslr_core.mechanisms import DeepestLine, DeepestLineZCDP
from dpslr_core.sources.linear import LinearModel

GRID = LineGrid(16, -0.5, 1.5)


def records(seed, n=20):
    return Dataset(*simulate_linear(n, 0.03, 0.02, rng=np.random.default_rng(seed)))


def scores(data, grid=GRID):
    return DepthScores(data.x, data.y, 0.0, grid)


def score(data, quarter, three_quarters):
    """M of one line, by its definition."""
    line = 2 * (0.75 - data.x) * quarter + 2 * (data.x - 0.25) * three_quarters
    signs = np.sign(data.y - line)
    return max(abs(np.sum(np.where(data.x <= t, signs, -signs))) for t in [-1.0, *data.x.tolist()])


def test_no_line_of_a_cell_has_a_lower_score_than_its_bound():
    data, rng = records(0), np.random.default_rng(1)
    deep = deep_cells(scores(data), np.inf)
    cells, least = deep.cells, deep.least
    assert least.size == 256
    gaps = []
    for number in rng.integers(256, size=60):
        first, _, left, _ = cells.ends[:, number]
        corner = -0.5 + GRID.cell * np.array([first, left])
        found = [score(data, *(corner + GRID.cell * rng.random(2))) for _ in range(10)]
        gaps.append(min(found) - least[number])
    assert min(gaps) >= 0 and np.median(gaps) < 6


def test_leaving_out_blocks_changes_nothing_below_the_cut():
    data = records(2)
    everything, cut = deep_cells(scores(data), np.inf), deep_cells(scores(data), 9.0)
    assert np.array_equal(np.sort(everything.least[everything.least < 9]), np.sort(cut.least))
    assert cut.least.size < 200


def profile(data, plan, point):
    """Cut minima over all lines with a prediction at or above each edge, by brute force over the cells."""
    deep = deep_cells(scores(data), np.inf)
    least, (first, _, left, _) = deep.least, deep.cells.ends
    weights = 2 * (0.75 - point), 2 * (point - 0.25)
    highest = sum(
        np.maximum(w * (-0.5 + GRID.cell * i), w * (-0.5 + GRID.cell * (i + 1)))
        for w, i in zip(weights, (first, left), strict=True)
    )
    edges = public_edges(GRID, point)
    return np.array([np.append(least[highest >= edge - 1e-12], plan.most).min() for edge in edges]).clip(max=plan.most)


@pytest.mark.parametrize("point", [0.1, 0.25, 0.6])
def test_the_ends_are_drawn_from_the_profile_of_all_lines(monkeypatch, point):
    data, plan, seen = records(3), DepthPlan(6.0, 8.0, 14.0, 0.5), []
    monkeypatch.setattr(
        "dpslr_core.intervals.own_budget.draw_crossings",
        lambda values, *_: seen.append(values) or np.zeros(1, dtype=int),
    )
    deep = deep_cells(scores(data), plan.most)
    upper_end(PointCells(*deep.predictions(point), deep.least, public_edges(GRID, point)), plan, 1, None)
    np.testing.assert_array_equal(seen[0], profile(data, plan, point)[1:-1])


def test_replacing_a_record_moves_the_profile_by_at_most_two():
    plan, rng, moves = DepthPlan(6.0, 8.0, 14.0, 0.5), np.random.default_rng(5), []
    data = records(4)
    before = profile(data, plan, 0.25)
    for _ in range(40):
        x, y = data.x.copy(), data.y.copy()
        place = rng.integers(x.size)
        x[place], y[place] = rng.integers(2, size=2) if rng.random() < 0.5 else rng.random(2)
        moves.append(np.abs(profile(Dataset(x, y), plan, 0.25) - before).max())
    assert 1 <= max(moves) <= 2


def test_the_intervals_hold_the_line_whatever_the_errors():
    held, model, rng = [], LinearModel(150, 0.03, 0.01, error_shape="heavy tails"), np.random.default_rng(0)
    for number in range(120):
        intervals = DeepestLine(grid=100).release_intervals(model.replicate(1, number), 8.0, size=1, rng=rng)
        held.append(intervals.hold(model.truth((0.25, 0.75))))
    assert np.mean(held) >= 0.95 - 2 * np.sqrt(0.05 * 0.95 / 240)


def test_where_no_score_can_reach_the_target_there_is_no_end():
    found = DeepestLine().release_intervals(records(0), 0.1, (0.25, 0.5), size=3, rng=np.random.default_rng(0))
    assert np.isneginf(found.low).all() and np.isposinf(found.high).all() and np.isnan(found.estimate).all()


@pytest.mark.parametrize("mechanism", [DeepestLine(), DeepestLineZCDP()], ids=repr)
def test_the_ledger_of_the_ends_adds_up(mechanism):
    rows = mechanism.interval_ledger(3.0, (0.25, 0.5, 0.75))
    assert len(rows) == 6 and sum(row.share for row in rows) == pytest.approx(3.0)
    assert "lower end" in rows[0].what and "0.25" in rows[0].what


def test_a_weaker_promise_buys_narrower_intervals():
    data = LinearModel(1_000, 0.03, 0.01).replicate(0, 0)
    widths = [
        np.median(mechanism.release_intervals(data, 1.0, size=20, rng=np.random.default_rng(0)).width)
        for mechanism in (DeepestLine(grid=100), DeepestLineZCDP(grid=100))
    ]
    assert widths[1] < 0.8 * widths[0]
