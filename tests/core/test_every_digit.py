"""One scenario as script and command: the same draws, to the last digit. Links and JSON: test_scenario."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpslr_core import compare
from dpslr_core.mechanisms import DPExpTheilSen, DPGDApprox, NoisyStats
from dpslr_core.report import scripts
from dpslr_core.scenario import Scenario
from dpslr_core.text.data import View, shown_group
from tests.cases.scenario_files import printed_json, saved

THIRD = 1 / 3
CASES = {
    "points of all kinds": {"at": (THIRD, 0.1 + 0.2, 1e-20, 1e16, -7e-5)},
    "hyperparameters of 17 digits": {
        "mechanisms": (DPExpTheilSen(lower=-0.1 - 0.2, k=7), DPGDApprox(delta=THIRD / 1e5))
    },
    "a rule with a delta": {"accounting": f"approx:{THIRD / 1e6!r}", "records_per_person": 3},
}


def viewed(scenario: Scenario) -> View:
    grouped = scenario.source.load()
    label = shown_group(scenario.group, grouped)
    return View(scenario, grouped, label, grouped.dataset(label), grouped.x, grouped.y)


@pytest.mark.parametrize("case", CASES)
def test_script_and_command_give_the_numbers_of_the_core(case: str, tmp_path: Path, monkeypatch):
    scenario = Scenario(**{"n": 30, "trials": 10, "mechanisms": (NoisyStats(),)} | CASES[case])
    s, view = scenario, viewed(scenario)
    expected = compare(
        view.data, s.compared, s.epsilon, s.at, s.trials, s.seed, accounting=s.accounting
    ).summary
    names: dict[str, Any] = {"__name__": "script"}
    exec(compile(scripts.compare_script(view, scenario.at[0]), "script.py", "exec"), names)
    assert names["comparison"].summary.equals(expected)
    monkeypatch.chdir(tmp_path)
    saved(scenario, tmp_path / scripts.SCENARIO_FILE)
    printed = printed_json(*shlex.split(scripts.compare_command(view))[1:])
    assert float(printed["about"]["epsilon"]) == scenario.epsilon
    c68 = pd.DataFrame(printed["summary"])["c68"].astype(float)
    np.testing.assert_array_equal(c68, expected["c68"].replace(np.inf, np.nan))
