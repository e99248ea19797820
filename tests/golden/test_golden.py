"""What the software says is what is stored, part by part; and a comparison that can fail."""

from __future__ import annotations

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
STORED: dict[str, Any] = {
    "share": 0.25,
    "loss": 0.0,
    "rows": [1, 2.5, "nan", None, True],
    "texts": TEXTS,
}


def test_equal_values_and_numbers_within_a_millionth_or_a_billionth_are_alike():
    near = {"share": 0.25 * (1 + 5e-7), "loss": 9e-10, "rows": [1.0 - 1e-10, *STORED["rows"][1:]]}
    assert not list(differences(STORED, STORED | near))


def test_anything_else_is_a_difference_that_names_its_place():
    for changes, path in (
        ({"share": 0.25 * (1 + 1e-5)}, "/share"),
        ({"loss": 2e-9}, "/loss"),
        ({"rows": [1, "2.5", "nan", None, True]}, "/rows/1"),
        ({"rows": [1, 2.5, "nan", None]}, "/rows/4"),
        ({"texts": ["One sentence", *TEXTS[1:]]}, "/texts/0"),
        ({"texts": ["A new one.", *TEXTS]}, "/texts/0"),
        ({"more": None}, "/more"),
    ):
        (difference,) = differences(STORED, STORED | changes)
        assert difference.startswith(f"{path}: ")
    (difference,) = differences(
        STORED, {key: value for key, value in STORED.items() if key != "share"}
    )
    assert difference.startswith("/share: ")
    (difference,) = differences(STORED, dict(reversed(STORED.items())))
    assert difference.startswith(": ")
