"""The joint law of medians at several points: against the definition cell by cell, and by ranks against lists."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from dpslr_core import Dataset
from dpslr_core.laws import by_rank, medians
from dpslr_core.laws.by_rank import joint_medians
from dpslr_core.laws.divergence import joint_median_divergences, joint_median_renyi
from dpslr_core.laws.joint import JointLaw, JointMedianLaw, RankBounds
from dpslr_core.pairs import with_ends
from dpslr_core.pairs.grid import PublicGrid
from tests.cases.long_lists import as_drawn
from tests.cases.pairs import awkward, synthetic
from tests.reference import paper as reference

ENDS = (-0.5, 1.5)
ORDERS = np.array([1.001, 1.5, 2.0, 30.0])
values = st.sampled_from([-0.5, -0.25, 0.0, 0.125, 0.25, 0.5, 1.0, 1.5])


def of_lists(lists, epsilon):
    points = [RankBounds.of_list(with_ends(np.array(sorted(z), dtype=float), *ENDS)) for z in lists]
    return JointMedianLaw(points, len(lists[0]), epsilon / 4)


def lists_of(points):
    return st.integers(1, 7).flatmap(
        lambda count: st.lists(
            st.lists(values, min_size=count, max_size=count), min_size=points, max_size=points
        )
    )


def middles(cells):
    """The points in the middle of each cell, shape (cells, m)."""
    return np.array([[(left + right) / 2 for left, right in cell] for cell, _ in cells])


@given(st.one_of(lists_of(1), lists_of(2), lists_of(3)), st.sampled_from([1e-3, 0.5, 4.0, 60.0]))
@settings(max_examples=150)
def test_the_law_is_its_definition(lists, epsilon):
    law, cells = of_lists(lists, epsilon), reference.joint_density(lists, epsilon, *ENDS)
    density = [density for _, density in cells]
    mixture = JointLaw(law.parts)
    for point, value in zip(middles(cells), density, strict=True):
        found = np.exp(mixture.log_density([np.array([r]) for r in point])).item()
        assert found == pytest.approx(value, rel=1e-9, abs=1e-290)
    for place, marginal in enumerate(law.marginals()):
        for left, right, value in reference.density_at(cells, place):
            assert np.exp(marginal.logpdf((left + right) / 2)) == pytest.approx(
                value, rel=1e-9, abs=1e-290
            )
            assert marginal.cdf(right) - marginal.cdf(left) == pytest.approx(
                (right - left) * value, rel=1e-9, abs=1e-12
            )


LISTS = [
    [-0.5, 0.0, 0.0, 0.2, 0.21, 0.9, 1.5],
    [0.1, 0.3, 0.3, 0.3, 0.3, 0.8, 0.9],
    [0.2, 0.2, 0.4, 0.5, 0.5, 0.6, 0.7],
]
MOVED = [[*z[1:], 1.5] for z in LISTS]


def cell_counts(cells, draws):
    """How many draws, shape (size, m), fall into each cell."""
    sides = [
        sorted({side for cell, _ in cells for side in cell[place]})
        for place in range(draws.shape[1])
    ]
    table, _ = np.histogramdd(draws, bins=sides)
    return np.array(
        [table[tuple(s.index(c[0]) for s, c in zip(sides, cell, strict=True))] for cell, _ in cells]
    )


def draw_together(lists, epsilon, size, rng):
    """Draws with the lists of every trial in an order of their own."""
    rows = np.array([[rng.permuted(z) for _ in range(size)] for z in lists])
    return medians.draw_together(as_drawn(rows), epsilon, *ENDS, rng).T


def sample(lists, epsilon, size, rng):
    return of_lists(lists, epsilon).sample(size, rng)


@pytest.mark.parametrize("points", [1, 2, 3])
def test_draws_follow_the_joint_density(points):
    """All cells together."""
    for draw, epsilon in product((sample, draw_together), (1.5, 4.0)):
        draws = draw(LISTS[:points], epsilon, 6000, np.random.default_rng(points))
        cells = reference.joint_density(LISTS[:points], epsilon, *ENDS)
        masses = np.array([density * np.prod(np.diff(cell, axis=1)) for cell, density in cells])
        often, both = masses > 1e-3, (cell_counts(cells, draws), masses)
        counts, shares = (np.append(part[often], part[~often].sum() + 1e-9) for part in both)
        assert stats.chisquare(counts, shares * (counts.sum() / shares.sum())).pvalue > 1e-3, (
            draw,
            epsilon,
        )


# ---------------------------------------------------------------- how far apart


def brute_force(lists, others, epsilon, orders):
    """The suprema of the log ratio both ways, and Rényi divergences, cell by cell of both lists' values."""
    both = [[*z, *w] for z, w in zip(lists, others, strict=True)]
    cells = [cell for cell, _ in reference.joint_density(both, epsilon, *ENDS)]
    volumes = np.array([np.prod(np.diff(cell, axis=1)) for cell in cells])
    logs = []
    for each in (lists, others):
        scores = np.array(
            [
                max(reference.utility(z, sum(side) / 2) for z, side in zip(each, cell, strict=True))
                for cell in cells
            ]
        )
        log_density = -epsilon * scores / 4
        logs.append(log_density - np.log(np.sum(volumes * np.exp(log_density))))
    ratio = logs[0] - logs[1]
    renyi = [np.log(np.sum(volumes * np.exp(logs[0] + (a - 1) * ratio))) / (a - 1) for a in orders]
    return ratio.max(), (-ratio).max(), np.array(renyi)


@given(lists_of(2), lists_of(2), st.sampled_from([0.1, 1.0, 8.0]))
@example(LISTS[:1], MOVED[:1], 2.0)
@example(LISTS, MOVED, 2.0)
@settings(max_examples=80)
def test_divergences_are_those_over_all_cells(lists, others, epsilon):
    count = min(len(lists[0]), len(others[0]))
    lists, others = ([z[:count] for z in each] for each in (lists, others))
    law, other = of_lists(lists, epsilon), of_lists(others, epsilon)
    forth, back, renyi = brute_force(lists, others, epsilon, ORDERS)
    assert joint_median_divergences(law, other) == pytest.approx((forth, back), rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(joint_median_renyi(law, other, ORDERS), renyi, rtol=1e-7, atol=1e-9)


# ---------------------------------------------------------------- from rank queries


def both_laws(x, y, at, epsilon):
    """The law from rank queries and the law from lists."""
    data, grid = Dataset(x, y), PublicGrid(*ENDS, np.array(at))
    changed, lists = epsilon / (data.n - 1), data.pair_lists(grid)
    by_ranks = joint_medians(
        [data.pair_ranks(grid, place) for place in range(len(at))], changed, grid
    )
    points = [RankBounds.of_list(edges) for edges in lists]
    return by_ranks, JointMedianLaw(points, lists[0].size - 2, changed / 4)


def queries_of(law):
    return sum(bounds.rank.args[0].queries for bounds in law.points)


def check_same_draws(by_ranks, exact, size=1500):
    draws, listed = (
        law.sample(size, np.random.default_rng(seed)) for seed, law in enumerate((by_ranks, exact))
    )
    for score in (lambda r: r[:, 0], lambda r: r[:, 0] - r[:, -1], partial(np.max, axis=1)):
        assert stats.ks_2samp(score(draws), score(listed)).pvalue > 1e-4


@pytest.fixture
def no_queries(monkeypatch):
    """No query may be spent on more than a factor of two, and nothing is listed."""
    monkeypatch.setattr(by_rank, "_QUERIES", 0)
    monkeypatch.setattr(by_rank, "_worth_listing", lambda *_: False)


def test_draws_are_exact_however_little_is_known(no_queries):
    for name in ("binary", "two decimals", "x in {0, 1}"):
        by_ranks, exact = both_laws(*awkward(200)[name], (0.25, 0.75), 1.0)
        assert by_ranks.gaps.sum() <= 1 and queries_of(by_ranks) < 800
        check_same_draws(by_ranks, exact)


def test_certain_lower_bounds_by_ranks_are_below_the_loss():
    x, y = synthetic(60, 4)
    moved = np.append(1.0, x[1:]), np.append(0.0, y[1:])
    (here, listed), (there, other) = (
        both_laws(*each, (0.25, 0.75), 2.0) for each in ((x, y), moved)
    )
    exact = joint_median_divergences(listed, other)
    for pair in ((here, there), (here, other), (listed, there)):
        for bound, supremum in zip(joint_median_divergences(*pair), exact, strict=True):
            assert 0.9 * supremum < bound <= supremum + 1e-9
        assert (
            joint_median_renyi(*pair, ORDERS) <= joint_median_renyi(listed, other, ORDERS) + 1e-9
        ).all()
