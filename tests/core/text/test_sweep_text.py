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
    SweepFacts,
    drawn_first,
    headline,
    notes,
)
from tests.cases.sweeps import made

THREE = (OLS(), NoisyStats(), DPExpTheilSen())
PLAN = SweepDescription("n", (30, 100, 1200), Scenario(), THREE, 20, 50, None)
X = Axis("n", "°C", -10, 30)  # a column may be called as a parameter is


def test_the_headline_is_about_the_users_own_value_and_a_weaker_guarantee_never_leads():
    """The scenario has 250 records, and 223 is the nearest measured number."""
    rows = {30.0: [9.0, 5.0], 223.0: [1.2, 1.1], 1200.0: [0.5, 0.6]}
    names = ("NoisyStats", "DPGDzCDP")
    sweep = combine([made([row, row], value, "n", names) for value, row in rows.items()])
    plan = replace(PLAN, mechanisms=(NoisyStats(), DPGDzCDP()))
    facts = SweepFacts.of(sweep, plan, X)
    assert headline(facts) == (
        "At n = 223 NoisyStats's error is 1.2 times the sampling error. "
        "The smallest error about the true line goes from 9 sampling errors at n = 30 to 0.5 at n = 1,200."
    )
    assert notes(facts, names) == "With a weaker guarantee, DPGDzCDP has 1.1 there."
    assert facts.winner == "NoisyStats"


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
    facts = SweepFacts.of(sweep, replace(PLAN, mechanisms=mechanisms), X)
    assert drawn_first(sweep, facts) == [
        "DeepestLine",
        "JointTheilSen",
        "DPExpTheilSen",
        "CenteredStats",
    ]
    assert drawn_first(sweep, SweepFacts.of(sweep, PLAN, X)) == PLAN.private
