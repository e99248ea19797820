"""The headline of Guidance says the answer, its noise, and what it is based on."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest
from readable import check_readable

from dpslr_core import recommend
from dpslr_core.charts.evidence import evidence_rows
from dpslr_core.guidance.recommendation import Question, recommendations
from dpslr_core.mechanisms import (
    DeepestLine,
    DPExpTheilSen,
    DPWideTheilSen,
    JointTheilSen,
    NoisyStats,
    NoisyStatsGaussian,
)
from dpslr_core.privacy import Budget
from dpslr_core.sources import LinearModel
from dpslr_core.text import guidance as advice
from dpslr_core.text.guidance import context, headline
from dpslr_core.text.phrases import format_amount

TWO = (NoisyStats(), DPExpTheilSen())


def recommended(epsilon=4.0, mechanisms=TWO, **changes):
    given = {"n": 100, "var_x": 0.03, "var_e": 0.01, "datasets": 8} | changes
    return recommend(**given, epsilon=epsilon, mechanisms=mechanisms)


def test_the_answer_and_the_error_that_the_picture_shows_come_first():
    here = recommended()
    drawn = evidence_rows(here).set_index("algorithm")["said"]
    assert headline(here) == (f"Use DPExpTheilSen. Its expected error is {drawn['DPExpTheilSen']} standard errors.")
    assert f"The noise of DPExpTheilSen alone: {format_amount(here.noise)} times the sampling error." in context(
        here, False
    )
    assert f"without privacy (OLS) {drawn['OLS']}." in context(here, looked=False)
    check_readable(headline(here))


def test_a_close_race_is_called_one():
    close = recommended(var_e=0.02, epsilon=60.0, datasets=4)
    drawn = evidence_rows(close).set_index("algorithm")["said"]
    assert headline(close).startswith(
        f"Too close to call: NoisyStats and DPExpTheilSen. Their expected errors are {drawn['NoisyStats']} to "
        f"{drawn['DPExpTheilSen']} standard errors."
    )
    assert "Tied: not told apart, or at most 10% apart" in context(close, looked=False)
    check_readable(context(close, looked=False))
    check_readable(headline(close))


def evidence_of(here, errors, behind_error, monte_carlo_error):
    """The recommendation with other errors of its candidates, which paired differences tell apart."""
    rows = pd.DataFrame({"mechanism": [m.name for m in here.mechanisms][: len(errors)], "error": errors})
    rows = rows.assign(
        monte_carlo_error=monte_carlo_error, behind=rows["error"] / rows["error"].min() - 1, behind_error=behind_error,
        infinite_share=0.0, datasets=50, exact=True, guarantee="ε = 4", candidate=True,
    )  # fmt: skip
    ols = here.evidence[here.evidence["mechanism"] == "OLS"]
    return replace(here, evidence=pd.concat([ols, rows], ignore_index=True))


FIVE = (JointTheilSen(), DPExpTheilSen(), DeepestLine(), DPWideTheilSen(theta=0.0001), NoisyStats())


def test_a_tie_of_five_is_told_as_one_and_not_as_an_answer_that_the_paper_shares():
    """Errors within a tenth whose intervals overlap in the picture are a tie, also where pairs tell them apart."""
    tied = evidence_of(recommended(mechanisms=FIVE), [0.919, 0.93, 0.941, 0.95, 0.966], 0.001, 0.03)
    assert tied.rivals == tuple(m.name for m in FIVE[1:]) and tied.too_close
    assert headline(tied).startswith(
        "Too close to call: JointTheilSen, DPExpTheilSen, DeepestLine, DPWideTheilSen and NoisyStats. "
        "Their expected errors are 0.919 to 0.966 standard errors."
    )
    assert "Use " not in headline(tied) + advice.answer(tied)
    assert advice.agreement(tied).endswith("In the evidence DPExpTheilSen is among 5 that are tied.")
    assert "evidence agrees" not in advice.agreement(tied)
    assert advice.reason(tied).startswith("Of those tied, JointTheilSen has the smallest error. ")


@pytest.mark.parametrize(
    ("errors", "monte_carlo_error", "rivals"),
    [([0.919, 0.966], 0.03, 1), ([0.919, 0.966], 0.01, 0), ([0.919, 1.02], 0.06, 0)],
)
def test_neither_errors_with_intervals_apart_nor_those_a_tenth_apart_are_a_tie(errors, monte_carlo_error, rivals):
    here = evidence_of(recommended(mechanisms=FIVE[:2]), errors, 0.001, monte_carlo_error)
    assert len(here.rivals) == rivals
    assert headline(here).startswith("Too close" if rivals else "Use JointTheilSen. Its expected error is 0.919 ")


def test_a_weaker_guarantee_is_a_second_sentence():
    given = {"n": 400, "var_x": 0.06, "epsilon": 8.0, "mechanisms": [NoisyStats(), NoisyStatsGaussian()]}
    strict, allowed = headline(recommended(**given)), headline(recommended(**given, weaker=True))
    assert strict.startswith("Use NoisyStats. ")
    assert strict.endswith("With a weaker guarantee (ρ = 32 zCDP), NoisyStatsGaussian has a smaller error.")
    assert allowed.startswith("Use NoisyStatsGaussian. ")
    assert allowed.endswith("Its guarantee (ρ = 32 zCDP) is weaker than pure ε-differential privacy.")
    check_readable(strict)


def test_nothing_to_recommend_is_said():
    assert headline(recommended(epsilon=0.001, mechanisms=[NoisyStats()])).startswith("No algorithm answers often")


def test_an_interim_answer_says_so_and_a_change_of_mind_is_named():
    question = Question(LinearModel(60, 0.03, 0.02), Budget(40.0), TWO, datasets=4, race_after=2)
    first, *_, last = recommendations(question, question.measured, question.noise)
    assert "Provisional, after 2 simulated data sets: more are being simulated." in context(first, looked=False)
    assert "Provisional" not in context(last, False, str(last.algorithm))
    assert "provisional" not in context(last, False, str(last.algorithm))
    assert context(last, False, "NoisyMean").endswith("The provisional answer was NoisyMean.")


def test_the_ratio_is_named_and_where_the_settings_come_from():
    here = recommended()
    assert "On simulated data with your settings, not on one data set as on Compare" in context(here, False)
    assert "with values read off the data" in context(here, looked=True)
    check_readable(context(here, looked=False))
