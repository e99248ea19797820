"""The loss between neighbours never exceeds what is promised, and is the supremum that the definition says."""

import itertools
import math

import numpy as np
import privacy_reference
import pytest
import reference
from audit_cases import (
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
from cases import DATASETS, PLAIN
from hypothesis import given, settings
from hypothesis import strategies as st

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset
from dpslr_core.audit import MAX_MATCHED, Loss, audit, worst_loss
from dpslr_core.privacy import ZCDP, GaussianDP


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
        one, other = neighbours(seed, n=4)
        losses = [audit(mechanism, *pair, 2.0).measured for pair in ((one, other), map(from_right, (one, other)))]
        assert losses[0] == pytest.approx(losses[1], rel=1e-6, abs=1e-9)


def from_right(data):
    return Dataset(1 - data.x, data.y)


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
    loss = audit(mechanism, data, neighbour, 2.0, at=(0.25, 0.75))
    assert isinstance(loss, Loss) and loss.holds and loss.measured > 0
    assert loss == pytest.approx(audit(mechanism, neighbour, data, 2.0)) or loss[:2] == pytest.approx(
        audit(mechanism, neighbour, data, 2.0)[:2]
    )
    order = [3, 1, 4, 0, 2]
    shuffled = Dataset(neighbour.x[order], neighbour.y[order])
    assert audit(mechanism, data, shuffled, 2.0).measured == pytest.approx(loss.measured, rel=1e-9)
    assert audit(mechanism, data, Dataset(data.x[order], data.y[order]), 2.0).measured == pytest.approx(0, abs=1e-9)
    unit, promised = ("ρ", 2.0) if isinstance(mechanism.guarantee(2.0), ZCDP) else ("ε", 2)
    assert (loss.unit, loss.promised) == (unit, promised)


def test_audit_refuses_data_sets_that_are_no_neighbours():
    data = DATASETS["even n"]
    twice = Dataset(np.append(data.x[:8], [0, 1]), np.append(data.y[:8], [0, 1]))
    with pytest.raises(ValueError, match="neighbour must be data with one record replaced, got 2 out and 2 in"):
        audit(dp.NoisyIntercept(), data, twice, 1.0)
    with pytest.raises(ValueError, match="neighbour must be data with one record replaced, got 1 out and 0 in"):
        audit(dp.NoisyIntercept(), data, Dataset(data.x[:9], data.y[:9]), 1.0)
    with pytest.raises(ValueError, match="neighbour must be data with one record replaced, got 0 out and 1 in"):
        audit(dp.NoisyIntercept(), Dataset(data.x[:9], data.y[:9]), data, 1.0)


@pytest.mark.parametrize("wrong", [{"epsilon": 0}, {"epsilon": 1.0, "at": []}, {"epsilon": 1.0, "n": 2}])
def test_worst_loss_refuses_wrong_arguments_by_name(wrong):
    with pytest.raises(ValueError, match=rf"^{list(wrong)[-1]} must "):
        worst_loss(dp.NoisyIntercept(), **wrong)
    with pytest.raises(ValueError, match="grid must hold two or more different values"):
        worst_loss(dp.NoisyIntercept(), 1.0, grid=(0.5, 0.5))


def test_what_promises_nothing_is_measured_all_the_same():
    data, neighbour = neighbours(1)
    for mechanism in (dp.OLS(), dp.TheilSen(), dp.MaximumObservedSensitivity()):
        assert audit(mechanism, data, neighbour, 1.0) == Loss(np.inf, np.inf, "ε")
        assert audit(mechanism, data, data, 1.0) == Loss(0.0, np.inf, "ε")


def test_what_cannot_be_measured_is_nan():
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
    pure, gaussian, tuned = (
        dp.DPGDPure(steps=4, clip=clip),
        dp.DPGDzCDP(steps=4, clip=clip),
        dp.DPGDApprox(steps=4, clip=clip),
    )
    assert audit(pure, data, neighbour, 2.0).measured == pytest.approx(
        4 * largest[1] / (4 * clip * 4 / 2.0), rel=1e-6, abs=1e-12
    )
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


class InMu(dp.NoisyStatsGaussian):
    """The same noise, with its guarantee in another currency."""

    def guarantee(self, epsilon):
        return GaussianDP(epsilon)


def test_a_loss_of_gaussian_privacy_is_measured_in_mu():
    found, in_rho = (worst_loss(each, 1.3, grid=CORNERS, n=3).loss for each in (InMu(), dp.NoisyStatsGaussian()))
    assert (found.unit, found.promised) == ("μ", 1.3) and found.holds
    assert found.measured == pytest.approx(math.sqrt(2 * in_rho.measured))
