"""The command line: what by_group and compare find, in the units of the data, whatever interrupts it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpslr_core import by_group
from dpslr_core.cli import INTERRUPTED
from dpslr_core.cli import measure as commands
from dpslr_core.mechanisms import (
    DPExpTheilSen,
    DPGDPure,
    MaximumObservedSensitivity,
)
from dpslr_core.sources.tracts import simulate_tracts
from tests.cases.scenario_files import run

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


def command(out: str, *more: str) -> list[str]:
    chosen = [word for name in QUICK for word in ("--algorithm", name)]
    data = ["by-group", "tracts.csv", *COLUMNS, "--epsilon", "16", "--trials", "10"]
    return [*data, *chosen, "--workers", "1", "--out", out, *more]


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
    expected = by_group(TRACTS, MECHANISMS_OF_QUICK, 16.0, trials=10)
    pd.testing.assert_frame_equal(pd.read_parquet("results.parquet"), expected, check_exact=True)
    rejected = pd.read_csv("results.rejected.csv").set_index("group")["n"]
    assert rejected.to_dict() == {"two": 2, "flat": 3}
    assert "2 areas could not be used" in done.stdout


def stop_after(batches: int, monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """Interrupt by-group after `batches` batches of two areas; return the areas already done, a set for each run."""
    monkeypatch.setattr("dpslr_core.experiments.areas.BATCH", 2)
    areas_done: list[set[str]] = []
    original = commands.measured_groups

    def interrupted(*words):
        areas_done.append(set(words[-1]))
        for number, frame in enumerate(original(*words)):
            if len(areas_done) == 1 and number == batches:
                raise KeyboardInterrupt
            yield frame

    monkeypatch.setattr(commands, "measured_groups", interrupted)
    return areas_done


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
