"""The view "Help each other" of Small areas: one rehearsed release of each area, and the lines pooled after it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dpslr_core.charts.pooling import outside, pooled_picture
from dpslr_core.experiments.pooled_areas import (
    errors_about_truth,
    pooled_in_units,
    pooling_mechanism,
    rehearse_pooling,
)
from dpslr_core.mechanisms.centered import CenteredSums
from dpslr_core.privacy import Budget
from dpslr_core.sources.choices import GuessedAreas, SimulatedState
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.sources.public_areas import read_covariates
from dpslr_core.text import pooling as text
from dpslr_core.text.phrases import joined

from . import show
from .areas import PUBLIC, Areas, AreasAnswer, groups_of, public_file
from .cache import kept
from .findings import pooled_worlds, stored
from .link import KEEP
from .plain import bullets, plain
from .settings import View
from .upload import Uploaded

HELP = "Help each other"  # name of the view
NUMBERS = "area_numbers"  # session-state key: the chosen public numbers
NUMBERS_HELP = (
    "Such as the mean income of a census. Areas that are alike in them help each other more. "
    "Only public numbers may be used: the privacy guarantee does not cover them."
)


def helping(answered: AreasAnswer) -> None:
    """Draw released and pooled lines of all areas."""
    areas, decided = answered.areas, answered.decided
    view, datasets = areas.view, areas.groups.datasets
    try:
        mechanism = pooling_mechanism(view.scenario.compared, areas.budget)
        _number_choice(areas)
        public = covariates(areas)
        pooled = _pooled(
            view.grouped, mechanism, areas.budget, view.scenario.seed, tuple(public.items())
        )
    except ValueError as problem:
        st.info(plain(f"{str(problem)[0].upper()}{str(problem)[1:]}."))
        return
    at = pooled[pooled["at"] == areas.at]
    lines = pooled_in_units(at, view.x, view.y)
    lines = lines.assign(n=[datasets[area].n for area in lines["group"]])
    error = (
        float(np.median([data.standard_error([areas.at])[0] for data in datasets.values()]))
        * view.y.scale
    )
    st.markdown(f"**{plain(text.helped_sentence(lines, error))}**")
    cost = text.cost_sentence(decided.mechanism if decided is not None else None)
    st.markdown(plain(joined(cost, text.public_sentence(list(public)), text.REHEARSAL)))
    st.markdown(plain(_truth(view, at)))
    sentence = text.pooled_sentence(lines, mechanism.name, view.scenario.epsilon)
    show.vega(pooled_picture(lines, view.y), sentence, "pooled")
    measured_coverage = stored(pooled_worlds)
    coverage = (
        ""
        if measured_coverage is None
        else text.coverage_sentence(measured_coverage, len(lines), view.scenario.epsilon)
    )
    st.caption(
        plain(f"{text.outside_sentence(outside(lines))} {coverage} {text.few_areas(len(lines))}")
    )
    st.markdown(f"{plain(sentence)} {plain(text.common_sentence(lines))}")
    st.markdown(bullets(text.NOT_FOR))
    with st.expander("All pooled lines"):
        show.numbers(lines.drop(columns="at"), "pooled_lines", note=text.REHEARSAL)


def _truth(view: View, at: pd.DataFrame) -> str:
    """Return the sentence on the distance of OLS, releases and pooled lines from the true lines, if these are known."""
    source = view.scenario.source
    if not isinstance(source, SimulatedState) or set(at["group"]) - set(view.grouped.sizes):
        return text.UNKNOWN_TRUTH
    errors = _errors(view.grouped, source, at)
    return text.truth_sentence(
        errors.assign(rms=errors["rms"] * view.y.scale, median=errors["median"] * view.y.scale)
    )


@kept(4)
def _pooled(
    grouped: GroupedData,
    mechanism: CenteredSums,
    budget: Budget,
    seed: int,
    public: tuple[tuple[str, Any], ...],
) -> pd.DataFrame:
    """Rehearse a release of each area and pool the lines."""
    datasets = groups_of(grouped).datasets
    numbers = pd.DataFrame(dict(public), index=list(datasets)) if public else None
    return rehearse_pooling(datasets, mechanism, budget, seed, numbers)


def covariates(areas: Areas) -> dict[str, tuple[float, ...]]:
    """Return the chosen public numbers by name, in the order of the areas; empty without a choice."""
    offered = _offered(areas)
    chosen = (name for name in st.session_state.get(NUMBERS, []) if name in offered)
    return {name: tuple(offered[name].tolist()) for name in chosen}


def _number_choice(areas: Areas) -> None:
    """Draw the choice of public numbers, of a simulated state or of the file of public numbers."""
    if not isinstance(areas.view.scenario.source, SimulatedState | GuessedAreas):
        public_file()
    offered = list(_offered(areas))
    st.session_state[NUMBERS] = list(covariates(areas))
    if offered:
        st.multiselect(
            "Public numbers of the areas, to pool with",
            offered,
            key=NUMBERS,
            help=NUMBERS_HELP,
            **KEEP,
        )


def _offered(areas: Areas) -> pd.DataFrame:
    """Return a row of public numbers for each area."""
    source, labels = areas.view.scenario.source, list(areas.groups.datasets)
    if isinstance(source, SimulatedState):
        public = source.public_numbers()
        return public.loc[labels] if {*labels} <= {*public.index} else public.iloc[:0]
    public_table: Uploaded | None = st.session_state.get(PUBLIC)
    return pd.DataFrame() if public_table is None else _of_file(public_table, tuple(labels))


@kept(4)
def _of_file(public: Uploaded, areas: tuple[str, ...]) -> pd.DataFrame:
    return read_covariates(public.table, areas)


@kept(4)
def _true_lines(grouped: GroupedData, source: SimulatedState) -> pd.DataFrame:
    return source.true_lines(grouped.sizes)


def _errors(grouped: GroupedData, source: SimulatedState, at: pd.DataFrame) -> pd.DataFrame:
    """Compute the errors of OLS, releases and pooled lines about the true lines at the point of `at`."""
    point, lines = float(at["at"].iloc[0]), _true_lines(grouped, source)
    return errors_about_truth(
        at, groups_of(grouped).datasets, lines["intercept"] + lines["slope"] * point
    )
