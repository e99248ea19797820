"""The tables of the Small areas page, the way from a row to the Compare page, and where to go from one area alone."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dpslr_core.experiments.areas import best_by_area
from dpslr_core.guidance.required_values import EPSILONS
from dpslr_core.report.areas import MeasuredAreas, report_on_areas
from dpslr_core.report.parts import Report
from dpslr_core.report.scripts import areas_command, areas_script
from dpslr_core.text.areas import table_sentence
from dpslr_core.text.phrases import in_full

from .. import show
from ..compare.picture import at_point, point_query
from ..controls import BOUND
from ..inputs.link_value import values_in_link
from ..links import same_tab
from ..plain import plain
from ..report import report_buttons
from ..settings import View
from ..takeaway.panel import Shown, of_report, take_away
from . import runs

BELOW, RATIO, FAILS = "noise below sampling error", "median C(68) / standard error", "mean failure rate"
PERCENT = st.column_config.NumberColumn(format="percent")
COLUMNS = {BELOW: PERCENT, FAILS: PERCENT}
_NAMES = {"mechanism": "algorithm", "below": BELOW, "median_ratio": RATIO, "failure_rate": FAILS}
PASSES_FROM = "passes from ε"
ON_REQUEST = 1_000  # areas from which the epsilons take longer than one should wait for unasked


def shown_table(ranked: pd.DataFrame) -> pd.DataFrame:
    """The ranked shares as the page shows them."""
    guarantee = ranked["guarantee"].where(ranked["private"], "not differentially private")
    return (
        ranked.assign(guarantee=guarantee)
        .drop(columns=["private", "pure", "areas_below", "areas"])
        .rename(columns=_NAMES)
    )


def all_wanted(view: View) -> bool:
    """Whether to compute what takes long over many areas; where they are many, on request."""
    count = len(runs.groups_of(view.grouped).datasets)
    return count < ON_REQUEST or st.toggle(
        f"Measure all algorithms, and find the ε at which each of the {count:,} areas passes (this takes a while)",
        key="find_epsilons",
        **BOUND,
    )


def all_areas(view: View, at: float, measured: pd.DataFrame, complete: bool) -> None:
    """A row per area with its best algorithm and the epsilon at which it passes; filters, the way to Compare, a report.

    The report has the epsilons where the table has them.
    """
    best = best_by_area(measured, set(measured["mechanism"]))
    epsilons = runs.epsilons_at(view, at, best) if complete else None
    if epsilons is not None:
        best = best.merge(epsilons, on=["group", "mechanism"], validate="one_to_one")
    st.markdown(plain(table_sentence(best, EPSILONS[1] if complete else None)))
    table = area_rows(best, view)
    rows = _filtered(table)
    shown = show.numbers(rows, "area_table", on_select="rerun", selection_mode="single-row")
    _open_one(rows["area"].tolist(), shown["selection"]["rows"])
    areas = MeasuredAreas(measured, epsilons, runs.groups_of(view.grouped).rejected, runs.area_trials(view))
    query = point_query(view)

    def report() -> Report:
        return report_on_areas(view, at, areas, f"/small_areas?{query}")

    report_buttons(
        "Answer, picture, all areas, method and limits; a Word file has the first 30 of more than 100 areas.", report
    )
    take_away(Shown(
        page="small_areas", scenario=view.scenario, query=query, table=table,
        script=partial(areas_script, view, at, areas.trials), command=areas_command(view, at),
        reproducible=view.grouped.reproducible, more=at_point(view, at), picture=lambda: of_report(report()),
    ))  # fmt: skip


def area_rows(best: pd.DataFrame, view: View) -> pd.DataFrame:
    """The rows of best_by_area, and of passes_from where it is known, as they are shown, in the units of y."""
    unit = f" ({view.y.unit})" if view.y.unit else ""
    usable = best["standard_error"] > 0
    table = pd.DataFrame({
        "area": best["group"].astype("str"),
        "n": best["n"],
        "verdict": np.where(~usable, "no sampling error", np.where(best["ratio"] < 1, "pass", "fail")),
    })  # fmt: skip
    if "passes_from" in best:
        table[PASSES_FROM] = best["passes_from"]
    table["best algorithm"] = best["mechanism"]
    table[f"noise C(68) in {view.y.name}{unit}"] = best["c68"].replace(np.inf, np.nan) * view.y.scale
    table["in standard errors"] = best["ratio"].replace(np.inf, np.nan)
    if "passes_from" in best and (never := best["passes_from"].isna() & usable).any():
        words = f"does not pass up to ε = {in_full(EPSILONS[1])}"
        table["remark"] = np.where(never, words, "")
    return table


def _filtered(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows whose area's name holds the text, and whose verdict is the chosen one."""
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    name = left.text_input("Areas whose name contains", key="area_name", **BOUND)
    verdict = right.segmented_control("Verdict", ["all", "pass", "fail"], default="all", key="verdict", required=True,
                                      **BOUND)  # fmt: skip
    rows = rows[rows["area"].str.contains(name or "", case=False, regex=False)]
    return rows if verdict == "all" else rows[rows["verdict"] == verdict]


def _open_one(labels: list[str], clicked: list[int]) -> None:
    """Opens the area of the clicked row, or the one that is named, on the Compare page."""
    if not labels:
        st.caption("No area matches.")
        return
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    named = left.selectbox("Open one area on the Compare page (or click its row)", labels, key="open_area")
    label = labels[clicked[0]] if clicked and clicked[0] < len(labels) else str(named)
    if right.button(f"Open {plain(label)} on Compare", key="open_on_compare", on_click=_choose, args=(label,)):
        st.switch_page("pages/compare.py", query_params=values_in_link())


def _choose(label: str) -> None:
    st.session_state["group"] = label


def nothing_to_compare() -> None:
    """Where to go from a data set of one group; the end of the page."""
    state: dict[str, Any] = {"source": "state", "epsilon": 16}
    examples: dict[str, dict[str, Any]] = {
        "a simulated state of 300 census tracts": state,
        "one where children follow their parents closely": state | {"elasticity": 0.6},
        "the sample of tracts": {"source": "sample", "sample": "tracts", "epsilon": 16},
        "bike share, 288 sets by month and hour": {"source": "uci", "uci": "bikes"},
    }
    links = ", ".join(same_tab("small_areas", query, label) for label, query in examples.items())
    st.markdown(
        "This page asks the same question in many small data sets, and this data set is only one. Open "
        f"{links}, or upload a table with a group column on {same_tab('data', {'source': 'upload'}, 'Data')}.",
        unsafe_allow_html=True,
    )
    st.stop()
