"""Laws from rank queries against the laws from the sorted list on the same grid; exact draws; honest error bounds."""

import pickle

import numpy as np
import pytest
from scipy import stats

from dpslr_core import Dataset
from dpslr_core.laws import by_rank, medians
from dpslr_core.laws.by_rank import StaircaseLaw, exponential_law, widened_law
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.pairs.grid import PublicGrid
from dpslr_core.pairs.ranks import CellCounts
from tests.cases.pairs import awkward, nasty, on_grid, synthetic

RANGES = [(-0.5, 1.5), (0.4137, 0.5213), (0.9137, 2.0), (-2.0, 0.0713)]
AT = 0.5


def both_laws(x, y, at, epsilon, bounds, theta=None, tolerance=1e-3):
    """The law by ranks and the law from the sorted list, with the share of one point over n - 1."""
    grid, ranks, z = on_grid(x, y, at, *bounds)
    changed = epsilon / (x.size - 1)
    if theta is None:
        pieces = medians.exponential_pieces(z, changed, *grid.range)
        return exponential_law(ranks, changed, grid, tolerance), PiecewiseUniform(*pieces)
    pieces = medians.widened_pieces(z, changed, *grid.range, grid.rounded(theta))
    return widened_law(ranks, changed, grid, theta, tolerance), PiecewiseUniform(*pieces)


def apart(law, exact):
    """The largest distance of the two cdfs over where either has mass and over the range."""
    q = np.linspace(0, 1, 801)
    t = np.concatenate([exact.ppf(q), law.ppf(q), np.linspace(law.edges[0], law.edges[-1], 801)])
    return np.abs(law.cdf(t) - exact.cdf(t)).max()


@pytest.mark.parametrize("name", nasty())
@pytest.mark.parametrize("bounds", RANGES)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 30.0])
def test_exponential_law_agrees_on_nasty_data(name, bounds, epsilon):
    law, exact = both_laws(*nasty()[name], AT, epsilon, bounds)
    assert apart(law, exact) <= law.cdf_error + 1e-6
    assert law.cdf_error <= 1e-3


@pytest.mark.parametrize("name", nasty())
@pytest.mark.parametrize("bounds", RANGES)
@pytest.mark.parametrize("theta", [0.0, 0.01, 0.1, 5.0])
def test_widened_law_agrees_on_nasty_data(name, bounds, theta):
    law, exact = both_laws(*nasty()[name], AT, 2.0, bounds, theta)
    assert apart(law, exact) <= law.cdf_error + 1e-6
    assert law.cdf_error <= 1e-3


@pytest.mark.parametrize("n", [3, 4, 5, 40, 401, 1500])
@pytest.mark.parametrize("theta", [None, 0.02])
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 50.0])
def test_laws_agree_on_plain_data(n, theta, epsilon):
    law, exact = both_laws(*synthetic(n, n), 0.25, epsilon, (-0.5, 1.5), theta)
    assert apart(law, exact) <= law.cdf_error + 1e-9
    assert law.cdf_error <= 1e-3
    q = np.array([0.0, 0.05, 0.5, 0.9, 1.0])
    np.testing.assert_allclose(exact.cdf(law.ppf(q)), q, atol=1e-3)
    inside = exact.ppf(np.array([0.2, 0.35, 0.8]))
    np.testing.assert_allclose(law.logpdf(inside), exact.logpdf(inside), atol=0.01 + 2 * epsilon / (n - 1))


@pytest.mark.parametrize("theta", [None, 0.01])
def test_laws_agree_where_estimates_are_binned(theta, monkeypatch):
    monkeypatch.setattr(by_rank, "_STEPS", 1 << 16)
    law, exact = both_laws(*synthetic(1200, 3), 0.25, 0.2, (-0.5, 1.5), theta)
    assert np.any(law.log_low < law.log_high)
    assert apart(law, exact) <= law.cdf_error <= 1e-3


def test_a_smaller_tolerance_is_kept():
    law, exact = both_laws(*synthetic(800, 3), 0.75, 1.0, (-0.5, 1.5), tolerance=1e-6)
    assert apart(law, exact) <= law.cdf_error + 1e-12
    assert law.cdf_error <= 1e-6


def test_few_queries_leave_a_wide_but_true_bound(monkeypatch):
    monkeypatch.setattr(by_rank, "_QUERIES", 60)
    monkeypatch.setattr(by_rank, "_worth_listing", lambda *_: False)
    law, exact = both_laws(*synthetic(700, 1), 0.25, 1.0, (-0.5, 1.5))
    assert 0.005 < law.cdf_error < 0.5
    assert apart(law, exact) <= law.cdf_error


def coarse_law(monkeypatch, n=500, theta=None):
    """A law of two dozen pieces, which leaves many draws to the exact density, and what it should be."""
    monkeypatch.setattr(by_rank, "_QUERIES", 14 if theta else 30)
    monkeypatch.setattr(by_rank, "_worth_listing", lambda *_: False)
    return both_laws(*synthetic(n, 11), 0.25, 3.0, (-0.5, 1.5), theta)


@pytest.mark.parametrize("theta", [None, 0.01])
def test_draws_are_exact_whatever_the_staircase(theta, monkeypatch):
    law, exact = coarse_law(monkeypatch, theta=theta)
    queries = law.log_density.counts.queries
    draws = law.sample(3000, np.random.default_rng(5))
    assert draws.shape == (3000,)
    assert law.log_density.counts.queries > queries + 100  # the squeeze did not decide by itself
    assert stats.kstest(draws, exact.cdf).pvalue > 0.01
    for factor in (2 / 3, 3 / 2):
        scaled = exact.median + factor * (draws - exact.median)
        assert stats.kstest(scaled, exact.cdf).pvalue < 1e-6


@pytest.mark.parametrize("name", nasty())
@pytest.mark.parametrize("theta", [None, 0.05])
def test_draws_on_nasty_data(name, theta):
    law, exact = both_laws(*nasty()[name], AT, 2.0, (-0.5, 1.5), theta)
    draws = law.sample(1500, np.random.default_rng(6))
    assert np.all((draws >= -0.5) & (draws <= 1.5))
    assert stats.kstest(draws, exact.cdf).pvalue > 1e-3


def test_draws_depend_on_the_generator_alone():
    x, y = synthetic(900, 2)
    grid, ranks, _ = on_grid(x, y, 0.25)
    laws = [exponential_law(ranks, 1e-3, grid) for _ in range(2)]
    np.testing.assert_array_equal(laws[0].edges, laws[1].edges)
    first, second = (law.sample(50, np.random.default_rng(1)) for law in laws)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(first, laws[0].sample(50, np.random.default_rng(1)))
    again = pickle.loads(pickle.dumps(laws[0]))
    np.testing.assert_array_equal(first, again.sample(50, np.random.default_rng(1)))
    with pytest.raises(ValueError, match="rng"):
        laws[0].sample(5, 7)


def test_order_of_the_records_changes_nothing():
    x, y = synthetic(600, 4)
    order = np.random.default_rng(0).permutation(600)
    t = np.linspace(0.2, 0.45, 101)
    laws = []
    for rows in (slice(None), order):
        grid, ranks, _ = on_grid(x[rows], y[rows], 0.25)
        laws.append(exponential_law(ranks, 1e-3, grid))
    one, other = laws
    np.testing.assert_allclose(one.cdf(t), other.cdf(t), atol=one.cdf_error + other.cdf_error)


def test_error_bound_is_that_of_the_exact_law():
    law, exact = both_laws(*synthetic(1000, 9), 0.25, 1.0, (-0.5, 1.5))
    for q in (50, 68, 95):
        assert law.error_bound(q, 0.33) == pytest.approx(exact.error_bound(q, 0.33), rel=0.01)


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


@pytest.mark.parametrize(("arguments", "message"), [((0.0, 1e-3), "epsilon"), ((1.0, -1.0), "tolerance")])
def test_wrong_arguments_are_named(arguments, message):
    grid, ranks, _ = on_grid(*synthetic(10, 0), 0.25)
    with pytest.raises(ValueError, match=message):
        exponential_law(ranks, arguments[0], grid, arguments[1])


def test_a_large_data_set_needs_few_queries_and_little_memory():
    x, y = synthetic(20_000, 1)
    grid = PublicGrid(-0.5, 1.5, np.array([0.25]))
    ranks = Dataset(x, y).pair_ranks(grid, 0)
    law = exponential_law(ranks, 0.5 / 19_999, grid)
    queries = law.log_density.counts.queries
    assert queries < 60 and law.cdf_error <= 1e-3
    law.sample(1000, np.random.default_rng(0))
    assert law.log_density.counts.queries < queries + 10
    counts = CellCounts(ranks, grid.first, grid.last)
    middle = (grid.first + counts.position(counts.total // 2)) * grid.spacing
    assert law.cdf(middle) == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("name", awkward(3))
@pytest.mark.parametrize("theta", [None, 0.01])
def test_at_least_every_second_proposal_is_accepted_whatever_the_data(name, theta, monkeypatch):
    """Even where no query may be spent on more than that, and nothing is listed."""
    monkeypatch.setattr(by_rank, "_QUERIES", 0)
    monkeypatch.setattr(by_rank, "_worth_listing", lambda *_: False)
    law, exact = both_laws(*awkward(300)[name], 0.25, 1.0, (-0.5, 1.5), theta)
    width = np.diff(law.edges)
    low, high = (np.sum(width * np.exp(log - law.log_high.max())) for log in (law.log_low, law.log_high))
    assert 0.5 * high <= low <= high
    assert law.log_density.counts.queries < 1000
    assert stats.kstest(law.sample(1500, np.random.default_rng(6)), exact.cdf).pvalue > 1e-3
