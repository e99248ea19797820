"""Tables in files: read by their ending, written at once or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from ..report.tables import write_csv, write_parquet
from ..sources.files.csv_table import Table, column_names, read_table
from ..sources.files.numbers import Problem
from ..sources.files.stored import whole

WRITTEN = (".parquet", ".csv")


def read_file(path: Path) -> Table:
    """The table in a CSV, Stata (.dta) or Parquet file; problems are collected, nothing raises."""
    try:
        if path.suffix not in (".dta", ".parquet"):
            return read_table(path.read_bytes(), path.name)
        frame = pd.read_stata(path) if path.suffix == ".dta" else pd.read_parquet(path)
    except Exception as error:  # whatever a wrong or damaged file makes a parser raise
        return Table(None, (Problem("error", f"{path} cannot be read ({error})."),))
    problems: list[Problem] = []
    names = column_names([str(name) for name in frame.columns], problems)
    return Table(frame.set_axis(names, axis=1).set_axis(range(1, len(frame) + 1)), tuple(problems))


def write_frame(frame: pd.DataFrame, path: Path, about: Mapping[str, str] | None = None) -> None:
    """The frame as .parquet or .csv, with what it says of itself, see report.tables."""
    with whole(path) as file:
        (write_parquet if path.suffix == ".parquet" else write_csv)(frame, file, about)
