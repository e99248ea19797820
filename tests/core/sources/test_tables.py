"""Files as tables of cells, and columns of tables as grouped data: faults are said and counted, nothing raises."""

from __future__ import annotations

import csv
import io
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpslr_core.sources.files import read_file
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.sources.tables import (
    Built,
    Column,
    Table,
    grouped_from_table,
    identifier,
    likely_columns,
    preview,
)
from tests.cases.tables import table as cases

GOOD = b"x,y\n1,2\n3,4\n5,6\n"


def messages(result: Table | Built, severity: str | None = None) -> list[str]:
    return [problem.message for problem in result.problems if severity in (None, problem.severity)]


def made(built: Built) -> GroupedData:
    assert built.grouped is not None, messages(built)
    return built.grouped


def build(
    content: bytes,
    x: str = "x",
    y: str = "y",
    group: str | None = None,
    x_bounds: Any = (0, 10),
    y_bounds: Any = (0, 10),
) -> Built:
    columns = Column(x, x_bounds), Column(y, y_bounds)
    return grouped_from_table(read_file(content), *columns, group)


def test_grouped_data_in_the_unit_square():
    x, y = Column("x", (1, 5), "m²"), Column("y", (0, 8), "kWh")
    built = grouped_from_table(read_file(GOOD), x, y, name="mine")
    assert built.problems == () and built.rejected.empty
    grouped = made(built)
    assert grouped.frame[["x", "y"]].to_numpy().tolist() == [[0, 0.25], [0.5, 0.5], [1, 0.75]]
    assert (grouped.name, grouped.x.label, grouped.y.label) == ("mine", "x (m²)", "y (kWh)")
    assert grouped.groups == ("all",) and not grouped.reproducible and "uploaded" in grouped.about


def test_bad_rows_are_dropped_and_the_guarantee_is_mentioned():
    built = build(b"x,y\n1,2\n,4\n5,six\n7,8\n9,1\n")
    assert made(built).sizes == {"all": 3}
    assert messages(built, "warning") == [
        "Column 'x', row 3: 1 cell not read (empty).",
        "Column 'y', row 4: 1 cell not read (not a number, such as 'six').",
        "2 of 5 rows were left out because a value is missing or unusable. Leaving out rows "
        "because a value is "
        "missing is not covered by the guarantee: decide the rule before seeing the data.",
    ]


def test_clipping_is_counted_per_column():
    built = build(b"x,y\n-1,2\n3,14\n5,15\n6,7\n")
    assert (made(built).clipped_x, made(built).clipped_y) == (1, 2)
    assert messages(built) == [
        "Column 'x': 1 of 4 values lie outside the bounds 0 to 10 and were moved to the nearer "
        "bound.",
        "Column 'y': 2 of 4 values lie outside the bounds 0 to 10 and were moved to the nearer "
        "bound.",
    ]


def test_groups_are_kept_rejected_and_listed():
    content = b"x,y,g\n1,1,b\n2,2,b\n3,3,b\n4,4,tiny\n5,5,same\n5,6,same\n5,7,same\n1,2,a\n2,3,a\n3,4, a \n"
    built = build(content, group="g")
    assert made(built).sizes == {"b": 3, "a": 3}
    assert built.rejected.to_dict("records") == [
        {"group": "tiny", "n": 1, "reason": "fewer than 3 records"},
        {"group": "same", "n": 3, "reason": "x is constant"},
    ]
    (message,) = messages(built, "warning")
    assert message.startswith(
        "2 of 4 groups were left out (fewer than 3 records: 'tiny'; x is constant: 'same')."
    )


# A text, what is asked of it beside x and y between 0 and 10, and the error.
ERRORS = cases(r"""
    "x,y\n5,1\n5,2\n5,3" | {} | Column 'x' is constant (every value is 5), so no line can be fitted.
    "x,y\n11,1\n12,2\n13,3" | {} | Column 'x' is constant once it is clipped to the bounds 0 to 10; choose wider bounds.
    "x,y\n1,1\n2,2\n,3" | {} | Only 2 usable rows are left; at least 3 are needed.
    "x,y\n1,\n2,\n,3" | {} | Only 0 usable rows are left; at least 3 are needed.
    "x,y\n1,1\n2,2\n3,3" | {"group": "area"} | There is no column 'area'; the columns are 'x', 'y'.
    "x,y\n1,1\n2,2\n3,3" | {"x": "z"} | There is no column 'z'; the columns are 'x', 'y'.
    "x,y\n1,1\n2,2\n3,3" | {"y": "x"} | x and y are the same column, 'x'; a line needs two different ones.
    "x,y\n1,1\n2,2\n3,3" | {"group": "y"} | The group column 'y' is also y; choose a different one.
    "x,y,g\n1,1,a\n2,2,b\n3,3,c" | {"group": "g"} | None of the 3 groups in 'g' has 3 or more rows and an x that varies.
    "x,y\na,1\nb,2\nc,3" | {} | Column 'x' has no numbers, for example 'a' in row 2.
""")


@pytest.mark.parametrize(("content", "changes", "message"), ERRORS)
def test_errors_of_grouped_from_table(content, changes, message):
    built = build(content.encode(), **changes)
    assert built.grouped is None
    assert messages(built, "error") == [message]
    left_out = [text for text in messages(built, "warning") if "rows were left out" in text]
    assert bool(left_out) == ("usable rows" in message)  # otherwise it would be a second reason


def test_errors_are_collected():
    built = build(GOOD, x="z", group="area", x_bounds=(1, 0), y_bounds=(np.nan, 1))
    columns, area, x, y = messages(built, "error")
    assert columns.startswith("There is no column 'z'") and "'area'" in area
    assert "bounds of 'z'" in x and "bounds of 'y'" in y


NUMBERS = st.one_of(
    st.floats(-20, 20).map(str),
    st.integers(-5, 15).map(str),
    st.sampled_from(["", "NA", "inf", "1e308", "x", "5%"]),
)
TABLES = st.lists(
    st.tuples(NUMBERS, NUMBERS, st.sampled_from(["a", "b", "", "c,d"])), min_size=3, max_size=30
)
BOUNDS = st.tuples(st.floats(), st.floats()) | st.tuples(st.floats(-20, 0), st.floats(1, 20))


@given(TABLES, st.sampled_from([None, "g"]), BOUNDS, BOUNDS)
def test_all_grouped_data_that_are_built_can_be_used(rows, group, x_bounds, y_bounds):
    buffer = io.StringIO()
    csv.writer(buffer).writerows([("x", "y", "g"), *rows])
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        built = build(buffer.getvalue().encode(), group=group, x_bounds=x_bounds, y_bounds=y_bounds)
    assert (built.grouped is None) == bool(messages(built, "error"))
    if built.grouped is not None:
        assert made(built).unusable == {}
        for label in made(built).groups:
            assert made(built).dataset(label).nvar > 0
        assert set(made(built).groups).isdisjoint(built.rejected["group"])


@pytest.mark.parametrize(
    ("content", "point", "comma"),
    [
        (b"x;y\n1.100;1\n800;2\n1.003;3\n", 1.1, 1100),
        (b'x,y\n"1,100",1\n800,2\n"1,003",3\n', 1100, 1.1),
    ],
)
def test_thousands_that_nothing_tells_from_decimals_are_asked(content, point, comma):
    table, y = read_file(content), Column("y", (0, 10))
    (problem,) = grouped_from_table(table, Column("x", (0, 10_000)), y).problems
    assert problem.of_style and problem.severity == "error" and "could mean" in problem.message
    shown = preview(table, {}, ["x", "y"])["read as"]
    assert shown.tolist() == ["decimal point or comma?", "numbers"]
    for style, first in (("point", point), ("comma", comma)):
        grouped = made(grouped_from_table(table, Column("x", (0, 10_000), style=style), y))
        assert grouped.x.from_unit(grouped.frame["x"])[0] == pytest.approx(first)


COLUMNS: dict[str, tuple[str, list[object]]] = {
    "Tract": ("leading zeros", [f"{10 * i:06d}" for i in range(1, 13)]),
    "Birth year": ("years", [1970 + i % 7 for i in range(12)]),
    "countyFIPS": ("its name", [17031 + 12 * (i % 3) for i in range(12)]),
    "case": ("all values different", [(7 * i) % 12 + 1 for i in range(12)]),
    "Household": ("all values different", [f"H{i}" for i in range(12)]),
    "Parent income": ("", [f"${60_000 + 913.5 * i:,.2f}" for i in range(12)]),
    "rooms": ("", [1 + i % 4 for i in range(12)]),
    "blank": ("", [""] * 12),
}


def test_identifiers_are_guessed_and_stand_behind_the_quantities():
    content = pd.DataFrame({name: cells for name, (_, cells) in COLUMNS.items()})
    table = read_file(content.to_csv(index=False).encode())
    for name, (why, _) in COLUMNS.items():
        assert identifier(table, name) == why, name
    expected = "Parent income|rooms|case|Tract|Birth year|countyFIPS|Household|blank"
    assert likely_columns(table) == expected.split("|")
    shown = preview(table, {}, ["Tract", "Household", "Parent income"])
    assert shown[["likely", "read as", "numbers"]].to_numpy().tolist() == [
        ["identifier? (leading zeros)", "numbers", 12],
        ["identifier? (all values different)", "text", 0],
        ["", "numbers, decimal point", 12],
    ]
    assert shown["examples"][2] == "$60,000.00 | $60,913.50 | $61,827.00"


def test_rows_that_are_no_records_are_counted():
    built = build(b"x,y,g\n1,1,b\n2,2,b\n3,3,b\n4,4,tiny\n,5,b\n5,,b\n1,2,\n", group="g")
    assert "Column 'g', row 8: no group label." in messages(built)
    grouped = made(built)
    assert (len(grouped.frame), grouped.left_out, grouped.left_out_with_group) == (3, 4, 1)


def test_the_rows_of_each_label_are_counted_whatever_their_values():
    """Usable and unusable ones, of a group whose x are all equal too: other values leave the counts as they are."""
    content = "x,y,g\n{},1,b\n2,2,b\n3,3,b\n4,{},flat\n4,5,flat\n{},6,flat\n1,2,\n"
    sizes = {"b": 3, "flat": 3}
    for cells in (("1", "4", "4"), ("1", "4", "9"), ("", "x", "4"), ("2", "", "8")):
        grouped = made(build(content.format(*cells).encode() + b"5,1,b\n", group="g"))
        assert grouped.public_sizes == sizes | {"b": 4}
        records = sum(grouped.sizes.values())
        assert records + grouped.left_out == 8
    assert made(build(b"x,y\n1,1\n2,\n3,3\n4,4\n")).public_sizes == {"all": 4}


def test_the_rows_of_one_person_are_counted_among_the_records():
    """p has three rows, one of them no record; a row without an id is a person of its own."""
    table = read_file(b"x,y,g,who\n1,1,b,p\n2,2,b, p\n3,3,b,q\n,4,b,p\n5,5,b,\n6,1,b,\n7,1,b,\n")
    columns = Column("x", (0, 10)), Column("y", (0, 10)), "g"
    assert made(grouped_from_table(table, *columns, person="who")).rows_per_person == 2
    assert made(grouped_from_table(table, *columns)).rows_per_person == 0
    for person, words in (
        ("x", "is also x"),
        ("g", "the group column"),
        ("z", "There is no column 'z'"),
    ):
        (message,) = messages(grouped_from_table(table, *columns, person=person), "error")
        assert words in message


@pytest.mark.parametrize(
    ("transform", "most", "points"),
    [(None, (200, 600), [300, 500]), ("log10", (10, 1000), [1.5, 2.5])],  # of log10 x
)
def test_usual_points_are_the_ends_of_the_middle_half_of_where_most_people_are(
    transform, most, points
):
    column = Column("x", (1, 1000), transform=transform, most=most)
    table = read_file(b"x,y\n1,1\n200,2\n300,3\n")
    grouped = made(grouped_from_table(table, column, Column("y", (0, 10))))
    assert grouped.x.from_unit(grouped.usual_at).tolist() == pytest.approx(points)


def cells(table: Table) -> pd.DataFrame:
    assert table.frame is not None, messages(table)
    return table.frame


def error(content: bytes, name: str = "the file") -> str:
    """The only error of a file that cannot be read."""
    table = read_file(content, name)
    assert table.frame is None
    (message,) = messages(table, "error")
    return message


# Files of the cells 1 and 2, 3 and 4, 5 and 6: the names of the columns, the first row, and the note.
PLAIN_TEXTS = cases(r"""
    "x;y\n1;2\n3;4\n5;6\n" | ["x", "y"] | 2 | The columns of it are separated by semicolons.
    "x\ty\n1\t2\n3\t4\n5\t6\n" | ["x", "y"] | 2 | The columns of it are separated by tabs.
    "x|y\n1|2\n3|4\n5|6\n" | ["x", "y"] | 2 | The columns of it are separated by vertical bars.
    "pay, old\tpay, new\n1\t2\n3\t4\n5\t6\n" | ["pay, old", "pay, new"] | 2 | The columns of it are separated by tabs.
    "x,y\n1,2\n3,4\n5,6\n\n\n,,\n" | ["x", "y"] | 2 |
    "x,y\r\n1,2\r\n3,4\r\n5,6\r\n\r\n,,\r\n" | ["x", "y"] | 2 |
    "x,y\r1,2\r3,4\r5,6\r\r,,\r" | ["x", "y"] | 2 |
    "x, \"y, z\"\n1, \"2\"\n3, 4\n5, 6\n" | ["x", "y, z"] | 2 |
    "\n\nx,y\n1,2\n3,4\n5,6\n" | ["x", "y"] | 4 |
    "sep=;\nx;y,z\n1;2\n3;4\n5;6\n" | ["x", "y,z"] | 3 | The columns of it are separated by semicolons.
    "\"sep=;\"\nx;y,z\n1;2\n3;4\n5;6\n" | ["x", "y,z"] | 3 | The columns of it are separated by semicolons.
    "SEP=;\nx;y,z\n1;2\n3;4\n5;6\n" | ["x", "y,z"] | 3 | The columns of it are separated by semicolons.
    "sep=;,b\n1,2\n3,4\n5,6\n" | ["sep=;", "b"] | 2 |
""")
UMLAUT = "größe (€),y\n1,2\n3,4\n5,6\n"
LATIN = "The text of it is not UTF-8; it was read as Latin-1 (Windows-1252), so check accents."
ENCODED = {"utf-8-sig": "", "utf-16": "", "utf-16-be": "", "cp1252": LATIN}
PLAIN = [(text.encode(), *rest) for text, *rest in PLAIN_TEXTS] + [
    (("\ufeff" * (name == "utf-16-be") + UMLAUT).encode(name), ["größe (€)", "y"], 2, note)
    for name, note in ENCODED.items()
]


@pytest.mark.parametrize(("content", "names", "first", "note"), PLAIN)
def test_plain_files_are_read(content, names, first, note):
    table = read_file(content, "it")
    assert list(cells(table)) == names and cells(table).index[0] == first
    assert cells(table).to_numpy().tolist() == [["1", "2"], ["3", "4"], ["5", "6"]]
    assert messages(table) == messages(table, "warning") == ([note] if note else [])


# Semicolons win over decimal commas; eight blank cells beyond the header are read, and more are not. Of each file: the
# names of its columns, the cells by row, and the notes, a part of each.
ODD = cases(r"""
    "x;y\n1,5;2\n2,5;3\n3,5;4\n" | "x|y" | {"2": ["1,5", "2"], "3": ["2,5", "3"], "4": ["3,5", "4"]} | by semicolons.
    "x,y\n1\n1,2,3\n\n3,4\n,,,\n7,8\n" | "x|y" | {"2":["1",""],"5":["3","4"],"7":["7","8"]} | 2: few / 3: more / 4 and 6
    "x,y\n1,2\n3,4,,,,,,,,\n5,6,,,,,,,,,\n7,8\n" | "x|y" | {"2": ["1", "2"], "3": ["3", "4"], "5": ["7", "8"]} | 4: more
    "0,0\n1,2\n3,4\n5,6\n" | "0|0 (2)" | {"2": ["1", "2"], "3": ["3", "4"], "4": ["5", "6"]} | it holds numbers / '0'
    "a,a,,a (2)\n1,2,3,4\n5,6,7,8\n9,9,9,9\n" | "a|a (2)|column 3|a (2) (2)" | {} | 'a (2)' / 'column 3' / 'a (2) (2)'
""")


@pytest.mark.parametrize(("content", "names", "rows", "notes"), ODD, ids=range(len(ODD)))
def test_odd_files_are_read(content, names, rows, notes):
    table = read_file(content.encode(), "it")
    assert list(cells(table).columns) == names.split("|")
    held = {str(row): kept for row, kept in cells(table).T.to_dict("list").items()}
    assert held == rows or not rows
    assert all(
        part in note
        for part, note in zip(notes.split(" / "), messages(table, "warning"), strict=True)
    )


REFUSED_TEXTS = cases(r"""
    "" | There is nothing in it: it is empty.
    "\n\n \n" | There is nothing in it: it is empty.
    "   " | There is nothing in it: it is empty.
    "\ufeff" | There is nothing in it: it is empty.
    "x,y\n\n\n" | There are no rows below the header (row 1) of it.
    "sep=;\n;;\n;;\n;;\n" | There are no rows below the header (row 0) of it.
    "x,y\n1,2\n" | Only 1 row fits the header of it; at least 3 are needed.
    "x,y\n1,2\n1,2\n" | Only 2 rows fit the header of it; at least 3 are needed.
    "x,y\n1,5,2,5\n2,5,3,5\n" | Only 0 rows fit the header of it; at least 3 are needed.
    "x\n1\n2\n3\n" | 'x'; x and y need two, separated by commas, semicolons, tabs or vertical bars.
    "x y\n1 2\n3 4\n5 6\n" | Only one column was found in it, 'x y'; x and y need two, separated by commas,
    "sep=;\nx\n1\n2\n3\n" | Only one column was found in it, 'x'; x and y need two, separated by commas,
    "x,y\n1,2\n\"3,4\n5,6\n" | Row 3 of it: the quotation marks do not match; one is never closed
    "x,y\n1,2\n\"3\"3,4\n5,6\n" | Row 3 of it: the quotation marks do not match; one is never closed
    "x,y\n1,\u00002\n" | it is neither text nor a workbook, Stata or Parquet file: line 2 holds the byte 0x00. Save
""")
REFUSED_BYTES = [
    (b"\xff\xfe", "There is nothing in it: it is empty."),
    (b"x,y\n1,2\n\xff\x01", "line 3 holds the byte 0x01. Save the table as CSV."),
    (bytes(2**20), "line 1 holds the byte 0x00. Save the table as CSV."),
    (
        b"0" * 100_001,
        "Line 1 of it has 100,001 characters, more than 100,000: is it really a table?",
    ),
    (b"PK\x03\x04" + bytes(100), "it cannot be read: the file is damaged or incomplete."),
    (
        b"\x89PNG\r\n\x1a\n" + bytes(50),
        "it is neither text nor a workbook, Stata or Parquet file: line 2 holds the byte 0x1a. Save the table as CSV.",
    ),
    ("x,y\n1,2\n".encode("utf-32"), "Only 1 row fits the header of it; at least 3 are needed."),
    (b'x,y\n"1,2\n' + b"3,4\n" * 100_000, "Row 2 of it: the quotation marks do not match;"),
]
REFUSED = [(text.encode(), sentence) for text, sentence in REFUSED_TEXTS] + REFUSED_BYTES


@pytest.mark.parametrize(("content", "message"), REFUSED, ids=range(len(REFUSED)))
def test_files_that_are_refused(content, message):
    assert message in error(content, "it")


def test_more_than_50_mb_are_refused():
    assert error(b"0" * (51 * 2**20), "a.csv") == "At most 50 MB can be read; a.csv has 51.0 MB."


ANY = (
    st.binary(max_size=400)
    | st.text(alphabet=" \"',;|\t\n\r01.-e\ufeffé\u2028x", max_size=80).map(str.encode)
    | st.text(max_size=60).map(lambda text: text.encode("utf-16", errors="ignore"))
)


@given(ANY)
@example(b"\xff\xfex")
def test_no_content_raises(content):
    for table in (read_file(content), read_file(GOOD + content)):
        built = grouped_from_table(table, Column("x", (0, 5)), Column("y", (0, 5)))
        assert built.grouped is not None or messages(built, "error")
        assert (table.frame is None) == bool(messages(table, "error"))
        if table.frame is not None:
            assert len(cells(table)) >= 3 and cells(table).shape[1] >= 2
            assert cells(table).columns.is_unique and cells(table).index.is_monotonic_increasing
            assert not cells(table).isna().any().any()


def test_separators_in_quoted_cells_do_not_count():
    rows = "".join(f'{i},"{i}|{i}"{"," if i % 2 else ""}\n' for i in range(20))
    table = read_file(('"x|\n1","y|2",z\n' + rows).encode())
    assert not any("separated" in text for text in messages(table))
    assert list(table.frame.columns) == ["x|\n1", "y|2", "z"] and len(table.frame) == 20
