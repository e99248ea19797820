"""The paper's algorithms with a figure's hyperparameters, and Table 1 against the dataclasses."""

import pandas as pd

from dpslr_core.mechanisms import MECHANISMS, DPGDPure, NoisyStats
from dpslr_core.paper.figures import figure_named
from dpslr_core.paper.figures.compared import PRINTED, PRIVATE, WITH_OI, chosen
from dpslr_core.paper.figures.figure import Verdict


def test_all_private_algorithms_of_the_paper_are_compared():
    listed = {algorithm for algorithm in MECHANISMS if algorithm.in_paper}
    assert {algorithm for algorithm in listed if algorithm().guarantee(1.0).private} == set(PRIVATE)
    assert listed - {algorithm for algorithm in MECHANISMS if algorithm.__name__ in ("OLS", "TheilSen")} == set(WITH_OI)


def test_hyperparameters_go_to_those_that_have_them_and_to_no_option_of_the_same_name():
    figure = figure_named("tracts")
    made = {m.name: m for m in chosen(WITH_OI, figure.settings({"lower": -2, "steps": 40, "clip": 0.5, "theta": 0.1}))}
    assert made["NoisyStats"] == NoisyStats()
    assert (made["DPExpTheilSen"].lower, made["DPWideTheilSen"].theta) == (-2, 0.1)
    assert made["DPGDPure"] == DPGDPure(steps=40, clip=0.5)


def test_matchings_are_set_where_they_are_asked_for():
    made = chosen(WITH_OI, figure_named("tracts").settings(), k=3)
    assert [m.name for m in made if "Match" in m.name] == [
        "DPExpTheilSen3Match", "DPWideTheilSen3Match", "DPSSTheilSen3Match",
    ]  # fmt: skip


def test_table_1_agrees_and_a_changed_default_would_not():
    figure = figure_named("hyperparameters")
    frame = figure.compute(figure.settings())
    assert len(frame) == len(PRIVATE) and set(PRINTED) < set(frame["algorithm"])
    assert figure.agrees(frame, figure.settings()).verdict is Verdict.AGREES
    rows = frame.set_index("algorithm")["in print"]
    assert rows["NoisyStats"] == "none" and rows["DPWideTheilSen"] == "range [-0.5, 1.5], θ = 0.01"
    changed = frame.assign(
        **{"in these figures": frame["in these figures"].replace({"τ = 1, T = 80": "τ = 1, T = 60"})}
    )
    assert figure.agrees(pd.DataFrame(changed), figure.settings()).verdict is Verdict.DIFFERS
