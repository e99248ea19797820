"""Tables as bytes of a file, CSV or Parquet, with what they say of themselves."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from io import BytesIO

import pandas as pd

from ..support.csv_safe import without_formulas


def csv_bytes(frame: pd.DataFrame, about: Mapping[str, str] | None = None) -> bytes:
    """The frame as CSV, below a line "# name: text" for each thing that it says of itself.

    pandas.read_csv(file, comment="#") leaves those lines out. A table with "#" in a cell has all its texts in quotes,
    because within quotes that sign begins no comment. Text that a spreadsheet would compute has an apostrophe in
    front, see csv_safe.
    """
    safe = without_formulas(frame)
    texts = safe.select_dtypes(exclude=["number", "bool"])
    marked = any("#" in str(name) for name in safe.columns) or any(
        texts[name].astype("str").str.contains("#", regex=False).any() for name in texts
    )
    quoting = csv.QUOTE_NONNUMERIC if marked else csv.QUOTE_MINIMAL
    lines = [f"# {name}: {' '.join(text.split())}\n" for name, text in (about or {}).items()]
    return ("".join(lines) + safe.to_csv(index=False, quoting=quoting, lineterminator="\n")).encode()


def parquet_bytes(frame: pd.DataFrame, about: Mapping[str, str] | None = None) -> bytes:
    """The frame as Parquet; pandas.read_parquet(file).attrs holds what it says of itself, as text in the schema."""
    described, buffer = frame.copy(), BytesIO()
    described.attrs = dict(about or {})
    described.to_parquet(buffer, index=False)
    return buffer.getvalue()
