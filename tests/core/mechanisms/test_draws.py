"""What every mechanism releases follows its law, or the literal reference where it has none."""

import dataclasses
import math
from functools import partial

import numpy as np
import pytest
from scipy import stats

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset
from dpslr_core.laws import Law
from dpslr_core.laws.centered import CenteredLaw
from dpslr_core.laws.mixture import ClippedLaw
from dpslr_core.mechanisms.base import BoundedRange
from dpslr_core.mechanisms.centered import CenteredSums
from tests.cases.every_mechanism import AT, draw, each_class, each_variant, is_deterministic
from tests.cases.inputs import DATASETS, PLAIN
from tests.reference import choice as choice_reference
from tests.reference import depth as depth_reference
from tests.reference import paper as reference
from tests.reference import privacy as privacy_reference


def same_law(one: Law | None, other: Law | None, rtol: float) -> bool:
    """Two laws as values: the same class, and the same numbers in every field."""
    if one is None or other is None:
        return one is other
    return type(one) is type(other) and all(
        np.allclose(getattr(one, f.name), getattr(other, f.name), rtol=rtol, atol=0, equal_nan=True)
        for f in dataclasses.fields(one)
        if f.init and isinstance(getattr(one, f.name), int | float | np.ndarray)
    )


def central_interval(data, point, mechanism, pairs=None):
    """Where the middle of the estimates lies: the two middle ones, or both neighbours of a single middle one."""
    z = reference.private_list(data.x.tolist(), data.y.tolist(), point, mechanism.lower, mechanism.upper, pairs)
    z, half = [mechanism.lower, *z, mechanism.upper], (len(z) + 1) // 2
    return (z[half], z[half + 1]) if len(z) % 2 == 0 else (z[half - 1], z[half + 1])


@each_variant
def test_without_noise_the_estimator_is_left(mechanism):
    """epsilon = 10^9. OLS and its noisy kin: the prediction to 10^-6; the mean: the same; descent: the noiseless
    descent to 10^-6 (DPGDApprox, whose rho only grows as epsilon, to 10^-3); private medians: anywhere in the
    middle gap of the estimates (widened: theta further), for that is the set of best outputs; smooth sensitivity:
    z_m to 10^-6; deepest line: a line of a deepest cell. Where an algorithm is chosen, it is OLS from sums.
    """
    points, size = (0.25, 0.75), 40
    released = draw(mechanism, epsilon=1e9, at=points, size=size)
    x, y = PLAIN.x.tolist(), PLAIN.y.tolist()
    match mechanism:
        case (
            dp.OLS() | dp.NoisyStats() | dp.NoisyStatsGaussian() | dp.MaximumObservedSensitivity() | CenteredSums()
            | dp.ChooseByCenteredStats()
        ):  # fmt: skip
            np.testing.assert_allclose(released, np.tile(PLAIN.predict(points), (size, 1)), atol=1e-6)
        case dp.NoisyIntercept():
            np.testing.assert_allclose(released, np.full((size, 2), PLAIN.y_mean), atol=1e-6)
        case dp.DPGDPure() | dp.DPGDzCDP():
            silence = [(1e-12, 1e-12)] * mechanism.steps
            expected = reference.gradient_descent(x, y, silence, mechanism.clip, mechanism.start)
            tolerance = 1e-3 if isinstance(mechanism, dp.DPGDApprox) else 1e-6
            np.testing.assert_allclose(released, np.tile(expected, (size, 1)), atol=tolerance)
        case dp.DeepestLine(c, side, lower, upper):
            scores = depth_reference.float_scores(PLAIN.x, PLAIN.y, c, side, lower, upper)
            cells = np.floor((released - lower) / (upper - lower) * side).astype(int)
            np.testing.assert_allclose(scores[*cells.T], scores.min(), atol=1e-9)
        case _:
            k = mechanism.k
            drawn = [None] if k is None else reference.all_pair_sets(PLAIN.n, k)
            for i, point in enumerate(points):
                if isinstance(mechanism, dp.TheilSen):
                    medians = [reference.theil_sen(x, y, point, pairs) for pairs in drawn]
                    intervals = [(median, median) for median in medians]
                elif isinstance(mechanism, dp.DPSSTheilSen):
                    ends = mechanism.lower, mechanism.upper
                    kept = [reference.private_list(x, y, point, *ends, pairs) for pairs in drawn]
                    intervals = [(reference.lower_median(z),) * 2 for z in kept]
                else:
                    intervals = [central_interval(PLAIN, point, mechanism, pairs) for pairs in drawn]
                slack = 1e-6 + (mechanism.theta if isinstance(mechanism, dp.DPWideTheilSen) else 0)
                low, high = np.array(intervals).T
                value = released[:, i, None]
                assert ((low - slack <= value) & (value <= high + slack)).any(axis=1).all()


@each_class
@pytest.mark.parametrize("name", ["tied x", "odd n", "duplicated records"])
def test_laws_do_not_depend_on_the_order_of_the_records(cls, name):
    """Exactly so for the Theil-Sen family; sums over the records may round differently: one part in 10^12."""
    mechanism = cls()
    data = DATASETS[name]
    order = np.random.default_rng(3).permutation(data.n)
    laws = mechanism.law(data, 2.0, AT)
    permuted = mechanism.law(Dataset(data.x[order], data.y[order]), 2.0, AT)
    rtol = 0.0 if hasattr(mechanism, "k") else 1e-12
    assert all(same_law(one, other, rtol) for one, other in zip(laws, permuted, strict=True))


def descents(mechanism, data, epsilon, at, size, rng):
    """So many descents of the literal reference, side by side; the prediction at one point."""
    if isinstance(mechanism, dp.DPGDPure):
        noise = rng.laplace(size=(mechanism.steps, 2, size)) * 4 * mechanism.clip * mechanism.steps / epsilon
    else:
        rho = epsilon**2 / 2
        if isinstance(mechanism, dp.DPGDApprox):
            rho = privacy_reference.gaussian_mu(epsilon, mechanism.delta) ** 2 / 2
        noise = rng.standard_normal((mechanism.steps, 2, size)) * 2 * mechanism.clip
        noise /= math.sqrt(rho / mechanism.steps)
    ends = reference.gradient_descent(data.x.tolist(), data.y.tolist(), noise, mechanism.clip, mechanism.start)
    return reference.on_line(*ends, at)


def ridged(mechanism, data, epsilon, at, size, rng):
    """So many releases of noisy statistics with an adaptive ridge, by the literal reference."""
    gaussian = isinstance(mechanism, dp.NoisyStatsGaussian)
    bounds = (stats.norm if gaussian else stats.laplace).isf([0.05, 0.025]).tolist()

    def scale(sensitivity, number):
        share = mechanism.split[number]
        return sensitivity * math.sqrt(1 / share) / epsilon if gaussian else sensitivity / (share * epsilon)

    noises = rng.standard_normal((size, 3)) if gaussian else rng.laplace(size=(size, 3))
    ends = (mechanism.lower, mechanism.upper) if mechanism.clip else (-math.inf, math.inf)
    x, y = data.x.tolist(), data.y.tolist()
    return np.array([reference.noisy_stats(x, y, noise, at, scale, False, ends, bounds) for noise in noises.tolist()])


def drawn_lines(mechanism, data, rng, epsilon, count):
    """Lines of DeepestLine, by the scores of all cells of its grid."""
    side, lower, upper = mechanism.grid, mechanism.lower, mechanism.upper
    scores = depth_reference.float_scores(data.x, data.y, 0.1, side, lower, upper).ravel()
    weights = np.exp(-0.25 * epsilon * (scores - scores.min()))
    cells = np.array(np.divmod(rng.choice(scores.size, size=count, p=weights / weights.sum()), side))
    return (lower + (upper - lower) / side * (cells + rng.random((2, count)))).T.tolist()


def given_pairs(mechanism, x, y, epsilon, points, pairs):
    """How the literal reference draws at the second of two points once the matchings are drawn, from a generator."""
    if isinstance(mechanism, dp.TheilSen):
        median = reference.theil_sen(x, y, points[1], pairs)
        return lambda rng: median
    ends = mechanism.lower, mechanism.upper
    releases = 1 if isinstance(mechanism, dp.JointTheilSen) else len(points)
    # A range of eta costs eta^2 / 8 in zCDP, and rho = epsilon^2 / 2.
    share = math.sqrt(8 * epsilon**2 / 2 / releases) if isinstance(mechanism, BoundedRange) else epsilon / releases
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
    pieces = reference.median_density(z, share / mechanism.k, mechanism.lower, mechanism.upper, theta)
    return partial(reference.draw_from_density, pieces)


def reference_draws(mechanism, data, epsilon, points, size, rng):
    """Draws of the literal reference at the second of two points released together, where there is no exact law."""
    if isinstance(mechanism, dp.NoisyStats | dp.NoisyStatsGaussian):
        return ridged(mechanism, data, epsilon, points[1], size, rng)
    if isinstance(mechanism, dp.ChooseByCenteredStats):
        lines = partial(drawn_lines, mechanism, data, rng)
        x, y = data.x.tolist(), data.y.tolist()
        return choice_reference.trials(x, y, mechanism, epsilon, points[1:], size, rng, lines)[0][:, 0]
    if isinstance(mechanism, dp.DPGDPure | dp.DPGDzCDP):
        return descents(mechanism, data, epsilon, points[1], size, rng)
    known, drawn = {}, []
    for _ in range(size):
        pairs = tuple(sorted(tuple(sorted(pair)) for pair in reference.random_pairs(data.n, mechanism.k, rng)))
        if pairs not in known:
            known[pairs] = given_pairs(mechanism, data.x.tolist(), data.y.tolist(), epsilon, points, pairs)
        drawn.append(known[pairs](rng))
    return np.array(drawn)


@each_variant
def test_draws_follow_the_law_or_the_reference(mechanism):
    """Accepts the right scale, and rejects two thirds and three halves of it."""
    epsilon, point, other = 6.0, 0.25, 0.75
    draws = draw(mechanism, epsilon=epsilon, at=[other, point], size=20_000, seed=21)[:, 1]
    law = mechanism.law(PLAIN, epsilon, [other, point])[1]
    law = law if law is not None and law.exact else None
    if is_deterministic(mechanism):
        assert law is not None and set(draws.tolist()) == {law.location}
        return
    answered = draws[~np.isnan(draws)]
    if isinstance(law, CenteredLaw | ClippedLaw):  # of many terms, which take their time
        answered = answered[:2_000]
    middle = np.median(answered)
    if law is not None:
        assert stats.binomtest(int(np.isnan(draws).sum()), draws.size, law.failure).pvalue > 1e-3

        def pvalue(values):
            if isinstance(law, ClippedLaw):
                values = values[(values > law.lower) & (values < law.upper)]
                low, high = law.inner.cdf([law.lower, law.upper])
                return stats.kstest(values, lambda t: (law.inner.cdf(t) - low) / (high - low)).pvalue
            return stats.kstest(values, lambda t: law.cdf(t) / (1 - law.failure)).pvalue
    else:
        slow = reference_draws(mechanism, PLAIN, epsilon, (other, point), 1500, np.random.default_rng(22))
        failed = [[np.isnan(v).sum(), (~np.isnan(v)).sum()] for v in (draws, slow)]
        assert stats.fisher_exact(failed).pvalue > 1e-3
        slow = slow[~np.isnan(slow)].round(12)  # equal medians of matchings must stay equal

        def pvalue(values):
            return stats.ks_2samp(values.round(12), slow).pvalue

    assert pvalue(answered) > 1e-3
    for factor in (2 / 3, 3 / 2):
        assert pvalue(middle + factor * (answered - middle)) < 1e-6
