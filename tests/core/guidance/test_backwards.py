"""Solved backwards: at what is found the noise is small enough, and just below it is not."""

from __future__ import annotations

import numpy as np
import pytest

from dpslr_core import Dataset
from dpslr_core.experiments import compare
from dpslr_core.guidance.backwards import smallest_epsilon, smallest_epsilon_on_twins, smallest_n
from dpslr_core.guidance.twins import noise_on_twins, twins_of
from dpslr_core.mechanisms import DPExpTheilSen, DPGDzCDP, NoisyIntercept, NoisyStats, NoisyStatsGaussian
from dpslr_core.scenario import Scenario
from dpslr_core.sweeps.measure import simulated

BASE = Scenario(n=100)
DATA = simulated(BASE, 0, 0)


def worst(mechanism, epsilon):
    return compare(DATA, [mechanism], epsilon, trials=1000).summary["ratio"].max()


@pytest.mark.parametrize("mechanism", [NoisyStats(), NoisyStatsGaussian(), DPExpTheilSen(upper=2.0), DPGDzCDP()])
@pytest.mark.parametrize("r", (1.0, 2.5))
def test_smallest_epsilon_is_just_enough(mechanism, r):
    found = smallest_epsilon(DATA, mechanism, r)
    assert found.value is not None
    assert worst(mechanism, found.value) <= r
    assert worst(mechanism, found.value * 0.995) > r
    assert found.text == f"{found.value:.3g}"


def test_a_larger_error_needs_no_larger_epsilon():
    values = [smallest_epsilon(DATA, DPExpTheilSen(), r).value for r in (1.0, 1.5, 3.0, 10.0)]
    assert values == sorted(values, reverse=True)


def test_what_cannot_be_reached_is_said():
    found = smallest_epsilon(DATA, NoisyIntercept())
    assert found.value is None
    assert found.text == "not reachable up to 1,000"


def test_no_sampling_error_is_out_of_reach():
    x = np.linspace(0, 1, 20)
    assert smallest_epsilon(Dataset(x, 0.5 * x), NoisyStats()).value is None
    assert smallest_epsilon(Dataset(np.full(20, 0.5), x), NoisyIntercept()).value is None


def test_where_the_least_epsilon_is_enough():
    assert smallest_epsilon(DATA, NoisyIntercept(), r=1e9).text == "0.001 or less"


def worst_on_twins(base):
    """The largest over the points of what is averaged over four twins."""
    return noise_on_twins(base, DPExpTheilSen(), twins_of(base, 4, 0)).max()


def test_on_twins_the_average_is_just_enough_at_every_point():
    at_points = noise_on_twins(BASE, DPExpTheilSen(), twins_of(BASE, 4, 0))
    assert at_points.shape == (len(BASE.at),) and at_points.min() < 0.97 * at_points.max()
    found = smallest_epsilon_on_twins(BASE, DPExpTheilSen(), 1.2, twins=4)
    for share, enough in ((1.0, True), (0.995, False)):
        assert (worst_on_twins(BASE.model_copy(update={"epsilon": found.value * share})) <= 1.2) == enough


def test_smallest_n_is_just_enough():
    found = smallest_n(BASE, DPExpTheilSen(), twins=4)
    n = int(found.value)
    assert n == found.value
    for size, enough in ((n, True), (int(n * 0.97), False)):
        assert (worst_on_twins(BASE.model_copy(update={"n": size})) <= 1) == enough


def test_smallest_n_may_not_exist():
    assert smallest_n(BASE, NoisyIntercept(), twins=2).text == "not reachable up to 10,240"


@pytest.mark.parametrize("solve", [smallest_epsilon, smallest_epsilon_on_twins, smallest_n])
def test_r_must_be_positive(solve):
    with pytest.raises(ValueError, match="r must"):
        solve(DATA if solve is smallest_epsilon else BASE, NoisyStats(), r=0.0)
