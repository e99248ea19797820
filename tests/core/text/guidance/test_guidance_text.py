"""Sentences of guidance say the numbers of the recommendation."""

from __future__ import annotations

import numpy as np
import pytest
from readable import check_readable

from dpslr_core import recommend
from dpslr_core.guidance.required_values import SwitchPoint, switch_points
from dpslr_core.mechanisms import (
    CenteredStats,
    CenteredStatsGaussian,
    DPExpTheilSen,
    DPGDApprox,
    DPGDPure,
    DPWideTheilSen,
    NoisyIntercept,
    NoisyStats,
)
from dpslr_core.text import guidance as advice
from dpslr_core.text.guidance import context
from dpslr_core.text.phrases import format_amount, format_share, of_it

GIVEN = {"n": 100, "var_x": 0.03, "var_e": 0.01, "datasets": 8}


THREE = (NoisyStats(), DPExpTheilSen(), NoisyIntercept())


def recommended(epsilon=4.0, mechanisms=THREE, **changes):
    return recommend(**GIVEN | {"epsilon": epsilon, "mechanisms": mechanisms} | changes)


def test_the_answer_has_the_numbers():
    here = recommended()
    text = advice.answer(here)
    assert text.startswith("Use DPExpTheilSen. ")
    for number in (here.error("DPExpTheilSen"), here.error("OLS"), here.about_ols, here.noise):
        assert f"{format_amount(number)} " in text or f"{format_amount(number)}." in text
    assert f"Next is {here.second}" in text
    assert f"on average over {here.datasets_of_best} simulated data sets and 2 points." in text
    assert "standard errors of OLS, on the same average. " in text
    assert "simulated data sets. Without" in advice.answer(recommended(at=[0.5]))
    check_readable(text)


def test_an_algorithm_without_a_finite_error_is_said_to_fail():
    here = recommended(epsilon=0.2, mechanisms=THREE[:2])
    assert here.second == "NoisyStats" and not np.isfinite(here.margin)
    share = float(here.evidence.set_index("mechanism")["infinite_share"]["NoisyStats"])
    failed = f"NoisyStats, which answers in fewer than 68% of its releases on {format_share(share)} of the data sets."
    assert failed in advice.answer(here)
    for text in (advice.answer(here), advice.methods_text(here)):
        assert "fewer than 68% of its releases" in text
        assert "without bound" not in text and "inf" not in text


def test_a_close_race_is_no_win():
    close = recommended(var_e=0.02, epsilon=60.0, mechanisms=THREE[:2], datasets=4)
    assert close.rivals == ("DPExpTheilSen",)
    text = advice.answer(close)
    assert text.startswith("Too close to call: NoisyStats and DPExpTheilSen. NoisyStats has the smallest error, ")
    assert "together, on average over 32 simulated data sets and 2 points." in text
    assert "of OLS, on average over 4 simulated data sets and 2 points. " in text
    assert "It is too close to call against DPExpTheilSen: " in advice.methods_text(close)


def test_nothing_to_recommend_is_said():
    none = recommended(epsilon=0.001, mechanisms=[NoisyStats()])
    for text in (advice.answer(none), advice.methods_text(none)):
        assert text.startswith("No algorithm answers")
    assert "too small" in advice.reason(none)


def test_the_rule_agrees_or_by_how_much_it_does_not():
    agreeing, other = recommended(theta=0.0001), recommended(epsilon=0.05)
    assert agreeing.agrees
    assert advice.agreement(agreeing).endswith("The evidence agrees.")
    assert other.algorithm == "NoisyIntercept"
    assert not other.agrees
    assert "does not agree" in advice.agreement(other)
    assert "not among" in advice.agreement(recommended(mechanisms=[NoisyIntercept()], theta=0.0001))


def test_reasons_fit_the_winner():
    assert "flat line" in advice.reason(recommended(epsilon=0.05))
    assert "private median" in advice.reason(recommended())
    assert "x varies too little for NoisyStats. Its noise on n var(x) is 25% of it" in advice.reason(recommended())
    assert "close to a line" in advice.reason(recommended(epsilon=30.0, var_e=0.0001))
    assert "stay near OLS" in advice.reason(recommended(epsilon=100.0, var_e=0.03))
    for settings in ({"epsilon": 0.05}, {}, {"epsilon": 30.0, "var_e": 0.0001}, {"epsilon": 100.0, "var_e": 0.03}):
        check_readable(advice.reason(recommended(**settings)))


@pytest.mark.parametrize(
    ("mechanism", "scale"),
    [
        (CenteredStats(), 1.2),
        (NoisyStats(), 3 * (1 - 1 / 100)),
        (NoisyStats(split=(0.5, 0.25, 0.25)), 2 * (1 - 1 / 100)),
        (CenteredStatsGaussian(), 0.41),
    ],
    ids=repr,
)
@pytest.mark.parametrize(("epsilon", "near"), [(1.5, False), (60.0, True)])
def test_the_reason_is_the_recommended_algorithms_own_noise_and_fits_the_headline(mechanism, scale, epsilon, near):
    """Noise of scale b over epsilon on n var(x), 3 in all; Gaussian noise has b over the root of 2 rho, epsilon too."""
    here = recommended(epsilon=epsilon, mechanisms=[mechanism], weaker=True, datasets=4)
    said, size = advice.reason(here), format_amount(here.noise)
    assert f"the noise of {mechanism.name} on n var(x) is {of_it(scale / epsilon / 3)}" in said
    assert f"their noise is {size} times the sampling error" in said and f"alone: {size} times" in context(here, False)
    assert ("stay near OLS" in said) == near == (here.noise <= 1)
    assert ("are not near OLS" in said) == (not near)


def test_gradient_descent_has_no_noise_on_n_var_x():
    said = advice.reason(recommended(mechanisms=[DPGDPure()], datasets=2, trials=50))
    assert "n var(x)" not in said and "noisy steps go towards OLS" in said


def test_widening_wins_for_one_reason_or_the_other():
    wide = [DPWideTheilSen()]
    assert "The budget is small (ε n = 100), and widening" in advice.reason(recommended(epsilon=1.0, mechanisms=wide))
    assert "is below θ = 0.01, and widening" in advice.reason(recommended(epsilon=1.0, var_e=1e-5, mechanisms=wide))


def test_switch_points_are_told():
    here = recommended()
    below, _ = switch_points(here, "epsilon", datasets=8)
    assert "at ε = " in advice.switch_sentence(here, below)
    assert advice.switch_sentence(here, SwitchPoint("n", 3200.0, None, None)) == "No change up to n = 3,200."
    assert advice.switch_sentence(here, SwitchPoint("n", 10.0, None, None)) == "No change down to n = 10."


def test_the_memo_has_what_a_reader_must_know():
    here = recommended()
    text = advice.methods_text(here, switch_points(here, "epsilon", datasets=8))
    parts = [
        "DPExpTheilSen on the range [-0.5, 1.5]", "4-differential privacy", "n = 100", "without looking", "Seed 0.",
        format_amount(here.error("DPExpTheilSen")), "8 simulated data sets", "overtakes",
    ]  # fmt: skip
    for part in parts:
        assert part in text
    check_readable(text)


def test_the_memo_says_whether_the_data_were_looked_at():
    here = recommended()
    blind, looked = advice.methods_text(here), advice.methods_text(here, looked=True)
    assert "without looking at the data, from public guesses: n = 100" in blind
    assert "not covered" not in blind
    assert "by looking at the data, from values read off them: n = 100" in looked
    assert advice.LOOKED in looked and "ChooseByCenteredStats" in looked
    assert "without looking" not in looked and "public guesses" not in looked


def test_weaker_guarantees_are_named():
    text = advice.methods_text(recommended(mechanisms=[DPGDApprox()], weaker=True, trials=10, datasets=2))
    assert "(ε = 4, δ = 9.3 × 10⁻¹⁰)-differential privacy" in text
