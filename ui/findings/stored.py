"""What was measured once and comes with the project; a sentence where a file of it is damaged."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pandas as pd
import streamlit as st

from dpslr_core.guidance import findings as core_findings
from dpslr_core.guidance.maps import winner_map as core_map
from dpslr_core.guidance.maps.winner_map import WinnerMap
from dpslr_core.text import methods

from ..cache import kept
from ..plain import plain

T = TypeVar("T")


def winner_map() -> WinnerMap | None:
    """The map of the best algorithm over synthetic data; None, with a sentence, where its file is damaged."""
    return _said(_map)


def findings() -> dict[str, pd.DataFrame] | None:
    """The stored tables by name; None, with a sentence, where their file is damaged."""
    return _said(_findings)


def _said(load: Callable[[], T]) -> T | None:
    try:
        return load()
    except (OSError, ValueError) as problem:
        st.warning(plain(problem))
        return None


@kept(1, scope="global")
def _map() -> WinnerMap:
    return core_map.load()


@kept(1, scope="global")
def _findings() -> dict[str, pd.DataFrame]:
    return core_findings.load()


@kept(1, scope="global")
def in_paper() -> tuple[pd.DataFrame, str]:
    """Of the stored map: the paper's best algorithm in every cell, and what that says of its rule of thumb."""
    made = _map()
    return made.winners(in_paper=True), methods.against_the_paper(made)
