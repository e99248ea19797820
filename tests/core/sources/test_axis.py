"""Transforms map each record on its own, after clipping; what cannot be used is a sentence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpslr_core.sources.axis import Axis, Rescaling
from dpslr_core.sources.choices import UploadedFile
from dpslr_core.sources.tables import Column, grouped_from_table, read_table

INCOME = Axis("income", "$", 1000, 100_000)


def test_a_logarithm_of_the_clipped_value():
    scale = Rescaling(INCOME, "log10")
    assert (scale.axis.label, scale.axis.lower, scale.axis.upper) == ("log10 income ($)", 3, 5)
    np.testing.assert_allclose(
        scale.to_unit([-5, 0, 1000, 10_000, 100_000, 1e9]), [0, 0, 0, 0.5, 1, 1]
    )
    np.testing.assert_allclose(scale.axis.from_unit(scale.to_unit([2000.0])), np.log10([2000.0]))
    assert scale.outside([-5, 0, 1000, 1e9]) == 3


INCOMES_OF_FILE = st.integers(-1000, 200_000)


@given(
    st.sampled_from([None, "log10"]),
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


def test_a_transformed_column_of_a_file():
    cells = read_table(b'pay,y\n"$1,000.00",1\n"$10,000.00",2\n"$1,000,000.00",3\n0,4\n')
    built = grouped_from_table(
        cells, Column("pay", (1000, 100_000), transform="log10"), Column("y", (0, 10))
    )
    assert built.grouped is not None
    assert built.grouped.x.name == "log10 pay" and built.grouped.clipped_x == 2
    np.testing.assert_allclose(built.grouped.frame["x"], [0, 0.5, 1, 0])
    assert built.problems[-1].message == (
        "Column 'pay': 2 of 4 values lie outside the bounds 1,000 to 100,000 and were moved to "
        "the nearer bound."
    )


def test_a_logarithm_that_cannot_be_used_is_a_sentence():
    cells = read_table(b"x,y\n11,1\n12,2\n13,3\n")
    built = grouped_from_table(cells, Column("x", (0, 30), transform="log10"), Column("y", (0, 10)))
    sentence = (
        "The bounds of 'x' cannot be used: bounds of a logarithm must be above 0, got lower=0."
    )
    assert built.grouped is None and [problem.message for problem in built.problems] == [sentence]


@pytest.mark.parametrize("text", ["rank", "0 0; 5 50; 9 100", 7])
def test_a_public_table_is_no_longer_offered_and_the_sentence_says_what_to_do(text):
    with pytest.raises(ValueError, match="public table is no longer offered; put it into a column"):
        UploadedFile(x_transform=text)
    assert UploadedFile(x_transform="", y_transform="log10").y_transform == "log10"
