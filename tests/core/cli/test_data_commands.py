"""dpslr datasets and dpslr simulate: what they write is what the app loads."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scenario_files import run, told

from dpslr_core.sources.choices import Synthetic
from dpslr_core.sources.samples import SAMPLES, load_sample


def test_all_data_sets_with_a_name_are_listed():
    rows = json.loads(run("datasets", "--json").stdout)
    names = [row["name"] for row in rows]
    assert names[:3] == ["sample/linear", "sample/tracts", "sample/bikes"] and "uci/stocks" in names
    assert rows[0]["x"] == "floor area (m²) 20 to 220"
    assert SAMPLES[0].about in run("datasets", "sample/linear").stdout


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_written_data_set_compares_as_the_sample_does(tmp_path: Path, ending: str):
    path, grouped = tmp_path / f"tracts.{ending}", load_sample("tracts")
    done = run("datasets", "sample/tracts", "--out", str(path), "--unit-square")
    assert done.exit_code == 0 and "40 groups" in done.stdout
    words = ["compare", str(path), "--x", "x", "--y", "y", "--epsilon", "2", "--algorithm", "OLS"]
    assert told(*words)["n"] == len(grouped.frame)
    frame = pd.read_csv(path, comment="#") if ending == "csv" else pd.read_parquet(path)
    np.testing.assert_array_equal(frame[["x", "y"]], grouped.frame[["x", "y"]])
    assert f"# digest: {grouped.digest}\n" in path.read_text() if ending == "csv" else frame.attrs["digest"]


def test_units_are_those_of_the_data_and_bounds_are_told(tmp_path: Path):
    done = run("datasets", "sample/linear", "--out", str(tmp_path / "homes.csv"))
    assert "Bounds: floor area (m²) 20 to 220; electricity per year (kWh) 0 to 10,000." in done.stdout
    frame = pd.read_csv(tmp_path / "homes.csv", comment="#")
    assert list(frame.columns) == ["floor area", "electricity per year"] and frame["floor area"].between(20, 220).all()


def test_simulated_linear_data_are_those_of_the_app(tmp_path: Path):
    words = ["--n", "30", "--var-e", "0.02", "--error-shape", "skewed", "--seed", "4"]
    assert run("simulate", "linear", "--out", str(tmp_path / "x.csv"), *words).exit_code == 0
    expected = Synthetic(n=30, var_e=0.02, error_shape="skewed", data_seed=4).load().frame
    written = pd.read_csv(tmp_path / "x.csv", comment="#", dtype=str).astype(float)  # pandas 2 reads 16 digits of 17
    np.testing.assert_array_equal(written, expected[["x", "y"]])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["datasets", "--out", "x.csv"], "NAME must be given with --out, one of sample/linear, "),
        (["datasets", "sample/linear", "--out", "x.txt"], "--out must end in .csv or .parquet, got 'x.txt'"),
        (["simulate", "linear", "--out", "x.csv", "--n", "2"], "n: Input should be greater than or equal to 3, got 2"),
        (["simulate", "linear", "--out", "x.csv", "--seed", "-1"], "data_seed: "),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(words: list[str], sentence: str):
    done = run(*words)
    assert done.exit_code == 2 and sentence in done.stderr
