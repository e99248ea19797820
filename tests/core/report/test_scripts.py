"""Scripts of every kind, run as they are: to the last bit the numbers of the core's own calls."""

from __future__ import annotations

import shlex
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpslr_core import by_group, compare, decide
from dpslr_core.audit.moved import MovedRecord
from dpslr_core.audit.pair import pair_of
from dpslr_core.experiments.areas import split_groups
from dpslr_core.experiments.pooled_areas import rehearse_pooling
from dpslr_core.experiments.ranking import ranking
from dpslr_core.experiments.sweep import plan_sweep, run_sweep
from dpslr_core.guidance.area_epsilons import best_with_epsilons, passing_epsilons
from dpslr_core.guidance.decision import drawn_areas
from dpslr_core.guidance.recommendation import recommendations, sized_question
from dpslr_core.mechanisms import FILE_VARIABLE, CenteredStats, NoisyIntercept, NoisyStats
from dpslr_core.paper.figures import Effort, figure_named
from dpslr_core.report import scripts
from dpslr_core.scenario import Scenario, mechanism_named
from dpslr_core.sources.axis import UNIT_X, UNIT_Y
from dpslr_core.sources.choices import SimulatedState, UploadedFile
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.sources.tables import read_table
from dpslr_core.support.run import Run
from dpslr_core.text.data import View, shown_group
from dpslr_core.text.sweep import SweepDescription
from tests.cases import own_algorithm
from tests.cases.scenario_files import FEW, SYNTHETIC, TRACTS, saved, told

CHEAP = (*FEW[:3], FEW[4])


def viewed(scenario: Scenario, grouped: GroupedData | None = None) -> View:
    grouped = grouped or scenario.source.load()
    label = shown_group(scenario.group, grouped)
    return View(scenario, grouped, label, grouped.dataset(label), grouped.x, grouped.y)


def result(script: str) -> dict[str, Any]:
    """What a script has made once it has run."""
    names: dict[str, Any] = {"__name__": "script"}
    exec(compile(script, "script.py", "exec"), names)
    return names


def same(table: pd.DataFrame, expected: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(table.reset_index(drop=True), expected.reset_index(drop=True), check_exact=True)


def ranked(view: View, at: float) -> pd.DataFrame:
    s = view.scenario
    summary = compare(view.data, s.compared, s.epsilon, s.at, s.trials, s.seed, accounting=s.accounting).summary
    rows = ranking(summary, s.admitted, at, s.epsilon, s.accounting)
    errors = ["c68", "c68_low", "c68_high", "c95", "gap", "noise", "standard_error", "bias"]
    return rows.assign(**{name: rows[name] * view.y.scale for name in errors})


@pytest.mark.parametrize("accounting", ["paper", "attack", "approx:1e-9"])
def test_a_comparison(capsys: pytest.CaptureFixture[str], accounting: str):
    bikes = Scenario(source="sample", sample="bikes", epsilon=2.5, mechanisms=CHEAP, trials=20, accounting=accounting)
    view = viewed(bikes.model_copy(update={"group": bikes.source.load().groups[3]}))
    same(result(scripts.compare_script(view, 0.75))["table"], ranked(view, 0.75))
    assert "NoisyIntercept" in capsys.readouterr().out


def test_few_matchings_are_compared_as_well():
    script = scripts.compare_script(viewed(SYNTHETIC.model_copy(update={"also_k": 3})), 0.3)
    assert "    DPExpTheilSen(lower=-0.25),\n    DPExpTheilSen(lower=-0.25, k=3),\n" in script


def test_a_comparison_in_the_unit_square():
    view = replace(viewed(Scenario(source="sample", sample="linear", mechanisms=FEW[:3])), x=UNIT_X, y=UNIT_Y)
    same(result(scripts.compare_script(view, 0.25))["table"], ranked(view, 0.25))


NAME = "mine \"; import os; x = ' #.csv"


def test_a_comparison_of_an_uploaded_file_whose_texts_stay_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The file's and the columns' names are Python of their own; they are read as names."""
    column = "pay\"); raise SystemExit('evil') #"
    rows = "".join(f"{i},{100 * i + i % 7}\n" for i in range(1, 40))
    content = f'age,"{column.replace(chr(34), chr(34) * 2)}"\n{rows}'.encode()
    source = UploadedFile(
        x_column="age", y_column=column, x_bounds=(0, 50), y_bounds=(1, 1e4), y_transform="log10",
        x_transform="0 0; 50 100",
    )  # fmt: skip
    built = source.built(read_table(content, NAME), NAME)
    view = viewed(Scenario(source=source, mechanisms=FEW[:3]), built.grouped)
    (tmp_path / NAME).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    same(result(scripts.compare_script(view, 0.25))["table"], ranked(view, 0.25))
    moved = MovedRecord(view.data, 3, float(view.data.x[3]), 0.25)
    table = pd.DataFrame(moved.predictions(view.scenario.at))
    both = scripts.data_script(view, moved), scripts.privacy_script(view, moved, NoisyStats(), 0, True)
    made = result(both[0])["table"]
    np.testing.assert_array_equal(made["Theil–Sen"], view.y.from_unit(table["theil_sen"]))
    pair = pair_of(moved, NoisyStats(), view.scenario.budget)
    assert pair is not None
    same(result(both[1])["table"], pair.table(view.y))
    for script in both:
        assert f"moved = MovedRecord(data, 3, float(data.x[3]), {moved.y!r})" in script


@pytest.mark.parametrize("loaded", [False, True])
def test_a_sweep(loaded: bool):
    scenario = (TRACTS if loaded else SYNTHETIC).model_copy(update={"mechanisms": FEW[1:3]})
    view, values = viewed(scenario), (1.0, 4.0, 0.1 + 0.2)
    datasets, data = (1, view.data) if loaded else (5, None)
    described = SweepDescription("epsilon", values, scenario, FEW[1:], datasets, 20, data)
    plan = plan_sweep("epsilon", values, data or scenario.linear_model, scenario.budget, FEW[1:])
    same(
        result(scripts.sweep_script(described, view))["table"], run_sweep(plan, Run(20, scenario.seed), datasets).frame
    )


@pytest.mark.parametrize("flat_lines", [False, True])
def test_small_areas(flat_lines: bool):
    scenario = TRACTS.model_copy(update={"mechanisms": FEW[:4]})
    view, private = viewed(scenario), FEW[1:4]
    question, target = ("prediction", 0.8) if flat_lines else ("slope", 0.6)
    made = result(scripts.areas_script(view, 0.8, 30, flat_lines, question, target))
    table = made["table"]
    measured = by_group(view.grouped.frame, private, 16.0, scenario.at, 30, 2)
    areas, budget = split_groups(view.grouped.frame).datasets, replace(scenario.budget, at=(0.8, 0.3))
    epsilons = passing_epsilons(areas, private, budget)
    same(table, best_with_epsilons(measured[measured["at"] == 0.8], epsilons, 16.0, flat_lines))
    expected = decide(view.grouped.frame, private, 16.0, (0.8, 0.3), target, question, flat_lines)
    same(made["decision"].algorithms, expected.algorithms)


def test_small_areas_of_which_a_sample_is_looked_at():
    view, private = viewed(TRACTS.model_copy(update={"mechanisms": FEW[:4]})), FEW[1:4]
    made = result(scripts.areas_script(view, 0.8, 30, sample=12))
    expected = decide(view.grouped.frame, private, 16.0, (0.8, 0.3), sample=12)
    same(made["decision"].algorithms, expected.algorithms)
    assert made["decision"].of == 40 and set(made["table"]["group"]) == set(expected.areas["group"])


def test_small_areas_that_help_each_other():
    scenario = TRACTS.model_copy(update={"mechanisms": (NoisyStats(), CenteredStats())})
    view = viewed(scenario)
    made = result(scripts.areas_script(view, 0.8, 30))
    budget = replace(scenario.budget, at=(0.8, 0.3))
    pooled = rehearse_pooling(split_groups(view.grouped.frame).datasets, CenteredStats(), budget, scenario.seed)
    same(made["pooled"], pooled)
    alone = viewed(TRACTS.model_copy(update={"mechanisms": (NoisyStats(),)}))
    assert "rehearse_pooling" not in scripts.areas_script(alone, 0.8, 30)


def test_the_script_pools_with_the_public_numbers_of_a_state_and_of_a_file(tmp_path: Path, monkeypatch):
    mechanisms, name = (CenteredStats(),), "mean parent income"
    state = Scenario(source=SimulatedState(tracts=12), mechanisms=mechanisms, epsilon=4)
    view, numbers = viewed(state), SimulatedState(tracts=12).public_numbers()
    datasets = split_groups(view.grouped.frame).datasets
    pooled = rehearse_pooling(datasets, CenteredStats(), state.budget, state.seed, numbers)
    same(result(scripts.areas_script(view, 0.25, 20, public=[name]))["pooled"], pooled)
    rows = view.grouped.frame.assign(**{name: lambda rows: rows["group"].map(numbers[name])})
    content = rows.to_csv(index=False).encode()
    source = UploadedFile(x_column="x", y_column="y", group_column="group", x_bounds=(0, 1), y_bounds=(0, 1))
    grouped = source.built(read_table(content, "mine.csv"), "mine.csv").grouped
    (tmp_path / "mine.csv").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    there = viewed(state.model_copy(update={"source": source}), grouped)
    made = result(scripts.areas_script(there, 0.25, 20, public=[name]))["pooled"]
    np.testing.assert_allclose(made["pooled"], pooled["pooled"], rtol=1e-9)


@pytest.mark.parametrize("looked", [False, True])
def test_guidance(looked: bool):
    scenario = SYNTHETIC.model_copy(update={"mechanisms": FEW[:4], "accounting": SYNTHETIC.accounting})
    script = scripts.guidance_script(scenario, True, looked)
    question = sized_question(scenario, True)
    *_, expected = recommendations(question, question.measured, question.noise)
    same(result(script)["table"], expected.evidence)
    assert ("read off the data" in script) == looked


def test_an_algorithm_of_ones_own_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(FILE_VARIABLE, str(own_algorithm.written(tmp_path)))
    own = mechanism_named("CappedMean")(cap=0.6)
    view = viewed(Scenario(n=30, mechanisms=(own, NoisyStats(), NoisyIntercept())))
    script = scripts.compare_script(view, 0.25)
    assert FILE_VARIABLE in script
    same(result(script)["table"], ranked(view, 0.25))


@pytest.mark.parametrize("effort", list(Effort))
def test_a_figure_of_the_paper(effort: Effort):
    figure = figure_named("theta")
    settings = figure.settings({"n": 41}, effort, 3)
    script, command = scripts.figure_script(figure, settings), scripts.figure_command(figure, settings)
    made = script.split("table = ")[0]
    assert result(made)["settings"] == settings
    assert command == f"dpslr figure theta --set n=41{' --full' * (effort is Effort.FULL)} --seed 3 --out theta.csv"
    usual = figure_named("smooth-sensitivity")
    same(result(scripts.figure_script(usual, usual.settings()))["table"], usual.compute(usual.settings()))


def by_command(words: str, scenario: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the command of a page prints beside the saved scenario."""
    tool, *rest = shlex.split(words)
    assert tool == "dpslr"
    saved(scenario, tmp_path / "scenario.json")
    monkeypatch.chdir(tmp_path)
    return told(*rest)


def numbers(rows: list[dict[str, Any]], name: str) -> list[float]:
    return [np.nan if row[name] is None else row[name] for row in rows]


def test_the_command_of_every_page_gives_the_numbers_of_its_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    view = viewed(TRACTS.model_copy(update={"mechanisms": FEW[1:4]}))
    rows = by_command(scripts.compare_command(view), view.scenario, tmp_path, monkeypatch)["summary"]
    table = result(scripts.compare_script(view, 0.3))["table"].set_index("algorithm")
    assert {row["mechanism"]: row["c68"] for row in rows if row["at"] == 0.3} == table["c68"].to_dict()
    rows = by_command(scripts.areas_command(view, 0.8), view.scenario, tmp_path, monkeypatch)["areas"]
    table = result(scripts.areas_script(view, 0.8, 20))["table"]
    assert [row["group"] for row in rows] == table["group"].tolist()
    np.testing.assert_array_equal(numbers(rows, "passes_from"), table["passes_from"].replace(np.inf, np.nan))
    assert [row["passes_with"] for row in rows] == table["passes_with"].tolist()
    assert scripts.areas_command(view, 0.3, flat_lines=True).endswith(" --flat-lines")
    rows = by_command(scripts.areas_command(view, 0.8, sample=9), view.scenario, tmp_path, monkeypatch)["areas"]
    assert sorted(row["group"] for row in rows) == drawn_areas(split_groups(view.grouped.frame).datasets, 9)
    described = SweepDescription("x_new", (0.0, 0.4), view.scenario, FEW[1:4], 1, 20, view.data)
    rows = by_command(scripts.sweep_command(described, view), view.scenario, tmp_path, monkeypatch)["rows"]
    table = result(scripts.sweep_script(described, view))["table"].set_index(["value", "mechanism"])["error"]
    drawn = {(row["value"], row["mechanism"]): row["error"] for row in rows if row["mechanism"] != "TheilSen"}
    assert {key: value if isfinite(value) else None for key, value in table.items()} == drawn
    synthetic = SYNTHETIC.model_copy(update={"mechanisms": FEW[2:4]})
    answer = by_command(scripts.guidance_command(True), synthetic, tmp_path, monkeypatch)
    table = result(scripts.guidance_script(synthetic, True, False))["table"]
    assert [row["error"] for row in answer["evidence"]] == table["error"].tolist()
