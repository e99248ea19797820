"""Numbers that somebody types: what pages print is read back, and no text is silently read as something else."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpslr_core.sources.numbers import (
    DECIMALS,
    format_points,
    parse_pair,
    parse_points,
    read_list,
    read_number,
    read_numbers,
    read_one,
    read_whole,
)
from dpslr_core.support.readable import format_amount, in_full


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("0.25, 0.75", (0.25, 0.75)),
        ("0.25,0.75", (0.25, 0.75)),
        ("0.25 0.75", (0.25, 0.75)),
        ("65,90", (65, 90)),
        ("1;2 3", (1, 2, 3)),
        ("$60,000", (60_000,)),
        ("$60,000; $70,000.50", (60_000, 70_000.5)),
        ("60,000 €", (60_000,)),
        ("25,000; 60,000", (25_000, 60_000)),
        ("62,500, 187,500", (62_500, 187_500)),
        ("62,500 and 187,500", (62_500, 187_500)),
        ("60,000;", None),
        ("60,000,", None),
        ("62,500", None),
        ("10 000", None),
        ("1,234,567", None),
        ("1,000,5.5", None),
        ("20,100,5", None),
        ("1,5,2", (1, 5, 2)),
        ("500, 20,100", None),
        ("1.234,5", None),
        ("0,5", None),
        ("0,05", None),
        ("5,05", None),
        ("0,5; 0,75", None),
        ("0,25, 0,75", None),
        ("5%", None),
        ("15 °C and 20 °C", (15, 20)),
        ("−3; (5)", (-3, -5)),
        ("1'000", (1000,)),
        ("1 × 10⁻⁶; 2e3", (1e-6, 2000)),
        ("", ()),
        ("60000,", (60_000,)),
    ],
)
def test_points_where_decimal_points_are_usual(text, numbers):
    typed = read_list(text, unit="°C")
    assert (None if typed.problems else typed.numbers) == numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1.234,5", (1234.5,)),
        ("0,5", (0.5,)),
        ("5,15", (5.15,)),
        ("0,25; 0,75", (0.25, 0.75)),
        ("0,25, 0,75", (0.25, 0.75)),
        ("0,25 0,75", (0.25, 0.75)),
        ("1.234.567", (1_234_567,)),
        ("0.25, 0.75", (0.25, 0.75)),
        ("1,234.5", (1234.5,)),
        ("60,000", None),  # 60 in the file, 60 thousand on pages
        ("1.125", None),
        ("$60.000", None),
        ("1,2,3", None),
    ],
)
def test_points_where_decimal_commas_are_usual(text, numbers):
    typed = read_list(text, "comma")
    assert (None if typed.problems else typed.numbers) == numbers


def test_both_readings_are_named_and_each_can_be_typed():
    (said,) = read_list("60,000").problems
    assert said == "'60,000' could mean 60000, or 60 and 0: write 60000 or 60; 0"
    assert read_list("60000").numbers == (60_000,) and read_list("60; 0").numbers == (60, 0)
    (said,) = read_list("1.125", "comma").problems
    assert said == "'1.125' could mean 1125, or 1.125: write 1125 or 1.1250"
    assert read_list("1.1250", "comma").numbers == (1.125,) and read_list("1125", "comma").numbers == (1125,)


@pytest.mark.parametrize("text", ["0.2; here; 3", "0.2,here, 3", "0.2 here 3", "0.2\nhere\n3", "0.2, 1e999, 3"])
def test_a_bad_point_does_not_drop_the_good_ones(text):
    typed = read_list(text)
    assert typed.numbers == (0.2, 3) and len(typed.problems) == 1


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("60,000", 60_000), ("$60,000", 60_000), ("250 000", 250_000), ("0,5", 0.5), ("1,5", 1.5), ("1.234,5", 1234.5),
        ("1e-6", 1e-6), ("1 × 10⁻⁶", 1e-6), (" 2 ", 2), ("-3", -3), ("5%", None), ("1,2,3", None), ("", None),
        ("inf", None), ("nan", None), ("1e999", None), ("1_000", None), ("0x10", None), ("two", None),
    ],
)  # fmt: skip
def test_one_number(text, number):
    if number is None:
        with pytest.raises(ValueError, match=r"is no number|is not finite|could mean"):
            read_number(text)
    else:
        assert read_number(text) == number


def test_whole_numbers_keep_every_digit():
    assert read_whole(str(2**70 + 1)) == 2**70 + 1 and read_whole("1,000") == 1000
    with pytest.raises(ValueError, match="no whole number"):
        read_whole("2.5")


def test_what_cannot_be_read_is_named_with_its_field():
    for text, said in (
        ("0.2; here", "points must be numbers with commas between, got 'here'"),
        ("inf", "must be finite, got"),
    ):
        with pytest.raises(ValueError, match=said):
            parse_points(text, "points")
    with pytest.raises(ValueError, match=r"'9{30}…' is not finite"):
        read_number("9" * 400)


AMOUNTS = st.floats(-1e14, 1e14).map(lambda value: float(f"{value:.6g}")) | st.integers(-(10**6), 10**6).map(float)


@given(st.lists(AMOUNTS, min_size=1, max_size=8), st.sampled_from(["; ", " and ", "\n"]))
@example([62_500.0, 187_500.0], "; ")
@settings(max_examples=200)
def test_lists_as_pages_print_them_come_back(values, between):
    if len(values) > 1:
        assert read_list(between.join(map(in_full, values))).numbers == pytest.approx(values, rel=1e-5)


@given(AMOUNTS, st.integers(2, 6))
@settings(max_examples=200)
def test_a_number_as_pages_print_it_comes_back(value, digits):
    printed = format_amount(value, digits)
    assert read_number(printed) == pytest.approx(value, rel=10.0 ** (1 - digits))


@given(st.lists(st.floats(-1e99, 1e99), min_size=1, max_size=8), st.sampled_from(DECIMALS))
@example([1.125, 62_500.0], "comma")
@example([1.125], "comma")
@settings(max_examples=200)
def test_points_in_a_link_come_back_in_every_style(values, style):
    assert parse_points(format_points(values, 17), style=style) == tuple(values)


WRITTEN = st.lists(
    st.tuples(st.integers(-(10**7), 10**7), st.sampled_from([1, 10, 100, 1000])).map(lambda pair: pair[0] / pair[1]),
    min_size=1, max_size=4,
)  # fmt: skip
JOINS = st.sampled_from(["; ", ";", ", ", ",", " "])


@given(WRITTEN, JOINS, st.booleans(), st.booleans(), st.sampled_from(DECIMALS))
@example([60_000.0], ", ", True, False, "point")
@example([0.5, 0.75], ", ", False, True, "point")
@example([10.0, 0.0], " ", False, False, "comma")
@settings(max_examples=600)
def test_no_list_is_silently_read_as_another(values, join, thousands, commas, style):
    """A list written as its quantity is comes back, or something is said; no comma alone parts decimal commas."""
    way = "," if thousands else ""
    cells = [f"{value:{way}.10g}" if value % 1 else f"{value:{way}.0f}" for value in values]
    if commas:
        cells = [cell.translate(str.maketrans(",.", ".,")) for cell in cells]
    typed = read_list(join.join(cells), style)
    if typed.problems or typed.numbers == tuple(values):
        return
    assert commas != (style == "comma") or (commas and join == ",")


@given(st.text(alphabet="0123456789.,;-+eE% ()'$€°C×⁻⁶\u00a0\nand", max_size=14), st.sampled_from(DECIMALS))
@settings(max_examples=400)
def test_any_text_is_read_or_told(text, style):
    typed = read_list(text, style, "°C")
    assert bool(text.strip()) == bool(typed.numbers or typed.problems)
    for number in typed.numbers:
        assert abs(number) < float("inf")


@given(st.text(alphabet="0123456789.,-+eE% ()'$€", max_size=10), st.sampled_from(DECIMALS))
@settings(max_examples=300)
def test_a_typed_number_is_read_as_a_cell_of_a_file(text, style):
    one, column = read_one(text, style), read_numbers(pd.Series([text, "7"], dtype="str"), "x", style)
    assert (one is None and column.values[0] != column.values[0]) or column.values[0] == one or abs(one) > 1e100


@pytest.mark.parametrize(
    ("text", "pair"),
    [("0,1", (0, 1)), ("0, 1", (0, 1)), ("0; 60,000", (0, 60_000)), ("-1.5,2", (-1.5, 2)), ("0,250000", (0, 250_000))],
)
def test_a_comma_between_two_bounds_parts_them(text, pair):
    assert parse_pair(text, "x_bounds") == pair


@pytest.mark.parametrize("text", ["0,250,000", "0,x"])
def test_bounds_that_could_mean_two_things_or_none_are_refused(text):
    with pytest.raises(ValueError, match=r"^x_bounds"):
        parse_pair(text, "x_bounds")
