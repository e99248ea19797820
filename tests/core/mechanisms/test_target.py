"""The target of a release: what it comes to as epsilon grows, counted here without the mechanism's own code."""

from dataclasses import dataclass

import numpy as np
import pytest

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset, simulate_linear
from dpslr_core.mechanisms.base import Mechanism
from dpslr_core.mechanisms.pairwise import MatchingMechanism
from tests.cases.every_mechanism import AT, draw, each_class, each_mechanism
from tests.cases.inputs import DATASETS, PLAIN
from tests.reference import paper as reference
from tests.reference.depth import float_scores

HUGE = 1e15
SCATTER = Dataset(*simulate_linear(40, 0.04, 0.01, rng=np.random.default_rng(3)))


def floor(mechanism: Mechanism, data: Dataset, at) -> np.ndarray:
    """How far from its target a release may stay, whatever epsilon is."""
    spread = np.full(len(at), 1e-6)  # the public grid, rounding
    if isinstance(mechanism, MatchingMechanism):
        estimates = np.sort([_estimates(data, point) for point in at], axis=1)
        middle = estimates.shape[1] // 2
        spread += estimates[:, middle + 1] - estimates[:, middle - 2]  # the neighbours of the median
        spread += getattr(mechanism, "theta", 0.0)
    if isinstance(mechanism, dp.DeepestLine):
        cell = (mechanism.upper - mechanism.lower) / mechanism.grid
        spread += cell * (2 * np.abs(0.75 - np.array(at)) + 2 * np.abs(np.array(at) - 0.25))
        if mechanism.c == 0:  # many lines are equally deep
            spread += np.ptp(np.array([line @ _weights(at) for line in _deepest(mechanism, data)]), axis=0)
    return spread


def _estimates(data: Dataset, point: float) -> list[float]:
    found = reference.pairwise_estimates(data.x.tolist(), data.y.tolist(), point)
    return [estimate for estimate in found if estimate is not None]


def _weights(at) -> np.ndarray:
    """What the heights at 1/4 and 3/4 count for at each point."""
    return np.array([2 * (0.75 - np.array(at)), 2 * (np.array(at) - 0.25)])


def _deepest(mechanism: dp.DeepestLine, data: Dataset) -> list[np.ndarray]:
    """The heights at 1/4 and 3/4 of all lines of the grid with the least score."""
    cell = (mechanism.upper - mechanism.lower) / mechanism.grid
    centres = mechanism.lower + cell * (np.arange(mechanism.grid) + 0.5)
    lines = [np.array([low, high]) for low in centres for high in centres]
    scores = float_scores(data.x, data.y, mechanism.c, mechanism.grid, mechanism.lower, mechanism.upper).ravel()
    return [line for line, each in zip(lines, scores, strict=True) if each <= scores.min() + 1e-6]


@each_mechanism
def test_a_release_with_a_huge_epsilon_is_at_the_target(mechanism):
    released, target = draw(mechanism, SCATTER, epsilon=HUGE, size=400), mechanism.target(SCATTER, AT)
    if isinstance(mechanism, MatchingMechanism) and mechanism.k is not None:
        low, high = np.quantile(released, [0.2, 0.8], axis=0)  # the matchings stay random
        assert ((low <= target) & (target <= high)).all()
    else:
        assert (np.abs(released - target) <= floor(mechanism, SCATTER, AT)).all()


@each_class
def test_the_target_takes_the_points_as_a_release_does(cls):
    mechanism = cls()
    assert mechanism.target(PLAIN).shape == (2,) and mechanism.target(PLAIN, 0.4).shape == (1,)
    first = mechanism.target(PLAIN, AT)
    first[:] = 9.0  # a copy
    assert not (mechanism.target(PLAIN, AT) == 9.0).any()
    with pytest.raises(ValueError, match=r"^at must "):
        mechanism.target(PLAIN, [np.nan])


@each_class
def test_every_data_set_has_a_target_or_none(cls):
    for data in DATASETS.values():
        assert cls().target(data, AT).shape == (3,)


@pytest.mark.parametrize(
    "mechanism",
    [
        dp.TheilSen(),
        dp.TheilSen(k=3),
        dp.DPExpTheilSen(),
        dp.DPSSTheilSen(k=2),
        dp.DPWideTheilSen(),
        dp.JointTheilSen(),
    ],
)
def test_the_theil_sen_family_is_about_the_median_of_all_pairs(mechanism):
    expected = [np.median(_estimates(SCATTER, point)) for point in AT]
    np.testing.assert_allclose(mechanism.target(SCATTER, AT), expected, rtol=0, atol=1e-12)


def test_a_target_outside_the_range_is_moved_to_its_end():
    assert dp.DPExpTheilSen(lower=0.0, upper=0.3).target(SCATTER, 0.9).tolist() == [0.3]
    assert dp.NoisyStats(clip=True, lower=0.0, upper=0.3).target(SCATTER, 0.9).tolist() == [0.3]


@pytest.mark.parametrize(
    "mechanism", [dp.DeepestLine(c=0.1, grid=21), dp.DeepestLine(c=0.5, grid=16, lower=0.0, upper=1.0)]
)
def test_the_deepest_line_is_that_of_an_exhaustive_search(mechanism):
    (line,) = _deepest(mechanism, SCATTER)
    np.testing.assert_allclose(mechanism.target(SCATTER), line, rtol=0, atol=1e-9)


def test_means_and_pulled_in_data_have_their_own_targets():
    assert dp.NoisyIntercept().target(SCATTER, (0.1, 0.9)).tolist() == [SCATTER.y_mean] * 2
    pulled = Dataset(SCATTER.x, np.clip(SCATTER.y, *np.quantile(SCATTER.y, [0.1, 0.9])))
    theirs = dp.MaximumObservedSensitivity(winsorized=True).target(SCATTER, (0.1, 0.9))
    np.testing.assert_array_equal(theirs, pulled.predict((0.1, 0.9)))


@dataclass(frozen=True)
class _Halved(dp.NoisyIntercept):
    """An algorithm of the user's own, which says nothing of its target: half the mean with Laplace noise."""

    _target = Mechanism._target

    def _laws(self, data, epsilon, at):
        return Mechanism._laws(self, data, epsilon, at)

    def _draw(self, data, epsilon, at, size, rng):
        return rng.laplace(data.y_mean / 2, 1 / (epsilon * data.n), (size, at.size))


def test_an_algorithm_that_says_nothing_of_its_target_is_asked_with_a_huge_epsilon():
    np.testing.assert_allclose(_Halved().target(SCATTER, AT), SCATTER.y_mean / 2, rtol=0, atol=1e-12)
    by_law = type("ByLaw", (dp.NoisyIntercept,), {"_target": Mechanism._target})
    np.testing.assert_allclose(by_law().target(SCATTER, AT), SCATTER.y_mean, rtol=0, atol=1e-12)


def test_algorithms_that_share_a_target_have_the_same_one():
    """Of each, asked for alone: a new data set knows nothing of the others."""
    shared: dict = {}
    for cls in dp.MECHANISMS:
        mechanism = cls()
        target = mechanism.target(Dataset(SCATTER.x, SCATTER.y), AT).tolist()
        assert shared.setdefault(mechanism._target_key, target) == target, mechanism.name
    twins = len(dp.MECHANISMS) - len(shared)
    assert twins == 3  # DeepestLine under zCDP; three gradient descents, that differ in their noise alone
