"""Reader for files of every supported kind, which is told by their content.

>>> table = read_file(Path("pupils.xlsx"))  # doctest: +SKIP
>>> table.names, table.problems  # doctest: +SKIP
"""

from __future__ import annotations

import io
from pathlib import Path
from zipfile import ZipFile

import pandas as pd

from ..support.readable import visible
from .columns import MAX_BYTES, SMALLEST_TABLE, Labels, Table, Unreadable, error, refuse_bytes
from .delimited import read_text
from .numbers import Problem
from .parquet import read_parquet
from .stata import read_stata
from .workbooks import read_workbook

ENDINGS = ("csv", "tsv", "txt", "xlsx", "dta", "parquet", "pq")
_OLD_STATA = range(102, 116)  # first bytes of old Stata files: their versions
SAVE_AS_CSV = "Save the table as CSV."
_WORKBOOK = "Open it and save the sheet as .xlsx or CSV."
_UNPACK = "Unpack it first."

# First bytes of files that are not read, their kind, and a remedy.
OTHERS: tuple[tuple[bytes, str, str], ...] = (
    (b"\xd0\xcf\x11\xe0", "an old workbook (.xls), or one with a password", _WORKBOOK),
    (b"%PDF", "a PDF", SAVE_AS_CSV),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", _UNPACK),
    (b"Rar!", "a RAR archive", _UNPACK),
    (b"\x1f\x8b", "packed by gzip", _UNPACK),
    (b"$FL2", "an SPSS file", SAVE_AS_CSV),
    (bytes(12) + b"\xc2\xea\x81\x60", "a SAS file", SAVE_AS_CSV),
)
_MARKUP = (b"<!doctype", b"<html", b"<table", b"<?xml", b"<svg")


def read_file(source: bytes | Path, name: str | None = None) -> Table:
    """Read the table in a file.

    The kinds are text (CSV, with any separator of columns), workbooks (.xlsx), Stata and Parquet files. The content
    tells the kind, and not the name.

    Parameters
    ----------
    source : bytes or Path
        Content of the file, or its path.
    name : str, optional
        Name of the file, for messages; by default its name on the disk.

    Returns
    -------
    Table
        With a message on everything that is wrong with the file. Nothing in a file makes this function raise.
    """
    name = visible(name if name is not None else getattr(source, "name", "the file"))
    problems: list[Problem] = []
    try:
        frame, labels = _contents(source, name, problems)
        return Table(frame, problems, labels)
    except Unreadable as stop:
        return Table(None, (*problems, error(str(stop))))
    except MemoryError:
        return Table(None, (*problems, error(f"There is not enough memory to read {name}.")))
    except OSError as reason:
        sentence = f"{name} cannot be read: {reason.strerror or 'the file is damaged'}."
        return Table(None, (*problems, error(sentence)))
    except Exception:  # whatever a wrong or damaged file makes a parser raise
        sentence = f"{name} cannot be read: the file is damaged or incomplete."
        return Table(None, (*problems, error(sentence)))


def _contents(
    source: bytes | Path, name: str, problems: list[Problem]
) -> tuple[pd.DataFrame, Labels]:
    """Return the columns of a file, and the names that it gives to numbers; Unreadable where there is no table."""
    if isinstance(source, Path) and source.stat().st_size <= MAX_BYTES:
        source = source.read_bytes()
    head = source[:1024] if isinstance(source, bytes) else _head(source)
    if head.startswith(b"PAR1"):
        return _stored(read_parquet(source, name, problems), {}, name)
    if _is_stata(head):
        return _stored(*read_stata(source, name, problems), name)
    for beginning, what, remedy in OTHERS:
        if head.startswith(beginning):
            raise Unreadable(f"{name} is {what}. {remedy}")
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_MARKUP):
        raise Unreadable(f"{name} is a web page or XML, whatever its name. {_WORKBOOK}")
    if isinstance(source, Path):
        refuse_bytes(source.stat().st_size, name)
        raise Unreadable(f"{name} has grown while it was read.")
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _in_archive(source, name, problems)
    return read_text(source, name, problems), {}


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(1024)


def _is_stata(head: bytes) -> bool:
    """Tell whether a file begins as Stata files do: with a tag, or with a version, a byte order and a type."""
    if head.startswith(b"<stata_dta>"):
        return True
    return (
        len(head) > 3 and head[0] in _OLD_STATA and head[1] in (1, 2) and head[2:4] == b"\x01\x00"
    )


def _stored(frame: pd.DataFrame, labels: Labels, name: str) -> tuple[pd.DataFrame, Labels]:
    """Return columns and labels unchanged; Unreadable where columns or rows are too few."""
    if len(frame.columns) < 2:
        only = ", ".join(map(repr, frame)) or "none"
        raise Unreadable(f"Only one column was found in {name}, {only}; x and y need two.")
    if len(frame) < SMALLEST_TABLE:
        rows = "1 row" if len(frame) == 1 else f"{len(frame)} rows"
        raise Unreadable(f"{name} has {rows}; at least {SMALLEST_TABLE} are needed.")
    return frame, labels


def _in_archive(content: bytes, name: str, problems: list[Problem]) -> tuple[pd.DataFrame, Labels]:
    """Read the columns of a workbook; Unreadable for every other archive."""
    with ZipFile(io.BytesIO(content)) as archive:
        names = {member.filename.lower() for member in archive.infolist()}
    if "xl/workbook.xml" in names:
        return read_workbook(content, name, problems), {}
    _refuse_document(names, name)
    raise Unreadable(f"{name} is a ZIP archive. {_UNPACK}")


def _refuse_document(names: set[str], name: str) -> None:
    """Raise Unreadable if an archive is a document of another program."""
    documents = {
        "xl/workbook.bin": ("a binary workbook (.xlsb)", _WORKBOOK),
        "word/document.xml": ("a Word document", SAVE_AS_CSV),
        "content.xml": ("an OpenDocument file (.ods)", _WORKBOOK),
    }
    for path, (what, remedy) in documents.items():
        if path in names:
            raise Unreadable(f"{name} is {what}. {remedy}")
