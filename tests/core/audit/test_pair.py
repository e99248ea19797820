"""What is allowed and what is seen on a pair, for every kind of guarantee; trade-off curves, odds, the least noise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset
from dpslr_core.audit.loss import middle_to_corner
from dpslr_core.audit.moved import MovedRecord
from dpslr_core.audit.pair import (
    NEGLIGIBLE,
    LargestLoss,
    allowed_misses,
    approximate_curve,
    atoms,
    attack_success,
    beliefs,
    best_tests,
    gaussian_curve,
    largest_loss,
    largest_success,
    loss_curve,
    misses_at,
    pair_of,
    share_beyond,
)
from dpslr_core.laws.mixture import ClippedLaw
from dpslr_core.laws.named import Gaussian, Laplace, PointMass
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.privacy import (
    ZCDP,
    ApproxDP,
    Budget,
    Draw,
    Losses,
    NoiseKind,
    NotPrivate,
    PureDP,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_mu,
    losses,
)
from dpslr_core.scenario import Scenario
from tests.audit.neighbours import crossover_at

RNG = np.random.default_rng(8)
DATA = Dataset(RNG.random(20), RNG.random(20))
MOVED = MovedRecord(DATA, 4, 0.0, 1.0)
BUDGET = Budget(2.0)


def test_bounds_of_every_kind_of_guarantee():
    """A pure one bounds every outcome; that of zCDP is the least of its bounds; what is not private has none."""
    for mechanism in (dp.DPExpTheilSen(), dp.CenteredStats(), dp.NoisyIntercept()):
        pair = pair_of(MOVED, mechanism, BUDGET)
        assert (pair.bound, pair.slack, pair.epsilon) == (2.0, 0.0, 2.0)
        assert 0 < pair.largest.loss <= min(pair.bound, pair.change.loss.measured) * (1 + 1e-6)
        assert pair.largest.loss >= np.nanmax(np.abs(pair.curve["loss"]))
    for mechanism in (dp.CenteredStatsGaussian(), dp.NoisyStatsGaussian()):
        pair = pair_of(MOVED, mechanism, BUDGET)
        assert pair.slack == NEGLIGIBLE and pair.largest.loss < pair.bound
        assert gaussian_delta(pair.noise_losses.mu, pair.bound) == pytest.approx(
            NEGLIGIBLE, rel=1e-6
        )
    pair = pair_of(MOVED, dp.DPExpTheilSenZCDP(), Budget(0.1))
    from_rho = 0.005 + 2 * math.sqrt(0.005 * -math.log(NEGLIGIBLE))
    assert pair.bound == min(
        pair.noise_losses.epsilon, from_rho, gaussian_epsilon(pair.noise_losses.mu, NEGLIGIBLE)
    )
    pair = pair_of(MOVED, dp.MaximumObservedSensitivity(), BUDGET)
    assert pair.bound == np.inf and pair.epsilon == 2.0 and pair.largest.loss == np.inf
    assert pair_of(MOVED, dp.DPGDzCDP(), BUDGET) is None  # without an output distribution


def test_the_first_move_goes_to_the_corner_farthest_from_the_line():
    row, x, y = middle_to_corner(Dataset([0.1, 0.5, 0.9, 0.4], [0.1, 0.5, 0.9, 0.5]))
    assert row == 1 and (x, y) in ((0.0, 1.0), (1.0, 0.0))
    assert middle_to_corner(Dataset([0.5, 0.5, 0.5], [0.1, 0.2, 0.3]))[2] == 1.0


@pytest.mark.parametrize("mechanism", [dp.CenteredStats(), dp.NoisyStats()], ids=repr)
def test_where_densities_have_no_digits_the_loss_of_all_points_is_the_bound(mechanism):
    for epsilon in (32.0, 1e3):
        pair = pair_of(MOVED, mechanism, Budget(epsilon))
        joint = pair.change.loss.measured
        assert pair.largest.loss <= joint * (1 + 1e-9)
        assert epsilon < 1e3 or pair.largest == LargestLoss(joint, joint)
        assert not (pair.curve["loss"].abs() > epsilon).any()


def test_the_loss_of_one_number_is_that_of_its_curve_and_not_of_all_points():
    """Both points of CenteredStats lose 1.9 together where the first alone loses 1.1."""
    data = Scenario().source.load().dataset()
    pair = pair_of(MovedRecord(data, *middle_to_corner(data)), dp.CenteredStats(), BUDGET)
    before, after, t = pair.change.before, pair.change.after, np.linspace(-2.0, 3.0, 2_001)
    change = after.logpdf(t) - before.logpdf(t)
    central = (before.cdf(t) > 1e-5) & (before.cdf(t) < 1 - 1e-5)
    assert pair.largest.rise == pytest.approx(change[central].max(), rel=0.02)
    assert pair.largest.fall == pytest.approx(-change[central].min(), rel=0.02)
    assert 0 < pair.largest.left_out < 1e-4 and pair.largest.complete
    assert pair.largest.loss < 0.7 * pair.change.loss.measured


def test_laws_known_between_bounds_give_a_lower_bound_and_no_spurious_loss():
    """From rank queries; the densities in the tails are known only to a factor."""
    rng = np.random.default_rng(1)
    data = Dataset(rng.random(400), rng.random(400))
    with crossover_at(100):
        ranked = pair_of(MovedRecord(data, 7, 0.0, 1.0), dp.DPExpTheilSen(), BUDGET)
    assert not ranked.change.before.exact and ranked.largest.loss <= 1.0
    listed = pair_of(MovedRecord(Dataset(data.x, data.y), 7, 0.0, 1.0), dp.DPExpTheilSen(), BUDGET)
    assert ranked.largest.loss == pytest.approx(listed.largest.loss, abs=0.1)


# ---------------------------------------------------------------- outcomes, against densities written out by hand

FIVE = Dataset([0.1, 0.4, 0.5, 0.8, 0.9], [0.2, 0.3, 0.5, 0.5, 0.9])
FIVE_MOVED = FIVE.with_record(4, 0.0, 1.0)


def test_the_loss_of_laplace_noise_rises_from_one_end_to_the_other_of_the_shift():
    curve = loss_curve(Laplace(0.0, 0.5), Laplace(1.0, 0.5), (-1.0, 2.0))
    expected = (np.abs(curve["estimate"]) - np.abs(curve["estimate"] - 1)) / 0.5
    np.testing.assert_allclose(curve["loss"], expected, atol=1e-12)
    np.testing.assert_allclose(np.log(curve["after"] / curve["before"]), expected, atol=1e-9)
    assert largest_loss(Laplace(0.0, 0.5), Laplace(1.0, 0.5)) == LargestLoss(
        pytest.approx(2.0), pytest.approx(2.0)
    )


def outcomes_of(mechanism):
    before, after = (mechanism.law(data, 1.0)[0] for data in (FIVE, FIVE_MOVED))
    return before, after, atoms(before, after).set_index("outcome")


def test_failure_and_fallback_are_outcomes():
    before, after, rows = outcomes_of(dp.NoisyStats())
    assert list(rows.index) == ["no answer"]
    expected = before.failure, after.failure, np.log(after.failure / before.failure)
    assert tuple(rows.loc["no answer"]) == pytest.approx(expected)
    before, after, rows = outcomes_of(dp.CenteredStats())
    assert list(rows.index) == ["fallback"] and rows["before"].iloc[0] == before.fallback > 0
    impossible = atoms(
        PointMass(np.nan), Laplace(0.0, 1.0)
    )  # an outcome that only one of both can have
    assert impossible["loss"].tolist() == [-np.inf]
    assert atoms(Laplace(0.0, 1.0), Laplace(1.0, 1.0)).empty


def test_the_ends_that_answers_are_moved_to_are_outcomes():
    before, after = (ClippedLaw(Laplace(place, 1.0), 0.0, 1.0) for place in (0.2, 0.5))
    rows = atoms(before, after).set_index("outcome")
    assert rows.loc["lower end", "before"] == pytest.approx(0.5 * np.exp(-0.2))
    assert rows.loc["upper end", "after"] == pytest.approx(0.5 * np.exp(-0.5))
    assert rows.loc["lower end", "loss"] == pytest.approx(-0.3)


def test_gaussian_noise_has_a_central_loss_though_none_holds_for_all_outcomes():
    """The loss is linear: mu z + mu^2 / 2 at z standard deviations, largest at the edge of the tails left aside."""
    largest = largest_loss(Gaussian(0.0, 1.0), Gaussian(0.5, 1.0))
    assert largest.rise == pytest.approx(0.5 * (4.8916 + 0.5) - 0.125, rel=1e-3)
    assert largest.fall == pytest.approx(0.5 * 4.8916 + 0.125, rel=1e-3)
    assert largest.left_out == pytest.approx(NEGLIGIBLE / 2, rel=0.1) and largest.complete


ALPHA = np.linspace(0.001, 0.999, 400)
UNKNOWN = Losses(np.inf, np.inf, np.inf)


def test_best_tests_of_shifted_noise():
    """F(F^-1(1 - a) - s), F the distribution function of the noise."""
    gaussian = best_tests(Gaussian(0.0, 2.0), Gaussian(3.0, 2.0))
    expected = ndtr(-ndtri(ALPHA) - 1.5)
    np.testing.assert_allclose(misses_at(gaussian, ALPHA), expected, atol=1e-4)
    np.testing.assert_allclose(gaussian_curve(1.5, ALPHA), expected)
    noise = Laplace(0.0, 1.0)
    laplace = misses_at(best_tests(noise, Laplace(1.3, 1.0)), ALPHA)
    np.testing.assert_allclose(laplace, noise.cdf(noise.ppf(1 - ALPHA) - 1.3), atol=1e-4)


def test_of_steps_and_of_outcomes_without_a_number_it_is_exact():
    edges = np.array([0.0, 1.0, 2.0])
    before, after = (PiecewiseUniform(edges, np.log(p)) for p in ([0.8, 0.2], [0.3, 0.7]))
    corners = best_tests(before, after).to_numpy().tolist()
    assert corners == pytest.approx(np.array([[0.0, 1.0], [0.2, 0.3], [1.0, 0.0]]), abs=1e-12)
    told_apart = best_tests(PointMass(np.nan), Laplace(0.0, 1.0))
    assert attack_success(told_apart) == pytest.approx(1.0)
    assert attack_success(best_tests(before, before)) == pytest.approx(0.5)


def test_mass_at_the_ends_counts_once():
    """Clipping to one bit: the best test is that bit, and two corners are left."""
    before, after = (ClippedLaw(Gaussian(place, 1e-3), 0.4, 0.6) for place in (0.2, 0.8))
    tests = best_tests(before, after)
    assert attack_success(tests) == pytest.approx(1.0) and tests["misses"].iloc[0] == 1.0
    wide = [ClippedLaw(Laplace(place, 1.0), -1.0, 1.0) for place in (0.0, 0.5)]
    open_ended = best_tests(*(law.inner for law in wide))
    assert (misses_at(best_tests(*wide), ALPHA) >= misses_at(open_ended, ALPHA) - 1e-6).all()


@pytest.mark.parametrize(
    "mechanism",
    [dp.NoisyStats(), dp.DPExpTheilSen(), dp.CenteredStats(), dp.CenteredStatsGaussian()],
    ids=repr,
)
def test_no_algorithm_is_easier_to_attack_than_its_guarantee_allows(mechanism):
    before, after = (mechanism.law(data, 2.0)[0] for data in (FIVE, FIVE_MOVED))
    promise = mechanism.guarantee(2.0), losses(mechanism.draws(2.0, 2))
    tests = best_tests(before, after)
    assert (misses_at(tests, ALPHA) >= allowed_misses(*promise, ALPHA) - 1e-6).all()
    assert 0.5 <= attack_success(tests) <= largest_success(*promise) + 1e-6
    assert not promise[0].pure or largest_loss(before, after).loss <= 2 * (1 + 1e-6)


def test_half_the_noise_is_easier_to_attack_than_is_allowed():
    """The worst pair of the mean of y, at twice the epsilon that is promised."""
    known = losses([Draw(NoiseKind.LAPLACE, 1.0)])
    allowed = allowed_misses(PureDP(1.0), known, ALPHA)
    for scale, holds in ((1.0, True), (0.5, False)):
        tests = best_tests(Laplace(0.0, scale), Laplace(1.0, scale))
        assert (misses_at(tests, ALPHA) >= allowed - 1e-6).all() == holds


def test_curves_of_guarantees():
    """Two coins reach a pure one; the noise of one with delta touches its curve; zCDP alone allows more."""
    share = 1 / (1 + np.exp(1.3))
    coins = (
        PiecewiseUniform(np.array([0.0, 1.0, 2.0]), np.log([p, 1 - p])) for p in (share, 1 - share)
    )
    pure = approximate_curve(1.3, 0.0, ALPHA)
    np.testing.assert_allclose(misses_at(best_tests(*coins), ALPHA), pure, atol=1e-12)
    alpha = np.geomspace(1e-6, 0.999, 5000)
    gap = gaussian_curve(gaussian_mu(1.0, 1e-3), alpha) - approximate_curve(1.0, 1e-3, alpha)
    assert 0 <= gap.min() + 1e-12 < 1e-4
    assert (
        allowed_misses(ApproxDP(1.0, 1e-3), UNKNOWN, ALPHA)[0]
        == approximate_curve(1.0, 1e-3, ALPHA)[0]
    )
    for rho in (0.02, 0.5, 8.0):
        curve = allowed_misses(ZCDP(rho), UNKNOWN, ALPHA)
        assert (curve <= gaussian_curve(np.sqrt(2 * rho), ALPHA) + 1e-9).all()
        assert (np.diff(curve) <= 1e-9).all() and curve[40] > 0
    nothing = NotPrivate("no noise")
    assert not allowed_misses(nothing, UNKNOWN, ALPHA).any()
    assert largest_success(nothing, UNKNOWN) == pytest.approx(1.0)
    for epsilon, success in ((np.log(3), 0.75), (np.log(99), 0.99)):
        known = Losses(epsilon, np.inf, np.inf)
        assert largest_success(PureDP(epsilon), known) == pytest.approx(success, abs=1e-3)


def test_how_often_a_loss_is_beyond_a_bound():
    """Of Gaussian noise with mu = 1: |z + 1/2| > 2 where z is the answer in standard deviations from after."""
    before, after = Gaussian(0.0, 1.0), Gaussian(1.0, 1.0)
    assert share_beyond(before, after, 2.0) == pytest.approx(ndtr(-1.5) + ndtr(-2.5), rel=0.02)
    assert share_beyond(Laplace(0.0, 1.0), Laplace(1.0, 1.0), 1.0) == 0


def test_beliefs_of_one_in_ten_and_the_extremes():
    """Odds of 1 : 9 become 6 : 9, and 1 : 18."""
    assert beliefs(0.1, math.log(6), math.log(2)) == pytest.approx((0.1, 1 / 19, 0.4))
    assert beliefs(0.1, math.log(6)).least == pytest.approx(1 / 55)
    assert beliefs(0.1, math.inf)[1:] == (0.0, 1.0) and beliefs(0.1, 0.0) == pytest.approx(
        (0.1, 0.1, 0.1)
    )
    for wrong in ((0.0, 1.0), (1.0, 1.0), (0.5, -1.0)):
        with pytest.raises(ValueError):
            beliefs(*wrong)
