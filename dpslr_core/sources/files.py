"""One reader for files of every kind, by what is in them.

>>> table = read_file(Path("pupils.xlsx"))  # doctest: +SKIP
>>> table.names, table.problems  # doctest: +SKIP
"""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path
from zipfile import BadZipFile, ZipFile, ZipInfo

import pandas as pd

from ..support.readable import visible
from .columns import (
    MAX_BYTES,
    SMALLEST_TABLE,
    Columns,
    Table,
    Unreadable,
    error,
    guessed_by,
    refuse_bytes,
)
from .delimited import read_text
from .numbers import Problem
from .parquet import ParquetColumns
from .stata import StataColumns
from .workbooks import read_workbook

ENDINGS = ("csv", "tsv", "txt", "gz", "zip", "xlsx", "dta", "parquet", "pq")
_DATA = ("csv", "tsv", "xlsx", "dta", "parquet", "pq")  # endings of tables, and of no remarks
_MEMBERS = 5  # of an archive, that a message names
_DEEP = 3  # packed in what is packed
_OLD_STATA = range(102, 116)  # versions, the first byte of such a file
SAVE_AS_CSV = "Save the table as CSV."
_WORKBOOK = "Open it and save the sheet as .xlsx or CSV."
_UNPACK = "Unpack it first."

# How files begin that are none of the kinds above, what they are, and what their user can do.
OTHERS: tuple[tuple[bytes, str, str], ...] = (
    (b"\xd0\xcf\x11\xe0", "an old workbook (.xls), or one with a password", _WORKBOOK),
    (b"%PDF", "a PDF", SAVE_AS_CSV),
    (b"{\\rtf", "a text document (RTF)", SAVE_AS_CSV),
    (b"BZh", "packed with bzip2", _UNPACK),
    (b"\xfd7zXZ\x00", "packed with xz", _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", _UNPACK),
    (b"Rar!", "a RAR archive", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "packed with Zstandard", _UNPACK),
    (b"$FL2", "an SPSS file", SAVE_AS_CSV),
    (b"$FL3", "an SPSS file", SAVE_AS_CSV),
    (b"RDX2", "an R workspace", SAVE_AS_CSV),
    (b"RDX3", "an R workspace", SAVE_AS_CSV),
    (b"X\n\x00\x00\x00", "an R object (.rds)", SAVE_AS_CSV),
    (b"PARE", "an encrypted Parquet file", "Save it without encryption."),
    (b"ARROW1", "a Feather file", "Save the table as Parquet or CSV."),
    (b"FEA1", "a Feather file", "Save the table as Parquet or CSV."),
    (b"ORC", "an ORC file", "Save the table as Parquet or CSV."),
    (b"\x89HDF", "an HDF5 file", SAVE_AS_CSV),
    (b"SQLite format 3\x00", "a database (SQLite)", SAVE_AS_CSV),
    (b"\x89PNG", "a picture", SAVE_AS_CSV),
    (b"\xff\xd8\xff", "a picture", SAVE_AS_CSV),
    (b"GIF8", "a picture", SAVE_AS_CSV),
)
_SAS = bytes(12) + b"\xc2\xea\x81\x60"
_MARKUP = (b"<!doctype", b"<html", b"<table", b"<?xml", b"<svg")


def read_file(source: bytes | Path, name: str | None = None) -> Table:
    """Read the table in a file.

    Read are text (CSV, whatever parts its columns), workbooks (.xlsx), Stata and Parquet files, and one of these in a
    .gz or .zip file. The kind is told by the content, whatever the file is called. Columns of Stata and Parquet files
    are read when they are asked for.

    Parameters
    ----------
    source : the content, or where the file is.
    name : of the file, for messages; by default as it is called on the disk.

    Returns
    -------
    Table
        With everything that is wrong with the file. Nothing in a file makes this function raise.
    """
    name = visible(name if name is not None else getattr(source, "name", "the file"))
    problems: list[Problem] = []
    try:
        columns = _columns(source, name, problems)
        return Table(columns, problems)
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


def _columns(
    source: bytes | Path, name: str, problems: list[Problem], deep: int = 0
) -> Columns | pd.DataFrame:
    """The columns of a file; Unreadable where there is no table."""
    if isinstance(source, Path) and source.stat().st_size <= MAX_BYTES:
        source = source.read_bytes()  # larger ones are read where they are, column by column
    head = source[:1024] if isinstance(source, bytes) else _head(source)
    if head.startswith(b"PAR1"):
        return _stored(ParquetColumns(source, name, problems), name)
    if _is_stata(head):
        return _stored(StataColumns(source, name, problems), name)
    for beginning, what, remedy in OTHERS:
        if head.startswith(beginning):
            raise Unreadable(f"{name} is {what}. {remedy}")
    if head.startswith(_SAS):
        raise Unreadable(f"{name} is a SAS file. {SAVE_AS_CSV}")
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_MARKUP):
        raise Unreadable(f"{name} is a web page or XML, whatever its name. {_WORKBOOK}")
    size = source.stat().st_size if isinstance(source, Path) else len(source)
    refuse_bytes(size, name)
    assert isinstance(source, bytes)
    if head.startswith((b"\x1f\x8b", b"PK\x03\x04", b"PK\x05\x06")):
        if deep >= _DEEP:
            raise Unreadable(f"{name} is packed more than once. {_UNPACK}")
        if head.startswith(b"\x1f\x8b"):
            return _columns(_unpacked(source, name), name, problems, deep + 1)
        return _in_archive(source, name, problems, deep)
    return read_text(source, name, problems)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(1024)


def _is_stata(head: bytes) -> bool:
    """Whether a file begins as Stata's do: with a tag, or a version, an order of bytes and a type."""
    if head.startswith(b"<stata_dta>"):
        return True
    return (
        len(head) > 3 and head[0] in _OLD_STATA and head[1] in (1, 2) and head[2:4] == b"\x01\x00"
    )


def _stored(columns: Columns, name: str) -> Columns:
    """Columns of a file that says their types, where there are enough of them and the first rows can be read."""
    if len(columns.names) < 2:
        only = ", ".join(map(repr, columns.names)) or "none"
        raise Unreadable(f"Only one column was found in {name}, {only}; x and y need two.")
    if len(columns.rows) < SMALLEST_TABLE:
        rows = "1 row" if len(columns.rows) == 1 else f"{len(columns.rows)} rows"
        raise Unreadable(f"{name} has {rows}; at least {SMALLEST_TABLE} are needed.")
    columns.first(guessed_by(len(columns.names)))
    return columns


def _unpacked(content: bytes, name: str) -> bytes:
    """The content of a .gz file; Unreadable where it is damaged or too large."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            unpacked = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        raise Unreadable(f"{name} cannot be unpacked: it is damaged or incomplete.") from None
    refuse_bytes(len(unpacked), name, unpacked=True)
    return unpacked


def _in_archive(
    content: bytes, name: str, problems: list[Problem], deep: int
) -> Columns | pd.DataFrame:
    """The columns of a workbook, or of the one table in a .zip file."""
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            names = {member.filename.lower() for member in archive.infolist()}
            if "xl/workbook.xml" in names:
                return read_workbook(content, name, problems)
            _refuse_document(names, archive, name)
            member = _member(archive, name)
            if member.flag_bits & 1:
                raise Unreadable(f"{name} is protected by a password. {_UNPACK}")
            refuse_bytes(member.file_size, name, unpacked=True)
            with archive.open(member) as file:
                unpacked = file.read(MAX_BYTES + 1)
    except (BadZipFile, EOFError, zlib.error, OSError):
        raise Unreadable(f"{name} cannot be unpacked: it is damaged or incomplete.") from None
    except NotImplementedError:
        raise Unreadable(f"{name} is packed in a way that is not read. {_UNPACK}") from None
    refuse_bytes(len(unpacked), name, unpacked=True)
    return _columns(unpacked, name, problems, deep + 1)


def _refuse_document(names: set[str], archive: ZipFile, name: str) -> None:
    """Unreadable where an archive is a document of another program."""
    parts = {
        "xl/workbook.bin": ("a binary workbook (.xlsb)", _WORKBOOK),
        "word/document.xml": ("a Word document", SAVE_AS_CSV),
        "ppt/presentation.xml": ("a presentation", SAVE_AS_CSV),
        "index/document.iwa": ("a Numbers or Pages document", "Export the sheet as .xlsx or CSV."),
    }
    for part, (what, remedy) in parts.items():
        if part in names:
            raise Unreadable(f"{name} is {what}. {remedy}")
    if "mimetype" in names and "content.xml" in names:
        raise Unreadable(f"{name} is an OpenDocument file (.ods). {_WORKBOOK}")


def _member(archive: ZipFile, name: str) -> ZipInfo:
    """The one file in an archive that is a table; Unreadable, with what is there, elsewhere."""
    files = [
        member
        for member in archive.infolist()
        if not member.is_dir() and not _is_of_system(member.filename)
    ]
    if not files:
        raise Unreadable(f"There is no file in {name}.")
    for wanted in (files, _ending(files, _DATA), _ending(files, ("txt", "gz"))):
        if len(wanted) == 1:
            return wanted[0]
        if wanted is not files and wanted:
            files = wanted
            break
    named = ", ".join(repr(visible(member.filename)) for member in files[:_MEMBERS])
    more = f" and {len(files) - _MEMBERS:,} more" if len(files) > _MEMBERS else ""
    raise Unreadable(f"{name} holds several files: {named}{more}. Send the one that is meant.")


def _is_of_system(file: str) -> bool:
    """Whether a program that packs adds this file on its own."""
    return file.startswith("__MACOSX/") or file.rsplit("/", 1)[-1].startswith(".")


def _ending(files: list[ZipInfo], endings: tuple[str, ...]) -> list[ZipInfo]:
    return [file for file in files if file.filename.lower().rpartition(".")[2] in endings]
