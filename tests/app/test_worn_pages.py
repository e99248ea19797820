"""A page whose stored numbers or sample data are damaged names the file and works without it."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dpslr_core.experiments import coverage
from dpslr_core.guidance import findings, maps
from dpslr_core.lesson import classes
from dpslr_core.paper import results
from dpslr_core.sources import samples
from tests.cases.opened import app, changed, read, turned, words
from tests.cases.worn_files import WORN

KINDS = ("missing", "cut off")  # of the kinds of worn files, which readers of files know all
GUIDANCE = {"findings": "Guidance of the paper"}
SMALL = {"n": "30", "algorithms": ["NoisyStats", "DPExpTheilSen"], "trials": "20"}
# By file: the module that reads it, the command that makes it anew, a page with it, and what still stands there.
FILES: dict[str, tuple[Any, str, str, dict[str, Any], str]] = {
    "findings.json": (findings, "python -m benchmarks findings --save", "findings", {}, "Where the evidence differs"),
    "winner_map.json": (maps, "python -m benchmarks winner_map --save", "findings", GUIDANCE, "In 32 of 40"),
    "paper_claims.json": (results, "dpslr claims", "paper", {}, ""),
    "lesson.json": (classes, "python -m benchmarks lesson_classes --save", "lesson", {"step": "people"}, ""),
    "coverage.json": (
        coverage, "python -m benchmarks coverage --save", "compare", SMALL | {"details": "How sure"}, "is best here: ",
    ),
}  # fmt: skip


def worn(kind: str, name: str, folder: Path) -> Path:
    """A copy of a stored file that has become so."""
    path = folder / name
    shutil.copy(samples.stored_file(name), path)
    WORN[kind](path)
    return path


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FILES)
def test_a_page_without_its_stored_numbers(name: str, kind: str, monkeypatch, tmp_path: Path):
    module, command, page, query, there = FILES[name]
    monkeypatch.setattr(module, "load", partial(module.load, worn(kind, name, tmp_path)))
    classes._stored.cache_clear()
    test = app(page, **query)
    shown = read("\n".join([words(test), *(box.value for box in test.main.warning)]))
    assert f"{name} " in shown and f"make it anew with {command}" in shown and there in shown
    if name == "lesson.json":
        test = app("lesson", step="noise")
    if name == "paper_claims.json":
        test = app("paper", figure="smooth-sensitivity")
    assert test.get("vega_lite_chart") or test.get("plotly_chart")


def test_a_sample_that_is_worn_is_named_and_other_data_can_be_chosen(monkeypatch, tmp_path: Path):
    path = worn("cut off", "tracts.csv", tmp_path)
    monkeypatch.setattr(samples, "stored_file", lambda name: path)
    for page in ("data", "compare", "small_areas"):
        test = app(page, **SMALL, source="sample", sample="tracts")
        shown = read("\n".join(box.value for box in test.main.warning))
        assert "tracts.csv " in shown and "choose other data" in shown
    changed(test, "source", "synthetic")
    turned(test, "data")
    assert test.metric[0].value == "30"
