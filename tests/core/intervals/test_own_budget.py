"""Private crossings: the definition, the promise on neighbours, and how rarely they are on the wrong side."""

from collections import Counter
from itertools import pairwise, product

import numpy as np
import pytest
from scipy import stats

from dpslr_core import Dataset, pairs, simulate_linear
from dpslr_core.depth import DepthScores, LineGrid, deep_cells, public_edges
from dpslr_core.intervals import own_budget
from dpslr_core.mechanisms import DeepestLine, DeepestLineZCDP, DPExpTheilSen, DPExpTheilSenZCDP
from dpslr_core.sources.linear import LinearModel


def test_the_chances_are_the_definition():
    """exp(-weight distance), cell by cell."""
    values = np.array([0.0, 0.0, 3.0, 7.0, 7.0, 20.0])
    for target in (-5.0, 0.0, 2.0, 7.0, 12.0, 40.0):
        literal = [
            np.exp(-0.3 * (0 if low <= target <= high else min(abs(target - low), abs(target - high))))
            for low, high in pairwise([-np.inf, *values, np.inf])
        ]
        np.testing.assert_allclose(own_budget.crossing_chances(values, target, 0.3), np.array(literal) / sum(literal))


def worst_ratio(weight, epsilon, sensitivity=2):
    """The largest |log ratio| of chances over random neighbours, divided by epsilon."""
    rng, tried = np.random.default_rng(0), []
    for _ in range(400):
        values = np.cumsum(rng.integers(0, 6, 12)).astype(float)
        moved = np.maximum.accumulate(values + rng.integers(-sensitivity, sensitivity + 1, 12))
        tried.append((values, np.clip(moved, values - sensitivity, values + sensitivity), float(rng.integers(0, 40))))
    tried += [(np.full(12, 2.0), np.zeros(12), 1.0), (np.zeros(12), np.full(12, 2.0), 1.0)]
    chances = [[own_budget.crossing_chances(each, target, weight) for each in both] for *both, target in tried]
    return max(float(np.abs(np.log(one / other)).max()) for one, other in chances) / epsilon


def test_neighbours_are_told_apart_by_no_more_than_epsilon():
    assert 0.3 < worst_ratio(1.5 / (2 * 2), 1.5) <= 1
    assert worst_ratio(1.5 / 2, 1.5) > 1  # a crossing that forgets the sensitivity


def test_an_end_is_below_what_it_must_be_above_as_rarely_as_promised():
    """Also where the values leap over the target, which would fool scores at the edges themselves."""
    weight, failure, bound = 0.2, 0.05, 30.0
    for jump in (1.0, 200.0):
        values = np.repeat([5.0, 29.9, 29.9 + jump, 300.0], 25)
        target, upper = bound + own_budget.safety(values.size + 1, failure, weight), np.append(values, np.inf)
        chances = own_budget.crossing_chances(values, target, weight)
        assert chances[upper <= bound].sum() <= failure
        drawn = own_budget.draw_crossings(values, target, weight, 20_000, np.random.default_rng(0))
        np.testing.assert_allclose(np.bincount(drawn, minlength=upper.size) / 20_000, chances, atol=0.015)


# ---------------------------------------------------------------- the law of the depth score at the true line


def test_at_most_counts_all_sequences_of_signs():
    for n in (1, 2, 5, 10):
        counts = Counter()
        for signs in product((-1, 1), repeat=n):
            sums = np.append(0, np.cumsum(signs))
            counts[int(np.abs(2 * sums - sums[-1]).max())] += 1
        for m in range(-1, n + 2):
            expected = sum(counts[k] for k in counts if k <= m) / 2**n
            assert own_budget.at_most(n, m) == pytest.approx(expected, abs=1e-12), (n, m)


def test_the_bound_is_the_least_score_that_holds_the_level():
    for n, level in product([1, 2, 3, 7, 30, 101, 2_000, 100_000], [0.5, 0.95, 0.999]):
        bound = own_budget.depth_bound(n, level)
        assert (bound - n) % 2 == 0
        assert own_budget.at_most(n, bound) >= level > own_budget.at_most(n, bound - 2), (n, level)


# ---------------------------------------------------------------- depth intervals


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
    data, plan, seen = records(3), own_budget.DepthPlan(8.0, 14.0, 0.5), []
    monkeypatch.setattr(
        "dpslr_core.intervals.own_budget.draw_crossings",
        lambda values, *_: seen.append(values) or np.zeros(1, dtype=int),
    )
    deep = deep_cells(scores(data), plan.most)
    own_budget.upper_end(
        own_budget.PointCells(*deep.predictions(point), deep.least, public_edges(GRID, point)), plan, 1, None
    )
    np.testing.assert_array_equal(seen[0], profile(data, plan, point)[1:-1])


def test_replacing_a_record_moves_the_profile_by_at_most_two():
    plan, rng, moves = own_budget.DepthPlan(8.0, 14.0, 0.5), np.random.default_rng(5), []
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


def test_the_ledger_of_the_ends_adds_up():
    for mechanism in (DeepestLine(), DeepestLineZCDP()):
        rows = mechanism.interval_ledger(3.0, (0.25, 0.5, 0.75))
        assert len(rows) == 6 and sum(row.share for row in rows) == pytest.approx(3.0)
        assert "lower end" in rows[0].what and [row.at for row in rows] == [0.25, 0.25, 0.5, 0.5, 0.75, 0.75]
    assert sum(row.share for row in DPExpTheilSen().interval_ledger(3.0)) == 3.0


# ---------------------------------------------------------------- intervals for the slope from pairwise slopes


MODEL = LinearModel(200, 0.03, 0.01)


def test_with_all_pairs_the_reach_is_that_of_kendalls_statistic():
    n = 40
    expected = stats.norm.ppf(0.975) * np.sqrt(n * (n - 1) * (2 * n + 5) / 18) / 2
    assert own_budget.rank_reach(n * (n - 1) // 2, n - 1, 0.95) == pytest.approx(expected)


def test_the_rank_of_the_true_slope_varies_as_much_as_the_reach_says():
    for k in (1, 8):
        rng, ranks = np.random.default_rng(0), []
        for number in range(300):
            data = MODEL.replicate(0, number)
            ranks.append((own_budget.pairwise_slopes(data.x, data.y, k, 50.0, 1, rng) < 0.5).sum() - k * 50)
        reach = own_budget.rank_reach(k * 100, k, 0.95)
        assert np.std(ranks) * stats.norm.ppf(0.975) == pytest.approx(reach, rel=0.15)


def test_without_noise_it_is_the_interval_of_theil_and_sen():
    data = MODEL.replicate(0, 0)
    found = DPExpTheilSen().release_slope_intervals(data, 1e7, 0.95, 1, rng=np.random.default_rng(0))
    low, high = stats.theilslopes(data.y, data.x, 0.96)[2:]  # of the 5%, one is for the noise
    assert found.low[0, 0] == pytest.approx(low, abs=0.03) and found.high[0, 0] == pytest.approx(high, abs=0.03)
    assert found.low[0, 0] <= low and high <= found.high[0, 0]


def test_pairs_with_equal_x_are_at_both_ends_in_turn():
    slopes = own_budget.pairwise_slopes(
        np.array([0.5, 0.5, 0.5, 1.0]), np.array([0.1, 0.2, 0.3, 0.4]), None, 8.0, 2, None
    )
    np.testing.assert_allclose(slopes, [[-8, -8, 0.2, 0.4, 0.6, 8]] * 2)


def held_and_widths(mechanism):
    """The share of intervals that hold the slope, and their median width."""
    rng = np.random.default_rng(0)
    intervals = [mechanism.release_slope_intervals(MODEL.replicate(0, i), 4.0, size=2, rng=rng) for i in range(60)]
    return np.mean([each.hold(np.array([0.5])) for each in intervals]), np.median([each.width for each in intervals])


@pytest.mark.parametrize("mechanism", [DPExpTheilSen(), DPExpTheilSen(k=10), DPExpTheilSenZCDP()], ids=repr)
def test_the_intervals_hold_the_slope(mechanism):
    held, width = held_and_widths(mechanism)
    assert held >= 0.93 and width < 4


def test_without_safety_for_the_noise_the_slope_is_lost(monkeypatch):
    for name in ("safety", "rank_reach"):
        monkeypatch.setattr(f"dpslr_core.intervals.own_budget.{name}", lambda *_: 0.0)
    assert held_and_widths(DPExpTheilSen())[0] < 0.9


# Data sets with the awkward ones among them: equal x, equal y, two places, a line.
AWKWARD = [
    (np.round(np.random.default_rng(1).random(11), 1), np.round(np.random.default_rng(2).random(11), 1)),
    (np.full(9, 0.5), np.linspace(0, 1, 9)),
    (np.repeat([0.2, 0.9], 5), np.tile([0.0, 1.0], 5)),
    (np.linspace(0, 1, 10), 0.2 + 0.6 * np.linspace(0, 1, 10)),
]


def neighbouring_slopes(k):
    """n, and sorted slopes of data sets and of the same with one record replaced, by the same matchings."""
    for x, y in AWKWARD:
        for row, place in product(range(x.size), product([0.0, 0.5, 1.0], [0.0, 0.2, 1.0])):
            others = x.copy(), y.copy()
            others[0][row], others[1][row] = place
            both = ((x, y), others)
            yield x.size, [own_budget.pairwise_slopes(*each, k, 8.0, 1, np.random.default_rng(3)) for each in both]


def worst_loss(k, paid=1.0, epsilon=2.0):
    """The largest |log ratio| of the chances of an upper end's cells, where that share of the changes is paid for."""
    edges, worst = np.linspace(-8, 8, 401)[1:-1], 0.0
    for n, both in neighbouring_slopes(k):
        weight = epsilon / (2 * paid * pairs.lipschitz(n, k))
        below = [own_budget._counts(slopes, edges, "left")[0] for slopes in both]
        chances = [own_budget.crossing_chances(counts, both[0].size / 2 + 3, weight) for counts in below]
        worst = max(worst, float(np.abs(np.diff(np.log(chances), axis=0)).max()))
    return worst


def test_one_replaced_record_tells_no_more_than_an_end_pays_for():
    for k in (None, 1, 3):
        for n, both in neighbouring_slopes(k):
            edges = np.unique(np.concatenate([slopes[0] for slopes in both]))
            for side in ("left", "right"):
                moved = np.diff([own_budget._counts(slopes, edges, side)[0] for slopes in both], axis=0)
                assert np.abs(moved).max() <= pairs.lipschitz(n, k)
        assert worst_loss(k) <= 2.0 < worst_loss(k, paid=0.25), k  # an end that pays for a quarter of the changes


def test_pairs_that_would_not_fit_into_memory_are_refused():
    data = Dataset(np.linspace(0, 1, 5_001), np.full(5_001, 0.5))
    with pytest.raises(ValueError, match=r"^k must be a number of matchings for more than 5,000 records"):
        DPExpTheilSen().release_slope_intervals(data, 1.0, rng=np.random.default_rng(0))


def test_a_wrong_level_is_refused():
    data = Dataset([0.1, 0.2, 0.3], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="level must lie in"):
        DPExpTheilSen().release_slope_intervals(data, 1.0, 1.0, rng=np.random.default_rng(0))


def test_an_end_is_drawn_with_its_budget_over_twice_the_sensitivity(monkeypatch):
    assert own_budget.DepthPlan.of(100, 0.95, 3.0, 16).weight == 3.0 / (2 * 2)
    weights, end = [], np.zeros(1, dtype=int)
    monkeypatch.setattr(own_budget, "draw_crossings", lambda values, target, weight, *_: weights.append(weight) or end)
    own_budget.slope_intervals(np.linspace(-1, 1, 30)[None], 4, 8.0, 0.95, 3.0, None)
    assert weights == [3.0 / (2 * 4)] * 2
