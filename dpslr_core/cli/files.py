"""Tables in files: read by their ending, written at once or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import IO

import pandas as pd

from ..report.tables import write_csv, write_parquet
from ..sources.files.csv_table import Table, beyond_limits, column_names, read_table
from ..sources.files.numbers import Problem
from ..sources.files.stored import whole
from ..support.csv_safe import visible

WRITTEN = (".parquet", ".csv")


def read_file(path: Path) -> Table:
    """The table in a CSV, Stata (.dta) or Parquet file, within the same limits; problems are collected."""
    name = visible(path.name)
    try:
        if path.suffix not in (".dta", ".parquet"):
            return read_table(path.read_bytes(), name)
        with path.open("rb") as file:
            rows, columns = _size_of_parquet(file) if path.suffix == ".parquet" else (0, 0)
            if beyond := beyond_limits(rows, columns, name):
                return Table(None, (beyond,))
            frame = pd.read_stata(file) if path.suffix == ".dta" else pd.read_parquet(file)
    except Exception as error:  # whatever a wrong or damaged file makes a parser raise
        return Table(None, (Problem("error", f"{visible(str(path))} cannot be read ({_reason(error)})."),))
    if beyond := beyond_limits(len(frame), len(frame.columns), name):
        return Table(None, (beyond,))
    problems: list[Problem] = []
    names = column_names([str(name) for name in frame.columns], problems)
    return Table(frame.set_axis(names, axis=1).set_axis(range(1, len(frame) + 1)), tuple(problems))


def _size_of_parquet(file: IO[bytes]) -> tuple[int, int]:
    """Rows and columns as the file says them, before anything is read."""
    from pyarrow.parquet import ParquetFile

    said = ParquetFile(file).metadata
    file.seek(0)
    return int(said.num_rows), int(said.num_columns)


def _reason(error: Exception) -> str:
    """What went wrong, in a word where the error has none of its own."""
    words = {MemoryError: "there is not enough memory", EOFError: "it ends too early"}
    return visible(str(error)).strip() or words.get(type(error), type(error).__name__)


def write_frame(frame: pd.DataFrame, path: Path, about: Mapping[str, str] | None = None) -> None:
    """The frame as .parquet or .csv, with what it says of itself, see report.tables."""
    with whole(path) as file:
        (write_parquet if path.suffix == ".parquet" else write_csv)(frame, file, about)
