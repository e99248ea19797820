"""The mixture of two laws: an average of both, its numbers by another route, found together and in few looks."""

from __future__ import annotations

import numpy as np
import pytest
from cases import DATASETS

from dpslr_core import Dataset, simulate_linear
from dpslr_core.laws import Laplace, StudentT, quantile_search
from dpslr_core.laws.either import Either
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.laws.quantile_search import measure_together
from dpslr_core.laws.ratio_quadrature import averaged_tails
from dpslr_core.laws.roots import root_beyond_kinks
from dpslr_core.mechanisms import DPExpTheilSen, NoisyStats

QS = (5, 68, 95)
AWKWARD = ("even n", "tied x", "on a line", "three records", "duplicated records", "corners", "nearly constant x")
STEEP = PiecewiseUniform(np.array([-1.0, 0.0, 1e-13, 1.0]), np.array([0.0, 40.0, -3.0]))  # nearly a jump at 0


def mixtures(data: Dataset, epsilon: float, probability: float, at=(0.3, 0.8)) -> list[Either]:
    both = zip(NoisyStats().law(data, epsilon, at), DPExpTheilSen().law(data, epsilon, at), strict=True)
    return [Either(*laws, probability, 1 - probability) for laws in both]


def within(law, center, c):
    """The mass up to c from the center, from the cdf alone."""
    return np.where(np.less(c, 0), 0.0, law.cdf(center + c) - law.cdf(np.nextafter(center - c, -np.inf)))


def area(n: int = 70, seed: int = 4) -> Dataset:
    return Dataset(*simulate_linear(n, 0.05, 0.04, rng=np.random.default_rng(seed)))


@pytest.mark.parametrize("probability", [1e-15, 0.3, 1 - 1e-9])
def test_every_verb_is_the_weighted_average(probability):
    law = mixtures(area(), 4.0, probability)[0]
    t = np.linspace(-3, 4, 41)
    for found, verb in ((law.cdf(t), "cdf"), (np.exp(law.logpdf(t)), "density")):
        first, second = (one.cdf(t) if verb == "cdf" else np.exp(one.logpdf(t)) for one in (law.first, law.second))
        np.testing.assert_allclose(found, probability * first + (1 - probability) * second, rtol=1e-12)
    assert law.failure == pytest.approx(probability * law.first.failure, rel=1e-12)
    assert law.exact and law.how == "exact law" and law.error_bound_interval(68, 0.4) == (law.error_bound(68, 0.4),) * 2


@pytest.mark.parametrize("probability", [1e-16, 1e-6, 0.1, 0.6, 1 - 1e-7])
@pytest.mark.parametrize("epsilon", [0.05, 3.0, 300.0])
@pytest.mark.parametrize("name", AWKWARD)
def test_numbers_hold_their_shares_and_no_more_whoever_is_asked_with_them(name, epsilon, probability):
    laws = mixtures(DATASETS[name], epsilon, probability)
    for away in (0.0, 0.3, -40.0):
        centers = [law.median + away * float(law.ppf(0.4) - law.ppf(0.1)) for law in laws]
        found = measure_together(laws, QS, centers)
        for law, center, (bounds, median) in zip(laws, centers, found, strict=True):
            alone = law.measure(QS, center)
            np.testing.assert_array_equal(bounds, alone[0])
            assert median == alone[1] == law.median
            half, grain = 0.5 * (1 - law.failure), 1e-14 + 2 * np.spacing(abs(median))
            assert law.cdf(median - grain) - 1e-11 <= half <= law.cdf(median + grain) + 1e-11
            shares = np.array(QS) / 100
            possible = shares + 2e-11 <= 1 - law.failure
            assert (np.isinf(bounds) | (shares <= 1 - law.failure))[~possible].all()
            c, shares = bounds[possible], shares[possible]
            slack = 1e-10 * c + 8 * np.spacing(abs(center))
            assert (within(law, center, c - slack) - 1e-11 <= shares).all()
            assert (shares <= within(law, center, c + slack) + 1e-11).all()


def test_quantiles_of_laws_that_neither_fail_nor_share_anything():
    law = Either(StudentT(0.0, 3.0, 0.5), Laplace(5.0, 1e-3), 0.4, 0.6)
    q = np.array([0, 1e-6, 0.1, 0.2, 0.5, 0.85, 0.999999, 1])
    t = law.ppf(q)
    np.testing.assert_allclose(law.cdf(t), q, rtol=1e-10)
    assert t[0] == -np.inf and t[-1] == np.inf and np.isnan(law.ppf([-0.1, 1.1, np.nan])).all()
    assert law.ppf(np.empty(0)).shape == (0,) and law.error_bound(100, 0.0) == np.inf


def test_bounded_laws_end_where_they_end():
    law = Either(PiecewiseUniform(np.array([0.0, 1.0]), np.zeros(1)), STEEP, 0.5, 0.5)
    np.testing.assert_allclose(law.ppf([0, 1e-9, 1]), [-1, law.ppf(1e-9), 1])
    assert law.error_bound(100, 0.5) == pytest.approx(1.5, rel=1e-9)


@pytest.mark.parametrize("probability", [0.002, 0.1, 0.5, 0.95])
@pytest.mark.parametrize("epsilon", [2.0, 16.0])
def test_numbers_of_a_small_area_take_few_evaluations(probability, epsilon, monkeypatch):
    evaluated = []

    def counted(*arguments):
        evaluated.append(1)
        return averaged_tails(*arguments)

    monkeypatch.setattr("dpslr_core.laws.noisy.averaged_tails", counted)
    data = area()
    laws = mixtures(data, epsilon, probability, (0.25, 0.75))
    measure_together(laws, (68, 95), data.predict([0.25, 0.75]).tolist())
    assert 1 <= len(evaluated) <= 5


def test_roots_behind_cliffs_and_on_plains():
    """Begun on a cliff above 1, where a tiny step proves nothing, with the root far off on the plain below it."""
    shift = np.array([0.5, -0.3, 0.999999])

    def excess(x, which):
        steep = x > 1
        value = np.where(steep, 1e-9 + 1e15 * (x - 1), 1e-9 * x) - 1e-9 * shift[which]
        return 1e9 * value, 1e9 * np.where(steep, 1e15, 1e-9)

    start, ends = np.full(3, 1 + 1e-12), np.full(3, 500.0)
    found = root_beyond_kinks(excess, start, -ends, ends, np.zeros(3))
    np.testing.assert_allclose(found, shift, rtol=1e-9)


def test_looks_are_shared_by_the_points(monkeypatch):
    """Two points of one data set: no look more than one of them takes, or a single one."""
    counts = []
    plain = quantile_search._excess

    def counted(*arguments, **options):
        counts.append(1)
        return plain(*arguments, **options)

    monkeypatch.setattr(quantile_search, "_excess", counted)
    data = area()
    laws, centers = mixtures(data, 8.0, 0.2, (0.25, 0.75)), data.predict([0.25, 0.75]).tolist()
    measure_together(laws, (68, 95), centers)
    together = len(counts)
    counts.clear()
    for law, center in zip(laws, centers, strict=True):
        law.measure((68, 95), center)
    assert together < 0.7 * len(counts)
