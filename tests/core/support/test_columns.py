"""Columns, algorithms and names from any container: one rule at every entrance, or a sentence that says what to do."""

import unicodedata
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from dpslr_core import Dataset, compare, decide, error_bound, sweep
from dpslr_core.experiments.areas import split_groups
from dpslr_core.mechanisms import OLS, NoisyIntercept
from dpslr_core.scenario import Scenario
from dpslr_core.support.columns import float_array
from dpslr_core.support.readable import one_name

Y = [0.2, 0.3, 0.5]
READ = {  # containers of 0.25, 0.5 and 1
    "generator": lambda: (value for value in (0.25, 0.5, 1)),
    "Decimals": lambda: [Decimal("0.25"), Decimal("0.5"), Decimal(1)],
    "Fractions in objects": lambda: np.array([Fraction(1, 4), Fraction(1, 2), 1], dtype=object),
    "categories that are numbers": lambda: pd.Categorical([0.25, 0.5, 1]),
    "array of pyarrow": lambda: pa.array([0.25, 0.5, 1]),
    "sparse": lambda: scipy.sparse.coo_array(np.array([0.25, 0.5, 1])),
    "long double": lambda: np.array([0.25, 0.5, 1], dtype=np.longdouble),
}
REFUSED = {
    "text in a list": ([0.1, "0.5", 0.9], "got '0.5' in row 1; turn texts into numbers"),
    "categories that are text": (pd.Categorical(["0.1", "0.5", "0.9"]), "got '0.1' in row 0"),
    "complex": (np.array([0.1 + 0j, 0.5, 0.9]), "complex number"),
    "dates": (pd.to_datetime(["2020", "2021", "2022"]), "dates or durations; turn these"),
    "a dict": ({0: 0.1, 1: 0.5, 2: 0.9}, "got"),
    "a set": ({0.1, 0.5, 0.9}, "has no order"),
    "a huge int": (
        [0.1, 10**400, 0.9],
        "a whole number of 401 digits in row 1; it is beyond the largest",
    ),
    "a huge long double": (np.array([np.longdouble("1e4000")] * 3), "in row 0; it is beyond"),
    "different lengths": ([[0.1], [0.5, 0.9], 0.1], "different lengths"),
}
MISSING = {
    "masked, in a list": list(np.ma.array([0.1, 0.99, 0.9], mask=[0, 1, 0])),
    "pyarrow": pd.Series([0, None, 1], dtype="int64[pyarrow]"),
    "None": [0.1, None, 0.9],
    "NaT": [0.1, pd.NaT, 0.9],
}
NO_COLUMN = ("sparse", "a dict", "a set", "different lengths", "NaT")  # of a frame
# Each entrance by the name of its argument: what it makes of 0.25, 0.5 and 1, and the numbers of that.
ENTRANCES = {
    "x": (lambda values: Dataset(values, Y).x, [0.25, 0.5, 1]),
    "y": (lambda values: Dataset(Y, values).y, [0.25, 0.5, 1]),
    "at": (lambda values: Dataset(Y, Y).predict(values), [0.25, 0.5, 1]),
    "estimates": (lambda values: error_bound(values, 0, 100), 1),
    "values": (
        lambda values: sweep("epsilon", values, BASE, FLAT, datasets=2)["value"],
        [0.25, 0.5, 1],
    ),
}
BASE, FLAT = Scenario(n=20), [NoisyIntercept()]


def frame_of(column):
    """A frame of by_group with a column as x, kept as it is; None where pandas makes no column of it."""
    try:
        return pd.DataFrame({"group": ["a"] * 3, "x": column, "y": Y})
    except (ValueError, TypeError, OverflowError):
        return None


@pytest.mark.parametrize("name", READ)
def test_every_container_of_numbers_is_read(name):
    np.testing.assert_array_equal(float_array(READ[name](), "x"), [0.25, 0.5, 1])
    if name not in NO_COLUMN and (frame := frame_of(READ[name]())) is not None:
        np.testing.assert_array_equal(split_groups(frame).datasets["a"].x, [0.25, 0.5, 1])


@pytest.mark.parametrize("name", REFUSED)
def test_what_holds_no_numbers_is_refused_with_the_row_and_what_to_do(name):
    values, sentence = REFUSED[name]
    with pytest.raises(ValueError, match=f"^x must hold numbers only.*{sentence}"):
        float_array(values, "x")
    if name not in NO_COLUMN and (frame := frame_of(values)) is not None:
        with pytest.raises(ValueError, match=f"^x must hold numbers only.*{sentence}"):
            split_groups(frame)


@pytest.mark.parametrize("field", ENTRANCES)
def test_every_entrance_reads_columns_by_this_rule(field):
    ask, numbers = ENTRANCES[field]
    for name in ("generator", "categories that are numbers", "long double"):
        np.testing.assert_allclose(ask(READ[name]()), numbers)
    for name in ("text in a list", "dates", "complex", "a set", "a huge int"):
        values, sentence = REFUSED[name]
        with pytest.raises(ValueError, match=f"^{field} must hold numbers only.*{sentence}"):
            ask(values)


@pytest.mark.parametrize("name", MISSING)
def test_a_missing_value_is_refused_where_records_count_and_sets_a_group_aside(name):
    with pytest.raises(
        ValueError, match=r"^x must have no missing values, got 1 of 3, the first in row 1; drop or"
    ):
        Dataset(MISSING[name], Y)
    if name not in NO_COLUMN:
        rejected = split_groups(frame_of(MISSING[name])).rejected
        assert rejected["reason"].tolist() == ["a missing or infinite value"]


def test_a_masked_estimate_is_a_failure_and_points_come_from_any_iterable():
    assert error_bound(np.ma.array([0.1, 0.9], mask=[0, 1]), 0.1, 50) == 0
    summary = compare(DATA, [OLS()], Decimal("1"), at=iter((0.25, 0.5))).summary
    assert summary["at"].tolist() == [0.25, 0.5]
    with pytest.raises(ValueError, match=r"'0\.9' in row 5"):
        decide(GROUPS.assign(y=[0.2, 0.5, 0.6, 0.1, 0.2, "0.9"]), [OLS()], 1.0)


@given(
    st.lists(
        st.decimals(allow_nan=False, allow_infinity=False) | st.integers() | st.fractions(),
        max_size=9,
    )
)
def test_every_real_number_is_its_nearest_float_or_a_sentence(values):
    try:
        expected = [float(value) for value in values]
    except OverflowError:
        expected = [np.inf]
    if np.isinf(expected).any():
        with pytest.raises(ValueError, match="beyond the largest number"):
            float_array(values, "x")
    else:
        assert float_array(iter(values), "x").tolist() == expected


# ---------------------------------------------------------------- algorithms

DATA = Dataset([0, 0.5, 1], [0.2, 0.5, 0.6])
GROUPS = pd.DataFrame({"group": [*"aaabbb"], "x": [0, 0.5, 1] * 2, "y": [0.2, 0.5, 0.6] * 2})


# ---------------------------------------------------------------- names

SPELLED = [
    "Añasco",
    unicodedata.normalize("NFD", "Añasco"),
    " Añasco\u00a0",
    "A\u200bñasco",
    "\ufeffAñasco",
    "Añ\u00adasco",
]


def test_names_that_look_alike_are_one_name():
    assert {one_name(name) for name in SPELLED} == {"Añasco"}
    assert one_name("North\u2009 Side") == "North Side" != one_name("Northside")
    assert one_name("نمی\u200cخواهم") == "نمی\u200cخواهم"  # this mark parts letters


@given(st.text())
def test_the_one_form_of_a_name_stays(text):
    assert one_name(one_name(text)) == one_name(text)


def test_a_label_in_several_spellings_is_one_group_in_frames_and_files():
    frame = pd.DataFrame({"group": SPELLED, "x": np.linspace(0, 1, 6), "y": 0.5})
    assert [(label, data.n) for label, data in split_groups(frame).datasets.items()] == [
        ("Añasco", 6)
    ]
    assert Scenario(group=SPELLED[1]).group == "Añasco"
