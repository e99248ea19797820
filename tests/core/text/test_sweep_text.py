"""What is said of a sweep, on sweeps made by hand: who leads at its ends, who ties, where curves cross."""

from __future__ import annotations

from dataclasses import replace

from dpslr_core.mechanisms import (
    OLS,
    CenteredStats,
    CenteredStatsGaussian,
    DeepestLine,
    DPExpTheilSen,
    DPGDPure,
    DPGDzCDP,
    JointTheilSen,
    NoisyStats,
)
from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import Axis
from dpslr_core.sweeps import combine
from dpslr_core.text.sweep import (
    SweepDescription,
    drawn_first,
    lead_sentences,
    pair_sentences,
    sweep_notes,
    sweep_sentence,
    winner,
)
from tests.cases.sweeps import made
from tests.golden.sentences import view

THREE = (OLS(), NoisyStats(), DPExpTheilSen())
PLAN = SweepDescription("n", (30, 100, 1200), Scenario(), THREE, 20, 50, None)
VIEW = view()
X = Axis("n", "°C", -10, 30)  # a column may be called as a parameter is


def everything(sweep, plan, drawn=None) -> str:
    """The answer, and the notes below the picture."""
    return f"{sweep_sentence(sweep, plan, VIEW)} {sweep_notes(sweep, plan, VIEW, 10_000, drawn)}".strip()


def test_a_weaker_guarantee_never_leads_and_is_told_after():
    rows = {30.0: [9.0, 5.0], 1200.0: [1.2, 1.1]}
    sweep = combine(
        [made([row, row], value, "n", ("NoisyStats", "DPGDzCDP")) for value, row in rows.items()]
    )
    text = everything(sweep, replace(PLAN, mechanisms=(NoisyStats(), DPGDzCDP())))
    assert text.startswith("At n = 1,200 NoisyStats's error is 1.2 times the sampling error. ")
    assert "Its error is 9 at n = 30." in text
    assert "With a weaker guarantee DPGDzCDP has 1.1 at n = 1,200." in text


def test_the_curves_drawn_first_are_the_leaders_the_papers_best_and_the_next_best():
    """Eight algorithms: one leads at each end, the paper's best is behind four others, OLS has the smallest error."""
    mechanisms = (
        OLS(),
        DPGDPure(),
        NoisyStats(),
        DPExpTheilSen(),
        JointTheilSen(),
        DeepestLine(),
        CenteredStats(),
        CenteredStatsGaussian(),
    )
    names = tuple(m.name for m in mechanisms)
    few, many = (
        [0.8, 90.0, 80.0, 9.0, 6.0, 2.0, 5.0, 4.0],
        [0.9, 70.0, 60.0, 7.0, 1.0, 3.0, 5.0, 4.0],
    )
    sweep = combine(
        [made([row, row], value, "n", names) for value, row in ((30.0, few), (1200.0, many))]
    )
    plan = replace(PLAN, mechanisms=mechanisms)
    assert drawn_first(sweep, plan) == [
        "DeepestLine",
        "JointTheilSen",
        "DPExpTheilSen",
        "CenteredStats",
    ]
    assert "At other values DeepestLine leads." in everything(sweep, plan)
    assert drawn_first(sweep, PLAN) == PLAN.private and winner(sweep, plan) == "JointTheilSen"


def test_the_headline_is_about_the_scenarios_own_value_if_that_is_measured():
    rows = {30.0: [9.0, 5.0], 250.0: [1.5, 1.6], 1200.0: [1.2, 1.1]}
    sweep = combine(
        [
            made([row, row], value, "n", ("NoisyStats", "DPExpTheilSen"))
            for value, row in rows.items()
        ]
    )
    assert PLAN.own_value == 250 and winner(sweep, PLAN) == "NoisyStats"
    assert sweep_sentence(sweep, PLAN, VIEW) == (
        "At n = 250 NoisyStats's error is 1.5 times the sampling error. "
        "Its error is 9 at n = 30 and 1.2 at n = 1,200."
    )


def crossed(a, b, parameter="epsilon"):
    return combine(
        [
            made([[left, right]], float(i + 1), parameter)
            for i, (left, right) in enumerate(zip(a, b, strict=True))
        ]
    )


def test_where_the_lead_changes():
    changing = crossed([2, 1.5, 0.4], [1, 1, 1])
    (sentence,) = lead_sentences(changing, ["A", "B"], X)
    assert sentence == pair_sentences(changing, "A", "B", X)[0]
    assert "A may overtake from about ε = " in sentence
    partly = combine(
        [
            made([[1, 1.1], [1, 4.1]], 1.0),
            *(made([[1, 2], [1, 2.1]], value) for value in (2.0, 3.0)),
        ]
    )
    assert lead_sentences(partly, ["A", "B"], X) == [
        "Of all private algorithms A has the smallest error throughout. At 1 of 3 values another "
        "is too close to call."
    ]
    assert lead_sentences(partly, ["A"], X) == []
