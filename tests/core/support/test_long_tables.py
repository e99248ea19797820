"""No cell for a spreadsheet is a formula or is lost."""

from __future__ import annotations

import csv
import io
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpslr_core.support.tables import without_formulas

SIGNS = "=+-@\t\r\n＝＋－＠"
texts = st.text(
    alphabet=st.one_of(
        st.sampled_from(SIGNS + "'1. ae"), st.characters(codec="utf-8", exclude_characters="\0")
    )
)


def read_back(cell: str) -> str:
    """As the docstring says."""
    return cell[1:] if re.match(rf"'+[{SIGNS}]", cell) else cell


@pytest.mark.parametrize(
    "formula", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\n=1", "＝1", "-", "--"]
)
def test_a_formula_becomes_text(formula):
    safe = without_formulas(pd.DataFrame({formula: [formula, "plain"]}))
    assert safe.columns.tolist() == [f"'{formula}"]
    assert safe.iloc[:, 0].tolist() == [f"'{formula}", "plain"]


def test_numbers_stay_numbers():
    frame = pd.DataFrame({
        "a": [-1.5, float("nan")], "n": [-3, 4], "ok": [True, False], "group": ["-5", "+.5e-3"], "kind": ["a=b", None],
        "many": pd.Categorical(["-x", "y"]),
    })  # fmt: skip
    safe = without_formulas(frame)
    pd.testing.assert_frame_equal(safe.drop(columns="many"), frame.drop(columns="many"))
    assert safe["many"].tolist() == ["'-x", "y"]
    assert frame["many"].tolist() == ["-x", "y"]


@given(st.lists(texts, min_size=1, max_size=5))
def test_texts_can_be_had_again_from_a_file(cells):
    safe = without_formulas(pd.DataFrame({"name": pd.Series(cells, dtype=object), "number": -1.0}))
    written = io.StringIO(safe.to_csv(index=False), newline="")
    _, *rows = csv.reader(written)
    for cell, number in rows:
        assert cell[:1] not in tuple(SIGNS) or np.isfinite(float(cell))
        assert number == "-1.0"
    lines_ended = [cell.replace("\r\n", "\n").replace("\r", "\n") for cell in cells]
    assert [read_back(cell) for cell, _ in rows] == lines_ended
