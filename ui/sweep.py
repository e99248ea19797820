"""The Sweep page: its controls and what they say as one value, widths along a sweep, and crossings."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpslr_core.charts.curves import width_curves
from dpslr_core.dataset import Dataset
from dpslr_core.experiments.ranges import (
    DATASETS,
    LOADED_TRIALS,
    MOST_VALUES,
    NAMED,
    PAPER_SWEEPS,
    RANGES,
    TRIALS,
    USUAL_DATASETS,
    USUAL_TRIALS,
    USUAL_VALUES,
    PaperSweep,
    listed_values,
    offered,
    spaced,
    swept_mechanisms,
    values_between,
)
from dpslr_core.experiments.released_intervals import DATASETS as WIDTH_DATASETS
from dpslr_core.experiments.released_intervals import SWEEP_RELEASES, offer_intervals, widths_at
from dpslr_core.experiments.sweep import WHOLE, Setting
from dpslr_core.mechanisms import Mechanism
from dpslr_core.mechanisms.pairwise import plain_name
from dpslr_core.privacy import Budget
from dpslr_core.report.scripts import sweep_command, sweep_script
from dpslr_core.sources.axis import Axis
from dpslr_core.sources.linear import LinearModel
from dpslr_core.sources.numbers import Style, parse_points
from dpslr_core.support.run import Run
from dpslr_core.sweeps import Sweep, SweepPlan, plan_sweep
from dpslr_core.text import intervals as text
from dpslr_core.text.phrases import first_and_rest, in_full
from dpslr_core.text.sweep import (
    SweepDescription,
    lead_sentences,
    pair_sentences,
    settings_sentence,
    symbol_of,
    value_text,
)

from . import show
from .cache import kept_by_origin, key_of
from .controls import BOUND
from .how_sure import NONE
from .inputs import Allowed, linked_number
from .link import same_tab
from .page import answer
from .plain import bullets, plain
from .settings import View, link, point_choice, unit_of
from .show import room
from .takeaway import Shown, take_away
from .work import Work, progress

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


def paper_panels() -> None:
    """The nine panels as links; relative, so that they work below any base path."""
    st.markdown("**The paper's panels**")
    items = (f"- {same_tab('sweep', panel_query(panel), panel.title)}" for panel in PAPER_SWEEPS)
    st.markdown("\n".join(items), unsafe_allow_html=True)
    st.caption(
        f"Over {USUAL_DATASETS} data sets at first; the paper averages over 500. Not all of its settings are in print: "
        "those that stand in for them are below the picture."
    )


def panel_query(panel: PaperSweep) -> dict[str, Any]:
    """The parameters of the link to this page with everything as in the panel."""
    scenario = panel.base.model_copy(update={"trials": panel.trials})
    return scenario.to_query() | values_query(panel.parameter, panel.values)


def values_query(parameter: str, values: tuple[float, ...]) -> dict[str, str]:
    """The controls of the page that give these values: a range where they are evenly spaced, else one by one."""
    low, high = values[0], values[-1]
    query = {"vary": RANGES[parameter].name}
    if spaced(parameter, low, high, len(values)) != values:
        return query | {f"{parameter}_list": ", ".join(f"{value:g}" for value in values)}
    return query | {f"{parameter}_from": f"{low:g}", f"{parameter}_to": f"{high:g}", "values": str(len(values))}


REDUCE = "the largest n, the values, the data sets, the trials or the matchings k, or choose fewer algorithms"


def sweep_work(plan: Plan, view: View) -> Work:
    """The sweep; the seed and the budget are left out, so that a click holds for others."""
    data = plan.data and plan.data.digest
    what = f"sweep {key_of((plan.parameter, plan.values, plan.base.at, plan.datasets, plan.trials, plan.base.also_k))}"
    return Work(f"{what} {plan.base.source} {data}", REDUCE, command=sweep_command(plan, view), scenario=plan.base)


def draw_widths(view: View, plan: Plan, heading: DeltaGenerator) -> None:
    """The sentence in its place, the curves, the numbers, and what is taken away."""
    try:
        planned = plan.planned()
        offer_intervals(planned)
    except ValueError:
        st.info(NONE)
        return
    datasets = min(plan.datasets, WIDTH_DATASETS)
    widths = _measured(plan, planned, datasets)
    words = text.sweep_widths_sentence(widths, plan, view)
    with heading.container():
        answer(*first_and_rest(words))
    frame = frame_in_units(widths.assign(width=widths["width"] * view.y.scale), view.x)
    values, title = drawn_values(plan, view.x), f"{text.LABEL}{unit_of(view.y)}"
    figure = width_curves(frame, (values[0], values[-1]), axis_label(plan.parameter, view.x), title, room())
    made = text.made_sentence(datasets, SWEEP_RELEASES, plan.data is not None)
    show.chart(figure, words, frame, "sweep_widths", made, told=False)
    st.caption(plain(settings_sentence(plan, view)))
    take_away(Shown(
        page="sweep", name="sweep_widths", scenario=plan.base, query=sweep_query(view, plan), table=frame,
        script=partial(sweep_script, plan, view, datasets), reproducible=view.grouped.reproducible,
        more={"varied": plan.parameter, "data sets": datasets, "releases": SWEEP_RELEASES},
    ))  # fmt: skip


def _measured(plan: Plan, planned: SweepPlan, datasets: int) -> pd.DataFrame:
    """One value after the other, so that a click interrupts."""
    work, private, seed = (
        Work(f"widths {plan.parameter} {plan.values} {datasets}", REDUCE),
        plan.data is not None,
        plan.base.seed,
    )
    arriving = progress(planned.settings, work, lambda setting: value_text(plan.parameter, setting.value))
    parts = [
        _at_value(private, each.source, (plan.parameter, each.value, each.budget, each.mechanisms), seed, datasets)
        for each in arriving
    ]
    return pd.concat(parts, ignore_index=True)


Rest = tuple[str, float, Budget, tuple[Mechanism, ...]]


@kept_by_origin(200)
def _at_value(source: LinearModel | Dataset, rest: Rest, seed: int, datasets: int) -> pd.DataFrame:
    parameter, value, budget, mechanisms = rest
    return widths_at(parameter, Setting(value, source, budget, mechanisms), seed, datasets)


def read_crossings(sweep: Sweep, plan: Plan, view: View) -> None:
    """Where the lead changes among the private algorithms, then the crossings of any pair."""
    st.subheader("Where the curves cross")
    if changes := lead_sentences(sweep, plan.private, view.x):
        st.markdown(bullets(changes))
    names = plan.names
    if len(names) < 2:
        return
    left, right = st.columns(2)
    first = left.selectbox("Crossings of", names, 0, key="crossing_first", **BOUND)
    second = right.selectbox("and", names, _usual_second(names), key="crossing_second", **BOUND)
    if first == second:
        st.caption("Choose two different algorithms.")
        return
    st.markdown(bullets(pair_sentences(sweep, first, second, view.x)))


def _usual_second(names: list[str]) -> int:
    """The place of DPExpTheilSen, which the paper compares with NoisyStats, or of the second algorithm."""
    return next((i for i, name in enumerate(names) if i and plain_name(name) == "DPExpTheilSen"), 1)
