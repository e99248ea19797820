"""The joint law of medians at several points: against the definition cell by cell, and by ranks against lists."""

import itertools
import pickle
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpslr_core import Dataset
from dpslr_core.laws import by_rank, divergence, medians
from dpslr_core.laws.by_rank import joint_medians
from dpslr_core.laws.divergence import joint_median_divergences, joint_median_renyi
from dpslr_core.laws.joint import JointLaw, JointMedians, RankBounds
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.pairs import with_ends
from dpslr_core.pairs.grid import PublicGrid
from dpslr_core.pairs.matchings import SortedEstimates
from tests.cases.pairs import awkward, nasty, synthetic
from tests.reference import paper as reference

ENDS = (-0.5, 1.5)
ORDERS = np.array([1.001, 1.5, 2.0, 30.0])
values = st.sampled_from([-0.5, -0.25, 0.0, 0.125, 0.25, 0.5, 1.0, 1.5])


def of_lists(lists, epsilon):
    points = [RankBounds.of_list(with_ends(np.array(sorted(z), dtype=float), *ENDS)) for z in lists]
    return JointMedians(points, len(lists[0]), epsilon / 4)


def lists_of(points):
    return st.integers(1, 7).flatmap(lambda count: st.lists(st.lists(values, min_size=count, max_size=count),
                                                            min_size=points, max_size=points))  # fmt: skip


def middles(cells):
    """The points in the middle of each cell, shape (cells, m)."""
    return np.array([[(left + right) / 2 for left, right in cell] for cell, _ in cells])


@given(st.one_of(lists_of(1), lists_of(2), lists_of(3)), st.sampled_from([1e-3, 0.5, 4.0, 60.0]))
@settings(max_examples=150, deadline=None)
def test_it_is_its_definition(lists, epsilon):
    law, cells = of_lists(lists, epsilon), reference.joint_density(lists, epsilon, *ENDS)
    density = [density for _, density in cells]
    mixture = JointLaw(law.parts)
    for point, value in zip(middles(cells), density, strict=True):
        found = np.exp(mixture.log_density([np.array([r]) for r in point])).item()
        assert found == pytest.approx(value, rel=1e-9, abs=1e-290)
    for place, marginal in enumerate(law.marginals()):
        for left, right, value in reference.density_at(cells, place):
            assert np.exp(marginal.logpdf((left + right) / 2)) == pytest.approx(value, rel=1e-9, abs=1e-290)
            assert marginal.cdf(right) - marginal.cdf(left) == pytest.approx(
                (right - left) * value, rel=1e-9, abs=1e-12
            )


@given(lists_of(1), st.sampled_from([1e-290, 1e-3, 4.0, 60.0, 1e6]))
def test_at_one_point_it_is_the_exponential_mechanism(lists, epsilon):
    z = np.array(sorted(lists[0]))
    (law,), plain = (
        of_lists(lists, epsilon).marginals(),
        PiecewiseUniform(*medians.exponential_pieces(z, epsilon, *ENDS)),
    )
    np.testing.assert_array_equal(law.edges, plain.edges)
    np.testing.assert_allclose(np.diff(law.log_density), np.diff(plain.log_density), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(law.cdf(law.edges), plain.cdf(plain.edges), rtol=1e-9, atol=1e-15)


LISTS = [
    [-0.5, 0.0, 0.0, 0.2, 0.21, 0.9, 1.5],
    [0.1, 0.3, 0.3, 0.3, 0.3, 0.8, 0.9],
    [0.2, 0.2, 0.4, 0.5, 0.5, 0.6, 0.7],
]


def cell_counts(cells, draws):
    """How many draws, shape (size, m), fall into each cell."""
    sides = [sorted({side for cell, _ in cells for side in cell[place]}) for place in range(draws.shape[1])]
    table, _ = np.histogramdd(draws, bins=sides)
    return np.array([table[tuple(s.index(c[0]) for s, c in zip(sides, cell, strict=True))] for cell, _ in cells])


def draw_together(lists, epsilon, size, rng):
    """Draws with the lists of every trial in an order of their own."""
    rows = np.array([[rng.permuted(z) for _ in range(size)] for z in lists])
    return medians.draw_together(SortedEstimates.of_rows(rows), epsilon, *ENDS, rng).T


def sample(lists, epsilon, size, rng):
    return of_lists(lists, epsilon).sample(size, rng)


@pytest.mark.parametrize("draw", [sample, draw_together])
@pytest.mark.parametrize("points", [1, 2, 3])
@pytest.mark.parametrize("epsilon", [1.5, 4.0])
def test_draws_follow_the_joint_density(draw, points, epsilon):
    """All cells together; half of epsilon and twice as much are rejected."""
    draws = draw(LISTS[:points], epsilon, 6000, np.random.default_rng(points))
    for factor, accepted in ((1, True), (1 / 2, False), (2, False)):
        cells = reference.joint_density(LISTS[:points], epsilon * factor, *ENDS)
        masses = np.array([density * np.prod(np.diff(cell, axis=1)) for cell, density in cells])
        often = masses > 1e-3
        observed, expected = cell_counts(cells, draws), masses * len(draws)
        both = [np.append(counts[often], counts[~often].sum() + 1e-9) for counts in (observed, expected)]
        pvalue = stats.chisquare(both[0], both[1] * (both[0].sum() / both[1].sum())).pvalue
        assert (pvalue > 1e-3) == accepted


def test_points_share_one_level():
    """Without the level they would be independent: both are in their middle boxes together more often than that."""
    draws = sample(LISTS[1:], 2.0, 20_000, np.random.default_rng(0))
    inside = (draws > [0.1, 0.2]) & (draws < [0.9, 0.7])
    both, each = inside.all(axis=1).mean(), inside.mean(axis=0)
    assert both > np.prod(each) + 5 * np.sqrt(both / len(draws)) * 0.5


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 60.0])
def test_draws_from_the_middle_of_long_lists_are_those_from_whole_lists(epsilon, monkeypatch):
    rows = np.random.default_rng(1).normal([[[0.3]], [[0.6]]], 0.1, (2, 5, 4000))
    drawn = medians.draw_together(SortedEstimates.of_rows(rows), epsilon, *ENDS, np.random.default_rng(5))
    monkeypatch.setattr(medians, "_entries_that_matter", lambda estimates, *_: estimates.around(4000, *ENDS))
    plain = medians.draw_together(SortedEstimates.of_rows(rows), epsilon, *ENDS, np.random.default_rng(5))
    np.testing.assert_allclose(drawn, plain, rtol=0, atol=1e-12)


@pytest.mark.parametrize("epsilon", [1e-290, 1e-3, 1e3, 1e6])
def test_weights_of_any_size_are_summed(epsilon):
    rng = np.random.default_rng(2)
    law = of_lists([rng.random(3000), rng.random(3000), np.full(3000, 0.25)], epsilon)
    for marginal in law.marginals():
        assert np.isfinite(marginal.log_density).all() and np.isfinite(marginal.error_bound(68, 0.5))
    assert np.isfinite(law.sample(50, rng)).all()


@pytest.mark.parametrize("first", [0.0, -650.0, -np.inf])
def test_sums_of_levels_are_those_of_their_logarithms(first):
    law = of_lists([np.random.default_rng(2).random(30)] * 2, 1.0)
    widths = np.full((1, law.levels.size), first)
    widths[0, 4:-1] = np.linspace(-610, -590, law.levels.size - 5)
    widths[0, -1] = 0.0
    with np.errstate(all="raise"):
        sums = law._log_density(widths)
    np.testing.assert_allclose(sums, np.logaddexp.accumulate(law.log_rises + widths[0]), rtol=1e-14)
    assert (law._log_density(np.full_like(widths, -np.inf)) == -np.inf).all()


# ---------------------------------------------------------------- how far apart


def brute_force(lists, others, epsilon, orders):
    """The suprema of the log ratio both ways, and Rényi divergences, cell by cell of both lists' values."""
    both = [[*z, *w] for z, w in zip(lists, others, strict=True)]
    cells = [cell for cell, _ in reference.joint_density(both, epsilon, *ENDS)]
    volumes = np.array([np.prod(np.diff(cell, axis=1)) for cell in cells])
    logs = []
    for each in (lists, others):
        scores = np.array([
            max(reference.utility(z, sum(side) / 2) for z, side in zip(each, cell, strict=True)) for cell in cells
        ])  # fmt: skip
        log_density = -epsilon * scores / 4
        logs.append(log_density - np.log(np.sum(volumes * np.exp(log_density))))
    ratio = logs[0] - logs[1]
    renyi = [np.log(np.sum(volumes * np.exp(logs[0] + (a - 1) * ratio))) / (a - 1) for a in orders]
    return ratio.max(), (-ratio).max(), np.array(renyi)


@given(lists_of(2), lists_of(2), st.sampled_from([0.1, 1.0, 8.0]))
@settings(max_examples=80, deadline=None)
def test_divergences_are_those_over_all_cells(lists, others, epsilon):
    count = min(len(lists[0]), len(others[0]))
    lists, others = ([z[:count] for z in each] for each in (lists, others))
    law, other = of_lists(lists, epsilon), of_lists(others, epsilon)
    forth, back, renyi = brute_force(lists, others, epsilon, ORDERS)
    assert joint_median_divergences(law, other) == pytest.approx((forth, back), rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(joint_median_renyi(law, other, ORDERS), renyi, rtol=1e-7, atol=1e-9)


def test_divergences_of_one_point_or_three():
    for points in (1, 3):
        lists, others = LISTS[:points], [[*z[1:], 1.5] for z in LISTS[:points]]
        forth, back, renyi = brute_force(lists, others, 2.0, ORDERS)
        law, other = of_lists(lists, 2.0), of_lists(others, 2.0)
        assert joint_median_divergences(law, other) == pytest.approx((forth, back), rel=1e-9)
        np.testing.assert_allclose(joint_median_renyi(law, other, ORDERS), renyi, rtol=1e-7)


def test_one_point_alone_shows_no_more_than_all(monkeypatch):
    law, other = of_lists(LISTS, 2.0), of_lists([[*z[1:], 1.5] for z in LISTS], 2.0)
    exact = joint_median_renyi(law, other, ORDERS)
    monkeypatch.setattr(divergence, "_VOLUMES", 0)
    assert (joint_median_renyi(law, other, ORDERS) > 0).all()
    assert (joint_median_renyi(law, other, ORDERS) <= exact + 1e-12).all()


def worst_of_lists(count, changed, epsilon):
    """The largest loss over two lists of so many values, of which the same entries change in both, in any way."""
    pairs, worst = list(itertools.product((-0.5, 0.5, 1.5), repeat=2)), 0.0
    for rest in itertools.combinations_with_replacement(pairs, count - changed):
        near = [(*rest, *new) for new in itertools.combinations_with_replacement(pairs, changed)]
        laws = [of_lists(list(zip(*rows, strict=True)), epsilon / changed) for rows in near]
        worst = max(worst, *(max(joint_median_divergences(*two)) for two in itertools.combinations(laws, 2)))
    return worst


@pytest.mark.parametrize("epsilon", [0.5, 6.0])
@pytest.mark.parametrize(("count", "changed"), [(2, 1), (3, 1), (3, 2)])
def test_no_lists_tell_more_than_promised(count, changed, epsilon):
    assert 0.3 * epsilon < worst_of_lists(count, changed, epsilon) <= epsilon + 1e-9


def test_half_the_sensitivity_is_caught():
    """As if a changed entry moved the score by 1 and not by 2."""
    assert worst_of_lists(3, 1, 2 * 0.5) > 0.5 * 1.1


# ---------------------------------------------------------------- from rank queries


def both_laws(x, y, at, epsilon):
    """The law from rank queries and the law from lists."""
    data, grid = Dataset(x, y), PublicGrid(*ENDS, np.array(at))
    changed, lists = epsilon / (data.n - 1), data.pair_lists(grid)
    by_ranks = joint_medians([data.pair_ranks(grid, place) for place in range(len(at))], changed, grid)
    points = [RankBounds.of_list(edges) for edges in lists]
    return by_ranks, JointMedians(points, lists[0].size - 2, changed / 4)


def apart(law, exact):
    t = np.concatenate([exact.ppf(np.linspace(0, 1, 401)), law.ppf(np.linspace(0, 1, 401)), np.linspace(*ENDS, 401)])
    return np.abs(law.cdf(t) - exact.cdf(t)).max()


def assert_same(by_ranks, exact, least_error=1e-3):
    for law, listed in zip(by_ranks.marginals(), exact.marginals(), strict=True):
        assert apart(law, listed) <= law.cdf_error + 1e-9
        assert law.cdf_error <= least_error
    for bound, true in zip(by_ranks.log_totals, exact.log_totals, strict=True):
        assert bound == pytest.approx(true, abs=2 * least_error)


def assert_same_draws(by_ranks, exact, size=1500):
    draws, listed = (law.sample(size, np.random.default_rng(seed)) for seed, law in enumerate((by_ranks, exact)))
    for score in (lambda r: r[:, 0], lambda r: r[:, -1], lambda r: r[:, 0] - r[:, -1], partial(np.max, axis=1)):
        assert stats.ks_2samp(score(draws), score(listed)).pvalue > 1e-4


@pytest.mark.parametrize("name", [*nasty(), *awkward(3)])
@pytest.mark.parametrize("epsilon", [0.06, 2.0, 1e3])
def test_laws_by_ranks_are_those_from_lists(name, epsilon):
    by_ranks, exact = both_laws(*(nasty() | awkward(60))[name], (0.25, 0.5), epsilon)
    assert_same(by_ranks, exact)
    assert_same_draws(by_ranks, exact)
    lower = joint_median_divergences(by_ranks, exact)
    assert max(lower) <= 1e-6
    assert sum(bounds.rank.counts.queries for bounds in by_ranks.points) < 200


@pytest.mark.parametrize("n", [3, 4, 5, 40, 401])
@pytest.mark.parametrize("at", [(0.25,), (0.25, 0.75), (0.0, 0.5, 1.0)])
def test_laws_by_ranks_on_plain_data(n, at):
    assert_same(*both_laws(*synthetic(n, n), at, 1.0))


@pytest.mark.parametrize("name", ["binary", "zero-inflated", "two decimals", "collinear", "x in {0, 1}"])
def test_draws_are_exact_however_little_is_known(name, monkeypatch):
    """Where no query may be spent on more than a factor of two, and nothing is listed."""
    monkeypatch.setattr(by_rank, "_QUERIES", 0)
    monkeypatch.setattr(by_rank, "_worth_listing", lambda *_: False)
    by_ranks, exact = both_laws(*awkward(200)[name], (0.25, 0.75), 1.0)
    queries = sum(bounds.rank.counts.queries for bounds in by_ranks.points)
    assert by_ranks.gaps.sum() <= 1 and queries < 800
    for law, listed in zip(by_ranks.marginals(), exact.marginals(), strict=True):
        assert apart(law, listed) <= law.cdf_error + 1e-9
    assert_same_draws(by_ranks, exact)
    drawn = by_ranks.marginals()[1].sample(1500, np.random.default_rng(3))
    assert stats.kstest(drawn, exact.marginals()[1].cdf).pvalue > 1e-4


def test_a_coarse_law_asks_ranks_of_some_draws(monkeypatch):
    monkeypatch.setattr(by_rank, "_QUERIES", 0)
    monkeypatch.setattr(by_rank, "_worth_listing", lambda *_: False)
    by_ranks, exact = both_laws(*synthetic(500, 11), (0.25, 0.75), 3.0)
    queries = sum(bounds.rank.counts.queries for bounds in by_ranks.points)
    assert_same_draws(by_ranks, exact, 3000)
    assert sum(bounds.rank.counts.queries for bounds in by_ranks.points) > queries + 100


def test_certain_lower_bounds_by_ranks_are_below_the_loss():
    x, y = synthetic(60, 4)
    moved = np.append(1.0, x[1:]), np.append(0.0, y[1:])
    (here, listed), (there, other) = (both_laws(*each, (0.25, 0.75), 2.0) for each in ((x, y), moved))
    exact = joint_median_divergences(listed, other)
    for pair in ((here, there), (here, other), (listed, there)):
        for bound, supremum in zip(joint_median_divergences(*pair), exact, strict=True):
            assert 0.9 * supremum < bound <= supremum + 1e-9
        assert (joint_median_renyi(*pair, ORDERS) <= joint_median_renyi(listed, other, ORDERS) + 1e-9).all()


def test_a_law_by_ranks_is_sent_to_other_processes():
    by_ranks = both_laws(*synthetic(50, 1), (0.25, 0.75), 1.0)[0]
    again = pickle.loads(pickle.dumps(by_ranks))
    np.testing.assert_array_equal(*(law.sample(20, np.random.default_rng(1)) for law in (by_ranks, again)))
    with pytest.raises(ValueError, match="rng"):
        by_ranks.marginals()[0].sample(5, 7)


def test_many_records_need_few_queries():
    data, grid = Dataset(*synthetic(6000, 1)), PublicGrid(*ENDS, np.array([0.25, 0.75]))
    law = joint_medians([data.pair_ranks(grid, place) for place in (0, 1)], 1.0 / 5999, grid)
    queries = sum(bounds.rank.counts.queries for bounds in law.points)
    assert queries < 60 and all(each.cdf_error <= 1e-3 for each in law.marginals())
    law.sample(1000, np.random.default_rng(0))
    assert sum(bounds.rank.counts.queries for bounds in law.points) < queries + 20
