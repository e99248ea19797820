"""A full disk, a folder that may not be written to, kept parts that are damaged: one sentence, and nothing is lost."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from io import BufferedWriter, FileIO
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scenario_files import SYNTHETIC, TRACTS, run, saved

from dpslr_core.cli import claims_command
from dpslr_core.cli.commands import by_group, stored
from dpslr_core.guidance import findings
from dpslr_core.mechanisms import NoisyIntercept, NoisyStats
from dpslr_core.paper.claims import load
from dpslr_core.sources.choices import SampleData
from dpslr_core.sources.tracts import simulate_tracts

ROOT = Path(__file__).parents[3]
TWO = {"mechanisms": (NoisyStats(), NoisyIntercept())}
ONE = ("--workers", "1")
AREAS = ("by-group", "tracts.csv", "--group", "tract", "--x", "parent", "--y", "child", "--epsilon", "16",
         "--algorithm", "NoisyIntercept", "--algorithm", "DPGDPure", "--trials", "10")  # fmt: skip
MODEL = ("--scenario", "model.json")
WRITING = {
    "compare table": ("compare", *MODEL, "--out", "out.csv"),
    "compare parquet": ("compare", *MODEL, "--out", "out.parquet"),
    "compare json": ("compare", *MODEL, "--out", "out.json"),
    "compare picture": ("compare", *MODEL, "--out", "out.svg"),
    "compare report": ("compare", *MODEL, "--report", "out.html"),
    "sweep": ("sweep", *MODEL, "--vary", "x_new", "--count", "2", "--datasets", "2", *ONE, "--out", "out.csv"),
    "sweep page": ("sweep", *MODEL, "--vary", "x_new", "--count", "2", "--datasets", "2", *ONE, "--out", "out.html"),
    "by-group": (*AREAS, *ONE, "--out", "out.parquet"),
    "by-group table": (*AREAS, *ONE, "--out", "out.csv"),
    "recommend": ("recommend", *MODEL, "--out", "out.csv"),
    "required": ("required", *MODEL, "--out", "out.csv"),
    "report": ("report", *MODEL, "--out", "out.docx"),
    "datasets": ("datasets", "sample/linear", "--out", "out.csv"),
    "simulate tracts": ("simulate", "tracts", "--tracts", "3", "--out", "out.parquet"),
    "simulate linear": ("simulate", "linear", "--n", "30", "--out", "out.csv"),
    "figure": ("figure", "smooth-sensitivity", *ONE, "--out", "out.csv"),
    "figure page": ("figure", "smooth-sensitivity", *ONE, "--out", "out.html"),
    "claims": ("claims", *ONE, "--out", "out.json"),
    "claims table": ("claims", *ONE, "--out", "out.csv"),
    "winner-map": ("winner-map", *ONE, "--out", "out.json"),
    "findings": ("findings", *ONE, "--out", "out.json"),
}
REFUSALS = {errno.ENOSPC: "the disk is full", errno.EROFS: "may not be written to", errno.EACCES: "may not be"}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with tracts.csv and model.json, in which commands run; what takes minutes is already measured."""
    tracts = simulate_tracts(tracts=32, rng=np.random.default_rng(0))
    tracts.set_axis(["tract", "parent", "child"], axis=1).to_csv(tmp_path / "tracts.csv", index=False)
    saved(SYNTHETIC.model_copy(update=TWO), tmp_path / "model.json")
    saved(TRACTS.model_copy(update=TWO), tmp_path / "areas.json")
    tables, made = findings.load(), stored.winner_map.load()
    monkeypatch.setattr(claims_command, "compute_all", lambda workers: iter([load()]))
    monkeypatch.setattr(stored.winner_map, "cells", lambda settings, workers: iter([made.rows]))
    monkeypatch.setattr(stored, "PublicData", SampleData)
    monkeypatch.setattr(findings, "shape_rows", lambda datasets, run: iter(tables["shapes"].to_dict("records")))
    held_out = tables["held_out"].to_dict("records")
    monkeypatch.setattr(findings, "held_out_rows", lambda datasets, run: iter(held_out))
    monkeypatch.setattr(findings, "map_rows", lambda workers: tables["map"])
    monkeypatch.setattr(findings, "area_row", lambda *settings: tables["areas"].iloc[0].to_dict())
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Refusing(BufferedWriter):
    """A file that takes half of what is written to it, and then no more."""

    def __init__(self, path: Path, number: int) -> None:
        super().__init__(FileIO(path, "wb"))
        self.number, self.path = number, path

    def write(self, content: Any) -> int:
        super().write(content[: len(content) // 2])
        raise OSError(self.number, os.strerror(self.number), str(self.path))


def refuse(monkeypatch: pytest.MonkeyPatch, number: int, after: int = 0) -> None:
    """From here on files cannot be written, but for so many."""
    written: list[Path] = []
    original = Path.open

    def opened(path: Path, mode: str = "r", *more: Any, **named: Any) -> Any:
        if "w" not in mode:
            return original(path, mode, *more, **named)
        written.append(path)
        return original(path, mode, *more, **named) if len(written) <= after else Refusing(path, number)

    monkeypatch.setattr(Path, "open", opened)


@pytest.mark.parametrize("name", WRITING)
def test_a_full_disk_is_one_sentence_and_what_was_there_stays(name: str, monkeypatch: pytest.MonkeyPatch):
    words = WRITING[name]
    out = Path(words[-1])
    out.write_text("what was there before")
    with monkeypatch.context() as patch:
        refuse(patch, errno.ENOSPC)
        done = run(*words)
    assert done.exit_code == 2, done.output
    [sentence] = done.stderr.strip().splitlines()
    assert sentence.startswith("Error: out.") and "cannot be written: the disk is full; free some space" in sentence
    assert out.read_text() == "what was there before" and not list(Path().rglob("*.unfinished"))
    if out.suffix != ".docx":  # the rest of this takes long
        assert run(*words).exit_code == 0 and out.read_bytes() != b"what was there before"


@pytest.mark.parametrize("name", WRITING)
def test_a_folder_that_may_not_be_written_to_is_said_before_the_work(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("dpslr_core.cli.output.os.access", lambda path, mode: not mode & os.W_OK)
    for module in (claims_command, stored.winner_map, findings):
        for work in ("compute_all", "cells", "shape_rows"):
            monkeypatch.setattr(module, work, None, raising=False)
    done = run(*WRITING[name])
    out = WRITING[name][-1]
    assert done.exit_code == 2 and done.stderr.strip() == (
        f"Error: {out} cannot be written: its folder may not be written to; choose another place"
    )
    assert not Path(out).exists()


@pytest.mark.parametrize("number", REFUSALS)
def test_areas_that_were_measured_before_the_disk_was_full_are_kept(number: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("dpslr_core.experiments.areas.BATCH", 2)
    assert run(*AREAS, *ONE, "--out", "whole.parquet").exit_code == 0
    with monkeypatch.context() as patch:
        refuse(patch, number, after=3)
        done = run(*AREAS, *ONE, "--out", "out.parquet")
    [sentence] = done.stderr.strip().splitlines()
    assert REFUSALS[number] in sentence and sentence.startswith("Error: out.parquet.part/")
    assert sentence.endswith("6 of 32 areas are kept in out.parquet.part; run the same command again to go on.")
    again = run(*AREAS, *ONE, "--out", "out.parquet")
    assert again.exit_code == 0 and "Going on: 6 of 32 areas" in again.stderr
    assert Path("out.parquet").read_bytes() == Path("whole.parquet").read_bytes()
    assert not Path("out.parquet.part").exists()


def test_a_lost_cluster_is_one_sentence_and_what_was_measured_is_kept(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("dpslr_core.experiments.areas.BATCH", 2)
    original = by_group.measured_groups

    def lost(*words: Any) -> Any:
        yield from islice(original(*words), 3)
        raise ConnectionError("the Dask scheduler at tcp://127.0.0.1:1 was lost (gone)")

    with monkeypatch.context() as patch:
        patch.setattr(by_group, "measured_groups", lost)
        done = run(*AREAS, *ONE, "--out", "out.parquet")
    assert done.exit_code == 2 and done.stderr.strip() == (
        "Error: the Dask scheduler at tcp://127.0.0.1:1 was lost (gone). 6 of 32 areas are kept in out.parquet.part; "
        "run the same command again to go on."
    )
    assert "Going on: 6 of 32" in run(*AREAS, *ONE, "--out", "out.parquet").stderr


def test_a_full_disk_under_real_workers_leaves_no_traceback():
    """A limit on the size of files stands for the disk."""
    limited = (
        "import resource, sys; from dpslr_core.cli import main; "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, 6_000)); main(sys.argv[1:])"
    )
    command = [sys.executable, "-c", limited, *AREAS, "--workers", "2", "--out", "out.parquet"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    [sentence] = [line for line in done.stderr.splitlines() if "areas/s" not in line]
    assert done.returncode == 2 and sentence.startswith("Error: out.parquet.part/"), done.stderr
    assert "larger files are not allowed here" in sentence and "run the same command again to go on" in sentence


def interrupted(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The parts of a run that was stopped after four."""
    with monkeypatch.context() as patch:
        refuse(patch, errno.ENOSPC, after=4)
        assert run(*AREAS, *ONE, "--out", "out.parquet").exit_code == 2
    return sorted(Path("out.parquet.part").rglob("*.parquet"))


def foreign(path: Path) -> None:
    pd.DataFrame({"a": [1.0]}).to_parquet(path)


WORN = {
    "empty": lambda path: path.write_bytes(b""),
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:-30]),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "text": lambda path: path.write_text("group,x\n1,2\n"),
    "foreign": foreign,
    "a folder": lambda path: (path.unlink(), path.mkdir()),
}


@pytest.mark.parametrize("kind", WORN)
def test_a_kept_part_that_is_worn_or_foreign_is_named_with_the_cure(kind: str, monkeypatch: pytest.MonkeyPatch):
    parts = interrupted(monkeypatch)
    assert len(parts) == 4
    WORN[kind](parts[2])
    done = run(*AREAS, *ONE, "--out", "out.parquet")
    assert done.exit_code == 2
    assert done.stderr.strip() == (
        f"Error: {parts[2]} is damaged, or was not kept by this run; remove it, and run the same command again, which "
        "measures anew what was in it"
    )
    assert len(sorted(Path("out.parquet.part").rglob("*.parquet"))) == 4 and not Path("out.parquet").exists()
    parts[2].rmdir() if parts[2].is_dir() else parts[2].unlink()
    assert run(*AREAS, *ONE, "--out", "out.parquet").exit_code == 0
    assert run(*AREAS, *ONE, "--out", "whole.parquet").exit_code == 0
    assert Path("out.parquet").read_bytes() == Path("whole.parquet").read_bytes()


def test_what_takes_the_place_of_a_removed_part_is_kept_beside_the_others(monkeypatch: pytest.MonkeyPatch):
    parts = interrupted(monkeypatch)
    parts[1].unlink()
    with monkeypatch.context() as patch:
        refuse(patch, errno.ENOSPC, after=1)
        done = run(*AREAS, *ONE, "--out", "out.parquet")
    now = sorted(Path("out.parquet.part").rglob("*.parquet"))
    assert done.exit_code == 2 and len(now) == 4 and set(now) > {parts[0], *parts[2:]}


def test_a_file_in_the_place_of_the_folder_of_parts_is_named():
    Path("out.parquet.part").write_text("a file")
    done = run(*AREAS, *ONE, "--out", "out.parquet")
    assert done.exit_code == 2 and "out.parquet.part" in done.stderr and "is a file" in done.stderr


def test_no_command_needs_a_home(here: Path):
    """Nor a place for caches; not even those that work in several processes."""
    home = "/dev/null"
    folders = {"HOME": home, "XDG_CACHE_HOME": f"{home}/cache", "XDG_CONFIG_HOME": f"{home}/config"}
    environment = os.environ | folders | {"PYTHONPATH": str(ROOT)}
    for words in (("compare", *MODEL), (*AREAS, "--workers", "2", "--out", "out.csv")):
        command = [sys.executable, "-m", "dpslr_core", *words]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=here, timeout=300)
        assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
