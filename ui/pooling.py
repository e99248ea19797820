"""The view "Help each other" of Small areas: one rehearsed release of each area, and the lines pooled after it."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from dpslr_core.charts.pooling import outside, pooled_picture, weight_picture
from dpslr_core.experiments.areas import split_groups
from dpslr_core.experiments.pooled_areas import errors_about_truth, pooled_in_units, pooling_mechanism, rehearse_pooling
from dpslr_core.mechanisms.centered import CenteredSums
from dpslr_core.privacy import Budget
from dpslr_core.sources.choices import SimulatedState
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.text import pooling as text

from . import show
from .cache import kept
from .plain import bullets, plain
from .settings import unit_of

MOST_PULLED = 10  # areas in the table of those that are pulled in most


def helping(areas: Any, measured: pd.DataFrame, decided: object) -> None:
    """Released and pooled lines of all areas; measured: rows of by_group at the point."""
    view, datasets = areas.view, areas.groups.datasets
    try:
        mechanism = pooling_mechanism(view.scenario.compared, areas.budget)
        pooled = _pooled(view.grouped, mechanism, areas.budget, view.scenario.seed)
    except ValueError as problem:
        st.info(plain(f"{str(problem)[0].upper()}{str(problem)[1:]}."))
        return
    at = pooled[pooled["at"] == areas.at]
    here = pooled_in_units(at, view.x, view.y)
    here = here.assign(n=[datasets[area].n for area in here["group"]])
    errors = measured.drop_duplicates("group")["standard_error"]
    st.markdown(f"**{plain(text.helped_sentence(here, float(errors.median()) * view.y.scale))}**")
    st.markdown(plain(f"{text.FREE} {text.REHEARSAL}"))
    st.markdown(plain(_truth(view, at)))
    said = text.pooled_sentence(here, mechanism.name, view.scenario.epsilon)
    show.vega(pooled_picture(here, view.y), said, "pooled")
    st.caption(plain(f"{text.outside_sentence(outside(here))} {text.few_areas(len(here))}"))
    left, right = st.columns(2)
    with left:
        st.markdown("**How much of each line is its own**")
        show.vega(weight_picture(here), text.weight_sentence(here), "weights")
    with right:
        st.markdown("**Pulled in most**")
        show.numbers(_pulled(here, unit_of(view.y)), "pulled", {"its own share": show.PERCENT})
    st.markdown(f"{plain(said)} {plain(text.common_sentence(here))}")
    st.markdown(bullets([plain(line) for line in text.NOT_FOR]))
    with st.expander("All pooled lines"):
        show.numbers(here.drop(columns="at"), "pooled_lines", note=text.REHEARSAL)


def _pulled(here: pd.DataFrame, unit: str) -> pd.DataFrame:
    order = (here["released"] - here["pooled"]).abs().sort_values(ascending=False, kind="stable").index
    rows = here.loc[order[:MOST_PULLED]]
    return pd.DataFrame({
        "area": rows["group"].astype("str"), "n": rows["n"], f"released{unit}": rows["released"],
        f"pooled{unit}": rows["pooled"], "its own share": rows["weight"],
    })  # fmt: skip


def _truth(view: Any, at: pd.DataFrame) -> str:
    """How near OLS, the releases and the pooled lines come to the true lines, where these are known."""
    source = view.scenario.source
    if not isinstance(source, SimulatedState) or set(at["group"]) - set(view.grouped.sizes):
        return text.UNKNOWN_TRUTH
    errors = _errors(view.grouped, source, at)
    return text.truth_sentence(errors.assign(rms=errors["rms"] * view.y.scale, median=errors["median"] * view.y.scale))


@kept(4)
def _pooled(grouped: GroupedData, mechanism: CenteredSums, budget: Budget, seed: int) -> pd.DataFrame:
    return rehearse_pooling(split_groups(grouped.frame).datasets, mechanism, budget, seed)


@kept(4)
def _true_lines(grouped: GroupedData, source: SimulatedState) -> dict[str, tuple[float, float]]:
    """Intercept and slope of everybody in each tract."""
    lines = split_groups(source.everybody(grouped.sizes)).datasets
    return {area: (data.intercept, data.slope) for area, data in lines.items()}


def _errors(grouped: GroupedData, source: SimulatedState, at: pd.DataFrame) -> pd.DataFrame:
    point, lines = float(at["at"].iloc[0]), _true_lines(grouped, source)
    truth = {area: intercept + slope * point for area, (intercept, slope) in lines.items()}
    return errors_about_truth(at, split_groups(grouped.frame).datasets, truth)
