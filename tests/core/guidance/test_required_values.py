"""Required values: there the noise is small enough, and just below it is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpslr_core.experiments.expected import expected_errors
from dpslr_core.guidance.evidence import simulated_spreads
from dpslr_core.guidance.required_values import (
    noise_curve,
    required_n,
)
from dpslr_core.mechanisms import (
    DPExpTheilSen,
)
from dpslr_core.privacy import Budget
from dpslr_core.sources import LinearModel
from dpslr_core.support.run import Run
from dpslr_core.text.guidance import required_text

MODEL, BUDGET = LinearModel(100, 0.03, 0.01), Budget(2.0, (0.25, 0.75))


def one_digit_less(value):
    """The largest number of three digits below it, and a little less: the search ends 0.06% above its goal."""
    return (value - 10 ** (np.floor(np.log10(value)) - 2)) * (1 - 6e-4)


def error_by_point(model, epsilon=2.0):
    """The expected error about OLS at each point, over four simulated data sets."""
    data = [model.replicate(0, number) for number in range(4)]
    spreads = simulated_spreads(model, Budget(epsilon, BUDGET.at), DPExpTheilSen(), data, Run())
    return np.array([each.value for each in expected_errors(spreads[:, 0, :, None])])


def test_over_all_data_sets_it_is_just_enough_at_every_point():
    at_points = error_by_point(MODEL)
    assert at_points.shape == (len(BUDGET.at),) and at_points.min() < 0.97 * at_points.max()
    required = noise_curve(MODEL, BUDGET, DPExpTheilSen(), 1.2, datasets=4).required
    for epsilon, enough in (
        (float(required_text(required)), True),
        (one_digit_less(required.value), False),
    ):
        assert (error_by_point(MODEL, epsilon).max() <= 1.2) == enough


def test_the_curve_passes_through_the_required_value():
    curve = noise_curve(MODEL, BUDGET, DPExpTheilSen(), 1.2, datasets=2)
    at_required = curve.ratios[curve.epsilons.index(curve.required.value)]
    assert 1.18 < at_required <= 1.2
    assert curve.epsilons[-1] == pytest.approx(10 * curve.required.value)
    assert curve.ratios[-1] < at_required < curve.ratios[0]


def test_required_n_is_just_enough():
    required = required_n(MODEL, BUDGET, DPExpTheilSen(), datasets=4)
    n = int(required.value)
    assert n == required.value
    for size, enough in ((n, True), (int(n * 0.97), False)):
        assert (error_by_point(replace(MODEL, n=size)).max() <= 1) == enough
