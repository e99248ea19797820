"""Tables show numbers as sentences write them, and hold all their digits."""

from __future__ import annotations

import json

import pandas as pd
from pandas import isna
from streamlit.testing.v1 import AppTest

FRAME = pd.DataFrame({
    "name": ["a", "=1+1", "c"], "amount": [12345.678, float("inf"), 1.23456e-4], "count": [1234, -1, 0],
})  # fmt: skip


def draw(frame):
    from ui import show

    show.numbers(frame, "table")


def shown(frame: pd.DataFrame):
    """Cells of a table, and the formats of its columns."""
    page = AppTest.from_function(draw, args=(frame,), default_timeout=60).run()
    assert not page.exception
    (table,) = page.dataframe
    columns = json.loads(table.proto.columns)
    return table.value, {
        name: column["type_config"]["format"] for name, column in columns.items() if name in frame
    }


def test_numbers_are_shown_to_four_digits_and_held_to_all():
    held, formats = shown(FRAME)
    assert held["amount"].tolist()[::2] == FRAME["amount"].tolist()[::2] and isna(held["amount"][1])
    assert held["count"].tolist() == FRAME["count"].tolist()
    assert formats == {"amount": "%.5g"}  # no digit before the point is lost
    assert shown(pd.DataFrame({"small": [0.25, float("nan")]}))[1] == {"small": "%.4g"}
    assert shown(pd.DataFrame({"near": [100.0, 100.001]}))[1] == {
        "near": "%.10g"
    }  # what differs is not hidden
    assert shown(pd.DataFrame({"none": [float("nan")]}))[1] == {"none": "%.4g"}
