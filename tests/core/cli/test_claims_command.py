"""dpslr claims: what it writes, and what it refuses."""

import json

import pandas as pd
import pytest
from click.testing import CliRunner

from dpslr_core.cli import main
from dpslr_core.paper import claims, results

FEW = (("matchings-even", "matchings-odd"), ("noisy-stats-deviation",))


def run(*arguments):
    return CliRunner().invoke(main, ["claims", "--workers", "1", *arguments])


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Three quick claims of two sections in the place of all."""
    by_key = {claim.key: claim for claim in claims.CLAIMS}
    sections = tuple(tuple(by_key[key] for key in keys) for keys in FEW)
    monkeypatch.setattr(results, "SECTIONS", sections)
    monkeypatch.setattr("dpslr_core.cli.reproduce.SECTIONS", sections)


def test_a_csv_holds_the_whole_table(tmp_path):
    result = run("--out", str(tmp_path / "claims.csv"))
    assert result.exit_code == 0, result.output
    written = pd.read_csv(tmp_path / "claims.csv", comment="#")
    assert "# seed: 0\n" in (tmp_path / "claims.csv").read_text()
    assert list(written) == list(results.COLUMNS)
    assert written["kind"].tolist() == ["holds", "error in print", "error in print"]
    assert written["ours"].tolist()[0] == "1,225"
    assert "1 of 3 claims of the paper hold here. Error in print: 2." in result.output
    assert "Error in print:\n- Appendix" in result.output and "Here: 51. A matching of 51" in result.output


def test_a_json_holds_our_numbers_by_key(tmp_path):
    assert run("--out", str(tmp_path / "claims.json")).exit_code == 0
    stored = json.loads((tmp_path / "claims.json").read_text(encoding="utf-8"))
    assert stored["claims"]["matchings-odd"]["ours"] == [51.0]
    assert [path.name for path in tmp_path.iterdir()] == ["claims.json"]


def test_another_ending_is_refused_before_the_work(tmp_path):
    result = run("--out", str(tmp_path / "claims.txt"))
    assert result.exit_code == 2 and "--out must end in .json, .csv or .parquet" in result.output
