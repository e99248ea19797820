"""What of the areas is looked at: the point, the algorithms of the dots, a brush with ordinary widgets beside it."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dpslr_core.csv_safe import without_formulas

from .links import same_tab
from .picture import point_choice
from .plain import plain
from .settings import View

FIRST_SHOWN = ("DPExpTheilSen", "DPWideTheilSen")  # the pair of the paper's bike-share figure


def points_and_algorithms(view: View) -> tuple[float, list[str]]:
    """The point of x_new to look at and the algorithms whose dots are drawn."""
    left, right = st.columns(2)
    names = [mechanism.name for mechanism in view.scenario.compared]
    with left:
        at = point_choice(view)
    with right:
        usual = [name for name in FIRST_SHOWN if name in names] or names[:2]
        shown = st.multiselect("Dots area by area", names, default=usual, key="dots", bind="query-params")
    return at, list(shown)


def chosen_areas(here: pd.DataFrame) -> pd.DataFrame:
    """The rows of the areas brushed in the chart below, or in the range of the slider where none are."""
    order = here.drop_duplicates("group").sort_values("standard_error", kind="stable")["group"].to_numpy()
    low, high = st.slider(
        "Areas by standard error, smallest to largest", 0, 100, (0, 100), format="%d%%",
        key="se_range", bind="query-params", help="Or draw a box in the chart 'Area by area'.",
    )  # fmt: skip
    inside = set(order[int(low / 100 * len(order)) : max(int(high / 100 * len(order)), 1)])
    if brushed := _brushed():
        inside &= brushed
        st.caption(f"Brushed in the chart below: {len(inside)} of {len(order)} areas. Double-click there to show all.")
    return here[here["group"].isin(inside or set(order))]


def _brushed() -> set[str]:
    """The labels of the areas in the box drawn in the chart, if any."""
    state = st.session_state.get("chart_areas")
    points = state["selection"]["points"] if state else []
    return {str(_label(point["customdata"])) for point in points if point.get("customdata") is not None}


def _label(customdata: object) -> object:
    return customdata[0] if isinstance(customdata, (list, tuple)) else customdata


def open_one(chosen: pd.DataFrame, shown: Sequence[str], view: View) -> None:
    """The areas as a table; the row that is clicked, or the area named beside it, opens on the Compare page."""
    table = areas_table(chosen, shown, view)
    clicked = st.dataframe(
        without_formulas(table),
        on_select="rerun",
        selection_mode="single-row",
        key="area_rows",
        hide_index=True,
        width="stretch",
    )
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    named = left.selectbox("Open one area on the Compare page (or click its row)", table["area"], key="open_area")
    rows = clicked["selection"]["rows"]
    label = table["area"].iloc[rows[0]] if rows else named
    if not view.family.reproducible:
        right.button(
            f"Choose {plain(label)}", on_click=_choose, args=(label,), help="Then go to Compare in the sidebar."
        )
        return
    query = view.scenario.model_copy(update={"group": label}).to_query(view.x)
    right.markdown(same_tab("compare", query, f"Open {label} on Compare"), unsafe_allow_html=True)


def areas_table(chosen: pd.DataFrame, shown: Sequence[str], view: View) -> pd.DataFrame:
    """One row per area: its size, spread of x, standard error and C(68) by the algorithms shown, in the units of y."""
    areas = chosen.drop_duplicates("group").set_index("group").sort_values("standard_error", kind="stable")
    table = pd.DataFrame({"area": areas.index, "n": areas["n"], "n var(x)": areas["nvar"]})
    table["standard error"] = areas["standard_error"] * view.y.scale
    for name in shown:
        table[f"C(68) {name}"] = chosen[chosen["mechanism"] == name].set_index("group")["c68"] * view.y.scale
    return table.reset_index(drop=True)


def _choose(label: str) -> None:
    st.session_state["group"] = label
