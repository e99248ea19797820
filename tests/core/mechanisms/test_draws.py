"""Releases by random matchings follow the literal reference; the noise without a guarantee follows its law."""

import math
from functools import partial

import numpy as np
import pytest
from scipy import stats

import dpslr_core.mechanisms as dp
from dpslr_core.mechanisms.base import BoundedRange
from tests.cases.every_mechanism import draw
from tests.cases.inputs import MECHANISM_CASES, PLAIN
from tests.reference import paper as reference


def given_pairs(mechanism, x, y, epsilon, points, pairs):
    """How the literal reference draws at the second of two points once the matchings are drawn, from a generator."""
    if isinstance(mechanism, dp.TheilSen):
        median = reference.theil_sen(x, y, points[1], pairs)
        return lambda rng: median
    ends = mechanism.lower, mechanism.upper
    releases = 1 if isinstance(mechanism, dp.JointTheilSen) else len(points)
    # A range of eta costs eta^2 / 8 in zCDP, and rho = epsilon^2 / 2.
    share = (
        math.sqrt(8 * epsilon**2 / 2 / releases)
        if isinstance(mechanism, BoundedRange)
        else epsilon / releases
    )
    if isinstance(mechanism, dp.JointTheilSen):
        lists = [reference.private_list(x, y, point, *ends, pairs) for point in points]
        cells = reference.joint_density(lists, share / mechanism.k, *ends)
        return partial(reference.draw_from_density, reference.density_at(cells, 1))
    z = reference.private_list(x, y, points[1], *ends, pairs)
    if isinstance(mechanism, dp.DPSSTheilSen):
        t, s = reference.student_noise(share, mechanism.df, mechanism.beta)
        spread = reference.smooth_sensitivity(z, mechanism.k, t, mechanism.lower, mechanism.upper)
        return lambda rng: reference.lower_median(z) + spread / s * rng.standard_t(mechanism.df)
    theta = getattr(mechanism, "theta", 0.0)
    pieces = reference.median_density(
        z, share / mechanism.k, mechanism.lower, mechanism.upper, theta
    )
    return partial(reference.draw_from_density, pieces)


def reference_draws(mechanism, data, epsilon, points, size, rng):
    """Draws of the literal reference from random matchings, at the second of two points released together."""
    samplers, drawn = {}, []
    for _ in range(size):
        random_pairs = reference.random_pairs(data.n, mechanism.k, rng)
        pairs = tuple(sorted(tuple(sorted(pair)) for pair in random_pairs))
        if pairs not in samplers:
            samplers[pairs] = given_pairs(
                mechanism, data.x.tolist(), data.y.tolist(), epsilon, points, pairs
            )
        drawn.append(samplers[pairs](rng))
    return np.array(drawn)


MATCHED = [each for each in MECHANISM_CASES.values() if getattr(each, "k", None)]


def assert_the_scale_is_known(draws, pvalue):
    """Accepts the right scale, and rejects two thirds and three halves of it."""
    middle = np.median(draws)
    assert pvalue(draws) > 1e-3
    for factor in (2 / 3, 3 / 2):
        assert pvalue(middle + factor * (draws - middle)) < 1e-6


@pytest.mark.parametrize("mechanism", MATCHED, ids=repr)
def test_draws_from_random_matchings_follow_the_reference(mechanism):
    """Laws of all pairs: the audit by draws."""
    points, rng = (0.75, 0.25), np.random.default_rng(22)
    draws = draw(mechanism, epsilon=6.0, at=points, size=20_000, seed=21)[:, 1]
    slow = reference_draws(mechanism, PLAIN, 6.0, points, 1500, rng).astype(float)
    slow = slow.round(12)  # equal medians of matchings must stay equal
    assert_the_scale_is_known(draws, lambda values: stats.ks_2samp(values.round(12), slow).pvalue)


def test_draws_of_what_promises_nothing_follow_the_law():
    mechanism = dp.MaximumObservedSensitivity()
    law = mechanism.law(PLAIN, 6.0, (0.75, 0.25))[1]
    draws = draw(mechanism, epsilon=6.0, at=(0.75, 0.25), size=20_000, seed=21)[:, 1]
    assert_the_scale_is_known(draws, lambda values: stats.kstest(values, law.cdf).pvalue)
