"""What is allowed and what is seen on a pair, for every kind of guarantee; trade-off curves, odds, the least noise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset
from dpslr_core.audit import crossover_at
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
    concentrated_curve,
    gaussian_curve,
    laplace_law,
    largest_loss,
    largest_success,
    loss_curve,
    misses_at,
    noise_ratio,
    pair_of,
    posterior,
    share_beyond,
    staircase_law,
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
    gaussian_mu,
    losses,
)
from dpslr_core.privacy.accounting import PerPerson
from dpslr_core.scenario import Scenario

RNG = np.random.default_rng(8)
DATA = Dataset(RNG.random(20), RNG.random(20))
MOVED = MovedRecord(DATA, 4, 0.0, 1.0)
BUDGET = Budget(2.0)


@pytest.mark.parametrize("mechanism", [dp.DPExpTheilSen(), dp.CenteredStats(), dp.NoisyIntercept()], ids=repr)
def test_a_pure_guarantee_bounds_every_outcome(mechanism):
    pair = pair_of(MOVED, mechanism, BUDGET)
    assert (pair.bound, pair.slack, pair.epsilon) == (2.0, 0.0, 2.0)
    assert 0 < pair.largest.loss <= min(pair.bound, pair.change.loss.measured) * (1 + 1e-6)
    assert pair.largest.loss >= np.nanmax(np.abs(pair.curve["loss"]))


@pytest.mark.parametrize("mechanism", [dp.CenteredStatsGaussian(), dp.NoisyStatsGaussian()], ids=repr)
def test_gaussian_noise_has_a_bound_up_to_a_small_probability(mechanism):
    pair = pair_of(MOVED, mechanism, BUDGET)
    assert pair.slack == NEGLIGIBLE and gaussian_delta(pair.known.mu, pair.bound) == pytest.approx(NEGLIGIBLE, rel=1e-6)
    assert pair.largest.loss < pair.bound


def test_bounds_of_other_guarantees():
    """An exponential mechanism in zCDP has the least of its bounds; what is not private has none."""
    pair = pair_of(MOVED, dp.DPExpTheilSenZCDP(), BUDGET)
    assert pair.largest.loss < pair.bound <= pair.known.epsilon
    pair = pair_of(MOVED, dp.MaximumObservedSensitivity(), BUDGET)
    assert pair.bound == np.inf and pair.epsilon == 2.0 and pair.largest.loss == np.inf
    assert pair_of(MOVED, dp.DPGDzCDP(), BUDGET) is None  # without an output distribution


def test_people_with_several_records_leave_less_for_each():
    rules = "paper", PerPerson(4)
    alone, person = (pair_of(MOVED, dp.DPExpTheilSen(), Budget(2.0, accounting=rule)) for rule in rules)
    assert person.bound == pytest.approx(alone.bound / 4)
    assert person.largest.loss < alone.largest.loss


def test_the_second_point_has_a_pair_of_its_own():
    first, second = (pair_of(MOVED, dp.DPExpTheilSen(), BUDGET, number) for number in (0, 1))
    assert (first.change.point, second.change.point) == (0.25, 0.75)
    assert first.largest.loss != second.largest.loss and first.change.loss == second.change.loss


def test_nothing_moved_is_no_loss():
    pair = pair_of(MovedRecord(DATA, 0, float(DATA.x[0]), float(DATA.y[0])), dp.CenteredStats(), BUDGET)
    assert pair.largest.loss == 0 and not pair.curve["loss"].any()
    assert pair.tests["false_alarms"].add(pair.tests["misses"]).to_numpy() == pytest.approx(1.0)


def test_the_first_move_goes_to_the_corner_farthest_from_the_line():
    row, x, y = middle_to_corner(Dataset([0.1, 0.5, 0.9, 0.4], [0.1, 0.5, 0.9, 0.5]))
    assert row == 1 and (x, y) in ((0.0, 1.0), (1.0, 0.0))
    assert middle_to_corner(Dataset([0.5, 0.5, 0.5], [0.1, 0.2, 0.3]))[1:] in ((0.0, 1.0), (1.0, 1.0))


@pytest.mark.parametrize("mechanism", [dp.CenteredStats(), dp.NoisyStats()], ids=repr)
@pytest.mark.parametrize("epsilon", [32.0, 1e3])
def test_where_densities_have_no_digits_the_loss_of_all_points_is_the_bound(mechanism, epsilon):
    pair = pair_of(MOVED, mechanism, Budget(epsilon))
    assert pair.largest.loss <= pair.change.loss.measured * (1 + 1e-9)
    joint = pair.change.loss.measured
    assert epsilon < 1e3 or pair.largest == LargestLoss(joint, joint)
    assert not (pair.curve["loss"].abs() > epsilon).any()


def test_the_loss_of_one_number_is_that_of_its_curve_and_not_of_all_points():
    """Both points of CenteredStats lose 1.9 together where the first alone loses 1.1."""
    data = Scenario().source.load().dataset()
    row, x, y = middle_to_corner(data)
    pair = pair_of(MovedRecord(data, row, x, y), dp.CenteredStats(), BUDGET)
    t = np.linspace(-2.0, 3.0, 20_001)
    change = pair.change.after.logpdf(t) - pair.change.before.logpdf(t)
    central = (pair.change.before.cdf(t) > 1e-5) & (pair.change.before.cdf(t) < 1 - 1e-5)
    assert pair.largest.rise == pytest.approx(change[central].max(), rel=0.02)
    assert pair.largest.fall == pytest.approx(-change[central].min(), rel=0.02)
    assert 0 < pair.largest.left_out < 1e-4 and pair.largest.complete
    assert pair.largest.loss < 0.7 * pair.change.loss.measured


def test_laws_known_between_bounds_give_a_lower_bound_and_no_spurious_loss():
    """From rank queries; the densities in the tails are known only to a factor."""
    rng = np.random.default_rng(1)
    data = Dataset(rng.random(400), rng.random(400))
    moved = MovedRecord(data, 7, 0.0, 1.0)
    with crossover_at(100):
        ranked = pair_of(moved, dp.DPExpTheilSen(), BUDGET)
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
    assert largest_loss(Laplace(0.0, 0.5), Laplace(1.0, 0.5)) == LargestLoss(pytest.approx(2.0), pytest.approx(2.0))


@pytest.mark.parametrize("epsilon", [0.3, 2.0, 16.0])
@pytest.mark.parametrize("mechanism", [dp.DPExpTheilSen(), dp.NoisyStats(), dp.CenteredStats()], ids=repr)
def test_the_curve_stays_between_the_lines(mechanism, epsilon):
    before, after = (mechanism.law(data, epsilon)[0] for data in (FIVE, FIVE_MOVED))
    losses = np.concatenate([loss_curve(before, after, (-0.2, 1.2))["loss"], atoms(before, after)["loss"]])
    assert np.nanmax(np.abs(losses)) <= epsilon * (1 + 1e-6)
    assert np.nanmax(np.abs(losses)) * 0.95 <= largest_loss(before, after).loss <= epsilon * (1 + 1e-6)


def test_failure_and_fallback_are_outcomes():
    before, after = (dp.NoisyStats().law(data, 1.0)[0] for data in (FIVE, FIVE_MOVED))
    (row,) = atoms(before, after).to_dict("records")
    assert row["outcome"] == "no answer" and (row["before"], row["after"]) == (before.failure, after.failure)
    assert row["loss"] == pytest.approx(np.log(after.failure / before.failure))
    before, after = (dp.CenteredStats().law(data, 1.0)[0] for data in (FIVE, FIVE_MOVED))
    rows = atoms(before, after).set_index("outcome")
    assert list(rows.index) == ["fallback"] and rows["before"].iloc[0] == before.fallback > 0
    assert atoms(PointMass(np.nan), Laplace(0.0, 1.0))["loss"].tolist() == [-np.inf]  # that only one of both can have
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
ALGORITHMS = [dp.NoisyStats(), dp.DPExpTheilSen(), dp.CenteredStats(), dp.CenteredStatsGaussian()]
UNKNOWN = Losses(np.inf, np.inf, np.inf)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (Gaussian(0.0, 2.0), Gaussian(3.0, 2.0), ndtr(-ndtri(ALPHA) - 1.5)),
        (Laplace(0.0, 1.0), Laplace(1.3, 1.0), Laplace(0.0, 1.0).cdf(Laplace(0.0, 1.0).ppf(1 - ALPHA) - 1.3)),
    ],
    ids=["Gaussian", "Laplace"],
)
def test_best_tests_of_shifted_noise(before, after, expected):
    """F(F^-1(1 - a) - s), F the distribution function of the noise."""
    np.testing.assert_allclose(misses_at(best_tests(before, after), ALPHA), expected, atol=1e-4)
    np.testing.assert_allclose(gaussian_curve(1.5, ALPHA), ndtr(-ndtri(ALPHA) - 1.5))


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


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize("mechanism", ALGORITHMS, ids=repr)
def test_no_algorithm_is_easier_to_attack_than_its_guarantee_allows(mechanism, epsilon):
    before, after = (mechanism.law(data, epsilon)[0] for data in (FIVE, FIVE_MOVED))
    known = losses(mechanism.draws(epsilon, 2))
    allowed = allowed_misses(mechanism.guarantee(epsilon), known, ALPHA)
    tests = best_tests(before, after)
    assert (misses_at(tests, ALPHA) >= allowed - 1e-6).all()
    assert 0.5 <= attack_success(tests) <= largest_success(mechanism.guarantee(epsilon), known) + 1e-6


def test_a_broken_variant_with_half_the_noise_is_caught():
    """The worst pair of the mean of y, at twice the epsilon that is promised."""
    known = losses([Draw(NoiseKind.LAPLACE, 1.0)])
    honest, broken = ([Laplace(place, scale) for place in (0.0, 1.0)] for scale in (1.0, 0.5))
    allowed = allowed_misses(PureDP(1.0), known, ALPHA)
    assert (misses_at(best_tests(*honest), ALPHA) >= allowed - 1e-6).all()
    assert not (misses_at(best_tests(*broken), ALPHA) >= allowed - 1e-6).all()


def test_pure_privacy_is_reached_by_two_coins():
    share = 1 / (1 + np.exp(1.3))
    coins = (PiecewiseUniform(np.array([0.0, 1.0, 2.0]), np.log([p, 1 - p])) for p in (share, 1 - share))
    np.testing.assert_allclose(misses_at(best_tests(*coins), ALPHA), approximate_curve(1.3, 0.0, ALPHA), atol=1e-12)


def test_what_is_promised_of_gaussian_noise_with_delta_touches_its_curve():
    epsilon, delta = 1.0, 1e-3
    alpha, mu = np.geomspace(1e-6, 0.999, 5000), gaussian_mu(epsilon, delta)
    gap = gaussian_curve(mu, alpha) - approximate_curve(epsilon, delta, alpha)
    assert 0 <= gap.min() + 1e-12 < 1e-4
    own = dp.DPGDApprox().guarantee(1.0)
    assert isinstance(own, ApproxDP) and allowed_misses(own, UNKNOWN, ALPHA)[0] > 0


@pytest.mark.parametrize("rho", [0.02, 0.5, 8.0])
def test_concentrated_privacy_alone_allows_more_than_gaussian_noise_does(rho):
    curve, gaussian = concentrated_curve(rho, ALPHA), gaussian_curve(np.sqrt(2 * rho), ALPHA)
    assert (curve <= gaussian + 1e-9).all() and (np.diff(curve) <= 1e-9).all()
    assert rho > 1 or curve[40] > 0.5 * gaussian[40]
    assert np.array_equal(allowed_misses(ZCDP(rho), UNKNOWN, ALPHA), np.maximum(curve, 0.0))


def test_where_nothing_is_promised_every_test_may_be_perfect():
    assert not allowed_misses(NotPrivate("no noise"), UNKNOWN, ALPHA).any()
    assert largest_success(NotPrivate("no noise"), UNKNOWN) == pytest.approx(1.0)


@pytest.mark.parametrize(("epsilon", "success"), [(np.log(3), 0.75), (np.log(99), 0.99)])
def test_even_odds_and_a_pure_promise(epsilon, success):
    assert largest_success(PureDP(epsilon), Losses(epsilon, np.inf, np.inf)) == pytest.approx(success, abs=1e-3)


def test_how_often_a_loss_is_beyond_a_bound():
    """Of Gaussian noise with mu = 1: |z + 1/2| > 2 where z is the answer in standard deviations from after."""
    before, after = Gaussian(0.0, 1.0), Gaussian(1.0, 1.0)
    assert share_beyond(before, after, 2.0) == pytest.approx(ndtr(-1.5) + ndtr(-2.5), rel=0.02)
    assert share_beyond(Laplace(0.0, 1.0), Laplace(1.0, 1.0), 1.0) == 0


# ---------------------------------------------------------------- odds, by Bayes' rule

PRIORS = st.floats(1e-6, 1 - 1e-6)


@given(PRIORS, st.floats(1e-6, 1.0), st.floats(1e-6, 1.0))
def test_the_posterior_is_that_of_bayes(prior, likelihood, otherwise):
    expected = prior * likelihood / (prior * likelihood + (1 - prior) * otherwise)
    assert float(posterior(prior, math.log(likelihood / otherwise))) == pytest.approx(expected, rel=1e-9)


@given(PRIORS, st.floats(0, 50))
def test_beliefs_lie_about_the_prior_and_mirror_each_other(prior, loss):
    told, mirrored = beliefs(prior, loss), beliefs(1 - prior, loss)
    assert told.least <= prior * (1 + 1e-12) and told.largest >= prior * (1 - 1e-12)
    assert told.largest == pytest.approx(1 - mirrored.least, abs=1e-9)


def test_one_in_ten_and_the_extremes():
    assert beliefs(0.1, math.log(6)).largest == pytest.approx(0.4)
    assert beliefs(0.1, math.inf)[1:] == (0.0, 1.0) and beliefs(0.1, 0.0) == pytest.approx((0.1, 0.1, 0.1))
    assert np.array_equal(posterior(0.5, [-np.inf, np.inf]), [0.0, 1.0])


@pytest.mark.parametrize(("prior", "loss"), [(0.0, 1.0), (1.0, 1.0), (0.5, -1.0)])
def test_what_cannot_be_is_refused(prior, loss):
    with pytest.raises(ValueError):
        beliefs(prior, loss)


# ---------------------------------------------------------------- the least noise


@pytest.mark.parametrize("epsilon", [0.3, 2.0, 16.0])
def test_a_move_by_up_to_one_changes_the_density_by_e_to_the_epsilon_at_most(epsilon):
    law = staircase_law(epsilon)
    t = np.linspace(-3, 3, 100_001)
    t = t[np.abs(t) < law.edges[-1] - 1]
    losses = [np.max(np.abs(law.logpdf(t) - law.logpdf(t - shift))) for shift in (0.01, 0.4, 0.999, 1.0)]
    assert max(losses) == pytest.approx(epsilon, rel=1e-9)
    assert np.max(np.abs(law.logpdf(t) - law.logpdf(t - 1.4))) > epsilon * 1.5


def test_it_is_laplace_noise_at_a_small_epsilon_and_far_smaller_at_a_large_one():
    ratios = [noise_ratio(epsilon) for epsilon in (0.1, 5.3, 16.0)]
    assert ratios == [pytest.approx(1.0, abs=0.02), pytest.approx(0.22, rel=0.1), pytest.approx(0.003, rel=0.1)]
    assert laplace_law(0.5).error_bound(50, 0.0) == pytest.approx(2 * np.log(2))


def test_its_expected_size_is_that_of_print():
    """E|noise| = e^(epsilon/2) / (e^epsilon - 1), at the best step; Laplace noise has 1 / epsilon."""
    for epsilon in (1.0, 4.0, 8.0):
        q = (np.arange(200_000) + 0.5) / 200_000
        size = np.abs(staircase_law(epsilon).ppf(q)).mean()
        assert size == pytest.approx(np.exp(epsilon / 2) / np.expm1(epsilon), rel=2e-2)
