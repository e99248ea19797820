"""The upload form of the Data page: from a file to a family, with every problem said and nothing lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dpslr_core.csv_safe import without_formulas
from dpslr_core.datasets import Family
from dpslr_core.datasets.numbers import STYLES, Problem, Style
from dpslr_core.datasets.reading import Built, family_from_table, likely_columns, numbers_of, preview
from dpslr_core.datasets.table import Table, read_table

from .plain import plain
from .settings import UPLOAD, UPLOADED, set_upload_choice, upload_choice

Bounds = tuple[float | None, float | None]
KEEP: Any = {"persist_state": "session"}
LAST = "upload_last"  # session-state key of the file in the uploader, readable or not
NO_GROUP = "— one data set —"
WRITTEN = dict(zip(STYLES, ("1,234.5", "1.234,5", "1234.5 and nothing else"), strict=True))
MANY_CELLS = 2_000_000  # from here on only the chosen columns are previewed
BOUNDS = (
    "Bounds must be public knowledge about the quantity (a test is scored from 0 to 100), not the smallest and "
    "largest value in the file: those are private. Values are rescaled by them, and clipped."
)
MISSING = (
    "Enter the bounds of x and y above. They start empty because bounds taken from private data would reveal "
    "something about the people in them."
)


@dataclass(frozen=True, eq=False)
class Uploaded:
    """A file as it was read, and the id that tells it from other files; kept in memory only."""

    name: str
    file_id: str
    table: Table


def upload_form() -> None:
    """File, columns, public bounds; a family that can be built takes the place of the one before."""
    st.caption("The file stays in the server's memory for this session only; it is never written to disk.")
    refused = _read(st.file_uploader("CSV file", type=["csv", "tsv", "txt"], key="upload_file"))
    uploaded: Uploaded | None = st.session_state.get(UPLOADED)
    built = None if uploaded is None else _form(uploaded)
    if built is not None:
        say(built.problems)
        if not built.rejected.empty:
            with st.expander(f"{len(built.rejected)} groups left out"):
                st.dataframe(without_formulas(built.rejected), hide_index=True, width="stretch")
    if built is not None and built.family is not None:
        _take(built.family)
    if refused or built is None or built.family is None:
        _kept()


def _read(file: Any) -> bool:
    """Read a file that is new to the uploader; True where there is one and it is no table."""
    if file is None:
        return False
    last: Uploaded | None = st.session_state.get(LAST)
    if last is None or last.file_id != file.file_id:
        with st.spinner("Reading the file …"):
            last = Uploaded(file.name, file.file_id, read_table(file.getvalue(), file.name))
        st.session_state[LAST] = last
        if last.table.frame is not None:
            st.session_state[UPLOADED] = last
            st.rerun()  # the sidebar, drawn before this page, says what is still missing
    if last.table.frame is None:
        say(last.table.problems)
    return last.table.frame is None


def _take(family: Family) -> None:
    """Make the family the loaded one; the sidebar, drawn before this page, must hear of it."""
    before = st.session_state.get(UPLOAD)
    if (
        before is None
        or (before.name, before.x, before.y) != (family.name, family.x, family.y)
        or before.digest != family.digest
    ):
        st.session_state[UPLOAD] = family
        st.rerun()


def _kept() -> None:
    if UPLOAD in st.session_state:
        st.info(plain(f"Still showing the data loaded before: {st.session_state[UPLOAD].name}."))


def _form(uploaded: Uploaded) -> Built | None:
    """The choice of columns, bounds and writing, and the family they make; None while bounds are missing."""
    table = uploaded.table
    say(table.problems)
    left, middle, right = st.columns(3)
    likely = likely_columns(table)
    with left:
        x = _column("x", likely[0], table)
        x_style = _style("x", x)
    with middle:
        y = _column("y", next(column for column in likely if column != x), table)
        if x == y:
            return family_from_table(table, x, y, x_bounds=(0, 1), y_bounds=(0, 1))
        y_style = _style("y", y)
    with right:
        group = _column("group", NO_GROUP, table)
    with left:
        x_bounds = _bounds("x", x)
    with middle:
        y_bounds = _bounds("y", y)
    choice = {"x_column": x, "y_column": y, "group_column": "" if group == NO_GROUP else group}
    return _family(uploaded, choice | {"x_numbers": x_style, "y_numbers": y_style}, x_bounds, y_bounds)


def _family(uploaded: Uploaded, choice: dict[str, Any], x_bounds: Bounds, y_bounds: Bounds) -> Built | None:
    """What was read of the chosen columns, and the family, if all bounds are there."""
    x, y = columns = (choice["x_column"], choice["y_column"])
    styles = {column: choice[key] for column, key in ((x, "x_numbers"), (y, "y_numbers")) if choice[key]}
    st.caption(BOUNDS)
    st.button(
        "Take the range from the file (public data only)", key="upload_fill", on_click=_fill,
        args=(uploaded.table, columns, styles),
    )  # fmt: skip
    _show_preview(uploaded, columns, styles)
    if None in x_bounds or None in y_bounds:
        st.info(MISSING)
        return None
    group = choice["group_column"] or None
    built = _built(uploaded.file_id, x, y, group, x_bounds, y_bounds, tuple(styles.items()), uploaded)
    if built.family is not None:
        set_upload_choice(**choice, x_bounds=x_bounds, y_bounds=y_bounds)
    return built


@st.cache_resource(max_entries=3, show_spinner="Reading the numbers …", scope="session")
def _built(
    file_id: str, x: str, y: str, group: str | None, x_bounds: Any, y_bounds: Any, styles: Any, _uploaded: Uploaded
) -> Built:
    bounds = {"x_bounds": x_bounds, "y_bounds": y_bounds}
    return family_from_table(_uploaded.table, x, y, group, **bounds, name=_uploaded.name, styles=dict(styles))


def _column(which: str, default: str, table: Table) -> str:
    """The choice of one column; what was chosen for another file counts where this one has such a column."""
    assert table.frame is not None
    key, options = f"upload_{which}", [*([NO_GROUP] if which == "group" else []), *table.frame.columns]
    if st.session_state.get(key) not in options:
        st.session_state.pop(key, None)
    linked = upload_choice()[f"{which}_column"]
    place = options.index(linked if linked in options else default)
    label = "Group column (optional)" if which == "group" else f"{which} column"
    return st.selectbox(label, options, index=place, key=key, **KEEP)


def _style(which: str, column: str) -> Style | None:
    """How the numbers of a column are written, where the file does not say it."""
    key, choice = f"upload_style_{column}", upload_choice()
    if key not in st.session_state and choice[f"{which}_column"] == column:
        st.session_state[key] = choice[f"{which}_numbers"]
    options: list[Style | None] = [None, *STYLES]
    return st.selectbox(
        f"Numbers of {which} are written", options, key=key, help="The table below shows what was read.",
        format_func=lambda style: WRITTEN.get(style, "as the column suggests"), **KEEP,
    )  # fmt: skip


def _bounds(which: str, column: str) -> Bounds:
    """Two number inputs, empty at first but for the bounds of a link; each column keeps its own."""
    choice = upload_choice()
    linked = choice[f"{which}_bounds"] if choice[f"{which}_column"] == column else None
    values = []
    for place, end in enumerate(("lower", "upper")):
        key = f"upload_{end}_{column}"
        if key not in st.session_state and linked is not None:
            st.session_state[key] = linked[place]
        label = f"{which}: public {end} bound"
        values.append(st.number_input(label, value=None, placeholder="required", format="%g", key=key, **KEEP))
    return values[0], values[1]


def _fill(table: Table, columns: Iterable[str], styles: Mapping[str, Style]) -> None:
    """The bounds from the data, for data that are public."""
    for column in columns:
        values = numbers_of(table, column, styles).values
        if np.isfinite(values).any():
            st.session_state[f"upload_lower_{column}"] = float(np.nanmin(values))
            st.session_state[f"upload_upper_{column}"] = float(np.nanmax(values))


def _show_preview(uploaded: Uploaded, chosen: tuple[str, ...], styles: Mapping[str, Style]) -> None:
    """What each column was read as; of a large file only the chosen ones."""
    frame = uploaded.table.frame
    assert frame is not None
    columns = chosen if frame.size > MANY_CELLS else tuple(frame.columns)
    st.caption("What each column was read as; how x and y are written can be corrected above.")
    shown = _preview(uploaded.file_id, columns, tuple(styles.items()), uploaded)
    st.dataframe(without_formulas(shown), hide_index=True, width="stretch")


@st.cache_resource(max_entries=3, show_spinner="Reading the numbers …", scope="session")
def _preview(file_id: str, columns: Any, styles: Any, _uploaded: Uploaded) -> pd.DataFrame:
    return preview(_uploaded.table, dict(styles), columns)


def say(problems: Sequence[Problem]) -> None:
    """The errors in one box, the warnings in another."""
    for severity, box in (("error", st.error), ("warning", st.warning)):
        messages = [problem.message for problem in problems if problem.severity == severity]
        if messages:
            box("\n\n".join(plain(message) for message in messages))
