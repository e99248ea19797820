"""The list of figures, their parameters and settings, and verdicts; Table 1 against the dataclasses."""

import pickle

import pandas as pd
import pytest

from dpslr_core.mechanisms import MECHANISMS, DPExpTheilSen, DPGDPure, NoisyStats
from dpslr_core.paper.figure import PRIVATE, WITH_OI, Agreement, Effort, Parameter, Verdict, agreement, chosen
from dpslr_core.paper.figures import FIGURES, PRINTED, figure_named


def test_the_figures_are_in_the_papers_order_and_all_of_them():
    numbered = [figure.number for figure in FIGURES if figure.number]
    assert [number for number in numbered if number.startswith("Figure")] == [f"Figure {i}" for i in range(1, 19)]
    assert numbered.index("Table 1") == numbered.index("Figure 6") - 1
    assert all(figure.number for figure in FIGURES[:19]) and not any(figure.number for figure in FIGURES[19:])


def test_names_and_headings_are_different_and_names_find_figures():
    assert len({figure.name for figure in FIGURES}) == len({figure.heading for figure in FIGURES}) == len(FIGURES)
    assert all(figure_named(figure.name) is figure for figure in FIGURES)
    with pytest.raises(ValueError, match="figure must be one of"):
        figure_named("figure-99")


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_what_the_paper_says_is_one_short_sentence(figure):
    assert figure.says.endswith(".") and len(figure.says.split()) <= 25


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_defaults_are_within_their_ranges_and_full_is_no_less_than_quick(figure):
    settings = figure.settings()
    assert settings == figure.settings({p.name: p.default for p in figure.parameters})
    assert figure.changed_from_print(settings) == ""
    full = figure.settings(effort=Effort.FULL).amount
    assert full.trials >= settings.amount.trials
    assert full.datasets == 0 or full.datasets >= settings.amount.datasets > 0


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_the_work_can_be_given_to_other_processes(figure):
    assert pickle.loads(pickle.dumps(figure.measure)) is figure.measure


def test_a_changed_parameter_is_told_and_a_wrong_one_refused():
    figure = figure_named("bikes")
    changed = figure.settings({"epsilon": 3})
    assert changed["epsilon"] == 3 and figure.changed_from_print(changed) == "ε = 3"
    assert changed != figure.settings() and changed != figure.settings({"epsilon": 3}, seed=1)
    for wrong in ({"sigma": 1}, {"epsilon": 0}, {"epsilon": float("nan")}, {"steps": 2.5}, {"steps": 1}):
        with pytest.raises(ValueError, match=next(iter(wrong)) if "sigma" not in wrong else "has the parameters"):
            figure.settings(wrong)
    with pytest.raises(ValueError, match="seed"):
        figure.settings(seed=-1)


def test_a_parameter_keeps_its_kind_of_number():
    assert type(Parameter("n", "n", 5, 1, 10).checked(7.0)) is int
    assert type(Parameter("theta", "θ", 0.5, 0, 1).checked(1)) is float


@pytest.mark.parametrize(
    ("statements", "verdict"),
    [
        ((True, True), Verdict.AGREES),
        ((True, False), Verdict.PARTLY),
        ((False,), Verdict.DIFFERS),
        ((), Verdict.DRAWN),
    ],
)
def test_the_verdict_counts_the_statements_that_hold(statements, verdict):
    assert agreement("so it is.", *statements).verdict is verdict


def test_a_verdict_begins_the_sentence():
    assert str(Agreement(Verdict.DIFFERS, "so it is.")) == "Our numbers differ: so it is."
    assert str(agreement("so it is.")) == "So it is."


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
    made = chosen(WITH_OI, figure_named("nanotubes").settings({"k": 3}))
    assert [m.name for m in made if "Match" in m.name] == [
        "DPExpTheilSen3Match", "DPWideTheilSen3Match", "DPSSTheilSen3Match",
    ]  # fmt: skip
    assert chosen((DPExpTheilSen,), figure_named("nanotubes").settings({"k": 0})) == (DPExpTheilSen(),)


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
