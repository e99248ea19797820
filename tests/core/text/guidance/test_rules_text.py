"""The paper's rule of thumb in words: every case has its reason, every factor its sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest
from readable import check_readable

from dpslr_core.guidance.recommendation import RuleOfThumb, circumstances, rule_of_thumb
from dpslr_core.mechanisms import MECHANISMS, DPExpTheilSen, NoisyStats
from dpslr_core.privacy import Budget
from dpslr_core.sources.linear import LinearModel
from dpslr_core.text.guidance import because, factors

USUAL = circumstances(LinearModel(200, 0.03, 0.01), Budget(2.0, (0.25, 0.75)), -0.5, 1.5, 0.0001)


@pytest.mark.parametrize(
    ("changes", "rule", "text"),
    [
        (
            {"width": 12345.0, "epsilon": 0.05},
            RuleOfThumb.WIDE_RANGE,
            "the range is 12,345 wide and ε = 0.05 far below 1",
        ),
        (
            {"standard_error": 0.00123, "theta": 0.01},
            RuleOfThumb.BELOW_THETA,
            "the standard error, 0.0012, is below θ = 0.01",
        ),
        (
            {"epsilon_nvar": 1234567.0},
            RuleOfThumb.LARGE_PRODUCT,
            "ε n σₓ² = 1,234,567 is above 400 and σₑ² = 0.01 at least 0.01",
        ),
        (
            {"epsilon_nvar": 480.0, "var_e": 1e-7},
            RuleOfThumb.LITTLE_NOISE,
            "σₑ² = 1 × 10⁻⁷ is below 0.01, though ε n σₓ² = 480 is above 400",
        ),
        ({}, RuleOfThumb.SMALL_PRODUCT, "ε n σₓ² = 12 is not above 400"),
    ],
)
def test_every_case_of_the_rule_has_its_reason(changes, rule, text):
    about = replace(USUAL, **changes)
    assert rule_of_thumb(about) is rule
    assert because(rule, about) == text


@pytest.mark.parametrize("changes", [{}, {"failure": 0.2, "edge": 0.5}, {"var_e": 1e-9, "theta": 1.0}])
def test_every_factor_has_a_sentence(changes):
    told = factors(replace(USUAL, **changes), [algorithm() for algorithm in MECHANISMS])
    assert len(told) == 5
    for _, value, sentence in told:
        assert "e-" not in value and "e+" not in value
        check_readable(sentence)


def test_factors_speak_only_of_algorithms_that_are_asked_about():
    about = replace(USUAL, denominator_noise=39.8, edge=0.5)
    told = " ".join(text for _, _, text in factors(about, (DPExpTheilSen(),)))
    assert "NoisyStats" not in told and "DPExpTheilSen" in told
    other = factors(about, (NoisyStats(),))
    assert len(other) == 3 and "DPExpTheilSen" not in " ".join(text for _, _, text in other)
    assert "noise of 40 times it" in other[0][2]
