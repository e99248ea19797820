"""The plan of neighbours across the crossover: its size, no loss above the promise, and a rounding fault is caught."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from dpslr_core import Dataset, pairs
from dpslr_core.audit import Loss, WorstLoss
from dpslr_core.mechanisms import DPExpTheilSen, DPWideTheilSen
from tests.audit import suite
from tests.audit.neighbours import crossover_at
from tests.cases.faults import variant
from tests.cases.pairs import pair_estimates


@pytest.fixture(scope="module")
def reduced():
    """A share of the plan, with laws from ranks for 60 records and more: both sides of the crossover."""
    with crossover_at(60):
        return suite.joined(
            list(suite.audit_units(suite.promising(), suite.AuditPlan(), suite.plan(400, seed=1)))
        )


def test_no_neighbours_tell_more_than_promised(reduced):
    for mechanism, row in zip(suite.promising(), reduced, strict=True):
        assert row.comparisons >= 400 and row.mechanism == mechanism.name
        least = 0.1 if row.worst.loss.unit == "ρ" and mechanism.by_ranks else 0.2
        assert least < row.worst.loss.share <= 1 + 1e-9, row
        assert row.comparisons > 800 or not mechanism.by_ranks


def row_of(name, measured):
    data = Dataset([0, 0, 1], [0, 0, 1])
    return suite.Row(name, suite.LAWS, 1, WorstLoss(Loss(measured, 1.0, "ε"), data, data))


def test_a_loss_that_is_not_known_counts_as_broken():
    for measured in ((1.1, np.nan), (np.nan, 1.1)):
        (row,) = suite.joined([[row_of("Broken", each) for each in measured]])
        assert np.isnan(row.worst.loss.share) and not row.holds and row.comparisons == 2


# ---------------------------------------------------------------- the fault that it is for


def rounded_differently(self, inherited, data, epsilon, at):
    """Estimates are formed from the residuals about the fitted line, to which the line is added back.

    In exact arithmetic it is the mechanism itself. In floating-point numbers a value that pairs share falls apart into
    neighbouring ones where the line slopes, and does not where it is level: one record decides. Between the parts no
    estimate is better, so that the density there is what it is at a median.
    """
    grid, laws = self.grid(at), []
    slope = data.slope if data.nvar > 0 else 0.0
    residuals = data.y - data.y_mean - slope * (data.x - data.x_mean)
    for point in at:
        lines = partial(pairs.lines_through, at=point)
        estimates = pair_estimates(data.x, residuals, *pairs.all_pairs(data.n), lines)[0]
        estimates += data.y_mean + slope * (point - data.x_mean)
        z = pairs.clip_and_place_ties(np.sort(estimates), *grid.range)
        laws.append(
            self._median_law(pairs.with_ends(z, *grid.range), epsilon / at.size, data.n - 1, grid)
        )
    return laws


@pytest.mark.parametrize(("cls", "given"), [(DPExpTheilSen, {}), (DPWideTheilSen, {"theta": 0.0})])
def test_rounding_that_splits_a_shared_value_is_caught(cls, given):
    forty_records = [
        replace(each, ways=suite.BOTH_SIDES[:1]) for each in suite.plan() if each.n == 40
    ]
    broken, sound = (
        suite.joined([[suite.audit_over(mechanism, each)] for each in forty_records])[0].worst.loss
        for mechanism in (variant(cls, given, _laws=rounded_differently), cls(**given))
    )
    assert broken.share > 2 and sound.holds
