"""What the software says is what is stored, part by part; and a comparison that can fail."""

from __future__ import annotations

import copy
from itertools import islice
from typing import Any

import pytest

from tests.golden.parts import PARTS
from tests.golden.stored import FOLDER, differences, read

MOST = 10  # differences that a failure names


@pytest.mark.parametrize("part", PARTS)
def test_what_is_said_is_what_is_stored(part: str):
    made = PARTS[part]()
    if not made:
        pytest.skip(f"no data for {part} on this machine")
    changed = list(islice(differences(read(part), made), MOST + 1))
    if changed:
        more = ["and more"] if len(changed) > MOST else []
        meant = f"If this was meant: .venv/bin/python -m tests.golden {part}"
        pytest.fail("\n".join([*changed[:MOST], *more, meant]), pytrace=False)


def test_every_file_belongs_to_a_part():
    assert {file.stem for file in FOLDER.glob("*.json")} == set(PARTS)


TEXTS = ["One sentence.", "Another.", "A third."]
STORED: dict[str, Any] = {"share": 0.25, "rows": [1, 2.5, "nan", None, True], "texts": TEXTS}


def _with(path: list[Any], value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(STORED)
    *outer, last = path
    place: Any = changed
    for step in outer:
        place = place[step]
    place[last] = value
    return changed


@pytest.mark.parametrize("now", [STORED, _with(["share"], 0.25 * (1 + 5e-7)), _with(["rows", 0], 1.0 - 1e-10)])
def test_equal_values_and_numbers_within_a_millionth_are_alike(now: dict[str, Any]):
    assert not list(differences(STORED, now))


@pytest.mark.parametrize(
    ("now", "path"),
    [
        (_with(["share"], 0.25 * (1 + 1e-5)), "/share"),
        (_with(["rows", 1], "2.5"), "/rows/1"),
        (_with(["rows", 2], 0.0), "/rows/2"),
        (_with(["rows", 4], 1), "/rows/4"),
        (_with(["texts", 0], "One sentence"), "/texts/0"),
        (_with(["texts"], ["One sentence.", "A third."]), "/texts/1"),
        (_with(["texts"], ["A new one.", *TEXTS]), "/texts/0"),
        (_with(["rows"], [1, 2.5, "nan", None]), "/rows/4"),
        (_with(["more"], None), "/more"),
        ({key: value for key, value in STORED.items() if key != "share"}, "/share"),
        (dict(reversed(STORED.items())), ""),
    ],
)
def test_anything_else_is_a_difference_that_names_its_place(now: dict[str, Any], path: str):
    (told,) = differences(STORED, now)
    assert told.startswith(f"{path}: ")


def test_a_number_near_nothing_may_be_off_by_a_billionth():
    assert not list(differences({"loss": 0.0}, {"loss": 9e-10}))
    assert list(differences({"loss": 0.0}, {"loss": 2e-9}))
