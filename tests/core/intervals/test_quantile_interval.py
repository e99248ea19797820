"""Intervals for the slope from pairwise slopes: ranks against Kendall and scipy, coverage and a broken variant."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from dpslr_core import Dataset, pairs
from dpslr_core.intervals.own_budget import _counts, crossing_chances, pairwise_slopes, rank_reach
from dpslr_core.mechanisms import DPExpTheilSen, DPExpTheilSenZCDP
from dpslr_core.sources.linear import LinearModel

MODEL = LinearModel(200, 0.03, 0.01)


def test_with_all_pairs_the_reach_is_that_of_kendalls_statistic():
    n = 40
    expected = stats.norm.ppf(0.975) * np.sqrt(n * (n - 1) * (2 * n + 5) / 18) / 2
    assert rank_reach(n * (n - 1) // 2, n - 1, 0.95) == pytest.approx(expected)


@pytest.mark.parametrize("k", [1, 8])
def test_the_rank_of_the_true_slope_varies_as_much_as_the_reach_says(k):
    rng, ranks = np.random.default_rng(0), []
    for number in range(500):
        data = MODEL.replicate(0, number)
        ranks.append((pairwise_slopes(data.x, data.y, k, 50.0, 1, rng) < 0.5).sum() - k * 50)
    assert np.std(ranks) * stats.norm.ppf(0.975) == pytest.approx(rank_reach(k * 100, k, 0.95), rel=0.12)


def test_without_noise_it_is_the_interval_of_theil_and_sen():
    data = MODEL.replicate(0, 0)
    found = DPExpTheilSen().release_slope_intervals(data, 1e7, 0.95, 1, rng=np.random.default_rng(0))
    low, high = stats.theilslopes(data.y, data.x, 0.96)[2:]  # of the 5%, one is for the noise
    assert found.low[0, 0] == pytest.approx(low, abs=0.03) and found.high[0, 0] == pytest.approx(high, abs=0.03)
    assert found.low[0, 0] <= low and high <= found.high[0, 0]


def test_pairs_with_equal_x_are_at_both_ends_in_turn():
    slopes = pairwise_slopes(np.array([0.5, 0.5, 0.5, 1.0]), np.array([0.1, 0.2, 0.3, 0.4]), None, 8.0, 2, None)
    np.testing.assert_allclose(slopes, [[-8, -8, 0.2, 0.4, 0.6, 8]] * 2)


@pytest.mark.parametrize("mechanism", [DPExpTheilSen(), DPExpTheilSen(k=10), DPExpTheilSenZCDP()], ids=repr)
def test_the_intervals_hold_the_slope(mechanism):
    rng = np.random.default_rng(0)
    found = [mechanism.release_slope_intervals(MODEL.replicate(0, i), 4.0, size=2, rng=rng) for i in range(60)]
    assert np.mean([each.hold(np.array([0.5])) for each in found]) >= 0.93
    assert np.median([each.width for each in found]) < 4


def test_without_safety_for_the_noise_the_slope_is_lost(monkeypatch):
    monkeypatch.setattr("dpslr_core.intervals.own_budget.safety", lambda *_: 0.0)
    monkeypatch.setattr("dpslr_core.intervals.own_budget.rank_reach", lambda *_: 0.0)
    rng = np.random.default_rng(0)
    found = [DPExpTheilSen().release_slope_intervals(MODEL.replicate(0, i), 4.0, size=2, rng=rng) for i in range(60)]
    assert np.mean([each.hold(np.array([0.5])) for each in found]) < 0.9


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
            yield x.size, [pairwise_slopes(*each, k, 8.0, 1, np.random.default_rng(3)) for each in both]


def worst_loss(k, paid=1.0, epsilon=2.0):
    """The largest |log ratio| of the chances of an upper end's cells, where that share of the changes is paid for."""
    edges, worst = np.linspace(-8, 8, 401)[1:-1], 0.0
    for n, both in neighbouring_slopes(k):
        weight = epsilon / (2 * paid * pairs.lipschitz(n, k))
        below = [_counts(slopes, edges, "left")[0] for slopes in both]
        chances = [crossing_chances(counts, both[0].size / 2 + 3, weight) for counts in below]
        worst = max(worst, float(np.abs(np.diff(np.log(chances), axis=0)).max()))
    return worst


@pytest.mark.parametrize("k", [None, 1, 3])
def test_one_replaced_record_tells_no_more_than_an_end_pays_for(k):
    for n, both in neighbouring_slopes(k):
        edges = np.unique(np.concatenate([slopes[0] for slopes in both]))
        for side in ("left", "right"):
            moved = np.diff([_counts(slopes, edges, side)[0] for slopes in both], axis=0)
            assert np.abs(moved).max() <= pairs.lipschitz(n, k)
    assert worst_loss(k) <= 2.0
    assert worst_loss(k, paid=0.25) > 2.0, "an end that pays for a quarter of the changes"


def test_pairs_that_would_not_fit_into_memory_are_refused():
    data = Dataset(np.linspace(0, 1, 5_001), np.full(5_001, 0.5))
    with pytest.raises(ValueError, match=r"^k must be a number of matchings for more than 5,000 records"):
        DPExpTheilSen().release_slope_intervals(data, 1.0, rng=np.random.default_rng(0))


def test_the_ledger_adds_up_and_what_cannot_be_is_refused():
    assert sum(row.share for row in DPExpTheilSen().interval_ledger(3.0)) == 3.0
    data = Dataset([0.1, 0.2, 0.3], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="level must lie in"):
        DPExpTheilSen().release_slope_intervals(data, 1.0, 1.0, rng=np.random.default_rng(0))
