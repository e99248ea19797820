"""The cards of the Methods page: everything on them is read off the algorithm's dataclass."""

from __future__ import annotations

import inspect
from dataclasses import fields

import pandas as pd
import streamlit as st

from dpslr_core.charts.maps.winners import winner_map
from dpslr_core.mechanisms import Mechanism
from dpslr_core.text import methods as text
from dpslr_core.text.guidance.evidence import map_caption

from .. import show
from ..guidance.runs import stored_map
from ..plain import plain
from ..settings import value


def conventions() -> None:
    """What holds for all algorithms."""
    st.markdown(text.CONVENTIONS)
    st.caption(text.FLOATING_POINT)


def findings() -> None:
    """Where what is measured here differs from what the paper concludes."""
    with st.expander("Where the evidence differs from the paper's guidance"):
        try:
            stored = stored_map()
            show.picture(winner_map(stored.winners()), map_caption(stored.settings), "stored_map")
            st.markdown(text.against_the_paper(stored))
        except (OSError, ValueError) as problem:
            st.warning(plain(problem))
        st.markdown(text.BEYOND_THE_PAPER)


def card(algorithm: type[Mechanism]) -> None:
    """Docstring, guarantee, ledger, hyperparameters, corrections."""
    epsilon = float(value("epsilon", 2))
    mechanism = algorithm()
    guarantee = mechanism.guarantee(epsilon)
    with st.container(border=True):
        left, right = st.columns([4, 1])
        left.subheader(mechanism.name, anchor=mechanism.name)
        right.badge(str(guarantee), color="blue" if guarantee.private else "orange")
        st.markdown(inspect.getdoc(algorithm) or "")
        if reason := getattr(guarantee, "reason", ""):
            st.markdown(f"No guarantee: {reason}.")
        if budget := text.budget_sentence(mechanism, epsilon):
            st.markdown(budget)
        if fields(algorithm):
            st.dataframe(_hyperparameters(algorithm), hide_index=True, width="stretch")
        for correction in algorithm.corrections:
            st.markdown(f"*Corrected from print.* {correction}")
        if algorithm.source:
            st.caption(f"Source: {algorithm.source}.")


def _hyperparameters(algorithm: type[Mechanism]) -> pd.DataFrame:
    rows = [
        {"name": f.name, "default": "all pairs" if f.default is None else str(f.default), "meaning": f.metadata["help"]}
        for f in fields(algorithm)
    ]
    return pd.DataFrame(rows).rename(columns={"name": "hyperparameter"})
