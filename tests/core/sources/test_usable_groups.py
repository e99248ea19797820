"""Which groups can be regressed: one rule for uploads, grouped data and areas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpslr_core.experiments.areas import split_groups
from dpslr_core.sources.axis import UNIT_X, UNIT_Y
from dpslr_core.sources.grouping import REASONS, GroupedData, group_faults
from dpslr_core.sources.tables import Column, Table, grouped_from_table

FAULTS = [
    ([0.1, 0.9], [0.2, 0.3], "small"),
    ([0.1, np.nan, 0.9], [0.2, 0.3, 0.4], "missing"),
    ([0.1, 0.2, 0.9], [0.2, np.inf, 0.4], "missing"),
    ([0.1, 0.2, 1.01], [0.2, 0.3, 0.4], "outside"),
    ([0.1, 0.2, 0.9], [0.2, -1e-9, 0.4], "outside"),
    ([0.3, 0.3, 0.3], [0.2, 0.3, 0.4], "constant"),
    ([0.3, 0.3 + 1e-15, 0.3], [0.2, 0.3, 0.4], "constant"),
    ([0.3, 0.3, 0.3 + 1e-9], [0.2, 0.2, 0.2], None),
    ([0, 0, 1], [0, 1, 1], None),
]


@pytest.mark.parametrize(("x", "y", "reason"), FAULTS)
def test_the_reason_why_a_group_cannot_be_used(x, y, reason):
    assert group_faults(["a"] * len(x), x, y) == ({} if reason is None else {"a": REASONS[reason]})


def test_faults_by_label_in_order_of_appearance():
    labels = ["c", "a", "b", "a", "b", "b", "c"]
    faults = group_faults(labels, [0.1, 0.5, 0.2, 0.5, 0.3, 0.4, 0.9], np.zeros(7))
    assert list(faults.items()) == [("c", REASONS["small"]), ("a", REASONS["small"])]


def test_uploads_grouped_data_and_areas_agree():
    frame = pd.DataFrame(
        {
            "group": np.repeat(["two", "flat", "good"], [2, 4, 4]),
            "x": [0.1, 0.2, 0.5, 0.5, 0.5, 0.5 + 1e-15, 0.1, 0.2, 0.3, 0.4],
            "y": 0.5,
        }
    )
    expected = {"flat": REASONS["constant"], "two": REASONS["small"]}
    grouped = GroupedData("test", "", UNIT_X, UNIT_Y, frame)
    assert grouped.unusable == expected and grouped.usable == ("good",) and grouped.dataset().n == 4
    built = grouped_from_table(Table(frame), Column("x", (0, 1)), Column("y", (0, 1)), "group")
    assert built.grouped is not None and built.grouped.groups == ("good",)
    for rejected in (built.rejected, split_groups(frame).rejected):
        assert dict(zip(rejected["group"], rejected["reason"], strict=True)) == expected
