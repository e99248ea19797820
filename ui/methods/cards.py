"""The cards of the Methods page: everything on them is read off the algorithm's dataclass."""

from __future__ import annotations

import inspect
from dataclasses import fields

import pandas as pd
import streamlit as st

from dpslr_core.mechanisms import Mechanism
from dpslr_core.privacy import accounting
from dpslr_core.privacy.accounting import Accounting, per_person
from dpslr_core.support.run import QUARTERS
from dpslr_core.text import methods as text

from ..settings import value
from .pictures import live_picture


def conventions() -> None:
    """What holds for all algorithms."""
    st.markdown(text.CONVENTIONS)
    st.caption(text.FLOATING_POINT)


def not_built() -> None:
    """Known methods that are left out, a line each."""
    st.subheader("Not here, and why", anchor="not-here")
    for name, why in text.NOT_BUILT.items():
        st.markdown(f"- **{name}.** {why}")


def card(algorithm: type[Mechanism]) -> None:
    """Docstring, guarantee, ledger, hyperparameters, corrections."""
    epsilon, records = float(value("epsilon", 2)), int(value("records_per_person", 1))
    mechanism, rule = algorithm(), per_person(Accounting.PAPER, records)
    guarantee = accounting.guarantee(mechanism, epsilon, rule)
    with st.container(border=True):
        left, right = st.columns([4, 1])
        left.subheader(mechanism.name, anchor=mechanism.name)
        right.badge(str(guarantee), color="blue" if guarantee.private else "orange")
        st.markdown(inspect.getdoc(algorithm) or "")
        live_picture(algorithm)
        if reason := getattr(guarantee, "reason", ""):
            st.markdown(f"No guarantee: {reason}.")
        spent = accounting.spent(mechanism, epsilon, len(QUARTERS), rule)
        if spent and (budget := text.budget_sentence(mechanism, spent, records)):
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
