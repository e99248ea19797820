"""What every mechanism releases follows its law, or the literal reference where it has none."""

import math
from functools import partial

import numpy as np
import pytest
from scipy import stats

import dpslr_core.mechanisms as dp
from dpslr_core.laws.mixture import ClippedLaw
from dpslr_core.mechanisms.base import BoundedRange
from tests.cases.every_mechanism import draw, is_deterministic
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


def is_tested_on_the_same_noise(mechanism):
    """By test_descent, number by number."""
    return isinstance(mechanism, dp.DPGDPure | dp.DPGDzCDP)


DRAWN = [each for each in MECHANISM_CASES.values() if not is_tested_on_the_same_noise(each)]


@pytest.mark.parametrize("mechanism", DRAWN, ids=repr)
def test_draws_follow_the_law_or_the_reference(mechanism):
    """Accepts the right scale, and rejects two thirds and three halves of it."""
    epsilon, point, other = 6.0, 0.25, 0.75
    draws = draw(mechanism, epsilon=epsilon, at=[other, point], size=20_000, seed=21)[:, 1]
    law = mechanism.law(PLAIN, epsilon, [other, point])[1]
    if is_deterministic(mechanism):
        assert set(draws.tolist()) == {law.location}
        return
    answered = draws[~np.isnan(draws)]
    middle = np.median(answered)
    if law is not None and law.exact:
        assert stats.binomtest(int(np.isnan(draws).sum()), draws.size, law.failure).pvalue > 1e-3
        inner, ends = (
            (law.inner, [law.lower, law.upper])
            if isinstance(law, ClippedLaw)
            else (law, [-np.inf, np.inf])
        )
        low, high = inner.cdf(ends)
        shares = np.linspace(0, 1, 401)
        scaled = [middle + factor * (answered - middle) for factor in (2 / 3, 1, 3 / 2)]
        t = np.unique(np.quantile(scaled, shares))
        cdf = (inner.cdf(t) - low) / (high - low)  # some laws take their time

        def pvalue(values):
            values = values[(values > ends[0]) & (values < ends[1])]
            return stats.kstest(values, lambda v: np.interp(v, t, cdf)).pvalue
    else:
        rng = np.random.default_rng(22)
        slow = reference_draws(mechanism, PLAIN, epsilon, (other, point), 1500, rng).astype(float)
        failed = [[np.isnan(v).sum(), (~np.isnan(v)).sum()] for v in (draws, slow)]
        assert stats.fisher_exact(failed).pvalue > 1e-3
        slow = slow[~np.isnan(slow)].round(12)  # equal medians of matchings must stay equal

        def pvalue(values):
            return stats.ks_2samp(values.round(12), slow).pvalue

    assert pvalue(answered) > 1e-3
    for factor in (2 / 3, 3 / 2):
        assert pvalue(middle + factor * (answered - middle)) < 1e-6
