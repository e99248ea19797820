"""Averages of conditional laws: what they are made of, and whether their stated error is true."""

from __future__ import annotations

import numpy as np
import pytest

from dpslr_core import Dataset, compare, error_bound, simulate_linear
from dpslr_core.laws import Laplace, StudentT
from dpslr_core.laws.mixtures import Mixture, draw_mixtures
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.mechanisms import DPExpTheilSen, DPSSTheilSen, DPWideTheilSen

LAWS = (
    Laplace(0.2, 0.1),
    StudentT(0.5, 0.05, 3.0),
    PiecewiseUniform(np.array([-0.5, 0.1, 0.2, 1.5]), np.array([-3.0, 2.0, -1.0])),
)


def data_of(n: int = 40, seed: int = 0) -> Dataset:
    return Dataset(*simulate_linear(n, 0.03, 0.01, rng=np.random.default_rng(seed)))


def test_every_verb_is_the_average_of_the_components():
    mixture = Mixture(LAWS)
    t = np.linspace(-0.4, 1.4, 37)
    np.testing.assert_allclose(mixture.cdf(t), sum(law.cdf(t) for law in LAWS) / 3, rtol=1e-14)
    np.testing.assert_allclose(np.exp(mixture.logpdf(t)), sum(np.exp(law.logpdf(t)) for law in LAWS) / 3, rtol=1e-12)
    assert mixture.logpdf(np.array([1e9]))[0] < -20


def test_quantiles_invert_the_cdf():
    mixture = Mixture(LAWS)
    q = np.array([0.001, 0.1, 0.5, 0.68, 0.999])
    np.testing.assert_allclose(mixture.cdf(mixture.ppf(q)), q, rtol=1e-10)
    assert np.isnan(mixture.ppf(np.array([-0.1, 1.1]))).all()
    assert mixture.ppf(np.array([0.0]))[0] == -np.inf


def test_draws_follow_the_average():
    mixture = Mixture(LAWS)
    draws = np.sort(mixture.sample(20_000, np.random.default_rng(3)))
    steps = np.arange(1, draws.size + 1) / draws.size

    def gap(values):
        return np.max(np.abs(mixture.cdf(values) - steps))

    assert gap(draws) < 1.63 / np.sqrt(draws.size)
    for wrong in (2 / 3, 3 / 2):
        assert gap(mixture.median + wrong * (draws - mixture.median)) > 1.63 / np.sqrt(draws.size)


@pytest.mark.parametrize("q", [0.0, 10.0, 68.0, 95.0, 99.9])
def test_the_error_bound_holds_its_share(q):
    mixture, center = Mixture(LAWS), 0.3
    c = mixture.error_bound(q, center)
    mass = mixture.cdf(np.array([center + c])) - mixture.cdf(np.array([center - c]))
    assert mass[0] == pytest.approx(q / 100, abs=1e-5)


@pytest.mark.parametrize("mechanism", [DPExpTheilSen(k=3), DPWideTheilSen(k=1), DPSSTheilSen(k=3)])
def test_it_agrees_with_fresh_trials(mechanism):
    data = data_of()
    center = float(data.predict([0.25])[0])
    law = mechanism.law(data, 4.0, [0.25, 0.75])[0]
    trials = mechanism.release(data, 4.0, [0.25, 0.75], 40_000, rng=np.random.default_rng(5))[:, 0]
    low, high = law.error_bound_interval(68, center)
    measured = error_bound(trials, center, 68)
    assert 0.97 * low <= measured <= 1.03 * high
    assert not 0.97 * low <= measured * 2 / 3 <= 1.03 * high
    assert not 0.97 * low <= measured * 3 / 2 <= 1.03 * high


def test_the_stated_interval_covers():
    """Of averages of few laws about 95% of the intervals must hold the value from very many laws."""
    mechanism, data, center = DPExpTheilSen(k=1), data_of(), 0.32
    many = draw_mixtures(conditional(mechanism, data, 0), [center], tolerance=0.0, most=4000)[0]
    truth = many.error_bound(68, center)
    hits = [
        low <= truth <= high
        for seed in range(1, 201)
        for low, high in [
            draw_mixtures(conditional(mechanism, data, seed), [center], 0.0, 64)[0].error_bound_interval(68, center)
        ]
    ]
    assert 0.90 <= np.mean(hits) <= 0.99


def conditional(mechanism, data, seed):
    """Conditional laws at one point with matchings of one's own seed, by the mechanism's public parts."""
    from dpslr_core import pairwise

    rng = np.random.default_rng(seed)

    def laws(count):
        pairs = pairwise.random_matchings(data.n, 1, count, rng)
        grid = mechanism.grid(np.array([0.25]))
        x, y = grid.positions(data.x), grid.positions(data.y)
        estimates = np.sort(pairwise.estimates(x, y, *pairs, grid.heights), axis=-1)[0]
        return [[mechanism._median_law(z, 4.0, 1, grid) for z in pairwise.within(estimates, *grid.range)]]

    return laws


def test_more_laws_are_drawn_until_the_tolerance_is_met():
    data = data_of()
    rough = draw_mixtures(conditional(DPExpTheilSen(k=1), data, 0), [0.32], tolerance=0.3)[0]
    fine = draw_mixtures(conditional(DPExpTheilSen(k=1), data, 0), [0.32], tolerance=0.05)[0]
    assert len(rough.components) < len(fine.components)
    low, high = fine.error_bound_interval(68, 0.32)
    assert high - low <= 0.1 * fine.error_bound(68, 0.32)


def test_the_law_is_the_same_every_time_and_its_error_is_in_the_summary():
    data, mechanism = data_of(), DPExpTheilSen(k=3)
    assert mechanism.law(data, 2.0)[0].median == mechanism.law(data, 2.0)[0].median
    row = compare(data, [mechanism], 2.0).summary.iloc[0]
    assert not row["exact"]
    assert "drawn laws" in row["how"]
    assert row["c68_low"] < row["c68"] < row["c68_high"]
