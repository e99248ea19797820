"""What is said of a sweep, on sweeps made by hand: who leads at its ends, who ties, where curves cross."""

from __future__ import annotations

from dataclasses import replace

from dpslr_core.experiments.crossings import Crossing
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
    crossing_sentence,
    drawn_first,
    lead_sentences,
    pair_sentences,
    place_of,
    state_sentence,
    sweep_notes,
    sweep_sentence,
    symbol_of,
    winner,
)
from tests.cases.sweeps import made
from tests.golden.sentences import ONES, swept, view

THREE = (OLS(), NoisyStats(), DPExpTheilSen())
PLAN = SweepDescription("n", (30, 100, 1200), Scenario(), THREE, 20, 50, None)
VIEW = view()
X = Axis("n", "°C", -10, 30)  # a column may be called as a parameter is


def everything(sweep, plan, drawn=None) -> str:
    """The answer, and the notes below the picture."""
    return f"{sweep_sentence(sweep, plan, VIEW)} {sweep_notes(sweep, plan, VIEW, 10_000, drawn)}".strip()


def test_a_weaker_guarantee_never_leads_and_is_told_after():
    rows = {30.0: [9.0, 5.0], 1200.0: [1.2, 1.1]}
    sweep = combine([made([row, row], value, "n", ("NoisyStats", "DPGDzCDP")) for value, row in rows.items()])
    text = everything(sweep, replace(PLAN, mechanisms=(NoisyStats(), DPGDzCDP())))
    assert text.startswith("As n grows, the smallest purely private error falls to 1.2 times the sampling error. ")
    assert "NoisyStats has it at both ends: 9 at n = 30, 1.2 at n = 1,200." in text
    assert "With a weaker guarantee DPGDzCDP has 5 at n = 30 and 1.1 at n = 1,200." in text


def test_who_ties_at_an_end_is_said_once():
    many = replace(PLAN, mechanisms=(*THREE[1:], *(DPExpTheilSen(k=k) for k in (1, 2, 3))))
    names = tuple(m.name for m in many.mechanisms)
    close = combine([made([[1, 1, 1, 1, 1.0]], value, "n", names) for value in (30.0, 100.0)])
    text = sweep_sentence(close, many, VIEW)
    assert text.startswith("As n grows, the smallest private error stays at the sampling error. ")
    assert " At n = 30 NoisyStats, DPExpTheilSen, DPExpTheilSen1Match and 2 more tie near 1. At n = 100 " in text
    assert text.count("tie near") == 2 and not sweep_notes(close, many, VIEW, 10_000)


def test_the_curves_drawn_first_are_the_leaders_the_papers_best_and_the_next_best():
    """Eight algorithms: one leads at each end, the paper's best is behind four others, OLS has the smallest error."""
    mechanisms = (OLS(), DPGDPure(), NoisyStats(), DPExpTheilSen(), JointTheilSen(), DeepestLine(), CenteredStats(),
                  CenteredStatsGaussian())  # fmt: skip
    names = tuple(m.name for m in mechanisms)
    few, many = [0.8, 90.0, 80.0, 9.0, 6.0, 2.0, 5.0, 4.0], [0.9, 70.0, 60.0, 7.0, 1.0, 3.0, 5.0, 4.0]
    sweep = combine([made([row, row], value, "n", names) for value, row in ((30.0, few), (1200.0, many))])
    plan = replace(PLAN, mechanisms=mechanisms)
    assert drawn_first(sweep, plan) == [
        "DeepestLine", "JointTheilSen", "DPExpTheilSen", "CenteredStats"
    ]  # fmt: skip
    assert drawn_first(sweep, PLAN) == PLAN.names and winner(sweep, plan) == "JointTheilSen"


def test_what_is_not_drawn_neither_stops_nor_leaves_the_picture():
    sweep = swept(ONES, (20_000.0, 3.0, 1.2), (9.0, 2.0, 1.5))
    assert "leave the picture" in sweep_notes(sweep, PLAN, VIEW, 10_000)
    assert "leave the picture" not in sweep_notes(sweep, PLAN, VIEW, 10_000, ["OLS", "DPExpTheilSen"])


def test_private_algorithms_are_named_first():
    assert (PLAN.private, PLAN.names) == (["NoisyStats", "DPExpTheilSen"], ["NoisyStats", "DPExpTheilSen", "OLS"])


def test_how_much_is_measured():
    assert state_sentence(PLAN, 2, 5) == "2 of 3 values measured."
    assert state_sentence(PLAN, 3, 5) == "5 of 20 data sets measured."
    assert state_sentence(replace(PLAN, data=VIEW.data), 2, 1) == "2 of 3 values measured."


def test_a_place_is_in_the_users_units():
    assert place_of(0.25, replace(PLAN, parameter="x_new"), VIEW) == "temperature = 3.75 °C"
    assert place_of(1234, PLAN, VIEW) == "n = 1,230"
    assert [symbol_of(name) for name in ("width", "steps", "var_x")] == ["upper − lower", "steps", "σₓ²"]


def crossed(a, b, parameter="epsilon"):
    return combine(
        [made([[left, right]], float(i + 1), parameter) for i, (left, right) in enumerate(zip(a, b, strict=True))]
    )


def test_a_crossing_in_the_units_of_its_parameter():
    """What is said of n, var_e and x_new in the unit square stands with the goldens."""
    for numbers, parameter, words in (
        ((3e-9, 3e-9, 3e-9), "delta", "A overtakes B at δ = 3 × 10⁻⁹."),
        ((9.6, 9.6, 9.6), "k", "A overtakes B at k = 10."),
        ((0.26, 0.25, 0.5), "x_new", "A overtakes B at n = 0.4 °C, between 0 °C and 10 °C."),
    ):
        assert crossing_sentence(Crossing(*numbers, parameter, "A", "B"), X) == words


def test_where_the_lead_changes():
    changing = crossed([2, 1.5, 0.4], [1, 1, 1])
    (sentence,) = lead_sentences(changing, ["A", "B"], X)
    assert sentence == pair_sentences(changing, "A", "B", X)[0]
    assert "A may overtake from about ε = " in sentence
    partly = combine([made([[1, 1.1], [1, 4.1]], 1.0), *(made([[1, 2], [1, 2.1]], value) for value in (2.0, 3.0))])
    assert lead_sentences(partly, ["A", "B"], X) == [
        "Of all private algorithms A has the smallest error throughout. At 1 of 3 values another is too close to call."
    ]
    assert lead_sentences(partly, ["A"], X) == []
