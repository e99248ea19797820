"""The loss of each outcome, against densities written out by hand."""

import numpy as np
import pytest

from dpslr_core import Dataset
from dpslr_core.laws.derived.clipped import ClippedLaw
from dpslr_core.laws.named import Gaussian, Laplace, PointMass
from dpslr_core.mechanisms import CenteredStats, DPExpTheilSen, MaximumObservedSensitivity, NoisyStats
from dpslr_core.promise.losses import NEGLIGIBLE, LargestLoss, atoms, largest_loss, loss_curve

DATA = Dataset([0.1, 0.4, 0.5, 0.8, 0.9], [0.2, 0.3, 0.5, 0.5, 0.9])
MOVED = DATA.with_record(4, 0.0, 1.0)


def test_the_loss_of_laplace_noise_rises_from_one_end_to_the_other_of_the_shift():
    curve = loss_curve(Laplace(0.0, 0.5), Laplace(1.0, 0.5), (-1.0, 2.0))
    expected = (np.abs(curve["estimate"]) - np.abs(curve["estimate"] - 1)) / 0.5
    np.testing.assert_allclose(curve["loss"], expected, atol=1e-12)
    np.testing.assert_allclose(np.log(curve["after"] / curve["before"]), expected, atol=1e-9)
    assert largest_loss(Laplace(0.0, 0.5), Laplace(1.0, 0.5)) == LargestLoss(pytest.approx(2.0), pytest.approx(2.0))


@pytest.mark.parametrize("epsilon", [0.3, 2.0, 16.0])
@pytest.mark.parametrize("mechanism", [DPExpTheilSen(), NoisyStats(), CenteredStats()], ids=repr)
def test_the_curve_stays_between_the_lines(mechanism, epsilon):
    before, after = (mechanism.law(data, epsilon)[0] for data in (DATA, MOVED))
    losses = np.concatenate([loss_curve(before, after, (-0.2, 1.2))["loss"], atoms(before, after)["loss"]])
    assert np.nanmax(np.abs(losses)) <= epsilon * (1 + 1e-6)
    assert np.nanmax(np.abs(losses)) * 0.95 <= largest_loss(before, after).loss <= epsilon * (1 + 1e-6)


def test_the_method_that_is_not_private_leaves_the_band():
    mechanism = MaximumObservedSensitivity()
    before, after = (mechanism.law(data, 2.0)[0] for data in (DATA, MOVED))
    assert np.nanmax(np.abs(loss_curve(before, after, (-3.0, 4.0))["loss"])) > 2.0


def test_failure_and_fallback_are_outcomes():
    before, after = (NoisyStats().law(data, 1.0)[0] for data in (DATA, MOVED))
    (row,) = atoms(before, after).to_dict("records")
    assert row["outcome"] == "no answer" and (row["before"], row["after"]) == (before.failure, after.failure)
    assert row["loss"] == pytest.approx(np.log(after.failure / before.failure))
    before, after = (CenteredStats().law(data, 1.0)[0] for data in (DATA, MOVED))
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
