"""Transforms map each record on its own, after clipping; what cannot be used is a sentence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpslr_core.sources.axis import (
    MAX_POINTS,
    Axis,
    Logarithm,
    ReferenceTable,
    Rescaling,
    read_reference_table,
    read_transform,
)
from dpslr_core.sources.tables import Column, grouped_from_table, read_table
from tests.cases.tables import check_refused

INCOMES = ReferenceTable(((0.0, 0.0), (20_000.0, 25.0), (60_000.0, 75.0), (200_000.0, 100.0)))
INCOME = Axis("income", "$", 1000, 100_000)
TRANSFORMS = {"none": None, "logarithm": Logarithm(), "reference table": INCOMES}


def test_a_logarithm_of_the_clipped_value():
    scale = Rescaling(INCOME, Logarithm())
    assert (scale.axis.label, scale.axis.lower, scale.axis.upper) == ("log10 income ($)", 3, 5)
    np.testing.assert_allclose(scale.to_unit([-5, 0, 1000, 10_000, 100_000, 1e9]), [0, 0, 0, 0.5, 1, 1])
    np.testing.assert_allclose(scale.axis.from_unit(scale.to_unit([2000.0])), np.log10([2000.0]))
    assert scale.outside([-5, 0, 1000, 1e9]) == 3


def test_a_percentile_is_linear_between_the_rows_and_constant_beyond():
    assert INCOMES([-1, 0, 10_000, 40_000, 130_000, 1e9]).tolist() == [0, 0, 12.5, 50, 87.5, 100]
    scale = Rescaling(Axis("income", "$", 20_000, 60_000), INCOMES)
    assert (scale.axis.label, scale.axis.lower, scale.axis.upper) == ("percentile of income ($)", 25, 75)
    assert scale.to_unit([0, 30_000, 40_000, 1e6]).tolist() == [0, 0.25, 0.5, 1]


INCOMES_OF_FILE = st.integers(-1000, 200_000)


@given(
    st.sampled_from([*TRANSFORMS.values()]),
    st.lists(INCOMES_OF_FILE, min_size=5, max_size=20, unique=True),
    st.integers(0, 4),
    INCOMES_OF_FILE,
)
@settings(max_examples=30)
def test_replacing_one_record_changes_one_record_of_the_data(transform, incomes, row, replacement):
    column = Column("x", (1000, 100_000), transform=transform)
    frames = []
    for income in (incomes[row], replacement):
        values = [*incomes[:row], income, *incomes[row + 1 :], 1000, 100_000]  # so that x varies
        cells = read_table(("x,y\n" + "".join(f"{x},{i}\n" for i, x in enumerate(values))).encode())
        built = grouped_from_table(cells, column, Column("y", (0, 30)))
        assert built.grouped is not None
        frames.append(built.grouped.frame.drop(index=row))
    assert frames[0].equals(frames[1])


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_no_transform_falls(a, b):
    for transform in TRANSFORMS.values():
        low, high = Rescaling(INCOME, transform).to_unit([min(a, b), max(a, b)])
        assert 0 <= low <= high <= 1


def test_a_transformed_column_of_a_file():
    cells = read_table(b'pay,y\n"$1,000.00",1\n"$10,000.00",2\n"$1,000,000.00",3\n0,4\n')
    built = grouped_from_table(cells, Column("pay", (1000, 100_000), transform=Logarithm()), Column("y", (0, 10)))
    assert built.grouped is not None
    assert built.grouped.x.name == "log10 pay" and built.grouped.clipped_x == 2
    np.testing.assert_allclose(built.grouped.frame["x"], [0, 0.5, 1, 0])
    assert built.problems[-1].message == (
        "Column 'pay': 2 of 4 values lie outside the bounds 1,000 to 100,000 and were moved to the nearer bound."
    )


FLAT = ReferenceTable(((0, 0), (10, 50), (20, 50), (30, 100)))
UNUSABLE = [
    ((0, 30), Logarithm(), "The bounds of 'x' cannot be used: bounds of a logarithm must be above 0, got lower=0."),
    (
        (0, 30),
        FLAT,
        "Column 'x' is constant once it is clipped to the bounds 0 to 30 and transformed; choose wider bounds.",
    ),
]


@pytest.mark.parametrize(("bounds", "transform", "sentence"), UNUSABLE)
def test_a_transform_that_cannot_be_used_is_a_sentence(bounds, transform, sentence):
    cells = read_table(b"x,y\n11,1\n12,2\n13,3\n")
    built = grouped_from_table(cells, Column("x", bounds, transform=transform), Column("y", (0, 10)))
    assert built.grouped is None and [problem.message for problem in built.problems] == [sentence]


@pytest.mark.parametrize(
    "text",
    [
        "0, 0\n20000, 25\n60000, 75\n200000, 100\n",
        "value,percentile\n0,0\n20000,25\n60000,75\n200000,100",
        'income\tpercentile\n$0\t0 %\n"$20,000"\t25 %\n"$60,000"\t75 %\n"$200,000"\t100 %\n',
        "0 0\n20,000 25\n60,000 75\n200,000 100",
        "Einkommen;Perzentil\r\n0;0,0\r\n20000;25,0\r\n60000;75,0\r\n200000;100,0\r\n",
        "0 | 0\n\n20000 | 25\n60000 | 75\n200000 | 100",
    ],
    ids=["commas", "header", "tabs and dollars", "spaces", "decimal commas", "bars"],
)
def test_a_table_is_read_however_it_is_written(text):
    assert read_reference_table(text) == INCOMES


@given(st.lists(st.tuples(st.floats(-1e99, 1e99), st.floats(0, 100)), min_size=2, max_size=20))
def test_a_table_comes_back_from_its_text_to_the_last_bit(rows):
    values, percentiles = sorted({value for value, _ in rows}), sorted(percentile for _, percentile in rows)
    if len(values) > 1:
        reference = ReferenceTable(tuple(zip(values, percentiles, strict=False)))
        assert read_transform(str(reference)) == reference


def test_transforms_come_back_from_their_text_and_ranks_within_the_file_are_none():
    with pytest.raises(ValueError, match="reference table"):
        read_transform("rank")
    assert read_transform(str(Logarithm())) == Logarithm()
    assert read_transform("") is read_transform(None) is None


UNUSABLE_TABLES = r"""
    "0 0" | must have 2 to 201 rows, got 1
    "value percentile" | must have 2 to 201 rows, got 0
    "0 0\n5 50\n5 100" | values .* must increase from row to row, got 5 after 5, row 3
    "0 0\n5 50\n9 40" | percentiles .* must not fall from row to row, got 40 after 50, row 3
    "0 0\n5 101" | must lie in \[0, 100\], got 101, row 2
    "0 0\n5\n9 100" | row 2 .* must be a value and its percentile, got '5'
    "0 0\nmany 5\n9 100" | row 2 .* must be two numbers, got 'many 5'
    "0 0\n1e999 5" | row 2 .* must be two numbers
    "a;b;c\n1;2;3" | row 1 .* must be a value and its percentile
"""


def test_an_unusable_table_is_a_sentence():
    check_refused(read_reference_table, UNUSABLE_TABLES)
    with pytest.raises(ValueError, match="got 202"):
        read_reference_table("\n".join(f"{i} {i / 10}" for i in range(MAX_POINTS + 1)))


@given(st.text(max_size=60))
def test_any_text_is_a_transform_or_a_sentence(text):
    try:
        assert read_transform(text) in (None, Logarithm()) or isinstance(read_transform(text), ReferenceTable)
    except ValueError as problem:
        assert "reference table" in str(problem)


def test_thousands_with_points_that_could_be_decimals_are_refused():
    with pytest.raises(ValueError, match=r"could mean 20 .* or 20000 .*without marks between thousands"):
        read_reference_table("0 0\n20.000 25\n60.000 75")
    assert read_reference_table("0;0\n20.000;25,5\n60.000;75").points == ((0, 0), (20_000, 25.5), (60_000, 75))
