"""Numbers on pages and in commands: two that differ look different; years have no mark."""

from math import isinf, nextafter

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpslr_core.sources.axis import Axis
from dpslr_core.sources.numbers import read_number
from dpslr_core.support.readable import all_in_full, write_measured
from dpslr_core.support.tables import number_format
from dpslr_core.text.phrases import bounds_of, points_on, value_on
from tests.cases.tables import table

FINITE = st.floats(allow_nan=False, allow_infinity=False)
LARGE = st.integers(-(2**53) + 1, 2**53 - 1).map(float)


def test_values_of_a_column_that_may_be_years_have_no_mark():
    x = Axis("year", lower=-1990, upper=2020)
    assert x.written((2005.0, -1990, 999)) == ["2005", "-1990", "999"]
    assert Axis("pay", lower=1000, upper=25_000).written((1000, 25_000)) == ["1,000", "25,000"]
    assert value_on(x, float(x.to_unit(2005.2)), 4) == "2005"
    table = pd.DataFrame({"at": [2005.0, 2015.0]})
    assert table.to_string(index=False, float_format=number_format(table)).split() == [
        "at",
        "2005",
        "2015",
    ]


@given(st.lists(FINITE | LARGE, max_size=6))
def test_numbers_beside_each_other_that_differ_look_different_and_can_be_typed(values):
    texts = all_in_full(values)
    assert len(set(texts)) == len(set(values))
    assert len({read_number(text) for text in texts}) == len(set(values))


def test_digits_are_those_that_are_needed():
    assert all_in_full([0.1, 0.1 + 1e-12, 0.5]) == ["0.1", "0.100000000001", "0.5"]
    assert all_in_full([0.3, nextafter(0.3, 1)]) == ["0.3", "0.30000000000000004"]
    assert all_in_full([0.1 + 0.2, 2.5]) == ["0.3", "2.5"]
    assert all_in_full([1e-300, 1.5e-300]) == ["1 × 10⁻³⁰⁰", "1.5 × 10⁻³⁰⁰"]


# The ends of an axis, points of the unit square, and these as they are written.
POINTS = table("""
    2000 | 2020 | [0.25, 0.75] | 2005; 2015
    1000000000000001 | 1000000000000003 | [0, 0.5] | 1,000,000,000,000,001; 1,000,000,000,000,002
    1764262800e6 | 1764262810e6 | [0.25, 0.1] | 1,764,262,802,500,000; 1,764,262,801,000,000
    1000000000 | 1000000001 | [0.25, 0.75] | 1,000,000,000.25; 1,000,000,000.75
    -1000 | 1000 | [0.5001, 0.1] | 0.2; -800
    1e-300 | 2e-300 | [0.25, 0.75] | 1.25 × 10⁻³⁰⁰; 1.75 × 10⁻³⁰⁰
    0 | 40 | [0.1, 0.100000000001] | 4; 4.00000000004
""")


@pytest.mark.parametrize(("lower", "upper", "points", "texts"), POINTS)
def test_points_of_an_axis_look_different_wherever_it_lies(lower, upper, points, texts):
    x = Axis("x", lower=lower, upper=upper)
    assert points_on(x, points) == texts.split("; ")
    low, high = bounds_of(x).removeprefix("x ").split(" to ")
    assert low != high and [read_number(low), read_number(high)] == [lower, upper]


@given(FINITE, st.floats(1e-12, 1e12), st.lists(st.floats(0, 1), min_size=1, max_size=8))
@example(0.0, 5e-324, [0.5])
def test_the_ends_of_any_axis_look_different(lower, scale, points):
    if lower + scale == lower or isinf(lower + scale):
        return
    x = Axis("x", lower=lower, upper=lower + scale)
    assert len(set(x.written((x.lower, x.upper)))) == 2
    assert len(points_on(x, points)) == len(points)


def test_a_measured_column_has_four_digits_and_more_where_these_hide_what_differs():
    assert write_measured([1.23456, 2.0]) == ["1.235", "2"]
    assert write_measured([1e15 + 1, 1e15 + 2]) == [
        "1,000,000,000,000,001",
        "1,000,000,000,000,002",
    ]
    assert write_measured([1e9 + 0.25, 1e9 + 0.5]) == ["1,000,000,000.25", "1,000,000,000.5"]
    assert write_measured([0.3, 0.1 + 0.2]) == ["0.3", "0.3"]  # rounding is no difference
