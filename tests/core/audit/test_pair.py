"""What is allowed and what is seen on a pair, for every kind of guarantee; the loss of each outcome."""

import numpy as np
import pytest

from dpslr_core import Dataset
from dpslr_core.audit import crossover_at
from dpslr_core.audit.loss import middle_to_corner
from dpslr_core.audit.pair import NEGLIGIBLE, LargestLoss, atoms, largest_loss, loss_curve, pair_of
from dpslr_core.experiments.moved import MovedRecord
from dpslr_core.laws.mixture import ClippedLaw
from dpslr_core.laws.named import Gaussian, Laplace, PointMass
from dpslr_core.mechanisms import (
    CenteredStats,
    CenteredStatsGaussian,
    DPExpTheilSen,
    DPExpTheilSenZCDP,
    DPGDzCDP,
    MaximumObservedSensitivity,
    NoisyIntercept,
    NoisyStats,
    NoisyStatsGaussian,
)
from dpslr_core.privacy import Budget, gaussian_delta
from dpslr_core.privacy.accounting import PerPerson
from dpslr_core.scenario import Scenario

RNG = np.random.default_rng(8)
DATA = Dataset(RNG.random(20), RNG.random(20))
MOVED = MovedRecord(DATA, 4, 0.0, 1.0)
BUDGET = Budget(2.0)


@pytest.mark.parametrize("mechanism", [DPExpTheilSen(), CenteredStats(), NoisyIntercept()], ids=repr)
def test_a_pure_guarantee_bounds_every_outcome(mechanism):
    pair = pair_of(MOVED, mechanism, BUDGET)
    assert (pair.bound, pair.slack, pair.epsilon) == (2.0, 0.0, 2.0)
    assert 0 < pair.largest.loss <= min(pair.bound, pair.change.loss.measured) * (1 + 1e-6)
    assert pair.largest.loss >= np.nanmax(np.abs(pair.curve["loss"]))


@pytest.mark.parametrize("mechanism", [CenteredStatsGaussian(), NoisyStatsGaussian()], ids=repr)
def test_gaussian_noise_has_a_bound_up_to_a_small_probability(mechanism):
    pair = pair_of(MOVED, mechanism, BUDGET)
    assert pair.slack == NEGLIGIBLE and gaussian_delta(pair.known.mu, pair.bound) == pytest.approx(NEGLIGIBLE, rel=1e-6)
    assert pair.largest.loss < pair.bound


def test_an_exponential_mechanism_in_zcdp_has_the_least_of_its_bounds():
    pair = pair_of(MOVED, DPExpTheilSenZCDP(), BUDGET)
    assert pair.largest.loss < pair.bound <= pair.known.epsilon


def test_what_is_not_private_has_no_bound():
    pair = pair_of(MOVED, MaximumObservedSensitivity(), BUDGET)
    assert pair.bound == np.inf and pair.epsilon == 2.0 and pair.largest.loss == np.inf


def test_without_an_output_distribution_there_is_no_pair():
    assert pair_of(MOVED, DPGDzCDP(), BUDGET) is None


def test_people_with_several_records_leave_less_for_each():
    alone, person = (pair_of(MOVED, DPExpTheilSen(), Budget(2.0, accounting=rule)) for rule in ("paper", PerPerson(4)))
    assert person.bound == pytest.approx(alone.bound / 4)
    assert person.largest.loss < alone.largest.loss


def test_the_second_point_has_a_pair_of_its_own():
    first, second = (pair_of(MOVED, DPExpTheilSen(), BUDGET, number) for number in (0, 1))
    assert (first.change.point, second.change.point) == (0.25, 0.75)
    assert first.largest.loss != second.largest.loss and first.change.loss == second.change.loss


def test_nothing_moved_is_no_loss():
    pair = pair_of(MovedRecord(DATA, 0, *DATA_FIRST), CenteredStats(), BUDGET)
    assert pair.largest.loss == 0 and not pair.curve["loss"].any()
    assert pair.tests["false_alarms"].add(pair.tests["misses"]).to_numpy() == pytest.approx(1.0)


DATA_FIRST = (float(DATA.x[0]), float(DATA.y[0]))


def test_the_first_move_goes_to_the_corner_farthest_from_the_line():
    steep = Dataset([0.1, 0.5, 0.9, 0.4], [0.1, 0.5, 0.9, 0.5])
    row, x, y = middle_to_corner(steep)
    assert row == 1 and (x, y) in ((0.0, 1.0), (1.0, 0.0))
    flat = Dataset([0.5, 0.5, 0.5], [0.1, 0.2, 0.3])
    assert middle_to_corner(flat)[1:] in ((0.0, 1.0), (1.0, 1.0))


@pytest.mark.parametrize("mechanism", [CenteredStats(), NoisyStats()], ids=repr)
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
    pair = pair_of(MovedRecord(data, row, x, y), CenteredStats(), BUDGET)
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
        ranked = pair_of(moved, DPExpTheilSen(), BUDGET)
    assert not ranked.change.before.exact and ranked.largest.loss <= 1.0
    listed = pair_of(MovedRecord(Dataset(data.x, data.y), 7, 0.0, 1.0), DPExpTheilSen(), BUDGET)
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
@pytest.mark.parametrize("mechanism", [DPExpTheilSen(), NoisyStats(), CenteredStats()], ids=repr)
def test_the_curve_stays_between_the_lines(mechanism, epsilon):
    before, after = (mechanism.law(data, epsilon)[0] for data in (FIVE, FIVE_MOVED))
    losses = np.concatenate([loss_curve(before, after, (-0.2, 1.2))["loss"], atoms(before, after)["loss"]])
    assert np.nanmax(np.abs(losses)) <= epsilon * (1 + 1e-6)
    assert np.nanmax(np.abs(losses)) * 0.95 <= largest_loss(before, after).loss <= epsilon * (1 + 1e-6)


def test_the_method_that_is_not_private_leaves_the_band():
    mechanism = MaximumObservedSensitivity()
    before, after = (mechanism.law(data, 2.0)[0] for data in (FIVE, FIVE_MOVED))
    assert np.nanmax(np.abs(loss_curve(before, after, (-3.0, 4.0))["loss"])) > 2.0


def test_failure_and_fallback_are_outcomes():
    before, after = (NoisyStats().law(data, 1.0)[0] for data in (FIVE, FIVE_MOVED))
    (row,) = atoms(before, after).to_dict("records")
    assert row["outcome"] == "no answer" and (row["before"], row["after"]) == (before.failure, after.failure)
    assert row["loss"] == pytest.approx(np.log(after.failure / before.failure))
    before, after = (CenteredStats().law(data, 1.0)[0] for data in (FIVE, FIVE_MOVED))
    rows = atoms(before, after).set_index("outcome")
    assert list(rows.index) == ["fallback"] and rows["before"].iloc[0] == before.fallback > 0


def test_the_ends_that_answers_are_moved_to_are_outcomes():
    before, after = (ClippedLaw(Laplace(place, 1.0), 0.0, 1.0) for place in (0.2, 0.5))
    rows = atoms(before, after).set_index("outcome")
    assert rows.loc["lower end", "before"] == pytest.approx(0.5 * np.exp(-0.2))
    assert rows.loc["upper end", "after"] == pytest.approx(0.5 * np.exp(-0.5))
    assert rows.loc["lower end", "loss"] == pytest.approx(-0.3)


def test_an_outcome_that_only_one_of_both_can_have_is_an_infinite_loss():
    rows = atoms(PointMass(np.nan), Laplace(0.0, 1.0))
    assert rows["loss"].tolist() == [-np.inf]
    assert atoms(Laplace(0.0, 1.0), Laplace(1.0, 1.0)).empty


def test_gaussian_noise_has_a_central_loss_though_none_holds_for_all_outcomes():
    """The loss is linear: mu z + mu^2 / 2 at z standard deviations, largest at the edge of the tails left aside."""
    largest = largest_loss(Gaussian(0.0, 1.0), Gaussian(0.5, 1.0))
    assert largest.rise == pytest.approx(0.5 * (4.8916 + 0.5) - 0.125, rel=1e-3)
    assert largest.fall == pytest.approx(0.5 * 4.8916 + 0.125, rel=1e-3)
    assert largest.left_out == pytest.approx(NEGLIGIBLE / 2, rel=0.1) and largest.complete
