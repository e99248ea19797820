"""Results of commands: printed, written to files that their command recognises, and the bars of progress before."""

from __future__ import annotations

import hashlib
import json
import os
import signal
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
from typing import IO, Any

import click
import numpy as np
import pandas as pd
import scipy
from click.core import ParameterSource
from tqdm import tqdm

from ..report.document import Report, as_html
from ..report.metadata import parquet_bytes, write_csv, write_parquet
from ..sources.stored import Damaged, Unwritable, unwritable, whole, write_whole
from ..support import VERSION
from ..support.readable import format_amount
from . import INTERRUPTED, Refused

TABLES, REPORTS, PICTURES = (".csv", ".parquet", ".json"), (".html", ".docx"), (".svg", ".png")
PAGES = (".html",)  # of a picture, to move in
PRIVACY = "It is computed from the true data and is not private."
UNSEALED = "0" * 64  # in the position of the digest while it is computed


@dataclass(frozen=True)
class Output:
    """The result of a command.

    frame: all numbers. about: what determines them. name: of the table in JSON. shown: the columns that are printed;
    None: all. summary: further values for JSON. report: makes a report. picture: makes a
    Vega-Lite specification and its sentence.
    """

    frame: pd.DataFrame
    about: Mapping[str, str]
    name: str = "rows"
    shown: Sequence[str] | None = None
    summary: Mapping[str, Any] = field(default_factory=dict)
    report: Callable[[], Report] | None = None
    picture: Callable[[], tuple[dict[str, Any], str]] | None = None

    def deliver(self, out: Path | None, as_json: bool, sentence: str = "") -> None:
        """Write to the file where one is named; print JSON, or else the sentence and the table.

        Where the table is in a file, the sentence alone is printed.
        """
        if out is not None:
            self.write(out)
            click.echo(f"Written to {out}. {self.warning}".rstrip(), err=as_json)
        if as_json:
            click.echo(self.json())
            return
        if sentence:
            click.echo(sentence)
        if out is None:
            frame = self.frame if self.shown is None else self.frame[list(self.shown)]
            click.echo(frame.to_string(index=False, float_format=lambda value: format_amount(value, 4)))

    @property
    def warning(self) -> str:
        """That the true data were looked at, where they were."""
        return PRIVACY if "digest" in self.about else ""

    def json(self) -> str:
        """Everything as JSON, to the last digit."""
        rows = [{name: json_value(cell) for name, cell in row.items()} for row in self.frame.to_dict("records")]
        summary = {name: json_value(value) for name, value in self.summary.items()}
        return json.dumps({**summary, "about": dict(self.about), self.name: rows}, indent=2, ensure_ascii=False)

    def write(self, out: Path) -> None:
        """The file, in the format that its ending names, whole or not at all; check_out lets no other through."""
        if out.suffix in (".csv", ".parquet"):
            write_frame(self.frame, out, self.about)
        elif out.suffix == ".json":
            write_result((self.json() + "\n").encode(), out)
        elif self.picture is not None:
            write_result(_written_picture(*self.picture(), out.suffix), out)
        elif self.report is not None:
            write_result(written_report(self.report(), out.suffix), out)


def json_value(value: Any) -> Any:
    """A cell as JSON has it: null where a number is infinite or undefined."""
    if value is None or isinstance(value, str | bool):
        return value
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if isinstance(value, int | bool | list | dict) else str(value)


def written_report(report: Report, suffix: str) -> bytes:
    """A report as .html or .docx, or its picture as .svg or .png. ImportError without what that needs."""
    if suffix == ".html":
        return as_html(report).encode()
    if suffix == ".docx":
        from ..report.word import as_word  # python-docx comes with the app

        return as_word(report)
    return _written_picture(report.picture, report.picture_sentence, suffix)


def _written_picture(picture: dict[str, Any], sentence: str, suffix: str) -> bytes:
    """A picture as .svg, .png or .html. ImportError without what that needs."""
    from ..charts.vega import WIDE, written  # vl-convert comes with the app

    return written(picture, suffix, sentence, WIDE)


def write_report(report: Report, path: Path) -> None:
    """The report of --report, as its file's ending says."""
    write_result(written_report(report, path.suffix), path)
    click.echo(f"Report written to {path}. {PRIVACY}", err=True)


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
    check_folder(out)
    if data is not None and out.resolve() == data.resolve():
        raise ValueError(f"{option} would replace the data, {str(data)!r}")
    if load is None or not _replaceable(out, load):
        refuse_foreign(out, option=option)


def check_folder(out: Path) -> None:
    """Unwritable where no file can be made in the folder of a result."""
    if not os.access(out.parent, os.W_OK | os.X_OK):
        raise unwritable(out, OSError(EACCES, ""))


def _replaceable(out: Path, load: Callable[[Path], object]) -> bool:
    """Whether a table of dpslr may be written here, see check_out."""
    if click.get_current_context().get_parameter_source("out") == ParameterSource.DEFAULT:
        return True
    try:
        load(out)
    except Damaged:
        return False
    return True


def refuse_foreign(path: Path, kind: str = "", option: str = "--out") -> None:
    """ValueError where a file is there that is not this command's own, see is_own."""
    if path.exists() and not is_own(path, kind):
        raise ValueError(
            f"{option} would replace {str(path)!r}, which is not an unchanged earlier result of {this_command()}: "
            "choose another name, or move that file"
        )


# Files that hold the name of their command and the digest of their bytes.


def this_command() -> str:
    """The command that is running, such as "dpslr simulate tracts"."""
    context = click.get_current_context()
    return f"dpslr {context.command_path.removeprefix(context.find_root().command_path).strip()}"


def mark(kind: str = "") -> str:
    """Text in a result: its command, the kind of a second result, and room for the digest of its bytes."""
    return f"{this_command()}{kind}, digest {UNSEALED}"


def is_own(path: Path, kind: str = "") -> bool:
    """Whether a file is a result of an earlier run of this command that nobody has changed since."""
    try:
        if not path.is_file():  # to open a pipe would wait
            return False
        with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_COPY) as content:
            position = _digest_in(content, path, kind)
            digest = content[position]
            content[position] = UNSEALED.encode()
            return digest == sha256(content).hexdigest().encode()
    except (OSError, ValueError, IndexError):  # not to be read, empty, without a mark, cut off
        return False


def _digest_in(content: mmap, path: Path, kind: str) -> slice:
    """Position of the digest: at the top of tables as text and JSON, at the end of others. ValueError: nowhere."""
    start = mark(kind).removesuffix(UNSEALED).encode()
    first = content.find(start) if path.suffix in (".csv", ".json") else content.rfind(start)
    if first < 0:
        raise ValueError("no mark")
    return slice(first + len(start), first + len(start) + len(UNSEALED))


@contextmanager
def result_file(path: Path, kind: str = "") -> Iterator[IO[bytes]]:
    """A file to write to, whole or not at all, that holds mark(kind); the digest in it is filled in at the end."""
    refuse_foreign(path, kind)
    with whole(path) as file:
        yield file
        file.flush()
        with mmap(file.fileno(), 0) as content:
            content[_digest_in(content, path, kind)] = sha256(content).hexdigest().encode()


def write_frame(frame: pd.DataFrame, path: Path, about: Mapping[str, str] | None = None, kind: str = "") -> None:
    """The frame as .parquet or .csv of this command, below what determines it, see report.metadata."""
    with result_file(path, kind) as file:
        write = write_parquet if path.suffix == ".parquet" else write_csv
        write(frame, file, {**(about or {}), "written by": mark(kind)})


def write_result(content: bytes, path: Path) -> None:
    """A page, a Word file, a picture or an object of JSON as a result of this command.

    The mark stands where programs that show the file pass over it: in a comment, or after the end of a picture.
    """
    marked = mark().encode()
    if path.suffix == ".json":
        content = b'{"written by": "' + marked + b'",\n' + content.lstrip()[1:].lstrip()
    elif path.suffix == ".docx":  # a ZIP file ends with the length of its comment, and the comment
        content = content[:-2] + len(marked).to_bytes(2, "little") + marked
    else:
        content += marked if path.suffix == ".png" else b"<!-- " + marked + b" -->\n"
    with result_file(path) as file:
        file.write(content)


# ---------------------------------------------------------------- finished parts of a long run

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
