"""Transforms map each record on its own, after clipping; what cannot be used is a sentence."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dpslr_core.sources.axis import Axis, Rescaling
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


@given(st.sampled_from([None, "log10"]), INCOMES_OF_FILE, INCOMES_OF_FILE)
@settings(max_examples=30)
def test_replacing_one_record_changes_one_record_of_the_data(transform, one, other):
    frames = []
    for income in (one, other):
        cells = read_table(f"x,y\n{income},3\n1000,1\n100000,2\n2000,4\n".encode())
        column = Column("x", (1000, 100_000), transform=transform)
        built = grouped_from_table(cells, column, Column("y", (0, 30)))
        assert built.grouped is not None
        frames.append(built.grouped.frame[1:])
    assert frames[0].equals(frames[1])
