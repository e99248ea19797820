"""Plain values of what the software says today, as JSON that can be read and compared line by line."""

from __future__ import annotations

import json
import math
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from hashlib import sha256
from importlib.metadata import version
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpslr_core.support import VERSION

FOLDER = Path(__file__).parent
DIGITS = 8  # significant digits of a stored number
RELATIVE, ABSOLUTE = 1e-6, 1e-9  # how far a number may be off
LONG, SHOWN = 24, 8  # a list of more items is stored as so many of them, evenly spread
LINE, NAME = 120, 30  # characters of what is stored in one line, and of a text that is no sentence
MISSING = "(missing)"

# What is another at every release or on every machine, and an image by its digest.
_PASSING = (
    (re.compile(rf"(?<![\d.]){re.escape(VERSION)}(?!\d)"), "VERSION"),
    (re.compile(re.escape(str(FOLDER.parents[1]))), "FOLDER"),
    (re.compile(r"(?<=vega-lite/)v[\d.]+(?=\.json)"), "VERSION"),
    (re.compile(rf"\b(numpy ){re.escape(version('numpy'))}(?!\d)"), r"\1VERSION"),
    (re.compile(rf"\b(scipy ){re.escape(version('scipy'))}(?!\d)"), r"\1VERSION"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "DIGEST"),
    (
        re.compile(r"(?<![\w.])\d+\.\d{12,}(?:e[+-]?\d+)?(?!\w)"),
        lambda found: f"{float(found[0]):.{DIGITS}g}",
    ),
    (
        re.compile(r"data:image/[^\"']+"),
        lambda found: f"data:image {sha256(found[0].encode()).hexdigest()[:12]}",
    ),
    (
        re.compile(r"^(# scenario:|.*<code id=\"scenario\">).*$", re.MULTILINE),
        r"\1 ...",
    ),  # a file of its own
)


def lines(text: str) -> list[str]:
    """The lines of a text, without versions and digests."""
    return [line.rstrip() for line in _lasting(text).splitlines() if line.strip()]


def _lasting(text: str) -> str:
    for pattern, name in _PASSING:
        text = pattern.sub(name, text)
    return text


def plain(value: Any) -> Any:
    """The value as JSON can say it: keys in order, numbers to DIGITS, long lists by some of their items."""
    match value:
        case {"bdata": str() as data, "dtype": str() as kind, **more}:  # an array of plotly's
            shape = [int(size) for size in str(more.get("shape", -1)).split(",")]
            return plain(np.frombuffer(b64decode(data), kind).reshape(shape))
        case Mapping():
            return {str(key): plain(value[key]) for key in sorted(value, key=str)}
        case np.ndarray():
            return plain(value.tolist())
        case list() | tuple():
            return _thinned([plain(item) for item in value])
        case np.generic():
            return plain(value.item())
        case bool() | int() | None:
            return value
        case float():
            return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else str(value)
    return _lasting(str(value))


def _thinned(items: list[Any]) -> Any:
    if len(items) <= LONG:
        return items
    places = np.linspace(0, len(items) - 1, SHOWN).round().astype(int).tolist()
    return {"length": len(items), "some": [items[place] for place in places]}


def table(frame: pd.DataFrame) -> dict[str, Any]:
    """The columns of a frame in their order, each as a list, long ones by some of their items."""
    return {name: _thinned(column) for name, column in whole(frame).items()}


def whole(frame: pd.DataFrame) -> dict[str, list[Any]]:
    """The columns of a frame in their order, each as a list."""
    return {str(name): [plain(value) for value in frame[name].tolist()] for name in frame.columns}


def written(value: Any, indent: str = "") -> str:
    """JSON with a line for each sentence, and for each list of numbers or names; what is short in one line."""
    line, inside = _json(value), f"{indent} "
    nested = isinstance(value, list) and any(isinstance(item, dict | list) for item in value)
    sentences = any(len(text) > NAME for text in _strings(value))
    if not value or not isinstance(value, dict | list) or (not sentences and len(line) <= LINE):
        return line
    if isinstance(value, dict):
        items = [
            f"{inside}{_json(str(key))}: {written(item, inside)}" for key, item in value.items()
        ]
        return "{\n" + ",\n".join(items) + f"\n{indent}}}"
    if not sentences and not nested:
        return line
    return "[\n" + ",\n".join(f"{inside}{written(item, inside)}" for item in value) + f"\n{indent}]"


def _strings(value: Any) -> Iterator[str]:
    """All texts within a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def differences(stored: Any, made: Any, path: str = "") -> Iterator[str]:
    """Where two values differ, with both: numbers by more than RELATIVE and ABSOLUTE, all else at all."""
    if isinstance(stored, dict) and isinstance(made, dict):
        for key in (*stored, *(key for key in made if key not in stored)):
            yield from differences(
                stored.get(key, MISSING), made.get(key, MISSING), f"{path}/{key}"
            )
        if stored.keys() == made.keys() and list(stored) != list(made):
            yield f"{path}: {list(stored)} stood in this order, now {list(made)}"
    elif _are_texts(stored) and _are_texts(made):
        for kind, start, end, first, last in SequenceMatcher(
            None, stored, made, autojunk=False
        ).get_opcodes():
            if kind != "equal":
                yield f"{path}/{start}: {_short(stored[start:end])} was stored, now {_short(made[first:last])}"
    elif isinstance(stored, list) and isinstance(made, list):
        for place, (before, now) in enumerate(zip_longest(stored, made, fillvalue=MISSING)):
            yield from differences(before, now, f"{path}/{place}")
    elif not _alike(stored, made):
        yield f"{path}: {_short(stored)} was stored, now {_short(made)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 3 * LINE else f"{text[: 3 * LINE]} ..."


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _alike(stored: Any, made: Any) -> bool:
    numbers = [
        isinstance(value, int | float) and not isinstance(value, bool) for value in (stored, made)
    ]
    if all(numbers):
        return math.isclose(stored, made, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return type(stored) is type(made) and bool(stored == made)


def file_of(part: str) -> Path:
    """The file of a part."""
    return FOLDER / f"{part}.json"


def read(part: str) -> Any:
    """What is stored of a part; nothing where it has no file."""
    return json.loads(file_of(part).read_text(encoding="utf-8")) if file_of(part).exists() else {}


def write(part: str, made: Any) -> None:
    """Store a part."""
    file_of(part).write_text(written(made) + "\n", encoding="utf-8")
