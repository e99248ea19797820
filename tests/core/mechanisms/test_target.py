"""The target of a release: what it comes to as epsilon grows, counted here without the mechanism's own code."""

from dataclasses import dataclass

import numpy as np
import pytest

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset
from dpslr_core.mechanisms.base import Mechanism
from dpslr_core.mechanisms.pairwise import MatchingMechanism
from tests.cases.every_mechanism import AT, draw
from tests.cases.inputs import simulated
from tests.reference import paper as reference

HUGE = 1e15
SCATTER = simulated(40, 0.04, 0.01, seed=3)


def _estimates(data: Dataset, point: float) -> list[float]:
    estimates = reference.pairwise_estimates(data.x.tolist(), data.y.tolist(), point)
    return [estimate for estimate in estimates if estimate is not None]


@pytest.mark.parametrize(
    "mechanism",
    [
        *(cls() for cls in dp.MECHANISMS),
        *(dp.TheilSen(k=3), dp.JointTheilSen(k=3), dp.DPSSTheilSen(lower=0.0, upper=1.0, beta=0.0)),
        dp.CenteredStats(ridge=True, b=(4, 4, 2, 1, 1)),
        *(dp.DPGDPure(steps=11, clip=0.4, start=(0.2, 0.8)), dp.DPGDzCDP(steps=2)),
    ],
    ids=repr,
)
def test_a_release_with_a_huge_epsilon_is_at_the_target(mechanism):
    released, target = (
        draw(mechanism, SCATTER, epsilon=HUGE, size=400),
        mechanism.target(SCATTER, AT),
    )
    if getattr(mechanism, "k", None) is not None:
        low, high = np.quantile(released, [0.2, 0.8], axis=0)  # the matchings stay random
        assert ((low <= target) & (target <= high)).all()
    else:
        # Estimates next to the median, theta and half a cell are as far as an epsilon can bring these.
        off = 0.02 if isinstance(mechanism, MatchingMechanism | dp.DeepestLine) else 1e-6
        np.testing.assert_allclose(released, np.tile(target, (400, 1)), rtol=0, atol=off)


def test_targets_are_what_the_algorithms_aim_at():
    medians = [np.median(_estimates(SCATTER, point)) for point in AT]
    for mechanism in (
        dp.TheilSen(k=3),
        dp.DPSSTheilSen(k=2),
        dp.DPWideTheilSen(),
        dp.JointTheilSen(),
    ):
        np.testing.assert_allclose(mechanism.target(SCATTER, AT), medians, rtol=0, atol=1e-12)
    for mechanism in (dp.OLS(), dp.NoisyStats(), dp.CenteredStats()):
        np.testing.assert_array_equal(mechanism.target(SCATTER, AT), SCATTER.predict(AT))
    assert dp.NoisyIntercept().target(SCATTER, AT).tolist() == [SCATTER.y_mean] * 3
    for mechanism in (dp.DPExpTheilSen(upper=0.3), dp.NoisyStats(clip=True, upper=0.3)):
        assert mechanism.target(SCATTER, 0.9).tolist() == [0.3]


@dataclass(frozen=True)
class _Halved(dp.NoisyIntercept):
    """An algorithm of the user's own, which says nothing of its target: half the mean with Laplace noise."""

    _target = Mechanism._target

    def _laws(self, data, epsilon, at):
        return Mechanism._laws(self, data, epsilon, at)

    def _draw(self, data, epsilon, at, size, rng):
        return rng.laplace(data.y_mean / 2, 1 / (epsilon * data.n), (size, at.size))


def test_an_algorithm_that_says_nothing_of_its_target_is_asked_with_a_huge_epsilon():
    np.testing.assert_allclose(
        _Halved().target(SCATTER, AT), SCATTER.y_mean / 2, rtol=0, atol=1e-12
    )
    by_law = type("ByLaw", (dp.NoisyIntercept,), {"_target": Mechanism._target})
    np.testing.assert_allclose(by_law().target(SCATTER, AT), SCATTER.y_mean, rtol=0, atol=1e-12)
