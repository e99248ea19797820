"""The loss between neighbours: never more than promised, the supremum of its definition, and searched for."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset
from dpslr_core.audit import MAX_MATCHED, Loss, audit, worst_loss
from dpslr_core.audit.loss import worst_replacement
from dpslr_core.mechanisms.descent import gradient_shifts
from dpslr_core.privacy import ZCDP, GaussianDP
from tests.cases.audit import CHEAP, CORNERS, DEAR, OTHERS, neighbours, worst_of_mirrored
from tests.cases.faults import variant
from tests.cases.inputs import DATASETS, PLAIN
from tests.reference import paper as reference

each_audited = pytest.mark.parametrize("mechanism", [*CHEAP, *DEAR, *OTHERS], ids=repr)


@each_audited
def test_no_neighbours_of_three_records_tell_more_than_promised(mechanism):
    for epsilon in (0.3, 8.0):
        loss = worst_of_mirrored(mechanism, epsilon, (0.0, 0.5, 1.0), 3)
        assert 0 <= loss.measured <= loss.promised + 1e-9 * max(1, epsilon)
        assert loss.holds


@pytest.mark.parametrize("mechanism", [*CHEAP, *DEAR], ids=repr)
def test_no_neighbours_of_four_records_tell_more_than_promised(mechanism):
    """Nor is the bound idle: something is told, and by half of these mechanisms all that is allowed."""
    loss = worst_of_mirrored(mechanism, 1.0, CORNERS if mechanism in CHEAP else (0.0, 0.5, 1.0), 4)
    assert loss.measured <= loss.promised + 1e-9
    of_medians = 0.15 if loss.unit == "ρ" else 0.25
    assert loss.measured >= (1 - 1e-9 if mechanism in CHEAP else of_medians) * loss.promised


@each_audited
def test_a_loss_depends_on_no_order_and_no_direction(mechanism):
    """That of a mirror image is the same too, so that one of both is enough above."""
    data = Dataset([0.1, 0.4, 0.6, 0.9], [0.2, 0.3, 0.7, 0.6])
    neighbour = data.with_record(1, 1.0, 0.0)
    loss = audit(mechanism, data, neighbour, 2.0)
    assert loss.holds and loss.measured > 0
    assert (loss.unit, loss.promised) == (
        "ρ" if isinstance(mechanism.guarantee(2.0), ZCDP) else "ε",
        2.0,
    )
    order = [3, 1, 0, 2]
    mirrored = [Dataset(1 - each.x, each.y) for each in (data, neighbour)]
    for pair in (
        (neighbour, data),
        (data, Dataset(neighbour.x[order], neighbour.y[order])),
        mirrored,
    ):
        assert audit(mechanism, *pair, 2.0).measured == pytest.approx(
            loss.measured, rel=1e-6, abs=1e-9
        )


def test_audit_refuses_data_sets_that_are_no_neighbours():
    data = DATASETS["even n"]
    for out, new in ((2, 2), (1, 0), (0, 1)):
        x, y = (np.append(column[: data.n - out], [0.5] * new) for column in (data.x, data.y))
        message = f"neighbour must be data with one record replaced, got {out} out and {new} in"
        with pytest.raises(ValueError, match=message):
            audit(dp.NoisyIntercept(), data, Dataset(x, y), 1.0)


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
    for mechanism in (dp.DPExpTheilSen(lower=-1, upper=2), dp.NoisyStats()):
        largest = 0.0
        for chosen in itertools.product(records, repeat=3):
            for replaced in records:
                pair = (Dataset(*np.array(these).T) for these in (chosen, (replaced, *chosen[1:])))
                largest = max(largest, audit(mechanism, *pair, 1.5).measured)
        worst = worst_loss(mechanism, 1.5, grid=(0.0, 1.0), n=3)
        assert worst.loss.measured == pytest.approx(largest, rel=1e-12)
        assert audit(mechanism, worst.data, worst.neighbour, 1.5).measured == pytest.approx(
            largest, rel=1e-12
        )


def test_loss_of_noisy_stats_is_the_sum_of_its_three_numbers():
    """Against the definition, the intercept over a grid of slopes."""
    data, neighbour, n = PLAIN, PLAIN.with_record(2, 1.0, 0.9), PLAIN.n
    slopes = np.concatenate([np.linspace(-3, 3, 601), [-1e9, 1e9]])
    moved = data.y_mean - neighbour.y_mean - slopes * (data.x_mean - neighbour.x_mean)
    intercept = np.max(np.abs(moved) * n / (1 + np.abs(slopes)))
    sums = np.abs([data.nvar - neighbour.nvar, data.ncov - neighbour.ncov]) / (1 - 1 / n)
    in_units = np.append(sums, intercept)
    epsilon = audit(dp.NoisyStats(), data, neighbour, 1.2).measured
    assert epsilon == pytest.approx(1.2 / 3 * in_units.sum(), rel=1e-6)
    rho = audit(dp.NoisyStatsGaussian(), data, neighbour, 1.2).measured
    assert rho == pytest.approx(1.2**2 / 2 / 3 * (in_units**2).sum(), rel=1e-6)


@given(
    st.tuples(*[st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.6, 0.75, 1.0])] * 4),
    st.sampled_from([0.05, 0.7, 1.0]),
)
@settings(max_examples=30)
def test_shifts_of_gradients_are_the_worst_over_all_parameters(records, clip):
    """Against the definition of the gradients, at parameters all over the plane."""
    x, y, u, v = records
    rng = np.random.default_rng(0)
    candidates = (rng.standard_normal((200, 2)) * np.exp(rng.normal(0, 2, (200, 1)))).tolist()
    weights = 2 * np.array([[0.75 - x, x - 0.25], [0.75 - u, u - 0.25]])
    clipped = [sign * clip / w for w in np.abs(weights).ravel() if w for sign in (-1, 1)]
    for e, f in itertools.product(
        [-1e6, 1e6, *clipped], repeat=2
    ):  # parameters with given residuals
        residuals = [y - e, v - f] if x != u else [y - e, y - e]
        candidates.append(np.linalg.lstsq(weights, residuals)[0].tolist())
    p25, p75 = np.array(candidates).T
    gradients = [
        np.array(reference.clipped_gradient(a, b, p25, p75, clip)) for a, b in ((x, y), (u, v))
    ]
    shifts = gradient_shifts((x, y), (u, v), clip)
    for power in (1, 2):
        expected = np.max(np.sum(np.abs(gradients[0] - gradients[1]) ** power, axis=0))
        assert np.max(np.sum(shifts**power, axis=1)) == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_a_loss_of_gaussian_privacy_is_measured_in_mu():
    """The same noise, with its guarantee in another currency."""
    in_mu = variant(
        dp.NoisyStatsGaussian, guarantee=lambda self, inherited, epsilon: GaussianDP(epsilon)
    )
    loss, in_rho = (
        worst_loss(each, 1.3, grid=CORNERS, n=3).loss for each in (in_mu, dp.NoisyStatsGaussian())
    )
    assert (loss.unit, loss.promised) == ("μ", 1.3) and loss.holds
    assert loss.measured == pytest.approx(math.sqrt(2 * in_rho.measured))


# ---------------------------------------------------------------- every place of a grid

RNG = np.random.default_rng(3)
DATA = Dataset(RNG.random(9), RNG.random(9))


@pytest.mark.parametrize(
    "mechanism", [dp.DPExpTheilSen(), dp.CenteredStats(), dp.DPGDzCDP()], ids=repr
)
def test_the_search_comes_upon_what_trying_all_does_and_never_gets_better(mechanism):
    steps = list(worst_replacement(mechanism, DATA, 1.5, rows=range(9), side=3))
    losses = [step.worst.loss.measured for step in steps]
    every = [
        audit(mechanism, DATA, DATA.with_record(row, x, y), 1.5).measured
        for row, x, y in itertools.product(range(9), (0, 0.5, 1), (0, 0.5, 1))
    ]
    assert [step.tried for step in steps] == list(range(9, 82, 9)) and steps[0].total == 81
    assert losses == sorted(losses) and losses[-1] == max(every) and steps[-1].worst.loss.holds
    row, x, y, loss = steps[-1].worst
    assert audit(mechanism, DATA, DATA.with_record(row, x, y), 1.5) == loss
