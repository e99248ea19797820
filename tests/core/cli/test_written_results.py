"""--out by its ending, bounds of data outside [0, 1], data sets with a name, and how to cite."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from dpslr_core.mechanisms import NoisyIntercept, NoisyStats
from dpslr_core.report.metadata import PAPER
from dpslr_core.scenario import Scenario
from dpslr_core.sources.choices import Synthetic
from dpslr_core.sources.samples import load_sample
from tests.cases.scenario_files import SYNTHETIC, TRACTS, run, saved, told

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


def test_a_comparison_is_a_table_a_report_or_a_picture_by_its_ending():
    expected = told("compare", *MODEL)
    for ending in ("csv", "parquet", "json", "html", "svg", "png"):
        printed = done("compare", *MODEL, "--out", f"out.{ending}")
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


def test_a_sweep_is_a_table_a_picture_or_a_page():
    words = ("sweep", *MODEL, "--vary", "x_new", "--count", "2", "--datasets", "2", *ONE)
    for ending in ("csv", "html", "svg"):
        done(*words, "--out", f"out.{ending}")
    assert pd.read_csv("out.csv")["value"].unique().tolist() == [0.0, 1.0]
    assert "NoisyIntercept</text>" in written("out.svg")
    page = written("out.html")
    assert "vegaEmbed" in page and "the smallest private error" in page
    assert not re.findall(r"<(?:script|link)[^>]*(?:src|href)=", page)
    assert "the smallest private error" in done(*words)


def test_a_sweep_of_a_model_needs_no_file():
    words = ("--vary", "epsilon", "--values", "1,2", "--datasets", "2", "--algorithm", "NoisyIntercept", *ONE)
    swept = told("sweep", "--n", "30", *words)
    assert {row["mechanism"] for row in swept["rows"]} == {"OLS", "TheilSen", "NoisyIntercept"}
    assert '"n":30' in swept["about"]["scenario"] and "digest" not in swept["about"]


def test_a_recommendation_is_a_table_or_a_picture():
    for ending in ("parquet", "svg"):
        assert "not private" not in done("recommend", *MODEL, "--out", f"out.{ending}")
    assert set(pd.read_parquet("out.parquet")["mechanism"]) >= {"NoisyStats", "NoisyIntercept"}
    assert "Expected error" in written("out.svg")


@pytest.mark.parametrize("areas", [(), ("--areas", *ONE)])
def test_a_report_of_a_scenario(areas: tuple[str, ...]):
    done("report", "--scenario", "areas.json", *areas, "--out", "report.html")
    named = [words in written("report.html") for words in ("in 40 areas", "/small_areas?", "/compare?")]
    assert named == [bool(areas), bool(areas), not areas]


def test_the_scenario_is_a_file_beside_a_report():
    for name in ("memo.html", "note.docx"):
        done("report", *MODEL, "--out", name)
        beside = Path(name).with_suffix(".scenario.json")
        assert Scenario.model_validate_json(beside.read_text()) == Scenario.model_validate_json(written("model.json"))
    done("report", "--scenario", str(beside), "--out", "again.html")


def test_a_target_out_of_reach_is_an_exit_code():
    words = ("required", *MODEL, "--for", "n", "--algorithm", "NoisyIntercept")
    assert told(*words, code=1)["rows"][0]["n"] is None


def test_bounds_put_data_into_the_units_of_the_file():
    done("datasets", "sample/linear", "--out", "homes.csv")
    data = ("homes.csv", "--x", "floor area", "--y", "electricity per year", "--epsilon", "2", "--algorithm", "OLS")
    bounds = ("--x-bounds", "20", "220", "--y-bounds", "-10000", "10000")
    rows = told("compare", *data, *bounds)["summary"]
    expected = load_sample("linear").dataset().predict((0.25, 0.75)) * 10_000
    assert [row["center"] for row in rows] == pytest.approx(expected.tolist())
    swept = told("sweep", *data, *bounds, "--vary", "x_new", "--values", "70; 170", *ONE)["rows"]
    assert {row["value"] for row in swept} == {70.0, 170.0}


def test_by_group_and_required_on_columns_of_a_file():
    done("datasets", "sample/tracts", "--out", "tracts.csv", "--unit-square")
    words = ("tracts.csv", "--x", "x", "--y", "y", "--epsilon", "16", "--algorithm", "NoisyIntercept", *ONE)
    shares = told("by-group", *words, "--group", "group", "--out", "areas.csv")
    assert shares["areas"] == 40 and [row["mechanism"] for row in shares["shares"]] == ["NoisyIntercept"] * 2
    sloped = told("required", *words, "--group", "group", code=1)  # nothing passes: it releases no slope
    flat = told("required", *words, "--group", "group", "--flat-lines")
    assert len(sloped["areas"]) == len(flat["areas"]) == 40
    assert told("required", *words, code=1)["rows"][0]["epsilon"] is None


def test_how_to_cite():
    assert PAPER["doi"] in done("cite")
    entries = done("cite", "--bibtex")
    assert entries.count("@") == 2 and f"doi = {{{PAPER['doi']}}}" in entries


# Data sets with a name, simulated data.


def test_all_data_sets_with_a_name_are_listed():
    rows = json.loads(done("datasets", "--json"))
    names = [row["name"] for row in rows]
    assert names[:3] == ["sample/linear", "sample/tracts", "sample/bikes"] and "uci/stocks" in names
    assert rows[0]["x"] == "floor area (m²) 20 to 220"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_written_data_set_compares_as_the_sample_does(ending: str):
    path, grouped = f"tracts.{ending}", load_sample("tracts")
    assert "40 groups" in done("datasets", "sample/tracts", "--out", path, "--unit-square")
    words = ("compare", path, "--x", "x", "--y", "y", "--epsilon", "2", "--algorithm", "OLS")
    assert told(*words)["n"] == len(grouped.frame)
    frame = pd.read_csv(path) if ending == "csv" else pd.read_parquet(path)
    np.testing.assert_array_equal(frame[["x", "y"]], grouped.frame[["x", "y"]])
    settings = json.loads(written(f"{path}.json")) if ending == "csv" else frame.attrs
    assert settings["digest"] == grouped.digest


def test_units_are_those_of_the_data_and_bounds_are_told():
    printed = done("datasets", "sample/linear", "--out", "homes.csv")
    assert "Bounds: floor area (m²) 20 to 220; electricity per year (kWh) 0 to 10,000." in printed
    frame = pd.read_csv("homes.csv")
    assert list(frame.columns) == ["floor area", "electricity per year"]
    assert frame["floor area"].between(20, 220).all()


def test_simulated_linear_data_are_those_of_the_app():
    words = ("--n", "30", "--var-e", "0.02", "--error-shape", "skewed", "--seed", "4")
    done("simulate", "linear", "--out", "x.csv", *words)
    expected = Synthetic(n=30, var_e=0.02, error_shape="skewed", data_seed=4).load().frame
    read = pd.read_csv("x.csv", dtype=str).astype(float)  # pandas 2 reads 16 digits of 17
    np.testing.assert_array_equal(read, expected[["x", "y"]])
