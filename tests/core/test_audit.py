"""The exact privacy loss never exceeds what is promised, and twins broken on purpose are caught.

Data sets of three and four records on a small grid, all neighbours of all; and lists of numbers, all of which
estimates of pairs can be, for what a data set on a grid cannot bring about.
"""

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
import reference
from cases import DATASETS, LAWS, PLAIN
from hypothesis import given, settings
from hypothesis import strategies as st

from dpslr_core import Dataset, medians, pairwise
from dpslr_core.audit import MAX_MATCHED, Loss, audit, max_divergences, privacy_loss, worst_loss
from dpslr_core.laws import Laplace, Law, PointMass, StudentT
from dpslr_core.laws.piecewise import PiecewiseUniform
from dpslr_core.mechanisms import (
    OLS,
    ChooseByNoisyVariance,
    DPExpTheilSen,
    DPGDApprox,
    DPGDPure,
    DPGDzCDP,
    DPSSTheilSen,
    DPWideTheilSen,
    MaximumObservedSensitivity,
    NoisyIntercept,
    NoisyStats,
    NoisyStatsGaussian,
    TheilSen,
)
from dpslr_core.privacy import zcdp_epsilon

# ---------------------------------------------------------------- what is promised is kept

CHEAP = [
    NoisyIntercept(),
    NoisyStats(),
    NoisyStatsGaussian(),
    DPGDPure(),
    DPGDPure(steps=5, clip=0.2),
    DPGDApprox(),
    DPGDApprox(delta=0.01, clip=3.0),
    DPGDzCDP(),
    ChooseByNoisyVariance(),
]
MEDIANS = [
    ChooseByNoisyVariance(share=0.4, threshold=0.3),
    DPExpTheilSen(),
    DPExpTheilSen(lower=0.0, upper=1.0),
    DPWideTheilSen(),
    DPWideTheilSen(theta=0.3),
    DPSSTheilSen(),
    DPSSTheilSen(beta=0.9, df=1.5),
    DPSSTheilSen(beta=0.0),
    DPExpTheilSen(k=2),
    DPWideTheilSen(k=1, theta=0.2),
    DPSSTheilSen(k=1),
]
AT_FOUR = [DPExpTheilSen(), DPWideTheilSen(theta=0.3), DPSSTheilSen(), DPExpTheilSen(k=2)]


@pytest.mark.parametrize("mechanism", [*CHEAP, *MEDIANS], ids=repr)
@pytest.mark.parametrize("epsilon", [0.3, 8.0])
def test_no_neighbours_of_three_records_tell_more_than_promised(mechanism, epsilon):
    worst = worst_loss(mechanism, epsilon, n=3)
    assert 0 <= worst.loss.measured <= worst.loss.promised + 1e-9 * max(1, epsilon)
    assert worst.loss.holds


@pytest.mark.parametrize("mechanism", [*CHEAP, *AT_FOUR], ids=repr)
def test_no_neighbours_of_four_records_tell_more_than_promised(mechanism):
    loss = worst_loss(mechanism, 1.0, n=4).loss
    assert loss.measured <= loss.promised + 1e-9
    # Nor is the bound idle: something is told, and by half of these mechanisms all that is allowed.
    assert loss.measured >= (1 - 1e-9 if mechanism in CHEAP else 0.25) * loss.promised


@pytest.mark.parametrize("at", [[0.5], [0.0, 0.5, 1.0]])
@pytest.mark.parametrize("mechanism", [NoisyIntercept(), DPExpTheilSen(), DPSSTheilSen()], ids=repr)
def test_the_budget_covers_all_points_together(mechanism, at):
    assert worst_loss(mechanism, 2.0, at, n=3).loss.holds


# ---------------------------------------------------------------- the same for lists of numbers

ENDS = (-0.5, 1.5)
VALUES = (-0.5, 0.0, 0.5, 0.55, 0.6, 1.5)


def worst_list_loss(law_of, count, changed, values=VALUES):
    """The largest loss of a private median over all lists of so many values, of which so many are changed."""
    values = sorted(values)
    laws = {z: law_of(np.array(z)) for z in itertools.combinations_with_replacement(values, count)}
    pairs = set()
    for rest in itertools.combinations_with_replacement(values, count - changed):
        near = [tuple(sorted(rest + new)) for new in itertools.combinations_with_replacement(values, changed)]
        pairs.update(itertools.combinations(sorted(near), 2))
    return max(privacy_loss(laws[a], laws[b]) for a, b in pairs)


def median_of(mechanism, epsilon, changed):
    return lambda z: mechanism._median_law(z, epsilon, changed, mechanism.grid(np.zeros(1)))


@pytest.mark.parametrize(
    "mechanism",
    [DPExpTheilSen(), DPWideTheilSen(theta=0.01), DPWideTheilSen(theta=0.1), DPSSTheilSen(), DPSSTheilSen(beta=0.9)],
    ids=repr,
)
@pytest.mark.parametrize(("count", "changed"), [(1, 1), (2, 1), (4, 1), (3, 2)])
@pytest.mark.parametrize("epsilon", [0.5, 6.0])
def test_no_list_tells_more_than_promised(mechanism, count, changed, epsilon):
    assert worst_list_loss(median_of(mechanism, epsilon, changed), count, changed) <= epsilon + 1e-9


# ---------------------------------------------------------------- broken twins


class HalvedExponential(DPExpTheilSen):
    """Half the noise: the utility weighs twice what the budget allows."""

    def _median_law(self, z, epsilon, changed, grid):
        return super()._median_law(z, 2 * epsilon, changed, grid)


class HalvedWidened(DPWideTheilSen):
    """Half the noise, widened."""

    def _median_law(self, z, epsilon, changed, grid):
        return super()._median_law(z, 2 * epsilon, changed, grid)


class HalvedSmooth(DPSSTheilSen):
    """Half the noise: S/s halved."""

    def _median_law(self, z, epsilon, changed, grid):
        law = super()._median_law(z, epsilon, changed, grid)
        return replace(law, scale=law.scale / 2) if isinstance(law, StudentT) else law


class HalvedIntercept(NoisyIntercept):
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
    HalvedExponential(),
    HalvedIntercept(),
    *(halved_scale(cls) for cls in (NoisyStats, NoisyStatsGaussian, DPGDPure, DPGDApprox, DPGDzCDP)),
]


@pytest.mark.parametrize("twin", HALVED, ids=lambda twin: type(twin).__mro__[1].__name__)
def test_half_the_noise_is_caught(twin):
    assert not worst_loss(twin, 1.0, n=4).loss.holds


@pytest.mark.parametrize("twin", [HalvedExponential(), HalvedWidened(theta=0.1), HalvedSmooth()], ids=repr)
def test_half_the_noise_of_a_median_is_caught(twin):
    assert worst_list_loss(median_of(twin, 1.0, 1), 2, 1, (*VALUES, 1.0)) > 1.05


def unsplit(cls):
    """Algorithm 2 as printed: all of epsilon to each of the points."""

    class Unsplit(cls):
        def _laws(self, data, epsilon, at):
            return super()._laws(data, epsilon * at.size, at)

    return Unsplit()


@pytest.mark.parametrize(("cls", "n"), [(DPExpTheilSen, 4), (DPSSTheilSen, 3)])
def test_a_budget_not_split_over_the_points_is_caught(cls, n):
    assert not worst_loss(unsplit(cls), 1.0, (0.25, 0.75), n=n).loss.holds


class DroppingTies(DPSSTheilSen):
    """Algorithm 2 as printed: pairs with equal x are dropped, and nothing is left where all are equal.

    (The exponential mechanism survives dropping, for an entry less moves its utility by one only.)
    """

    def _laws(self, data, epsilon, at):
        grid, changed = self.grid(at), data.n - 1
        lists = (data.sorted_pairs(grid, point) for point in range(at.size))
        kept = [np.clip(z[~np.isnan(z)], *grid.range) for z in lists]
        return [self._median_law(z, epsilon / at.size, changed, grid) if z.size else PointMass(np.nan) for z in kept]


def test_dropping_pairs_with_equal_x_is_caught():
    worst = worst_loss(DroppingTies(), 1.0, n=3)
    assert worst.loss.measured == np.inf and not worst.loss.holds


class IgnoringMatchings(DPExpTheilSen):
    """epsilon not divided by k: as if a record were in one pair only."""

    def _median_law(self, z, epsilon, changed, grid):
        return super()._median_law(z, epsilon, 1, grid)


@pytest.mark.parametrize("k", [None, 2])
def test_a_budget_not_divided_by_the_matchings_is_caught(k):
    """With two of three matchings of four records each record is in two pairs, of which the grid moves both."""
    worst = worst_loss(IgnoringMatchings(k=k), 1.0, n=4)
    assert not worst.loss.holds


class WithoutTheLastWindow(DPSSTheilSen):
    """Lemma 8 with s = 0 .. k(l+1) - 1: the window that starts at the median is left out for l >= 1."""

    def _median_law(self, z, epsilon, changed, grid):
        t, s = reference.student_noise(epsilon, self.df, self.beta)
        count, m = len(z), (len(z) + 1) // 2

        def entry(i):
            return self.lower if i < 1 else self.upper if i > count else z[i - 1]

        spread = max(entry(m + changed) - entry(m), entry(m) - entry(m - changed))
        for level in range(1, count + 2):
            width = changed * (level + 1)
            windows = (entry(m + j) - entry(m - width + j) for j in range(width))
            spread = max(spread, math.exp(-level * t) * max(windows))
        median = float(medians.lower_median(z))
        return StudentT(median, spread / s, self.df) if spread > 0 else PointMass(median)


def test_a_smooth_sensitivity_without_its_last_window_is_caught():
    """Its scale jumps by e^(2t) where e^t is paid for: with nine tenths of the budget on smoothness, 1.35."""
    twin, sound = WithoutTheLastWindow(beta=0.9), DPSSTheilSen(beta=0.9)
    assert worst_list_loss(median_of(twin, 1.0, 1), 3, 1) > 1.3
    assert worst_list_loss(median_of(sound, 1.0, 1), 3, 1) <= 1


def test_noise_about_the_mean_of_two_middle_values_moves_by_more_than_its_sensitivity():
    """For even N the mean of the two middle values can move by 1.36 S, the entry z_m that S is about never by more
    than S. No list was found whose *loss* exceeds epsilon for it, Student-t noise being lenient; what is broken is
    the step that the proof rests on, and that is what is held here.
    """
    here, there = np.array([-0.5, -0.5]), np.array([-0.5, 1.5])
    allowed = min(float(medians.smooth_sensitivity(z, 1, 1.0, *ENDS)) for z in (here, there))
    moved = abs(pairwise.median_of_sorted(there) - pairwise.median_of_sorted(here))
    assert moved / allowed == pytest.approx(math.e / 2)
    assert abs(medians.lower_median(there) - medians.lower_median(here)) <= allowed


class SecondMedian(DPWideTheilSen):
    """Algorithm 4 as seen in the wild: the median is inserted, and a copy of it goes with either half.

    The flat piece around it is then a whole rank better than its neighbours, where half a rank is paid for.
    """

    def _median_law(self, z, epsilon, changed, grid):
        if z.size % 2 == 0:
            z = np.sort(np.append(z, pairwise.median_of_sorted(z)))
        half = z.size // 2
        moved = np.concatenate([z[: half + 1] - self.theta, z[half:] + self.theta])
        moved = np.clip(moved, self.lower, self.upper)
        return PiecewiseUniform(*medians.exponential_pieces(moved, epsilon / changed, self.lower, self.upper))


@pytest.mark.parametrize("theta", [0.01, 0.1])
def test_a_second_copy_of_the_median_is_caught(theta):
    assert worst_list_loss(median_of(SecondMedian(theta=theta), 1.0, 1), 2, 1) > 1.2
    assert worst_list_loss(median_of(DPWideTheilSen(theta=theta), 1.0, 1), 2, 1) <= 1


class HalvedChoice(ChooseByNoisyVariance):
    """Half the noise on the n var(x) that the choice goes by."""

    def margin(self, data, epsilon):
        return 2 * super().margin(data, epsilon)


class UnpaidChoice(ChooseByNoisyVariance):
    """All of epsilon to the chosen algorithm, as if the choice were free."""

    def rest(self, epsilon):
        return epsilon


class SharpChoice(ChooseByNoisyVariance):
    """The choice by the true n var(x)."""

    def log_chances(self, data, epsilon):
        large = self.rest(epsilon) * data.nvar > self.threshold
        return (0.0, -1e9) if large else (-1e9, 0.0)


@pytest.mark.parametrize("share", [0.1, 0.4])
@pytest.mark.parametrize("twin", [HalvedChoice, UnpaidChoice])
def test_a_choice_that_is_not_paid_for_is_caught(twin, share):
    """Both lose what the choice costs once more: with the default share 1.1 epsilon."""
    worst = worst_loss(twin(share=share), 1.0, n=4)
    assert worst.loss.measured == pytest.approx(1 + share, rel=1e-9) and not worst.loss.holds


def test_a_choice_by_the_true_variance_loses_everything():
    worst = worst_loss(SharpChoice(threshold=0.3), 1.0, n=4)
    assert worst.loss.measured > 1e8 and not worst.loss.holds


def test_loss_of_a_choice_bounds_that_of_what_can_be_seen():
    """Of the prediction at one point alone, by its law: less than with the choice and the noisy numbers known."""
    mechanism = ChooseByNoisyVariance(share=0.3, threshold=1.0)
    for seed in range(4):
        data, neighbour = neighbours(seed)
        (law,), (other,) = mechanism.law(data, 3.0, [0.25]), mechanism.law(neighbour, 3.0, [0.25])
        seen, told = privacy_loss(law, other), audit(mechanism, data, neighbour, 3.0, [0.25])
        assert 0.1 * told.measured < seen <= told.measured and told.holds


class SmallSensitivity(NoisyStats):
    """nvar and ncov taken for means: sensitivity 1/n where it is 1 - 1/n."""

    def noise_scale(self, sensitivity, epsilon):
        sensitivity = np.asarray(sensitivity)
        return super().noise_scale(np.where(sensitivity == 1 - 1 / 4, 1 / 4, sensitivity), epsilon)


def test_the_sensitivity_of_a_mean_for_that_of_a_sum_is_caught():
    assert worst_loss(SmallSensitivity(), 1.0, n=4).loss.measured > 2


class Unclipped(DPGDPure):
    """The noise is made for gradients within [-1, 1], and they are never clipped."""

    def noise_scale(self, epsilon):
        return 4 * self.steps / epsilon


class UnsplitSteps(DPGDPure):
    """Every step takes the whole budget."""

    def noise_scale(self, epsilon):
        return 4 * self.clip / epsilon


class UnsplitGaussianSteps(DPGDzCDP):
    """Every step takes the whole of rho."""

    def noise_scale(self, epsilon):
        return 2 * self.clip / math.sqrt(epsilon**2 / 2)


def test_descent_without_clipping_is_caught():
    assert worst_loss(Unclipped(clip=1e6), 1.0, n=3).loss.measured > 1000


@pytest.mark.parametrize("twin", [UnsplitSteps(), UnsplitGaussianSteps()], ids=repr)
def test_descent_without_splitting_the_budget_over_the_steps_is_caught(twin):
    loss = worst_loss(twin, 1.0, n=3).loss
    assert loss.measured == pytest.approx(80 * loss.promised) and not loss.holds


# ---------------------------------------------------------------- the measure itself


def brute_force(law, other, outcomes):
    """The largest log density ratios over these outcomes, forth and back."""
    with np.errstate(invalid="ignore"):
        ratios = law.logpdf(outcomes) - other.logpdf(outcomes)
    return float(np.nanmax(ratios)), float(np.nanmax(-ratios))


locations, scales = st.floats(-2, 2), st.floats(0.05, 5)


@given(locations, scales, locations, scales, st.floats(0.5, 20))
@settings(max_examples=200)
def test_loss_of_two_student_laws_is_the_supremum(a, s, b, r, df):
    law, other = StudentT(a, s, df), StudentT(b, r, df)
    far = np.geomspace(1e-4, 1e9, 20_000)
    outcomes = np.concatenate([a + s * far, a - s * far, b + r * far, b - r * far, [a, b]])
    exact, found = max_divergences(law, other), brute_force(law, other, outcomes)
    assert privacy_loss(law, other) == max(exact)
    for supremum, largest in zip(exact, found, strict=True):
        assert largest <= supremum + 1e-9
        assert largest == pytest.approx(supremum, rel=1e-4, abs=1e-6)


@given(locations, locations, scales)
def test_loss_of_two_laplace_laws_is_the_supremum(a, b, s):
    law, other = Laplace(a, s), Laplace(b, s)
    assert privacy_loss(law, other) == pytest.approx(abs(a - b) / s)
    assert brute_force(law, other, np.linspace(-50, 50, 2001)) == pytest.approx(max_divergences(law, other), abs=1e-9)


@given(locations, scales, locations, st.floats(1.01, 5))
def test_laplace_laws_of_different_scales_are_told_apart_in_one_direction_without_bound(a, s, b, factor):
    narrow, wide = Laplace(a, s), Laplace(b, factor * s)
    assert privacy_loss(narrow, wide) == max_divergences(wide, narrow)[0] == np.inf
    outcomes = np.concatenate([np.linspace(-60, 60, 2001), [a, b]])
    expected = np.max(narrow.logpdf(outcomes) - wide.logpdf(outcomes))
    assert max_divergences(narrow, wide)[0] == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.7, 1.0]), min_size=1, max_size=6).map(sorted), st.floats(0.1, 60))
def test_loss_of_two_piecewise_laws_is_the_largest_over_merged_pieces(z, epsilon):
    law, other = (
        PiecewiseUniform(*medians.exponential_pieces(np.array(values), epsilon, 0.0, 1.0))
        for values in (z, [0.05, 0.5, 0.5, 1.0])
    )
    edges = np.unique(np.concatenate([law.edges, other.edges]))
    found = brute_force(law, other, (edges[1:] + edges[:-1]) / 2)
    assert max_divergences(law, other) == pytest.approx(found, abs=1e-9)


def test_outcomes_that_only_one_data_set_can_give_lose_everything():
    law, shifted = (PiecewiseUniform(np.array([low, 1.0]), np.array([0.0])) for low in (0.0, 0.5))
    assert max_divergences(law, shifted)[0] == np.inf
    assert max_divergences(shifted, law)[0] == pytest.approx(math.log(2))
    shorter = PiecewiseUniform(np.array([0.0, 0.25]), np.array([0.0]))
    assert privacy_loss(law, shorter) == np.inf and max_divergences(shorter, law)[0] == pytest.approx(math.log(4))
    assert privacy_loss(PointMass(0.1), PointMass(0.2)) == np.inf
    assert privacy_loss(PointMass(0.1), PointMass(0.1)) == privacy_loss(PointMass(np.nan), PointMass(np.nan)) == 0
    assert privacy_loss(PointMass(0.1), Laplace(0.1, 1.0)) == privacy_loss(Laplace(0.1, 1.0), PointMass(0.1)) == np.inf


@pytest.mark.parametrize("name", LAWS)
def test_a_law_loses_nothing_to_itself(name):
    assert privacy_loss(LAWS[name], LAWS[name]) == pytest.approx(0, abs=1e-12)


@dataclass(frozen=True)
class OftenFailing(Law):
    """A Laplace law that fails with a given probability: a kind of law without a closed form of its loss."""

    inner: Laplace
    chance: float

    @property
    def failure(self):
        return self.chance

    def cdf(self, t):
        return (1 - self.failure) * self.inner.cdf(t)

    def ppf(self, q):
        return self.inner.ppf(np.asarray(q) / (1 - self.failure))

    def logpdf(self, t):
        return self.inner.logpdf(t) + np.log1p(-self.failure)


def test_failure_is_an_outcome_too():
    law, other = OftenFailing(Laplace(0.0, 1.0), 0.5), OftenFailing(Laplace(0.0, 1.0), 0.1)
    assert max_divergences(law, other)[0] == pytest.approx(math.log(5))
    assert max_divergences(other, law)[0] == pytest.approx(math.log(0.9 / 0.5))
    never = OftenFailing(Laplace(0.0, 1.0), 0.0)
    assert max_divergences(law, never)[0] == np.inf
    assert max_divergences(never, law)[0] == pytest.approx(math.log(2))


def test_a_law_without_a_closed_form_is_read_off_a_grid():
    law, other = OftenFailing(Laplace(0.0, 0.5), 0.0), OftenFailing(Laplace(0.3, 0.5), 0.0)
    assert privacy_loss(law, other) == pytest.approx(0.6, rel=1e-6)


def neighbours(seed, n=6):
    rng = np.random.default_rng(seed)
    x, y = rng.random(n), rng.random(n)
    moved_x, moved_y = x.copy(), y.copy()
    moved_x[2], moved_y[2] = rng.choice([0, 0.25, 1.0]), rng.choice([0, 0.5, 1])
    return Dataset(x, y), Dataset(moved_x, moved_y)


@pytest.mark.parametrize("mechanism", [*CHEAP, *MEDIANS], ids=repr)
def test_audit_of_two_data_sets(mechanism):
    data, neighbour = neighbours(4, n=5)
    loss = audit(mechanism, data, neighbour, 2.0, at=(0.25, 0.75))
    assert isinstance(loss, Loss) and loss.holds and loss.measured > 0
    assert loss == pytest.approx(audit(mechanism, neighbour, data, 2.0)) or loss[:2] == pytest.approx(
        audit(mechanism, neighbour, data, 2.0)[:2]
    )
    order = [3, 1, 4, 0, 2]
    shuffled = Dataset(neighbour.x[order], neighbour.y[order])
    assert audit(mechanism, data, shuffled, 2.0).measured == pytest.approx(loss.measured, rel=1e-9)
    assert audit(mechanism, data, Dataset(data.x[order], data.y[order]), 2.0).measured == pytest.approx(0, abs=1e-9)
    unit, promised = (
        ("ρ", 2.0) if isinstance(mechanism, NoisyStatsGaussian) or type(mechanism) is DPGDzCDP else ("ε", 2)
    )
    assert (loss.unit, loss.promised) == (unit, promised)


def test_audit_refuses_data_sets_that_are_no_neighbours():
    data = DATASETS["even n"]
    twice = Dataset(np.append(data.x[:8], [0, 1]), np.append(data.y[:8], [0, 1]))
    with pytest.raises(ValueError, match="neighbour must be data with one record replaced, got 2 out and 2 in"):
        audit(NoisyIntercept(), data, twice, 1.0)
    with pytest.raises(ValueError, match="neighbour must be data with one record replaced, got 1 out and 0 in"):
        audit(NoisyIntercept(), data, Dataset(data.x[:9], data.y[:9]), 1.0)
    with pytest.raises(ValueError, match="neighbour must be data with one record replaced, got 0 out and 1 in"):
        audit(NoisyIntercept(), Dataset(data.x[:9], data.y[:9]), data, 1.0)


@pytest.mark.parametrize("wrong", [{"epsilon": 0}, {"epsilon": 1.0, "at": []}, {"epsilon": 1.0, "n": 2}])
def test_worst_loss_refuses_wrong_arguments_by_name(wrong):
    with pytest.raises(ValueError, match=rf"^{list(wrong)[-1]} must "):
        worst_loss(NoisyIntercept(), **wrong)
    with pytest.raises(ValueError, match="grid must hold two or more different values"):
        worst_loss(NoisyIntercept(), 1.0, grid=(0.5, 0.5))


def test_what_promises_nothing_is_measured_all_the_same():
    data, neighbour = neighbours(1)
    for mechanism in (OLS(), TheilSen(), MaximumObservedSensitivity()):
        assert audit(mechanism, data, neighbour, 1.0) == Loss(np.inf, np.inf, "ε")
        assert audit(mechanism, data, data, 1.0) == Loss(0.0, np.inf, "ε")


def test_what_cannot_be_measured_is_nan():
    data, neighbour = neighbours(1, n=MAX_MATCHED + 1)
    for mechanism in (DPExpTheilSen(k=1), TheilSen(k=1)):
        loss = audit(mechanism, data, neighbour, 1.0)
        assert np.isnan(loss.measured) and not loss.holds
    assert audit(DPExpTheilSen(k=MAX_MATCHED), data, neighbour, 1.0).holds


def test_worst_loss_is_the_largest_over_all_ordered_data_sets():
    """The symmetry it uses, against brute force without it."""
    records = list(itertools.product((0.0, 1.0), repeat=2))
    for mechanism in (DPExpTheilSen(lower=-1, upper=2), NoisyStats(), DPGDPure(clip=0.7)):
        largest = 0.0
        for chosen in itertools.product(records, repeat=3):
            for replaced in records:
                pair = (Dataset(*np.array(these).T) for these in (chosen, (replaced, *chosen[1:])))
                largest = max(largest, audit(mechanism, *pair, 1.5).measured)
        worst = worst_loss(mechanism, 1.5, grid=(0.0, 1.0), n=3)
        assert worst.loss.measured == pytest.approx(largest, rel=1e-12)
        assert audit(mechanism, worst.data, worst.neighbour, 1.5).measured == pytest.approx(largest, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_loss_of_noisy_stats_is_the_sum_of_its_three_numbers(seed):
    """Against the definition, the intercept over a grid of slopes."""
    data, neighbour = neighbours(seed)
    (x, y), (u, v), n = (data.x.tolist(), data.y.tolist()), (neighbour.x.tolist(), neighbour.y.tolist()), 6
    slopes = np.concatenate([np.linspace(-3, 3, 601), [-1e9, 1e9]])
    shift = np.abs(reference.mean(y) - reference.mean(v) - slopes * (reference.mean(x) - reference.mean(u)))
    intercept = np.max(shift * n / (1 + np.abs(slopes)))
    sums = [abs(reference.nvar(x) - reference.nvar(u)), abs(reference.ncov(x, y) - reference.ncov(u, v))]
    in_units = [value / (1 - 1 / n) for value in sums] + [intercept]
    assert audit(NoisyStats(), data, neighbour, 1.2).measured == pytest.approx(1.2 / 3 * sum(in_units), rel=1e-6)
    rho = 1.2**2 / 2 / 3 * sum(value**2 for value in in_units)
    assert audit(NoisyStatsGaussian(), data, neighbour, 1.2).measured == pytest.approx(rho, rel=1e-6)


@given(st.tuples(*[st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.6, 0.75, 1.0])] * 4), st.sampled_from([0.05, 0.7, 1.0]))
@settings(max_examples=30, deadline=None)
def test_loss_of_descent_is_the_worst_over_all_parameters(records, clip):
    """Against the definition of the gradients, at parameters all over the plane."""
    x, y, u, v = records
    shared = [0.3, 0.9]
    data, neighbour = Dataset([x, *shared], [y, *shared]), Dataset([u, *shared], [v, *shared])
    rng = np.random.default_rng(0)
    residuals = [
        -1e6,
        1e6,
        *(sign * clip / (2 * w) for w in (0.05, 0.1, 0.15, 0.25, 0.35, 0.5, 0.65, 0.75) for sign in (-1, 1)),
    ]
    largest = {1: 0.0, 2: 0.0}
    candidates = (rng.standard_normal((200, 2)) * np.exp(rng.normal(0, 2, (200, 1)))).tolist()
    if x != u:  # parameters at which the two records have given residuals
        matrix = 2 * np.array([[0.75 - x, x - 0.25], [0.75 - u, u - 0.25]])
        candidates += [np.linalg.solve(matrix, [y - e, v - f]).tolist() for e in residuals for f in residuals]
    else:
        direction = np.array([0.75 - x, x - 0.25]) / (2 * ((0.75 - x) ** 2 + (x - 0.25) ** 2))
        candidates += [((b - e) * direction).tolist() for e in residuals for b in (y, v)]
    for p25, p75 in candidates:
        mine, theirs = (reference.clipped_gradient(a, b, p25, p75, clip) for a, b in ((x, y), (u, v)))
        for power in largest:
            largest[power] = max(largest[power], sum(abs(a - b) ** power for a, b in zip(mine, theirs, strict=True)))
    pure, gaussian, tuned = DPGDPure(steps=4, clip=clip), DPGDzCDP(steps=4, clip=clip), DPGDApprox(steps=4, clip=clip)
    assert audit(pure, data, neighbour, 2.0).measured == pytest.approx(
        4 * largest[1] / (4 * clip * 4 / 2.0), rel=1e-6, abs=1e-12
    )
    rho = 4 * largest[2] / (2 * (2 * clip) ** 2 / (2.0 / 4))
    assert audit(gaussian, data, neighbour, 2.0).measured == pytest.approx(rho, rel=1e-6, abs=1e-12)
    if largest[2] > 1e-6:
        share = 4 * largest[2] / (2 * tuned.noise_scale(2.0) ** 2)
        expected = zcdp_epsilon(share, tuned.delta)
        assert audit(tuned, data, neighbour, 2.0).measured == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("n", "k"), [(4, 1), (4, 2), (5, 2)])
@pytest.mark.parametrize("mechanism", [DPExpTheilSen, DPWideTheilSen])
def test_loss_of_matchings_is_that_of_the_joint_mixture(mechanism, n, k):
    """Against the joint density on the plane: average over all sets of k matchings of products of the densities."""
    mechanism, at, epsilon = mechanism(k=k), (0.25, 0.75), 6.0
    theta = getattr(mechanism, "theta", 0.0)
    data, neighbour = Dataset(PLAIN.x[:n], PLAIN.y[:n]), Dataset([0.9, *PLAIN.x[1:n]], [0.0, *PLAIN.y[1:n]])

    def pieces_of(either):
        drawn = reference.all_pair_sets(n, k)
        return [
            [
                reference.median_density(
                    reference.private_list(either.x.tolist(), either.y.tolist(), point, *ENDS, pairs),
                    epsilon / 2 / k,
                    *ENDS,
                    float(reference.to_grid(theta)),
                )
                for point in at
            ]
            for pairs in drawn
        ]

    both = [pieces_of(either) for either in (data, neighbour)]
    middles = []
    for i in range(2):
        ends = np.unique(
            [end for drawn in both for laws in drawn for left, right, _ in laws[i] for end in (left, right)]
        )
        middles.append((ends[1:] + ends[:-1]) / 2)

    def density(pieces, t):
        return np.array([d for _, _, d in pieces])[np.searchsorted([right for _, right, _ in pieces], t)]

    joint = [
        np.mean(
            [np.outer(*(density(pieces, t) for pieces, t in zip(laws, middles, strict=True))) for laws in drawn], axis=0
        )
        for drawn in both
    ]
    expected = np.max(np.abs(np.log(joint[0] / joint[1])))
    assert audit(mechanism, data, neighbour, epsilon, at).measured == pytest.approx(expected, rel=1e-9)
