"""Numbers however they are written, in columns and as somebody types them: none is silently read as another."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpslr_core.sources.numbers import (
    DECIMALS,
    STYLES,
    format_points,
    parse_pair,
    parse_points,
    read_list,
    read_number,
    read_numbers,
    read_one,
    read_whole,
    written_style,
)
from dpslr_core.support.readable import format_amount
from tests.cases.tables import table as cases

SPACES = " \u00a0\u2009\u202f"


def numbers(
    cells: list[str], name: str = "x", **choice: Any
) -> tuple[list[float], list[str], list[str]]:
    """Values, errors and warnings of a column whose first cell is in row 2."""
    column = pd.Series(cells, index=range(2, len(cells) + 2), dtype="str")
    read = read_numbers(column, name, **choice)
    errors = [problem.message for problem in read.problems if problem.severity == "error"]
    messages = [problem.message for problem in read.problems]
    return read.values.tolist(), errors, [text for text in messages if text not in errors]


# plain numbers


def test_plain_numbers_are_correctly_rounded_and_read_in_silence():
    cells = ["1", " -2.5 ", "+.5", "3.", "1e-3", "1E5", "0.1234567890123456789", "−4", "\u00a07"]
    assert numbers(cells) == ([1, -2.5, 0.5, 3, 1e-3, 1e5, 0.1234567890123456789, -4, 7], [], [])


def test_numbers_that_are_no_measurements_are_not_read_from_columns_of_numbers_either():
    column = pd.Series([1, np.inf, -1e200, 2])
    read = read_numbers(column, "x")
    np.testing.assert_array_equal(read.values, [1, np.nan, np.nan, 2])
    infinite, large = read.problems
    assert "(infinite" in infinite.message and "(too large to be a measurement" in large.message
    assert np.isinf(column[1])  # the column itself is left alone


def test_truth_values_are_no_numbers():
    assert read_numbers(pd.Series([True, False]), "x").problems[0].severity == "error"


# numbers with signs and separators


SIGNED = (
    "$68,352.00=68352|68,352.5=68352.5|12 "
    "%=12|12%=12|-3.5\u00a0%=-3.5|(1,200)=-1200|($1,200.50)=-1200.5|$(5)=-5|(12 "
    "%)=-12|-$5=-5|$-5=-5|-€ 5=-5|− 5=-5|5 "
    "£=5|¥1,234,567=1234567|1,234,567.89=1234567.89|1'234.5=1234.5|1’234’567=1234567|"
    + "|".join(f"1{space}234{space}567.5=1234567.5" for space in SPACES)
)


def test_signs_and_separators_are_read_and_an_example_is_shown():
    for case in SIGNED.split("|"):
        cell, value = case.split("=")
        values, errors, messages = numbers(["1.5", cell])
        assert values == [1.5, float(value)] and errors == [], case
        shown = re.sub(f"[{SPACES}]", " ", cell.replace("−", "-"))
        assert (
            messages[0]
            == f"Column 'x': 1 of 2 numbers were interpreted: {shown!r} as {float(value):.15g}."
        )


# Values, and the cells of a column between bars.
COMMAS = cases("""
    [1.5, 2, -0.25] | 1,5|2|-0,25
    [0.125, 0.25] | 0,125|0,250
    [1.234, 1.2345] | 1,234|1,2345
    [1.234, 12.5] | 1,234|12,5
    [1500, 0.5, 7] | 1,5e3|,5|7,
    [1234.5, -2.5] | 1.234,5|(2,5) €
    [1234567, 2] | 1.234.567|2
    [1234, 2.5] | 1.234|2,5
    [1234.5, 1234.5, 12.5] | 1 234,5|1'234,5|12,5 %
""")


def test_decimal_commas_are_decided_by_the_whole_column():
    for expected, text in COMMAS:
        cells = text.split("|")
        values, errors, messages = numbers(cells)
        assert values == expected and errors == [], text
        assert f"{cells[0]!r} as {expected[0]:.15g}" in messages[0]


UNDECIDED = cases("""
    ["999", "1,234"] | '1,234', row 3, could mean 1234 (decimal point) or 1.234 (decimal comma)
    ["800", "1.100", "1.003"] | '1.100', row 3, could mean 1.1 (decimal point) or 1100 (decimal comma)
    ["(1.100)", "2"] | '(1.100)', row 2, could mean -1.1 (decimal point) or -1100 (decimal comma)
""")


@pytest.mark.parametrize(("cells", "sentence"), UNDECIDED)
def test_a_column_with_two_readings_follows_the_other_columns_or_is_refused(cells, sentence):
    _, (error,), _ = numbers(cells)
    assert sentence in error and "no other column" in error
    chosen = {style: numbers(cells, style=style) for style in DECIMALS}
    assert chosen["point"][0] != chosen["comma"][0]
    for style, (values, errors, messages) in chosen.items():
        assert errors == [] and numbers(cells, others=style) == (values, [], messages)


@pytest.mark.parametrize(("others", "style"), [("point", "comma"), ("comma", "point")])
def test_a_column_with_one_reading_ignores_the_other_columns(others, style):
    cells = ["1.234,5", "1.100"] if style == "comma" else ["1,234.5", "1.100"]
    assert numbers(cells, others=others) == numbers(cells, style=style)


# Columns between semicolons, their cells between bars; how the numbers of such a file are written.
# Contradicting each other, saying nothing or mostly words, they do not decide; blank cells are no words.
TOGETHER = cases("""
    "comma" | 1,5|2; 1.100|800
    "point" | 1.5|2; 1,100|800
    null | 1.5|2; 1,5|2
    null | 1.100|800; 1|2
    null | 1,5|a|b; 1.100
    "comma" | 1,5|||; 1.100
    "comma" | 1.234.567; 1.100
    null | 2020-01-02; 12:30
""")


def test_columns_with_one_reading_decide_the_decimal_mark_of_a_file():
    for style, text in TOGETHER:
        columns = [pd.Series(column.split("|"), dtype="str") for column in text.split("; ")]
        assert written_style(columns) == style, text


def check_read_or_asked(cells: list[str], amounts: list[float]) -> None:
    """Either the right numbers, or an error that a choice mends."""
    read = read_numbers(pd.Series(cells, dtype="str"), "x")
    refused = [problem.of_style for problem in read.problems if problem.severity == "error"]
    assert refused == [True] or (read.values.tolist() == amounts and not refused)


MARKS = st.sampled_from(".,")


@given(st.lists(st.decimals(-(10**6), 10**6, places=3), min_size=1, max_size=6), MARKS)
def test_three_decimals_are_never_silently_read_as_thousands(amounts, decimal):
    cells = [str(amount).replace(".", decimal) for amount in amounts]
    check_read_or_asked(cells, list(map(float, amounts)))


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=6), MARKS)
def test_thousands_are_never_silently_read_as_decimals(amounts, mark):
    check_read_or_asked([f"{amount:,}".replace(",", mark) for amount in amounts], amounts)


# Cells between bars, the style that is chosen, and what is told of the column.
TOLD = cases("""
    "1,5|2.5|3" | null | Column 'x' mixes decimal commas ('1,5', row 2) and decimal points ('2.5', row 3); choose which
    "1,5|2.5|3" | "comma" | Column 'x', row 3: 1 cell not read (a decimal point where the column has decimal commas,
    "$1|2|1,5|-3.5" | "plain" | Column 'x', rows 2 and 4: 2 cells not read (not a plain number, such as '$1', '1,5').
    "12 %|0.5|3" | null | Column 'x': 1 of 3 numbers have a percent sign; it was ignored, so check the units.
    "$1,200.00|(5)|12 %|7" | null | 3 of 4 numbers were interpreted: '$1,200.00' as 1200, '(5)' as -5, '12 %' as 12.
    "red|blue" | null | Column 'x' has no numbers, for example 'red' in row 2.
    "1|a|b|c|c|c|d" | null | x', rows 3, 4, 5, 6, 7 and 1 more: 6 cells not read (not a number, such as 'a', 'b', 'c').
    "1|a||b||2" | null | Column 'x', rows 4 and 6: 2 cells not read (empty).
    "1|zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz" | null | (not a number, such as 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…').
""")


@pytest.mark.parametrize(("cells", "style", "sentence"), TOLD)
def test_what_is_told_of_a_column(cells, style, sentence):
    values, errors, warnings = numbers(cells.split("|"), style=style)
    assert sentence in "\n".join([*errors, *warnings])
    assert bool(errors) == sentence.startswith(("Column 'x' mixes", "Column 'x' has"))
    expected = {"comma": [1.5, np.nan, 3], "plain": [np.nan, 2, np.nan, -3.5]}.get(style, values)
    np.testing.assert_array_equal(values, expected)


# cells that are no numbers


UNREADABLE = cases("""
    [""] | empty
    ["NA", "nan", "NaN", "#N/A", "-", "null"] | a missing value
    ["inf", "-Infinity", "∞"] | infinite
    ["1.1e100", "-1e999"] | too large to be a measurement
    ["=A1+B1"] | a formula, not its value
    ["abc", "1_000", "0x1F", "True", "2020-01-02", "1e", "٣", "5 m²", "$", "()", "(-5)", "$$5"] | not a number
    ["1,23,456", "12,34.5", "1,234 567"] | not a number
""")


@pytest.mark.parametrize(("unreadable", "reason"), UNREADABLE)
def test_cells_that_are_no_numbers_become_nan_with_a_reason(unreadable, reason):
    for cell in unreadable:
        values, errors, messages = numbers(["1", cell, "2"])
        assert np.isnan(values[1]) and values[0::2] == [1, 2] and errors == []
        such = f", such as {cell!r}" if cell else ""
        assert messages == [f"Column 'x', row 3: 1 cell not read ({reason}{such})."]


# anything


ANY = st.lists(
    st.text(alphabet="0123456789.,-+eE% ()'infaN$€=\u00a0", max_size=10), min_size=1, max_size=12
)


@given(ANY, st.sampled_from([None, *STYLES]))
@example(["1E310"], None)
def test_every_cell_that_is_not_read_is_counted(cells, style):
    values, errors, messages = numbers(cells, style=style)
    assert len(values) == len(cells) and not np.isinf(values).any()
    counts = [re.search(r": ([\d,]+) cells? not read", text) for text in messages]
    counted = sum(int(count[1].replace(",", "")) for count in counts if count)
    assert errors or counted == np.isnan(values).sum()


HUNDREDTHS = st.integers(-(10**11), 10**11).map(lambda hundredths: hundredths / 100)


def written(value: float, decimal: str, separator: str, brackets: bool, dress: str) -> str:
    """A number of two decimals as people write it."""
    digits = f"{abs(value):,.2f}".translate(str.maketrans({",": separator, ".": decimal}))
    digits = dress.format(digits)
    return digits if value >= 0 else f"({digits})" if brackets else f"-{digits}"


WAYS = [(".", mark) for mark in (",", "'", "’", *SPACES, "")] + [
    (",", mark) for mark in (".", "'", *SPACES, "")
]


DRESSES = ["{}", "${}", "€ {}", "{} £", "{} %", "{}\u00a0%", " {} "]
CELL = st.tuples(HUNDREDTHS, st.booleans(), st.sampled_from(DRESSES))


@pytest.mark.parametrize("way", WAYS, ids=repr)
@given(cells=st.lists(CELL, min_size=1))
@settings(max_examples=10)
def test_numbers_in_every_way_of_writing_round_trip(way, cells):
    """Decimal sign and separator are the column's, brackets and signs each cell's own."""
    read, errors, _ = numbers(
        [written(value, *way, brackets, dress) for value, brackets, dress in cells]
    )
    assert errors == [] and read == [value for value, *_ in cells]


AS_POINTS = cases(r"""
    ["0.25, 0.75", "0.25,0.75", "0.25 0.75"] | 0.25 0.75
    ["0.001, 0.002", "0.001,0.002"] | 0.001 0.002
    ["65, 90", "65,90"] | 65 90
    ["1;2;3", "1,2,3"] | 1 2 3
    ["60,000;", "60,000 €;", "60000,", "60000"] | 60000
    ["60; 0"] | 60 0
    ["$60,000; $70,000.50"] | 60000 70000.5
    ["25,000; 60,000"] | 25000 60000
    ["62,500\n187,500"] | 62500 187500
    ["0,5; 0,75"] | 0.5 0.75
    ["15 °C, 20 °C", "15°C; 20"] | 15 20
    ["−3; (5)"] | -3 -5
    ["1'000"] | 1000
    ["1 × 10⁻⁶; 2e3"] | 1e-6 2000
    [""] |
""")
NOT_POINTS = (
    "$60,000|60,000,|62,500|10 000|1,234,567|1,000,5.5|20,100,5|500, 20,100|62,500, 187,500|1;2 "
    "3|500,100|12,5, 13,5|1 and 2|1.234,5|0,5|0,05|5,05|0,25, 0,75|5%"
)
AS_COMMAS = cases("""
    ["1.234,5", "1,234.5"] | 1234.5
    ["1125"] | 1125
    ["1.1250"] | 1.125
    ["0,5"] | 0.5
    ["5,15"] | 5.15
    ["0,25; 0,75", "0,25, 0,75", "0,25 0,75", "0.25, 0.75"] | 0.25 0.75
    ["1.234.567"] | 1234567
""")
NOT_COMMAS = "60,000|1.125|$60.000|1,2,3"  # 60 in the file, 60 thousand on pages


@pytest.mark.parametrize(
    ("style", "read", "refused"),
    [("point", AS_POINTS, NOT_POINTS), ("comma", AS_COMMAS, NOT_COMMAS)],
)
def test_points_in_a_style(style, read, refused):
    for texts, points in read:
        for text in texts:
            typed = read_list(text, style, "°C")
            assert (typed.problems, typed.numbers) == ((), tuple(map(float, points.split()))), text
    for text in refused.split("|"):
        assert read_list(text, style, "°C").problems, text


@pytest.mark.parametrize(
    "text", ["0.2; here; 3", "0.2,here, 3", "0.2 here 3", "0.2\nhere\n3", "0.2, 1e999, 3"]
)
def test_an_unreadable_entry_of_a_list_leaves_the_readable_numbers(text):
    typed = read_list(text)
    assert typed.numbers == (0.2, 3) and len(typed.problems) == 1


ONE = "60,000=60000|$60,000=60000|250 000=250000|0,5=0.5|1,5=1.5|1.234,5=1234.5|1e-6=1e-6|1 × 10⁻⁶=1e-6| 2 =2|-3=-3"
NOT_ONE = "5%|1,2,3||inf|nan|1e999|1_000|0x10|two"


def test_a_typed_number_is_read_or_refused():
    for text, number in (case.split("=") for case in ONE.split("|")):
        assert read_number(text) == float(number), text
    for text in NOT_ONE.split("|"):
        with pytest.raises(ValueError, match=r"is no number|is not finite|could mean"):
            read_number(text)


def test_whole_numbers_keep_every_digit():
    assert read_whole(str(2**70 + 1)) == 2**70 + 1 and read_whole("1,000") == 1000
    with pytest.raises(ValueError, match="no whole number"):
        read_whole("2.5")


def test_a_long_text_that_cannot_be_read_is_cut_off():
    with pytest.raises(ValueError, match=r"'9{30}…' is not finite"):
        read_number("9" * 400)


AMOUNTS = st.floats(-1e14, 1e14).map(lambda value: float(f"{value:.6g}")) | st.integers(
    -(10**6), 10**6
).map(float)


@given(AMOUNTS, st.integers(2, 6))
def test_a_number_as_pages_print_it_comes_back(value, digits):
    printed = format_amount(value, digits)
    assert read_number(printed) == pytest.approx(value, rel=10.0 ** (1 - digits))


@given(st.lists(st.floats(-1e99, 1e99), min_size=1, max_size=8), st.sampled_from(DECIMALS))
@example([1.125, 62_500.0], "comma")
@example([1.125], "comma")
def test_points_in_a_link_come_back_in_every_style(values, style):
    assert parse_points(format_points(values), style=style) == tuple(values)


WRITTEN = st.lists(
    st.tuples(st.integers(-(10**7), 10**7), st.sampled_from([1, 10, 100, 1000])).map(
        lambda pair: pair[0] / pair[1]
    ),
    min_size=1,
    max_size=4,
)
JOINS = st.sampled_from(["; ", ";", ", ", ",", " "])


@given(WRITTEN, JOINS, st.booleans(), st.booleans(), st.sampled_from(DECIMALS))
@example([60_000.0], ", ", True, False, "point")
@example([0.5, 0.75], ", ", False, True, "point")
@example([10.0, 0.0], " ", False, False, "comma")
@settings(max_examples=200)
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


@given(
    st.text(alphabet="0123456789.,;-+eE% ()'$€°C×⁻⁶\u00a0\nand", max_size=14),
    st.sampled_from(DECIMALS),
)
def test_any_text_is_read_or_told(text, style):
    typed = read_list(text, style, "°C")
    assert bool(text.strip()) == bool(typed.numbers or typed.problems)
    for number in typed.numbers:
        assert abs(number) < float("inf")


@given(st.text(alphabet="0123456789.,-+eE% ()'$€", max_size=10), st.sampled_from(DECIMALS))
def test_a_typed_number_is_read_as_a_cell_of_a_file(text, style):
    one, column = (
        read_one(text, style),
        read_numbers(pd.Series([text, "7"], dtype="str"), "x", style),
    )
    assert (
        (one is None and column.values[0] != column.values[0])
        or column.values[0] == one
        or abs(one) > 1e100
    )


def test_a_comma_between_two_bounds_parts_them_and_what_could_mean_two_things_is_refused():
    for text, upper in (("0, 1", 1), ("0; 60,000", 60_000), ("0,250000", 250_000)):
        assert parse_pair(text, "x_bounds") == (0, upper)
    for text in ("0,250,000", "0,x"):
        with pytest.raises(ValueError, match=r"^x_bounds"):
            parse_pair(text, "x_bounds")
