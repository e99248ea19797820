"""Cached runs. Keys are the data set's digest and the mechanisms' repr, never the arrays or nested values."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dpslr_core.dataset import Dataset
from dpslr_core.experiments import Comparison, compare
from dpslr_core.experiments.curves import regression_lines
from dpslr_core.mechanisms import Mechanism

from .plain import plain
from .settings import View

SLOW = 3_000  # records from which the page shows how far it is


def comparison(view: View) -> Comparison:
    """compare for this view: each algorithm on its own, so that a click changes only what it must."""
    parts = []
    bar = st.progress(0.0) if view.data.n >= SLOW else None
    for done, mechanism in enumerate(view.scenario.compared):
        if bar:
            bar.progress(done / len(view.scenario.compared), f"{mechanism.name} on {view.data.n:,} records …")
        try:
            parts.append(_one(view, mechanism))
        except ValueError as problem:  # out of reach at this size; the others are shown
            st.warning(plain(problem))
    if bar:
        bar.empty()
    if not parts:
        st.stop()
    return _joined(parts)


def _one(view: View, mechanism: Mechanism) -> Comparison:
    s, data = view.scenario, view.data
    return _cached_compare(data.digest, repr(mechanism), s.epsilon, s.at, s.trials, s.seed, data, mechanism)


@st.cache_resource(max_entries=120, show_spinner=False, scope="session")
def _cached_compare(
    digest: str,
    name: str,
    epsilon: float,
    at: tuple[float, ...],
    trials: int,
    seed: int,
    _data: Dataset,
    _mechanism: Mechanism,
) -> Comparison:
    """One algorithm's comparison, kept as it is: frames and laws are never changed once made."""
    return compare(_data, [_mechanism], epsilon, at, trials, seed)


def _joined(parts: Sequence[Comparison]) -> Comparison:
    """The comparisons of single algorithms as one."""
    return Comparison(
        pd.concat([part.draws for part in parts], ignore_index=True),
        pd.concat([part.summary for part in parts], ignore_index=True),
        {key: law for part in parts for key, law in part.laws.items()},
    )


@st.cache_data(max_entries=64, show_spinner=False, scope="session")
def _lines(digest: str, _data: Dataset) -> pd.DataFrame:
    return regression_lines(_data)


def lines(data: Dataset) -> pd.DataFrame:
    """The regression lines of a data set."""
    return _lines(data.digest, data)
