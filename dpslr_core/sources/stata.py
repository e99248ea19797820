"""Stata files, column by column: stored numbers, and the names that the file gives to them."""

from __future__ import annotations

import io
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from .columns import MAX_BYTES, Unreadable, column_names, refuse_beyond
from .numbers import Problem

_ROWS = 20_000  # read at a time
_TEXTS = 1_000  # of texts, which may be long
_YEARS = "%ty"  # a format of dates that are numbers


class StataColumns:
    """The columns of a Stata file.

    Parameters
    ----------
    source : the content, or where the file is. name : of the file, for messages.
    problems : to which changed names of columns are added.
    """

    def __init__(self, source: bytes | Path, name: str, problems: list[Problem]) -> None:
        self.file_name, self.source = name, source
        with self._reader() as reader:
            stored = list(reader.variable_labels())
            rows = int(reader._nobs)
            refuse_beyond(rows, len(stored), name)
            self.names: Sequence[str] = column_names(stored, problems)
            self.rows: pd.Index = pd.RangeIndex(1, rows + 1)
            self.stored = dict(zip(self.names, stored, strict=True))
            self.formats = dict(zip(self.names, reader._fmtlist, strict=True))
            label_names = dict(zip(self.names, reader._lbllist, strict=True))
            self.labels = _labels(reader, label_names)

    def _reader(self) -> Any:
        content = io.BytesIO(self.source) if isinstance(self.source, bytes) else self.source
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of encodings, in the words of pandas
            return pd.read_stata(content, iterator=True, convert_categoricals=False)

    def column(self, name: str) -> pd.Series:
        """Read a column; Unreadable where it is damaged."""
        return self._read([name], len(self.rows))[name]

    def first(self, rows: int) -> pd.DataFrame:
        """Read the first rows of all columns; Unreadable where the file is damaged."""
        return self._read(self.names, min(rows, len(self.rows)))

    def _read(self, names: Sequence[str], rows: int) -> pd.DataFrame:
        """Read some rows of columns: dates as dates, but years as numbers."""
        years = [name for name in names if self.formats[name].startswith(_YEARS)]
        others = [name for name in names if name not in years]
        parts = [
            self._blocks(columns, rows, dates)
            for columns, dates in ((others, True), (years, False))
            if columns
        ]
        return pd.concat(parts, axis=1)[list(names)] if parts else pd.DataFrame(index=self.rows)

    def _blocks(self, names: Sequence[str], rows: int, dates: bool) -> pd.DataFrame:
        """Read columns a block of rows after the other, of which no more is held than the columns."""
        blocks: list[pd.DataFrame] = []
        done, length, most = 0, 0, _TEXTS
        try:
            with self._reader() as reader, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                while done < rows:
                    block = reader.read(
                        min(most, rows - done),
                        columns=[self.stored[name] for name in names],
                        convert_categoricals=False,
                        convert_dates=dates,
                    )
                    texts = block.select_dtypes(exclude=["number", "datetime"])
                    length += sum(int(texts[each].astype("str").str.len().sum()) for each in texts)
                    if length > MAX_BYTES:
                        raise MemoryError
                    most = _ROWS if texts.empty else _TEXTS
                    blocks.append(block)
                    done += len(block)
        except Exception as error:  # whatever a damaged file makes pandas raise
            column = f"Column {names[0]!r} of {self.file_name}"
            if isinstance(error, MemoryError):
                raise Unreadable(f"{column} is too long: there is not enough memory.") from None
            raise Unreadable(f"{column} cannot be read: the file is damaged.") from None
        frame = pd.concat(blocks, ignore_index=True)
        return frame.set_axis(list(names), axis=1).set_axis(self.rows[:done])


def _labels(reader: Any, label_names: Mapping[str, str]) -> dict[str, dict[float, str]]:
    """The names of numbers by column; none where they are damaged. Equal names of a column are told apart."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sets = reader.value_labels()
    except Exception:  # whatever damaged labels make pandas raise: the numbers are there
        return {}
    labels = {}
    for column, label_name in label_names.items():
        if label_name in sets:
            named = {float(number): str(text).strip() for number, text in sets[label_name].items()}
            copies = Counter(named.values())
            labels[column] = {
                number: text if text and copies[text] == 1 else f"{text} ({number:.15g})".strip()
                for number, text in named.items()
            }
    return labels
