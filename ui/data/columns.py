"""The choices about one column of an uploaded file. Each column keeps its own, on every page and after a new file.

Widget keys end in the column's name; what a link says of a column stands until it is changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import numpy as np
import streamlit as st

from dpslr_core.sources.files.csv_table import Table
from dpslr_core.sources.files.numbers import STYLES, Style
from dpslr_core.sources.files.reading import numbers_of
from dpslr_core.sources.transforms import Logarithm, ReferenceTable, Transform, read_reference_table

from ..inputs.number import Allowed, number_box
from ..settings import upload_choice

Bounds = tuple[float | None, float | None]
KEEP: Any = {"persist_state": "session"}
NO_GROUP = "— one data set —"
WRITTEN: dict[str, str] = dict(zip(STYLES, ("1,234.5", "1.234,5", "1234.5 and nothing else"), strict=True))
TRANSFORMS: dict[str, str] = {"": "none", "log10": "logarithm, log10", "table": "percentile by a public table"}
LARGEST_TABLE = 1  # MB
TABLE_HELP = (
    "A row each: a value and its percentile, for example of a national income table. Between rows the percentile is "
    "linear, beyond the first and last row it is constant."
)


class UsualBounds(NamedTuple):
    """Bounds that are public for a kind of quantity, whatever the file holds."""

    kind: str
    lower: float
    upper: float


USUAL_BOUNDS = (
    UsualBounds("share 0–1", 0, 1),
    UsualBounds("percent, rank, score 0–100", 0, 100),
    UsualBounds("age 0–110", 0, 110),
    UsualBounds("income 0–250,000", 0, 250_000),
    UsualBounds("income, for a logarithm 1,000–1,000,000", 1_000, 1_000_000),
)


def column_choice(which: str, default: str, table: Table) -> str:
    """The choice of one column; what was chosen for another file counts where this one has such a column."""
    assert table.frame is not None
    key, options = f"upload_{which}", [*([NO_GROUP] if which == "group" else []), *table.frame.columns]
    if st.session_state.get(key) not in options:
        st.session_state.pop(key, None)
    linked = getattr(upload_choice(), f"{which}_column")
    place = options.index(linked if linked in options else default)
    label = "Group column (optional)" if which == "group" else f"{which} column"
    return st.selectbox(label, options, index=place, key=key, **KEEP)


def style_choice(which: str, column: str) -> Style | None:
    """How the numbers of a column are written, where the file does not say it."""
    key = f"upload_style_{column}"
    linked = _linked(which, column, f"{which}_numbers")
    if key not in st.session_state and linked is not None:
        st.session_state[key] = linked
    options: list[Style | str] = ["", *STYLES]
    chosen = st.selectbox(
        f"Numbers of {which} are written", options, key=key, help="The table above shows what was read.",
        format_func=lambda style: WRITTEN.get(style, "as the file's columns say"), **KEEP,
    )  # fmt: skip
    return cast(Style, chosen) if chosen else None


def bounds_choice(which: str, column: str, style: Style) -> Bounds:
    """Two boxes, empty at first but for the bounds of a link, and the usual public bounds, a click each."""
    linked = _linked(which, column, f"{which}_bounds")
    values = []
    for place, (end, part) in enumerate(zip(("lower", "upper"), st.columns(2), strict=True)):
        key = f"upload_{end}_{column}"
        if key not in st.session_state and linked is not None:
            st.session_state[key] = linked[place]
        st.session_state.setdefault(key, None)
        with part:
            allowed = Allowed(optional=True, style=style)
            values.append(number_box(f"{which}: public {end} bound", key, allowed, placeholder="required"))
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(f"Common public bounds of {which}:", width="content")
        for number, usual in enumerate(USUAL_BOUNDS):
            st.button(
                usual.kind, key=f"upload_usual_{which}_{number}", type="tertiary", on_click=_set_bounds,
                args=(column, usual.lower, usual.upper), help=f"Sets the public bounds of {which}.",
            )  # fmt: skip
    return values[0], values[1]


def transform_choice(which: str, column: str) -> Transform | None:
    """The transform of a column. ValueError, with a sentence, where its reference table cannot be used."""
    linked = _linked(which, column, f"{which}_transform")
    key, text_key = f"upload_transform_{column}", f"upload_table_{column}"
    if key not in st.session_state and linked is not None:
        st.session_state[key] = str(linked) if isinstance(linked, Logarithm) else "table"
    if text_key not in st.session_state and isinstance(linked, ReferenceTable):
        st.session_state[text_key] = str(linked).replace("; ", "\n")
    chosen = st.selectbox(
        f"Transform of {which}", list(TRANSFORMS), format_func=lambda name: TRANSFORMS[name], key=key, **KEEP
    )
    if chosen != "table":
        return Logarithm() if chosen else None
    file_key = f"upload_table_file_{which}"
    text = st.text_area(f"Public table for {which}: value, percentile", key=text_key, help=TABLE_HELP, **KEEP)
    st.file_uploader(
        f"or a small file with the table for {which}", ["csv", "tsv", "txt"], key=file_key,
        max_upload_size=LARGEST_TABLE, on_change=_take_table, args=(file_key, text_key),
    )  # fmt: skip
    return read_reference_table(text)


def _take_table(file_key: str, text_key: str) -> None:
    """A file with a reference table becomes the text of the box, where it can be seen and corrected."""
    file = st.session_state.get(file_key)
    if file is not None:
        st.session_state[text_key] = file.getvalue().decode("utf-8-sig", errors="replace")


def _set_bounds(column: str, lower: float, upper: float) -> None:
    st.session_state[f"upload_lower_{column}"] = float(lower)
    st.session_state[f"upload_upper_{column}"] = float(upper)


def take_range(table: Table, styles: Mapping[str, Style | None]) -> None:
    """The bounds from the data, for data that are public."""
    for column, style in styles.items():
        read = numbers_of(table, column, style)
        if np.isfinite(read.values).any() and not any(problem.of_style for problem in read.problems):
            _set_bounds(column, float(np.nanmin(read.values)), float(np.nanmax(read.values)))


def _linked(which: str, column: str, field: str) -> Any:
    """What the link, or the data last built, says of a column; None where it names another for x or y."""
    choice = upload_choice()
    return getattr(choice, field) if getattr(choice, f"{which}_column") == column else None
