"""What can become of a file on a disk, by what it is called."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path


def _changed(path: Path, change: Callable[[dict], object]) -> None:
    """The JSON of a file with something else in it."""
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")


def _of_one_type(value: object) -> Callable[[Path], object]:
    """Every list and object of the file holds this instead."""
    return lambda path: _changed(
        path, lambda content: content.update(dict.fromkeys(set(content) - {"digest"}, value))
    )


def _a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _another_text(text: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(text)


TEXTS = (
    "",
    "<!doctype html><title>502 Bad Gateway</title>",
    "[" * 100_000,
    '{"digest":' * 100_000 + "1" + "}" * 100_000,
    "null",
    "1" * 5_000,
    "[]",
    "{}",
)
WORN: dict[str, Callable[[Path], object]] = {
    **{f"another text, {number}": _another_text(text) for number, text in enumerate(TEXTS)},
    "missing": lambda path: path.unlink(),
    "a folder": _a_folder,
    "cut off": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "binary": lambda path: path.write_bytes(bytes(range(256)) * 20),
    "UTF-16": lambda path: path.write_bytes(path.read_text(encoding="utf-8").encode("utf-16")),
}
# Of files of JSON: well formed, and wrong.
WORN_JSON: dict[str, Callable[[Path], object]] = {
    "texts for values": _of_one_type("text"),
    "nothing for values": _of_one_type(None),
    "empty lists": _of_one_type([]),
    "a digest of another type": lambda path: _changed(
        path, lambda content: content.update(digest=["a"])
    ),
    "no digest": lambda path: _changed(path, lambda content: content.pop("digest")),
    "one digit": lambda path: path.write_text(
        path.read_text(encoding="utf-8").replace("0.25", "0.26", 1)
    ),
}
