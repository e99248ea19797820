"""The Small areas page: its tables, its picture, the views below it, and the way to Compare."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpslr_core.charts import areas as area_charts
from dpslr_core.charts.areas import area_ratios
from dpslr_core.experiments.areas import best_by_area
from dpslr_core.experiments.ranking import ranked_shares
from dpslr_core.guidance.area_epsilons import best_with_epsilons
from dpslr_core.guidance.required_values import EPSILONS
from dpslr_core.report.content import MeasuredAreas, report_on_areas
from dpslr_core.report.document import Report
from dpslr_core.report.scripts import areas_command, areas_script
from dpslr_core.text import areas as text
from dpslr_core.text.areas import (
    FLAT_LINE,
    PASSES,
    compared_with,
    passing_sentence,
    picture_sentence,
    table_sentence,
    verdicts,
)
from dpslr_core.text.phrases import in_full

from . import show, takeaway
from .controls import BOUND
from .how_sure import area_intervals
from .link import same_tab, unused_of_link, values_in_link
from .plain import plain
from .private_names import end_page
from .runs import areas as runs
from .settings import View, at_point, point_query, unit_of
from .show import room
from .takeaway import Shown, of_report, report_buttons, take_away


def draw_picture(
    place: DeltaGenerator, view: View, measured: pd.DataFrame, ranked: pd.DataFrame, drawn: list[str] | None
) -> list[str]:
    """The algorithms shown: the first of ranked_shares and what it is compared with; drawn: those shown before."""
    other = compared_with(ranked)
    names = [str(ranked["mechanism"].iloc[0]), *([other] if other else [])]
    if names != drawn and (measured["standard_error"] > 0).any():
        with place.container():
            key = "areas" if drawn is None else "areas_again"
            show.vega(area_ratios(measured, names, view.y), picture_sentence(measured, names), key)
    return names


def _areas(view: View, at: float, measured: pd.DataFrame, seek: bool, flat: bool) -> None:
    if measured.empty:
        st.info("Choose a differentially private algorithm in the sidebar.")
        return
    all_areas(view, at, measured, seek, flat)


def _distributions(view: View, at: float, measured: pd.DataFrame, seek: bool, flat: bool) -> None:
    """The CDFs over areas of C(68) / standard error, of every algorithm that is chosen."""
    known = set(measured["mechanism"]) if len(measured) else set()
    others = tuple(mechanism for mechanism in view.scenario.admitted if mechanism.name not in known)
    if others:
        measured = pd.concat([measured, runs.measured_at(view, at, others)])
    chosen = _by_standard_error(measured)
    s = view.scenario
    ranked = ranked_shares(chosen, s.admitted, s.epsilon, s.accounting, flat)
    curves = area_charts.ratio_curves(chosen)
    sentence = text.ratio_sentence(ranked, chosen["group"].nunique())
    show.chart(area_charts.ratio_cdf(curves, room=room()), sentence, curves, "ratios")
    show.numbers(shown_table(ranked), "shares", COLUMNS, height="content")


def _by_standard_error(measured: pd.DataFrame) -> pd.DataFrame:
    """The rows of the areas in a range of standard errors."""
    order = measured.drop_duplicates("group").sort_values("standard_error", kind="stable")["group"].to_numpy()
    low, high = st.slider(
        "Areas by standard error, smallest to largest", 0, 100, (0, 100), format="%d%%", key="se_range", **BOUND
    )
    inside = order[int(low / 100 * len(order)) : max(int(high / 100 * len(order)), 1)]
    return measured[measured["group"].isin(inside if len(inside) else order)]


def _failures(view: View, at: float, measured: pd.DataFrame, seek: bool, flat: bool) -> None:
    dots = runs.failure_dots(view, runs.groups_of(view.grouped).datasets)
    sentence = text.failure_sentence(dots, runs.area_trials(view))
    show.chart(area_charts.failures(dots), sentence, dots, "failures")


# Each of the view, the point, the algorithms among which the best was sought as measured there, whether the smallest
# epsilons are wanted, and whether a line without slope passes too.
VIEWS: dict[str, Callable[[View, float, pd.DataFrame, bool, bool], None]] = {
    "All areas": _areas,
    "Distribution over areas": _distributions,
    "How sure": lambda view, at, *_: area_intervals(view, at),
    "When NoisyStats has no answer": _failures,
}


BELOW, RATIO, FAILS = "areas that pass", "median C(68) / standard error", "mean failure rate"
PERCENT = st.column_config.NumberColumn(format="percent")
COLUMNS = {BELOW: PERCENT, FAILS: PERCENT}
_NAMES = {"mechanism": "algorithm", "below": BELOW, "median_ratio": RATIO, "failure_rate": FAILS}
PASSES_FROM, PASSES_WITH = "smallest ε that passes", "with"
FLAT_HELP = "A flat line has no slope, as NoisyIntercept's. It counts as passing only where this is on."
ANY = "the best of each area"  # which algorithm an area may pass with
ON_REQUEST = 100  # areas from which the epsilons take longer than one should wait for unasked
ALL_ON_REQUEST = 1_000  # areas from which the algorithms without an exact law do, too


def shown_table(ranked: pd.DataFrame) -> pd.DataFrame:
    """The ranked shares as the page shows them."""
    guarantee = ranked["guarantee"].where(ranked["private"], "not differentially private")
    line = [text.flat_in(*each) for each in zip(ranked["flat"], ranked["areas"], strict=True)]
    unseen = ["private", "pure", "areas_below", "areas", "counts", "flat", *([] if any(line) else ["line"])]
    return ranked.assign(guarantee=guarantee, line=line).drop(columns=unseen).rename(columns=_NAMES)


def wanted(view: View) -> tuple[bool, bool]:
    """Whether to measure algorithms without an exact law, and to seek the epsilons; where areas are many, if asked."""
    count = len(runs.groups_of(view.grouped).datasets)
    if count < ON_REQUEST:
        return True, True
    everything = "Measure all algorithms, and find" if count >= ALL_ON_REQUEST else "Find"
    asked = st.toggle(
        f"{everything} the smallest ε at which each of the {count:,} areas passes (this takes a while)",
        key="find_epsilons",
        **BOUND,
    )
    return asked or count < ALL_ON_REQUEST, asked


def flat_lines() -> bool:
    """Whether a line without slope passes too: the switch."""
    return bool(st.toggle("Count flat lines", key="flat_lines", help=FLAT_HELP, **BOUND))


def all_areas(view: View, at: float, measured: pd.DataFrame, seek: bool, flat: bool) -> None:
    """A row per area: whether it passes, from which epsilon on and with which algorithm; the way to Compare, a report.

    seek: whether the smallest epsilons are wanted; the report has them where the table has.
    flat: whether a line without slope passes too.
    """
    epsilons = runs.epsilons_at(view, at) if seek else None
    names = [ANY, *measured["mechanism"].unique()]
    chosen = str(st.selectbox("An area may pass with", names, key="passes_with", **BOUND))
    rows, sought = measured, epsilons
    if chosen in names[1:]:
        rows = measured[measured["mechanism"] == chosen]
        sought = epsilons if epsilons is None else epsilons[epsilons["mechanism"] == chosen]
    best = _best(view, rows, sought, flat)
    told = None if sought is None else passing_sentence(sought, view.scenario.epsilon, flat)
    st.markdown(plain(f"{table_sentence(best, flat) if told is None else told} {PASSES}"))
    table = area_rows(best, view, flat)
    shown_rows = _filtered(table)
    shown = show.numbers(shown_rows, "area_table", on_select="rerun", selection_mode="single-row")
    _open_one(shown_rows["area"].tolist(), shown["selection"]["rows"])
    rejected = runs.groups_of(view.grouped).rejected
    areas = MeasuredAreas(measured, epsilons, rejected, runs.area_trials(view), flat)
    query = takeaway.page_query(point_query(view), {"flat_lines": False})
    warned, unused = takeaway.warnings(), unused_of_link()

    def report() -> Report:
        return report_on_areas(view, at, areas, f"/small_areas?{query}", (*unused(), *warned))

    report_buttons(
        "Answer, picture, all areas, method and limits; a Word file has the first 30 of more than 100 areas.", report
    )
    whole = table if chosen == ANY else area_rows(_best(view, measured, epsilons, flat), view, flat)
    take_away(Shown(
        page="small_areas", scenario=view.scenario, query=query, table=whole,
        script=partial(areas_script, view, at, areas.trials, flat),
        command=areas_command(view, at, flat), reproducible=view.grouped.reproducible,
        more=at_point(view, at), picture=lambda: of_report(report()),
    ))  # fmt: skip


def _best(view: View, measured: pd.DataFrame, epsilons: pd.DataFrame | None, flat: bool) -> pd.DataFrame:
    """The best algorithm of each area, with what is known of its epsilons."""
    if epsilons is None:
        return best_by_area(measured, measured["mechanism"].unique(), flat)
    return best_with_epsilons(measured, epsilons, view.scenario.epsilon, flat)


def area_rows(best: pd.DataFrame, view: View, flat: bool) -> pd.DataFrame:
    """The rows of best_by_area, or of best_with_epsilons where it is known, as they are shown, in the units of y."""
    unit = unit_of(view.y)
    table = pd.DataFrame({
        "area": best["group"].astype("str"),
        "n": best["n"],
        "verdict": verdicts(best, flat),
    })  # fmt: skip
    if "passes_from" in best:
        table[PASSES_FROM] = best["passes_from"].replace(np.inf, np.nan)
        table[PASSES_WITH] = best["passes_with"]
    table["best algorithm"] = best["mechanism"]
    table[f"C(68) in {view.y.name}{unit}"] = best["c68"].replace(np.inf, np.nan) * view.y.scale
    table["in standard errors"] = best["ratio"].replace(np.inf, np.nan)
    if "passes_from" in best and (never := np.isinf(best["passes_from"])).any():
        table["remark"] = np.where(never, f"does not pass up to ε = {in_full(EPSILONS[1])}", "")
    return table


def _filtered(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows whose area's name holds the text, and whose verdict is the chosen one."""
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    name = left.text_input("Areas whose name contains", key="area_name", **BOUND)
    verdict = right.segmented_control("Verdict", ["all", "pass", "fail"], default="all", key="verdict", required=True,
                                      **BOUND)  # fmt: skip
    rows = rows[rows["area"].str.contains(name or "", case=False, regex=False)]
    passing = rows["verdict"].str.startswith("pass")
    failing = rows["verdict"].isin(["fail", FLAT_LINE])
    return rows if verdict == "all" else rows[passing if verdict == "pass" else failing]


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
    end_page()
