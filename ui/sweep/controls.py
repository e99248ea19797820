"""The controls of the Sweep page, and what they say as one value."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from dpslr_core.dataset import Dataset
from dpslr_core.experiments.sweep.plan import WHOLE
from dpslr_core.experiments.sweep.ranges import (
    DATASETS,
    LOADED_TRIALS,
    MOST_VALUES,
    NAMED,
    RANGES,
    TRIALS,
    USUAL_DATASETS,
    USUAL_TRIALS,
    USUAL_VALUES,
    listed_values,
    offered,
    spaced,
    swept_mechanisms,
    values_between,
)
from dpslr_core.sources.axis import Axis
from dpslr_core.sources.files.numbers import Style
from dpslr_core.sources.files.typed import parse_points
from dpslr_core.support.run import Run
from dpslr_core.sweeps import SweepPlan, plan_sweep
from dpslr_core.text.crossings import symbol_of
from dpslr_core.text.phrases import in_full
from dpslr_core.text.sweep import SweepDescription

from ..compare.picture import point_choice
from ..controls import BOUND
from ..inputs.number import Allowed, linked_number
from ..plain import plain
from ..settings import View, link
from .paper_panels import paper_panels

SHOWS = ("Error", "Width of intervals")


class Plan(SweepDescription):
    """A sweep to be measured, as the controls describe it."""

    @property
    def run(self) -> Run:
        """Trials and seed."""
        return Run(self.trials, self.base.seed)

    def planned(self) -> SweepPlan:
        """The sweep of the core. ValueError names what cannot be."""
        source = self.base.linear_model if self.data is None else self.data
        return plan_sweep(self.parameter, self.values, source, self.base.budget, self.mechanisms)


def controls(view: View) -> tuple[Plan, bool]:
    """Draw the controls: the sweep they describe, and whether it is of the widths of intervals, not of errors."""
    data = None if view.scenario.source.kind == "synthetic" else view.data
    above = st.columns([3, 2, 2, 2, 2], vertical_alignment="bottom")
    parameter = _parameter(above[0], view, data)
    with above[4], st.popover("More", width="stretch"):
        listed = st.text_input(
            "Exactly these values", key=f"{parameter}_list", placeholder="numbers with semicolons between", **BOUND
        )
        count, trials, base = 1, min(view.scenario.trials, LOADED_TRIALS), view.scenario
        if data is None:
            count = int(st.select_slider("Simulated data sets", DATASETS, USUAL_DATASETS, key="datasets", **BOUND))
            trials = min(base.trials, int(_trials()))
        paper_panels()
    values = _values(above[1:4], listed, parameter, view.x)
    with st.container(horizontal=True):
        if parameter == "x_new":
            values = tuple(float(value) for value in view.x.to_unit(values))
        else:
            first = point_choice(view)
            base = base.model_copy(update={"at": (first, *(point for point in base.at if point != first))})
        shows = st.segmented_control("Show", SHOWS, key="shows", default=SHOWS[0], required=True, **BOUND)
    plan = Plan(parameter, values, base, swept_mechanisms(view.scenario, parameter), count, trials, data)
    return plan, shows == SHOWS[1]


def _trials() -> Any:
    return st.select_slider(
        "Trials at most", TRIALS, USUAL_TRIALS, key="sweep_trials", **BOUND,
        help="For algorithms without an exact law, on each data set; never more than the sidebar's.",
    )  # fmt: skip


def _parameter(column: Any, view: View, data: Dataset | None) -> str:
    """The parameter to vary."""
    names = [RANGES[parameter].name for parameter in offered(view.scenario.admitted, data is not None)]
    shown = column.selectbox("Vary", names, key="vary", help="With the hyperparameters of the algorithms.", **BOUND)
    if data is not None:
        st.caption("n, variance and slope can be varied only for synthetic data.")
    return NAMED.get(str(shown), NAMED[names[0]])


def _values(columns: Any, listed: str, parameter: str, x: Axis) -> tuple[float, ...]:
    """The values in the user's units; the usual ones, below a sentence, where what is chosen cannot be."""
    limits = RANGES[parameter]
    usual = (x.lower, x.upper) if parameter == "x_new" else (limits.first, limits.last)
    idle, style = bool(listed.strip()), x.numbers if parameter == "x_new" else "point"
    first, last = (_end(columns[i], ("from", "to")[i], parameter, usual[i], idle, style) for i in range(2))
    help = "Exact values are given under More." if idle else None
    count = columns[2].number_input(
        "Values", 2, MOST_VALUES, USUAL_VALUES, key="values", disabled=idle, help=help, **BOUND
    )
    try:
        if idle:
            return listed_values(parameter, parse_points(listed, "values", style), x)
        return values_between(parameter, (first, last), int(count), x)
    except ValueError as problem:
        low, high = (in_full(end) for end in usual)
        st.error(plain(f"{problem}. Showing {low} to {high} instead."))
        return spaced(parameter, *usual, USUAL_VALUES)


def _end(column: Any, word: str, parameter: str, usual: float, idle: bool, style: Style) -> float:
    """One end of the range. That of x_new has no value of its own, because its units change with the data."""
    own = None if parameter == "x_new" else int(usual) if parameter in WHOLE else float(usual)
    allowed = Allowed(whole=parameter in WHOLE, optional=own is None, style=style)
    with column:
        typed = linked_number(
            word.capitalize(), key=f"{parameter}_{word}", usual=own, allowed=allowed, disabled=idle,
            placeholder=in_full(usual),
        )  # fmt: skip
    return usual if typed is None else float(typed)


def drawn_values(plan: Plan, x: Axis) -> tuple[float, ...]:
    """The values in the units they are drawn in."""
    return tuple(float(v) for v in x.from_unit(plan.values)) if plan.parameter == "x_new" else plan.values


def frame_in_units(frame: pd.DataFrame, x: Axis) -> pd.DataFrame:
    """A copy whose values of x_new are in the user's units."""
    along_x = len(frame) and frame["parameter"].iloc[0] == "x_new"
    return frame.assign(value=x.from_unit(frame["value"])) if along_x else frame


def axis_label(parameter: str, x: Axis) -> str:
    """The title of the parameter's axis."""
    if parameter == "x_new":
        return x.label
    name, symbol = RANGES[parameter].name, symbol_of(parameter)
    return name if symbol == name else f"{symbol}, {name}"


def sweep_query(view: View, plan: Plan) -> str:
    """The query of the link, with the controls of this page where they differ from their defaults."""
    return "&".join(filter(None, (link(view), urlencode(_chosen(plan)))))


def _chosen(plan: Plan) -> dict[str, str]:
    limits = RANGES[plan.parameter]
    usual: dict[str, Any] = {"vary": "n" if plan.data is None else "epsilon", "values": USUAL_VALUES}
    usual |= {"shows": SHOWS[0], "datasets": USUAL_DATASETS, "sweep_trials": USUAL_TRIALS, f"{plan.parameter}_list": ""}
    usual |= {f"{plan.parameter}_from": limits.first, f"{plan.parameter}_to": limits.last}
    chosen = {key: st.session_state.get(key) for key in usual} | {"vary": limits.name}
    if plan.parameter != "x_new" and len(plan.base.at) > 1:
        chosen["look_at"] = st.session_state.get("look_at")
    return {
        key: f"{value:.12g}" if isinstance(value, float) else str(value)
        for key, value in chosen.items()
        if value is not None and value != usual.get(key)
    }
