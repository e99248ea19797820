"""Broken variants of the mechanisms are caught: less noise, a budget not split, sensitivities too small."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from audit_cases import CORNERS, VALUES, median_of, worst_list_loss

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset
from dpslr_core.audit import audit, privacy_loss, worst_loss
from dpslr_core.depth import DepthScores, LineGrid
from dpslr_core.laws import Laplace, StudentT


class HalvedExponential(dp.DPExpTheilSen):
    """Half the noise: the utility weighs twice what the budget allows."""

    def _median_law(self, edges, epsilon, changed, grid):
        return super()._median_law(edges, 2 * epsilon, changed, grid)


class HalvedWidened(dp.DPWideTheilSen):
    """Half the noise, widened."""

    def _median_law(self, edges, epsilon, changed, grid):
        return super()._median_law(edges, 2 * epsilon, changed, grid)


class HalvedSmooth(dp.DPSSTheilSen):
    """Half the noise: S/s halved."""

    def _median_law(self, edges, epsilon, changed, grid):
        law = super()._median_law(edges, epsilon, changed, grid)
        return replace(law, scale=law.scale / 2) if isinstance(law, StudentT) else law


class HalvedIntercept(dp.NoisyIntercept):
    """Half the noise: 1/(2 epsilon n)."""

    def _laws(self, data, epsilon, at):
        return [Laplace(law.location, law.scale / 2) for law in super()._laws(data, epsilon, at)]


def halved_scale(cls):
    """Half the noise in every number released."""

    @dataclass(frozen=True)
    class Halved(cls):
        def noise_scale(self, *arguments):
            return super().noise_scale(*arguments) / 2

    return Halved()


HALVED = [
    HalvedIntercept(),
    *(halved_scale(cls) for cls in (dp.NoisyStats, dp.NoisyStatsGaussian, dp.DPGDPure, dp.DPGDApprox, dp.DPGDzCDP)),
]


@pytest.mark.parametrize("variant", HALVED, ids=lambda variant: type(variant).__mro__[1].__name__)
def test_half_the_noise_is_caught(variant):
    assert worst_loss(variant, 1.0, grid=CORNERS, n=4).loss.share > 1.99


@pytest.mark.parametrize("variant", [HalvedExponential(), HalvedWidened(theta=0.1), HalvedSmooth()], ids=repr)
def test_half_the_noise_of_a_median_is_caught(variant):
    assert worst_list_loss(median_of(variant, 1.0, 1), 2, 1, (*VALUES, 1.0)) > 1.05


def unsplit(cls):
    """Algorithm 2 as printed: all of epsilon to each of the points."""

    class Unsplit(cls):
        def _laws(self, data, epsilon, at):
            return super()._laws(data, epsilon * at.size, at)

    return Unsplit()


@pytest.mark.parametrize(("cls", "n"), [(dp.DPExpTheilSen, 4), (dp.DPSSTheilSen, 3)])
def test_a_budget_not_split_over_the_points_is_caught(cls, n):
    assert not worst_loss(unsplit(cls), 1.0, (0.25, 0.75), n=n).loss.holds


class IgnoringMatchings(dp.DPExpTheilSen):
    """epsilon not divided by k: as if a record were in one pair only."""

    def _median_law(self, edges, epsilon, changed, grid):
        return super()._median_law(edges, epsilon, 1, grid)


@pytest.mark.parametrize(("k", "grid"), [(None, CORNERS), (2, (0.0, 0.5, 1.0))])
def test_a_budget_not_divided_by_the_matchings_is_caught(k, grid):
    """With two of three matchings of four records each record is in two pairs, of which the grid moves both."""
    worst = worst_loss(IgnoringMatchings(k=k), 1.0, grid=grid, n=4)
    assert not worst.loss.holds


class HalfTheSensitivity(dp.JointTheilSen):
    """As if a changed estimate moved |A - B| by 1: sensitivity k."""

    def joint_law(self, lists, epsilon, changed, grid):
        return super().joint_law(lists, 2 * epsilon, changed, grid)


class JointIgnoringMatchings(dp.JointTheilSen):
    """epsilon not divided by k: as if a record were in one pair only."""

    def joint_law(self, lists, epsilon, changed, grid):
        return super().joint_law(lists, epsilon, 1, grid)


@pytest.mark.parametrize("variant", [HalfTheSensitivity(), JointIgnoringMatchings()])
def test_a_joint_draw_with_too_small_a_sensitivity_is_caught(variant):
    assert worst_loss(variant, 1.0, n=4).loss.share > 1.05


def unsplit_rho(cls):
    """All of rho to each of the points: eta = sqrt(8 rho)."""

    class Unsplit(cls):
        def share(self, epsilon, releases):
            return super().share(epsilon, 1)

    return Unsplit()


@pytest.mark.parametrize("cls", [dp.DPExpTheilSenZCDP, dp.DPWideTheilSenZCDP])
@pytest.mark.parametrize("epsilon", [0.1, 2.0])
def test_rho_not_split_over_the_points_is_caught(cls, epsilon):
    """With one point asked for eight times all releases tell the same."""
    assert worst_loss(unsplit_rho(cls), epsilon, (0.25,) * 8, grid=CORNERS, n=4).loss.share > 1.5
    assert worst_loss(cls(), epsilon, (0.25,) * 8, grid=CORNERS, n=4).loss.holds


class HalvedLook(dp.ChooseByCenteredStats):
    """Half the noise on the sums that the choice goes by."""

    def first(self, epsilon):
        return 2 * super().first(epsilon)


class UnpaidLook(dp.ChooseByCenteredStats):
    """All of epsilon to the chosen algorithm, as if the choice were free."""

    def rest(self, epsilon):
        return epsilon


class SharpChoice(dp.ChooseByCenteredStats):
    """The choice by the true n var(x)."""

    def plan(self, data, first, epsilon):
        made = super().plan(data, first, epsilon)
        return made._replace(sums=np.full(made.sums.shape, data.nvar > 0.9))


class SharpWeights(dp.ChooseByCenteredStats):
    """The weights of both lines by the true n var(x)."""

    def plan(self, data, first, epsilon):
        return super().plan(data, replace(first, nvar=np.full(first.nvar.shape, data.nvar)), epsilon)


MOST_MOVED = [Dataset([0.5, 0.5, end], [0.5, 0.5, end]) for end in (1.0, 0.5)]  # of 5 sums together: by .946


@pytest.mark.parametrize("share", [0.1, 0.4])
@pytest.mark.parametrize("variant", [HalvedLook, UnpaidLook])
def test_a_choice_that_is_not_paid_for_is_caught(variant, share):
    """Both lose what the choice costs once more."""
    sound, broken = (audit(cls(share=share, grid=20), *MOST_MOVED, 2.0) for cls in (dp.ChooseByCenteredStats, variant))
    of_sums = audit(dp.CenteredStats(), *MOST_MOVED, 2.0).measured
    assert broken.measured == pytest.approx(sound.measured + share * of_sums, rel=1e-9)
    assert sound.holds and not broken.holds


@pytest.mark.parametrize("variant", [SharpChoice, SharpWeights])
def test_a_choice_by_the_true_variance_loses_everything(variant):
    """The same sums lead to one plan on one data set and to another on its neighbour."""
    pair = [Dataset([0.0, 0.0, 1.0, x], [0.0, 0.2, 0.9, 1.0]) for x in (0.0, 1.0)]
    assert audit(variant(grid=20), *pair, 40.0).measured == np.inf
    assert audit(dp.ChooseByCenteredStats(grid=20), *pair, 40.0).holds


class HalvedDeepest(dp.DeepestLine):
    """Half the noise, or a sensitivity of 1: weights exp(-epsilon M / 2)."""

    def weight(self, epsilon):
        return epsilon / 2


class HalvedDeepestZCDP(dp.DeepestLineZCDP):
    """Half the noise: weights exp(-eta M / 2)."""

    def weight(self, epsilon):
        return 2 * super().weight(epsilon)


class CutTies(DepthScores):
    """Cuts between records of equal x, in the order of the records."""

    @property
    def _group_ends(self):
        return np.full(self.x.size, True)


class CuttingTies(dp.DeepestLine):
    """Scores with cuts between records of equal x."""

    def scores(self, data):
        return data.cached("ties", lambda: CutTies(data.x, data.y, self.c, LineGrid(self.grid, self.lower, self.upper)))


class Normalised(dp.DeepestLine):
    """Scores as shares of the different x, times n."""

    def _all_scores(self, data):
        return super()._all_scores(data) * (data.n / np.unique(data.x).size)


@pytest.mark.parametrize("c", [0.0, 0.1])
def test_half_the_noise_of_a_line_is_caught(c):
    assert worst_loss(HalvedDeepest(c=c, grid=10), 1.0, grid=CORNERS, n=4).loss.share > 1.1
    assert worst_loss(HalvedDeepestZCDP(c=c, grid=10), 1.0, grid=CORNERS, n=4).loss.share > 3.9


@pytest.mark.parametrize("c", [0.0, 0.1])
def test_cuts_between_records_of_equal_x_are_caught(c):
    """Neighbours are sets of records: one in order of y, one with large and small y in turn."""
    data, neighbour = (Dataset(np.full(12, 0.5), y) for y in ([0.0] * 6 + [1.0] * 6, [0.0, 1.0] * 5 + [0.0, 0.5]))
    assert audit(CuttingTies(c=c, grid=10), data, neighbour, 1.0).share > 1.5
    assert audit(dp.DeepestLine(c=c, grid=10), data, neighbour, 1.0).holds


@pytest.mark.parametrize("c", [0.0, 0.1])
def test_scores_in_units_of_the_data_are_caught(c):
    assert worst_loss(Normalised(c=c, grid=10), 1.0, grid=(0.0, 0.5, 1.0), n=3).loss.share > 1.05


class SmallSensitivity(dp.NoisyStats):
    """nvar and ncov taken for means: sensitivity 1/n where it is 1 - 1/n."""

    def noise_scale(self, sensitivity, epsilon, *share):
        sensitivity = np.asarray(sensitivity)
        return super().noise_scale(np.where(sensitivity == 1 - 1 / 4, 1 / 4, sensitivity), epsilon, *share)


def test_the_sensitivity_of_a_mean_for_that_of_a_sum_is_caught():
    assert worst_loss(SmallSensitivity(), 1.0, grid=CORNERS, n=4).loss.measured > 2


class OverspentStats(dp.NoisyStats):
    """A split as given, whatever its sum."""

    def _check(self):
        return


class OverspentStatsGaussian(dp.NoisyStatsGaussian):
    """A split of rho as given, whatever its sum."""

    def _check(self):
        return


@pytest.mark.parametrize("cls", [OverspentStats, OverspentStatsGaussian])
@pytest.mark.parametrize("split", [(0.5, 0.5, 0.5), (0.3, 0.6, 0.3)])
def test_shares_that_sum_to_more_than_one_are_caught(cls, split):
    assert worst_loss(cls(split=split), 1.0, grid=CORNERS, n=3).loss.share > 1.05
    fair = tuple(share / sum(split) for share in split)
    assert worst_loss(cls(split=fair), 1.0, grid=CORNERS, n=3).loss.holds


class RidgeByTheTrueVariance(dp.NoisyStats):
    """A ridge that is made by the true nvar(x)."""

    def _slope(self, data, nvar, ncov, epsilon):
        ridge = self.ridged(np.array(data.nvar), data.n, epsilon) - data.nvar
        return ncov / (np.maximum(nvar, 0) + ridge + 1e-9)


@pytest.mark.parametrize(("n", "epsilon"), [(4, 8.0), (12, 3.0)])
def test_a_ridge_by_the_true_variance_is_caught(n, epsilon):
    """The slope then tells what the noisy numbers hide; where the ridge of both is the same, it tells nothing."""
    data = Dataset(np.arange(n) % 2, np.arange(n) % 2)
    neighbour, broken = data.with_record(0, 1.0, 0.0), RidgeByTheTrueVariance(adaptive_ridge=True)
    assert not audit(broken, data, neighbour, epsilon).holds and audit(broken, data, neighbour, 1e-3).holds
    assert audit(dp.NoisyStats(adaptive_ridge=True), data, neighbour, epsilon).holds


class NoiselessFallback(dp.NoisyStats):
    """Where it fails, the mean of y, with next to no noise."""

    def _flat_law(self, data, scale):
        return super()._flat_law(data, 1e-3 * scale)


@pytest.mark.parametrize("split", [(1 / 3, 1 / 3, 1 / 3), (0.1, 0.1, 0.8)])
def test_a_fallback_without_noise_is_caught(split):
    """By the law of the prediction alone: of two records, each at one x, one y changes."""
    pair = [Dataset([0.5] * 4, [0.2, 0.4, 0.6, y]) for y in (0.0, 1.0)]
    for cls, caught in ((NoiselessFallback, True), (dp.NoisyStats, False)):
        (law,), (other,) = (cls(fallback=True, split=split).law(data, 1.0, [0.25]) for data in pair)
        assert (privacy_loss(law, other) > 1.5) == caught
        assert caught or privacy_loss(law, other) <= 1


JOINT_GRID = (0.0, 1 / 6, 0.5, 1.0)  # its differences reach 5/6, about where the five sums move most together


@pytest.mark.parametrize("cls", [dp.CenteredStats, dp.CenteredStatsGaussian])
def test_half_the_noise_of_centred_sums_is_caught(cls):
    halved = worst_loss(halved_scale(cls), 1.0, grid=JOINT_GRID).loss
    assert halved.share == pytest.approx(2 * 0.988 if cls is dp.CenteredStats else 4 * 0.988**2, rel=2e-3)


class ApartStats(dp.CenteredStats):
    """b as given: calibrated to each sum on its own, whatever they lose together."""

    def _check(self):
        return


class ApartStatsGaussian(dp.CenteredStatsGaussian):
    """b as given, with Gaussian noise."""

    def _check(self):
        return


@pytest.mark.parametrize(
    ("apart", "checked", "b", "norm"),
    [
        (ApartStats, dp.CenteredStats, (2.0,) * 5, 25 / 24),
        (ApartStatsGaussian, dp.CenteredStatsGaussian, (1.4,) * 5, 2**0.5 / 1.4),
        (ApartStats, dp.CenteredStats, (1.0, 1.0, 0.25, 0.5, 0.25), 3.5),
    ],
)
def test_sums_calibrated_one_by_one_are_refused_and_caught(apart, checked, b, norm):
    """Each sum keeps to the budget, five of them together do not."""
    worst = worst_loss(apart(b=b), 1.0, grid=JOINT_GRID)
    assert not worst.loss.holds
    power = 1 if checked is dp.CenteredStats else 2
    assert worst.loss.share ** (1 / power) == pytest.approx(norm, rel=1e-9)
    with pytest.raises(ValueError, match=r"^b must have a sensitivity of at most 1, got "):
        checked(b=b)


class Uncentred(dp.CenteredStats):
    """Sums of x, y and their products, with noise made for those of x - 1/2 and y - 1/2."""

    @staticmethod
    def summands(record):
        x, y = record
        return np.array([x, y, x * x, x * y, y * y])


def test_noise_for_centred_sums_on_others_is_caught():
    assert worst_loss(Uncentred(), 1.0, grid=JOINT_GRID).loss.share > 2.5


class Unclipped(dp.DPGDPure):
    """The noise is made for gradients within [-1, 1], and they are never clipped."""

    def noise_scale(self, epsilon):
        return 4 * self.steps / epsilon


class UnsplitSteps(dp.DPGDPure):
    """Every step takes the whole budget."""

    def noise_scale(self, epsilon):
        return 4 * self.clip / epsilon


class UnsplitGaussianSteps(dp.DPGDzCDP):
    """Every step takes the whole of rho."""

    def noise_scale(self, epsilon):
        return 2 * self.clip / math.sqrt(epsilon**2 / 2)


def test_descent_without_clipping_is_caught():
    assert worst_loss(Unclipped(clip=1e6), 1.0, n=3).loss.measured > 1000


@pytest.mark.parametrize("variant", [UnsplitSteps(), UnsplitGaussianSteps()], ids=repr)
def test_descent_without_splitting_the_budget_over_the_steps_is_caught(variant):
    loss = worst_loss(variant, 1.0, n=3).loss
    assert loss.measured == pytest.approx(variant.steps * loss.promised) and not loss.holds
