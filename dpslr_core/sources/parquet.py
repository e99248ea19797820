"""Reader of Parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from .columns import MAX_BYTES, Unreadable, column_names, refuse_beyond, warning
from .numbers import Problem

_STRINGS, _CONTAINERS = 10 * 2**20, 200_000  # limits of a schema: bytes of a name, and containers
_MOST_CELLS = 100_000_000  # in memory at once: a small file may unpack to many
_UNNAMED = "__index_level_"  # beginning of pandas' name for an index without a name
_INDEX = "index"  # our name for such a column


def read_parquet(source: bytes | Path, name: str, problems: list[Problem]) -> pd.DataFrame:
    """Read the numbers, texts and dates of a Parquet file; Unreadable beyond the limits.

    Parameters
    ----------
    source : bytes or Path
        Content of the file, or its path.
    name : str
        Name of the file, for messages.
    problems : list of Problem
        Receives a message on columns that are left out.
    """
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    def opened(texts: list[str] | None) -> Any:
        return ParquetFile(
            pa.BufferReader(source) if isinstance(source, bytes) else source,
            read_dictionary=texts,
            thrift_string_size_limit=_STRINGS,
            thrift_container_size_limit=_CONTAINERS,
        )

    file = opened(None)
    rows, schema = file.metadata.num_rows, file.schema_arrow
    refuse_beyond(rows, len(schema), name)
    if len(set(schema.names)) < len(schema):
        raise Unreadable(f"{name} has several columns of one name; give each its own.")
    held = [field.name for field in schema if _is_column(field.type)]
    if rows * len(held) > _MOST_CELLS:
        raise Unreadable(
            f"At most {_MOST_CELLS:,} cells can be read; {name} has {rows * len(held):,}. "
            "Save fewer of its columns."
        )
    if nested := [field.name for field in schema if field.name not in held]:
        named = ", ".join(map(repr, nested[:3])) + (" and more" if len(nested) > 3 else "")
        note = f"Left out of {name}, as they hold lists, records or bytes in each cell: {named}."
        problems.append(warning(note))
    texts = [field.name for field in schema if _is_text(field.type)]
    # A text that occurs a million times is held once.
    table = opened(texts).read(columns=held, use_threads=False)
    called = [_INDEX if column.startswith(_UNNAMED) else column for column in held]
    names = column_names(called, problems)
    columns = [_series(table[column], column, name) for column in held]
    frame = pd.DataFrame(dict(zip(names, columns, strict=True)), copy=False)
    return frame.set_axis(pd.RangeIndex(1, rows + 1))


def _is_text(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_string(kind) or types.is_large_string(kind))


def _is_column(kind: Any) -> bool:
    """Tell whether cells of a type are numbers, texts or dates."""
    import pyarrow.types as types

    if types.is_dictionary(kind):
        return _is_column(kind.value_type)
    plain = (
        types.is_integer, types.is_floating, types.is_decimal, types.is_boolean, types.is_null,
        types.is_temporal, types.is_string, types.is_large_string,
    )  # fmt: skip
    return any(test(kind) for test in plain) and not types.is_interval(kind)


def _series(cells: Any, name: str, file: str) -> pd.Series:
    """Return an Arrow column as a Series: numbers unchanged, decimals as the nearest floats, texts as texts."""
    import pyarrow.types as types

    kind = cells.type
    if types.is_dictionary(kind):
        if _is_text(kind.value_type):
            _refuse_long(cells, name, file)
        kind = kind.value_type
        cells = cells.cast(kind)
    if _is_text(kind):
        return pd.Series(cells.fill_null("").to_pandas(), dtype="str").str.strip()
    if types.is_decimal(kind):
        numbers = [float("nan") if value is None else float(value) for value in cells.to_pylist()]
        return pd.Series(numbers, dtype=float)
    return pd.Series(cells.to_pandas(date_as_object=True), copy=False)


def _refuse_long(cells: Any, name: str, file: str) -> None:
    """Raise Unreadable if the texts of a column are together longer than a file may be."""
    import pyarrow.compute as pc

    total = 0
    for chunk in cells.chunks:
        lengths = pc.binary_length(chunk.dictionary)
        total += pc.sum(lengths.take(chunk.indices)).as_py() or 0
    if total > MAX_BYTES:
        most = MAX_BYTES // 2**20
        raise Unreadable(f"Column {name!r} of {file} has more than {most} MB of text.")
