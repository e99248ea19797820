"""Tables show numbers as sentences write them, and hold all their digits."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
from streamlit.testing.v1 import AppTest

from dpslr_core.text.phrases import format_amount

FRAME = pd.DataFrame({
    "name": ["a", "=1+1", "c"], "amount": [12345.678, float("inf"), 1.23456e-4], "count": [1234, -1, 0],
    "some": [True, False, True], "kind": pd.Categorical(["x", "y", "x"]),
})  # fmt: skip


def draw(frame):
    from ui import show

    show.numbers(frame, "table")


def shown(frame: pd.DataFrame):
    """The message of a table, what it holds, and what its cells show."""
    page = AppTest.from_function(draw, args=(frame,), default_timeout=60).run()
    assert not page.exception
    (table,) = page.dataframe
    message = table.proto.arrow_data
    held, written = (pa.ipc.open_stream(data).read_all() for data in (message.data, message.styler.display_values))
    return held, written


def test_cells_show_what_sentences_say_and_hold_every_digit():
    held, written = shown(FRAME)
    assert held["amount"].to_pylist() == FRAME["amount"].tolist()
    assert held["count"].to_pylist() == FRAME["count"].tolist()
    assert written["amount"].to_pylist() == [format_amount(12345.678, 4), "—", format_amount(1.23456e-4, 4)]
    assert written["count"].to_pylist() == ["1234", "-1", "0"]
    assert written["some"].to_pylist() == ["True", "False", "True"]
    assert held["kind"].to_pylist() == written["kind"].to_pylist() == ["x", "y", "x"]
    assert held.column_names == written.column_names == FRAME.columns.tolist()


def test_a_number_that_is_not_there_is_a_missing_cell():
    """Streamlit shows NaN as an error, whatever text is sent with it."""
    held, written = shown(pd.DataFrame({"amount": [1.5, float("nan")]}))
    assert held["amount"].to_pylist() == [1.5, None] and written["amount"].to_pylist() == ["1.5", "—"]


def test_a_cell_that_a_spreadsheet_would_compute_is_text_where_it_is_held_and_shown():
    for table in shown(FRAME):
        assert table["name"].to_pylist() == ["a", "'=1+1", "c"]


def test_values_of_several_kinds_in_one_column_are_shown_as_text():
    for table in shown(pd.DataFrame({"mixed": pd.Series([1, "b", 2.5], dtype=object)})):
        assert table["mixed"].to_pylist() == ["1", "b", "2.5"]
