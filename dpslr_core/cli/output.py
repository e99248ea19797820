"""Results of commands: printed, written to files that their command recognises, and the bars of progress before."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from errno import EACCES
from hashlib import sha256
from io import BytesIO
from math import isfinite
from mmap import ACCESS_COPY, mmap
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import click
import numpy as np
import pandas as pd
import scipy
from click.core import ParameterSource
from tqdm import tqdm

from ..charts.vega import WIDE, written
from ..report.document import SCENARIO_FILE, Report, as_html
from ..report.metadata import latex_bytes, parquet_bytes, settings_bytes, write_csv, write_parquet
from ..sources.stored import Damaged, Unwritable, unwritable, whole, write_whole
from ..support import VERSION
from ..support.tables import number_format
from . import INTERRUPTED, Refused

TABLES, REPORTS, PICTURES = (".csv", ".parquet", ".json", ".tex"), (".html", ".docx"), (".svg", ".png")
PAGES = (".html",)  # of a picture, to move in
UNSEALED = "0" * 64  # in the position of the digest while it is computed


class Picture(NamedTuple):
    """A Vega-Lite specification, the sentence that says what it shows, and its width; None: its own."""

    specification: dict[str, Any]
    sentence: str = ""
    width: int | None = WIDE


Made: TypeAlias = pd.DataFrame | Report | Picture | str  # what a file holds; str: an object of JSON


@dataclass(frozen=True)
class Output:
    """The result of a command.

    frame: all numbers. about: what determines them. name: of the table in JSON. shown: the columns that are printed;
    None: all. summary: further values for JSON. drawn: makes the report or the picture.
    """

    frame: pd.DataFrame
    about: Mapping[str, str]
    name: str = "rows"
    shown: Sequence[str] | None = None
    summary: Mapping[str, Any] = field(default_factory=dict)
    drawn: Callable[[], Report | Picture] | None = None

    def deliver(self, out: Path | None, as_json: bool, sentence: str = "") -> None:
        """Write to the file where one is named; print JSON, or else the sentence and the table.

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
            click.echo(frame.to_string(index=False, float_format=number_format(frame)))

    def json(self) -> str:
        """Everything as JSON, to the last digit."""
        rows = [{name: json_value(cell) for name, cell in row.items()} for row in self.frame.to_dict("records")]
        summary = {name: json_value(value) for name, value in self.summary.items()}
        return json.dumps({**summary, "about": dict(self.about), self.name: rows}, indent=2, ensure_ascii=False)

    def write(self, out: Path) -> None:
        """The file, in the format that its ending names; check_out lets no other through."""
        if out.suffix in (".csv", ".parquet", ".tex"):
            write(self.frame, out, self.about)
        elif out.suffix == ".json":
            write(f"{self.json()}\n", out)
        elif self.drawn is not None:
            write(self.drawn(), out)


def json_value(value: Any) -> Any:
    """A cell as JSON has it: null where a number is infinite or undefined."""
    if value is None or isinstance(value, str | bool):
        return value
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if isinstance(value, int | bool | list | dict) else str(value)


def progress(
    items: Iterable[Any] | None = None, unit: str = "", total: int | None = None, *, initial: int = 0, name: str = ""
) -> Any:
    """A bar on a terminal, nothing elsewhere: the items one by one, or a bar to update."""
    return tqdm(items, desc=name or None, total=total, initial=initial, unit=f" {unit}" if unit else "it", disable=None)


# Whether a result may be written, before the work for it begins.


def check_out(
    out: Path | None,
    endings: Sequence[str],
    data: Path | None = None,
    option: str = "--out",
    load: Callable[[Path], object] | None = None,
) -> None:
    """ValueError where the result could not be written after all the work, or would replace a file of someone else.

    data: the file that the result is computed from. load: reads the tables that come with dpslr, Damaged where a file
    holds none. Such a table may be replaced, and so may any file in the position of the one that comes with dpslr,
    where no other is named.
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
    if load is not None:
        if click.get_current_context().get_parameter_source("out") == ParameterSource.DEFAULT:
            return
        with suppress(Damaged):
            load(out)
            return
    refuse_foreign(out, option=option)
    if out.suffix in REPORTS:
        _refuse_foreign_scenario(out, option)


def scenario_beside(report: Path) -> Path:
    """The file beside a report that holds its scenario."""
    return report.with_name(f"{report.stem}.{SCENARIO_FILE}")


def _refuse_foreign_scenario(report: Path, option: str = "--out") -> None:
    """ValueError where there is a file in the place of the scenario and no earlier report that it belongs to."""
    beside = scenario_beside(report)
    if beside.exists() and not any(report.with_suffix(suffix).exists() for suffix in REPORTS):
        raise ValueError(
            f"{option} would replace {str(beside)!r}, where the scenario goes: choose another name, or move that file"
        )


def refuse_foreign(path: Path, kind: str = "", option: str = "--out") -> None:
    """ValueError where a file is there that is not this command's own, see is_own."""
    if path.suffix == ".csv" and not path.exists() and (beside := settings_beside(path)).exists():
        if _settings(beside).get(WRITTEN_BY, "").startswith(_mark(kind)):
            return  # of a table that has been moved
        path = beside
    if path.exists() and not is_own(path, kind):
        raise ValueError(
            f"{option} would replace {str(path)!r}, which is not an unchanged earlier result of {this_command()}: "
            "choose another name, or move that file"
        )


# Files that hold the name of their command and the digest of their bytes; of a CSV the file of settings beside it does.

WRITTEN_BY = "written by"


def settings_beside(path: Path) -> Path:
    """The file of JSON beside a table as CSV: what determines the table, and its digest."""
    return path.with_name(f"{path.name}.json")


def _settings(beside: Path) -> dict[str, str]:
    """Settings that a file holds; none where it is no such file."""
    try:
        said = json.loads(beside.read_bytes())
    except (OSError, ValueError):
        return {}
    return {str(name): str(text) for name, text in said.items()} if isinstance(said, dict) else {}


def remove(path: Path) -> None:
    """Remove a result, of a link the file that it leads to, as when it is written; with its settings."""
    path.resolve().unlink()
    if path.suffix == ".csv":
        settings_beside(path).unlink(missing_ok=True)


def this_command() -> str:
    """The command that is running, such as "dpslr simulate tracts"."""
    context = click.get_current_context()
    return f"dpslr {context.command_path.removeprefix(context.find_root().command_path).strip()}"


def is_own(path: Path, kind: str = "") -> bool:
    """Whether a file is a result of an earlier run of this command that nobody has changed since."""
    try:
        if not path.is_file():  # to open a pipe would wait
            return False
        with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_COPY) as content:
            if path.suffix == ".csv":
                return _settings(settings_beside(path)).get(WRITTEN_BY) == f"{_mark(kind)}{sha256(content).hexdigest()}"
            position = _digest_in(content, path, kind)
            digest = content[position]
            content[position] = UNSEALED.encode()
            return digest == sha256(content).hexdigest().encode()
    except (OSError, ValueError, IndexError):  # not to be read, empty, without a mark, cut off
        return False


def _mark(kind: str) -> str:
    """Text in a result, before the digest of its bytes: its command, and the kind of a second result."""
    return f"{this_command()}{kind}, digest "


def _digest_in(content: mmap, path: Path, kind: str) -> slice:
    """Position of the digest: at the top of LaTeX and JSON, at the end of others. ValueError: nowhere."""
    start = _mark(kind).encode()
    first = content.find(start) if path.suffix in (".tex", ".json") else content.rfind(start)
    if first < 0:
        raise ValueError("no mark")
    return slice(first + len(start), first + len(start) + len(UNSEALED))


def write(made: Made, path: Path, about: Mapping[str, str] | None = None, kind: str = "") -> None:
    """A result of this command, whole or not at all, in the format that the ending of its file names.

    about: what determines a table. kind: of a second result. A report is a document, with its scenario in a file
    beside it, or its picture alone. The mark of the command stands where programs that show the file pass over it: in a
    line of a table, in a comment, or after the end of a picture. ImportError without what the format needs.
    """
    scenario = made.scenario if isinstance(made, Report) and path.suffix in REPORTS else None
    refuse_foreign(path, kind)
    if scenario is not None:
        _refuse_foreign_scenario(path)
    marked = f"{_mark(kind)}{UNSEALED}"
    said = {**(about or {}), WRITTEN_BY: marked}
    content = b"" if isinstance(made, pd.DataFrame) else _bytes(made, path.suffix, marked.encode())
    with whole(path) as file:
        if not isinstance(made, pd.DataFrame):
            file.write(content)
        elif path.suffix == ".parquet":
            write_parquet(made, file, said)
        elif path.suffix == ".tex":
            file.write(latex_bytes(made, said))
        else:
            write_csv(made, file)
        file.flush()
        if path.suffix == ".csv":  # its settings first: where they cannot be written, nothing has changed
            with mmap(file.fileno(), 0) as written_bytes:
                said[WRITTEN_BY] = f"{_mark(kind)}{sha256(written_bytes).hexdigest()}"
            write_whole(settings_bytes(said), settings_beside(path))
            return
        if scenario is not None:
            write_whole(f"{scenario}\n".encode(), scenario_beside(path))
        with mmap(file.fileno(), 0) as written_bytes:
            digest = sha256(written_bytes).hexdigest().encode()
            written_bytes[_digest_in(written_bytes, path, kind)] = digest


def _bytes(made: Report | Picture | str, suffix: str, marked: bytes) -> bytes:
    """A report, a picture or an object of JSON with the mark in it."""
    if isinstance(made, str):
        return b'{"written by": "' + marked + b'",\n' + made.encode().lstrip()[1:].lstrip()
    if isinstance(made, Report) and suffix == ".docx":
        from ..report.word import as_word  # python-docx comes with the app

        return as_word(made)[:-2] + len(marked).to_bytes(2, "little") + marked  # the comment at the end of a ZIP file
    if isinstance(made, Report) and suffix == ".html":
        content = as_html(made).encode()
    else:
        picture = Picture(made.picture, made.picture_sentence) if isinstance(made, Report) else made
        content = written(picture.specification, suffix, picture.sentence, picture.width)
    return content + (marked if suffix == ".png" else b"<!-- " + marked + b" -->\n")


# ---------------------------------------------------------------- finished parts of a long run

CHECKSUM = 64  # characters that a part begins with
PART = "[0-9]*.part"


def run_key(determining: Mapping[str, Any]) -> str:
    """A short name for everything that determines the numbers of a run, as JSON; versions are added."""
    versions = [VERSION, np.__version__, scipy.__version__]
    return sha256(json.dumps({**determining, "versions": versions}).encode()).hexdigest()[:24]


@contextmanager
def interruptible(progress: Callable[[], str]) -> Iterator[None]:
    """An interrupt, a full disk or a lost cluster ends the run with a word on how to go on.

    progress: how much there is so far, and where.
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

    def read(self) -> Iterator[tuple[int, pd.DataFrame]]:
        """The numbers and tables of the sound parts, one at a time; any other is named and removed."""
        for file in sorted(self.folder.glob(f"{self.key}/{PART}")):
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
        for file in self.folder.glob(f"*/{PART}"):
            with suppress(OSError):
                if _table(file) is not None:
                    file.unlink()
        for folder in (*self.folder.glob("*"), self.folder):
            with suppress(OSError):
                folder.rmdir()


def _checksum(file: Path, table: bytes) -> bytes:
    """The first bytes of a part: a digest of its run, its number and its table."""
    return sha256(f"{file.parent.name}/{file.name}/".encode() + table).hexdigest().encode()


def _table(file: Path) -> bytes | None:
    """The table in a part, as Parquet; None where the part has changed since it was written."""
    try:
        content = file.read_bytes()
    except OSError:
        return None
    checksum, table = content[:CHECKSUM], content[CHECKSUM:]
    return table if checksum == _checksum(file, table) else None
