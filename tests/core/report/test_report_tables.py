"""Saved tables: the same cells come back, and what they say of themselves."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from dpslr_core.report.metadata import csv_bytes, parquet_bytes
from dpslr_core.sources.tables import read_table

ABOUT = {"dpslr": "1", "table": "two\nlines", "scenario": '{"a": "#, b"}'}
CELLS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), min_size=1).filter(str.strip)


@given(st.lists(st.tuples(CELLS, st.floats(allow_nan=False)), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_pandas_reads_every_cell_back(rows: list[tuple[str, float]]):
    frame = pd.DataFrame(rows, columns=["name #", "value"])
    for about in ({}, ABOUT):
        back = pd.read_csv(
            BytesIO(csv_bytes(frame, about)), comment="#", keep_default_na=False, dtype=str,
        )  # fmt: skip
        assert list(map(float, back["value"])) == frame["value"].tolist()
        assert [name.removeprefix("'") for name in back["name #"]] == [n.removeprefix("'") for n in frame["name #"]]


def test_what_a_table_says_of_itself_stands_above_it_in_one_line_each():
    lines = csv_bytes(pd.DataFrame({"a": [1]}), ABOUT).decode().splitlines()
    assert lines == ["# dpslr: 1", "# table: two lines", '# scenario: {"a": "#, b"}', "a", "1"]
    frame = pd.read_parquet(BytesIO(parquet_bytes(pd.DataFrame({"a": [1.5, np.inf]}), ABOUT)))
    assert frame.attrs == ABOUT and frame["a"].tolist() == [1.5, np.inf]


def test_our_own_reader_leaves_it_out_and_keeps_the_numbers_of_the_rows():
    frame = pd.DataFrame({"x": [0.1, 0.2, 0.3], "y": [1.0, 2.0, 3.0]})
    table = read_table(csv_bytes(frame, ABOUT))
    assert table.frame is not None and not table.problems
    assert table.frame["x"].astype(float).tolist() == frame["x"].tolist()
    assert table.frame.index.tolist() == [5, 6, 7]


def test_a_header_with_the_sign_is_no_such_line():
    table = read_table(b"# id,x\n1,2\n3,4\n5,6\n")
    assert table.frame is not None and list(table.frame.columns) == ["# id", "x"]
