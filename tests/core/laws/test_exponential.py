"""Laws from rank queries against the laws from the sorted list on the same grid; exact draws; honest error bounds."""

import numpy as np
import pytest
from scipy import stats

from dpslr_core.laws import by_rank, medians
from dpslr_core.laws.by_rank import StaircaseLaw, exponential_law, widened_law
from dpslr_core.laws.piecewise import PiecewiseUniform
from tests.cases.pairs import on_grid, synthetic


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
        queries = law.log_density.args[0].queries
        draws = law.sample(3000, np.random.default_rng(5))
        assert law.log_density.args[0].queries > queries + 100
        assert stats.kstest(draws, exact.cdf).pvalue > 0.01


def test_cdf_error_holds_for_any_density_between_the_staircases():
    rng = np.random.default_rng(3)
    edges = np.sort(rng.random(9))
    low = rng.normal(0, 2, 8)
    high = low + rng.exponential(0.5, 8)
    law = StaircaseLaw(edges, low, high, lambda r, piece: high[piece])
    for _ in range(200):
        other = PiecewiseUniform(edges, np.where(rng.random(8) < 0.5, low, high))
        assert np.abs(other.cdf(edges) - law.cdf(edges)).max() <= law.cdf_error
