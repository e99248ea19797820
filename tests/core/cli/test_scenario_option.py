"""--scenario and the options that replace parts of it; tests/numbers compares the numbers of commands with pages."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpslr_core import decide
from dpslr_core.cli.inputs import with_options
from dpslr_core.mechanisms import DPExpTheilSen, NoisyIntercept, NoisyStats
from dpslr_core.scenario import Scenario
from dpslr_core.sources.choices import UploadedFile
from dpslr_core.sources.linear import LinearModel
from dpslr_core.sources.public_areas import guessed_areas
from dpslr_core.text.decision import headline
from tests.cases.scenario_files import SYNTHETIC, TRACTS, printed_json, run, saved
from tests.cases.tables import table

TWO = (NoisyIntercept(), DPExpTheilSen())
ONE = ("--workers", "1")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which commands run, with a simulated scenario and one of areas."""
    saved(SYNTHETIC, tmp_path / "model.json")
    saved(TRACTS, tmp_path / "areas.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def column(rows: list[dict], name: str) -> list[float]:
    """Numbers as JSON has them, infinite where they are missing."""
    return [inf if row[name] is None else row[name] for row in rows]


# Options.


REPLACED = table("""
    {} | implied, 2 records per person
    {"records_per_person": 1} | implied
    {"accounting": "attack"} | attack, 2 records per person
    {"accounting": "attack", "records_per_person": 1} | attack
""")


def test_an_option_replaces_its_own_part_of_a_scenario():
    scenario = Scenario(accounting="implied", records_per_person=2)
    for given, expected in REPLACED:
        assert (
            str(with_options(scenario, {"algorithms": (), "chosen": (), **given}).accounting)
            == expected
        )


def test_options_replace_those_of_the_scenario(here: Path):
    words = ("--epsilon", "1", "--algorithm", "NoisyIntercept")
    printed = printed_json("compare", "--scenario", "model.json", *words)
    assert (printed["epsilon"], {row["mechanism"] for row in printed["summary"]}) == (
        1.0,
        {"NoisyIntercept"},
    )
    few = ("--vary", "epsilon", "--values", "1,2", "--datasets", "2", *ONE, *words[2:])
    about = printed_json("sweep", "--scenario", "model.json", "--n", "60", *few)["about"]
    larger = Scenario.model_validate_json(about["scenario"])
    assert larger.linear_model == replace(SYNTHETIC.linear_model, n=60) and about["trials"] == "20"
    saved(TRACTS.model_copy(update={"trials": 1000}), here / "s.json")
    about = printed_json("sweep", "--scenario", "s.json", *few[:4], *few[6:])["about"]
    assert about["trials"] == "1000"  # there is time for more on one data set


def test_a_scenario_of_a_file_says_columns_bounds_and_transform_as_options_do(here: Path):
    """The line of OLS by other means, in the units of the file."""
    frame = pd.DataFrame({"age": [20.0, 30, 40, 55, 90], "pay": [1e3, 5e3, 1e4, 1e5, 2e6]})
    frame.to_csv("mine.csv", index=False)
    bounds = {"x_bounds": (0, 100), "y_bounds": (1e3, 1e6)}
    source = UploadedFile(x_column="age", y_column="pay", y_transform="log10", **bounds)
    path = saved(SYNTHETIC.model_copy(update={"source": source}), here / "s.json")
    options = "--x age --y pay --x-bounds 0 100 --y-bounds 1e3 1e6 --y-transform log10 --epsilon 3"
    y = np.log10(np.minimum(frame["pay"], 1e6))
    line = np.polyval(np.polyfit(frame["age"], y, 1), (30, 80))
    for words in (f"--scenario {path}", f"{options} --at 30,80 --algorithm OLS"):
        printed = printed_json("compare", "mine.csv", *words.split())
        assert [row["center"] for row in printed["summary"][:2]] == pytest.approx(line.tolist())
        assert "log10 pay" in printed["about"]["bounds of y"]


def test_a_scenario_that_is_none_is_refused_in_a_sentence(here: Path):
    for content, sentence in (
        (b'{"epsilon": -1}', "epsilon: Input should be greater than 0, got -1"),
        (b"{", "s.json holds no scenario: Invalid JSON"),
        (b"\xff", "s.json holds no scenario: it is no text in UTF-8"),
    ):
        (here / "s.json").write_bytes(content)
        done = run("compare", "--scenario", "s.json")
        assert done.exit_code == 2 and sentence in done.stderr


def test_the_settings_beside_a_table_hold_the_scenario_that_gives_it_again(here: Path):
    assert run("compare", "--scenario", "areas.json", "--out", "a.csv").exit_code == 0
    settings = json.loads(Path("a.csv.json").read_text())
    Path("again.json").write_text(json.dumps(settings["scenario"]))
    assert run("compare", "--scenario", "again.json", "--out", "b.csv").exit_code == 0
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()


# What other commands find.


def test_guesses_off_private_data_must_be_asked_for(here: Path):
    SYNTHETIC.source.load().frame.to_csv("mine.csv", index=False)
    words = "recommend mine.csv --x x --y y --epsilon 3 --algorithm NoisyIntercept --algorithm DPExpTheilSen"
    refused = run(*words.split())
    assert refused.exit_code == 2 and "--look" in refused.stderr
    public = printed_json(*words.split(), "--var-x", "0.03", "--var-e", "0.01")
    assert "digest" not in public["about"] and "mine.csv" not in json.dumps(public["about"])
    assert not public["looked_at_data"]
    looked = printed_json(*words.split(), "--look")
    assert looked["looked_at_data"] and "digest" in looked["about"]


# Decide.


def test_decide_gives_the_answer_of_the_core(here: Path):
    points = (0.8, *(point for point in TRACTS.at if point != 0.8))
    expected = decide(TRACTS.source.load().frame, TRACTS.compared, 16.0, points, target=0.9)
    words = ("decide", "--scenario", "areas.json", "--target", "0.9", "--look-at", "0.8", *ONE)
    printed = printed_json(*words)
    answer = printed["publish"], printed["areas"], printed["needed"], printed["sampled_of"]
    assert answer == (expected.mechanism, expected.count, expected.needed, expected.of)
    for name in ("passing", "target_from", "most"):
        assert column(printed["algorithms"], name) == expected.algorithms[name].tolist()
    assert headline(expected) in run(*words).stdout


def test_decide_on_a_table_of_public_guesses(here: Path):
    """Guesses that differ between areas are in the units of the bounds; an area too small for a line is left out."""
    file = Path("sizes.csv")
    file.write_text(
        "tract;people;sigma_e;slope;x_shape\nA;60;20;;skewed\nB;120;40;1,5;\nC;300;10;2;\nD;2;10;;\n"
    )
    words = "decide --areas sizes.csv --group tract --sizes people --epsilon 6 --algorithm NoisyStats --workers 1"
    words += " --var-x 0.03 --x-mean 0.4 --slope 0.5 --intercept 0.2 --x-bounds 0 20 --y-bounds 0 100 --at 5,15"
    sizes = pd.DataFrame({
        "group": ["A", "B", "C"], "n": [60, 120, 300], "var_e": [0.2**2, 0.4**2, 0.1**2], "slope": [0.5, 0.3, 0.4],
        "intercept": [0.2, 0.2 + 0.2 * 0.4, 0.2 + 0.1 * 0.4], "x_shape": ["skewed", "uniform", "uniform"],
    })  # fmt: skip
    expected = decide(
        guessed_areas(sizes, LinearModel(3, 0.03, 0.0, x_mean=0.4)), [NoisyStats()], 6.0
    )
    done = run(*words.split())
    assert "1 area has fewer than 3 records, and no line." in done.stdout
    assert "you may act on this plan" in done.stdout
    printed = printed_json(*words.split(), code=done.exit_code)
    assert [row["passing"] for row in printed["algorithms"]] == expected.algorithms[
        "passing"
    ].tolist()
