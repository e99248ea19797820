"""The paper's rule of thumb and the quantities it goes by."""

from __future__ import annotations

import numpy as np
import pytest

from dpslr_core import Dataset
from dpslr_core.guidance.recommendation import circumstances, rule_of_thumb
from dpslr_core.mechanisms import DPExpTheilSen, NoisyStats
from dpslr_core.scenario import Scenario


def given(**changes):
    base = Scenario(**changes)
    return base.linear_model, base.budget


def rule(lower=-0.5, upper=1.5, theta=0.0001, **changes):
    return rule_of_thumb(circumstances(*given(**changes), lower, upper, theta)).algorithms


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"n": 2000, "var_x": 0.03, "epsilon": 8.0, "var_e": 0.01}, ("NoisyStats",)),  # 480
        ({"n": 1600, "var_x": 0.03, "epsilon": 8.0, "var_e": 0.01}, ("DPExpTheilSen",)),  # 384
        ({"n": 2000, "var_x": 0.03, "epsilon": 8.0, "var_e": 0.009}, ("DPExpTheilSen",)),
        ({"n": 2000, "var_x": 0.03, "epsilon": 8.0, "theta": 0.1}, ("DPWideTheilSen", "DPSSTheilSen")),
        ({"n": 10_000, "epsilon": 0.01, "lower": -50.0, "upper": 50.0}, ("NoisyStats",)),
        ({"n": 10_000, "epsilon": 0.01}, ("DPExpTheilSen",)),
    ],
)
def test_the_rule(given, expected):
    assert rule(**given) == expected


def test_failure_and_noise_are_those_of_noisy_stats():
    data = Dataset(np.r_[np.full(20, 0.4), np.full(20, 0.6)], np.full(40, 0.5))  # var(x) = 0.01 exactly
    c = circumstances(*given(n=40, var_x=0.01, epsilon=2.0), -0.5, 1.5, 0.01)
    assert c.failure == pytest.approx(NoisyStats().law(data, 2.0)[0].failure, rel=1e-12)
    assert c.denominator_noise == pytest.approx(float(NoisyStats().noise_scale(1 - 1 / 40, 2.0)) / data.nvar)


def test_standard_error_is_that_of_a_typical_data_set():
    model, budget = given(n=5000, var_e=0.003)
    typical = np.sqrt(np.mean(model.replicate(0, 0).standard_error(budget.at) ** 2))
    assert circumstances(model, budget, -0.5, 1.5, 0.01).standard_error == pytest.approx(typical, rel=0.05)


def test_edge_is_the_relative_density_at_the_end_of_the_range():
    model, budget = given(n=60, epsilon=1.5)
    law = DPExpTheilSen(lower=-1e6, upper=1e6).law(model.replicate(0, 0), 1.5)[0]
    relative = np.exp(law.logpdf(1e6) - law.log_density.max() + law._log_total)
    assert circumstances(model, budget, -1e6, 1e6, 0.01).edge == pytest.approx(relative, rel=0.01)
