"""The table of the paper's numeric claims, each beside our number."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from dpslr_core.paper import results
from dpslr_core.paper.claim import Kind
from dpslr_core.report.metadata import claims_metadata

from .. import show, takeaway
from ..cache import kept
from ..plain import plain

ALL = "all"
ROW, HEIGHT = 104, 640  # pixels; sentences have four lines


def draw() -> None:
    """How many claims hold and of what kind the others are, a choice of the kind, and the table."""
    try:
        table = _table()
        takeaway.declare(claims_metadata(_version()))
    except (OSError, ValueError) as problem:
        st.warning(plain(problem))
        return
    st.subheader(plain(results.headline(table)), anchor=False)
    st.markdown(plain(results.others(table)))
    st.caption(plain(results.CAPTION))
    present = [kind.value for kind in Kind if (table["kind"] == kind.value).any()]
    usual = Kind.ERROR_IN_PRINT.value if Kind.ERROR_IN_PRINT.value in present else ALL
    kind = st.segmented_control("Claims", [ALL, *present], default=usual, key="claims", required=True)
    rows = results.chosen(table, None if kind == ALL else kind)
    show.numbers(rows, "paper_claims", _columns(), height=HEIGHT, row_height=ROW)


def _columns() -> dict[str, Any]:
    """Wide columns for sentences, narrow ones for numbers; in pixels."""
    widths = {"claim": 260, "paper": 100, "ours": 100, "why": 340, "kind": 110, "where": 160}
    return {results.COLUMNS[column]: st.column_config.TextColumn(width=width) for column, width in widths.items()}


@kept(1, scope="global")
def _table() -> pd.DataFrame:
    return results.frame(results.load())


@kept(1, scope="global")
def _version() -> str:
    return results.stored_version()
