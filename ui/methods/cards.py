"""The cards of the Methods page: everything on them is read off the algorithm's dataclass."""

from __future__ import annotations

import inspect
from dataclasses import fields

import pandas as pd
import streamlit as st

from dpslr_core.mechanisms import Mechanism
from dpslr_core.text import methods as text

from ..settings import value


def conventions() -> None:
    """What holds for all algorithms."""
    st.markdown(text.CONVENTIONS)
    st.caption(text.FLOATING_POINT)


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
