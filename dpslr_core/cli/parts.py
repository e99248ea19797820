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
from ..sources.files.stored import Damaged, Unwritable, unwritable
from .ends import INTERRUPTED, Refused
from .files import write_frame

RUN = "part of run"  # what a part says of itself


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
    """Ctrl-C, a closed terminal, kill, a full disk or a lost cluster ends the run with a word on how to go on.

    kept: what there is so far, and where.
    """
    ends = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.signal(number, signal.default_int_handler) for number in ends}
    try:
        yield
    except (Unwritable, ConnectionError) as error:
        raise Refused(f"{error}. {kept()}; run the same command again to go on.") from error
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

    def read(self) -> Iterator[pd.DataFrame]:
        """The parts that are there, one at a time. Damaged, naming the file, where one is not as it was kept."""
        return map(self._part, self._files(self.key))

    def numbered(self) -> dict[int, pd.DataFrame]:
        """The parts that are there, by their numbers; errors as of read."""
        return dict(zip(self.numbers(), self.read(), strict=True))

    def numbers(self) -> list[int]:
        """The numbers of the parts that are there."""
        return [int(file.stem) for file in self._files(self.key)]

    def _part(self, file: Path) -> pd.DataFrame:
        try:
            frame = pd.read_parquet(file)
        except Exception:  # whatever a damaged file makes a parser raise
            frame = pd.DataFrame()
        if frame.attrs.pop(RUN, None) != self.key:
            cure = "remove it, and run the same command again, which measures anew what was in it"
            raise Damaged(f"{file} is damaged, or was not kept by this run; {cure}")
        return frame

    def keep(self, number: int, frame: pd.DataFrame) -> None:
        """Add one part; numbers must not repeat."""
        run = self.folder / self.key
        try:
            run.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(run, error) from error
        write_frame(frame, run / f"{number:07d}.parquet", {RUN: self.key})

    def remove(self) -> None:
        """Remove the parts of all runs, and the folders unless they hold something else."""
        for file in self._files("*"):
            with suppress(OSError):
                file.unlink(missing_ok=True)
        for folder in (*self.folder.glob("*"), self.folder):
            with suppress(OSError):
                folder.rmdir()
