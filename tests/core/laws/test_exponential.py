"""Laws from rank queries against the laws from the sorted list on the same grid; exact draws; honest error bounds."""

import pickle
from itertools import product

import numpy as np
import pytest
from scipy import stats

from dpslr_core import Dataset
from dpslr_core.laws import by_rank, medians
from dpslr_core.laws.by_rank import StaircaseLaw, exponential_law, widened_law
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.pairs import ranks as by_queries
from dpslr_core.pairs.grid import PublicGrid
from tests.cases.pairs import awkward, nasty, on_grid, synthetic

RANGES = [(-0.5, 1.5), (0.4137, 0.5213), (0.9137, 2.0), (-2.0, 0.0713)]
AT = 0.5


def both_laws(x, y, at, epsilon, bounds, theta=None):
    """The law by ranks and the law from the sorted list, with the share of one point over n - 1."""
    grid, ranks, z = on_grid(x, y, at, *bounds)
    changed = epsilon / (x.size - 1)
    if theta is None:
        pieces = medians.exponential_pieces(z, changed, *grid.range)
        return exponential_law(ranks, changed, grid), PiecewiseUniform(*pieces)
    pieces = medians.widened_pieces(z, changed, *grid.range, grid.rounded(theta))
    return widened_law(ranks, changed, grid, theta), PiecewiseUniform(*pieces)


def apart(law, exact):
    """The largest distance of the two cdfs over where either has mass and over the range."""
    q = np.linspace(0, 1, 801)
    t = np.concatenate([exact.ppf(q), law.ppf(q), np.linspace(law.edges[0], law.edges[-1], 801)])
    return np.abs(law.cdf(t) - exact.cdf(t)).max()


def check_agree(law, exact, slack, case):
    """The law by ranks is as near to that of the list as it says, and as near as it was asked for."""
    assert apart(law, exact) <= law.cdf_error + slack, case
    assert law.cdf_error <= 1e-3, case


def test_laws_agree_on_nasty_data():
    """The exponential mechanism, and widened by several theta."""
    kinds = (0.1, None), (30.0, None), (2.0, 0.0), (2.0, 0.1), (2.0, 5.0)
    for name, bounds, (epsilon, theta) in product(nasty(), RANGES, kinds):
        laws = both_laws(*nasty()[name], AT, epsilon, bounds, theta)
        check_agree(*laws, 1e-6, (name, bounds, epsilon, theta))


def test_laws_agree_on_plain_data():
    for n, epsilon, theta in product((3, 4, 5, 401, 1500), (0.05, 50.0), (None, 0.02)):
        law, exact = both_laws(*synthetic(n, n), 0.25, epsilon, (-0.5, 1.5), theta)
        check_agree(law, exact, 1e-9, (n, epsilon, theta))
        inside = exact.ppf(np.array([0.2, 0.35, 0.8]))
        slack = 0.01 + 2 * epsilon / (n - 1)
        np.testing.assert_allclose(law.logpdf(inside), exact.logpdf(inside), atol=slack)
        bounds = [each.error_bounds((50, 95), 0.33) for each in (law, exact)]
        np.testing.assert_allclose(*bounds, rtol=0.01)


def test_laws_agree_where_estimates_are_binned_and_where_a_smaller_error_is_asked_for(monkeypatch):
    with monkeypatch.context() as finer:
        finer.setattr(by_queries, "TOLERANCE", 1e-6)
        law, exact = both_laws(*synthetic(800, 3), 0.75, 1.0, (-0.5, 1.5))
    assert apart(law, exact) - 1e-12 <= law.cdf_error <= 1e-6
    monkeypatch.setattr(by_rank, "_STEPS", 1 << 16)
    for theta in (None, 0.01):
        law, exact = both_laws(*synthetic(1200, 3), 0.25, 0.2, (-0.5, 1.5), theta)
        assert np.any(law.log_low < law.log_high)
        assert apart(law, exact) <= law.cdf_error <= 1e-3


@pytest.fixture
def few_queries(monkeypatch):
    """Allow a number of rank queries, and list nothing."""
    monkeypatch.setattr(by_rank, "_worth_listing", lambda *_: False)
    return lambda most: monkeypatch.setattr(by_rank, "_QUERIES", most)


def test_draws_are_exact_whatever_the_staircase(few_queries):
    """A law of two dozen pieces leaves many draws to the exact density."""
    for theta, most in ((None, 30), (0.01, 14)):
        few_queries(most)
        law, exact = both_laws(*synthetic(500, 11), 0.25, 3.0, (-0.5, 1.5), theta)
        assert apart(law, exact) <= law.cdf_error
        assert 0.005 < law.cdf_error < 0.6
        queries = law.log_density.counts.queries
        draws = law.sample(3000, np.random.default_rng(5))
        assert law.log_density.counts.queries > queries + 100
        assert stats.kstest(draws, exact.cdf).pvalue > 0.01


def test_at_least_every_second_proposal_is_accepted_whatever_the_data(few_queries):
    """Even where no query may be spent on more than that."""
    few_queries(0)
    for name, theta in product(awkward(3), (None, 0.01)):
        law, exact = both_laws(*awkward(300)[name], 0.25, 1.0, (-0.5, 1.5), theta)
        width = np.diff(law.edges)
        low, high = (np.sum(width * np.exp(log - law.log_high.max())) for log in (law.log_low, law.log_high))
        assert 0.5 * high <= low <= high, name
        assert law.log_density.counts.queries < 1000, name
        draws = law.sample(1500, np.random.default_rng(6))
        assert stats.kstest(draws, exact.cdf).pvalue > 1e-3, (name, theta)


def test_a_law_is_sent_to_other_processes_and_refuses_wrong_arguments():
    grid, ranks, _ = on_grid(*synthetic(900, 2), 0.25)
    law = exponential_law(ranks, 1e-3, grid)
    draws = [each.sample(50, np.random.default_rng(1)) for each in (law, pickle.loads(pickle.dumps(law)))]
    np.testing.assert_array_equal(*draws)
    with pytest.raises(ValueError, match="rng"):
        law.sample(5, 7)
    with pytest.raises(ValueError, match="epsilon"):
        exponential_law(ranks, 0.0, grid)


def test_a_large_data_set_needs_few_queries():
    grid = PublicGrid(-0.5, 1.5, np.array([0.25]))
    law = exponential_law(Dataset(*synthetic(20_000, 1)).pair_ranks(grid, 0), 0.5 / 19_999, grid)
    queries = law.log_density.counts.queries
    assert queries < 60 and law.cdf_error <= 1e-3
    law.sample(1000, np.random.default_rng(0))
    assert law.log_density.counts.queries < queries + 10


def test_cdf_error_holds_for_any_density_between_the_staircases():
    rng = np.random.default_rng(3)
    edges = np.sort(rng.random(9))
    low = rng.normal(0, 2, 8)
    high = low + rng.exponential(0.5, 8)
    law = StaircaseLaw(edges, low, high, lambda r, piece: high[piece])
    for _ in range(200):
        other = PiecewiseUniform(edges, np.where(rng.random(8) < 0.5, low, high))
        assert np.abs(other.cdf(edges) - law.cdf(edges)).max() <= law.cdf_error
    assert np.isfinite(law.logpdf(edges[3])) and law.cdf(edges[-1]) == 1
    np.testing.assert_allclose(law.cdf(law.ppf([0.1, 0.7])), [0.1, 0.7])
