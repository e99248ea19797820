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
from dpslr_core.sources.choices import SimulatedState, UploadedFile
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.sources.numbers import Style
from dpslr_core.sources.tables import number_columns
from dpslr_core.text import pooling as text
from dpslr_core.text.phrases import joined

from . import show
from .areas import Areas, AreasAnswer, groups_of
from .cache import kept
from .findings import pooled_worlds, stored
from .link import KEEP, set_to
from .plain import bullets, plain
from .settings import UPLOADED, View, unit_of
from .upload import Uploaded

HELP = "Help each other"  # name of the view
NUMBERS, DECLARED = "area_numbers", "area_numbers_are_public"
NUMBERS_HELP = (
    "Such as the mean income of a census. Areas that are alike in them help each other more. "
    "Only public numbers may be used: the privacy guarantee does not cover them."
)
MOST_PULLED = 10  # areas in the table "Pulled in most"


def helping(answered: AreasAnswer) -> None:
    """Draw released and pooled lines of all areas."""
    areas, decided = answered.areas, answered.decided
    view, datasets = areas.view, areas.groups.datasets
    try:
        mechanism = pooling_mechanism(view.scenario.compared, areas.budget)
        _number_choice(areas)
        columns = _columns(areas)
        pooled = _pooled(view.grouped, mechanism, areas.budget, view.scenario.seed, columns)
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
    st.markdown(
        plain(joined(cost, text.public_sentence([name for name, _ in columns]), text.REHEARSAL))
    )
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
    st.markdown("**Pulled in most**")
    show.numbers(_pulled(lines, unit_of(view.y)), "pulled", {"its own share": show.PERCENT})
    st.markdown(f"{plain(sentence)} {plain(text.common_sentence(lines))}")
    st.markdown(bullets(text.NOT_FOR))
    with st.expander("All pooled lines"):
        show.numbers(lines.drop(columns="at"), "pooled_lines", note=text.REHEARSAL)


def _columns(areas: Areas) -> tuple[tuple[str, Any], ...]:
    """Return the declared public numbers of the areas as name and values, to be part of a key."""
    public = declared_numbers(areas)
    return () if public is None else tuple((name, tuple(public[name].tolist())) for name in public)


def _pulled(lines: pd.DataFrame, unit: str) -> pd.DataFrame:
    """Return the areas whose pooled line is furthest from their release."""
    order = (
        (lines["released"] - lines["pooled"])
        .abs()
        .sort_values(ascending=False, kind="stable")
        .index
    )
    rows = lines.loc[order[:MOST_PULLED]]
    return pd.DataFrame(
        {
            "area": rows["group"].astype("str"),
            "n": rows["n"],
            f"released{unit}": rows["released"],
            f"pooled{unit}": rows["pooled"],
            "its own share": rows["weight"],
        }
    )


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


# Public numbers of the areas.


def declared_numbers(areas: Areas) -> pd.DataFrame | None:
    """Return the chosen public numbers of the areas.

    Returns
    -------
    pandas.DataFrame or None
        A row for each area; None without a choice, and for numbers of a file that are not declared public.
    """
    offered, chosen = _offered(areas), st.session_state.get(NUMBERS, [])
    names = [name for name in chosen if name in offered]
    if not names or (_from_file(areas) and not st.session_state.get(_declaration())):
        return None
    return offered[names]


def _number_choice(areas: Areas) -> None:
    """Draw the choice of public numbers; a file's numbers count only once the user has declared them public."""
    offered = _offered(areas)
    if offered.empty:
        return
    st.session_state[NUMBERS] = [
        name for name in st.session_state.get(NUMBERS, []) if name in offered
    ]
    chosen = st.multiselect(
        "Public numbers of the areas, to pool with",
        list(offered),
        key=NUMBERS,
        help=NUMBERS_HELP,
        on_change=set_to,
        args=(_declaration(), False),
        **KEEP,
    )
    if chosen and _from_file(areas) and not st.checkbox(text.DECLARED, key=_declaration(), **KEEP):
        st.caption(text.UNDECLARED)


def _declaration() -> str:
    """Return the key of the user's declaration on this file; another file must be declared anew."""
    uploaded: Uploaded | None = st.session_state.get(UPLOADED)
    return f"{DECLARED}: {'' if uploaded is None else uploaded.digest}"


def _from_file(areas: Areas) -> bool:
    return isinstance(areas.view.scenario.source, UploadedFile)


def _offered(areas: Areas) -> pd.DataFrame:
    """Return a row of public numbers for each area: a simulated state's, or columns that are constant in each area."""
    source, labels = areas.view.scenario.source, list(areas.groups.datasets)
    if isinstance(source, SimulatedState):
        public = source.public_numbers()
        return public.loc[labels] if {*labels} <= {*public.index} else public.iloc[:0]
    uploaded = st.session_state.get(UPLOADED)
    if uploaded is None or not isinstance(source, UploadedFile) or not source.group_column:
        return pd.DataFrame()
    numbers = _number_columns(uploaded, source.group_column, tuple(labels), source.x_numbers)
    return numbers.drop(columns=[source.x_column, source.y_column], errors="ignore")


@kept(4)
def _number_columns(
    uploaded: Uploaded, group: str, areas: tuple[str, ...], style: Style | None
) -> pd.DataFrame:
    return number_columns(uploaded.table, group, areas, style)


@kept(4)
def _true_lines(grouped: GroupedData, source: SimulatedState) -> pd.DataFrame:
    return source.true_lines(grouped.sizes)


def _errors(grouped: GroupedData, source: SimulatedState, at: pd.DataFrame) -> pd.DataFrame:
    """Compute the errors of OLS, releases and pooled lines about the true lines at the point of `at`."""
    point, lines = float(at["at"].iloc[0]), _true_lines(grouped, source)
    return errors_about_truth(
        at, groups_of(grouped).datasets, lines["intercept"] + lines["slope"] * point
    )
