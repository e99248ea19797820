"""One table in every kind of file: the same numbers, or a sentence that names what the file is and what to do."""

from __future__ import annotations

import datetime
import decimal
import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpslr_core.sources.columns import Table
from dpslr_core.sources.files import read_file
from dpslr_core.sources.tables import (
    Built,
    Column,
    grouped_from_table,
    labels_of,
    likely_columns,
    numbers_of,
    preview,
)
from dpslr_core.sources.totals import refuse_total, totals_problem
from tests.cases.tables import table as cases

RNG = np.random.default_rng(40)
HOURS = np.round(RNG.uniform(0.5, 7.5, 30), 2)
SCORE = np.round(30 + 8 * HOURS + RNG.normal(0, 9, 30), 1)
AREA = np.array(["A", "B", "C"])[np.arange(30) % 3]
FRAME = pd.DataFrame({"area": AREA, "hours": HOURS, "score": SCORE})
TEXT = FRAME.to_csv(index=False)
ROWS = [["area", "hours", "score"], *FRAME.to_numpy(dtype=object).tolist()]


def messages(table: Table | Built) -> str:
    return "\n".join(problem.message for problem in table.problems)


def workbook(
    *sheets: tuple[str, list[list[Any]]], change: Callable[[Any], None] | None = None
) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    if change is not None:
        change(book)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def archive(**members: bytes | str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name.replace("_dot_", "."), content)
    return file.getvalue()


def stata(frame: pd.DataFrame = FRAME, **how: Any) -> bytes:
    file = io.BytesIO()
    frame.to_stata(file, write_index=False, **how)
    return file.getvalue()


def parquet(table: pd.DataFrame | pa.Table = FRAME) -> bytes:
    file = io.BytesIO()
    pq.write_table(table if isinstance(table, pa.Table) else pa.Table.from_pandas(table), file)
    return file.getvalue()


def _hidden(book: Any) -> None:
    book.worksheets[0].row_dimensions[5].hidden = True
    book.create_sheet("old").sheet_state = "hidden"


def _percent(book: Any) -> None:
    for row in book.worksheets[0].iter_rows(min_row=2, min_col=3, max_col=3):
        row[0].number_format = "0.0%"
        row[0].value = float(decimal.Decimal(repr(row[0].value)).scaleb(-2))


# Of each text: its name, what stands above the table of FRAME, and a part of the message on it.
ABOVE = cases(r"""
    "title that Excel padded.csv" | "Hours by area,,\n,,\n" | 'Hours by area'
    "metadata with a number.csv" | "Records,30\nSource,Office\n" | 'Records, 30', 'Source, Office'
    "quoted remarks.csv" | "\"# a, b\"\n# it's, mine\n\n" | Rows 1 and 2
""")
# Of each file: its name, its content, and a part of the message on it. The numbers are those of FRAME.
READ: list[tuple[str, bytes, str]] = [
    *((name, (above + TEXT).encode(), note) for name, above, note in ABOVE),
    (
        "title of semicolons.csv",
        ("Hours; scores; 2024\n\n" + TEXT.replace(",", ";")).encode(),
        "Row 1 of title of",
    ),
    (
        "years as names.csv",
        ("Rates\n" + TEXT.replace("hours", "2019").replace("score", "2020")).encode(),
        "'Rates'",
    ),
    ("utf-32.csv", TEXT.encode("utf-32"), ""),
    (
        "title.xlsx",
        workbook(("Data", [["Hours and scores"], [], *ROWS])),
        "Row 1 of title.xlsx is above the header",
    ),
    (
        "hidden.xlsx",
        workbook(("Data", ROWS), change=_hidden),
        "",
    ),
    ("percent.xlsx", workbook(("Data", ROWS), change=_percent), ""),
    (
        "several tables.xlsx",
        workbook(("First", ROWS), ("Second", ROWS), ("Notes", [["a"]])),
        "holds several tables; sheet 'First' was read, and not 'Second'. To read another,",
    ),
    (
        "offset.xlsx",
        workbook(("Data", [[], [], *([None, *row] for row in ROWS)])),
        "Column 1 has no name",
    ),
    ("of two levels.PQ", parquet(FRAME.set_index(["area", "hours"])), ""),
    (
        "no ending",
        parquet(
            pa.table(
                {
                    "area": AREA,
                    "hours": pa.array(HOURS).cast(pa.decimal128(9, 2)),
                    "score": SCORE,
                    "all": [[1]] * 30,
                }
            )
        ),
        "Left out of no ending, as they hold lists, records or bytes in each cell: 'all'.",
    ),
]
# Files whose records may not be those that are meant: a release asks first.
DOUBTFUL = {"metadata with a number.csv", "several tables.xlsx"}
OPEN_AND_SAVE = "Open it and save the sheet as .xlsx or CSV."
# Of each file: its name, the bytes that it begins with, and the sentence.
BEGINNINGS = cases(r"""
    "sheet.xls" | "\u00d0\u00cf\u0011\u00e0" | sheet.xls is an old workbook (.xls), or one with a password. Open it
    "page.xls" | "<html><table><tr><td>1</td></tr></table>" | page.xls is a web page or XML, whatever its name. Open it
    "a.rar" | "Rar!" | a.rar is a RAR archive. Unpack it first.
    "a.csv.gz" | "\u001f\u008b" | a.csv.gz is packed by gzip. Unpack it first.
    "title.csv" | "Hours\n1,2,3\n1,2,3\n1,2,3" | Only one column was found in title.csv, 'Hours'; x and y need two,
""")
# Of each file: its name, its content, and the sentence.
REFUSED: list[tuple[str, bytes, str]] = [
    *((name, beginning.encode("latin-1"), sentence) for name, beginning, sentence in BEGINNINGS),
    ("a.dat", bytes(12) + b"\xc2\xea\x81\x60" + bytes(50), "a.dat is a SAS file."),
    ("a.zip", archive(**{"a.csv": TEXT}), "a.zip is a ZIP archive. Unpack it first."),
    ("none.zip", archive(), "none.zip is a ZIP archive. Unpack it first."),
    (
        "letter.docx",
        archive(**{"word/document.xml": "<a/>"}),
        "letter.docx is a Word document. Save the table as CSV.",
    ),
    (
        "sheet.ods",
        archive(mimetype="application/vnd.oasis", **{"content.xml": "<a/>"}),
        f"sheet.ods is an OpenDocument file (.ods). {OPEN_AND_SAVE}",
    ),
    (
        "cut.xlsx",
        workbook(("Data", ROWS))[:-200],
        "cut.xlsx cannot be read: the file is damaged or incomplete.",
    ),
    (
        "cut.parquet",
        parquet()[:-30],
        "cut.parquet cannot be read: the file is damaged or incomplete.",
    ),
    (
        "empty.xlsx",
        workbook(("Data", [])),
        "There is nothing in empty.xlsx: its sheet 'Data' is empty.",
    ),
    (
        "narrow.parquet",
        parquet(FRAME[["hours"]]),
        "Only one column was found in narrow.parquet, 'hours'; x and y need two.",
    ),
    ("short.dta", stata(FRAME.head(2)), "short.dta has 2 rows; at least 3 are needed."),
]


@pytest.mark.parametrize(("name", "content", "note"), READ, ids=[name for name, *_ in READ])
def test_files_are_read_by_content_and_path_and_library_alike(name, content, note, tmp_path: Path):
    (tmp_path / name).write_bytes(content)
    x, y = ("2019", "2020") if name == "years as names.csv" else ("hours", "score")
    for table in (read_file(content, name), read_file(tmp_path / name)):
        assert numbers_of(table, x).values.tolist() == HOURS.tolist(), messages(table)
        assert numbers_of(table, y).values.tolist() == SCORE.tolist()
        assert (note in messages(table)) if note else not table.problems
        assert any(problem.doubtful for problem in table.problems) == (name in DOUBTFUL)
        if "area" in table.names:
            assert labels_of(table, "area").tolist() == AREA.tolist()
        built = grouped_from_table(table, Column(x, (0, 8)), Column(y, (0, 120)))
        assert len(built.grouped.frame) == 30 and not any(
            problem.doubtful for problem in built.problems
        )


@pytest.mark.parametrize(
    ("name", "content", "sentence"), REFUSED, ids=[name for name, *_ in REFUSED]
)
def test_other_files_are_named_as_what_they_are(name, content, sentence):
    assert messages(read_file(content, name)).startswith(sentence)


def test_limits_hold_for_every_format(monkeypatch):
    plain = FRAME.drop(columns="area")
    for limit, most, has in (("rows", 29, "30 below the header"), ("columns", 1, "2")):
        for content in (plain.to_csv(index=False).encode(), parquet(plain), stata(plain)):
            with monkeypatch.context() as changed:
                changed.setattr(f"dpslr_core.sources.columns.MAX_{limit.upper()}", most)
                sentence = f"At most {most} {limit} can be read; it has {has}."
                assert messages(read_file(content, "it")) == sentence


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (MemoryError(), "There is not enough memory to read it."),
        (ValueError("\x1b[2J: low level"), "it cannot be read: the file is damaged or incomplete."),
    ],
)
def test_an_error_of_a_parser_is_a_sentence(monkeypatch, error, sentence):
    def fails(*_, **__):
        raise error

    monkeypatch.setattr(pd, "read_stata", fails)
    assert messages(read_file(b"<stata_dta>", "it")) == sentence


def test_labels_and_names_cannot_command_a_terminal():
    frame = FRAME.assign(area="\x1b[31ma").rename(columns={"hours": "\x1b\x9b\u202ex"})
    x, y = Column(r"\x1b\x9b\u202ex", (0, 8)), Column("score", (0, 120))
    built = grouped_from_table(read_file(parquet(frame), "it"), x, y, "area")
    assert built.grouped is not None and built.grouped.groups == ("\\x1b[31ma",)


def test_x_and_y_are_the_stored_numbers_and_groups_have_names():
    """Reversed labels turn no sign, and a label on one value drops no row."""
    item = np.arange(30) % 3 + 1
    frame = pd.DataFrame({"item": item, "age": 30 + item * 10, "y": SCORE})
    names = {"item": {1: "3", 2: "2", 3: "1"}, "age": {60: "60 and over"}}
    table = read_file(stata(frame, value_labels=names), "a.dta")
    assert table.problems == ()
    assert numbers_of(table, "item").values.tolist() == item.tolist()
    assert numbers_of(table, "age").values.tolist() == frame["age"].tolist()
    assert labels_of(table, "item").tolist() == [names["item"][number] for number in item]
    assert set(labels_of(table, "age")) == {"40", "50", "60 and over"}
    shown = preview(table, {}, ["item"]).set_index("column")
    assert shown.loc["item", "examples"] == "1 (3) | 2 (2) | 3 (1)"


def test_missing_values_of_stata_are_missing_and_years_are_numbers():
    frame = pd.DataFrame({"x": [1.0, np.nan, 3.0], "year": pd.to_datetime("2001-01-01")})
    table = read_file(stata(frame, convert_dates={"year": "ty"}), "a.dta")
    np.testing.assert_array_equal(numbers_of(table, "x").values, [1, np.nan, 3])
    assert numbers_of(table, "year").values.tolist() == [2001] * 3


def test_columns_of_one_name_and_too_many_cells_are_refused(monkeypatch):
    twice = pa.Table.from_arrays([pa.array(HOURS), pa.array(SCORE)], ["x", "x"])
    sentence = "a.parquet has several columns of one name; give each its own."
    assert messages(read_file(parquet(twice), "a.parquet")) == sentence
    monkeypatch.setattr("dpslr_core.sources.parquet._MOST_CELLS", 89)
    sentence = "At most 89 cells can be read; it has 90. Save fewer of its columns."
    assert messages(read_file(parquet(), "it")) == sentence


def test_an_index_is_a_column_and_a_range_is_not():
    plain = FRAME.drop(columns="area")
    assert read_file(parquet(plain)).names == ["hours", "score"]
    assert read_file(parquet(plain.iloc[RNG.permutation(30)])).names[2:] == ["index"]


def test_a_text_that_is_there_a_million_times_is_refused():
    text = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(2000, np.int32)), pa.array(["a" * 90_000])
    )
    table = read_file(parquet(pa.table({"t": text, "x": np.arange(2000.0)})), "a.parquet")
    assert messages(table) == "Column 't' of a.parquet has more than 50 MB of text."


def test_dates_errors_and_formulas_are_what_they_are():
    rows = [["day", "x", "y"], *([datetime.date(2024, 5, i + 1), i / 2, i] for i in range(12))]
    rows[3][1], rows[4][1], rows[5][2] = "#DIV/0!", True, "=1+1"
    table = read_file(workbook(("Data", rows)), "a.xlsx")
    assert labels_of(table, "day")[2] == "2024-05-01"
    read = numbers_of(table, "x")
    assert np.isnan(read.values).sum() == 2
    assert "'#DIV/0!', 'TRUE'" in messages(read)


def test_thousandths_in_cells_are_no_thousands():
    """A number cell beside texts is read with its point, whatever the other cells could mean."""
    rows = [["x", "y"], *([i + 0.125, "n/a" if i == 3 else 1.234 + i] for i in range(9))]
    table = read_file(workbook(("Data", rows)), "a.xlsx")
    values = numbers_of(table, "y").values
    assert values[0] == 1.234 and np.isnan(values[3]) and numbers_of(table, "x").values[2] == 2.125


def test_a_workbook_says_no_wrong_size_and_holds_no_bomb(monkeypatch):
    content = workbook(("Data", ROWS))
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(changed, "w") as after:
        for member in before.namelist():
            wrong = before.read(member).replace(b'ref="A1:C31"', b'ref="A1:XFD1048576"')
            after.writestr(member, wrong)
        after.writestr("xl/media/zeros.bin", bytes(2**20))
    assert len(read_file(changed.getvalue()).rows) == 30
    monkeypatch.setattr("dpslr_core.sources.workbooks._UNPACKED", 2**20)
    sentence = messages(read_file(changed.getvalue(), "a.xlsx"))
    assert sentence == "At most 1 MB can be read; a.xlsx holds 1 MB. Save the sheet as CSV."


# Headers: never at the cost of a record


def test_short_rows_below_a_header_are_records():
    table = read_file(b"a,x,y\n1\n2\nA,1,2\nB,2,3\nC,3,4\n", "it")
    assert table.frame["a"].tolist() == ["1", "2", "A", "B", "C"]


CELLS = st.sampled_from(["1", "2.5", "", "word", "NA", "2020", "-3"])


@given(st.lists(st.lists(CELLS, min_size=1, max_size=4), min_size=1, max_size=12))
def test_each_row_that_holds_something_is_a_record_the_header_or_named_in_a_message(rows):
    table = read_file("\n".join(",".join(row) for row in rows).encode(), "it")
    if table.frame is None:
        return
    named = {int(number) for number in re.findall(r"\d+", messages(table))}
    filled = {at for at, row in enumerate(rows, 1) if any(row)}
    assert len(filled - set(table.rows) - named) <= 1 or "more" in messages(table)  # the header


def doubts_of(frame: pd.DataFrame) -> str:
    table = read_file(frame.to_csv(index=False).encode(), "it")
    built = grouped_from_table(table, Column("hours", (0, 9)), Column("score", (0, 200)))
    return "\n".join(problem.message for problem in built.problems if problem.doubtful)


def test_a_first_or_last_row_that_says_total_is_asked_about():
    words = "Total|TOTAL:|Grand total|Insgesamt|Summe|Somme|All areas|Total (30)|overall"
    for word in words.split("|"):
        row = pd.DataFrame({"area": [word], "hours": [3.0], "score": [70.0]})
        for number, frames in ((2, [row, FRAME]), (32, [FRAME, row])):
            assert doubts_of(pd.concat(frames, ignore_index=True)) == (
                f"Row {number} looks like a totals row: column 'area' says {word!r}. It is "
                "counted as a record. "
                "Remove it from the file, or move it between the others where it is a record."
            )


def test_a_total_is_no_area_of_a_table_of_sizes():
    rows = "district,n\nA,30\nB,40\nC,50\n"
    refuse_total(read_file(rows.encode()), "sizes.csv")
    with pytest.raises(
        ValueError,
        match=r"Row 5 of sizes.csv looks like a totals row: column 'district' says 'Sum'",
    ):
        refuse_total(read_file((rows + "Sum,120\n").encode()), "sizes.csv")


def test_names_that_only_begin_as_a_total_are_no_totals():
    for name in ("Totila", "Allan", "Summers", "Mean Street", "7"):
        frame = pd.DataFrame({"area": [name, "A", "B", name + "e"]})
        assert totals_problem(Table(frame), frame.index) is None


# Of each type of Parquet: the largest number that it holds, or that is read exactly.
LARGEST = {
    "int8": 127,
    "uint32": 2**32 - 1,
    "int64": 2**53,
    "float16": np.float16(2047),
    "float32": 2.0**99,
    "float64": 1e99 / 3,
    pa.decimal128(12, 3): decimal.Decimal("999999999.999"),
    pa.decimal256(40, 3): decimal.Decimal("0.125"),
}


def test_numbers_of_every_type_come_back():
    for kind, largest in LARGEST.items():
        array = pa.array([largest, None, 0], kind)
        arrays = [array] if kind == "float16" else [array, array.dictionary_encode()]
        for column in arrays:
            table = read_file(parquet(pa.table({"x": column, "y": range(3)})))
            read = numbers_of(table, "x").values
            np.testing.assert_array_equal(read, [float(largest), np.nan, 0], str(kind))


DAY, DATE, TIME = datetime.datetime(1900, 1, 1), datetime.date, datetime.time
NO_NUMBERS: list[list[Any]] = [
    [True, False],
    ["a", "b,c"],
    [DATE.min, DATE.max],
    [DAY, datetime.datetime.max],
    [DAY, DAY.replace(microsecond=1)],
    [DAY.replace(tzinfo=datetime.UTC), DAY.replace(2200, tzinfo=datetime.UTC)],
    [TIME(), TIME(23, 59, 59, 1)],
    [datetime.timedelta(-99), datetime.timedelta(0, 0, 1)],
    [None, None],
]


def test_what_is_no_number_is_a_sentence_and_may_name_groups():
    for first, second in NO_NUMBERS:
        table = read_file(parquet(pa.table({"x": [first, second, first], "y": range(3)})))
        assert messages(numbers_of(table, "x")).startswith("Column 'x' has no numbers"), first
        one, other, again = labels_of(table, "x")
        assert one == again and (one == "") == (first is None), first
        assert (one != other) == (first != second), first


NORMAL = st.floats(-1e99, 1e99, allow_subnormal=False) | st.integers(-(10**15), 10**15)


@given(st.lists(st.tuples(NORMAL, NORMAL | st.none()), min_size=4, max_size=12))
@settings(max_examples=40)
def test_numbers_of_a_workbook_come_back(rows):
    table = read_file(workbook(("Data", [["x", "y"], *map(list, rows)])), "a.xlsx")
    for name, cells in zip("xy", zip(*rows, strict=True), strict=True):
        written = [np.nan if cell is None else float(f"{cell:.16g}") for cell in cells]
        np.testing.assert_array_equal(numbers_of(table, name).values[: len(rows)], written)


DAMAGED = [parquet(), stata(version=117), stata(), workbook(("Data", ROWS))]


@given(st.sampled_from(DAMAGED), st.data())
def test_no_damage_raises(content, data):
    """Bytes are changed or cut off anywhere: there is a table or a sentence, and so is each column."""
    damaged = bytearray(content)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    damaged = damaged[: data.draw(st.integers(1, len(content)) | st.just(len(content)))]
    table = read_file(bytes(damaged), "it")
    assert table.readable != any(problem.severity == "error" for problem in table.problems)
    if table.readable:
        likely = likely_columns(table)
        preview(table, {}, likely)
        grouped_from_table(table, Column(likely[0], (0, 9)), Column(likely[1], (0, 9)), likely[-1])
