"""What was measured once and comes with the project; a sentence and the end of the page where a file is none."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dpslr_core.guidance import findings as core_findings
from dpslr_core.guidance.maps import winner_map as core_map
from dpslr_core.guidance.maps.winner_map import WinnerMap

from ..cache import kept
from ..plain import plain


def winner_map() -> WinnerMap:
    """The map of the best algorithm over synthetic data."""
    try:
        return _map()
    except (OSError, ValueError) as problem:
        st.warning(plain(problem))
        st.stop()


def findings() -> dict[str, pd.DataFrame]:
    """The tables called map, shapes and areas."""
    try:
        return _findings()
    except (OSError, ValueError) as problem:
        st.warning(plain(problem))
        st.stop()


@kept(1, scope="global")
def _map() -> WinnerMap:
    return core_map.load()


@kept(1, scope="global")
def _findings() -> dict[str, pd.DataFrame]:
    return core_findings.load()
