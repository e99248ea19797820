"""What is wrong is said in a sentence, with exit code 2 and before any work: one table for all commands."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dpslr_core.scenario import Scenario
from dpslr_core.sources.choices import UploadedFile
from tests.cases.scenario_files import FEW, SYNTHETIC, TRACTS, run, saved

BY_GROUP = "by-group tracts.csv --group tract --x parent --y child --epsilon 16 --out results.csv"
COMPARE = "compare tracts.csv --x parent --y child --epsilon 4 --algorithm NoisyStats"
HOMES = "compare homes.csv --x floor --y kwh --epsilon 2 --algorithm OLS"
DECIDE = "decide tracts.csv --group tract --x parent --y child --epsilon 9 --workers 1"
SIZES = "decide --areas sizes.csv --group tract --sizes people --epsilon 6"
PLAN = "plan --algorithm CenteredStats --epsilon 2 --x parent --y child --x-bounds 0 1 --y-bounds 0 1 --out plan.json"
SAID = "--bounds-from timetable --choice-from simulated"

# A command and the sentence; what is often in one stands under its name above.
COMMANDS = """
    {BY_GROUP} --epsilon 0 | epsilon: Input should be greater than 0, got 0.0
    {BY_GROUP} --trials 1 | trials:
    {BY_GROUP} --at here | points: 'here' is no number
    {BY_GROUP} --at inf | points: 'inf' is not finite
    {BY_GROUP} --at 0.2,0.2 | at must be different points
    {BY_GROUP} --algorithm Magic | algorithm must be one of
    {BY_GROUP} --set DPExpTheilSen | --set must look like DPExpTheilSen.k=10
    {BY_GROUP} --set DPExpTheilSen.k=many | DPExpTheilSen.k must be a number
    {BY_GROUP} --set DPExpTheilSen.k=0 | k must be
    {BY_GROUP} --set DPExpTheilSen.theta=1 | has no hyperparameter 'theta'
    {BY_GROUP} --algorithm NoisyStats --set OLS.k=1 | OLS is not among the chosen algorithms
    {BY_GROUP} --x age | There is no column 'age'
    {BY_GROUP} --group child | is also y
    {BY_GROUP} --x-bounds 1 0 | x_bounds: lower must be below upper
    {BY_GROUP} --workers 0 | workers must be
    {BY_GROUP} --dask nowhere | workers must be
    {BY_GROUP} --out results.xlsx | must end in .parquet or .csv
    {BY_GROUP} --out no/where.csv | there is no folder 'no'
    {BY_GROUP} --out tracts.csv | would replace the data
    by-group absent.csv --group tract --x parent --y child --epsilon 16 --out results.csv | absent.csv
    by-group empty.csv --group tract --x parent --y child --epsilon 16 --out results.csv | it is empty
    by-group wrong.dta --group tract --x parent --y child --epsilon 16 --out results.csv | wrong.dta is neither text
    compere | No such command 'compere'
    compare pipe --x x --y y --epsilon 1 | a pipe or a device
    compare /dev/zero --x x --y y --epsilon 1 | a pipe or a device
    compare . --x x --y y --epsilon 1 | is a directory
    {COMPARE} --x-most 0.2 1.1 | Where most people are in 'parent' must be a range within its bounds
    {COMPARE} --x-bounds 0 1 --x-transform ranks | must be 'log10': a percentile by a public table is no longer
    {COMPARE} --x-bounds 0 1 --x-transform log10 | bounds of a logarithm must be above 0, got lower=0
    compare money.csv --x x --y y --epsilon 2 --x-bounds 0 9 --y-bounds 0 4 | --numbers point or --numbers comma decides
    {HOMES} | --x-bounds LO HI must be given, the public bounds of 'floor': 200 of its values lie
    {HOMES} --x-bounds 20 220 | --y-bounds LO HI must be given
    {HOMES} --x-transform log10 --y-bounds 0 1e4 | --x-bounds LO HI must be given with --x-transform
    compare --scenario file.json | FILE must be given
    compare --scenario model.json --x age | --x cannot stand beside --scenario
    by-group tracts.csv --x parent --y child --epsilon 1 --out a.csv | --group must be given with FILE
    required --scenario areas.json --on guesses --sample 9 | --sample is of areas
    decide --scenario areas.json --sample 0 | Invalid value for '--sample'
    decide tracts.csv --x parent --y child | --group must be given
    decide --scenario areas.json --workers 1 --target 2 | target must lie in [0, 1], got 2
    decide --scenario areas.json --question intercept | 'intercept' is not one of
    {SIZES} | --var-x or a column x_sd must be given with --areas
    decide --areas sizes.csv --group tract --sizes person --epsilon 6 | no column 'person'
    decide tracts.csv --group tract --var-x 1 | --var-x can be given with --areas only
    {SIZES} --var-x -1 | area 'T1': var_x must be
    datasets --out x.csv | NAME must be given with --out, one of sample/linear,
    datasets sample/linear --out x.txt | --out must end in .csv or .parquet, got 'x.txt'
    simulate tracts --out x.csv --seed -1 | seed must be a whole number
    simulate tracts --out x.csv --elasticity nan | elasticity
    recommend --n 9 --var-x .03 --var-e .01 --epsilon 1 --lower 9 | lower must
    figure figure-1 | figure must be one of
    figure theta beta --out one.svg | --out must be a folder for several figures
    figure theta --out figure.pdf | --out must end in .svg, .png, .html, .csv or be a folder
    figure theta --out nowhere/figure.svg | there is no folder 'nowhere'
    figure theta --set epsilon | --set must look like epsilon=2
    figure theta --set sigma=2 | theta has the parameters
    figure theta --set n=9.5 | n must be a whole number
    figure theta --seed -1 | seed must be
    {PLAN} --n 42 | --bounds-from must say where this comes from
    {PLAN} --n 42 --bounds-from timetable | --choice-from must say
    {PLAN} {SAID} | n must be given
    {PLAN} {SAID} --n two | 'two' is no number
    {PLAN} {SAID} --n 42 --algorithm DPSSTheilSen | algorithm must be given
    {PLAN} {SAID} --n 42 --areas sizes.csv | --group must be given
    {PLAN} {SAID} --n 42 --level 1.5 | level
    {PLAN} {SAID} --areas halves.csv --group tract --sizes people | whole number of records
    plan --scenario twice.json --n 42 {SAID} --out plan.json | 'epsilon' stands twice
    release plan.json tracts.csv | plan.json
    spent tracts.csv | nothing was released
"""
WRONG = [line.strip().rsplit(" | ", 1) for line in COMMANDS.strip().splitlines()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that commands name."""
    here = tmp_path_factory.mktemp("wrong")
    rows = [
        f"T{i},{j / 7},{j * j / 49},{'' if i == 1 else i}\n" for i in range(1, 13) for j in range(8)
    ]
    (here / "tracts.csv").write_text("".join(["tract,parent,child,income\n", *rows]))
    (here / "homes.csv").write_text(
        "floor,kwh\n" + "".join(f"{i},{40 * i}\n" for i in range(20, 220))
    )
    saved(SYNTHETIC, here / "model.json")
    saved(TRACTS, here / "areas.json")
    source = UploadedFile(x_column="parent", y_column="child", x_bounds=(0, 1), y_bounds=(0, 1))
    of_file = Scenario(source=source, epsilon=1, mechanisms=FEW)
    saved(of_file, here / "file.json")
    twice = of_file.model_dump_json().replace('"epsilon":', '"epsilon":0.1,"epsilon":', 1)
    (here / "twice.json").write_text(twice)
    (here / "sizes.csv").write_text("tract,people,sigma_e\nT1,60,0.02\nT2,120,0.04\nT3,300,0.01\n")
    (here / "halves.csv").write_text("tract,people\nT1,14\nT2,13.5\nT3,14\n")
    (here / "empty.csv").touch()
    (here / "money.csv").write_text("x;y\n1.100;1\n800;2\n1.003;3\n")
    (here / "wrong.dta").write_bytes(b"\x01\x02")
    os.mkfifo(here / "pipe")
    return here


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("words", "sentence"), WRONG)
def test_what_is_wrong_is_said_in_a_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: str, sentence: str
):
    monkeypatch.chdir(folder)
    before = contents(folder)
    done = run(*words.format_map(globals()).split())
    assert done.exit_code == 2, done.output
    assert sentence in " ".join(done.stderr.split())
    assert "Traceback" not in done.output
    assert contents(folder) == before
