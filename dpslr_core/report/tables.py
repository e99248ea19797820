"""Tables as bytes of a file, CSV or Parquet, with what they say of themselves."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from io import BytesIO
from typing import IO

import pandas as pd

from ..support.tables import without_formulas

ROWS = 100_000  # that are made into bytes at a time
About = Mapping[str, str] | None


def csv_bytes(frame: pd.DataFrame, about: About = None) -> bytes:
    """The frame as CSV, see write_csv."""
    write_csv(frame, buffer := BytesIO(), about)
    return buffer.getvalue()


def write_csv(frame: pd.DataFrame, file: IO[bytes], about: About = None) -> None:
    """The frame as CSV, below a line "# name: text" for each thing that it says of itself.

    pandas.read_csv(file, comment="#") leaves those lines out. A table with "#" in a cell has all its texts in quotes,
    because within quotes that sign begins no comment. Text that a spreadsheet would compute has an apostrophe in
    front, see csv_safe.
    """
    texts = frame.select_dtypes(exclude=["number", "bool"])
    marked = any("#" in str(name) for name in frame.columns) or any(
        texts[name].astype("str").str.contains("#", regex=False).any() for name in texts
    )
    quoting = csv.QUOTE_NONNUMERIC if marked else csv.QUOTE_MINIMAL
    for name, text in (about or {}).items():
        file.write(f"# {name}: {' '.join(text.split())}\n".encode())
    for first in range(0, max(len(frame), 1), ROWS):
        safe = without_formulas(frame.iloc[first : first + ROWS])
        file.write(safe.to_csv(index=False, header=first == 0, quoting=quoting, lineterminator="\n").encode())


def parquet_bytes(frame: pd.DataFrame, about: About = None) -> bytes:
    """The frame as Parquet, see write_parquet."""
    write_parquet(frame, buffer := BytesIO(), about)
    return buffer.getvalue()


def write_parquet(frame: pd.DataFrame, file: IO[bytes], about: About = None) -> None:
    """The frame as Parquet; pandas.read_parquet(file).attrs holds what it says of itself, as text in the schema."""
    described = frame.copy(deep=False)
    described.attrs = dict(about or {})
    described.to_parquet(file, index=False, row_group_size=ROWS)
