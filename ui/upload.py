"""The upload form of the Data page: from a CSV to a family, with every problem said and nothing lost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd
import streamlit as st

from dpslr_core.csv_safe import without_formulas
from dpslr_core.datasets import Family
from dpslr_core.datasets.reading import Built, Problem, Table, family_from_table, read_table, suggest_bounds, to_numbers

from .plain import plain
from .settings import UPLOAD

KEEP: Any = {"persist_state": "session"}
NO_GROUP = "— one data set —"


@st.cache_data(max_entries=3, show_spinner="Reading the file …", scope="session")
def _table(content: bytes, name: str) -> Table:
    return read_table(content, name)


def upload_form() -> None:
    """File, columns, public bounds; a family that can be built takes the place of the one before."""
    st.caption("The file stays in the server's memory for this session only; it is never written to disk.")
    file = st.file_uploader("CSV file", type=["csv", "tsv", "txt"], key="upload_file")
    if file is None:
        return
    table = _table(file.getvalue(), file.name)
    say(table.problems)
    if table.frame is None:
        _kept()
        return
    built = _columns_and_bounds(table, file.name)
    say(built.problems)
    if not built.rejected.empty:
        with st.expander(f"{len(built.rejected)} groups left out"):
            st.dataframe(without_formulas(built.rejected), hide_index=True, width="stretch")
    if built.family is None:
        _kept()
        return
    _take(built.family)


def _take(family: Family) -> None:
    """Make the family the loaded one; the sidebar, drawn before this page, must hear of it."""
    before = st.session_state.get(UPLOAD)
    if (
        before is None
        or (before.name, before.x, before.y) != (family.name, family.x, family.y)
        or not before.frame.equals(family.frame)
    ):
        st.session_state[UPLOAD] = family
        st.rerun()


def _kept() -> None:
    if UPLOAD in st.session_state:
        st.info(plain(f"Still showing the data loaded before: {st.session_state[UPLOAD].name}."))


def _columns_and_bounds(table: Table, name: str) -> Built:
    """The choice of columns and bounds, and the family they make."""
    assert table.frame is not None
    columns = list(table.frame.columns)
    numeric = _numeric_columns(table.frame) or columns
    left, middle, right = st.columns(3)
    with left:
        x = st.selectbox("x column", columns, index=columns.index(numeric[0]), key="upload_x", **KEEP)
        x_bounds = _bounds(table.frame[x], "x", f"{name}_{x}")
    with middle:
        second = numeric[1] if len(numeric) > 1 else columns[-1]
        y = st.selectbox("y column", columns, index=columns.index(second), key="upload_y", **KEEP)
        y_bounds = _bounds(table.frame[y], "y", f"{name}_{y}")
    with right:
        group = st.selectbox("Group column (optional)", [NO_GROUP, *columns], key="upload_group", **KEEP)
    st.caption(
        "Bounds must be public knowledge about the quantity (a test is scored from 0 to 100), not the smallest and "
        "largest value in the file: those are private. Values are rescaled by them, and clipped."
    )
    return family_from_table(
        table, x, y, None if group == NO_GROUP else group, x_bounds=x_bounds, y_bounds=y_bounds, name=name
    )


def _numeric_columns(frame: pd.DataFrame) -> list[str]:
    """The columns whose first cells are mostly numbers: the likely x and y."""
    head = frame.head(50)
    return [name for name in head.columns if pd.Series(to_numbers(head[name], str(name))[0]).notna().mean() > 0.5]


def _bounds(column: pd.Series, which: str, owner: str) -> tuple[float, float]:
    """Two number inputs that start at round numbers around the data; owner tells file and column apart."""
    low, high = suggest_bounds(to_numbers(column, which)[0])
    return (
        st.number_input(f"{which}: public lower bound", value=low, key=f"upload_low_{owner}", **KEEP),
        st.number_input(f"{which}: public upper bound", value=high, key=f"upload_high_{owner}", **KEEP),
    )


def say(problems: Iterable[Problem]) -> None:
    """Errors and warnings, one box each."""
    for problem in problems:
        (st.error if problem.severity == "error" else st.warning)(plain(problem.message))
