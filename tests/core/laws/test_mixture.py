"""Laws made of others: averages, drawn laws with an honest interval, and a fallback. test_laws has their verbs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from dpslr_core import pairs
from dpslr_core.laws import Gaussian, Laplace, PointMass, StudentT, mixture
from dpslr_core.laws.mixture import FallbackLaw, Mixture, draw_mixtures
from dpslr_core.mechanisms import DPExpTheilSen, NoisyStats
from tests.cases.inputs import DATASETS, simulated
from tests.cases.pairs import pair_estimates, random_matchings
from tests.reference.laws import by_bisection

FAILING = NoisyStats().law(DATASETS["nearly constant x"], 1.0, [0.25])[0]
T = np.linspace(-3, 4, 41)


AREA = simulated(40, 0.05, 0.04, seed=4)


def check_average(law, components, weights):
    """The cdf and the density are weighted averages, whatever the failures."""
    cdf = sum(weight * part.cdf(T) for weight, part in zip(weights, components, strict=True))
    density = sum(
        weight * np.exp(part.logpdf(T)) for weight, part in zip(weights, components, strict=True)
    )
    np.testing.assert_allclose(law.cdf(T), cdf, rtol=1e-12)
    np.testing.assert_allclose(np.exp(law.logpdf(T)), density, rtol=1e-12)


def test_a_mixture_is_a_weighted_average():
    parts = FAILING, StudentT(0.5, 0.05, 3.0)
    for weights in ([1e-15, 1 - 1e-15], [0.3, 0.7]):
        law = Mixture(parts, np.array(weights))
        check_average(law, parts, weights)
        assert law.failure == pytest.approx(weights[0] * FAILING.failure, rel=1e-12)
        assert law.exact and law.how == "exact law"
        assert law.error_bound_interval(20, 0.4) == (law.error_bound(20, 0.4),) * 2
    check_average(Mixture.of_draws(parts), parts, [0.5, 0.5])


def test_a_fallback_answers_in_the_place_of_failures():
    for crude in (Laplace(0.4, 0.1), Gaussian(0.4, 2.0)):
        law = FallbackLaw.of(FAILING, crude)
        check_average(law, (FAILING, crude), (1, FAILING.failure))
        assert law.failure == 0 and law.fallback == FAILING.failure > 0.4 and law.exact
    assert FallbackLaw.of(Laplace(0.3, 1.0), crude) == Laplace(0.3, 1.0)


def test_error_bounds_of_laws_of_which_some_jump():
    law = Mixture.of_draws(
        (PointMass(0.2), PointMass(0.5), Laplace(0.3, 0.01), StudentT(0.3, 0.01, 3.0))
    )
    for center, q in product((0.2, 0.3, 0.5, 7.0), (10, 30, 60, 90)):
        expected = by_bisection(law, q / 100, center)
        assert law.error_bound(q, center) == pytest.approx(expected, rel=2e-6, abs=1e-12), (
            center,
            q,
        )


# ---------------------------------------------------------------- drawn laws


def conditional(mechanism, data, seed):
    """Conditional laws at one point with matchings of one's own seed, by the mechanism's public parts."""
    rng = np.random.default_rng(seed)

    def laws(count):
        matched = random_matchings(data.n, 1, count, rng)
        grid = mechanism.grid(np.array([0.25]))
        x, y = grid.positions(data.x), grid.positions(data.y)
        estimates = np.sort(pair_estimates(x, y, *matched, grid.heights), axis=-1)[0]
        lists = pairs.with_ends(pairs.clip_and_place_ties(estimates, *grid.range), *grid.range)
        return [[mechanism._median_law(edges, 4.0, 1, grid) for edges in lists]]

    return laws


def test_the_stated_interval_covers(monkeypatch):
    """Of averages of few laws about 95% of the intervals must hold the value from very many laws."""
    monkeypatch.setattr(mixture, "TOLERANCE", 0.0)
    mechanism, data, center, hits = DPExpTheilSen(k=1), AREA, 0.32, []
    many = draw_mixtures(conditional(mechanism, data, 0), [center], most=2000)[0]
    truth = many.error_bound(68, center)
    for seed in range(1, 101):
        few = draw_mixtures(conditional(mechanism, data, seed), [center], most=32)[0]
        low, high = few.error_bound_interval(68, center)
        hits.append(low <= truth <= high)
    assert 0.90 <= np.mean(hits) <= 0.99
