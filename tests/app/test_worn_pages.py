"""A page whose stored numbers or sample data are damaged names the file and works without it."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from opened import app, fine, read, words
from streamlit.testing.v1 import AppTest
from worn_files import WORN

from dpslr_core.experiments import coverage
from dpslr_core.guidance import findings, maps
from dpslr_core.lesson import classes
from dpslr_core.paper import results
from dpslr_core.sources import samples

KINDS = ("missing", "cut off", "nested too deep", "a list")
SMALL = {"n": "30", "algorithms": ["NoisyStats", "DPExpTheilSen"], "trials": "20"}


def worn(kind: str, name: str, folder: Path) -> Path:
    """A copy of a stored file that has become so."""
    path = folder / name
    shutil.copy(samples.stored_file(name), path)
    WORN[kind](path)
    return path


def warned(test: AppTest) -> str:
    return read("\n".join(box.value for box in test.main.warning))


@pytest.fixture
def wear(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest) -> Any:
    def replaced(module: Any, name: str, kind: str) -> None:
        monkeypatch.setattr(module, "load", partial(module.load, worn(kind, name, tmp_path)))

    return replaced


@pytest.mark.parametrize("kind", KINDS)
def test_findings_without_the_findings(kind: str, wear):
    wear(findings, "findings.json", kind)
    test = app("findings")
    assert "findings.json " in warned(test) and "make it anew with dpslr findings" in warned(test)
    assert len(test.get("plotly_chart")) == 1 and "Where the evidence differs" in words(test)


@pytest.mark.parametrize("kind", KINDS)
def test_findings_without_the_winner_map(kind: str, wear):
    wear(maps, "winner_map.json", kind)
    test = app("findings")
    assert "winner_map.json " in warned(test) and "make it anew with dpslr winner-map" in warned(test)
    assert test.header and "Other shapes of data" in words(test) and len(test.dataframe) == 5


@pytest.mark.parametrize("kind", KINDS)
def test_the_paper_without_its_claims(kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    path = worn(kind, "paper_claims.json", tmp_path)
    monkeypatch.setattr(results, "load", partial(results.load, path))
    test = app("paper", figure="smooth-sensitivity")
    assert "paper_claims.json " in warned(test) and "make it anew with dpslr claims" in warned(test)
    assert test.get("vega_lite_chart") and test.header


@pytest.mark.parametrize("kind", KINDS)
def test_the_lesson_without_its_classes(kind: str, wear):
    wear(classes, "lesson.json", kind)
    classes._stored.cache_clear()
    test = app("lesson", step="5")
    assert "lesson.json " in warned(test) and "make it anew with dpslr lesson-classes" in warned(test)
    assert app("lesson", step="3").get("vega_lite_chart")


@pytest.mark.parametrize("kind", KINDS)
def test_how_sure_without_the_coverage(kind: str, wear):
    wear(coverage, "coverage.json", kind)
    test = app("compare", **SMALL, details="How sure")
    said = words(test)
    assert "coverage.json " in said and "make it anew with python -m benchmarks coverage" in said
    assert test.get("plotly_chart")


@pytest.mark.parametrize("kind", KINDS)
def test_a_sample_that_is_worn_is_said_and_other_data_can_be_chosen(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    path = worn(kind, "tracts.csv", tmp_path)
    monkeypatch.setattr(samples, "stored_file", lambda name: path)
    for page in ("data", "compare", "small_areas"):
        test = app(page, **SMALL, source="sample", sample="tracts")
        assert "tracts.csv " in warned(test) and "choose other data" in warned(test)
    fine(test.sidebar.radio(key="source").set_value("synthetic").run())
    fine(test.switch_page("pages/data.py").run())
    assert test.metric[0].value == "250"
