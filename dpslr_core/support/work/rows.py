"""Rows that arrive in many frames, and are one frame in the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd


@dataclass
class _Column:
    """The cells of one column: numbers as they are, of everything else the places of its cells among the distinct."""

    dtype: Any
    cells: np.ndarray
    distinct: dict[Any, int] | None

    @classmethod
    def like(cls, column: pd.Series, size: int) -> _Column:
        if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
            return cls(column.dtype, np.empty(size, column.dtype), None)
        return cls(column.dtype, np.empty(size, np.int32), {})

    def put(self, first: int, column: pd.Series) -> None:
        """Put cells at their place."""
        rows = slice(first, first + len(column))
        if self.distinct is None:
            self.cells = self.cells.astype(np.result_type(self.cells, column.to_numpy()), copy=False)
            self.cells[rows] = column.to_numpy()
            return
        code, cells = pd.factorize(column, use_na_sentinel=False)
        places = [self.distinct.setdefault(cell, len(self.distinct)) for cell in cells.tolist()]
        self.cells[rows] = np.array(places, dtype=np.int32)[code]

    def series(self, count: int) -> pd.Series:
        """The first cells, so many, as a column of the kind that arrived."""
        if self.distinct is None:
            return pd.Series(self.cells[:count], copy=False)
        return pd.Series(list(self.distinct), dtype=self.dtype).take(self.cells[:count]).reset_index(drop=True)


@dataclass
class Rows:
    """Frames of the same columns, put one below the other as they arrive: no cell is held twice, no text repeated.

    size: how many rows there are at most. names: of the columns, for a frame without rows.
    """

    size: int
    names: Sequence[str]
    count: int = 0
    _columns: dict[str, _Column] = field(default_factory=dict)

    def add(self, frame: pd.DataFrame) -> None:
        """Put a frame below the others. ValueError where there are more rows than were said."""
        if self.count + len(frame) > self.size:
            raise ValueError(f"at most {self.size:,} rows were to arrive, got {self.count + len(frame):,}")
        for name, column in frame.items():
            if name not in self._columns:
                self._columns[str(name)] = _Column.like(column, self.size)
            self._columns[str(name)].put(self.count, column)
        self.count += len(frame)

    def frame(self) -> pd.DataFrame:
        """All rows as one frame, which takes over the memory: call it once."""
        return pd.DataFrame(dict(self._emptied()), columns=list(self.names), copy=False)

    def _emptied(self) -> Iterator[tuple[str, pd.Series]]:
        for name in list(self._columns):
            yield name, self._columns.pop(name).series(self.count)
