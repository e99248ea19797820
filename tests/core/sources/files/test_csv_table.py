"""Reading a CSV as text cells: every kind of bad file answers with its sentence, and nothing raises."""

from __future__ import annotations

import csv
import io
import tracemalloc

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpslr_core.sources import tables as table_module
from dpslr_core.sources.numbers import Problem
from dpslr_core.sources.tables import Table, column_names, read_table

GOOD = b"x,y\n1,2\n3,4\n5,6\n"


def messages(result: Table, severity: str | None = None) -> list[str]:
    return [problem.message for problem in result.problems if severity in (None, problem.severity)]


def cells(table: Table) -> pd.DataFrame:
    assert table.frame is not None, messages(table)
    return table.frame


def error(content: bytes, name: str = "the file") -> str:
    """The only error of a file that cannot be read."""
    table = read_table(content, name)
    assert table.frame is None
    (message,) = messages(table, "error")
    return message


# read_table: good files


def test_a_plain_file():
    table = read_table(GOOD)
    assert table.problems == () and table.delimiter == ","
    assert cells(table).to_dict("list") == {"x": ["1", "3", "5"], "y": ["2", "4", "6"]}
    assert list(cells(table).index) == [2, 3, 4]  # as a spreadsheet numbers them


@pytest.mark.parametrize(("delimiter", "word"), [(";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars")])
def test_other_delimiters_are_found_and_reported(delimiter, word):
    table = read_table(GOOD.replace(b",", delimiter.encode()), "a.csv")
    assert table.delimiter == delimiter and cells(table).shape == (3, 2)
    assert messages(table) == [f"The columns of a.csv are separated by {word}."]


def test_semicolons_win_over_decimal_commas():
    table = read_table(b"x;y\n1,5;2,5\n2,5;3,5\n3,5;4,25\n")
    assert table.delimiter == ";" and cells(table)["y"].tolist() == ["2,5", "3,5", "4,25"]


def test_tabs_win_over_commas_in_the_header():
    assert read_table(b"income, parent\tincome, child\n1\t2\n3\t4\n5\t6\n").delimiter == "\t"


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"])
def test_line_endings_and_blank_lines_at_the_end(ending):
    table = read_table(GOOD.replace(b"\n", ending) + 5 * ending + b",," + ending)
    assert table.problems == () and len(cells(table)) == 3


def test_quoted_fields_with_newlines_delimiters_and_quotes():
    table = read_table(b'place,y\n"Bern, old\ntown",2\n"the ""x""",4\nplain,6\n')
    assert cells(table)["place"].tolist() == ["Bern, old\ntown", 'the "x"', "plain"]
    assert list(cells(table).index) == [2, 3, 4]
    assert table.problems == ()


def test_spaces_after_the_delimiter():
    table = read_table(b'x, "y, z"\n1, "2"\n3, 4\n5, 6\n')
    assert list(cells(table).columns) == ["x", "y, z"] and cells(table)["y, z"].tolist() == ["2", "4", "6"]


def test_byte_order_marks():
    text = "größe,y\n1,2\n3,4\n5,6\n"
    for content in (text.encode("utf-8-sig"), text.encode("utf-16"), b"\xfe\xff" + text.encode("utf-16-be")):
        table = read_table(content)
        assert list(cells(table).columns) == ["größe", "y"] and table.problems == ()


def test_latin_1_is_read_with_a_warning():
    table = read_table("größe,y\n1,2\n3,4\n5,6\n".encode("latin-1"), "a.csv")
    assert list(cells(table).columns) == ["größe", "y"]
    assert messages(table, "warning") == [
        "The text of a.csv is not UTF-8; it was read as Latin-1 (Windows-1252), so check accents."
    ]


# read_table: repaired files


def test_duplicated_and_blank_column_names():
    table = read_table(b"a,a,,a,a (2)\n1,2,3,4,5\n1,2,3,4,5\n1,2,3,4,5\n")
    assert list(cells(table).columns) == ["a", "a (2)", "column 3", "a (3)", "a (2) (2)"]
    assert messages(table, "warning") == [
        "The column name 'a' occurs again; column 2 is called 'a (2)'.",
        "Column 3 has no name; it is called 'column 3'.",
        "The column name 'a' occurs again; column 4 is called 'a (3)'.",
        "The column name 'a (2)' occurs again; column 5 is called 'a (2) (2)'.",
    ]


def test_ragged_and_blank_rows_are_named():
    table = read_table(b"x,y\n1\n1,2,3\n\n3,4\n5,6,\n,,,\n7,8\n", "a.csv")
    assert cells(table).index.tolist() == [2, 5, 6, 8]
    assert cells(table)["y"].tolist() == ["", "4", "6", "8"]
    assert messages(table, "warning") == [
        "In a.csv, row 2: fewer cells than the 2 columns of the header; the missing ones count as empty.",
        "In a.csv, row 3: more cells than the 2 columns of the header; left out.",
        "In a.csv, rows 4 and 7: blank; skipped.",
    ]


def test_many_ragged_rows_are_counted():
    table = read_table(b"x,y\n" + b"1\n" * 2000 + b"1,2\n")
    assert messages(table, "warning")[0].startswith("In the file, rows 2, 3, 4, 5, 6 and 1,995 more: fewer cells")


def test_blank_lines_above_the_header_keep_the_row_numbers():
    table = read_table(b"\n\nx,y\n1,2\n3,4\n5,6\n")
    assert list(cells(table).columns) == ["x", "y"] and list(cells(table).index) == [4, 5, 6]


def test_a_missing_header_is_suspected():
    (message,) = messages(read_table(b"1,2\n3,4\n5,6\n7,8\n"), "warning")
    assert message == "Row 1 of the file was taken for the header, but it holds numbers: is the header missing?"


# read_table: files that are refused


@pytest.mark.parametrize("content", [b"", b"\n\n \n", b"\xef\xbb\xbf", b"\xff\xfe", b"   "])
def test_an_empty_file(content):
    assert error(content, "a.csv") == "There is nothing in a.csv: it is empty."


def test_only_a_header():
    assert error(b"x,y\n\n\n") == "There are no rows below the header (row 1) of the file."


@pytest.mark.parametrize(("rows", "text"), [(1, "Only 1 row fits"), (2, "Only 2 rows fit")])
def test_too_few_rows(rows, text):
    assert error(b"x,y\n" + b"1,2\n" * rows) == f"{text} the header of the file; at least 3 are needed."


def test_no_row_fits_the_header():
    table = read_table(b"x,y\n1,5,2,5\n2,5,3,5\n")
    assert messages(table, "error") == ["Only 0 rows fit the header of the file; at least 3 are needed."]
    assert messages(table, "warning") == [
        "In the file, rows 2 and 3: more cells than the 2 columns of the header; left out."
    ]


@pytest.mark.parametrize(("content", "header"), [(b"x\n1\n2\n3\n", "x"), (b"x y\n1 2\n3 4\n5 6\n", "x y")])
def test_a_single_column(content, header):
    assert error(content, "a.csv") == (
        f"Only one column was found in a.csv, '{header}'; x and y need two, separated by commas, semicolons, "
        "tabs or vertical bars."
    )


@pytest.mark.parametrize("content", [bytes(200 * 2**20), b"0" * (200 * 2**20)], ids=["NUL bytes", "'0' characters"])
def test_200_mb_of_zeros_are_refused_without_another_copy(content):
    tracemalloc.start()
    try:
        assert error(content, "a.csv") == "At most 50 MB can be read; a.csv has 200.0 MB."
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_zeros_below_the_size_limit():
    assert error(bytes(40 * 2**20), "a.csv") == (
        "What was sent as a.csv is not a text file: line 1 holds the control character 0x00."
    )
    assert error(b"0" * (40 * 2**20), "a.csv") == (
        "Line 1 of a.csv has 41,943,040 characters, more than 100,000: is it really a table?"
    )


def test_too_many_rows():
    message = error(b"x,y\n" + b"1,2\n" * 1_000_001, "a.csv")
    assert message == "At most 1,000,000 rows can be read; a.csv has 1,000,001 below the header."


def test_the_largest_number_of_rows(monkeypatch):
    monkeypatch.setattr(table_module, "MAX_ROWS", 100)
    assert len(cells(read_table(b"x,y\n" + b"1,2\n" * 100))) == 100
    assert "At most 100 rows" in error(b"x,y\n" + b"1,2\n" * 101)


def test_too_many_columns():
    content = ",".join(f"c{i}" for i in range(501)).encode() + b"\n1,2\n"
    assert error(content) == "At most 500 columns can be read; the file has 501."
    assert cells(read_table(content.replace(b",c500", b"") + b"1,2\n3,4\n")).shape == (3, 500)


@pytest.mark.parametrize("content", [b"PK\x03\x04" + bytes(100), b"\xd0\xcf\x11\xe0" + bytes(100)])
def test_a_workbook(content):
    assert error(content, "a.xlsx") == (
        "What was sent as a.xlsx is a workbook or an archive, not text; open it and save the sheet as CSV."
    )


@pytest.mark.parametrize(
    ("content", "line", "code"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(50), 2, "1a"),
        (b"x,y\n1,\x002\n", 2, "00"),
        (b"x,y\n1,2\n\xff\x01", 3, "01"),
        ("x,y\n1,2\n".encode("utf-32"), 1, "00"),
    ],
)
def test_binary_junk(content, line, code):
    assert error(content) == (
        f"What was sent as the file is not a text file: line {line} holds the control character 0x{code}."
    )


def test_broken_utf_16_is_no_traceback():
    assert read_table(b"\xff\xfex").frame is None


@pytest.mark.parametrize("content", [b'x,y\n1,2\n"3,4\n5,6\n', b'x,y\n1,2\n"3"3,4\n5,6\n'])
def test_quotation_marks_that_do_not_match(content):
    assert error(content, "a.csv") == (
        "Row 3 of a.csv: the quotation marks do not match; one is never closed or closed too early."
    )


def test_a_quotation_mark_that_swallows_a_long_file():
    assert "Row 2 of the file: the quotation marks do not match" in error(b'x,y\n"1,2\n' + b"3,4\n" * 100_000)


# read_table: anything


@given(st.binary(max_size=400))
@settings(deadline=None)
def test_arbitrary_bytes_never_raise(content):
    check_table(read_table(content))


@given(st.text(alphabet=" \"',;|\t\n\r01.-e\ufeffé\u2028x", max_size=80).map(str.encode))
@settings(max_examples=400, deadline=None)
def test_arbitrary_text_never_raises(content):
    check_table(read_table(content))


@given(st.text(max_size=60), st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]))
@settings(deadline=None)
def test_arbitrary_encoded_text_never_raises(text, encoding):
    check_table(read_table(text.encode(encoding, errors="ignore")))


def check_table(table: Table) -> None:
    assert (table.frame is None) == bool(messages(table, "error"))
    if table.frame is not None:
        assert len(cells(table)) >= 3 and cells(table).shape[1] >= 2
        assert cells(table).columns.is_unique and cells(table).index.is_monotonic_increasing
        assert not cells(table).isna().any().any()


CELL = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufeff"), min_size=1, max_size=8)


@given(
    st.integers(2, 5).flatmap(lambda width: st.lists(st.lists(CELL, min_size=width, max_size=width), min_size=4)),
    st.sampled_from(",;\t|"),
)
@settings(deadline=None)
def test_what_was_written_is_read(rows, delimiter):
    rows = [[f"n{cell.strip()}" for cell in row] for row in rows]  # no cell is blank
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)
    table = read_table(buffer.getvalue().encode())
    if table.delimiter == delimiter:  # cells full of another delimiter may look like a table of that one
        assert cells(table).to_numpy().tolist() == rows[1:]


def test_a_first_line_that_names_the_delimiter_is_none_of_the_rows():
    for line in ("sep=;", '"sep=;"', "SEP=;"):
        table = read_table(f"{line}\na;b,c\n1;2,5\n3;4,5\n5;6,5\n".encode())
        assert list(table.frame.columns) == ["a", "b,c"] and table.frame.index.tolist() == [3, 4, 5]
        assert table.delimiter == ";"
    assert list(read_table(b"sep=;,b\n1,2\n3,4\n5,6\n").frame.columns) == ["sep=;", "b"]


def test_separators_in_quoted_cells_do_not_count():
    rows = "".join(f'{i},"{i}|{i}"{"," if i % 2 else ""}\n' for i in range(20))
    table = read_table(('"x|\n1","y|2",z\n' + rows).encode())
    assert table.delimiter == "," and list(table.frame.columns) == ["x|\n1", "y|2", "z"] and len(table.frame) == 20


def test_control_characters_of_names_are_written_out():
    problems: list[Problem] = []
    names = column_names(["\x1b[31mred", "\x9b2J", "a\u202eb", "a\u202eb"], problems)
    assert names == ["\\x1b[31mred", "\\x9b2J", "a\\u202eb", "a\\u202eb (2)"]
