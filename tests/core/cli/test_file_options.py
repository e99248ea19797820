"""Files on the command line: what is one, and what options say of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cases.scenario_files import run


def test_the_options_of_a_file_say_where_people_are_and_how_many_rows_one_has(tmp_path: Path):
    """The points lie where most people are, and rows of one person beyond the setting are said; both as on the page."""
    rows = "".join(f"{i % 30},{20 + i % 40},h{i % 20}\n" for i in range(60))
    (tmp_path / "a.csv").write_text("age,score,person\n" + rows)
    settings = "--x age --y score --x-bounds 0 100 --y-bounds 0 100 --epsilon 2 --json"
    words = ["compare", str(tmp_path / "a.csv"), *settings.split(), "--algorithm", "NoisyStats"]
    usual, stated = (run(*words, *more) for more in ((), ("--x-most", "10", "26")))
    points = [[row["at"] for row in json.loads(done.stdout)["summary"]] for done in (usual, stated)]
    assert points == [[25, 75], pytest.approx([14, 22])]
    assert (
        "age = 75 lies beyond the records, which end at 29" in usual.stderr
        and "beyond" not in stated.stderr
    )
    person = ("--person", "person")
    assert (
        "one person has 3 rows at most, but the guarantee covers 1. Say with --records-per-person"
        in run(*words, *person).stderr
    )
    assert (
        "3 rows at most. The guarantee covers 3."
        in run(*words, *person, "--records-per-person", "3").stderr
    )
