"""Files of the command line: tables read by their ending; results that their command knows again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from mmap import ACCESS_COPY, mmap
from pathlib import Path
from typing import IO

import click
import pandas as pd

from ..report.tables import write_csv, write_parquet
from ..sources.files.csv_table import Table, beyond_limits, column_names, read_table
from ..sources.files.numbers import Problem
from ..sources.files.stored import whole
from ..support.csv_safe import visible

WRITTEN = (".parquet", ".csv")
UNSEALED = "0" * 64  # in the place of the digest while it is computed


def read_file(path: Path) -> Table:
    """The table in a CSV, Stata (.dta) or Parquet file, within the same limits; problems are collected."""
    name = visible(path.name)
    try:
        if path.suffix not in (".dta", ".parquet"):
            return read_table(path.read_bytes(), name)
        with path.open("rb") as file:
            rows, columns = _size_of_parquet(file) if path.suffix == ".parquet" else (0, 0)
            if beyond := beyond_limits(rows, columns, name):
                return Table(None, (beyond,))
            frame = pd.read_stata(file) if path.suffix == ".dta" else pd.read_parquet(file)
    except Exception as error:  # whatever a wrong or damaged file makes a parser raise
        return Table(None, (Problem("error", f"{visible(str(path))} cannot be read ({_reason(error)})."),))
    if beyond := beyond_limits(len(frame), len(frame.columns), name):
        return Table(None, (beyond,))
    problems: list[Problem] = []
    names = column_names([str(name) for name in frame.columns], problems)
    return Table(frame.set_axis(names, axis=1).set_axis(range(1, len(frame) + 1)), tuple(problems))


def _size_of_parquet(file: IO[bytes]) -> tuple[int, int]:
    """Rows and columns as the file says them, before anything is read."""
    from pyarrow.parquet import ParquetFile

    said = ParquetFile(file).metadata
    file.seek(0)
    return int(said.num_rows), int(said.num_columns)


def _reason(error: Exception) -> str:
    """What went wrong, in a word where the error has none of its own."""
    words = {MemoryError: "there is not enough memory", EOFError: "it ends too early"}
    return visible(str(error)).strip() or words.get(type(error), type(error).__name__)


def this_command() -> str:
    """The command that is running, such as "dpslr simulate tracts"."""
    context: click.Context | None = click.get_current_context()
    names = []
    while context is not None and context.parent is not None:
        names.append(str(context.info_name))
        context = context.parent
    return " ".join(["dpslr", *reversed(names)])


def mark(kind: str = "") -> str:
    """What a result says of itself: its command, what it is if not the result, and room for the digest of its bytes."""
    return f"{this_command()}{kind}, digest {UNSEALED}"


def is_own(path: Path, kind: str = "") -> bool:
    """Whether a file is a result of an earlier run of this command that nobody has changed since."""
    try:
        if not path.is_file():  # to open a pipe would wait
            return False
        with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_COPY) as content:
            digest = _digest_in(content, path, mark(kind).removesuffix(UNSEALED))
            said = content[digest]
            content[digest] = UNSEALED.encode()
            return said == sha256(content).hexdigest().encode()
    except (OSError, ValueError, IndexError):  # not to be read, empty, without a mark, cut off
        return False


def _digest_in(content: mmap, path: Path, marked: str) -> slice:
    """Where the digest is: tables as text and JSON say it at the top, others at their end. ValueError: nowhere."""
    seek = content.find if path.suffix in (".csv", ".json") else content.rfind
    place = seek(marked.encode())
    if place < 0:
        raise ValueError("no mark")
    first = place + len(marked)
    return slice(first, first + len(UNSEALED))


def refuse_foreign(path: Path, kind: str = "", option: str = "--out") -> None:
    """ValueError where a file is there that is not this command's own, see is_own."""
    if path.exists() and not is_own(path, kind):
        raise ValueError(
            f"{option} would replace {str(path)!r}, which is not an unchanged earlier result of {this_command()}: "
            "choose another name, or move that file"
        )


@contextmanager
def own(path: Path, kind: str = "") -> Iterator[IO[bytes]]:
    """A file to write to, whole or not at all, that holds mark(kind); the digest in it is filled in at the end."""
    refuse_foreign(path, kind)
    with whole(path) as file:
        yield file
        file.flush()
        with mmap(file.fileno(), 0) as content:
            digest = _digest_in(content, path, mark(kind).removesuffix(UNSEALED))
            content[digest] = sha256(content).hexdigest().encode()


def write_frame(frame: pd.DataFrame, path: Path, about: Mapping[str, str] | None = None, kind: str = "") -> None:
    """The frame as .parquet or .csv of this command, with what it says of itself, see report.tables."""
    with own(path, kind) as file:
        write = write_parquet if path.suffix == ".parquet" else write_csv
        write(frame, file, {**(about or {}), "written by": mark(kind)})


def write_result(content: bytes, path: Path) -> None:
    """A page, a Word file, a picture or an object of JSON as a result of this command.

    The mark stands where programs that show the file pass over it: in a comment, or after the end of a picture.
    """
    said = mark().encode()
    if path.suffix == ".json":
        content = b'{"written by": "' + said + b'",\n' + content.lstrip()[1:].lstrip()
    elif path.suffix == ".docx":  # a ZIP file ends with the length of its comment, and the comment
        content = content[:-2] + len(said).to_bytes(2, "little") + said
    else:
        content += said if path.suffix == ".png" else b"<!-- " + said + b" -->\n"
    with own(path) as file:
        file.write(content)
