"""--out by its ending, bounds of data outside [0, 1], data sets with a name, and how to cite."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from dpslr_core.mechanisms import NoisyIntercept, NoisyStats
from dpslr_core.sources.samples import load_sample
from tests.cases.scenario_files import SYNTHETIC, TRACTS, printed_json, run, saved

TWO = {"mechanisms": (NoisyStats(), NoisyIntercept())}
MODEL = ("--scenario", "model.json")
ONE = ("--workers", "1")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with two scenarios, in which commands run."""
    saved(SYNTHETIC.model_copy(update=TWO), tmp_path / "model.json")
    saved(TRACTS.model_copy(update=TWO), tmp_path / "areas.json")
    monkeypatch.chdir(tmp_path)


def done(*words: str) -> str:
    """What a command prints that ends well."""
    result = run(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


def written(name: str) -> str:
    return Path(name).read_text(encoding="utf-8")


def test_a_comparison_is_a_table_and_a_report_has_its_words_and_its_picture():
    expected = printed_json("compare", *MODEL)
    for ending in ("csv", "parquet", "json", "html", "svg", "png"):
        command = "report" if ending in ("html", "svg", "png") else "compare"
        printed = done(command, *MODEL, "--out", f"out.{ending}")
        assert f"Written to out.{ending}." in printed and "from simulated data" in printed
    as_json = json.loads(written("out.json"))
    assert as_json == expected
    c68 = [row["c68"] for row in expected["summary"]]
    assert pd.read_parquet("out.parquet")["c68"].tolist() == c68
    assert [float(cell) for cell in pd.read_csv("out.csv", dtype=str)["c68"]] == c68
    assert " is best here: its error is " in written("out.html")
    title = ElementTree.parse("out.svg").getroot().find("{http://www.w3.org/2000/svg}title")
    assert title is not None and "NoisyStats" in str(title.text)
    assert Path("out.png").read_bytes().startswith(b"\x89PNG")


def test_a_target_out_of_reach_is_an_exit_code():
    words = ("required", *MODEL, "--for", "n", "--algorithm", "NoisyIntercept")
    assert printed_json(*words, code=1)["rows"][0]["n"] is None


# Data sets with a name, simulated data.


def test_a_written_data_set_is_the_sample():
    grouped = load_sample("tracts")
    assert "40 groups" in done(
        "datasets", "sample/tracts", "--out", "tracts.parquet", "--unit-square"
    )
    frame = pd.read_parquet("tracts.parquet")
    np.testing.assert_array_equal(frame[["x", "y"]], grouped.frame[["x", "y"]])
    assert frame.attrs["digest"] == grouped.digest
