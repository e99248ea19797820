"""Cached runs. Keys are the data set's digest and the mechanisms' repr, never the arrays or nested values."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dpslr_core.curves import regression_lines
from dpslr_core.dataset import Dataset
from dpslr_core.experiments import Comparison, compare
from dpslr_core.mechanisms import Mechanism

from .settings import View


def comparison(view: View) -> Comparison:
    """compare for this view: each algorithm on its own, so that a click changes only what it must."""
    s = view.scenario
    return _joined([_one(view.data, m, s.epsilon, s.at, s.trials, s.seed) for m in s.compared])


def _one(
    data: Dataset, mechanism: Mechanism, epsilon: float, at: tuple[float, ...], trials: int, seed: int
) -> Comparison:
    return _cached_compare(data.digest, repr(mechanism), epsilon, at, trials, seed, data, mechanism)


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
