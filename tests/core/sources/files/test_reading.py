"""From a table to grouped data: rows and groups that cannot be used are counted with their reasons."""

from __future__ import annotations

import csv
import io
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpslr_core.sources.grouping import GroupedData
from dpslr_core.sources.tables import Built, Column, Table, grouped_from_table, likely_columns, preview, read_table

GOOD = b"x,y\n1,2\n3,4\n5,6\n"


def messages(result: Table | Built, severity: str | None = None) -> list[str]:
    return [problem.message for problem in result.problems if severity in (None, problem.severity)]


def made(built: Built) -> GroupedData:
    assert built.grouped is not None, messages(built)
    return built.grouped


def build(content: bytes, x: str = "x", y: str = "y", group: str | None = None, **changes: Any) -> Built:
    columns = [
        Column(name, changes.get(f"{axis}_bounds", (0, 10)), changes.get(f"{axis}_unit", ""))
        for axis, name in (("x", x), ("y", y))
    ]
    return grouped_from_table(read_table(content), *columns, group, changes.get("name", "your data"))


# grouped_from_table


def test_grouped_data_in_the_unit_square():
    built = build(GOOD, x_bounds=(1, 5), y_bounds=(0, 8), name="mine", x_unit="m²", y_unit="kWh")
    assert built.problems == () and built.rejected.empty
    grouped = made(built)
    assert grouped.frame[["x", "y"]].to_numpy().tolist() == [[0, 0.25], [0.5, 0.5], [1, 0.75]]
    assert (grouped.name, grouped.x.label, grouped.y.label) == ("mine", "x (m²)", "y (kWh)")
    assert grouped.groups == ("all",) and not grouped.reproducible and "uploaded" in grouped.about


def test_an_unreadable_table_hands_on_its_problems():
    table = read_table(b"")
    assert grouped_from_table(table, Column("x", (0, 1)), Column("y", (0, 1))).problems == table.problems


def test_bad_rows_are_dropped_and_the_guarantee_is_mentioned():
    built = build(b"x,y\n1,2\n,4\n5,six\n7,8\n9,1\n")
    assert made(built).sizes == {"all": 3}
    assert messages(built, "warning") == [
        "Column 'x', row 3: 1 cell not read (empty).",
        "Column 'y', row 4: 1 cell not read (not a number, such as 'six').",
        "2 of 5 rows were left out because a value is missing or unusable. Choosing records by their values is "
        "preprocessing that the privacy guarantee does not cover.",
    ]


def test_clipping_is_counted_per_column():
    built = build(b"x,y\n-1,2\n3,14\n5,15\n6,7\n")
    assert (made(built).clipped_x, made(built).clipped_y) == (1, 2)
    assert messages(built) == [
        "Column 'x': 1 of 4 values lie outside the bounds 0 to 10 and were moved to the nearer bound.",
        "Column 'y': 2 of 4 values lie outside the bounds 0 to 10 and were moved to the nearer bound.",
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
    assert message.startswith("2 of 4 groups were left out (fewer than 3 records: 'tiny'; x is constant: 'same').")


def test_many_rejected_groups_are_counted():
    content = b"x,y,g\n1,1,a\n2,2,a\n3,3,a\n" + b"".join(b"1,2,g%d\n" % i for i in range(30))
    (message,) = messages(build(content, group="g"), "warning")
    assert "'g9' and 20 more" in message


def test_rows_without_a_group_label_are_dropped():
    built = build(b"x,y,g\n1,1,a\n2,2,a\n3,3,a\n4,4,\n", group="g")
    assert made(built).sizes == {"a": 3}
    assert messages(built)[0] == "Column 'g', row 5: no group label."
    assert messages(built)[1].startswith("1 of 4 rows were left out")


@pytest.mark.parametrize(
    ("content", "changes", "message"),
    [
        (b"x,y\n5,1\n5,2\n5,3\n", {}, "Column 'x' is constant (every value is 5), so no line can be fitted."),
        (
            b"x,y\n11,1\n12,2\n13,3\n",
            {},
            "Column 'x' is constant once it is clipped to the bounds 0 to 10; choose wider bounds.",
        ),
        (b"x,y\n1,1\n2,2\n,3\n", {}, "Only 2 usable rows are left; at least 3 are needed."),
        (b"x,y\n1,\n2,\n,3\n", {}, "Only 0 usable rows are left; at least 3 are needed."),
        (
            b"x,y,g\n1,1,a\n2,2,b\n3,3,c\n",
            {"group": "g"},
            "None of the 3 groups in 'g' has 3 or more rows and an x that varies.",
        ),
        (b"x,y\na,1\nb,2\nc,3\n", {}, "Column 'x' has no numbers, for example 'a' in row 2."),
        (GOOD, {"x": "z"}, "There is no column 'z'; the columns are 'x', 'y'."),
        (GOOD, {"group": "area"}, "There is no column 'area'; the columns are 'x', 'y'."),
        (GOOD, {"y": "x"}, "x and y are the same column, 'x'; a line needs two different ones."),
        (GOOD, {"group": "y"}, "The group column 'y' is also y; choose a different one."),
        (
            GOOD,
            {"x_bounds": (3, 3)},
            "The bounds of 'x' cannot be used: lower must be below upper, got lower=3.0, upper=3.0.",
        ),
        (
            GOOD,
            {"y_bounds": (0, np.inf)},
            "The bounds of 'y' cannot be used: upper must be a finite number, got inf.",
        ),
        (
            GOOD,
            {"y_bounds": ("a", 1)},
            "The bounds of 'y' cannot be used: could not convert string to float: 'a'.",
        ),
    ],
)
def test_errors_of_grouped_from_table(content, changes, message):
    built = build(content, **changes)
    assert built.grouped is None
    assert messages(built, "error") == [message]


def test_errors_are_collected():
    built = build(GOOD, x="z", group="area", x_bounds=(1, 0), y_bounds=(np.nan, 1))
    assert [text.split(";")[0].split(":")[0] for text in messages(built, "error")] == [
        "There is no column 'z'",
        "There is no column 'area'",
        "The bounds of 'z' cannot be used",
        "The bounds of 'y' cannot be used",
    ]
    both = build(b'x,y\na,1.5\nb,"2,5"\nc,3\n')
    assert len(messages(both, "error")) == 2


def test_all_groups_rejected_still_lists_them():
    built = build(b"x,y,g\n1,1,a\n2,2,b\n3,3,c\n", group="g")
    assert built.rejected["group"].tolist() == ["a", "b", "c"]


def test_a_range_of_x_that_is_rounding_counts_as_constant():
    built = build(b"x,y\n1,1\n1.0000000000000002,2\n1,3\n")
    assert built.grouped is None and "'x' is constant" in messages(built, "error")[0]


NUMBERS = st.one_of(
    st.floats(-20, 20).map(str),
    st.integers(-5, 15).map(str),
    st.sampled_from(["", "NA", "inf", "1e308", "x", "5%"]),
)
TABLES = st.lists(st.tuples(NUMBERS, NUMBERS, st.sampled_from(["a", "b", "", "c,d"])), min_size=3, max_size=30)
BOUNDS = st.tuples(st.floats(), st.floats()) | st.tuples(st.floats(-20, 0), st.floats(1, 20))


@given(TABLES, st.sampled_from([None, "g"]), BOUNDS, BOUNDS)
@settings(max_examples=150, deadline=None)
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


@given(st.binary(max_size=200))
@settings(deadline=None)
def test_arbitrary_bytes_never_raise_further_on(content):
    table = read_table(b"x,y\n1,2\n2,3\n3,4\n" + content)
    if table.frame is not None:
        grouped_from_table(table, Column("x", (0, 5)), Column("y", (0, 5)))


# preview and first choice of columns


MIXED = (
    b"place,case,income,share,code\n"
    b'Bern,1,"$68,352.00",12 %,0.5\nBasel,2,"(1,200)",,0.7\nChur,3,n/a,7 %,0.9\nZug,4,"$5,000.50",8 %,0.1\n'
)


def test_the_preview_shows_what_each_column_is_read_as():
    table = read_table(MIXED)
    shown = preview(table, {}, ["place", "case", "income", "share", "code"]).set_index("column")
    assert shown["read as"].tolist() == [
        "text", "numbers", "numbers, decimal point", "numbers, decimal point", "numbers",
    ]  # fmt: skip
    assert shown["numbers"].tolist() == [0, 4, 3, 3, 4] and shown["not numbers"].tolist() == [4, 0, 1, 1, 0]
    assert shown.loc["income", "examples"] == "$68,352.00 = 68352 | (1,200) = -1200 | $5,000.50 = 5000.5"
    assert shown.loc["place", "examples"] == "Bern | Basel | Chur"


def test_a_chosen_writing_changes_what_is_read():
    table = read_table(b"x;y\n1,234;1\n2,500;2\n3,100;3\n")
    for styles, first, kind in (
        ({"x": "comma"}, 1.234, "numbers, decimal comma"),
        ({"x": "point"}, 1234, "numbers, decimal point"),
        ({"x": "plain"}, None, "text"),
    ):
        shown = preview(table, styles, ["x"]).iloc[0]
        built = grouped_from_table(table, Column("x", (0, 10_000), style=styles.get("x")), Column("y", (0, 10)))
        assert shown["read as"] == kind
        if first is None:
            assert built.grouped is None and messages(built, "error") == [
                "Column 'x' has no numbers, for example '1,234' in row 2."
            ]
        else:
            assert made(built).x.from_unit(made(built).frame["x"])[0] == pytest.approx(first)


def test_a_file_has_one_way_of_writing_numbers():
    """Thousands are told from decimals by another column, in a file with semicolons and in one with commas."""
    x, y = Column("x", (0, 10_000)), Column("y", (0, 10))
    for content, values in (
        (b"x;y;z\n1.100;1;0,5\n800;2;1\n1.003;3;2\n", [1100, 800, 1003]),
        (b"x;y;z\n1.100;1;0.5\n800;2;1\n1.003;3;2\n", [1.1, 800, 1.003]),
        (b'x,y,z\n"1,100",1,0.5\n800,2,1\n"1,003",3,2\n', [1100, 800, 1003]),
        (b'x,y,z\n"1,100",1,"0,5"\n800,2,1\n"1,003",3,2\n', [1.1, 800, 1.003]),
    ):
        grouped = made(grouped_from_table(read_table(content), x, y))
        assert grouped.x.from_unit(grouped.frame["x"]) == pytest.approx(values)
        assert grouped.x.numbers == grouped.y.numbers == ("comma" if b"0,5" in content else "point")


@pytest.mark.parametrize("content", [b"x;y\n1.100;1\n800;2\n1.003;3\n", b'x,y\n"1,100",1\n800,2\n"1,003",3\n'])
def test_thousands_that_nothing_tells_from_decimals_are_asked(content):
    table = read_table(content)
    built = grouped_from_table(table, Column("x", (0, 10_000)), Column("y", (0, 10)))
    assert built.grouped is None and [problem.of_style for problem in built.problems].count(True) == 1
    (said,) = messages(built, "error")
    assert "could mean" in said and "(decimal point) or" in said and "(decimal comma)" in said
    shown = preview(table, {}, ["x", "y"]).set_index("column")["read as"].to_dict()
    assert shown == {"x": "decimal point or comma?", "y": "numbers"}
    for style, first in (("point", 1.1), ("comma", 1100)) if b";" in content else (("point", 1100), ("comma", 1.1)):
        grouped = made(grouped_from_table(table, Column("x", (0, 10_000), style=style), Column("y", (0, 10))))
        assert grouped.x.from_unit(grouped.frame["x"])[0] == pytest.approx(first)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (MIXED, ("case", "income")),
        (b"a,b,c\nx,y,1\nx,y,2\nx,y,3\n", ("c", "a")),
        (b"a,b\nx,y\nx,y\nx,y\n", ("a", "b")),
    ],
)
def test_two_different_columns_are_likely(content, expected):
    assert likely_columns(read_table(content)) == expected


def test_a_file_of_dollars_and_the_rest_is_counted_by_reason():
    rows = [f'{i},"${60_000 + i:,}.00"' for i in range(20)] + ["20,unknown", "21,", '22,"€5"', "23,n/a"]
    built = build(("x,income\n" + "\n".join(rows)).encode(), y="income", x_bounds=(0, 30), y_bounds=(0, 100_000))
    assert made(built).sizes == {"all": 21}
    assert messages(built) == [
        "Column 'income': 21 of 21 numbers were interpreted: '$60,000.00' as 60000, '€5' as 5.",
        "Column 'income': the amounts are in several currencies ($, €) and were not converted.",
        "Column 'income', row 22: 1 cell not read (not a number, such as 'unknown').",
        "Column 'income', row 23: 1 cell not read (empty).",
        "Column 'income', row 25: 1 cell not read (a missing value, such as 'n/a').",
        "3 of 24 rows were left out because a value is missing or unusable. Choosing records by their values is "
        "preprocessing that the privacy guarantee does not cover.",
    ]
