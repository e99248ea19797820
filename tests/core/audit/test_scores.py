"""An audit of scores: a release that spends twice is caught, a sound one is not accused, and bounds are exact."""

import math

import numpy as np
import pytest
from scipy import stats

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset
from dpslr_core.audit import audit_scores
from dpslr_core.audit.scores import clopper_pearson, lower_bound
from dpslr_core.privacy import ZCDP, ApproxDP, GaussianDP, PureDP
from tests.cases.faults import spends, variant

SIZE = 40_000


def releases(mechanism, epsilon, pair, size=SIZE):
    rngs = np.random.default_rng(0).spawn(2)
    return [
        mechanism.release(data, epsilon, (0.5,), size, rng=rng)[:, 0]
        for data, rng in zip(pair, rngs, strict=True)
    ]


X = np.append(np.zeros(39), 0.5)
PAIR = tuple(Dataset(X, np.append(np.ones(39), end)) for end in (1.0, 0.0))


def test_a_release_that_spends_twice_is_caught_and_a_sound_one_shows_nearly_all_it_may():
    sound, twice = dp.NoisyIntercept(), variant(dp.NoisyIntercept, _draw=spends(2))
    shown = audit_scores(*releases(sound, 1.0, PAIR), PureDP(1.0))
    assert (
        shown.holds
        and 0.85 < shown.measured <= 1
        and (shown.unit, shown.confidence) == ("ε", 0.999999)
    )
    broken = audit_scores(*releases(twice, 1.0, PAIR), PureDP(1.0))
    assert not broken.holds and broken.measured > 1.7 and broken.promised == 1
    assert broken.event.startswith("a score ") and " likelier " in broken.event


def test_a_sound_release_is_accused_no_more_often_than_stated():
    """Of 400 audits at 90% whose event has the largest loss that is allowed."""
    rng, accused = np.random.default_rng(3), 0
    for _ in range(400):
        accused += not audit_scores(
            rng.laplace(0, 1, 500), rng.laplace(1, 1, 500), PureDP(1.0), 0.9
        ).holds
    assert accused <= 60


def test_failures_are_outcomes():
    """NoisyStats fails with very different chances where x hardly varies and where it does."""
    pair = Dataset([0.5, 0.5, 0.5, 0.5], [0.5] * 4), Dataset([0.5, 0.5, 0.5, 1.0], [0.5] * 4)
    assert (
        1 < audit_scores(*releases(dp.NoisyStats(), 30.0, pair, 4_000), PureDP(30.0)).measured <= 30
    )
    nothing = np.full(50, np.nan)
    assert audit_scores(nothing, nothing, PureDP(1.0)).measured == 0


def test_clopper_pearson_limits_are_those_of_scipy():
    for hits in (0, 1, 7, 99, 100):
        expected = stats.binomtest(hits, 100).proportion_ci(0.99, method="exact")
        limits = clopper_pearson(hits, 100, 0.01)
        assert limits == pytest.approx((expected.low, expected.high), rel=1e-9, abs=1e-12)


def test_lower_bounds_of_loss_from_two_coins_equal_the_definitions():
    p, q = stats.norm.sf([1.0, 2.0]), stats.norm.sf([2.5, 2.0])
    assert lower_bound(p, q, GaussianDP(1.0)) == pytest.approx([1.5, 0.0])
    assert lower_bound(q, p, GaussianDP(1.0)) == pytest.approx([0.0, 0.0])
    p, q = np.array([0.5, 0.3, 1.0]), np.array([0.1, 0.3, 0.25])
    assert lower_bound(p, q, PureDP(1.0)) == pytest.approx([math.log(5), 0, math.log(4)])
    assert lower_bound(p, q, ApproxDP(1.0, 0.1)) == pytest.approx([math.log(4), 0, math.log(3.6)])
    orders = np.linspace(1.001, 60, 20_000)
    renyi = np.log(0.5**orders * 0.1 ** (1 - orders) + 0.5**orders * 0.9 ** (1 - orders)) / (
        orders - 1
    )
    rho = [(renyi / orders).max(), 0, math.log(4)]
    assert lower_bound(p, q, ZCDP(1.0)) == pytest.approx(rho, rel=1e-2)
