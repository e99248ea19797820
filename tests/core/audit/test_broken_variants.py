"""Broken variants of the mechanisms are caught: less noise, a budget not split, sensitivities too small."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset
from dpslr_core.audit import audit, privacy_loss, worst_loss
from dpslr_core.laws import Laplace
from tests.cases.audit import CORNERS, VALUES, median_of, worst_list_loss
from tests.cases.faults import (
    as_if_one_pair,
    cutting_ties,
    half_smooth,
    share_of_one,
    spends,
    times,
    unchecked,
    variant,
)

HALVED = times(0.5)
SMALL, GRID = {"grid": CORNERS, "n": 4}, {"grid": (0.0, 0.5, 1.0), "n": 3}
JOINT = {"grid": (0.0, 1 / 6, 0.5, 1.0)}  # its differences reach 5/6, about where five sums move most together
EIGHT = {"at": (0.25,) * 8, **SMALL}  # with one point asked for eight times all releases tell the same


def halved_laws(self, inherited, *args):
    return [Laplace(law.location, law.scale / 2) for law in inherited(*args)]


def all_at_each_point(self, inherited, data, epsilon, at):
    """Algorithm 2 as printed."""
    return inherited(data, epsilon * at.size, at)


def of_a_mean(self, inherited, sensitivity, *rest):
    """nvar and ncov taken for means of four records: sensitivity 1/n where it is 1 - 1/n."""
    return inherited(np.where(np.asarray(sensitivity) == 3 / 4, 1 / 4, sensitivity), *rest)


def uncentred(self, inherited, record):
    """Sums of x, y and their products, with noise made for those of x - 1/2 and y - 1/2."""
    x, y = record
    return np.array([x, y, x * x, x * y, y * y])


def as_shares_of_x(self, inherited, data):
    """Scores as shares of the different x, times n."""
    return inherited(data) * (data.n / np.unique(data.x).size)


# By name: the variant, over which neighbours, and between what its loss over the promise is.
CAUGHT = {
    "half the noise of a mean": (variant(dp.NoisyIntercept, _laws=halved_laws), SMALL, (1.99, inf)),
    **{
        f"half the noise of {cls.__name__}": (variant(cls, noise_scale=HALVED), SMALL, (1.99, inf))
        for cls in (dp.NoisyStats, dp.NoisyStatsGaussian, dp.DPGDPure, dp.DPGDApprox, dp.DPGDzCDP)
    },
    "half the noise of centred sums": (
        variant(dp.CenteredStats, noise_scale=HALVED),
        JOINT,
        (2 * 0.988 * 0.998, 2 * 0.988 * 1.002),
    ),
    "half the Gaussian noise of centred sums": (
        variant(dp.CenteredStatsGaussian, noise_scale=HALVED),
        JOINT,
        (4 * 0.988**2 * 0.998, 4 * 0.988**2 * 1.002),
    ),
    "noise for centred sums on others": (variant(dp.CenteredStats, summands=uncentred), JOINT, (2.5, inf)),
    "all of epsilon at each point": (variant(dp.DPExpTheilSen, _laws=all_at_each_point), {"n": 4}, (1.001, inf)),
    "all of epsilon at each smooth point": (variant(dp.DPSSTheilSen, _laws=all_at_each_point), {"n": 3}, (1.001, inf)),
    "pairs not counted": (variant(dp.DPExpTheilSen, _median_law=as_if_one_pair), SMALL, (1.001, inf)),
    # with two of three matchings of four records each record is in two pairs, of which the grid moves both
    "matchings not counted": (variant(dp.DPExpTheilSen, {"k": 2}, _median_law=as_if_one_pair), {"n": 4}, (1.001, inf)),
    "joint draw with half the sensitivity": (variant(dp.JointTheilSen, joint_law=spends(2)), {"n": 4}, (1.05, inf)),
    "joint draw of pairs not counted": (variant(dp.JointTheilSen, joint_law=as_if_one_pair), {"n": 4}, (1.05, inf)),
    **{
        f"all of rho at each point of {cls.__name__}, epsilon {epsilon}": (
            variant(cls, share=share_of_one),
            {"epsilon": epsilon, **EIGHT},
            (1.5, inf),
        )
        for cls in (dp.DPExpTheilSenZCDP, dp.DPWideTheilSenZCDP)
        for epsilon in (0.1, 2.0)
    },
    **{
        f"{name}, c = {c}": (variant(cls, {"c": c, "grid": 10}, **changes), over, (least, inf))
        for c in (0.0, 0.1)
        for name, cls, changes, over, least in (
            ("half the noise of a line", dp.DeepestLine, {"weight": times(2)}, SMALL, 1.1),
            ("half the noise of a zCDP line", dp.DeepestLineZCDP, {"weight": times(2)}, SMALL, 3.9),
            ("scores in units of the data", dp.DeepestLine, {"_all_scores": as_shares_of_x}, GRID, 1.05),
        )
    },
    "the sensitivity of a mean for that of a sum": (variant(dp.NoisyStats, noise_scale=of_a_mean), SMALL, (2.0, inf)),
    **{
        f"shares of {cls.__name__} that sum to more than one, {split}": (
            variant(cls, {"split": split}, _check=unchecked),
            {"grid": CORNERS, "n": 3},
            (1.05, inf),
        )
        for cls in (dp.NoisyStats, dp.NoisyStatsGaussian)
        for split in ((0.5, 0.5, 0.5), (0.3, 0.6, 0.3))
    },
    "descent without clipping": (
        variant(dp.DPGDPure, {"clip": 1e6}, noise_scale=lambda self, inherited, epsilon: 4 * self.steps / epsilon),
        {"n": 3},
        (1000, inf),
    ),
    **{
        f"every step of {cls.__name__} takes the whole budget": (
            variant(cls, noise_scale=times(factor)),
            {"n": 3},
            (30 * (1 - 1e-6), 30 * (1 + 1e-6)),
        )
        for cls, factor in ((dp.DPGDPure, 1 / 30), (dp.DPGDzCDP, 30**-0.5))
    },
}


@pytest.mark.parametrize("name", CAUGHT)
def test_a_broken_variant_is_caught(name):
    mechanism, over, (least, most) = CAUGHT[name]
    loss = worst_loss(mechanism, **{"epsilon": 1.0, **over}).loss
    assert least < loss.share < most or loss.share == most == inf
    assert not loss.holds


@pytest.mark.parametrize(
    ("sound", "over"),
    [
        (dp.DPExpTheilSenZCDP(), {"epsilon": 0.1, **EIGHT}),
        (dp.DPWideTheilSenZCDP(), {"epsilon": 2.0, **EIGHT}),
        (dp.NoisyStats(split=(0.25, 0.5, 0.25)), {"grid": CORNERS, "n": 3}),
        (dp.NoisyStatsGaussian(split=(0.25, 0.5, 0.25)), {"grid": CORNERS, "n": 3}),
    ],
    ids=repr,
)
def test_a_sound_one_of_the_same_kind_is_not(sound, over):
    assert worst_loss(sound, **{"epsilon": 1.0, **over}).loss.holds


@pytest.mark.parametrize(
    "halved",
    [
        variant(dp.DPExpTheilSen, _median_law=spends(2)),
        variant(dp.DPWideTheilSen, {"theta": 0.1}, _median_law=spends(2)),
        variant(dp.DPSSTheilSen, _median_law=half_smooth),
    ],
    ids=repr,
)
def test_half_the_noise_of_a_median_is_caught(halved):
    assert worst_list_loss(median_of(halved, 1.0, 1), 2, 1, (*VALUES, 1.0)) > 1.05


@pytest.mark.parametrize(
    ("cls", "b", "norm"),
    [
        (dp.CenteredStats, (2.0,) * 5, 25 / 24),
        (dp.CenteredStatsGaussian, (1.4,) * 5, 2**0.5 / 1.4),
        (dp.CenteredStats, (1.0, 1.0, 0.25, 0.5, 0.25), 3.5),
    ],
)
def test_sums_calibrated_one_by_one_are_refused_and_caught(cls, b, norm):
    """Each sum keeps to the budget, five of them together do not."""
    loss = worst_loss(variant(cls, {"b": b}, _check=unchecked), 1.0, **JOINT).loss
    assert not loss.holds
    assert loss.share == pytest.approx(norm if cls is dp.CenteredStats else norm**2, rel=1e-9)
    with pytest.raises(ValueError, match=r"^b must have a sensitivity of at most 1, got "):
        cls(b=b)


MOST_MOVED = [Dataset([0.5, 0.5, end], [0.5, 0.5, end]) for end in (1.0, 0.5)]  # of 5 sums together: by .946


@pytest.mark.parametrize("share", [0.1, 0.4])
@pytest.mark.parametrize("change", [{"first": times(2)}, {"rest": lambda self, inherited, epsilon: epsilon}], ids=list)
def test_a_choice_that_is_not_paid_for_is_caught(change, share):
    """Half the noise on the sums that it goes by, or all of epsilon to what is chosen: the choice costs once more."""
    given = {"share": share, "grid": 20}
    broken, sound = variant(dp.ChooseByCenteredStats, given, **change), dp.ChooseByCenteredStats(**given)
    losses = [audit(each, *MOST_MOVED, 2.0) for each in (broken, sound, dp.CenteredStats())]
    assert losses[0].measured == pytest.approx(losses[1].measured + share * losses[2].measured, rel=1e-9)
    assert losses[1].holds and not losses[0].holds


def sharp_choice(self, inherited, data, first, epsilon):
    made = inherited(data, first, epsilon)
    return made._replace(sums=np.full(made.sums.shape, data.nvar > 0.9))


def sharp_weights(self, inherited, data, first, epsilon):
    return inherited(data, replace(first, nvar=np.full(first.nvar.shape, data.nvar)), epsilon)


@pytest.mark.parametrize("plan", [sharp_choice, sharp_weights])
def test_a_choice_by_the_true_variance_loses_everything(plan):
    """The same sums lead to one plan on one data set and to another on its neighbour."""
    pair = [Dataset([0.0, 0.0, 1.0, x], [0.0, 0.2, 0.9, 1.0]) for x in (0.0, 1.0)]
    assert audit(variant(dp.ChooseByCenteredStats, {"grid": 20}, plan=plan), *pair, 40.0).measured == np.inf
    assert audit(dp.ChooseByCenteredStats(grid=20), *pair, 40.0).holds


@pytest.mark.parametrize("c", [0.0, 0.1])
def test_cuts_between_records_of_equal_x_are_caught(c):
    """Neighbours are sets of records: one in order of y, one with large and small y in turn."""
    data, neighbour = (Dataset(np.full(12, 0.5), y) for y in ([0.0] * 6 + [1.0] * 6, [0.0, 1.0] * 5 + [0.0, 0.5]))
    broken = variant(dp.DeepestLine, {"c": c, "grid": 10}, scores=cutting_ties)
    assert audit(broken, data, neighbour, 1.0).share > 1.5
    assert audit(dp.DeepestLine(c=c, grid=10), data, neighbour, 1.0).holds


def ridge_by_the_truth(self, inherited, data, nvar, ncov, epsilon):
    ridge = self.ridged(np.array(data.nvar), data.n, epsilon) - data.nvar
    return ncov / (np.maximum(nvar, 0) + ridge + 1e-9)


@pytest.mark.parametrize(("n", "epsilon"), [(4, 8.0), (12, 3.0)])
def test_a_ridge_by_the_true_variance_is_caught(n, epsilon):
    """The slope then tells what the noisy numbers hide; where the ridge of both is the same, it tells nothing."""
    data = Dataset(np.arange(n) % 2, np.arange(n) % 2)
    neighbour = data.with_record(0, 1.0, 0.0)
    broken = variant(dp.NoisyStats, {"adaptive_ridge": True}, _slope=ridge_by_the_truth)
    assert not audit(broken, data, neighbour, epsilon).holds and audit(broken, data, neighbour, 1e-3).holds
    assert audit(dp.NoisyStats(adaptive_ridge=True), data, neighbour, epsilon).holds


@pytest.mark.parametrize("split", [(1 / 3, 1 / 3, 1 / 3), (0.1, 0.1, 0.8)])
def test_a_fallback_without_noise_is_caught(split):
    """By the law of the prediction alone: of two records, each at one x, one y changes."""
    pair, given = [Dataset([0.5] * 4, [0.2, 0.4, 0.6, y]) for y in (0.0, 1.0)], {"fallback": True, "split": split}
    noiseless = variant(
        dp.NoisyStats, given, _flat_law=lambda self, inherited, data, scale: inherited(data, 1e-3 * scale)
    )
    for mechanism, caught in ((noiseless, True), (dp.NoisyStats(**given), False)):
        (law,), (other,) = (mechanism.law(data, 1.0, [0.25]) for data in pair)
        assert (privacy_loss(law, other) > 1.5) == caught
        assert caught or privacy_loss(law, other) <= 1
