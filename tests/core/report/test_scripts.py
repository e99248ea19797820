"""Scripts and commands of pages beyond what tests/numbers shows: own files, own algorithms, samples and pooling."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpslr_core import decide
from dpslr_core.audit.moved import MovedRecord
from dpslr_core.audit.pair import pair_of
from dpslr_core.experiments.areas import split_groups
from dpslr_core.experiments.comparison import compare
from dpslr_core.experiments.pooled_areas import rehearse_pooling
from dpslr_core.mechanisms import FILE_VARIABLE, CenteredStats, NoisyStats
from dpslr_core.paper.figures import Effort, figure_named
from dpslr_core.report import scripts
from dpslr_core.scenario import Scenario, mechanism_named
from dpslr_core.sources.choices import SimulatedState, UploadedFile
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.sources.tables import read_table
from dpslr_core.text.data import View, shown_group
from tests.cases import own_algorithm
from tests.cases.scenario_files import FEW, TRACTS


def viewed(scenario: Scenario, grouped: GroupedData | None = None) -> View:
    grouped = grouped or scenario.source.load()
    label = shown_group(scenario.group, grouped)
    return View(scenario, grouped, label, grouped.dataset(label), grouped.x, grouped.y)


def result(script: str) -> dict[str, Any]:
    """What a script has made once it has run."""
    names: dict[str, Any] = {"__name__": "script"}
    exec(compile(script, "script.py", "exec"), names)
    return names


def check_errors(script: str, view: View, at: float) -> None:
    """Assert that the script has the errors of compare at this point, in the units of y."""
    s = view.scenario
    summary = compare(view.data, s.compared, s.epsilon, s.at, s.trials, s.seed).summary
    expected = summary[summary["at"] == at].set_index("mechanism")["c68"] * view.y.scale
    errors = result(script)["table"].set_index("algorithm")["c68"]
    assert errors.to_dict() == expected.to_dict()


NAME = "mine \"; import os; x = ' #.csv"


def test_names_of_a_file_and_its_columns_that_are_python_stay_texts(tmp_path: Path, monkeypatch):
    column = "pay\"); raise SystemExit('evil') #"
    quoted = column.replace('"', '""')
    rows = "".join(f"{i},{100 * i + i % 7}\n" for i in range(1, 40))
    content = f'age,"{quoted}"\n{rows}'.encode()
    source = UploadedFile(
        x_column="age",
        y_column=column,
        x_bounds=(0, 50),
        y_bounds=(1, 1e4),
        y_transform="log10",
    )
    built = source.built(read_table(content, NAME), NAME)
    view = viewed(Scenario(source=source, mechanisms=FEW[:3]), built.grouped)
    (tmp_path / NAME).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    check_errors(scripts.compare_script(view, 0.25), view, 0.25)
    moved = MovedRecord(view.data, 3, float(view.data.x[3]), 0.25)
    of_data = scripts.data_script(view)
    of_loss = scripts.privacy_script(view, moved, NoisyStats(), 0, True)
    lines = view.data.theil_sen(view.scenario.at)
    np.testing.assert_array_equal(result(of_data)["table"]["Theil–Sen"], view.y.from_unit(lines))
    pair = pair_of(moved, NoisyStats(), view.scenario.budget)
    pd.testing.assert_frame_equal(result(of_loss)["table"], pair.table(view.y), check_exact=True)
    assert f"moved = MovedRecord(data, 3, float(data.x[3]), {moved.y!r})" in of_loss


@pytest.mark.parametrize("asked", [{"question": "slope", "target": 0.6}, {"sample": 12}])
def test_the_script_of_small_areas_decides(asked: dict[str, Any]):
    view = viewed(TRACTS.model_copy(update={"mechanisms": FEW[:4]}))
    made = result(scripts.areas_script(view, 0.8, 30, **asked))
    expected = decide(view.grouped.frame, FEW[1:4], 16.0, (0.8, 0.3), **asked)
    pd.testing.assert_frame_equal(
        made["decision"].algorithms, expected.algorithms, check_exact=True
    )
    assert set(made["table"]["group"]) == set(expected.areas["group"])
    assert made["decision"].of == (40 if "sample" in asked else None)


def test_areas_that_help_each_other_are_pooled_by_the_script():
    """Also with public numbers."""
    alone = viewed(TRACTS.model_copy(update={"mechanisms": (NoisyStats(),)}))
    assert "rehearse_pooling" not in scripts.areas_script(alone, 0.8, 30)

    name, source = "mean parent income", SimulatedState(tracts=12)
    state = Scenario(source=source, mechanisms=(CenteredStats(),), epsilon=4)
    view, numbers = viewed(state), source.public_numbers()
    datasets = split_groups(view.grouped.frame).datasets
    pooled = rehearse_pooling(
        datasets, CenteredStats(), state.budget, state.seed, numbers[[name]].loc[[*datasets]]
    )
    public = {name: tuple(numbers[name].tolist())}
    made = result(scripts.areas_script(view, 0.25, 20, public=public))["pooled"]
    pd.testing.assert_frame_equal(made, pooled, check_exact=True)


def test_an_algorithm_of_ones_own_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(FILE_VARIABLE, str(own_algorithm.written(tmp_path)))
    own = mechanism_named("CappedMean")(cap=0.6)
    view = viewed(Scenario(n=30, mechanisms=(own, NoisyStats())))
    script = scripts.compare_script(view, 0.25)
    assert FILE_VARIABLE in script


def test_script_and_command_of_a_figure_as_large_as_in_print():
    figure = figure_named("theta")
    settings = figure.settings({"n": 41}, Effort.FULL, 3)
    before, _, _ = scripts.figure_script(figure, settings).partition("table = ")
    assert result(before)["settings"] == settings
    command = scripts.figure_command(figure, settings)
    assert command == "dpslr figure theta --set n=41 --full --seed 3 --out theta.csv"
