"""--accounting: the same rule as in the core, for every command that spends a budget."""

import json

import pandas as pd
import pytest
from click.testing import CliRunner

from dpslr_core import Dataset, compare
from dpslr_core.cli import main
from dpslr_core.cli.inputs import with_options
from dpslr_core.mechanisms import NoisyStats, NoisyStatsGaussian
from dpslr_core.privacy.accounting import PerPerson
from dpslr_core.scenario import Scenario

ALGORITHMS = [word for name in ("NoisyStats", "NoisyStatsGaussian") for word in ("--algorithm", name)]
FRAME = pd.DataFrame(
    {"group": [*"aaaabbbb"], "x": [0.0, 0.3, 0.6, 1.0] * 2, "y": [0.1, 0.2, 0.5, 0.4, 0.9, 0.8, 0.2, 0.3]}
)
BOTH = [NoisyStats(), NoisyStatsGaussian()]


@pytest.fixture
def here(tmp_path, monkeypatch):
    FRAME.to_csv(tmp_path / "data.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words):
    done = CliRunner().invoke(main, list(words))
    assert done.exit_code == 0, done.output
    return done.stdout


def options(accounting):
    return ["--x", "x", "--y", "y", "--epsilon", "9", "--trials", "10", *ALGORITHMS, "--accounting", accounting]


@pytest.mark.parametrize("accounting", ["paper", "attack", "pure", "approx:1e-07"])
def test_compare(here, accounting):
    told = json.loads(run("compare", "data.csv", *options(accounting), "--json"))
    expected = compare(Dataset(FRAME["x"], FRAME["y"]), BOTH, 9.0, trials=10, accounting=accounting).summary
    assert told["accounting"] == accounting
    assert [row["mechanism"] for row in told["summary"]] == expected["mechanism"].tolist()
    assert [row["c68"] for row in told["summary"]] == pytest.approx(expected["c68"].tolist())


@pytest.mark.parametrize("first", [True, False])
def test_records_per_person(here, first):
    """Whichever of both options stands first; every record gets a third of epsilon."""
    words = [*options("implied"), "--records-per-person", "3"]
    words = [*words[-2:], *words[:-2]] if first else words
    printed = json.loads(run("compare", "data.csv", *words, "--json"))
    expected = compare(
        Dataset(FRAME["x"], FRAME["y"]), BOTH, 9.0, trials=10, accounting=PerPerson(3, "implied")
    ).summary
    alone = compare(Dataset(FRAME["x"], FRAME["y"]), BOTH, 3.0, trials=10).summary
    shown = pd.DataFrame(printed["summary"])["c68"].to_numpy()
    assert printed["accounting"] == "implied, 3 records per person"
    assert shown == pytest.approx(expected["c68"].to_numpy())
    assert shown[0] == pytest.approx(alone["c68"].iloc[0])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "implied, 2 records per person"),
        ({"records_per_person": 3}, "implied, 3 records per person"),
        ({"records_per_person": 1}, "implied"),
        ({"accounting": "attack"}, "attack, 2 records per person"),
        ({"accounting": "attack", "records_per_person": 1}, "attack"),
    ],
)
def test_an_option_replaces_its_own_part_of_a_scenario(given, expected):
    scenario = Scenario(accounting="implied", records_per_person=2)
    assert str(with_options(scenario, {"algorithms": (), "chosen": (), **given}).accounting) == expected
