"""What is wrong is said in a sentence, with exit code 2 and before any work: one table for all commands."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpslr_core.scenario import Scenario
from dpslr_core.sources.choices import UploadedFile
from dpslr_core.sources.samples import load_sample
from dpslr_core.sources.tracts import simulate_tracts
from tests.cases.scenario_files import FEW, SYNTHETIC, TRACTS, run, saved

ROOT = Path(__file__).parents[3]
BY_GROUP = "by-group {file} --group tract --x parent --y child --epsilon 16 --out results.csv"
COMPARE = "compare tracts.csv --x parent --y child --epsilon 4 --algorithm NoisyStats"
HOMES = "compare homes.csv --x floor --y kwh --epsilon 2 --algorithm OLS"
POOL = "by-group tracts.csv --group tract --x parent --y child --epsilon 4 --out p.csv --pool"
DECIDE = "decide tracts.csv --group tract --x parent --y child --epsilon 9 --workers 1"
SIZES = "decide --areas sizes.csv --group tract --sizes people --epsilon 6"
PLAN = "plan --algorithm CenteredStats --epsilon 2 --x parent --y child --x-bounds 0 1 --y-bounds 0 1 --out plan.json"
SAID = "--bounds-from timetable --choice-from simulated"

OF_BY_GROUP = {
    "--epsilon 0": "epsilon: Input should be greater than 0, got 0.0",
    "--trials 1": "trials: ",
    "--at here": "points: 'here' is no number",
    "--at inf": "points: 'inf' is not finite",
    "--at 0.2,0.2": "at must be different points",
    "--algorithm Magic": "algorithm must be one of",
    "--set DPExpTheilSen": "--set must look like DPExpTheilSen.k=10",
    "--set DPExpTheilSen.k=many": "DPExpTheilSen.k must be a number",
    "--set DPExpTheilSen.k=0": "k must be",
    "--set DPExpTheilSen.theta=1": "has no hyperparameter 'theta'",
    "--algorithm NoisyStats --set OLS.k=1": "OLS is not among the chosen algorithms",
    "--x age": "There is no column 'age'",
    "--group child": "is also y",
    "--x-bounds 1 0": "x_bounds: lower must be below upper",
    "--workers 0": "workers must be",
    "--dask nowhere": "workers must be",
    "--report out.pdf": "--report must end in .html or .docx, got 'out.pdf'",
    "--out results.xlsx": "must end in .parquet or .csv",
    "--out no/where.csv": "there is no folder 'no'",
    "--out tracts.csv": "would replace the data",
    "--covariate income": "--covariate needs --pool",
}
OF_FILES = {
    "absent.csv": "absent.csv",
    "empty.csv": "it is empty",
    "wrong.dta": "wrong.dta is neither text nor a workbook, Stata or Parquet file",
}
OF_OTHERS = {
    "compere": "No such command 'compere'",
    f"{COMPARE} --report out.pdf": "--report must end in .html or .docx, got 'out.pdf'",
    "compare pipe --x x --y y --epsilon 1": "a pipe or a device",
    "compare /dev/zero --x x --y y --epsilon 1": "a pipe or a device",
    "compare . --x x --y y --epsilon 1": "is a directory",
    f"{COMPARE} --x-most 0.2 1.1": "Where most people are in 'parent' must be a range within its bounds",
    f"{COMPARE} --x-bounds 0 1 --x-transform ranks": "must be 'log10': a percentile by a public table is no longer",
    HOMES: "--x-bounds LO HI must be given, the public bounds of 'floor': 250 of its values lie",
    f"{HOMES} --x-bounds 20 220": "--y-bounds LO HI must be given",
    f"{HOMES} --x-transform log10 --y-bounds 0 1e4": "--x-bounds LO HI must be given with --x-transform",
    "compare --scenario file.json": "FILE must be given",
    "compare --scenario model.json --x age": "--x cannot stand beside --scenario",
    "by-group tracts.csv --x parent --y child --epsilon 1 --out a.csv": "--group must be given with FILE",
    "required tracts.csv --x parent --y child --epsilon 1 --for n": "--for must be epsilon on data",
    "required --scenario areas.json --on guesses --sample 9": "--sample is of areas",
    "decide --scenario areas.json --sample 0": "Invalid value for '--sample'",
    "decide tracts.csv --x parent --y child": "--group must be given",
    "decide --scenario areas.json --workers 1 --target 2": "target must lie in [0, 1], got 2",
    "decide --scenario areas.json --question intercept": "'intercept' is not one of",
    "decide --scenario areas.json --by county": "--by needs FILE with --group",
    f"{DECIDE} --by parent": "Column 'parent' must be the same in all rows of an area",
    f"{DECIDE} --by state": "There is no column 'state'",
    SIZES: "--var-x or a column x_sd must be given with --areas",
    SIZES.replace("people", "person"): "no column 'person'",
    f"{SIZES} --var-x -1": "area 'T1': var_x must be",
    f"{SIZES} --var-x 0.1 --x-shape square": "'square' is not one of",
    "decide tracts.csv --group tract --var-x 1": "--var-x can be given with --areas only",
    f"{POOL} --covariate wealth": "There is no column 'wealth'; the columns are 'tract'",
    f"{POOL} --covariate parent": "it varies: ",
    f"{POOL} --covariate income": "must hold a number for each area; 'T1' has none",
    f"{POOL} --algorithm NoisyStats": "among the algorithms",
    f"{POOL} --report r.html": "--report cannot stand beside --pool",
    POOL.replace("tracts", "nine"): "--pool needs at least 10 areas, got 9",
    "datasets --out x.csv": "NAME must be given with --out, one of sample/linear, ",
    "datasets sample/linear --out x.txt": "--out must end in .csv or .parquet, got 'x.txt'",
    "simulate linear --out x.csv --n 2": "n: Input should be greater than or equal to 3, got 2",
    "simulate linear --out x.csv --seed -1": "data_seed: ",
    "simulate tracts --out x.csv --seed -1": "seed must be a whole number",
    "simulate tracts --out x.csv --elasticity nan": "elasticity",
    "recommend --n 9 --var-x .03 --var-e .01 --epsilon 1 --lower 9": "lower must",
    "figure figure-1": "figure must be one of",
    "figure theta beta --out one.svg": "--out must be a folder for several figures",
    "figure theta --out figure.pdf": "--out must end in .svg, .png, .html, .csv or be a folder",
    "figure theta --out nowhere/figure.svg": "there is no folder 'nowhere'",
    "figure theta --set epsilon": "--set must look like epsilon=2",
    "figure theta --set sigma=2": "theta has the parameters",
    "figure theta --set n=9.5": "n must be a whole number",
    "figure theta --seed -1": "seed must be",
    "audit --pairs 200": "dpslr audit is no longer offered: in a checkout of the project `make audit`",
    "winner-map --out map.json": "dpslr winner-map is no longer offered: in a checkout of the project `python -m",
    "lesson --out mine": "notes.txt",
    "lesson --out new --students 301": "students must be one of",
    "lesson --out mine/notes.txt/new": "mine/notes.txt/new",
    f"{PLAN} --n 42": "--bounds-from must say where this comes from",
    f"{PLAN} --n 42 --bounds-from timetable": "--choice-from must say",
    f"{PLAN} {SAID}": "n must be given",
    f"{PLAN} {SAID} --n two": "'two' is no number",
    f"{PLAN} {SAID} --n 42 --algorithm DPSSTheilSen": "algorithm must be named",
    f"{PLAN} {SAID} --n 42 --areas sizes.csv": "--group must be given",
    f"{PLAN} {SAID} --n 42 --level 1.5": "level",
    f"{PLAN} {SAID} --areas halves.csv --group tract --sizes people": "whole number of records",
    f"plan --scenario twice.json --n 42 {SAID} --out plan.json": "'epsilon' stands twice",
    "release plan.json tracts.csv": "plan.json",
    "spent tracts.csv": "nothing was released",
}
WRONG = {
    **{f"{BY_GROUP.format(file='tracts.csv')} {words}": sentence for words, sentence in OF_BY_GROUP.items()},
    **{BY_GROUP.format(file=file): sentence for file, sentence in OF_FILES.items()},
    **OF_OTHERS,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that commands name."""
    here = tmp_path_factory.mktemp("wrong")
    tracts = simulate_tracts(tracts=12, rng=np.random.default_rng(0))
    tracts = tracts.set_axis(["tract", "parent", "child"], axis=1)
    labels = tracts["tract"].unique()
    tracts["tract"] = tracts["tract"].map({label: f"T{i}" for i, label in enumerate(labels, 1)})
    nine = tracts[tracts["tract"].isin([f"T{i}" for i in range(1, 10)])]
    nine.to_csv(here / "nine.csv", index=False)
    tracts["income"] = tracts["tract"].str[1:].astype(float).where(tracts["tract"] != "T1")
    tracts.to_csv(here / "tracts.csv", index=False)
    homes = load_sample("linear").frame
    pd.DataFrame({"floor": 20 + 200 * homes["x"], "kwh": 1e4 * homes["y"]}).to_csv(here / "homes.csv", index=False)
    saved(SYNTHETIC, here / "model.json")
    saved(TRACTS, here / "areas.json")
    source = UploadedFile(x_column="parent", y_column="child", x_bounds=(0, 1), y_bounds=(0, 1))
    of_file = Scenario(source=source, epsilon=1, mechanisms=FEW)
    saved(of_file, here / "file.json")
    twice = of_file.model_dump_json().replace('"epsilon":', '"epsilon":0.1,"epsilon":', 1)
    (here / "twice.json").write_text(twice)
    (here / "sizes.csv").write_text("tract,people,sigma_e\nT1,60,0.2\nT2,120,0.4\nT3,300,0.1\n")
    (here / "halves.csv").write_text("tract,people\nT1,14\nT2,13.5\nT3,14\n")
    (here / "empty.csv").touch()
    (here / "wrong.dta").write_bytes(b"\x01\x02")
    (here / "mine").mkdir()
    (here / "mine/notes.txt").write_text("mine")
    os.mkfifo(here / "pipe")
    return here


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("words", WRONG)
def test_what_is_wrong_is_said_in_a_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch, words: str):
    monkeypatch.chdir(folder)
    before = contents(folder)
    done = run(*words.split())
    assert done.exit_code == 2, done.output
    assert WRONG[words] in " ".join(done.stderr.split())
    assert "Traceback" not in done.output
    assert contents(folder) == before


def test_thousands_that_could_be_decimals_are_refused_with_the_option_that_decides(tmp_path: Path):
    money = tmp_path / "money.csv"
    words = ("compare", str(money), "--x", "x", "--y", "y", "--epsilon", "2", "--algorithm", "OLS", "--json")
    bounds = ("--x-bounds", "0", "2000", "--y-bounds", "0", "4")
    for content, style in (
        ("x;y\n1.100;1\n800;2\n1.003;3\n", "comma"),
        ('x,y\n"1,100",1\n800,2\n"1,003",3\n', "point"),
    ):
        money.write_text(content)
        refused = run(*words, *bounds)
        assert refused.exit_code == 2 and "could mean" in refused.stderr
        assert "1.1 (decimal" in refused.stderr and "1100 (decimal" in refused.stderr
        assert "--numbers point or --numbers comma decides" in refused.stderr
        assert run(*words, *bounds, "--numbers", style).exit_code == 0


def test_a_column_without_numbers_is_named_and_nothing_that_follows_from_it():
    bikes = [str(ROOT / "sample_data" / "bikes.csv"), "--x", "month_hour", "--y", "temperature_c", "--epsilon", "2"]
    done = run("compare", *bikes, "--x-bounds", "0", "100", "--y-bounds", "0", "100", "--algorithm", "NoisyStats")
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-1].startswith("Error: Column 'month_hour' has no numbers")
    assert "Note:" not in done.stderr and "left out" not in done.stderr
