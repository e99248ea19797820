"""The loss between neighbours: never more than promised, the supremum of its definition, searched for, from draws."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset
from dpslr_core.audit import MAX_MATCHED, Loss, audit, trained_loss, worst_loss, worst_neighbour
from dpslr_core.audit.loss import clopper_pearson, lower_bound, replacements, rows_worth_trying, worst_replacement
from dpslr_core.privacy import ZCDP, ApproxDP, Budget, GaussianDP, PureDP
from tests.cases.audit import (
    AT_FOUR,
    CENTERED,
    CHEAP,
    CORNERS,
    ENDS,
    MEDIANS,
    median_of,
    neighbours,
    worst_list_loss,
    worst_of_mirrored,
)
from tests.cases.faults import spends, times, variant
from tests.cases.inputs import DATASETS, PLAIN
from tests.reference import paper as reference
from tests.reference import privacy as privacy_reference


@pytest.mark.parametrize("mechanism", [*CHEAP, *MEDIANS, *CENTERED], ids=repr)
@pytest.mark.parametrize("epsilon", [0.3, 8.0])
def test_no_neighbours_of_three_records_tell_more_than_promised(mechanism, epsilon):
    loss = worst_of_mirrored(mechanism, epsilon, (0.0, 0.5, 1.0), 3)
    assert 0 <= loss.measured <= loss.promised + 1e-9 * max(1, epsilon)
    assert loss.holds


@pytest.mark.parametrize("mechanism", [*CHEAP, *MEDIANS, *CENTERED], ids=repr)
def test_a_mirror_image_loses_as_much(mechanism):
    """So that one of both is enough above and below."""
    for seed in range(3):
        pair = neighbours(seed, n=4)
        losses = [audit(mechanism, *each, 2.0).measured for each in (pair, [Dataset(1 - d.x, d.y) for d in pair])]
        assert losses[0] == pytest.approx(losses[1], rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("mechanism", [*CHEAP, *AT_FOUR], ids=repr)
def test_no_neighbours_of_four_records_tell_more_than_promised(mechanism):
    loss = worst_of_mirrored(mechanism, 1.0, CORNERS if mechanism in CHEAP else (0.0, 0.5, 1.0), 4)
    assert loss.measured <= loss.promised + 1e-9
    # Nor is the bound idle: something is told, and by half of these mechanisms all that is allowed.
    of_medians = 0.15 if loss.unit == "ρ" else 0.25
    assert loss.measured >= (1 - 1e-9 if mechanism in CHEAP else of_medians) * loss.promised


@pytest.mark.parametrize("at", [[0.5], [0.0, 0.5, 1.0]])
@pytest.mark.parametrize(
    "mechanism", [dp.NoisyIntercept(), dp.DPExpTheilSen(), dp.DPSSTheilSen(), dp.JointTheilSen()], ids=repr
)
def test_the_budget_covers_all_points_together(mechanism, at):
    assert worst_loss(mechanism, 2.0, at, n=3).loss.holds


@pytest.mark.parametrize(
    "mechanism",
    [
        dp.DPExpTheilSen(),
        dp.DPWideTheilSen(theta=0.01),
        dp.DPWideTheilSen(theta=0.1),
        dp.DPSSTheilSen(),
        dp.DPSSTheilSen(beta=0.9),
    ],
    ids=repr,
)
@pytest.mark.parametrize(("count", "changed"), [(1, 1), (2, 1), (4, 1), (3, 2)])
@pytest.mark.parametrize("epsilon", [0.5, 6.0])
def test_no_list_tells_more_than_promised(mechanism, count, changed, epsilon):
    assert worst_list_loss(median_of(mechanism, epsilon, changed), count, changed) <= epsilon + 1e-9


@pytest.mark.parametrize("mechanism", [*CHEAP, *MEDIANS], ids=repr)
def test_audit_of_two_data_sets(mechanism):
    data, neighbour = neighbours(4, n=5)
    loss, back = audit(mechanism, data, neighbour, 2.0, at=(0.25, 0.75)), audit(mechanism, neighbour, data, 2.0)
    assert isinstance(loss, Loss) and loss.holds and loss.measured > 0
    assert loss[:2] == pytest.approx(back[:2])
    order = [3, 1, 4, 0, 2]
    shuffled = Dataset(neighbour.x[order], neighbour.y[order])
    assert audit(mechanism, data, shuffled, 2.0).measured == pytest.approx(loss.measured, rel=1e-9)
    assert audit(mechanism, data, Dataset(data.x[order], data.y[order]), 2.0).measured == pytest.approx(0, abs=1e-9)
    assert (loss.unit, loss.promised) == ("ρ" if isinstance(mechanism.guarantee(2.0), ZCDP) else "ε", 2.0)


@pytest.mark.parametrize("out, new", [((8, 9), ((0, 0), (1, 1))), ((9,), ()), ((), ((0.5, 0.5),))])
def test_audit_refuses_data_sets_that_are_no_neighbours(out, new):
    x, y = (np.delete(column, out) for column in (DATASETS["even n"].x, DATASETS["even n"].y))
    other = Dataset(np.append(x, [record[0] for record in new]), np.append(y, [record[1] for record in new]))
    message = f"neighbour must be data with one record replaced, got {len(out)} out and {len(new)} in"
    with pytest.raises(ValueError, match=message):
        audit(dp.NoisyIntercept(), DATASETS["even n"], other, 1.0)


@pytest.mark.parametrize(
    "wrong",
    [{"epsilon": 0}, {"epsilon": 1.0, "at": []}, {"epsilon": 1.0, "n": 2}, {"epsilon": 1.0, "grid": (0.5, 0.5)}],
)
def test_worst_loss_refuses_wrong_arguments_by_name(wrong):
    with pytest.raises(ValueError, match=rf"^{list(wrong)[-1]} must "):
        worst_loss(dp.NoisyIntercept(), **wrong)


def test_what_promises_nothing_is_measured_and_what_cannot_be_measured_is_nan():
    data, neighbour = neighbours(1)
    for mechanism in (dp.OLS(), dp.TheilSen(), dp.MaximumObservedSensitivity()):
        assert audit(mechanism, data, neighbour, 1.0) == Loss(np.inf, np.inf, "ε")
        assert audit(mechanism, data, data, 1.0) == Loss(0.0, np.inf, "ε")
    data, neighbour = neighbours(1, n=MAX_MATCHED + 1)
    for mechanism in (dp.DPExpTheilSen(k=1), dp.TheilSen(k=1)):
        loss = audit(mechanism, data, neighbour, 1.0)
        assert np.isnan(loss.measured) and not loss.holds
    assert audit(dp.DPExpTheilSen(k=MAX_MATCHED), data, neighbour, 1.0).holds


def test_worst_loss_is_the_largest_over_all_ordered_data_sets():
    """The symmetry it uses, against brute force without it."""
    records = list(itertools.product((0.0, 1.0), repeat=2))
    for mechanism in (dp.DPExpTheilSen(lower=-1, upper=2), dp.NoisyStats(), dp.DPGDPure(clip=0.7)):
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
    assert audit(dp.NoisyStats(), data, neighbour, 1.2).measured == pytest.approx(1.2 / 3 * sum(in_units), rel=1e-6)
    rho = 1.2**2 / 2 / 3 * sum(value**2 for value in in_units)
    assert audit(dp.NoisyStatsGaussian(), data, neighbour, 1.2).measured == pytest.approx(rho, rel=1e-6)


@pytest.mark.slow
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
    candidates = (rng.standard_normal((200, 2)) * np.exp(rng.normal(0, 2, (200, 1)))).tolist()
    if x != u:  # parameters at which the two records have given residuals
        matrix = 2 * np.array([[0.75 - x, x - 0.25], [0.75 - u, u - 0.25]])
        candidates += [np.linalg.solve(matrix, [y - e, v - f]).tolist() for e in residuals for f in residuals]
    else:
        direction = np.array([0.75 - x, x - 0.25]) / (2 * ((0.75 - x) ** 2 + (x - 0.25) ** 2))
        candidates += [((b - e) * direction).tolist() for e in residuals for b in (y, v)]
    p25, p75 = np.array(candidates).T
    mine, theirs = (np.array(reference.clipped_gradient(a, b, p25, p75, clip)) for a, b in ((x, y), (u, v)))
    largest = {power: np.max(np.sum(np.abs(mine - theirs) ** power, axis=0)) for power in (1, 2)}
    pure, gaussian, tuned = (cls(steps=4, clip=clip) for cls in (dp.DPGDPure, dp.DPGDzCDP, dp.DPGDApprox))
    expected = 4 * largest[1] / (4 * clip * 4 / 2.0)
    assert audit(pure, data, neighbour, 2.0).measured == pytest.approx(expected, rel=1e-6, abs=1e-12)
    rho = 4 * largest[2] / (2 * (2 * clip) ** 2 / (2.0 / 4))
    assert audit(gaussian, data, neighbour, 2.0).measured == pytest.approx(rho, rel=1e-6, abs=1e-12)
    if largest[2] > 1e-6:
        share = 4 * largest[2] / (2 * tuned.noise_scale(2.0) ** 2)
        expected = privacy_reference.gaussian_epsilon(math.sqrt(2 * share), tuned.delta)
        assert audit(tuned, data, neighbour, 2.0).measured == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("n", "k"), [(4, 1), (4, 2), (5, 2)])
@pytest.mark.parametrize("mechanism", [dp.DPExpTheilSen, dp.DPWideTheilSen])
def test_loss_of_matchings_is_that_of_the_joint_mixture(mechanism, n, k):
    """Against the joint density on the plane: average over all sets of k matchings of products of the densities."""
    mechanism, at, epsilon = mechanism(k=k), (0.25, 0.75), 6.0
    theta = getattr(mechanism, "theta", 0.0)
    data, neighbour = Dataset(PLAIN.x[:n], PLAIN.y[:n]), Dataset([0.9, *PLAIN.x[1:n]], [0.0, *PLAIN.y[1:n]])

    drawn, densities = reference.all_pair_sets(n, k), []
    for either, point in itertools.product((data, neighbour), at):
        lists = [reference.private_list(either.x.tolist(), either.y.tolist(), point, *ENDS, pairs) for pairs in drawn]
        width = float(reference.to_grid(theta))
        densities.append([reference.median_density(z, epsilon / 2 / k, *ENDS, width) for z in lists])
    joint, middles = [], []
    for both in (densities[::2], densities[1::2]):  # of one point, on either data set
        ends = np.unique([end for pieces in itertools.chain(*both) for piece in pieces for end in piece[:2]])
        middles.append((ends[1:] + ends[:-1]) / 2)

    def density(pieces, t):
        return np.array([d for _, _, d in pieces])[np.searchsorted([right for _, right, _ in pieces], t)]

    for both in (densities[:2], densities[2:]):  # of one data set, at either point
        each = [[density(pieces, t) for pieces in laws] for laws, t in zip(both, middles, strict=True)]
        joint.append(np.mean([np.outer(*pair) for pair in zip(*each, strict=True)], axis=0))
    expected = np.max(np.abs(np.log(joint[0] / joint[1])))
    assert audit(mechanism, data, neighbour, epsilon, at).measured == pytest.approx(expected, rel=1e-9)


def test_a_loss_of_gaussian_privacy_is_measured_in_mu():
    """The same noise, with its guarantee in another currency."""
    in_mu = variant(dp.NoisyStatsGaussian, guarantee=lambda self, inherited, epsilon: GaussianDP(epsilon))
    loss, in_rho = (worst_loss(each, 1.3, grid=CORNERS, n=3).loss for each in (in_mu, dp.NoisyStatsGaussian()))
    assert (loss.unit, loss.promised) == ("μ", 1.3) and loss.holds
    assert loss.measured == pytest.approx(math.sqrt(2 * in_rho.measured))


@pytest.mark.parametrize("mechanism", [dp.DPExpTheilSen(), dp.DPSSTheilSen(), dp.NoisyStats()], ids=repr)
def test_the_search_comes_near_the_worst_of_a_fine_grid(mechanism):
    """All records of six, replaced by all of a grid of 11 x 11."""
    worst = worst_neighbour(mechanism, PLAIN, 2.0, pairs=400)
    *_, searched = worst_replacement(mechanism, PLAIN, 2.0)
    assert searched.tried == 6 * 11 * 11
    assert 0.9 * searched.worst.loss.measured <= worst.loss.measured <= worst.loss.promised
    assert worst.data == PLAIN and worst.loss.holds
    assert audit(mechanism, worst.data, worst.neighbour, 2.0).measured == pytest.approx(worst.loss.measured)


@pytest.mark.parametrize("name", DATASETS)
def test_neighbours_that_are_tried_are_neighbours_in_the_unit_square(name):
    data = DATASETS[name]
    assert len(set(replacements(data))) == len(replacements(data)) >= 25
    assert set(rows_worth_trying(data)) <= set(range(data.n))
    assert data.n > 8 or rows_worth_trying(data) == list(range(data.n))
    assert worst_neighbour(dp.DPExpTheilSen(), data, 1.0, pairs=20).loss.holds


def test_rows_and_the_number_of_pairs_are_asked_for():
    tried = []

    def counting(self, inherited, mine, theirs, epsilon):
        tried.append(mine.data.replaced(theirs.data))

    worst = worst_neighbour(variant(dp.NoisyIntercept, loss=counting), PLAIN, 1.0, records=[2], pairs=10)
    assert len(tried) == 10
    assert {pair[0] for pair in tried if pair} == {(PLAIN.x[2], PLAIN.y[2])}
    assert worst.loss.measured == max(0.0, worst.loss.measured)
    for wrong in ({"records": [6]}, {"records": []}, {"pairs": 0}, {"epsilon": 0}):
        with pytest.raises(ValueError, match=rf"^{next(iter(wrong))} must"):
            worst_neighbour(dp.NoisyIntercept(), PLAIN, **({"epsilon": 1.0} | wrong))
    for wrong in ({"rows": [9]}, {"rows": []}, {"side": 1}, {"epsilon": 0.0}):
        with pytest.raises(ValueError, match=rf"^{next(iter(wrong))} must"):
            next(worst_replacement(dp.NoisyIntercept(), DATA, **({"epsilon": 1.0} | wrong)))


def test_many_records_are_searched_by_ranks_and_a_loss_that_is_not_known_stays_unknown():
    rng = np.random.default_rng(1)
    data = Dataset(rng.random(1500), (rng.random(1500) < 0.1) * 1.0)
    assert 0.1 < worst_neighbour(dp.DPExpTheilSen(), data, 16.0, pairs=4).loss.measured <= 16
    assert np.isnan(worst_neighbour(dp.TheilSen(k=1), DATASETS["even n"], 1.0, pairs=3).loss.measured)


# ---------------------------------------------------------------- every place of a grid

RNG = np.random.default_rng(3)
DATA = Dataset(RNG.random(9), RNG.random(9))


@pytest.mark.parametrize(
    "mechanism", [dp.NoisyIntercept(), dp.DPExpTheilSen(), dp.CenteredStats(), dp.DPGDzCDP()], ids=repr
)
def test_it_comes_upon_what_trying_all_does_and_never_gets_better(mechanism):
    steps = list(worst_replacement(mechanism, DATA, 1.5, rows=range(9), side=3))
    every = {
        (row, x, y): audit(mechanism, DATA, DATA.with_record(row, x, y), 1.5).measured
        for row, x, y in itertools.product(range(9), (0, 0.5, 1), (0, 0.5, 1))
    }
    assert [step.tried for step in steps] == list(range(9, 82, 9)) and {step.total for step in steps} == {81}
    losses = [step.worst.loss.measured for step in steps]
    assert losses == sorted(losses) and steps[-1].worst.loss.holds
    assert losses[-1] == max(every.values()) == every[steps[-1].worst[:3]]


def test_a_mean_moves_most_by_a_record_that_crosses_the_square():
    *_, searched = worst_replacement(dp.NoisyIntercept(), DATA, 2.0)
    assert searched.worst.loss.measured == pytest.approx(2.0 * max(DATA.y.max(), 1 - DATA.y.min()))


def test_rows_worth_trying_come_first_and_others_follow():
    many = Dataset(RNG.random(300), RNG.random(300))
    first, more = rows_worth_trying(many), rows_worth_trying(many, 100)
    assert int(many.x.argmax()) in first and len(first) <= 12
    assert more[: len(first)] == first and len(set(more)) == len(more) == 100
    assert rows_worth_trying(DATA, 100) == list(dict.fromkeys([*rows_worth_trying(DATA), *range(9)]))


# ---------------------------------------------------------------- from draws alone

# The clipped gradients of the other records add up along (1, -1); the record that changes moves the sum along (1, 1),
# so that the direction of the noisy sum, which two steps release, shows all of the change.
X = np.append(np.zeros(39), 0.5)
FORTY, NEIGHBOUR = (Dataset(X, np.append(np.ones(39), end)) for end in (1.0, 0.0))


@pytest.mark.parametrize(
    "mechanism",
    [
        dp.DPGDPure(),
        dp.DPGDApprox(),
        dp.DPGDApprox(delta=0.01),
        dp.DPGDzCDP(),
        dp.DPGDzCDP(steps=2, clip=0.1),
        dp.DPExpTheilSen(k=3),
    ],
    ids=repr,
)
@pytest.mark.parametrize("epsilon", [0.5, 8.0])
def test_draws_show_no_more_than_promised(mechanism, epsilon):
    loss = trained_loss(mechanism, FORTY, NEIGHBOUR, Budget(epsilon), draws=10_000)
    assert 0 <= loss.measured <= loss.promised
    assert (loss.unit, loss.promised) == audit(mechanism, FORTY, NEIGHBOUR, epsilon)[:0:-1]


def test_half_the_noise_of_a_mean_is_caught():
    assert trained_loss(variant(dp.NoisyIntercept, _draw=spends(2)), FORTY, NEIGHBOUR, Budget(1.0)).measured > 1.7
    assert 0.85 < trained_loss(dp.NoisyIntercept(), FORTY, NEIGHBOUR, Budget(1.0)).measured <= 1


def test_half_the_noise_of_a_descent_is_caught():
    """Two steps release the direction of one noisy gradient: half of rho, and four times as much with half the noise.

    An event shows up to 2/pi of it and more, so that 2 rho is caught.
    """
    broken = trained_loss(
        variant(dp.DPGDzCDP, {"steps": 2, "clip": 0.1}, noise_scale=times(0.5)), FORTY, NEIGHBOUR, Budget(2.0)
    )
    assert broken.unit == "ρ" and broken.measured > 1.1 * broken.promised and not broken.holds
    sound = trained_loss(dp.DPGDzCDP(steps=2, clip=0.1), FORTY, NEIGHBOUR, Budget(2.0))
    assert 0.2 * sound.promised < sound.measured <= 0.5 * sound.promised


def test_failures_are_outcomes():
    """NoisyStats fails with very different chances where x hardly varies and where it does."""
    same = Dataset([0.5, 0.5, 0.5, 0.5], [0.5] * 4), Dataset([0.5, 0.5, 0.5, 1.0], [0.5] * 4)
    loss = trained_loss(dp.NoisyStats(), *same, Budget(30.0), draws=4_000)
    assert 1 < loss.measured <= 30


@pytest.mark.parametrize("hits", [0, 1, 7, 99, 100])
def test_clopper_pearson_limits_are_those_of_scipy(hits):
    low, high = clopper_pearson(hits, 100, 0.01)
    expected = stats.binomtest(hits, 100).proportion_ci(0.99, method="exact")
    assert (low, high) == pytest.approx((expected.low, expected.high), rel=1e-9, abs=1e-12)


def test_bounds_of_coins_are_those_of_the_definitions():
    p, q = stats.norm.sf([1.0, 2.0]), stats.norm.sf([2.5, 2.0])
    assert lower_bound(p, q, GaussianDP(1.0)) == pytest.approx([1.5, 0.0])
    assert lower_bound(q, p, GaussianDP(1.0)) == pytest.approx([0.0, 0.0])
    p, q = np.array([0.5, 0.3, 1.0]), np.array([0.1, 0.3, 0.25])
    assert lower_bound(p, q, PureDP(1.0)) == pytest.approx([math.log(5), 0, math.log(4)])
    assert lower_bound(p, q, ApproxDP(1.0, 0.1)) == pytest.approx([math.log(4), 0, math.log(3.6)])
    rho = lower_bound(p, q, ZCDP(1.0))
    orders = np.linspace(1.001, 60, 20_000)[:, None]
    sums = p[:2] ** orders * q[:2] ** (1 - orders) + (1 - p[:2]) ** orders * (1 - q[:2]) ** (1 - orders)
    assert rho[:2] == pytest.approx((np.log(sums) / (orders - 1) / orders).max(axis=0), rel=1e-2)
    assert rho[2] == pytest.approx(math.log(4))


@pytest.mark.parametrize("rho", [0.01, 0.5, 4.0])
def test_gaussian_noise_with_this_rho_is_never_shown_to_have_more(rho):
    """Coins from a threshold on N(0, 1) against N(sqrt(2 rho), 1), of which every Rényi divergence is rho a."""
    thresholds = np.linspace(-6, 6 + math.sqrt(2 * rho), 400)
    p, q = stats.norm.sf(thresholds - math.sqrt(2 * rho)), stats.norm.sf(thresholds)
    bounds = lower_bound(p, q, ZCDP(rho))
    assert 0.6 * rho < bounds.max() <= rho * (1 + 1e-9)


@pytest.mark.parametrize("wrong", [{"draws": 3}, {"seed": -1}])
def test_wrong_arguments_are_refused_by_name(wrong):
    with pytest.raises(ValueError, match=rf"^{next(iter(wrong))} must"):
        trained_loss(dp.NoisyIntercept(), FORTY, NEIGHBOUR, Budget(1.0), **wrong)
