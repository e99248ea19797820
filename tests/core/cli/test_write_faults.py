"""A full disk, a folder that may not be written to, kept parts that are damaged: one sentence, and nothing is lost."""

from __future__ import annotations

import errno
import os
from io import BufferedWriter, FileIO
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpslr_core.cli import measure, reproduce
from dpslr_core.mechanisms import NoisyIntercept, NoisyStats
from dpslr_core.sources.tracts import simulate_tracts
from tests.cases.scenario_files import SYNTHETIC, TRACTS, run, saved

TWO = {"mechanisms": (NoisyStats(), NoisyIntercept())}
ONE = ("--workers", "1")
BY_GROUP = "by-group tracts.csv --group tract --x parent --y child --epsilon 16 --trials 10"
AREAS = (*BY_GROUP.split(), "--algorithm", "NoisyIntercept", "--algorithm", "DPGDPure")
MODEL = ("--scenario", "model.json")
COMPARE = ("compare", *MODEL, "--epsilon", "1", "--out")
REPORT = ("report", *MODEL, "--epsilon", "1", "--out")
ENDINGS = ["csv", "parquet", "html", "docx"]
COMMANDS = (
    ("compare", *MODEL, "--out", "out.csv"),
    ("sweep", *MODEL, "--vary", "x_new", "--values", "0;1", "--out", "out.csv"),
    (*AREAS, "--out", "out.parquet"),
    ("recommend", *MODEL, "--out", "out.csv"),
    ("required", *MODEL, "--out", "out.csv"),
    ("decide", "--scenario", "areas.json", "--out", "out.svg"),
    ("report", *MODEL, "--out", "out.docx"),
    ("datasets", "sample/linear", "--out", "out.csv"),
    ("simulate tracts", "--tracts", "3", "--out", "out.parquet"),
    ("figure", "smooth-sensitivity", "--out", "out.html"),
    ("claims", "--out", "out.json"),
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with tracts.csv and model.json, in which commands run."""
    tracts = simulate_tracts(tracts=32, rng=np.random.default_rng(0))
    tracts.set_axis(["tract", "parent", "child"], axis=1).to_csv(
        tmp_path / "tracts.csv", index=False
    )
    saved(SYNTHETIC.model_copy(update=TWO), tmp_path / "model.json")
    saved(TRACTS.model_copy(update=TWO), tmp_path / "areas.json")
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
        return (
            original(path, mode, *more, **named)
            if len(written) <= after
            else Refusing(path, number)
        )

    monkeypatch.setattr(Path, "open", opened)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_full_disk_is_one_sentence_and_what_was_there_stays(
    ending: str, monkeypatch: pytest.MonkeyPatch
):
    out = Path(f"out.{ending}")
    command = COMPARE if ending in ENDINGS[:2] else REPORT
    assert run(*command, str(out)).exit_code == 0
    before = out.read_bytes()
    with monkeypatch.context() as patch:
        refuse(patch, errno.ENOSPC)
        done = run(*command, str(out), "--force")
    assert done.exit_code == 2, done.output
    [sentence] = [
        line for line in done.stderr.strip().splitlines() if not line.startswith("Note: ")
    ]
    assert (
        sentence.startswith("Error: out.")
        and "cannot be written: the disk is full; free some space" in sentence
    )
    assert out.read_bytes() == before and not list(Path().rglob("*.unfinished"))


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can be measured: what fails has failed before."""
    monkeypatch.setattr(reproduce.results, "compute_all", None)


@pytest.mark.usefixtures("no_work")
def test_every_command_looks_at_its_result_before_the_work(monkeypatch: pytest.MonkeyPatch):
    """A file that exists is refused, and so is a folder that may not be written to."""
    for name, *words in COMMANDS:
        out = Path(words[-1])
        out.write_text("my own notes\n")
        done = run(*name.split(), *words)
        assert done.exit_code == 2 and f"'{out}' exists already; choose another name" in done.stderr
        assert out.read_text() == "my own notes\n"
        out.unlink()
    monkeypatch.setattr("dpslr_core.cli.output.os.access", lambda path, mode: not mode & os.W_OK)
    for name, *words in COMMANDS:
        done = run(*name.split(), *words)
        assert done.exit_code == 2 and done.stderr.strip() == (
            f"Error: {words[-1]} cannot be written: its folder may not be written to; choose "
            "another place"
        )
        assert not Path(words[-1]).exists()


BESIDE = {
    "out.csv.json": (*COMPARE, "out.csv"),
    "out.scenario.json": (*REPORT, "out.html"),
    "out.rejected.csv": (*AREAS, *ONE, "--out", "out.csv"),
    "figures/theta.html": ("figure", "descent", "theta", *ONE, "--out", "figures"),
}


@pytest.mark.parametrize("beside", BESIDE)
def test_no_file_beside_a_result_is_overwritten_without_force(beside: str):
    Path("figures").mkdir()
    file, words = Path(beside), BESIDE[beside]
    file.write_text("my own notes")
    done = run(*words)
    assert done.exit_code == 2 and f"'{beside}' exists already" in done.stderr
    assert file.read_text() == "my own notes" and not list(Path().glob("out.[ch]*ml"))
    if beside.startswith("out"):
        assert run(*words, "--force").exit_code == 0
        assert not file.exists() or file.read_text() != "my own notes"


@pytest.mark.parametrize("lost_cluster", [False, True])
def test_areas_measured_before_a_full_disk_or_a_lost_cluster_are_kept(
    lost_cluster: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("dpslr_core.experiments.areas.BATCH", 2)
    original = measure.measured_groups

    def lost(*words: Any) -> Any:
        yield from islice(original(*words), 3)
        raise ConnectionError("gone")

    with monkeypatch.context() as patch:
        if lost_cluster:
            patch.setattr(measure, "measured_groups", lost)
        else:
            refuse(patch, errno.ENOSPC, after=3)
        done = run(*AREAS, *ONE, "--out", "out.parquet")
    [sentence] = done.stderr.strip().splitlines()
    assert done.exit_code == 2 and ("gone. " if lost_cluster else "the disk is full") in sentence
    assert sentence.endswith(
        "6 of 32 areas are kept in out.parquet.part; run the same command again to go on."
    )
    again = run(*AREAS, *ONE, "--out", "out.parquet")
    assert again.exit_code == 0 and "Going on: 6 of 32 areas" in again.stderr
