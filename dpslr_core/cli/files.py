"""Tables in files: read by their ending, written at once or not at all, and kept aside while a long run lasts."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import scipy

from ..csv_safe import without_formulas
from ..dataset import Dataset
from ..datasets.numbers import Problem
from ..datasets.table import Table, column_names, read_table
from ..experiments.areas import COLUMNS
from ..scenario import Scenario

WRITTEN = (".parquet", ".csv")


def read_file(path: Path) -> Table:
    """The table in a CSV, Stata (.dta) or Parquet file; problems are collected, nothing raises."""
    try:
        if path.suffix not in (".dta", ".parquet"):
            return read_table(path.read_bytes(), path.name)
        frame = pd.read_stata(path) if path.suffix == ".dta" else pd.read_parquet(path)
    except Exception as error:  # whatever a wrong or damaged file makes a parser raise
        return Table(None, (Problem("error", f"{path} cannot be read ({error})."),))
    problems: list[Problem] = []
    names = column_names([str(name) for name in frame.columns], problems)
    return Table(frame.set_axis(names, axis=1).set_axis(range(1, len(frame) + 1)), tuple(problems))


def write_frame(frame: pd.DataFrame, path: Path) -> None:
    """The frame as .parquet or .csv, whole or not at all: an interruption leaves what was there before.

    In a .csv text that a spreadsheet would compute has an apostrophe in front, see csv_safe.
    """
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.unfinished")
    try:
        if path.suffix == ".parquet":
            frame.to_parquet(unfinished, index=False)
        else:
            without_formulas(frame).to_csv(unfinished, index=False)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def run_key(scenario: Scenario, datasets: Mapping[str, Dataset]) -> str:
    """A name for a run: a digest of everything that determines its numbers.

    The module of an algorithm from a file is named after the file's content.
    """
    determining = {
        "scenario": scenario.model_dump(mode="json"),
        "mechanisms": [[type(m).__module__, repr(m)] for m in scenario.compared],
        "groups": [[label, data.digest] for label, data in datasets.items()],
        "columns": COLUMNS,
        "versions": [np.__version__, scipy.__version__],
    }
    return hashlib.sha256(json.dumps(determining).encode()).hexdigest()[:24]


@dataclass(frozen=True)
class Parts:
    """What a run has finished so far: Parquet files in NAME.part/KEY beside its result NAME.

    Another key, another run: its parts are never taken for this one's.
    """

    result: Path
    key: str

    @property
    def folder(self) -> Path:
        """Where the parts of all unfinished runs with this result are."""
        return self.result.with_name(f"{self.result.name}.part")

    def _files(self, runs: str) -> Sequence[Path]:
        return sorted(self.folder.glob(f"{runs}/[0-9]*.parquet"))

    def read(self) -> list[pd.DataFrame]:
        """The parts that are there."""
        return [pd.read_parquet(file) for file in self._files(self.key)]

    def keep(self, number: int, frame: pd.DataFrame) -> None:
        """Add one part; numbers must not repeat."""
        run = self.folder / self.key
        run.mkdir(parents=True, exist_ok=True)
        write_frame(frame, run / f"{number:07d}.parquet")

    def remove(self) -> None:
        """Remove the parts of all runs, and the folders unless they hold something else."""
        for file in self._files("*"):
            file.unlink(missing_ok=True)
        for folder in (*self.folder.glob("*"), self.folder):
            with suppress(OSError):
                folder.rmdir()
