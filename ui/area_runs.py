"""Measuring all areas of a family: chunk after chunk, each kept, so that a click interrupts and loses nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from dpslr_core.dataset import Dataset
from dpslr_core.experiments.areas import Groups, measured_groups, split_groups
from dpslr_core.mechanisms import Mechanism, NoisyStats
from dpslr_core.streams import stream

from .settings import View

CHUNK = 48  # areas between two looks at the clock: half a second or so
MANY = 200  # areas from which all cores are used
AREA_TRIALS = 100  # trials per area for the algorithms without a law


@dataclass(frozen=True)
class Measured:
    """The frame of by_group for the family, and the groups that could not be used."""

    frame: pd.DataFrame
    groups: Groups


def area_trials(view: View) -> int:
    """Trials per area: the sidebar's, but no more than a page over thousands of areas can wait for."""
    return min(view.scenario.trials, AREA_TRIALS)


def measure_areas(view: View) -> Measured:
    """Every area by every algorithm, with progress; the page can be left or changed at any moment."""
    s, groups = view.scenario, _groups(view.family.digest, view.family.frame)
    informed = _informed(view.family.digest, repr(s.compared), s.at, list(groups.datasets.values()), s.compared)
    labels, parts = list(groups.datasets), []
    bar = st.progress(0.0)
    for start in range(0, len(labels), CHUNK):
        bar.progress(start / len(labels), f"{start:,} of {len(labels):,} areas")
        chunk = {label: groups.datasets[label] for label in labels[start : start + CHUNK]}
        workers = os.cpu_count() or 1 if len(labels) >= MANY else 1
        where = (view.family.digest, start, repr(informed))
        parts.append(_chunk(where, s.epsilon, s.at, area_trials(view), s.seed, workers, chunk, informed))
    bar.empty()
    return Measured(pd.concat(parts, ignore_index=True), groups)


@st.cache_resource(max_entries=4, show_spinner=False, scope="session")
def _groups(digest: str, _frame: pd.DataFrame) -> Groups:
    return split_groups(_frame)


@st.cache_resource(max_entries=8, show_spinner=False, scope="session")
def _informed(
    digest: str, names: str, at: tuple[float, ...], _datasets: Sequence[Dataset], _mechanisms: Sequence[Mechanism]
) -> tuple[Mechanism, ...]:
    return tuple(mechanism.informed_by(_datasets, at) for mechanism in _mechanisms)


@st.cache_resource(max_entries=300, show_spinner=False, scope="session")
def _chunk(
    where: tuple[object, ...],
    epsilon: float,
    at: tuple[float, ...],
    trials: int,
    seed: int,
    _workers: int,
    _datasets: Mapping[str, Dataset],
    _mechanisms: Sequence[Mechanism],
) -> pd.DataFrame:
    """The rows of some areas; ``where`` names them and the mechanisms."""
    measured = measured_groups(_datasets, _mechanisms, epsilon, at, trials, seed, _workers)
    return pd.concat(list(measured), ignore_index=True)


def failure_dots(view: View, datasets: Mapping[str, Dataset]) -> pd.DataFrame:
    """The share of NoisyStats' releases that failed in each of these areas: group, epsilon_nvar, rate."""
    epsilon = view.scenario.epsilon
    return pd.DataFrame(
        [
            (label, epsilon * data.nvar, _failed(data.digest, epsilon, area_trials(view), view.scenario.seed, data))
            for label, data in datasets.items()
        ],
        columns=["group", "epsilon_nvar", "rate"],
    )


@st.cache_resource(max_entries=20_000, show_spinner=False, scope="session")
def _failed(digest: str, epsilon: float, trials: int, seed: int, _data: Dataset) -> float:
    released = NoisyStats().release_statistics(_data, epsilon, trials, rng=stream(seed, digest, "failures", epsilon))
    return float(np.mean(released.nvar <= 0))
