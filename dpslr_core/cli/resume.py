"""Finished parts of a long run, in files beside its result while it lasts, so that the same command goes on."""

from __future__ import annotations

import hashlib
import json
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
import scipy

from ..report.tables import parquet_bytes
from ..sources.stored import Unwritable, unwritable, write_whole
from ..support import VERSION
from .group import INTERRUPTED, Refused

CHECKSUM = 64  # characters that a part begins with


def run_key(determining: Mapping[str, Any]) -> str:
    """A short name for everything that determines the numbers of a run, as JSON; versions are added."""
    versions = [VERSION, np.__version__, scipy.__version__]
    return hashlib.sha256(json.dumps({**determining, "versions": versions}).encode()).hexdigest()[:24]


@contextmanager
def interruptible(progress: Callable[[], str]) -> Iterator[None]:
    """Ctrl-C, a closed terminal, kill, a full disk or a lost cluster ends the run with a word on how to go on.

    progress: how much there is so far, and where.
    """
    ends = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.signal(number, signal.default_int_handler) for number in ends}
    try:
        yield
    except (Unwritable, ConnectionError) as error:
        raise Refused(f"{error}. {progress()}; run the same command again to go on.") from error
    except KeyboardInterrupt:
        click.echo(f"Interrupted: {progress()}; run the same command again to go on.", err=True)
        sys.exit(INTERRUPTED)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@dataclass(frozen=True)
class Parts:
    """The finished parts of a run: files NUMBER.part in NAME.part/KEY beside its result NAME.

    A part is a table as Parquet, below the SHA-256 of its run, its number and these bytes: a damaged part, or one of
    another run, is never taken for a part of this run.
    """

    result: Path
    key: str

    @property
    def folder(self) -> Path:
        """Folder of the parts of all unfinished runs with this result."""
        return self.result.with_name(f"{self.result.name}.part")

    def _files(self, runs: str) -> Sequence[Path]:
        return sorted(self.folder.glob(f"{runs}/[0-9]*.part"))

    def read(self) -> Iterator[tuple[int, pd.DataFrame]]:
        """The numbers and tables of the sound parts, one at a time; any other is named and removed."""
        for file in self._files(self.key):
            table = _table(file)
            if table is not None:
                yield int(file.stem), pd.read_parquet(BytesIO(table))
                continue
            click.echo(f"{file} is damaged, or was not kept by this run: what it held is measured anew.", err=True)
            with suppress(OSError):
                file.unlink()

    def add(self, number: int, frame: pd.DataFrame) -> None:
        """Add one part; numbers must not repeat."""
        run = self.folder / self.key
        try:
            run.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(run, error) from error
        file, table = run / f"{number:07d}.part", parquet_bytes(frame)
        write_whole(_checksum(file, table) + table, file)

    def remove(self) -> None:
        """Remove the sound parts of all runs, and the folders unless they hold something else."""
        for file in self._files("*"):
            with suppress(OSError):
                if _table(file) is not None:
                    file.unlink()
        for folder in (*self.folder.glob("*"), self.folder):
            with suppress(OSError):
                folder.rmdir()


def _checksum(file: Path, table: bytes) -> bytes:
    """The first bytes of a part: a digest of its run, its number and its table."""
    return hashlib.sha256(f"{file.parent.name}/{file.name}/".encode() + table).hexdigest().encode()


def _table(file: Path) -> bytes | None:
    """The table in a part, as Parquet; None where the part has changed since it was written."""
    try:
        content = file.read_bytes()
    except OSError:
        return None
    checksum, table = content[:CHECKSUM], content[CHECKSUM:]
    return table if checksum == _checksum(file, table) else None
