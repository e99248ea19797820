"""Comparisons, kept for each algorithm on its own."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dpslr_core.dataset import Dataset
from dpslr_core.experiments import Comparison, compare
from dpslr_core.experiments.curves import regression_lines
from dpslr_core.mechanisms import Mechanism
from dpslr_core.support.run import Budget

from ..cache import kept, kept_by_origin
from ..plain import plain
from ..settings import View

SLOW = 3_000  # records from which the page shows how far it is


def comparison(view: View) -> Comparison:
    """compare for this view: each algorithm on its own, so that a click changes only what it must."""
    parts = []
    bar = st.progress(0.0) if view.data.n >= SLOW else None
    for done, mechanism in enumerate(view.scenario.admitted):
        if bar:
            bar.progress(done / len(view.scenario.admitted), f"{mechanism.name} on {view.data.n:,} records …")
        try:
            parts.append(_one(view, mechanism))
        except ValueError as problem:  # out of reach at this size; the others are shown
            st.warning(plain(problem))
    if bar:
        bar.empty()
    if not parts:
        st.stop()
    return Comparison.joined(parts)


def _one(view: View, mechanism: Mechanism) -> Comparison:
    s = view.scenario
    return _compared(not view.grouped.reproducible, view.data, mechanism, s.budget, s.trials, s.seed)


@kept_by_origin(120)
def _compared(data: Dataset, mechanism: Mechanism, budget: Budget, trials: int, seed: int) -> Comparison:
    """One algorithm's comparison."""
    return compare(data, [mechanism], budget.epsilon, budget.at, trials, seed, accounting=budget.accounting)


@kept(64)
def lines(data: Dataset) -> pd.DataFrame:
    """The regression lines of a data set."""
    return regression_lines(data)
