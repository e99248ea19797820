"""dpslr figure and claims: the list, files by their endings, interruption, refusals."""

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from dpslr_core.cli import reproduce as command
from dpslr_core.paper import claims, results
from dpslr_core.paper.figures import figure_named
from dpslr_core.sources.samples import DataUnavailable
from tests.cases.scenario_files import run as dpslr


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*arguments):
    return dpslr("figure", *arguments, "--workers", "1")


def test_the_csv_holds_the_numbers_and_a_folder_every_ending():
    assert run("smooth-sensitivity", "descent", "--out", "figures").exit_code == 0
    assert {path.name for path in Path("figures").iterdir() if path.stat().st_size > 100} == {
        f"{name}{ending}"
        for name in ("smooth-sensitivity", "descent")
        for ending in (*command.ENDINGS, ".csv.json")
    }
    figure = figure_named("smooth-sensitivity")
    written = pd.read_csv("figures/smooth-sensitivity.csv")
    pd.testing.assert_frame_equal(written, figure.compute(figure.settings()), check_dtype=False)


def test_figures_without_their_data_are_told_and_the_others_are_made(monkeypatch):
    def missing(settings):
        raise DataUnavailable("The data are not here.")

    absent = replace(figure_named("stock-records"), tasks=missing)
    monkeypatch.setattr(
        command, "figure_named", lambda name: absent if name == absent.name else figure_named(name)
    )
    done = run("stock-records", "descent", "--out", "figures")
    assert done.exit_code == command.UNAVAILABLE
    assert "The data are not here." in done.stderr and Path("figures/descent.svg").exists()


# ---------------------------------------------------------------- claims

FEW = (("matchings-even", "matchings-odd"), ("noisy-stats-deviation",))


def test_a_csv_holds_the_whole_table_and_a_json_our_numbers_by_key(monkeypatch):
    """Three quick claims of two sections stand in the place of all claims."""
    by_key = {claim.key: claim for claim in claims.CLAIMS}
    sections = tuple(tuple(by_key[key] for key in keys) for keys in FEW)
    monkeypatch.setattr(results, "SECTIONS", sections)
    monkeypatch.setattr(command, "SECTIONS", sections)
    result = dpslr("claims", "--workers", "1", "--out", "claims.csv")
    assert result.exit_code == 0, result.output
    written = pd.read_csv("claims.csv")
    assert json.loads(Path("claims.csv.json").read_text())["seed"] == 0
    assert written["kind"].tolist() == ["holds", "error in print", "error in print"]
    assert "1 of 3 claims of the paper hold here. Error in print: 2." in result.output
    assert dpslr("claims", "--workers", "1", "--out", "claims.json").exit_code == 0
    stored = json.loads(Path("claims.json").read_text(encoding="utf-8"))
    assert stored["claims"]["matchings-odd"]["ours"] == [51.0]
