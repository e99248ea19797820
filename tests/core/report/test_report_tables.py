"""Saved tables: the same cells come back, and what they say of themselves."""

from __future__ import annotations

import json
from io import BytesIO

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from dpslr_core.report.metadata import csv_bytes, latex_bytes, parquet_bytes, settings_bytes

ABOUT = {
    "dpslr": "1",
    "table": "two\nlines",
    "n": "1,500",
    "epsilon": "0.5",
    "scenario": '{"a": "#, b"}',
}
CELLS = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), min_size=1
).filter(str.strip)


@given(st.lists(st.tuples(CELLS, st.floats(allow_nan=False)), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_pandas_reads_every_cell_back(rows: list[tuple[str, float]]):
    frame = pd.DataFrame(rows, columns=["name #", "value"])
    back = pd.read_csv(BytesIO(csv_bytes(frame)), keep_default_na=False, dtype=str)
    assert list(map(float, back["value"])) == frame["value"].tolist()
    assert [name.removeprefix("'") for name in back["name #"]] == [
        n.removeprefix("'") for n in frame["name #"]
    ]


def test_the_first_line_is_the_header_and_what_a_table_says_of_itself_is_json_and_parquet():
    assert csv_bytes(pd.DataFrame({"a": [1]})).decode().splitlines() == ["a", "1"]
    stored = json.loads(settings_bytes(ABOUT))
    assert stored == {
        **ABOUT,
        "n": 1500,
        "epsilon": 0.5,
        "scenario": {"a": "#, b"},
    }  # numbers are numbers
    frame = pd.read_parquet(BytesIO(parquet_bytes(pd.DataFrame({"a": [1.5, np.inf]}), ABOUT)))
    assert frame.attrs == ABOUT and frame["a"].tolist() == [1.5, np.inf]


def test_latex_has_the_cells_and_the_settings_as_comments():
    """As many cells in each row as columns; no sign is left that LaTeX would read as its own."""
    frame = pd.DataFrame(
        {"a_b": ["50% & more", "x^2 #1 {~}"], "C(68), ε": [0.123456, np.inf], "n": [1000, 2]}
    )
    text = latex_bytes(frame, ABOUT).decode()
    assert text.startswith("% dpslr: 1\n% table: two lines\n% n: 1,500\n")
    assert text.splitlines()[4] == '% scenario: {"a": "#, b"}'
    rows = [line for line in text.splitlines() if line.endswith(r" \\")]
    assert rows == [
        r"a\_b & C(68), ε & n \\",
        r"50\% \& more & 0.1235 & 1000 \\",
        r"x\textasciicircum 2 \#1 \{\textasciitilde \} & inf & 2 \\",
    ]
