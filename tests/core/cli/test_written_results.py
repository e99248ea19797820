"""--out by its ending, --json, and the bounds that data outside [0, 1] need."""

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
from dpslr_core.sources.samples import SAMPLES, load_sample
from tests.cases.scenario_files import SYNTHETIC, TRACTS, run, saved, told

HOMES = ["--x", "floor area", "--y", "electricity per year", "--epsilon", "2", "--algorithm", "OLS"]
TWO = {"mechanisms": (NoisyStats(), NoisyIntercept())}


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    return saved(SYNTHETIC.model_copy(update=TWO), tmp_path / "s.json")


def test_a_comparison_is_a_table_a_report_or_a_picture_by_its_ending(tmp_path: Path, scenario: str):
    out = {ending: tmp_path / f"out.{ending}" for ending in ("csv", "parquet", "json", "html", "svg", "png")}
    for path in out.values():
        done = run("compare", "--scenario", scenario, "--out", str(path))
        assert done.exit_code == 0 and f"Written to {path}." in done.stdout and "from simulated data" in done.stdout
    expected = told("compare", "--scenario", scenario)
    written = json.loads(out["json"].read_text())
    assert written.pop("written by").startswith("dpslr compare, digest ") and written == expected
    c68 = [row["c68"] for row in expected["summary"]]
    assert pd.read_parquet(out["parquet"])["c68"].tolist() == c68
    assert list(map(float, pd.read_csv(out["csv"], dtype=str)["c68"])) == c68
    assert " is best here: its error is " in out["html"].read_text(encoding="utf-8")
    title = ElementTree.parse(out["svg"]).getroot().find("{http://www.w3.org/2000/svg}title")
    assert title is not None and "NoisyStats" in str(title.text)
    assert out["png"].read_bytes().startswith(b"\x89PNG")


def test_a_sweep_is_a_table_or_a_page(tmp_path: Path, scenario: str):
    words = ["sweep", "--scenario", scenario, "--vary", "x_new", "--count", "2", "--datasets", "2", "--workers", "1"]
    for ending in ("csv", "html", "svg", "png"):
        done = run(*words, "--out", str(tmp_path / f"out.{ending}"))
        assert done.exit_code == 0, done.output
    assert pd.read_csv(tmp_path / "out.csv")["value"].unique().tolist() == [0.0, 1.0]
    assert "NoisyIntercept</text>" in (tmp_path / "out.svg").read_text(encoding="utf-8")
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "vegaEmbed" in page and "the smallest private error" in page
    assert not re.findall(r"<(?:script|link)[^>]*(?:src|href)=", page)
    assert "the smallest private error" in run(*words).stdout


def test_a_sweep_of_a_model_needs_no_file():
    rows = told("sweep", "--n", "30", "--vary", "epsilon", "--values", "1,2", "--datasets", "2", "--algorithm",
                "NoisyIntercept", "--workers", "1")  # fmt: skip
    assert {row["mechanism"] for row in rows["rows"]} == {"OLS", "TheilSen", "NoisyIntercept"}
    assert '"n":30' in rows["about"]["scenario"] and "digest" not in rows["about"]


@pytest.mark.parametrize("areas", [(), ("--areas", "--workers", "1")])
def test_a_report_of_a_scenario(tmp_path: Path, areas: tuple[str, ...]):
    path = saved(TRACTS.model_copy(update=TWO), tmp_path / "s.json")
    out = tmp_path / "report.html"
    done = run("report", "--scenario", path, *areas, "--out", str(out))
    assert done.exit_code == 0, done.output
    page = out.read_text(encoding="utf-8")
    named = "in 40 areas" in page, "/small_areas?" in page, "/compare?" in page
    assert named == (bool(areas), bool(areas), not areas)


def test_the_scenario_is_a_file_beside_a_report_and_replaces_no_file_of_someone_else(tmp_path: Path, scenario: str):
    beside = tmp_path / "memo.scenario.json"
    beside.write_text("mine")
    for name in ("memo.html", "memo.docx"):
        done = run("report", "--scenario", scenario, "--out", str(tmp_path / name))
        assert done.exit_code == 2 and "memo.scenario.json', where the scenario goes" in done.stderr
    assert beside.read_text() == "mine"
    beside.unlink()
    for name in ("memo.html", "memo.docx", "memo.html"):
        assert run("report", "--scenario", scenario, "--out", str(tmp_path / name)).exit_code == 0
        assert Scenario.model_validate_json(beside.read_text()) == Scenario.model_validate_json(
            Path(scenario).read_text()
        )
    again = run("report", "--scenario", str(beside), "--out", str(tmp_path / "again.html"))
    assert again.exit_code == 0


def test_a_target_out_of_reach_is_an_exit_code(scenario: str):
    words = ("required", "--scenario", scenario, "--for", "n", "--algorithm", "NoisyIntercept")
    assert told(*words, code=1)["rows"][0]["n"] is None


@pytest.fixture
def homes(tmp_path: Path) -> str:
    path = tmp_path / "homes.csv"
    assert run("datasets", "sample/linear", "--out", str(path)).exit_code == 0
    return str(path)


def test_bounds_must_be_given_for_data_outside_the_unit_interval(homes: str):
    words = ["compare", homes, *HOMES]
    done = run(*words)
    assert done.exit_code == 2
    assert "--x-bounds LO HI must be given, the public bounds of 'floor area': 250 of its values lie" in done.stderr
    done = run(*words, "--x-bounds", "20", "220")
    assert done.exit_code == 2 and "--y-bounds LO HI must be given" in done.stderr
    rows = told(*words, "--x-bounds", "20", "220", "--y-bounds", "-10000", "10000")["summary"]
    data = load_sample("linear").dataset()
    expected = data.predict((0.25, 0.75)) * 10_000
    assert [row["center"] for row in rows] == pytest.approx(expected.tolist())
    bounds = ("--x-bounds", "20", "220", "--y-bounds", "0", "10000")
    swept = told("sweep", *words[1:], *bounds, "--vary", "x_new", "--values", "70; 170", "--workers", "1")["rows"]
    assert {row["value"] for row in swept} == {70.0, 170.0}
    done = run(*words, "--x-transform", "log10", "--y-bounds", "0", "10000")
    assert "--x-bounds LO HI must be given with --x-transform" in done.stderr


def test_a_public_table_is_a_transform(homes: str, tmp_path: Path):
    (tmp_path / "table.csv").write_text("area,percentile\n20,0\n120,80\n220,100\n")
    words = ["compare", homes, *HOMES, "--x-bounds", "20", "220", "--y-bounds", "0", "10000"]
    about = told(*words, "--x-transform", str(tmp_path / "table.csv"))["about"]
    assert about["bounds of x"] == "percentile of floor area 0 to 100"
    assert "must be log10 or a file with a public table, got 'ranks'" in run(*words, "--x-transform", "ranks").stderr


def test_how_to_cite():
    assert PAPER["doi"] in run("cite").stdout
    entries = run("cite", "--bibtex").stdout
    assert entries.count("@") == 2 and f"doi = {{{PAPER['doi']}}}" in entries


def test_a_recommendation_is_a_table_or_a_picture(tmp_path: Path, scenario: str):
    for ending in ("parquet", "svg"):
        done = run("recommend", "--scenario", scenario, "--out", str(tmp_path / f"out.{ending}"))
        assert done.exit_code == 0 and "not private" not in done.stdout, done.output
    assert set(pd.read_parquet(tmp_path / "out.parquet")["mechanism"]) >= {"NoisyStats", "NoisyIntercept"}
    assert "Expected error" in (tmp_path / "out.svg").read_text(encoding="utf-8")


def test_by_group_and_required_on_columns_of_a_file(tmp_path: Path):
    data = tmp_path / "tracts.csv"
    assert run("datasets", "sample/tracts", "--out", str(data), "--unit-square").exit_code == 0
    words = (str(data), "--x", "x", "--y", "y", "--epsilon", "16", "--algorithm", "NoisyIntercept", "--workers", "1")
    shares = told("by-group", *words, "--group", "group", "--out", str(tmp_path / "areas.csv"))
    assert shares["areas"] == 40 and [row["mechanism"] for row in shares["shares"]] == ["NoisyIntercept"] * 2
    assert "--group must be given with FILE" in run("by-group", *words, "--out", str(tmp_path / "a.csv")).stderr
    flat = told("required", *words, "--group", "group", code=1)  # nothing passes: it releases no slope
    assert len(flat["areas"]) == 40 and len(told("required", *words, "--group", "group", "--flat-lines")["areas"]) == 40
    assert told("required", *words, code=1)["rows"][0]["epsilon"] is None
    refused = run("required", *words, "--for", "n")
    assert refused.exit_code == 2 and "--for must be epsilon on data" in refused.stderr


# ---------------------------------------------------------------- data sets with a name, simulated data


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
    frame = pd.read_csv(path) if ending == "csv" else pd.read_parquet(path)
    np.testing.assert_array_equal(frame[["x", "y"]], grouped.frame[["x", "y"]])
    said = json.loads(Path(f"{path}.json").read_text()) if ending == "csv" else frame.attrs
    assert said["digest"] == grouped.digest


def test_units_are_those_of_the_data_and_bounds_are_told(tmp_path: Path):
    done = run("datasets", "sample/linear", "--out", str(tmp_path / "homes.csv"))
    assert "Bounds: floor area (m²) 20 to 220; electricity per year (kWh) 0 to 10,000." in done.stdout
    frame = pd.read_csv(tmp_path / "homes.csv")
    assert list(frame.columns) == ["floor area", "electricity per year"] and frame["floor area"].between(20, 220).all()


def test_simulated_linear_data_are_those_of_the_app(tmp_path: Path):
    words = ["--n", "30", "--var-e", "0.02", "--error-shape", "skewed", "--seed", "4"]
    assert run("simulate", "linear", "--out", str(tmp_path / "x.csv"), *words).exit_code == 0
    expected = Synthetic(n=30, var_e=0.02, error_shape="skewed", data_seed=4).load().frame
    written = pd.read_csv(tmp_path / "x.csv", dtype=str).astype(float)  # pandas 2 reads 16 digits of 17
    np.testing.assert_array_equal(written, expected[["x", "y"]])
