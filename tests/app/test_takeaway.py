"""What is taken away from a page says no more of the data than the page looked at; its numbers: tests/numbers."""

from __future__ import annotations

import json
import re

import pytest

from dpslr_core.sources.choices import SampleData
from tests.cases.opened import app, fine
from tests.cases.taken import again, save_into, taken
from ui.takeaway import FOLDED

FEW = ["NoisyStats", "NoisyIntercept", "DPGDPure"]
SAMPLE = {"source": "sample", "sample": "tracts", "epsilon": "4", "algorithms": FEW, "trials": "20"}
TRACTS = SampleData(sample="tracts").load()


@pytest.mark.parametrize("public", [True, False])
def test_guidance_from_public_guesses_says_nothing_of_the_data(public: bool):
    """The sample stands for private data here: only what was read off it may name it."""
    choice = {"guesses_public_data": "public knowledge"} if public else {}
    page = taken("guidance", **SAMPLE, group="T07", guess_sd_x="0.2", guess_sd_e="0.1", **choice)
    about = page.table("guidance").attrs
    assert {"digest", "data"} & about.keys() == (set() if public else {"digest", "data"})
    assert ("read off the data" in page.script) != public
    assert ("guess_sd_x=0.2" in about["link"]) == public


@pytest.mark.parametrize("unit_square", ["false", "true"])
def test_a_loss_names_the_move_and_nothing_of_the_record(unit_square: str):
    move = {"record": "3", "record_y": "0.9", "privacy_of": "NoisyStats"}
    page = taken("privacy", **SAMPLE, **move, unit_square=unit_square)
    table, x = page.table("privacy"), float(TRACTS.dataset(TRACTS.groups[0]).x[2])
    link = table.attrs["link"]
    assert "record=3&record_y=0.9" in link and "record_x" not in link
    assert "MovedRecord(data, 2, float(data.x[2]), 0.9)" in page.script
    assert repr(x) not in page.script
    reopened = again("privacy", table).table("privacy")
    assert reopened.equals(table)


def test_a_loss_of_a_record_that_was_not_moved_names_no_place():
    page = taken("privacy", **SAMPLE)
    with pytest.MonkeyPatch.context() as patch:
        save_into(page.files, patch)
        page.test.main.button(key="record_back").click().run()
    assert "record_x" not in page.table("privacy").attrs["link"]
    assert (page.by_script()["table"]["loss"] == 0).all()
    place = r"MovedRecord\(data, (\d+), float\(data.x\[\1\]\), float\(data.y\[\1\]\)\)"
    assert re.search(place, page.script)


def test_tables_of_a_page_without_data_say_nothing(monkeypatch: pytest.MonkeyPatch):
    files = {}
    save_into(files, monkeypatch)
    test = app("compare", **SAMPLE)
    assert json.loads(files["compare.csv.json"]())["digest"]
    files.clear()
    test.switch_page("pages/findings.py").run()
    assert "newer.csv" in files
    settings = json.loads(files["findings.csv.json"]())
    assert settings["command"] == "python -m benchmarks findings" and settings["seed"] == 0
    assert not {"digest", "data", "scenario"} & settings.keys()


def test_files_are_made_only_where_their_folder_is_open(saved_files):
    test = app("compare", **SAMPLE)
    test.session_state[FOLDED] = False
    fine(test.run())
    saved_files.clear()
    fine(test.run())  # the run before kept the files of the first
    assert "ranking.csv" in saved_files and "compare.csv" not in saved_files
