"""What a long run has finished so far, kept aside while it lasts."""

from __future__ import annotations

import hashlib
import json
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
import scipy

from ..dataset import Dataset
from ..experiments.areas import COLUMNS
from ..scenario import Scenario
from .ends import INTERRUPTED
from .files import write_frame


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
    return digest_of(determining)


def digest_of(determining: Mapping[str, Any]) -> str:
    """A short name for everything that determines a run; values are what JSON can say."""
    return hashlib.sha256(json.dumps(determining).encode()).hexdigest()[:24]


@contextmanager
def interruptible(kept: Callable[[], str]) -> Iterator[None]:
    """Ctrl-C, a closed terminal or kill ends the run in order, with a word on how to go on.

    kept: what there is so far, and where.
    """
    ends = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.signal(number, signal.default_int_handler) for number in ends}
    try:
        yield
    except KeyboardInterrupt:
        click.echo(f"Interrupted: {kept()}; run the same command again to go on.", err=True)
        sys.exit(INTERRUPTED)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


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

    def numbered(self) -> dict[int, pd.DataFrame]:
        """The parts that are there, by their numbers."""
        return {int(file.stem): pd.read_parquet(file) for file in self._files(self.key)}

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
