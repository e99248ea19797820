"""The command line: what by_group and compare find, in the units of the data, whatever interrupts it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpslr_core import Dataset, by_group, compare
from dpslr_core.cli import INTERRUPTED
from dpslr_core.cli import measure as commands
from dpslr_core.mechanisms import (
    MECHANISMS,
    DeepestLine,
    DPExpTheilSen,
    DPGDPure,
    DPWideTheilSen,
    MaximumObservedSensitivity,
)
from dpslr_core.sources.tracts import simulate_tracts
from tests.cases.scenario_files import run, told

ROOT = Path(__file__).parents[3]
TRACTS = simulate_tracts(tracts=32, rng=np.random.default_rng(0))
QUICK = ("DPExpTheilSen", "DPGDPure", "MaximumObservedSensitivity")
MECHANISMS_OF_QUICK = (DPExpTheilSen(), DPGDPure(), MaximumObservedSensitivity())
COLUMNS = ("--group", "tract", "--x", "parent", "--y", "child")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with tracts.csv, in which commands run."""
    TRACTS.set_axis(["tract", "parent", "child"], axis=1).to_csv(
        tmp_path / "tracts.csv", index=False
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


@cache
def areas() -> pd.DataFrame:
    """What command() finds, by the core."""
    return by_group(TRACTS, MECHANISMS_OF_QUICK, 16.0, trials=10)


def command(out: str, *more: str) -> list[str]:
    chosen = [word for name in QUICK for word in ("--algorithm", name)]
    data = ["by-group", "tracts.csv", *COLUMNS, "--epsilon", "16", "--trials", "10"]
    return [*data, *chosen, "--workers", "1", "--out", out, *more]


def test_by_group_writes_what_by_group_finds(here: Path):
    done = run(*command("results.csv", "--workers", "2"))
    assert done.exit_code == 0, done.output
    pd.testing.assert_frame_equal(
        pd.read_csv("results.csv").astype(areas().dtypes), areas(), rtol=1e-14
    )
    assert "which is not private. For illustration only: with the seed" in done.stdout
    assert sorted(path.name for path in here.iterdir()) == [
        "results.csv",
        "results.csv.json",
        "tracts.csv",
    ]


def test_numbers_are_in_the_units_of_the_data(here: Path):
    """x from -10 to 90 and y from 0 to 200: noise in units of y, points in units of x, ratios as before."""
    scaled = pd.DataFrame(
        {"place": TRACTS["group"], "age": 100 * TRACTS["x"] - 10, "rent": 200 * TRACTS["y"]}
    )
    scaled.to_csv("scaled.csv", index=False)
    words = "by-group scaled.csv --group place --x age --y rent --epsilon 3 --out r.csv --x-bounds -10 90"
    more = "--y-bounds 0 200 --at 15 --at 65,90 --workers 1 --algorithm DPExpTheilSen"
    done = run(*words.split(), *more.split())
    assert done.exit_code == 0, done.output
    found, expected = (
        pd.read_csv("r.csv"),
        by_group(TRACTS, [DPExpTheilSen()], 3.0, at=[0.25, 0.75, 1.0]),
    )
    assert found["at"].tolist() == [15.0, 65.0, 90.0] * 32
    factors = dict.fromkeys(("c68", "c95", "standard_error", "bias"), 200) | {
        "nvar": 10_000,
        "ratio": 1,
    }
    for column, factor in factors.items():
        np.testing.assert_allclose(found[column], factor * expected[column], rtol=1e-6, atol=1e-8)


def test_what_is_unusable_is_told(here: Path):
    odd = pd.DataFrame(
        {"tract": ["two"] * 2 + ["flat"] * 3, "parent": [0.1, 0.2, 0.5, 0.5, 0.5], "child": 7}
    )
    pd.concat([pd.read_csv("tracts.csv"), odd]).to_csv("tracts.csv", index=False)
    done = run(*command("results.parquet", "--y-bounds", "0", "1"))
    assert done.exit_code == 0, done.output
    pd.testing.assert_frame_equal(pd.read_parquet("results.parquet"), areas(), check_exact=True)
    rejected = pd.read_csv("results.rejected.csv").set_index("group")["n"]
    assert rejected.to_dict() == {"two": 2, "flat": 3}
    assert "2 areas could not be used" in done.stdout


def test_the_list_of_areas_that_are_left_out_is_overwritten_with_force_alone(here: Path):
    few = ("--algorithm", "NoisyIntercept", "--workers", "1")
    left_out = Path("results.rejected.csv")
    left_out.write_text("my own notes")
    done = run(*command("results.csv", *few))
    assert done.exit_code == 2 and "'results.rejected.csv' exists already" in done.stderr
    assert left_out.read_text() == "my own notes" and not Path("results.csv").exists()
    assert run(*command("results.csv", *few), "--force").exit_code == 0 and not left_out.exists()


def test_the_data_are_not_the_list_of_areas_that_are_left_out(here: Path):
    data = Path("tracts.csv").rename("g.rejected.csv")
    before = data.read_bytes()
    done = run("by-group", str(data), *command("g.csv")[2:], "--force")
    assert done.exit_code == 2 and "the data" in done.stderr and data.read_bytes() == before


def test_an_output_that_is_a_link_is_written_through(here: Path):
    Path("far").mkdir()
    Path("results.csv").symlink_to("far/real.csv")
    for _ in range(2):  # the file that the link leads to is made, then replaced
        done = run(
            *command("results.csv", "--algorithm", "NoisyIntercept", "--workers", "1"), "--force"
        )
        assert done.exit_code == 0, done.output
    assert Path("results.csv").is_symlink() and len(pd.read_csv("far/real.csv"))


def test_hyperparameters_and_matchings(here: Path):
    head = pd.read_csv("tracts.csv").head(30)
    head.to_csv("tracts.csv", index=False)
    words = (
        "compare",
        "tracts.csv",
        "--x",
        "parent",
        "--y",
        "child",
        "--epsilon",
        "2",
        "--trials",
        "10",
    )
    chosen = ("--algorithm", "DPWideTheilSen", "--set", "DPWideTheilSen.theta=0.2", "--also-k", "4")
    printed = told(*words, *chosen)
    both = [DPWideTheilSen(theta=0.2), DPWideTheilSen(theta=0.2, k=4)]
    expected = compare(Dataset(head["parent"], head["child"]), both, 2.0, trials=10).summary
    assert printed["n"] == 30
    assert [row["c68"] for row in printed["summary"]] == pytest.approx(expected["c68"].tolist())
    every = run(*words).stdout
    assert all(algorithm.__name__ in every for algorithm in MECHANISMS)


def stop_after(batches: int, monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """Let by-group be interrupted after so many batches of two areas; what it was told is done, run by run."""
    monkeypatch.setattr("dpslr_core.experiments.areas.BATCH", 2)
    told: list[set[str]] = []
    original = commands.measured_groups

    def interrupted(*words):
        told.append(set(words[-1]))
        for number, frame in enumerate(original(*words)):
            if len(told) == 1 and number == batches:
                raise KeyboardInterrupt
            yield frame

    monkeypatch.setattr(commands, "measured_groups", interrupted)
    return told


def test_an_interrupted_run_goes_on(here: Path, monkeypatch: pytest.MonkeyPatch):
    out = "results.csv"
    whole, result, parts = Path("whole.csv"), Path(out), Path(f"{out}.part")
    assert run(*command(str(whole))).exit_code == 0
    assert run(*command(out, "--seed", "1")).exit_code == 0
    before = result.read_bytes()
    measured = stop_after(5, monkeypatch)
    done = run(*command(out), "--force")
    assert done.exit_code == INTERRUPTED
    assert f"10 of 32 areas are kept in {parts}" in done.stderr
    assert result.read_bytes() == before
    again = run(*command(out), "--force")
    assert again.exit_code == 0, again.output
    assert "Going on: 10 of 32 areas" in again.stderr
    assert [len(areas) for areas in measured] == [0, 10]
    assert result.read_bytes() == whole.read_bytes() and not parts.exists()


OTHER = {
    "epsilon": ["--epsilon", "15"],
    "seed": ["--seed", "1"],
    "point": ["--at", "0.3"],
    "hyperparameter": ["--set", "DPGDPure.steps=20"],
    "data": [],
    "order of rows": [],
}


@pytest.mark.parametrize("name", OTHER)
def test_what_another_command_takes_from_an_interrupted_run(
    here: Path, monkeypatch: pytest.MonkeyPatch, name: str
):
    """Nothing, also where a row is missing; another order of the rows is the same run."""
    measured = stop_after(3, monkeypatch)
    assert run(*command("results.parquet")).exit_code == INTERRUPTED
    data = pd.read_csv("tracts.csv")
    if name == "data":
        data[1:].to_csv("tracts.csv", index=False)
    elif name == "order of rows":
        data.sample(frac=1, random_state=0).to_csv("tracts.csv", index=False)
    assert run(*command("results.parquet", *OTHER[name])).exit_code == 0
    assert [len(areas) for areas in measured] == [0, 6 if name == "order of rows" else 0]
    assert not Path("results.parquet.part").exists()


def kept(out: str) -> int:
    return len(list(Path().glob(f"{out}.part/*.parquet")))


@pytest.mark.slow
def test_a_real_run_interrupted_and_killed_ends_in_the_same_bytes(here: Path):
    """Each of the signals to all of its processes, then to the end, with other numbers of workers."""
    words = command("results.parquet", "--trials", "1500")
    ends = [
        (signal.SIGINT, "2"),
        (signal.SIGTERM, "1"),
        (signal.SIGHUP, "1"),
        (signal.SIGKILL, "1"),
    ]
    for number, (sent, workers) in enumerate(ends, 1):
        before = kept("results.parquet")
        with Path(f"log{number}").open("w") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dpslr_core", *words, "--workers", workers],
                env=os.environ | {"PYTHONPATH": str(ROOT)},
                start_new_session=True,
                # what a shell runs in the background ignores Ctrl-C, and so would its children
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                stdout=log,
                stderr=log,
            )
        while process.poll() is None and kept("results.parquet") < before + 1:
            time.sleep(0.005)
        assert process.poll() is None, "the run was over before it could be interrupted"
        os.killpg(process.pid, sent)
        assert process.wait(60) == (-signal.SIGKILL if sent == signal.SIGKILL else INTERRUPTED)
        assert before + 1 <= kept("results.parquet") < 16
        if sent != signal.SIGKILL:
            said = Path(f"log{number}").read_text()
            assert "Traceback" not in said and "run the same command again" in said
    done = run(*words)
    assert (
        done.exit_code == 0
        and "Going on" in done.stderr
        and not Path("results.parquet.part").exists()
    )
    assert run(*command("whole.parquet", "--trials", "1500")).exit_code == 0
    assert Path("results.parquet").read_bytes() == Path("whole.parquet").read_bytes()


# ---------------------------------------------------------------- reports: the numbers that are printed or written


def test_compare_begins_with_the_headline_of_the_page(here: Path):
    """For each point the headline of Compare, in the units of the file."""
    words = (
        "compare",
        "tracts.csv",
        "--x",
        "parent",
        "--y",
        "child",
        "--epsilon",
        "2",
        "--algorithm",
        "DeepestLine",
    )
    first, second = run(*words).output.splitlines()[:2]
    head = pd.read_csv("tracts.csv")
    ratios = compare(
        Dataset(head["parent"], head["child"]), [DeepestLine()], 2.0, trials=10
    ).summary["ratio"]
    for line, at, ratio in zip((first, second), ("0.25", "0.75"), ratios, strict=True):
        assert line.startswith(f"At parent = {at}: DeepestLine is best here: its error is ")
        assert f"{ratio:.0%} of" in line or f"{ratio:.3g} times" in line
