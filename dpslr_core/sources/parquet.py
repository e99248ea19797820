"""Parquet files, column by column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from .columns import MAX_BYTES, Unreadable, column_names, refuse_beyond, warning
from .numbers import Problem

_STRINGS, _CONTAINERS = 10 * 2**20, 200_000  # what a schema may hold: bytes of a name, parts
_UNNAMED = "__index_level_"  # how pandas begins the name of an index that has none
_INDEX = "index"  # and how such a column is called here


class ParquetColumns:
    """The columns of a Parquet file; those of an index that has a name are among them.

    Parameters
    ----------
    source : the content, or where the file is. name : of the file, for messages.
    problems : to which what is left out is added.
    """

    labels: Mapping[str, Mapping[float, str]] = {}

    def __init__(self, source: bytes | Path, name: str, problems: list[Problem]) -> None:
        import pyarrow as pa
        from pyarrow.parquet import ParquetFile

        def opened(texts: list[str] | None) -> Any:
            return ParquetFile(
                pa.BufferReader(source) if isinstance(source, bytes) else source,
                read_dictionary=texts,
                pre_buffer=False,
                memory_map=True,
                thrift_string_size_limit=_STRINGS,
                thrift_container_size_limit=_CONTAINERS,
            )

        self.file_name = name
        self.file = opened(None)
        rows, schema = self.file.metadata.num_rows, self.file.schema_arrow
        refuse_beyond(rows, len(schema), name)
        self.rows: pd.Index = pd.RangeIndex(1, rows + 1)
        texts = [field.name for field in schema if _is_text(field.type)]
        self.file = opened(texts)  # a text that is there a million times is held once
        held: list[str] = []
        leaves: list[int] = []  # positions among the columns as they are stored
        nested: list[str] = []
        leaf = 0
        for field in schema:
            if _is_column(field.type):
                held.append(_INDEX if field.name.startswith(_UNNAMED) else field.name)
                leaves.append(leaf)
            else:
                nested.append(field.name)
            leaf += _leaves(field.type)
        if nested:
            named = ", ".join(map(repr, nested[:3])) + (" and more" if len(nested) > 3 else "")
            hold = "holds" if len(nested) == 1 else "hold"
            problems.append(
                warning(f"{named} of {name} {hold} lists, records or bytes in each cell: left out.")
            )
        ranges = _named_ranges(schema, rows)
        self.names: Sequence[str] = column_names([*held, *(named for named, _ in ranges)], problems)
        refuse_beyond(0, len(self.names), name)
        self.leaf = dict(zip(self.names, leaves, strict=False))
        self.ranges = dict(
            zip(self.names[len(held) :], (index for _, index in ranges), strict=True)
        )

    def column(self, name: str) -> pd.Series:
        """Read a column; Unreadable where it is damaged."""
        if name in self.ranges:
            return pd.Series(self.ranges[name], self.rows)
        leaf = self.leaf[name]
        try:
            table = self.file.reader.read_all(column_indices=[leaf], use_threads=False)
            return _series(table.column(0), name, self.file_name).set_axis(self.rows)
        except Unreadable:
            raise
        except Exception as error:  # whatever a damaged file makes pyarrow raise
            raise _damaged(name, self.file_name, error) from None

    def first(self, rows: int) -> pd.DataFrame:
        """Read the first rows of all columns; Unreadable where the file is damaged."""
        few = self.rows[:rows]
        frame: dict[str, pd.Series] = {}
        try:
            groups = list(range(min(1, self.file.num_row_groups)))
            batches = self.file.reader.iter_batches(
                max(len(few), 1), groups, column_indices=list(self.leaf.values()), use_threads=False
            )
            batch = next(batches)
            few = few[: batch.num_rows]
            for name, cells in zip(self.leaf, batch.columns, strict=True):
                frame[name] = _series(_chunked(cells), name, self.file_name).set_axis(few)
        except Unreadable:
            raise
        except Exception as error:
            raise _damaged(next(iter(self.leaf), ""), self.file_name, error) from None
        for name, index in self.ranges.items():
            frame[name] = pd.Series(index[: len(few)], few)
        return pd.DataFrame(frame)


def _damaged(column: str, name: str, error: Exception) -> Unreadable:
    if isinstance(error, MemoryError):
        return Unreadable(f"There is not enough memory for column {column!r} of {name}.")
    return Unreadable(f"Column {column!r} of {name} cannot be read: the file is damaged.")


def _chunked(cells: Any) -> Any:
    import pyarrow as pa

    return pa.chunked_array([cells])


def _is_text(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_string(kind) or types.is_large_string(kind))


def _is_column(kind: Any) -> bool:
    """Whether cells of a type are numbers, texts or dates."""
    import pyarrow as pa
    import pyarrow.types as types

    if isinstance(kind, pa.BaseExtensionType):
        return _is_column(kind.storage_type)
    if types.is_dictionary(kind):
        return _is_column(kind.value_type)
    plain = (
        types.is_integer, types.is_floating, types.is_decimal, types.is_boolean, types.is_null,
        types.is_temporal, types.is_string, types.is_large_string,
    )  # fmt: skip
    return any(test(kind) for test in plain) and not types.is_interval(kind)


def _leaves(kind: Any) -> int:
    """The number of stored columns of a type."""
    import pyarrow as pa

    if isinstance(kind, pa.BaseExtensionType):
        return _leaves(kind.storage_type)
    if not kind.num_fields:
        return 1
    return sum(_leaves(kind.field(at).type) for at in range(kind.num_fields))


def _named_ranges(schema: Any, rows: int) -> list[tuple[str, range]]:
    """Indexes of pandas that have a name and are stored as a range alone."""
    try:
        stored = (schema.pandas_metadata or {}).get("index_columns", [])
        ranges = [each for each in stored if isinstance(each, dict) and each.get("name")]
        named = [
            (str(each["name"]), range(each["start"], each["stop"], each["step"])) for each in ranges
        ]
    except (ValueError, TypeError, KeyError, AttributeError):
        return []
    return [(name, numbers) for name, numbers in named if len(numbers) == rows]


def _series(cells: Any, name: str, file: str) -> pd.Series:
    """A column of Arrow as one of pandas: numbers as they are, decimals as the nearest floats, texts as texts."""
    import pyarrow as pa
    import pyarrow.types as types

    if isinstance(cells.type, pa.BaseExtensionType):
        cells = pa.chunked_array([chunk.storage for chunk in cells.chunks], cells.type.storage_type)
    kind = cells.type
    if types.is_dictionary(kind):
        if _is_text(kind.value_type):
            _refuse_long(cells, name, file)
        cells = cells.cast(kind.value_type)
        kind = cells.type
    if _is_text(kind):
        return pd.Series(cells.fill_null("").to_pandas(), dtype="str").str.strip()
    if types.is_decimal(kind):
        numbers = [float("nan") if value is None else float(value) for value in cells.to_pylist()]
        return pd.Series(numbers, dtype=float)
    if types.is_null(kind):
        return pd.Series([""] * len(cells), dtype="str")
    if (types.is_integer(kind) or types.is_boolean(kind)) and cells.null_count:
        return pd.Series(cells.to_pandas(types_mapper=_nullable), copy=False)
    return pd.Series(cells.to_pandas(date_as_object=True), copy=False)


def _nullable(kind: Any) -> Any:
    """The type of pandas that keeps whole numbers beside missing ones."""
    name = "boolean" if str(kind) == "bool" else str(kind).capitalize().replace("Ui", "UI")
    return pd.api.types.pandas_dtype(name)


def _refuse_long(cells: Any, name: str, file: str) -> None:
    """Unreadable where texts together are longer than a file may be."""
    import pyarrow.compute as pc

    total = 0
    for chunk in cells.chunks:
        lengths = pc.binary_length(chunk.dictionary)
        total += pc.sum(lengths.take(chunk.indices)).as_py() or 0
    if total > MAX_BYTES:
        most = MAX_BYTES // 2**20
        raise Unreadable(f"Column {name!r} of {file} has more than {most} MB of text.")
