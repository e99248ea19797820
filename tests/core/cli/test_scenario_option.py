"""--scenario, --accounting, --records-per-person: to the last bit the numbers of the core's call of the app's page."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpslr_core import compare, decide, recommend
from dpslr_core.cli.inputs import with_options
from dpslr_core.experiments.areas import by_group, split_groups
from dpslr_core.guidance.area_epsilons import areas_passing, passing_epsilons, smallest_epsilons
from dpslr_core.guidance.decision import guessed_areas
from dpslr_core.guidance.recommendation import recommendations, sized_question
from dpslr_core.guidance.required_values import noise_curve, required_epsilon, required_n
from dpslr_core.mechanisms import DPExpTheilSen, NoisyIntercept, NoisyStats, NoisyStatsGaussian
from dpslr_core.privacy.accounting import PerPerson
from dpslr_core.scenario import Scenario
from dpslr_core.sources.choices import UploadedFile
from dpslr_core.sources.linear import LinearModel
from dpslr_core.support.run import Run
from dpslr_core.text.decision import headline
from tests.cases.scenario_files import FEW, SYNTHETIC, TRACTS, run, saved, told


@pytest.mark.parametrize(
    ("words", "accounting"),
    [
        *((["--accounting", rule], rule) for rule in ("paper", "attack", "pure", "approx:1e-07")),
        (["--accounting", "implied", "--records-per-person", "3"], PerPerson(3, "implied")),
        (["--records-per-person", "3", "--accounting", "implied"], PerPerson(3, "implied")),
    ],
)
def test_compare_gives_the_numbers_of_the_page_by_every_rule(tmp_path: Path, words: list[str], accounting: str):
    grouped, both = TRACTS.source.load(), (NoisyStats(), NoisyStatsGaussian(), DPExpTheilSen())
    scenario = TRACTS.model_copy(update={"mechanisms": both, "group": grouped.groups[2], "also_k": 4})
    printed = told("compare", "--scenario", saved(scenario, tmp_path / "s.json"), *words)
    data, rows = grouped.dataset(scenario.group), pd.DataFrame(printed["summary"])
    expected = compare(data, scenario.compared, 16.0, scenario.at, 20, 2, accounting=accounting).summary
    assert printed["accounting"] == accounting and rows["mechanism"].tolist() == expected["mechanism"].tolist()
    for column in ("c68", "c95", "ratio", "standard_error"):
        np.testing.assert_array_equal(rows[column].astype(float), expected[column].replace(np.inf, np.nan))


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


def test_a_scenario_of_a_file_takes_columns_bounds_and_transform_from_the_scenario(tmp_path: Path):
    frame = pd.DataFrame({"age": [20.0, 30, 40, 55, 90], "pay": [1e3, 5e3, 1e4, 1e5, 2e6]})
    frame.to_csv(tmp_path / "mine.csv", index=False)
    source = UploadedFile(
        x_column="age", y_column="pay", x_bounds=(0, 100), y_bounds=(1e3, 1e6), y_transform="log10",
    )  # fmt: skip
    path = saved(SYNTHETIC.model_copy(update={"source": source}), tmp_path / "s.json")
    words = ["compare", str(tmp_path / "mine.csv")]
    by_scenario = told(*words, "--scenario", path)
    bounds = ["--x-bounds", "0", "100", "--y-bounds", "1e3", "1e6", "--y-transform", "log10"]
    settings = ["--epsilon", "3", "--trials", "20", "--seed", "5", "--at", "30,80"]
    chosen = ["--set", "DPExpTheilSen.lower=-0.25", "--set", "DPGDPure.steps=20"]
    names = [word for m in FEW for word in ("--algorithm", type(m).__name__)]
    by_options = told(*words, "--x", "age", "--y", "pay", *bounds, *settings, *names, *chosen)
    assert by_scenario["summary"] == by_options["summary"]
    assert by_scenario["about"]["digest"] == by_options["about"]["digest"]
    assert "log10 pay" in by_scenario["about"]["bounds of y"]
    assert "FILE must be given" in run("compare", "--scenario", path).stderr


def test_options_replace_those_of_the_scenario_and_columns_cannot(tmp_path: Path):
    path = saved(SYNTHETIC, tmp_path / "s.json")
    other = told("compare", "--scenario", path, "--epsilon", "1", "--algorithm", "NoisyIntercept")
    data = SYNTHETIC.source.load().dataset()
    expected = compare(data, [NoisyIntercept()], 1.0, SYNTHETIC.at, 20, 5).summary
    assert [row["c68"] for row in other["summary"]] == expected["c68"].tolist()
    refused = run("compare", "--scenario", path, "--x", "age")
    assert refused.exit_code == 2 and "--x cannot stand beside --scenario" in refused.stderr


def test_by_group_gives_the_rows_of_by_group_with_the_trials_of_the_page(tmp_path: Path):
    scenario = TRACTS.model_copy(update={"trials": 500, "mechanisms": FEW[1:4]})
    out = tmp_path / "r.parquet"
    done = run("by-group", "--scenario", saved(scenario, tmp_path / "s.json"), "--out", str(out), "--workers", "1")
    assert done.exit_code == 0, done.output
    expected = by_group(scenario.source.load().frame, scenario.compared, 16.0, scenario.at, 100, 2)
    written = pd.read_parquet(out)
    pd.testing.assert_frame_equal(written, expected.astype({"at": float}), check_exact=True)
    assert Scenario.model_validate_json(written.attrs["scenario"]).trials == 100


def test_recommend_and_required_give_the_numbers_of_the_page(tmp_path: Path):
    scenario = SYNTHETIC.model_copy(update={"mechanisms": (NoisyIntercept(), DPExpTheilSen())})
    path = saved(scenario, tmp_path / "s.json")
    question = sized_question(scenario)
    *_, expected = recommendations(question, question.measured, question.noise)
    answer = told("recommend", "--scenario", path)
    assert answer["noise"] == expected.noise and "digest" not in answer["about"]
    rows = told("required", "--scenario", path, "--r", "2")["rows"]
    counts = {expected.algorithm: expected.datasets}
    curves = [
        noise_curve(expected.model, expected.budget, m, 2.0, counts.get(m.name, 6), expected.run)
        for m in expected.mechanisms
    ]
    assert [row["epsilon"] for row in rows] == [curve.required.value for curve in curves]
    few = ("--vary", "epsilon", "--values", "1,2", "--datasets", "2", "--workers", "1", "--algorithm", "NoisyIntercept")
    larger = Scenario.model_validate_json(told("sweep", "--scenario", path, "--n", "60", *few)["about"]["scenario"])
    assert larger.linear_model == replace(scenario.linear_model, n=60)
    rows = told("required", "--scenario", path, "--for", "n", "--algorithm", "DPExpTheilSen")["rows"]
    assert rows[0]["n"] == required_n(expected.model, expected.budget, DPExpTheilSen(), run=Run(50, 5)).value


def test_required_on_the_data_and_in_areas(tmp_path: Path):
    scenario = TRACTS.model_copy(update={"mechanisms": (NoisyIntercept(), DPExpTheilSen())})
    path, grouped = saved(scenario, tmp_path / "s.json"), scenario.source.load()
    rows = told("required", "--scenario", path, "--on", "data")["rows"]
    expected = [required_epsilon(grouped.dataset(), m, 1.0, scenario.at, Run(20, 2)).value for m in scenario.compared]
    assert [row["epsilon"] for row in rows] == expected
    epsilons = passing_epsilons(split_groups(grouped.frame).datasets, scenario.compared, scenario.budget)
    for flags, flat_lines in (((), False), (("--flat-lines",), True)):
        rows = told("required", "--scenario", path, "--on", "areas", "--workers", "1", *flags)["areas"]
        smallest = smallest_epsilons(epsilons, flat_lines).set_index("group")["passes_from"]
        assert len(rows) == 40 and np.isfinite(smallest).sum() > 20
        assert {row["group"]: row["passes_from"] for row in rows} == {
            area: value if np.isfinite(value) else None for area, value in smallest.items()
        }
        counted = sum(row["verdict"].startswith("pass") for row in rows)
        assert counted == areas_passing(epsilons, 16.0, flat_lines) == int((smallest <= 16).sum())
        said = run("required", "--scenario", path, "--on", "areas", "--workers", "1", *flags).stdout
        assert f"At ε = 16, {counted} of 40 areas pass, each with its best algorithm." in said
    words = ("--on", "areas", "--workers", "1", "--algorithm", "DPExpTheilSen")
    one = told("required", "--scenario", path, *words)["areas"]
    alone = epsilons[epsilons["mechanism"] == "DPExpTheilSen"].set_index("group")["passes_from"].replace(np.inf, np.nan)
    assert {row["group"]: row["passes_from"] for row in one if row["passes_from"]} == alone.dropna().to_dict()


@pytest.mark.parametrize("rule", ["paper", "attack"])
def test_recommend_by_guesses_gives_the_numbers_of_the_core_by_every_rule(rule: str):
    words = ["--n", "30", "--var-x", ".03", "--var-e", ".01", "--epsilon", "4", "--lower", "-0.25", "--at", ".3"]
    words += ["--trials", "20", "--seed", "3"]
    chosen = ["--algorithm", "NoisyStats", "--algorithm", "NoisyStatsGaussian", "--algorithm", "DPExpTheilSen"]
    answer = told("recommend", *words, *chosen, "--accounting", rule)
    mechanisms = (NoisyStats(), NoisyStatsGaussian(), DPExpTheilSen(lower=-0.25))
    model = {"n": 30, "var_x": 0.03, "var_e": 0.01, "epsilon": 4.0, "lower": -0.25, "at": 0.3}
    expected = recommend(**model, mechanisms=mechanisms, trials=20, seed=3, accounting=rule)
    assert (answer["algorithm"], answer["noise"]) == (expected.algorithm, expected.noise)
    assert [row["error"] for row in answer["evidence"]] == expected.evidence["error"].tolist()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b'{"epsilon": -1}', "epsilon: Input should be greater than 0, got -1"),
        (b"{", "s.json holds no scenario: Invalid JSON"),
        (b"\xff", "s.json holds no scenario: it is no text in UTF-8"),
    ],
)
def test_a_scenario_that_is_none_is_refused_in_a_sentence(tmp_path: Path, content: bytes, sentence: str):
    (tmp_path / "s.json").write_bytes(content)
    done = run("compare", "--scenario", str(tmp_path / "s.json"))
    assert done.exit_code == 2 and sentence in done.stderr


def test_guesses_off_private_data_must_be_asked_for(tmp_path: Path):
    frame = SYNTHETIC.source.load().frame
    frame.to_csv(tmp_path / "mine.csv", index=False)
    words = ["recommend", str(tmp_path / "mine.csv"), "--x", "x", "--y", "y", "--epsilon", "3", "--trials", "20"]
    few = [*words[:-2], "--algorithm", "NoisyIntercept", "--algorithm", "DPExpTheilSen"]
    refused = run(*few)
    assert refused.exit_code == 2 and "--look" in refused.stderr
    public = told(*few, "--var-x", "0.03", "--var-e", "0.01")
    assert "digest" not in public["about"] and "mine.csv" not in json.dumps(public["about"])
    assert not public["looked_at_data"]
    looked = told(*few, "--look")
    assert looked["looked_at_data"] and "digest" in looked["about"]


@pytest.mark.parametrize("scenario", [SYNTHETIC, TRACTS])
def test_the_metadata_of_a_table_holds_the_scenario_that_gives_it_again(tmp_path: Path, scenario: Scenario):
    first, again = tmp_path / "a.csv", tmp_path / "b.csv"
    done = run("compare", "--scenario", saved(scenario, tmp_path / "s.json"), "--out", str(first))
    assert done.exit_code == 0, done.output
    said = json.loads(first.with_name(f"{first.name}.json").read_text())
    (tmp_path / "t.json").write_text(json.dumps(said["scenario"]))
    assert run("compare", "--scenario", str(tmp_path / "t.json"), "--out", str(again)).exit_code == 0
    assert first.read_bytes() == again.read_bytes()


@pytest.mark.parametrize(("question", "target", "code"), [("prediction", 0.5, 0), ("slope", 1.0, 1)])
def test_decide_gives_the_answer_of_the_core(tmp_path: Path, question, target: float, code: int):
    file, look = saved(TRACTS, tmp_path / "s.json"), 0.8
    words = "decide", "--scenario", file, "--question", question, "--target", str(target), "--look-at", str(look)
    printed = told(*words, "--workers", "1", code=code)
    grouped = TRACTS.source.load()
    expected = decide(grouped.frame, TRACTS.compared, 16.0, (0.8, 0.3), target, question)
    rows = pd.DataFrame(printed["algorithms"])
    assert (printed["publish"], printed["areas"], printed["needed"]) == (
        expected.mechanism, expected.count, expected.needed
    )  # fmt: skip
    for column in expected.algorithms:
        assert rows[column].fillna(np.inf).tolist() == expected.algorithms[column].tolist()
    assert (expected.algorithms["passing"].iloc[0] >= expected.needed) == (code == 0)
    said = run(*words, "--workers", "1").stdout
    assert headline(expected) in said and all(area in said for area in expected.failing()["group"])
    picture = tmp_path / "decision.svg"
    assert run(*words, "--workers", "1", "--out", str(picture)).exit_code == code
    assert expected.mechanism in picture.read_text()


def test_decide_on_a_random_sample(tmp_path: Path):
    words = "decide", "--scenario", saved(TRACTS, tmp_path / "s.json"), "--workers", "1", "--sample", "9"
    expected = decide(TRACTS.source.load().frame, TRACTS.compared, 16.0, TRACTS.at, sample=9)
    code = int(expected.algorithms["passing"].iloc[0] < expected.needed)
    printed = told(*words, code=code)
    assert (printed["areas"], printed["sampled_of"]) == (9, 40) and printed["publish"] == expected.mechanism
    said = run(*words).stdout
    assert headline(expected) in said and "Looked at: a random 9 of 40 areas, drawn by their labels alone." in said
    assert "Invalid value for '--sample'" in run(*words[:-1], "0").stderr
    whole = run("required", *words[1:3], "--on", "guesses", "--sample", "9")
    assert "--sample is of areas" in whole.stderr


def test_decide_names_what_it_cannot_use(tmp_path: Path):
    file = saved(TRACTS, tmp_path / "s.json")
    assert "--group must be given" in run("decide", file, "--x", "x", "--y", "y").stderr
    assert "target must lie in [0, 1], got 2" in run("decide", "--scenario", file, "--target", "2").stderr
    assert "'intercept' is not one of" in run("decide", "--scenario", file, "--question", "intercept").stderr


def test_decide_on_a_table_of_public_guesses(tmp_path: Path):
    file, words = (
        tmp_path / "sizes.csv",
        ["--epsilon", "6", "--algorithm", "NoisyStats", "--algorithm", "DPExpTheilSen"],
    )
    file.write_text("tract;people;var_e\nA;60;0,02\nB;120;0,04\nC;300;0,01\n")
    words = ["decide", str(file), "--group", "tract", "--sizes", "people", "--workers", "1", *words]
    sizes = pd.DataFrame({"group": ["A", "B", "C"], "n": [60, 120, 300], "var_e": [0.02, 0.04, 0.01]})
    areas = guessed_areas(sizes, LinearModel(3, 0.03, 0.0))
    expected = decide(areas, [NoisyStats(), DPExpTheilSen()], 6.0)
    done = run(*words, "--var-x", "0.03")
    assert headline(expected) in done.stdout and "you may act on this plan" in done.stdout
    printed = told(*words, "--var-x", "0.03", code=done.exit_code)
    assert [row["passing"] for row in printed["algorithms"]] == expected.algorithms["passing"].tolist()
    assert "digest" not in printed["about"]
    assert "--var-x or a column var_x must be given with --sizes" in run(*words).stderr
    assert "no column 'person'" in run(*[w.replace("people", "person") for w in words]).stderr
    assert (
        "--var-x can be given with --sizes only" in run("decide", str(file), "--group", "tract", "--var-x", "1").stderr
    )
    file.write_text("tract,people\nA,many\nB,30\nC,40\n")
    assert "many" in run(*words, "--var-x", "0.03", "--var-e", "0.1").stderr


def test_decide_counts_by_region(tmp_path: Path):
    frame = TRACTS.source.load().frame
    file = tmp_path / "tracts.csv"
    some = frame[frame["group"].isin(frame["group"].unique()[:6])]
    some.assign(county=some["group"].str[-1].astype(int) % 2).to_csv(file, index=False)
    words = ["decide", str(file), "--group", "group", "--x", "x", "--y", "y", "--epsilon", "9", "--workers", "1"]
    words += ["--algorithm", "DPExpTheilSen"]
    code = run(*words, "--by", "county").exit_code
    regions = told(*words, "--by", "county", code=code)["regions"]
    expected = decide(some, [DPExpTheilSen()], 9.0)
    assert sum(row["areas"] for row in regions) == 6
    assert sum(row["passing"] for row in regions) == expected.algorithms["passing"].iloc[0]
    assert "county: in" in run(*words, "--by", "county").stdout
    assert "Column 'x' must be the same in all rows of an area" in run(*words, "--by", "x").stderr
    assert "There is no column 'state'" in run(*words, "--by", "state").stderr
    of_scenario = run("decide", "--scenario", saved(TRACTS, tmp_path / "s.json"), "--by", "county")
    assert "--by needs FILE with --group" in of_scenario.stderr
