"""Rows that arrive in parts are those of the parts put together, to the last bit and of the same types."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpslr_core.support.work.rows import Rows

PARTS = {
    "numbers, texts and truths": [
        {"group": ["b", "b", "ä"], "n": [3, 3, 4], "error": [0.1, np.inf, np.nan], "exact": [True, False, True]},
        {"group": ["ä", "c"], "n": [4, 5], "error": [-0.0, 1e-300], "exact": [False, False]},
    ],
    "whole numbers, then fractions": [{"rate": [0, 1]}, {"rate": [0.5]}],
    "labels that are no texts": [{"group": [1, 1, 2]}, {"group": [3]}],
    "dates": [{"group": pd.to_datetime(["2020-01-01", "2021-01-01"])}, {"group": pd.to_datetime(["2020-01-01"])}],
}


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("spare", [0, 5])
def test_rows_are_the_parts_one_below_the_other(name: str, spare: int):
    parts = [pd.DataFrame(part) for part in PARTS[name]]
    rows = Rows(sum(map(len, parts)) + spare, list(parts[0]))
    for part in parts:
        rows.add(part)
    pd.testing.assert_frame_equal(rows.frame(), pd.concat(parts, ignore_index=True), check_exact=True)


def test_without_rows_there_are_still_the_columns():
    frame = Rows(0, ["a", "b"]).frame()
    assert list(frame) == ["a", "b"] and frame.empty


def test_more_rows_than_were_said_are_refused():
    rows = Rows(3, ["a"])
    rows.add(pd.DataFrame({"a": [1, 2]}))
    with pytest.raises(ValueError, match="at most 3 rows were to arrive, got 4"):
        rows.add(pd.DataFrame({"a": [1, 2]}))
