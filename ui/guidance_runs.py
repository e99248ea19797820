"""Cached guidance: what is found once is found again, and a click interrupts between two pieces of work."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import streamlit as st

from dpslr_core import guidance
from dpslr_core.dataset import Dataset
from dpslr_core.guidance import Recommendation, backwards, winner_map
from dpslr_core.guidance import flips as core_flips
from dpslr_core.guidance.backwards import Needed
from dpslr_core.guidance.flips import Flip
from dpslr_core.guidance.winner_map import MapSettings, WinnerMap
from dpslr_core.mechanisms import Mechanism
from dpslr_core.scenario import Scenario
from dpslr_core.sweeps import Piece

TRIALS = 50  # per twin, for algorithms without a law
SLOW = 300  # records from which all cores are used
FEWEST, RECORDS = 4, 3_000  # twins, and records in all of them, that solving for epsilon goes by
MAP_TWINS, MAP_SIZES, MAP_CELLS = 8, (10, 1_200), 9


def key_of(base: Scenario) -> str:
    """What determines everything found on twins."""
    fields = ("n", "var_x", "var_e", "epsilon", "slope", "intercept", "at", "seed")
    return repr([getattr(base, name) for name in fields])


def ranges(base: Scenario) -> tuple[float, float, float]:
    """lower, upper and theta of the first algorithms that have them, the usual ones where none has."""

    def first(name: str, usual: float) -> float:
        return next((float(getattr(m, name)) for m in base.compared if hasattr(m, name)), usual)

    return first("lower", -0.5), first("upper", 1.5), first("theta", 0.01)


def recommendation(base: Scenario, weaker: bool) -> Recommendation:
    """recommend for these guesses and the sidebar's algorithms. ValueError where none of them may be recommended."""
    with st.spinner("Running every algorithm on synthetic twins …"):
        return _recommend(key_of(base), repr(base.compared), weaker, min(base.trials, TRIALS), base)


@st.cache_resource(max_entries=40, show_spinner=False, scope="session")
def _recommend(key: str, names: str, weaker: bool, trials: int, _base: Scenario) -> Recommendation:
    b = _base
    return guidance.recommend(
        b.n, b.var_x, b.var_e, b.epsilon, b.at, *ranges(b), slope=b.slope, intercept=b.intercept,
        mechanisms=b.compared, weaker=weaker, trials=trials, seed=b.seed, workers=_workers(b.n),
    )  # fmt: skip


def _workers(n: int) -> int:
    return os.cpu_count() or 1 if n > SLOW else 1


def flips(found: Recommendation) -> list[Flip]:
    """Below and above in n, then in epsilon, value after value."""
    bar = st.progress(0.0)
    names = repr(found.base.mechanisms) + repr(found.evidence["candidate"].tolist())

    def at_value(parameter: str, value: float) -> Piece:
        bar.progress(len(done) / 4, f"Looking where the answer flips: {parameter} = {value:,.4g} …")
        return _candidates_at(key_of(found.base), names, found.trials, parameter, value, found)

    done: list[Flip] = []
    for parameter in ("n", "epsilon"):
        for direction in (-1, 1):
            done.append(core_flips.flip(found, parameter, direction, at_value))
    bar.empty()
    return done


@st.cache_resource(max_entries=400, show_spinner=False, scope="session")
def _candidates_at(key: str, names: str, trials: int, parameter: str, value: float, _found: Recommendation) -> Piece:
    workers = _workers(int(value) if parameter == "n" else _found.base.n)
    return core_flips.candidates_at(_found, parameter, value, workers=workers)


def needed(base: Scenario, data: Dataset | None, solve_for: str, r: float) -> list[Needed]:
    """For every algorithm of the base the smallest epsilon on the data (or on twins), or the smallest n on twins."""
    bar, found = st.progress(0.0), []
    for number, mechanism in enumerate(base.mechanisms):
        bar.progress(number / len(base.mechanisms), f"{mechanism.name} …")
        where = key_of(base) if data is None else f"{data.digest}{base.at}{base.seed}"
        found.append(_needed(where, repr(mechanism), solve_for, r, base, data, mechanism))
    bar.empty()
    return found


@st.cache_resource(max_entries=400, show_spinner=False, scope="session")
def _needed(
    where: str, name: str, solve_for: str, r: float, _base: Scenario, _data: Dataset | None, _mechanism: Mechanism
) -> Needed:
    if solve_for == "n":
        return backwards.smallest_n(_base, _mechanism, r, trials=TRIALS, seed=_base.seed)
    if _data is None:
        twins = max(FEWEST, min(backwards.TWINS, RECORDS // _base.n))
        return backwards.smallest_epsilon_on_twins(_base, _mechanism, r, twins, TRIALS, _base.seed)
    return backwards.smallest_epsilon(_data, _mechanism, r, _base.at, seed=_base.seed)


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
        intercept=base.intercept, lower=lower, upper=upper, theta=theta, twins=MAP_TWINS, trials=TRIALS,
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
