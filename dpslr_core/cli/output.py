"""Results of commands: printed, or written to files; bars of progress; finished parts of a long run."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from errno import EACCES
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import click
import numpy as np
import pandas as pd
import scipy
from tqdm import tqdm

from ..charts.vega import WIDE, written
from ..report.document import SCENARIO_FILE, Report, as_html
from ..report.metadata import latex_bytes, parquet_bytes, settings_bytes, write_csv, write_parquet
from ..sources.stored import Unwritable, unwritable, whole, write_whole
from ..support import VERSION
from ..support.tables import number_format
from . import INTERRUPTED, Refused

TABLES, REPORTS, PICTURES = (
    (".csv", ".parquet", ".json", ".tex"),
    (".html", ".docx"),
    (".svg", ".png"),
)


class Picture(NamedTuple):
    """Vega-Lite specification, a sentence that describes it, and a width (None for the specification's own width)."""

    specification: dict[str, Any]
    sentence: str = ""
    width: int | None = WIDE


Made: TypeAlias = pd.DataFrame | Report | Picture | str  # content of a file; str for JSON


@dataclass(frozen=True)
class Output:
    """Result of a command.

    Attributes
    ----------
    frame : DataFrame
        All numbers.
    about : mapping
        Metadata that determine the numbers.
    name : str
        Name of the table in JSON.
    shown : sequence of str or None
        Columns that are printed; None for all.
    summary : mapping
        Further values for JSON.
    drawn : callable or None
        Function that makes the report or the picture.
    """

    frame: pd.DataFrame
    about: Mapping[str, str]
    name: str = "rows"
    shown: Sequence[str] | None = None
    summary: Mapping[str, Any] = field(default_factory=dict)
    drawn: Callable[[], Report | Picture] | None = None

    def deliver(self, out: Path | None, as_json: bool, sentence: str = "") -> None:
        """Write to the file `out` if there is one; print JSON, or the sentence and the table.

        Where the table is in a file, the sentence alone is printed.
        """
        if out is not None:
            self.write(out)
            note = self.about.get("note")
            click.echo(f"Written to {out}.{f' It is {note}.' if note else ''}", err=as_json)
        if as_json:
            click.echo(self.json())
            return
        if sentence:
            click.echo(sentence)
        if out is None:
            frame = self.frame if self.shown is None else self.frame[list(self.shown)]
            click.echo(frame.to_string(index=False, float_format=number_format(frame), na_rep="—"))

    def json(self) -> str:
        """Return summary, metadata and all rows as JSON, to the last digit."""
        rows = [
            {name: json_value(cell) for name, cell in row.items()}
            for row in self.frame.to_dict("records")
        ]
        summary = {name: json_value(value) for name, value in self.summary.items()}
        return json.dumps(
            {**summary, "about": dict(self.about), self.name: rows}, indent=2, ensure_ascii=False
        )

    def write(self, out: Path) -> None:
        """Write the file in the format of its ending, which check_out has checked."""
        if out.suffix in (".csv", ".parquet", ".tex"):
            write(self.frame, out, self.about)
        elif out.suffix == ".json":
            write(f"{self.json()}\n", out)
        elif self.drawn is not None:
            write(self.drawn(), out)


def json_value(value: Any) -> Any:
    """Convert a cell for JSON: null where a number is infinite or undefined."""
    if value is None or isinstance(value, str | bool):
        return value
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if isinstance(value, int | bool | list | dict) else str(value)


def progress(
    items: Iterable[Any] | None = None,
    unit: str = "",
    total: int | None = None,
    *,
    initial: int = 0,
    name: str = "",
) -> Any:
    """Show a bar on a terminal, nothing elsewhere: yields the items, or is a bar to update."""
    return tqdm(
        items,
        desc=name or None,
        total=total,
        initial=initial,
        unit=f" {unit}" if unit else "it",
        disable=None,
    )


# Files.


def check_out(
    out: Path | None, endings: Sequence[str], data: Path | None = None, option: str = "--out"
) -> None:
    """Refuse an output that could not be written after all the work, or that is there already; --force overwrites.

    Parameters
    ----------
    out : Path or None
        The output; None where none is wanted.
    endings : sequence of str
        Endings that the command can write.
    data : Path, optional
        File that the result is computed from, which is never overwritten.
    option : str, optional
        Option that names the output.

    Raises
    ------
    ValueError
        Names the option and what is wrong with the file.
    """
    if out is None:
        return
    if out.suffix not in endings:
        either = " or ".join(filter(None, [", ".join(endings[:-1]), endings[-1]]))
        raise ValueError(f"{option} must end in {either}, got {str(out)!r}")
    if not out.parent.is_dir():
        raise ValueError(f"{option}: there is no folder {str(out.parent)!r}")
    if not os.access(out.parent, os.W_OK | os.X_OK):
        raise unwritable(out, OSError(EACCES, ""))
    if data is not None and out.resolve() == data.resolve():
        raise ValueError(f"{option} would replace the data, {str(data)!r}")
    for file in (out, *beside(out)):
        if file.exists() and not click.get_current_context().meta.get("force"):
            raise ValueError(
                f"{option}: {str(file)!r} exists already; choose another name, or overwrite with "
                "--force"
            )


def beside(out: Path) -> list[Path]:
    """Paths of the file that is written beside an output: the metadata of a CSV, or the scenario of a report."""
    if out.suffix == ".csv":
        return [out.with_name(f"{out.name}.json")]
    return [out.with_name(f"{out.stem}.{SCENARIO_FILE}")] if out.suffix in REPORTS else []


def write(result: Made, path: Path, about: Mapping[str, str] | None = None) -> None:
    """Write a result, whole or not at all, in the format that the ending of its file names.

    Parameters
    ----------
    result : DataFrame, Report, Picture or str
        The result. Of a report only the picture is written to a file of a picture.
    path : Path
        The file.
    about : mapping, optional
        Metadata of a table.

    Raises
    ------
    ImportError
        If a package that the format needs is not installed.
    """
    with whole(path) as file:
        if not isinstance(result, pd.DataFrame):
            file.write(_bytes(result, path.suffix))
        elif path.suffix == ".parquet":
            write_parquet(result, file, about)
        elif path.suffix == ".tex":
            file.write(latex_bytes(result, about))
        else:
            write_csv(result, file)
        # written before the output takes its place: if this fails, nothing has changed
        if path.suffix == ".csv":
            write_whole(settings_bytes(about or {}), *beside(path))
        if isinstance(result, Report) and path.suffix in REPORTS:
            write_whole(f"{result.scenario}\n".encode(), *beside(path))


def _bytes(result: Report | Picture | str, suffix: str) -> bytes:
    """Return a report, a picture or JSON as bytes."""
    if isinstance(result, str):
        return result.encode()
    if isinstance(result, Report) and suffix == ".docx":
        from ..report.word import as_word  # python-docx comes with the app

        return as_word(result)
    if isinstance(result, Report) and suffix == ".html":
        return as_html(result).encode()
    picture = (
        Picture(result.picture, result.picture_sentence) if isinstance(result, Report) else result
    )
    return written(picture.specification, suffix, picture.sentence, picture.width)


# Finished parts of a long run.


def run_key(determining: Mapping[str, Any]) -> str:
    """Hash, 24 characters, of the settings that determine the numbers of a run (as JSON) and of the versions."""
    versions = [VERSION, np.__version__, scipy.__version__]
    return sha256(json.dumps({**determining, "versions": versions}).encode()).hexdigest()[:24]


@contextmanager
def interruptible(progress: Callable[[], str]) -> Iterator[None]:
    """End a run that is interrupted, or meets a full disk or a lost cluster, with a sentence on how to go on.

    Parameters
    ----------
    progress : callable
        Returns the sentence on how much is kept, and where.
    """
    try:
        yield
    except (Unwritable, ConnectionError) as error:
        raise Refused(f"{error}. {progress()}; run the same command again to go on.") from error
    except KeyboardInterrupt:
        click.echo(f"Interrupted: {progress()}; run the same command again to go on.", err=True)
        sys.exit(INTERRUPTED)


@dataclass(frozen=True)
class Parts:
    """Finished parts of a run, as files KEY-NUMBER.parquet in the folder NAME.part beside the result NAME.

    Attributes
    ----------
    result : Path
        The result.
    key : str
        Name of the run, of run_key, so that parts of a run with other settings are not taken for parts of this run.
    """

    result: Path
    key: str

    @property
    def folder(self) -> Path:
        """Folder of the parts."""
        return self.result.with_name(f"{self.result.name}.part")

    def read(self) -> Iterator[tuple[int, pd.DataFrame]]:
        """Yield number and table of each part."""
        for file in sorted(self.folder.glob(f"{self.key}-*.parquet")):
            yield int(file.stem.rpartition("-")[2]), pd.read_parquet(file)

    def add(self, number: int, frame: pd.DataFrame) -> None:
        """Keep one part; numbers must not repeat."""
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise unwritable(self.folder, error) from error
        write_whole(parquet_bytes(frame), self.folder / f"{self.key}-{number:07d}.parquet")

    def remove(self) -> None:
        """Remove the parts of all runs with this result, and the folder unless it holds other files."""
        for file in self.folder.glob("*-*.parquet"):
            file.unlink()
        with suppress(OSError):
            self.folder.rmdir()
