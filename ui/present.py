"""How every chart and table is shown: one sentence above, the figure, its numbers below with a CSV button."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpslr_core.csv_safe import without_formulas

from .plain import plain

DIGITS = st.column_config.NumberColumn(format="%.4g")


def picture(figure: go.Figure, sentence: str, name: str, **selection: Any) -> None:
    """The sentence, and the figure with the same sentence as its accessible name."""
    st.markdown(plain(sentence))
    config = {"displaylogo": False}
    st.plotly_chart(figure, width="stretch", key=f"chart_{name}", alt=sentence, config=config, **selection)


def chart(figure: go.Figure, sentence: str, table: pd.DataFrame, name: str, note: str = "", **selection: Any) -> None:
    """The sentence, the figure, what must be said with it, and the numbers behind it."""
    picture(figure, sentence, name, **selection)
    if note:
        st.caption(plain(note))
    with st.expander("The numbers in this picture"):
        numbers(table, name, note=note)


def numbers(
    table: pd.DataFrame, name: str, columns: dict[str, Any] | None = None, height: Any = "auto", note: str = ""
) -> None:
    """A table, its numbers to four digits, and a button that saves it as CSV with all of them.

    The table has a button of Streamlit's own that saves what is shown, so that both are safe for spreadsheets.
    note: what must be said wherever the numbers go; a column of the table.
    """
    table = without_formulas(table.assign(note=note) if note else table)
    digits = {column: DIGITS for column in table.select_dtypes("float").columns}
    config = digits | (columns or {})
    st.dataframe(table, width="stretch", hide_index=True, key=f"table_{name}", column_config=config, height=height)
    st.download_button("Save as CSV", _csv(table), f"{name}.csv", "text/csv", key=f"csv_{name}", on_click="ignore")


def _csv(table: pd.DataFrame) -> bytes:
    return table.to_csv(index=False).encode()
