"""The expected error against the mixture of all laws, and against what theory says of OLS."""

import numpy as np
import pytest
from scipy import stats

from dpslr_core.experiments.expected import expected_error, spreads_of
from dpslr_core.guidance import recommend
from dpslr_core.laws.named import Laplace, PointMass
from dpslr_core.mechanisms import (
    OLS,
    DPGDzCDP,
    NoisyIntercept,
)
from dpslr_core.scenario import Scenario
from dpslr_core.sources.linear import LinearModel
from dpslr_core.support.run import QUARTERS
from dpslr_core.sweeps import sweep

WITHIN_ONE = stats.norm.ppf(0.84)  # standard deviations, which hold 68% of a normal law
SETTINGS = [
    (20, 0.03, 0.01),
    (250, 0.05, 0.0001),
]


def measured(model, mechanism, epsilon, datasets, at=QUARTERS, seed=0, even=True):
    simulated = [model.replicate(seed, number, even=even) for number in range(datasets)]
    laws = mechanism.laws(simulated, epsilon, at)
    return (
        simulated,
        laws,
        [model.truth(at)] * datasets,
        [model.standard_error(at, data) for data in simulated],
    )


@pytest.mark.parametrize(("n", "var_x", "var_e"), SETTINGS)
def test_ols_has_one_on_all_pages(n, var_x, var_e):
    """By the mean over data sets of each data set's C(68) it has 0.8."""
    few = [NoisyIntercept()]
    recommended = (
        recommend(n, var_x, var_e, 2.0, mechanisms=few).evidence.set_index("mechanism").loc["OLS"]
    )
    swept = sweep(
        "epsilon", [2.0], Scenario(n=n, var_x=var_x, var_e=var_e), [OLS()], datasets=100
    ).iloc[0]
    for row in (recommended, swept):
        assert abs(row["error"] - WITHIN_ONE) < 1.96 * row["monte_carlo_error"] < 0.35
    np.testing.assert_allclose(swept["error"], WITHIN_ONE, rtol=0.08)
    assert swept["mean"] == pytest.approx(np.sqrt(2 / np.pi), rel=0.05)  # the paper's own measure


def test_of_draws_it_is_the_quantile_of_all_of_them():
    model, rng = LinearModel(40, 0.03, 0.01), np.random.default_rng(5)
    simulated, _, centers, units = measured(model, OLS(), 8.0, 30)
    trials = {
        i: DPGDzCDP(steps=5).release(data, 8.0, QUARTERS, 60, rng=rng)
        for i, data in enumerate(simulated)
    }
    pooled = [np.abs(trials[i] - centers[i]) / units[i] for i in range(30)]
    value = expected_error(spreads_of([[None] * 2] * 30, trials, centers, units)).value
    assert value == pytest.approx(np.quantile(pooled, 0.68), rel=0.02)


@pytest.mark.parametrize(("failing", "value"), [(3, 10.0), (4, np.inf)])
def test_failures_count_as_infinitely_far(failing, value):
    """Seven of ten answers, the farthest at 10: 68% are within that; of six they never are."""
    answers = [PointMass(np.nan)] * failing + [PointMass(10.0 - i) for i in range(10 - failing)]
    spreads = spreads_of([[law] for law in answers], {}, np.zeros((10, 1)), np.ones((10, 1)))
    assert expected_error(spreads).value == pytest.approx(value, abs=0.05)


def test_where_there_is_no_standard_error_or_center_nothing_is_near():
    spreads = spreads_of(
        [[Laplace(0.0, 1.0)]] * 3, {}, [[0.0], [0.0], [np.nan]], [[0.0], [np.inf], [1.0]]
    )
    assert spreads["answered"].sum() == 0 and np.isinf(spreads["c68"]).all()
    assert expected_error(spreads).value == np.inf


# ---------------------------------------------------------------- Monte-Carlo error


def laplace_about(means, scale):
    """Spreads of Laplace laws about these means, one for each data set."""
    laws = [[Laplace(mean, scale)] for mean in means]
    return spreads_of(laws, {}, np.zeros((len(means), 1)), np.ones((len(means), 1)))


@pytest.mark.parametrize("scale", [0.05, 1.0])
def test_intervals_cover_the_error_and_the_paired_difference(scale):
    """Data sets that are off by a normal number each, and noise of two sizes on the same ones."""
    rng, pool = np.random.default_rng(8), np.random.default_rng(9).standard_normal(600)
    spreads = [laplace_about(pool, each) for each in (scale, 1.3 * scale)]
    true = [expected_error(each).value for each in spreads]
    hits = np.zeros(2)
    for _ in range(300):
        chosen = rng.integers(600, size=40)
        first, second = (expected_error(each[chosen]) for each in spreads)
        hits += [
            abs(first.value - true[0]) <= 1.96 * first.monte_carlo_error,
            abs(second.value - first.value - (true[1] - true[0]))
            <= 1.96 * second.difference_error(first),
        ]
    assert (hits / 300 > 0.89).all()
    assert second.difference_error(first) < np.hypot(
        first.monte_carlo_error, second.monte_carlo_error
    )
