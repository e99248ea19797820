"""Tables in files: whatever the format, the same numbers come back."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpslr_core.sources.files import read_file
from dpslr_core.sources.numbers import Style
from dpslr_core.sources.parquet import ParquetColumns
from dpslr_core.sources.tables import Column, grouped_from_table, numbers_of

ROWS = st.lists(st.tuples(st.floats(-1e99, 1e99), st.integers(-(2**53), 2**53).map(float)), min_size=3, max_size=30)


def write_csv(frame: pd.DataFrame, path: Path, **how: str) -> None:
    frame.to_csv(path, index=False, **how)


WRITERS = {
    "commas.csv": write_csv,
    "quoted.csv": lambda frame, path: frame.to_csv(path, index=False, quoting=1, decimal=","),
    "semicolons.csv": lambda frame, path: write_csv(frame, path, sep=";"),
    "german.csv": lambda frame, path: write_csv(frame, path, sep=";", decimal=","),
    "tabs.tsv": lambda frame, path: write_csv(frame, path, sep="\t"),
    "bars.txt": lambda frame, path: write_csv(frame, path, sep="|", decimal=","),
    "utf16.csv": lambda frame, path: write_csv(frame, path, encoding="utf-16"),
    "data.parquet": lambda frame, path: frame.to_parquet(path),
    "data.dta": lambda frame, path: frame.to_stata(path, write_index=False),
}


# Elsewhere it is decided by the column, or by semicolons: 1,234 alone is a decimal comma in a file that has them.
STYLES: dict[str, dict[str, Style]] = {name: {"x": "comma", "y": "comma"} for name in ("quoted.csv", "bars.txt")}


@pytest.mark.parametrize("name", WRITERS)
@given(ROWS)
@example([(1.234, 1234.0)] * 3)
@settings(max_examples=12, deadline=None)
def test_any_numbers_come_back_exactly(name, rows):
    frame = pd.DataFrame(rows, columns=["x", "y"])
    with tempfile.TemporaryDirectory() as folder:
        WRITERS[name](frame, Path(folder) / name)
        table = read_file(Path(folder) / name)
    for column in frame:
        read = numbers_of(table, column, STYLES.get(name, {}).get(column))
        assert read.values.tolist() == frame[column].tolist()
        assert not any(problem.severity == "error" for problem in read.problems)


@pytest.mark.parametrize("name", ["data.dta", "data.parquet"])
def test_columns_of_numbers_stay_numbers_and_label_groups(tmp_path: Path, name: str):
    frame = pd.DataFrame(
        {"cell": [1.0, 1.0, 1.0, 2.0, np.nan], "x": np.linspace(0, 1, 5), "f": np.float32([0.1, 0.2, np.nan, 0.3, 0.4])}
    )
    frame.to_parquet(tmp_path / name) if name == "data.parquet" else frame.to_stata(tmp_path / name, write_index=False)
    table = read_file(tmp_path / name)
    assert table.problems == () and table.frame.dtypes.tolist() == frame.dtypes.tolist()
    assert table.frame.index.tolist() == [1, 2, 3, 4, 5]
    built = grouped_from_table(table, Column("x", (0, 1)), Column("f", (0, 1)), "cell")
    said = [problem.message for problem in built.problems]
    assert said[0] == "Column 'f', row 3: 1 cell not read (empty)."
    assert said[1] == "Column 'cell', row 5: no group label."
    assert built.rejected.to_dict("records") == [
        {"group": "1", "n": 2, "reason": "fewer than 3 records"},
        {"group": "2", "n": 1, "reason": "fewer than 3 records"},
    ]


def test_column_names_that_are_not_text_or_repeat(tmp_path: Path):
    frame = pd.DataFrame(np.eye(3), columns=[1, 2, 3])
    frame.columns = frame.columns.astype("str")
    frame.rename(columns={"2": " "}).to_parquet(tmp_path / "a.parquet")
    table = read_file(tmp_path / "a.parquet")
    assert list(table.frame.columns) == ["1", "column 2", "3"]
    assert [problem.message for problem in table.problems] == ["Column 2 has no name; it is called 'column 2'."]


def test_limits_hold_for_every_format(tmp_path: Path, monkeypatch):
    frame = pd.DataFrame({"x": np.arange(30.0), "y": np.arange(30.0)})
    for name in ("data.csv", "data.parquet", "data.dta"):
        WRITERS.get(name, write_csv)(frame, tmp_path / name)
    monkeypatch.setattr("dpslr_core.sources.columns.MAX_ROWS", 29)
    for name in ("data.csv", "data.parquet", "data.dta"):
        (problem,) = read_file(tmp_path / name).problems
        assert problem.message == f"At most 29 rows can be read; {name} has 30 below the header."
    monkeypatch.setattr("dpslr_core.sources.columns.MAX_ROWS", 30)
    monkeypatch.setattr("dpslr_core.sources.columns.MAX_COLUMNS", 1)
    for name in ("data.csv", "data.parquet", "data.dta"):
        assert read_file(tmp_path / name).problems[0].message == f"At most 1 columns can be read; {name} has 2."


def test_a_large_parquet_file_is_refused_before_it_is_read(tmp_path: Path, monkeypatch):
    pd.DataFrame({"x": np.arange(30.0)}).to_parquet(tmp_path / "data.parquet")
    monkeypatch.setattr("dpslr_core.sources.columns.MAX_ROWS", 29)
    monkeypatch.setattr(ParquetColumns, "column", lambda *_: pytest.fail("was read"))
    assert read_file(tmp_path / "data.parquet").frame is None


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (MemoryError(), "There is not enough memory to read data.dta."),
        (
            ValueError("\x1b[2J: use the low level interface"),
            "data.dta cannot be read: the file is damaged or incomplete.",
        ),
    ],
)
def test_what_cannot_be_read_says_why(tmp_path: Path, monkeypatch, error, reason):
    (tmp_path / "data.dta").write_bytes(b"<stata_dta>")
    monkeypatch.setattr(pd, "read_stata", lambda *_, **__: (_ for _ in ()).throw(error))
    (problem,) = read_file(tmp_path / "data.dta").problems
    assert problem.message == reason


def test_labels_and_names_cannot_command_a_terminal(tmp_path: Path):
    frame = pd.DataFrame({"\x1b[2Jx": [0.1, 0.2, 0.4], "y": [0.1, 0.2, 0.3], "g": ["\x1b[31ma"] * 3})
    frame.to_parquet(tmp_path / "data.parquet")
    table = read_file(tmp_path / "data.parquet")
    built = grouped_from_table(table, Column("\\x1b[2Jx", (0, 1)), Column("y", (0, 1)), "g")
    assert built.grouped is not None and built.grouped.groups == ("\\x1b[31ma",)
