"""Files that this project writes and reads again, always complete, with a sentence where a file is damaged."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from errno import EACCES, EDQUOT, EFBIG, ENOENT, ENOSPC, ENOTDIR, EPERM, EROFS
from pathlib import Path
from typing import IO, Any, TypeVar

import pandas as pd

T = TypeVar("T")
# Why a file cannot be written, and what to do about it.
FULL = "the disk is full; free some space"
FORBIDDEN = "its folder may not be written to; choose another place"
REASONS = {
    ENOSPC: FULL, EDQUOT: "the disk quota is used up; free some space", EFBIG: "larger files are not allowed here; "
    "choose another place", EROFS: FORBIDDEN, EACCES: FORBIDDEN, EPERM: FORBIDDEN,
    ENOENT: "its folder is gone; make it again", ENOTDIR: "its folder is a file; choose another place",
}  # fmt: skip


class Unwritable(OSError):
    """File that cannot be written: a sentence with its name, the reason, and a remedy."""


class RepeatedName(ValueError):
    """Name that stands twice in an object of JSON: a sentence with it."""


class Damaged(ValueError):
    """Stored file that cannot be used: a sentence with its name and the cure."""


def parse_json(text: str) -> Any:
    """Parse JSON in which every name stands once; RepeatedName where a name stands twice: readers then disagree."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise RepeatedName(f"{twice!r} stands twice in one part of it; keep one of the two")
        return dict(pairs)

    return json.loads(text, object_pairs_hook=once)


def check_names(text: str) -> None:
    """Raise RepeatedName if a name stands twice in JSON; other faults are left to whoever reads the text."""
    try:
        parse_json(text)
    except RepeatedName:
        raise
    except (ValueError, RecursionError):
        return


def write_whole(content: bytes, path: Path) -> None:
    """Write a file completely or not at all; Unwritable where this fails, and then the old file stays."""
    with whole(path) as file:
        file.write(content)


@contextmanager
def whole(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that replaces `path` at the end, as in `write_whole`; a link stays, and its target is replaced."""
    target = Path(os.path.realpath(path))
    unfinished = target.with_name(f"{target.name}.{os.getpid()}.unfinished")
    try:
        try:
            with unfinished.open("w+b") as file:
                yield file
            os.replace(unfinished, target)
        finally:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> Unwritable:
    """Return the error on a file that cannot be written."""
    reason = REASONS.get(error.errno or 0, f"{error.strerror or error}; choose another place")
    return Unwritable(f"{path} cannot be written: {reason}")


def write_stored(content: Mapping[str, Any], path: Path) -> None:
    """Write an object of JSON with a digest, by which `read_stored` knows that nothing was changed."""
    text = json.dumps({"digest": _digest(content), **content}, ensure_ascii=False)
    write_whole(f"{text}\n".encode(), path)


def _digest(content: Any) -> str:
    """Return the SHA-256 of a value of JSON, whatever its layout."""
    return hashlib.sha256(
        json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    ).hexdigest()


def read_stored(path: Path, read: Callable[[Any], T], what: str, command: str) -> T:
    """Read a file of `write_stored`.

    Parameters
    ----------
    path : Path
        The file.
    read : callable
        Makes the result of the content.
    what : str
        Names the content in the sentence about a damaged file.
    command : str
        Makes the file anew.

    Raises
    ------
    Damaged
        If the file is missing or holds anything else, however deeply nested.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content.pop("digest") != _digest(content):
            raise ValueError("digest")
        return read(content)
    except Damaged:
        raise
    except OSError as error:
        reason = f"cannot be read ({error.strerror or type(error).__name__})"
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RecursionError,
        MemoryError,
    ):
        reason = f"is damaged: it holds no {what}"
    raise Damaged(f"{path.name} {reason}; make it anew with {command}") from None


def write_tables(tables: Mapping[str, pd.DataFrame], path: Path, digits: int, **about: Any) -> None:
    """Write tables by name as a file of JSON for `read_tables`; Unwritable where the file cannot be written.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        The tables.
    path : Path
        The file.
    digits : int
        Significant digits of numbers that are no integers.
    **about
        Values of JSON: what else is known of the tables.
    """
    stored = {}
    for name, table in tables.items():
        rows = table.map(
            lambda value: float(f"{value:.{digits}g}") if isinstance(value, float) else value
        )
        stored[name] = {column: rows[column].tolist() for column in rows}
    write_stored({"about": about, "tables": stored}, path)


def read_tables(
    path: Path, columns: Mapping[str, Sequence[str]], what: str, command: str
) -> dict[str, pd.DataFrame]:
    """Read tables of `write_tables` by name, with the values of `about` in `attrs`; Damaged as in `read_stored`.

    Parameters
    ----------
    path : Path
        The file.
    columns : mapping of str to sequence of str
        Columns to read, by name of the table; others are left out.
    what, command : str
        As in `read_stored`.
    """

    def read(stored: Any) -> dict[str, pd.DataFrame]:
        tables = {
            name: pd.DataFrame(stored["tables"][name])[list(names)]
            for name, names in columns.items()
        }
        for table in tables.values():
            table.attrs = stored["about"]
        return tables

    return read_stored(path, read, what, command)
