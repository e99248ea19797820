"""What is said about the table of claims."""

import re
from pathlib import Path

import pandas as pd
import pytest
from readable import check_readable

from dpslr_core.paper.claims import frame, load
from dpslr_core.paper.claims import sentences as claims

README = Path(__file__).parents[4] / "README.md"
TABLE = pd.DataFrame(
    {
        "where": ["A", "B", "C"],
        "claim": ["It is 1.", "It is 2.", "It is 3."],
        "paper": ["1", "2", "3"],
        "ours": ["1", "5", ""],
        "kind": ["holds", "error in print", "needs the data set"],
        "why": ["", "A typo.", ""],
        "seconds": [0.0, 0.0, 0.0],
    }
)


@pytest.mark.parametrize(
    ("rows", "sentence", "others"),
    [
        (TABLE[:2], "1 of 2 claims of the paper hold here.", "Error in print: 1."),
        (TABLE, "1 of 3 claims of the paper hold here.", "Error in print: 1. Needs the data set: 1."),
        (TABLE[:1], "1 of 1 claims of the paper hold here.", ""),
    ],
)
def test_the_headline_counts_those_that_hold_and_the_kinds_of_the_others_follow(rows, sentence, others):
    assert (claims.headline(rows), claims.others(rows)) == (sentence, others)


def test_the_numbers_add_up_and_the_readme_has_them():
    table, readme = frame(load()), " ".join(README.read_text(encoding="utf-8").split())
    held, count = (int(number) for number in re.findall(r"\d+", claims.headline(table)))
    others = [int(number) for number in re.findall(r": (\d+)", claims.others(table))]
    assert held + sum(others) == count == len(table)
    assert len(others) == table["kind"].nunique() - 1
    assert claims.headline(table) in readme and claims.others(table) in readme
    check_readable(claims.others(table))


def test_those_that_do_not_hold_are_listed_by_kind_with_the_reason():
    assert claims.differing(TABLE) == "Error in print:\n- B: It is 2. Here: 5. A typo."
    table = pd.concat([TABLE.assign(kind="our defaults differ"), TABLE])
    assert [line for line in claims.differing(table).splitlines() if line.endswith(":")] == [
        "Error in print:",
        "Our defaults differ:",
    ]


def test_a_choice_keeps_its_rows_and_names_columns_for_people():
    assert claims.chosen(TABLE, "error in print")["here"].tolist() == ["5"]
    assert len(claims.chosen(TABLE, None)) == 3 and "seconds" not in claims.chosen(TABLE, None)
    check_readable(claims.CAPTION)
