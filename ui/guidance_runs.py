"""Cached guidance: nothing is computed twice, and a click interrupts between two values."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import streamlit as st

from dpslr_core import guidance
from dpslr_core.dataset import Dataset
from dpslr_core.guidance import Recommendation, required_values, winner_map
from dpslr_core.guidance import switch_points as core_switch_points
from dpslr_core.guidance.required_values import RequiredValue
from dpslr_core.guidance.switch_points import SwitchPoint
from dpslr_core.guidance.winner_map import MapSettings, WinnerMap
from dpslr_core.mechanisms import Mechanism
from dpslr_core.run import Run
from dpslr_core.scenario import Scenario
from dpslr_core.sweeps import SweepBatch

TRIALS = 50  # per data set, for algorithms without a law
SLOW = 300  # records from which all cores are used
FEWEST, RECORDS = 4, 3_000  # data sets, and records in all of them, that solving for epsilon goes by
MAP_DATASETS, MAP_SIZES, MAP_CELLS = 8, (10, 1_200), 9


def key_of(recommendation: Recommendation) -> str:
    """What determines everything found on simulated data sets, the algorithms aside."""
    return repr((recommendation.model, recommendation.budget, recommendation.run.trials, recommendation.run.seed))


def ranges(base: Scenario) -> tuple[float, float, float]:
    """lower, upper and theta of the first algorithms that have them, the usual ones where none has."""

    def first(name: str, usual: float) -> float:
        return next((float(getattr(m, name)) for m in base.compared if hasattr(m, name)), usual)

    return first("lower", -0.5), first("upper", 1.5), first("theta", 0.01)


def recommendation(base: Scenario, weaker: bool) -> Recommendation:
    """recommend for these guesses and the sidebar's algorithms. ValueError where none of them may be recommended."""
    run = Run(min(base.trials, TRIALS), base.seed)
    with st.spinner("Running every algorithm on simulated data sets …"):
        return _recommend(repr((base.linear_model, base.budget, base.compared, run)), weaker, run, base)


@st.cache_resource(max_entries=40, show_spinner=False, scope="session")
def _recommend(key: str, weaker: bool, _run: Run, _base: Scenario) -> Recommendation:
    b = _base
    return guidance.recommend(
        b.n, b.var_x, b.var_e, b.epsilon, b.at, *ranges(b), slope=b.slope, intercept=b.intercept,
        mechanisms=b.compared, weaker=weaker, trials=_run.trials, seed=_run.seed,
        workers=_workers(b.n),
    )  # fmt: skip


def _workers(n: int) -> int:
    return os.cpu_count() or 1 if n > SLOW else 1


def switch_points(recommendation: Recommendation) -> list[SwitchPoint]:
    """Below and above in n, then in epsilon, value after value."""
    bar = st.progress(0.0)
    key, names = key_of(recommendation), repr(recommendation.candidates)

    def at_value(parameter: str, value: float) -> SweepBatch:
        bar.progress(len(points) / 4, f"Looking where the answer changes: {parameter} = {value:,.4g} …")
        return _candidates_at(key, names, parameter, value, recommendation)

    points: list[SwitchPoint] = []
    for parameter in ("n", "epsilon"):
        for direction in (-1, 1):
            points.append(core_switch_points.switch_point(recommendation, parameter, direction, at_value))
    bar.empty()
    return points


@st.cache_resource(max_entries=400, show_spinner=False, scope="session")
def _candidates_at(key: str, names: str, parameter: str, value: float, _recommendation: Recommendation) -> SweepBatch:
    workers = _workers(int(value) if parameter == "n" else _recommendation.model.n)
    return core_switch_points.candidates_at(_recommendation, parameter, value, workers=workers)


def required(recommendation: Recommendation, data: Dataset | None, solve_for: str, r: float) -> list[RequiredValue]:
    """For every algorithm the smallest epsilon on the data, or the smallest epsilon or n on simulated data sets."""
    bar, values = st.progress(0.0), []
    mechanisms = recommendation.mechanisms
    given = _given(recommendation, data, solve_for)
    for number, mechanism in enumerate(mechanisms):
        bar.progress(number / len(mechanisms), f"{mechanism.name} …")
        values.append(_required(given + repr(mechanism), solve_for, r, recommendation, data, mechanism))
    bar.empty()
    return values


def _given(recommendation: Recommendation, data: Dataset | None, solve_for: str) -> str:
    """What determines the required values, the algorithms aside: not epsilon where that is what is sought."""
    model, budget, seed = recommendation.model, recommendation.budget, recommendation.run.seed
    if data is not None:
        return repr((data.digest, budget.at, seed))
    return repr((model, budget if solve_for == "n" else budget.at, seed))


@st.cache_resource(max_entries=400, show_spinner=False, scope="session")
def _required(
    given: str, solve_for: str, r: float, _recommendation: Recommendation, _data: Dataset | None,
    _mechanism: Mechanism,
) -> RequiredValue:  # fmt: skip
    model, budget = _recommendation.model, _recommendation.budget
    run = Run(TRIALS, _recommendation.run.seed)
    if solve_for == "n":
        return required_values.required_n(model, budget, _mechanism, r, run=run)
    if _data is None:
        datasets = max(FEWEST, min(required_values.DATASETS, RECORDS // model.n))
        return required_values.required_epsilon_simulated(model, budget.at, _mechanism, r, datasets, run)
    return required_values.required_epsilon(_data, _mechanism, r, budget.at, seed=run.seed)


@st.cache_resource(max_entries=1, show_spinner=False)
def stored_map() -> WinnerMap:
    """The map that comes with the project."""
    return winner_map.load()


def own_map(base: Scenario) -> WinnerMap:
    """A map for these guesses, n varying, cell after cell; coarser than the stored one."""
    low, high = (round(size) * base.epsilon * base.var_x for size in MAP_SIZES)
    lower, upper, theta = ranges(base)
    settings = MapSettings(
        base.epsilon, base.var_x, tuple(np.geomspace(low, high, MAP_CELLS)), at=base.at, slope=base.slope,
        intercept=base.intercept, lower=lower, upper=upper, theta=theta, datasets=MAP_DATASETS, trials=TRIALS,
        seed=base.seed,
    )  # fmt: skip
    cells = [(product, var_e) for product in settings.products for var_e in settings.var_es]
    bar, parts = st.progress(0.0), []
    for number, (product, var_e) in enumerate(cells):
        bar.progress(number / len(cells), f"{number} of {len(cells)} cells")
        parts.append(_cell(repr(settings), product, var_e, settings))
    bar.empty()
    return winner_map.joined(settings, parts)


@st.cache_resource(max_entries=1_000, show_spinner=False, scope="session")
def _cell(key: str, product: float, var_e: float, _settings: MapSettings) -> pd.DataFrame:
    return winner_map.cell(_settings, product, var_e, _workers(_settings.n_of(product)))
