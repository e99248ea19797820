"""What NoisyStats and NoisyIntercept release: their equations, against draws, and their public bounds."""

from dataclasses import replace

import numpy as np
import pytest

from dpslr_core.experiments import privacy_interval
from dpslr_core.mechanisms import NoisyIntercept, NoisyStats, NoisyStatsGaussian
from tests.cases.inputs import simulated

DATA = simulated(500)


@pytest.mark.parametrize(
    "mechanism", [NoisyStats(), NoisyStatsGaussian(), NoisyStats(split=(0.5, 0.3, 0.2))], ids=repr
)
def test_the_deviation_is_that_of_releases_about_the_farthest_mean(mechanism):
    """With x at distance R from the mean of x the deviation would be the one that the equation says."""
    epsilon, point = 200.0, 1.0
    released = mechanism.release_statistics(DATA, epsilon, 40_000, rng=np.random.default_rng(1))
    far = DATA.x_mean + 1.0  # R = |1 - 1/2| + 1/2
    spread = released.predict(far)[:, 0].std()
    equation = released.equation(point)
    assert np.median(np.sqrt(equation.noise.sum(axis=0)) / equation.nvar) == pytest.approx(
        spread, rel=0.02
    )


def test_a_failed_release_has_no_ends():
    released = NoisyStats().release_statistics(DATA, 0.05, 400, rng=np.random.default_rng(2))
    failed = np.isnan(released.slope)
    assert failed.sum() > 50
    interval = privacy_interval(released, 0.25)
    assert not interval.identified[failed].any() and np.isnan(interval.estimate[failed]).all()


def test_noisy_intercept_says_where_the_mean_of_y_lies():
    released = NoisyIntercept().release_statistics(DATA, 1.0, 4_000, rng=np.random.default_rng(3))
    interval = privacy_interval(released, 0.25, 0.9)
    assert interval.hold(np.array([DATA.y_mean])).mean() == pytest.approx(0.9, abs=0.02)
    np.testing.assert_allclose(interval.width, 2 * np.log(10) / DATA.n, rtol=1e-3)
    assert replace(released, residual_sd=0.1).equation(0.25).sampling[0, 0] == pytest.approx(
        0.01 / DATA.n
    )
