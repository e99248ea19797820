"""ChooseByCenteredStats: each trial is what the literal rule makes of its noise, at any points and any data."""

from __future__ import annotations

import numpy as np
import pytest

from dpslr_core import Dataset, simulate_linear
from dpslr_core.mechanisms import CenteredStats, ChooseByCenteredStats, DeepestLine, choice
from tests.cases.inputs import DATASETS
from tests.reference import choice as choice_reference

AT = (0.25, 0.75)


def simulated(n: int, var_x: float, var_e: float, seed: int = 1) -> Dataset:
    return Dataset(*simulate_linear(n, var_x, var_e, rng=np.random.default_rng(seed)))


NEAR_THE_SWITCH = simulated(60, 0.03, 0.01)  # at epsilon = 18 either algorithm is chosen often


@pytest.mark.parametrize(
    ("data", "epsilon", "share"),
    [
        (NEAR_THE_SWITCH, 18.0, 0.25),
        (NEAR_THE_SWITCH, 18.0, 0.6),
        (DATASETS["tied x"], 3.0, 0.3),
        (simulated(900, 0.08, 0.03), 8.0, 0.1),
        (DATASETS["constant x"], 5.0, 0.5),
        (DATASETS["three records"], 0.1, 0.9),
    ],
)
def test_every_trial_is_what_the_literal_rule_makes_of_its_noise(data, epsilon, share):
    mechanism = ChooseByCenteredStats(share=share, grid=50)
    rng, x, y = np.random.default_rng(4), data.x.tolist(), data.y.tolist()
    lines = lambda rest, count: mechanism.line.release(data, rest, (0.25, 0.75), count, rng=rng).tolist()  # noqa: E731
    expected, sums = choice_reference.trials(x, y, mechanism, epsilon, (*AT, 0.4), 300, rng, lines)
    released = mechanism.release(data, epsilon, (*AT, 0.4), 300, rng=np.random.default_rng(4))
    np.testing.assert_allclose(released, expected, rtol=1e-6, atol=1e-8)
    if data is NEAR_THE_SWITCH and share == 0.25:
        assert 0.1 < sums.mean() < 0.9


# ---------------------------------------------------------------- predicted errors


SUMS = CenteredStats()


def known(data, epsilon=1e9, noise=0.0):
    """The statistics of the sums with this noise."""
    return SUMS._statistics(data, epsilon, np.full((5, 1), noise))


def test_the_constants_of_a_deepest_line():
    """E a^2 and E b^2 under exp(-m), m = max over |u| <= 1 of |a u - b (sqrt(3)/2) (1 - u^2)|, on a grid."""
    a, b = np.meshgrid(np.linspace(0, 20, 401), np.linspace(0, 23, 461), indexing="ij")
    score = np.max([np.abs(a * u - b * np.sqrt(3) / 2 * (1 - u * u)) for u in np.linspace(-1, 1, 101)], axis=0)
    weight = np.exp(-score)
    weight[0] /= 2  # half of the cells at the axes is on the other side
    weight[:, 0] /= 2
    means = [(weight * square).sum() / weight.sum() for square in (a * a, b * b)]
    assert means == pytest.approx([choice._LEVEL, choice._TILT], rel=2e-3)


@pytest.mark.parametrize(("n", "var_x", "x_mean", "slope"), [(400, 0.03, 0.5, 0.5), (900, 0.02, 0.3, -0.7)])
def test_errors_of_sums_are_the_covariance_of_their_line(n, var_x, x_mean, slope):
    x, y = simulate_linear(n, var_x, 0.01, slope, 0.5 - slope * x_mean, x_mean, rng=np.random.default_rng(2))
    data, epsilon = Dataset(x, y), 60.0
    lines = SUMS.release_statistics(data, epsilon, 40_000, rng=np.random.default_rng(3)).predict(AT)
    expected = choice.errors_of_sums(known(data), SUMS.noise_scale(epsilon), 2.0)[0]
    np.testing.assert_allclose(np.cov(lines.T), expected, rtol=0.06, atol=0.02 * expected.max())


def test_sums_without_a_slope_or_a_number_are_of_no_use():
    """n var(x) = 0, or no number at all: DeepestLine alone."""
    for noise in (0.0, np.nan, 1e80):
        released = known(DATASETS["constant x"], 1.0, noise)
        plan = choice.predicted_plan(released, SUMS.noise_scale(1.0), 1.0, 3.0, DeepestLine())
        assert not plan.sums.any()
        np.testing.assert_array_equal(plan.weight, [np.eye(2)])
