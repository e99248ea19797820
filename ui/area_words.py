"""Sentences and the table of the Small areas page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dpslr_core.experiments import shares_below
from dpslr_core.wording import weaker

from .area_runs import area_trials
from .links import same_tab
from .settings import View

BELOW, RATIO, FAILS = "noise below sampling error", "median C(68) / standard error", "mean failure rate"
PERCENT = st.column_config.NumberColumn(format="percent")
COLUMNS = {BELOW: PERCENT, FAILS: PERCENT}
NOT_PRIVATE = "All numbers on this page are computed from the true data: they are **not private**."


def nothing_to_compare() -> None:
    """Where to go from a data set of one group; the end of the page."""
    state: dict[str, Any] = {"source": "state", "epsilon": 16}
    families: dict[str, dict[str, Any]] = {
        "a simulated state of 300 census tracts": state,
        "one where children follow their parents closely": state | {"elasticity": 0.6},
        "the sample of tracts": {"source": "sample", "sample": "tracts", "epsilon": 16},
        "bike share, 288 sets by month and hour": {"source": "uci", "uci": "bikes"},
    }
    links = ", ".join(same_tab("small_areas", query, label) for label, query in families.items())
    st.markdown(
        "This page asks the same question in many small data sets, and this data set is only one. Open "
        f"{links}, or upload a table with a group column on {same_tab('data', {'source': 'upload'}, 'Data')}.",
        unsafe_allow_html=True,
    )
    st.stop()


def cost_sentence(view: View) -> str:
    """What each area and the whole release cost."""
    epsilon, family = f"ε = {view.scenario.epsilon:g}", view.family
    return (
        f"{family.name}: {len(family.groups):,} areas, {len(family.frame):,} records. {epsilon} in each area; every "
        f"record is in one area only, so the whole release costs {epsilon} too (parallel composition). That needs "
        "group labels and group sizes that are public and fixed. Algorithms without an exact law are run "
        f"{area_trials(view)} times in each area."
    )


def area_table(chosen: pd.DataFrame, view: View) -> pd.DataFrame:
    """Per algorithm: the share of areas whose noise is below the sampling error, the median ratio, failures.

    The private ones first, the best first.
    """
    guarantees = {m.name: m.guarantee(view.scenario.epsilon) for m in view.scenario.compared}
    names = {"mechanism": "algorithm", "below": BELOW, "median_ratio": RATIO, "failure_rate": FAILS}
    table = shares_below(chosen).drop(columns="at").rename(columns=names)
    kept = [guarantees[name] for name in table["algorithm"]]
    return table.assign(
        guarantee=[str(guarantee) for guarantee in kept],
        open=[not guarantee.private for guarantee in kept],
        pure=[guarantee.pure for guarantee in kept],
    ).sort_values(["open", BELOW, RATIO], ascending=[True, False, True], kind="stable")


def shown_table(table: pd.DataFrame) -> pd.DataFrame:
    """The table as the page shows it."""
    plain = table["guarantee"].where(~table["open"], "not differentially private")
    return table.assign(guarantee=plain).drop(columns=["open", "pure"])


def ratio_sentence(table: pd.DataFrame, areas: int) -> str:
    """Which private algorithm hides below the sampling error most often."""
    private = table[~table["open"]]
    if private.empty:
        return f"{areas:,} areas; no differentially private algorithm is chosen."
    if private[BELOW].isna().all():
        return f"None of {areas:,} areas has a sampling error to compare with."
    first, others = private.iloc[0], private.iloc[1:4]
    rest = ", ".join(f"{name} {share:.0%}" for name, share in zip(others["algorithm"], others[BELOW], strict=True))
    return (
        f"In {first[BELOW]:.0%} of {areas:,} areas the noise of {first['algorithm']} is below the sampling error"
        f"{f' ({rest})' if rest else ''}.{_weaker(private)}"
    )


def _weaker(private: pd.DataFrame) -> str:
    """Where the first promises less than pure epsilon-differential privacy, that it does, and who is first of those."""
    first, pure = private.iloc[0], private[private["pure"]]
    if first["pure"]:
        return ""
    among = f"; of the pure ones {pure.iloc[0]['algorithm']} is first, {pure.iloc[0][BELOW]:.0%}" if len(pure) else ""
    return f" {weaker(first['guarantee'])}{among}."


def sorted_sentence(chosen: pd.DataFrame, shown: Sequence[str]) -> str:
    """Of the first two algorithms shown, which is ahead where; and what the grey dots are."""
    grey = "Grey dots are the standard errors. A coloured dot below the grey dot: noise is smaller than sampling error."
    if len(shown) < 2:
        return grey
    wide = chosen.pivot_table(index="group", columns="mechanism", values="c68", observed=True)
    if not set(shown[:2]) <= set(wide.columns):
        return grey
    ahead = float(np.mean(wide[shown[0]] < wide[shown[1]]))
    return f"{shown[0]} has the smaller C(68) in {ahead:.0%} of the areas, {shown[1]} in the others. {grey}"


def failure_sentence(dots: pd.DataFrame, trials: int) -> str:
    """How often NoisyStats fails, and that the dots only scatter about what is known exactly."""
    often = float(np.mean(dots["rate"] > 0.05))
    return (
        f"NoisyStats fails in more than 5% of {trials} releases in {often:.0%} of the areas; its failure rate is known "
        "exactly, the dots scatter about the curve because they are trials."
    )
