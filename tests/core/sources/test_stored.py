"""Files that come with the project: whatever has become of one, a sentence that names it and the cure."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from dpslr_core.experiments import coverage, same_people
from dpslr_core.guidance import findings, maps
from dpslr_core.paper import results
from dpslr_core.sources import samples
from dpslr_core.sources.stored import Damaged, Unwritable, read_stored, write_stored, write_whole
from tests.cases.worn_files import WORN, WORN_JSON

STORED = {
    "coverage.json": (coverage.load, "python -m benchmarks coverage --save"),
    "findings.json": (findings.load, "python -m benchmarks findings --save"),
    "winner_map.json": (maps.load, "python -m benchmarks winner_map --save"),
    "paper_claims.json": (results.load, "dpslr claims"),
    "start.json": (same_people.load, "python -m benchmarks start --save"),
}


@pytest.mark.parametrize("name", STORED)
def test_a_worn_file_is_named_with_the_command_that_makes_it(name: str, tmp_path: Path):
    load, command = STORED[name]
    load(samples.stored_file(name))
    for kind, wear in (WORN | WORN_JSON).items():
        path = tmp_path / kind / name
        path.parent.mkdir()
        shutil.copy(samples.stored_file(name), path)
        wear(path)
        if kind == "one digit" and path.read_bytes() == samples.stored_file(name).read_bytes():
            continue
        with pytest.raises(Damaged) as caught:
            load(path)
        sentence = str(caught.value)
        assert sentence.startswith(f"{name} ") and sentence.endswith(
            f"; make it anew with {command}"
        ), kind
        assert "\n" not in sentence and "Error" not in sentence and "'" not in sentence, (
            kind,
            sentence,
        )


@pytest.mark.parametrize("name", STORED)
def test_another_stored_file_in_its_place_is_damaged(name: str):
    other = next(other for other in STORED if other != name)
    with pytest.raises(Damaged, match=other):
        STORED[name][0](samples.stored_file(other))


@pytest.mark.parametrize(
    "content", [None, b"", b"a,b\n1,2\n", b"floor_area_m2,electricity_kwh\na,b\n"]
)
def test_a_worn_sample_is_named(content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "linear.csv"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setattr(samples, "stored_file", lambda name: path)
    with pytest.raises(Damaged, match=r"^linear.csv .*; install the project anew, or choose other"):
        samples.load_sample("linear")


def test_what_is_written_is_read_again_however_it_is_laid_out(tmp_path: Path):
    content, path = {"b": [1, 2.5, None, "é"], "a": {"x": 1e-300}}, tmp_path / "a.json"
    write_stored(content, path)
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")), indent=7))
    assert read_stored(path, lambda stored: stored, "thing", "make it") == content


def test_a_file_that_cannot_be_written_leaves_what_was_there(tmp_path: Path):
    path = tmp_path / "a.txt"
    write_whole(b"first", path)
    with pytest.raises(
        Unwritable, match=r"nowhere/a\.txt cannot be written: its folder is gone; make it again"
    ):
        write_whole(b"second", tmp_path / "nowhere" / "a.txt")
    with pytest.raises(Unwritable, match="its folder is a file; choose another place"):
        write_whole(b"second", path / "b.txt")
    (tmp_path / "folder").mkdir()
    with pytest.raises(Unwritable, match="cannot be written: Is a directory; choose another place"):
        write_whole(b"second", tmp_path / "folder")
    assert path.read_bytes() == b"first" and sorted(p.name for p in tmp_path.iterdir()) == [
        "a.txt",
        "folder",
    ]
