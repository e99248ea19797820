"""One scenario as link, JSON, script and command: the same value, and the same draws, to the last digit."""

from __future__ import annotations

import shlex
from math import nextafter
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

import numpy as np
import pandas as pd
import pytest

from dpslr_core import compare
from dpslr_core.mechanisms import (
    CenteredStatsGaussian,
    DPExpTheilSen,
    DPGDApprox,
    DPGDPure,
    NoisyStats,
)
from dpslr_core.report import scripts
from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import UNIT_X, Axis
from dpslr_core.sources.choices import UploadedFile
from dpslr_core.text.data import View, shown_group
from tests.cases.scenario_files import saved, told

THIRD = 1 / 3
JUST_ABOVE_ONE = nextafter(1.0, 2.0)
ODD = ["income = 100 % & more", 'größe (m²); "roh"', " x.0 ", "'; import os", "1e5"]
CELSIUS = Axis("temperature", "°C", -8, 39, "comma")
SMALL: dict[str, Any] = {"n": 30, "trials": 10, "mechanisms": (NoisyStats(),)}
CASES = {
    "points of all kinds": {"at": (THIRD, 2 / 3, 0.1 + 0.2, 1e-20, JUST_ABOVE_ONE, 1e16, -7e-5)},
    "minus zero": {"at": (-0.0, 0.5), "mechanisms": (DPGDPure(steps=5),)},
    "a budget of a third": {"epsilon": THIRD, "mechanisms": (DPGDPure(steps=5),)},
    "hyperparameters of 17 digits": {
        "mechanisms": (
            DPExpTheilSen(lower=-0.1 - 0.2, upper=JUST_ABOVE_ONE, k=7),
            DPGDApprox(steps=5, delta=THIRD / 1e5),
        ),
    },
    "tuples": {
        "mechanisms": (
            DPGDPure(steps=5, start=(THIRD, 2 / 3)),
            CenteredStatsGaussian(b=(10 / 3, 20 / 3, 5, 6, 17 / 3)),
        ),
    },
    "large seeds": {"seed": 2**63, "data_seed": 2**64 + 1, "mechanisms": (DPGDPure(steps=5),)},
    "a rule with a delta": {"accounting": f"approx:{THIRD / 1e6!r}", "records_per_person": 3},
    "a model of thirds": {
        "var_x": THIRD / 10,
        "var_e": 1e-5 / 3,
        "slope": -2 / 3,
        "intercept": JUST_ABOVE_ONE,
    },
    "whole numbers": {
        "slope": 1,
        "epsilon": 2,
        "also_k": 9,
        "mechanisms": (DPExpTheilSen(lower=-1, upper=2),),
    },
    "tiny numbers": {"epsilon": 1e-12, "at": (5e-324, 0.5)},
}


def scenario_of(case: str) -> Scenario:
    return Scenario(**SMALL | CASES[case])


def viewed(scenario: Scenario) -> View:
    grouped = scenario.source.load()
    label = shown_group(scenario.group, grouped)
    return View(scenario, grouped, label, grouped.dataset(label), grouped.x, grouped.y)


def opened(scenario: Scenario, axis: Axis = UNIT_X) -> Scenario:
    """The scenario of the link, after a browser has carried it."""
    query = parse_qs(urlencode(scenario.to_query(axis), doseq=True), keep_blank_values=True)
    texts = {key: texts if key == "algorithms" else texts[-1] for key, texts in query.items()}
    return Scenario.from_query(texts, axis)


def in_order(again: Scenario, scenario: Scenario) -> Scenario:
    """A scenario whose algorithms stand in the order of another."""
    order = [type(mechanism) for mechanism in scenario.mechanisms]
    mechanisms = sorted(again.mechanisms, key=lambda mechanism: order.index(type(mechanism)))
    return again.model_copy(update={"mechanisms": tuple(mechanisms)})


def stream_keys(scenario: Scenario) -> str:
    """What random streams of the scenario depend on, as text: 0.0 and -0.0 are equal and have two texts."""
    mechanisms = [repr(mechanism) for mechanism in scenario.compared]
    return repr(
        (
            scenario.seed,
            scenario.epsilon,
            list(scenario.at),
            mechanisms,
            scenario.model_dump()["source"],
        )
    )


def summary(scenario: Scenario) -> pd.DataFrame:
    data = viewed(scenario).data
    s = scenario
    return compare(
        data, s.compared, s.epsilon, s.at, s.trials, s.seed, accounting=s.accounting
    ).summary


def check_same(again: Scenario, scenario: Scenario) -> None:
    assert again == scenario
    assert stream_keys(again) == stream_keys(scenario)


@pytest.mark.parametrize("case", CASES)
def test_links_and_files_of_json_give_the_scenario_and_its_streams(case: str):
    scenario = scenario_of(case)
    check_same(opened(scenario), scenario)
    check_same(opened(scenario, CELSIUS), scenario)
    check_same(Scenario.model_validate_json(scenario.model_dump_json()), scenario)
    again, refused = Scenario.from_opened(scenario.to_query())
    assert not refused
    check_same(in_order(again, scenario), scenario)


@pytest.mark.parametrize(
    "case", ["points of all kinds", "hyperparameters of 17 digits", "a rule with a delta"]
)
def test_script_and_command_give_the_numbers_of_the_core(case: str, tmp_path: Path, monkeypatch):
    scenario = scenario_of(case)
    expected, view = summary(scenario), viewed(scenario)
    names: dict[str, Any] = {"__name__": "script"}
    exec(compile(scripts.compare_script(view, scenario.at[0]), "script.py", "exec"), names)
    assert names["comparison"].summary.equals(expected)
    monkeypatch.chdir(tmp_path)
    saved(scenario, tmp_path / scripts.SCENARIO_FILE)
    printed = told(*shlex.split(scripts.compare_command(view))[1:])
    assert float(printed["about"]["epsilon"]) == scenario.epsilon
    c68 = pd.DataFrame(printed["summary"])["c68"].astype(float)
    np.testing.assert_array_equal(c68, expected["c68"].replace(np.inf, np.nan))


@pytest.mark.parametrize("name", ODD)
def test_columns_of_any_name_and_bounds_of_any_digits(name: str):
    source = UploadedFile(
        x_column=name,
        y_column="y",
        group_column="g",
        x_bounds=(0, 100 / 3),
        y_bounds=(1e-3, THIRD * 1e6),
        y_transform="log10",
        x_most=(THIRD, 20 / 3),
        person_column="who, exactly",
    )
    scenario = Scenario(source=source, group=name, mechanisms=(NoisyStats(),), at=(THIRD, 0.5))
    check_same(opened(scenario), scenario)
    check_same(opened(scenario, CELSIUS), scenario)
    check_same(Scenario.model_validate_json(scenario.model_dump_json()), scenario)
