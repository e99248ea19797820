"""Measurements that several claims share, each made once in a process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from ...dataset import Dataset
from ...experiments.areas import Groups, by_group, split_groups
from ...experiments.errors import measure
from ...experiments.sweep.batches import run_sweep
from ...experiments.sweep.paper_sweeps import PAPER_SWEEPS
from ...experiments.sweep.plan import plan_sweep
from ...experiments.sweep.results import Sweep
from ...mechanisms import (
    DPExpTheilSen,
    DPGDApprox,
    DPGDPure,
    DPGDzCDP,
    DPSSTheilSen,
    DPWideTheilSen,
    MaximumObservedSensitivity,
    Mechanism,
    NoisyStats,
)
from ...sources.grouping import GroupedData
from ...sources.linear import LinearModel
from ...sources.tracts import simulate_tracts
from ...sources.uci import DataUnavailable, load_uci
from ...support.run import QUARTERS, Budget, Run
from .settings import ALL_DATASETS, PAIR_DATASETS, SEED, TRIALS

DESCENTS = tuple(descent().as_in_paper() for descent in (DPGDPure, DPGDApprox, DPGDzCDP))
ROBUST = (DPExpTheilSen(), DPWideTheilSen(), DPSSTheilSen())
NON_ROBUST = (NoisyStats(), *DESCENTS)


@cache
def state() -> Groups:
    """A simulated state of 3,108 tracts, as the paper's appendix makes them."""
    return split_groups(simulate_tracts(rng=np.random.default_rng(SEED)))


def sizes_and_nvars() -> tuple[np.ndarray, np.ndarray]:
    """n and n var(x) of each tract of the state, two arrays of shape (tracts,)."""
    tracts = state().datasets.values()
    return np.array([data.n for data in tracts]), np.array([data.nvar for data in tracts])


@cache
def state_errors() -> pd.DataFrame:
    """C(68) about OLS at x = 0.25 and epsilon 16: a row per tract, a column per algorithm, and the standard error."""
    return _by_algorithm(state().datasets, (*ROBUST, NoisyStats(), MaximumObservedSensitivity()), 16.0)


@cache
def bikes() -> Groups:
    """The bike-share data sets; DataUnavailable where they cannot be had."""
    return split_groups(_uci("bikes").frame)


@cache
def bike_errors(epsilon: float) -> pd.DataFrame:
    """As state_errors, over the bike-share data sets and without the method that is not private."""
    return _by_algorithm(bikes().datasets, (*ROBUST, NoisyStats()), epsilon)


@cache
def stocks() -> Dataset:
    """The stock-exchange data; DataUnavailable where they cannot be had."""
    return next(iter(split_groups(_uci("stocks").frame).datasets.values()))


@cache
def nanotubes() -> Dataset:
    """The carbon-nanotube data; DataUnavailable where they cannot be had."""
    return next(iter(split_groups(_uci("nanotubes").frame).datasets.values()))


@cache
def _tried(key: str) -> GroupedData | DataUnavailable:
    try:
        return load_uci(key)
    except DataUnavailable as problem:
        return problem


def _uci(key: str) -> GroupedData:
    """One of the UCI data sets; that it cannot be had is not tried again."""
    if isinstance(loaded := _tried(key), DataUnavailable):
        raise loaded
    return loaded


def _by_algorithm(datasets: Mapping[Any, Dataset], mechanisms: Sequence[Mechanism], epsilon: float) -> pd.DataFrame:
    people = pd.concat([pd.DataFrame({"group": label, "x": d.x, "y": d.y}) for label, d in datasets.items()])
    rows = by_group(people, mechanisms, epsilon, trials=TRIALS, seed=SEED)
    rows = rows[rows["at"] == QUARTERS[0]]
    errors = rows.pivot(index="group", columns="mechanism", values="c68")
    return errors.assign(standard_error=rows.groupby("group")["standard_error"].first())


def ratio(data: Dataset, mechanism: Mechanism, epsilon: float) -> float:
    """C(68) about OLS at x = 0.25 over the standard error; epsilon pays for x = 0.25 and 0.75 together."""
    errors = measure(data, mechanism, Budget(epsilon), Run(TRIALS, SEED))
    return errors[0].c68 / float(data.standard_error(QUARTERS[0])[0])


@cache
def panel(key: str) -> Sweep:
    """One panel of the paper's figures on synthetic data, see PAPER_SWEEPS."""
    (paper,) = (sweep for sweep in PAPER_SWEEPS if sweep.key == key)
    mechanisms = paper.base.mechanisms
    datasets = ALL_DATASETS if len(mechanisms) > 4 else PAIR_DATASETS
    budget = Budget(paper.base.epsilon, paper.base.at)
    plan = plan_sweep(paper.parameter, paper.values, paper.base.linear_model, budget, mechanisms)
    return run_sweep(plan, Run(paper.trials, SEED), datasets)


def means(key: str) -> pd.DataFrame:
    """The mean C_true(68) / sigma of a panel: a row per value, a column per algorithm."""
    return panel(key).frame.pivot(index="value", columns="mechanism", values="mean")


def line(n: int, var_x: float, var_e: float) -> Dataset:
    """One simulated data set on the paper's line."""
    return LinearModel(n, var_x, var_e).replicate(SEED, 0)
