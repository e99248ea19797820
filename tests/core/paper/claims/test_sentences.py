"""What is said about the table of claims."""

import pandas as pd
import pytest
from readable import check_readable

from dpslr_core.paper.claims import sentences as claims

TABLE = pd.DataFrame(
    {
        "where": ["A", "B", "C"],
        "claim": ["It is 1.", "It is 2.", "It is 3."],
        "paper": ["1", "2", "3"],
        "ours": ["1", "5", ""],
        "verdict": ["agrees", "differs", "needs the data set"],
        "why": ["", "A typo.", ""],
        "seconds": [0.0, 0.0, 0.0],
    }
)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (TABLE[:2], "1 of 2 claims of the paper hold here; 1 differs."),
        (TABLE, "1 of 3 claims of the paper hold here; 1 differs; 1 needs a data set."),
        (TABLE[:1], "1 of 1 claims of the paper hold here; 0 differ."),
    ],
)
def test_the_headline_counts_every_verdict(rows, sentence):
    assert claims.headline(rows) == sentence


def test_those_that_differ_are_listed_with_the_reason():
    assert claims.differing(TABLE) == "- B: It is 2. Here: 5. A typo."


def test_a_choice_keeps_its_rows_and_names_columns_for_people():
    assert claims.chosen(TABLE, "differs")["here"].tolist() == ["5"]
    assert len(claims.chosen(TABLE, None)) == 3 and "seconds" not in claims.chosen(TABLE, None)
    check_readable(claims.CAPTION)
