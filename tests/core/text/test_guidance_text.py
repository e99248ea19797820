"""Sentences of guidance say the numbers of the recommendation, and every tie, rule and reason where it holds."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

import dpslr_core.mechanisms as dp
from dpslr_core.guidance.required_values import RequiredValue
from dpslr_core.sources.axis import Axis
from dpslr_core.text import guidance as text
from dpslr_core.text.phrases import format_amount, listed
from tests.cases.tables import table as cases
from tests.golden.sentences import Y, recommended

TWO = (dp.NoisyStats(), dp.DPExpTheilSen())
THREE = (*TWO, dp.NoisyIntercept())
FIVE = (
    dp.JointTheilSen(),
    dp.DPExpTheilSen(),
    dp.DeepestLine(),
    dp.DPWideTheilSen(theta=0.0001),
    dp.NoisyStats(),
)


def evidence_of(here, errors, behind_error, monte_carlo_error):
    """The recommendation with other errors of its candidates, which paired differences tell apart."""
    rows = pd.DataFrame(
        {"mechanism": [m.name for m in here.mechanisms][: len(errors)], "error": errors}
    )
    rows = rows.assign(
        monte_carlo_error=monte_carlo_error,
        behind=rows["error"] / rows["error"].min() - 1,
        behind_error=behind_error,
        infinite_share=0.0,
        datasets=50,
        exact=True,
        guarantee="ε = 4",
        candidate=True,
    )
    ols = here.evidence[here.evidence["mechanism"] == "OLS"]
    return replace(here, evidence=pd.concat([ols, rows], ignore_index=True))


@pytest.mark.parametrize(("count", "use"), [
    (1, "Use JointTheilSen: "),
    (2, "Use JointTheilSen or DPExpTheilSen: "),
    (3, "Use JointTheilSen, DPExpTheilSen or DeepestLine: "),
    (5, "Use JointTheilSen or 4 others: "),
])  # fmt: skip
def test_a_tie_is_an_answer(count, use):
    tied = evidence_of(recommended(FIVE), [0.919, *[0.93] * (count - 1)], 0.02, 0.03)
    assert text.headline(tied).startswith(use) and len(text.headline(tied).split()) <= 15
    assert tied.lead.rivals == tuple(m.name for m in FIVE[1:count])
    if count > 1:
        names = listed(m.name for m in FIVE[:count])
        assert text.details(tied).endswith(
            f"Tied: {names}, 0.919 to 0.93 standard errors. More data sets may tell them apart."
        )
        assert (
            f"{FIVE[1].name} {format_amount(0.93 / tied.error('OLS'), 2)} times, a tie"
            in text.picture_sentence(tied, tied.lead.tied)
        )
        assert text.context(tied).endswith("use DPExpTheilSen. The simulations agree.")
    known = evidence_of(tied, [0.919, 0.93], 0.001, 0.03)
    assert text.details(known).endswith("They are at most 3% apart.")


def test_an_algorithm_of_the_rule_that_is_behind_is_told_by_how_much():
    behind = evidence_of(recommended(FIVE[:2]), [2.0, 3.0], 0.001, 0.001)
    assert text.context(behind).endswith("use DPExpTheilSen. Its error here is 50% larger.")
    assert text.details(behind).endswith("Next is DPExpTheilSen, 50% larger.")


@pytest.mark.parametrize(
    ("mechanisms", "changes", "said"),
    [
        (
            TWO,
            {"epsilon": 1.0},
            "its noise on n var(x) is 99% of it.",
        ),
        (
            THREE,
            {"epsilon": 0.05},
            f"A flat line is off by at most {format_amount(0.5 * 0.25, 2)},",
        ),
        ((dp.DPWideTheilSen(),), {"epsilon": 2.0}, "The budget is small (ε n = 200), and"),
        (
            (dp.DPWideTheilSen(),),
            {"epsilon": 1.0, "var_e": 1e-5},
            f"{(1e-5 * (0.01 + 0.0625 / 3)) ** 0.5:.2g}, is below",
        ),
    ],
)
def test_numbers_of_reasons_by_hand(mechanisms, changes, said):
    """100 records with n var(x) = 3: noise of scale 3 (1 - 1/100) / epsilon, at points 1/4 from the mean of x."""
    assert said in text.reason(recommended(mechanisms, **changes))


# Required values, the candidates, how many are pending, and what is said.
REQUIRED = cases("""
    {"A": 7.0, "B": 2.5, "C": null} | ["A", "B", "C"] | 0 | B needs the least: ε = 2.5. 2 of 3
    {"A": 7.0, "C": 2.7, "B": 2.5} | ["A", "B", "C"] | 0 | C and B need the least: ε = 2.5. 3 of 3
    {"A": 2.6, "Z": 1.0} | ["A"] | 0 | A needs the least: ε = 2.6. 1 of 2
    {"A": 2.6, "B": 2.0} | ["A", "B"] | 3 | B needs the least so far: ε = 2.
    {"A": null} | ["A"] | 2 | No ε up to 1,000 brings an error about OLS down to 1 standard error
""")


def test_the_least_required_values_stand_first_and_those_alike_are_tied():
    for values, candidates, pending, words in REQUIRED:
        solved = [RequiredValue(name, value, 1e-3, 1e3) for name, value in values.items()]
        assert words in text.required_sentence(solved, "ε", 1, 4.0, candidates, pending)


def test_guesses_are_in_the_units_of_the_axes():
    """.03 ** .5 * 80 and .01 ** .5 * 50."""
    said = text.guesses_sentence(recommended(THREE), Axis("age", "years", 20, 100), Y)
    assert "deviation of age of 13.9 years and one of wage about the line of 5 $" in said
