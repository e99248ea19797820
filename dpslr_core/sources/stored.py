"""Files that this project writes and reads again: whole or not at all, and a sentence where one is damaged."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, EDQUOT, EFBIG, ENOENT, ENOSPC, ENOTDIR, EPERM, EROFS
from pathlib import Path
from typing import IO, Any, TypeVar

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
    """A file cannot be written: one sentence with its name, why, and what to do."""


class RepeatedName(ValueError):
    """A name stands twice in one object of JSON: one sentence with it."""


class Damaged(ValueError):
    """A stored file cannot be used: one sentence with its name and the cure."""


def parse_json(text: str) -> Any:
    """Parse JSON in which every name stands once; ValueError where one stands twice: readers differ in which counts."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise RepeatedName(f"{twice!r} stands twice in one part of it; keep one of the two")
        return dict(pairs)

    return json.loads(text, object_pairs_hook=once)


def check_names(text: str) -> None:
    """Refuse JSON in which a name stands twice, as parse_json; other faults are left to whoever reads it."""
    try:
        parse_json(text)
    except RepeatedName:
        raise
    except (ValueError, RecursionError):
        return


def write_whole(content: bytes, path: Path) -> None:
    """A file, whole or not at all: what was there before stays if this fails. Unwritable where it does."""
    with whole(path) as file:
        file.write(content)


@contextmanager
def whole(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to that takes its place at the end, as in write_whole; of a link the file that it leads to."""
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
    """The sentence about a file that cannot be written."""
    reason = REASONS.get(error.errno or 0, f"{error.strerror or error}; choose another place")
    return Unwritable(f"{path} cannot be written: {reason}")


def rounded(content: Any, digits: int) -> Any:
    """Lists and dicts with their floats to a number of significant digits."""
    if isinstance(content, dict):
        return {str(key): rounded(value, digits) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [rounded(value, digits) for value in content]
    if isinstance(content, float):
        return float(f"{content:.{digits}g}")
    return content


def write_stored(text: str, path: Path) -> None:
    """An object of JSON with the digest of its content, by which read_stored knows it again; errors of write_whole."""
    digest = _digest(json.loads(text))
    write_whole(f'{{"digest": "{digest}",\n{text.lstrip()[1:].lstrip()}\n'.encode(), path)


def _digest(content: Any) -> str:
    """SHA-256 of what JSON says, however it is laid out."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def read_stored(path: Path, read: Callable[[Any], T], what: str, command: str) -> T:
    """The value that read makes of a file of write_stored.

    what: it should hold. command: that makes it anew. Damaged, with both, where the file is missing or holds anything
    else, however deeply nested.
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
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, MemoryError):
        reason = f"is damaged: it holds no {what}"
    raise Damaged(f"{path.name} {reason}; make it anew with {command}") from None
