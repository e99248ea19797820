"""The list of figures, their parameters and settings, and verdicts."""

import pickle

import pytest

from dpslr_core.paper.figures import FIGURES, Agreement, Effort, figure_named
from dpslr_core.paper.figures.figure import Parameter, Verdict, agreement


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
