"""Axes, data in groups and the samples; which groups a line can be fitted to."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpslr_core.sources.axis import UNIT_X, UNIT_Y, Axis
from dpslr_core.sources.grouping import REASONS, GroupedData, group_faults
from dpslr_core.sources.samples import SAMPLES, load_sample, stored_file
from tests.cases.tables import check_refused, table

KEYS = [sample.key for sample in SAMPLES]


def grouped(groups: Sequence[str] = ("a", "a", "a", "b", "b"), **changes: Any) -> GroupedData:
    values = np.linspace(0, 1, len(groups))
    frame = pd.DataFrame({"group": groups, "x": values, "y": values**2})
    return GroupedData(
        **{"name": "test", "about": "", "x": UNIT_X, "y": UNIT_Y, "frame": frame, **changes}
    )


# Axis


def test_axis_maps_its_bounds_to_0_and_1():
    axis = Axis("temperature", "°C", -8, 39)
    assert axis.scale == 47
    np.testing.assert_allclose(axis.to_unit([-8, 15.5, 39]), [0, 0.5, 1])
    np.testing.assert_allclose(axis.from_unit([0, 0.5, 1]), [-8, 15.5, 39])
    assert axis.to_unit(86) == 2  # no clipping


BAD_AXES = """
    "x" | 1 | 1 | lower must be below upper
    "x" | 2 | 1 | lower must be below upper, got lower=2, upper=1
    "x" | -Infinity | 1 | lower must be a finite number
    "x" | 0 | NaN | upper must be a finite number
    "x" | -1.7e308 | 1.7e308 | scale must be a finite number
    "x" | "low" | 1 | lower must be a number
    " " | 0 | 1 | name of an axis must not be blank
"""


def test_axis_refuses_bad_bounds_and_a_blank_name():
    check_refused(lambda name, lower, upper: Axis(name, "", lower, upper), BAD_AXES)


# GroupedData


def test_grouped_data_has_its_groups_in_order_and_their_records():
    made = grouped(["b", "a", "b", "a", "b"])
    assert made.groups == ("b", "a") and made.sizes == {"b": 3, "a": 2}
    assert made.unusable == {"a": "fewer than 3 records"} and made.usable == ("b",)
    made = grouped(["tiny", "b", "a", "b", "a", "b", "a"])
    np.testing.assert_array_equal(made.dataset("a").x, np.linspace(0, 1, 7)[2::2])
    assert made.dataset() == made.dataset("b")  # the first that is large enough


BAD_GROUPS = r"""
    2 | "g5" | group must be one of 'g0', 'g1', got 'g5'
    50 | "x" | 'g0', ('g\d', ){6}\.\.\. 'g49' \(50 in all\), got 'x'
    2 | "g1" | group 'g1' cannot be used: fewer than 3 records
"""


def test_grouped_data_names_groups_that_cannot_be_used():
    check_refused(
        lambda count, group: grouped([f"g{i}" for i in range(count)]).dataset(group), BAD_GROUPS
    )


BAD_FRAMES = """
    {"group": [], "x": [], "y": []} | at least one row
    {"group": ["a"], "x": [1.5], "y": [0.5]} | x of 'test' must lie in
    {"group": ["a"], "x": [0.5], "y": [NaN]} | y of 'test' must lie in
"""


def test_grouped_data_refuses_bad_frames():
    check_refused(lambda columns: grouped(frame=pd.DataFrame(columns)), BAD_FRAMES)


def test_grouped_data_keeps_a_copy_with_text_labels():
    frame = pd.DataFrame({"group": 1, "x": [0, 0.5, 1], "y": 0.5, "other": 0}, index=[7, 8, 9])
    made = grouped(frame=frame)
    frame.loc[7, "x"] = 0.9
    assert made.frame.iloc[0].tolist() == ["1", 0, 0.5] and list(made.frame.index) == [0, 1, 2]


labels = st.lists(st.text(st.sampled_from('\x1f"a\xff'), max_size=3), min_size=1, max_size=4)


@given(labels, labels)
@example(["a\x1fb", "c"], ["a", "b\x1fc"])
@example(["a\x1fb"], ["a", "b"])
@example(["\x1f"], ["", ""])
def test_other_labels_have_another_digest(one, other):
    digests = [
        grouped(frame=pd.DataFrame({"group": names, "x": 0.5, "y": 0.5})).digest
        for names in (one, other)
    ]
    assert (digests[0] == digests[1]) == (one == other)


# Samples


@pytest.mark.parametrize("key", KEYS)
def test_every_sample_loads_and_every_group_works(key):
    made = load_sample(key)
    assert made.reproducible and "Simulated" in made.about
    assert made.unusable == {} and made.clipped_x == made.clipped_y == 0
    for group in made.groups:
        assert made.dataset(group).nvar > 0


def test_sample_data_are_made_again_byte_for_byte(tmp_path):
    spec = importlib.util.spec_from_file_location("make_samples", stored_file("make.py"))
    assert spec is not None and spec.loader is not None
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    make.main(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        f"{sample.key}.csv" for sample in SAMPLES
    )
    for path in tmp_path.iterdir():
        assert path.read_bytes() == stored_file(path.name).read_bytes(), path.name


# x and y of the records of a group, and why no line can be fitted.
FAULTS = table("""
    [0.1, 0.9] | [0.2, 0.3] | small
    [0.1, NaN, 0.9] | [0.2, 0.3, 0.4] | missing
    [0.1, 0.2, 0.9] | [0.2, Infinity, 0.4] | missing
    [0.1, 0.2, 1.01] | [0.2, 0.3, 0.4] | outside
    [0.1, 0.2, 0.9] | [0.2, -1e-9, 0.4] | outside
    [0.3, 0.3, 0.3] | [0.2, 0.3, 0.4] | constant
    [0.3, 0.300000000000001, 0.3] | [0.2, 0.3, 0.4] | constant
    [0.3, 0.3, 0.300000001] | [0.2, 0.2, 0.2] | none
    [0, 0, 1] | [0, 1, 1] | none
""")


@pytest.mark.parametrize(("x", "y", "reason"), FAULTS)
def test_the_reason_why_a_group_cannot_be_used(x, y, reason):
    assert group_faults(["a"] * len(x), x, y).get("a") == REASONS.get(reason)
