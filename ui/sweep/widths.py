"""How wide the intervals are along the sweep, beside that of OLS."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpslr_core.charts.sweeps import width_curves
from dpslr_core.dataset import Dataset
from dpslr_core.experiments.sweep.plan import Setting
from dpslr_core.experiments.sweep.widths import DATASETS, RELEASES, offer_intervals, widths_at
from dpslr_core.mechanisms import Mechanism
from dpslr_core.privacy import Budget
from dpslr_core.report.scripts import sweep_script
from dpslr_core.sources.linear import LinearModel
from dpslr_core.sweeps import SweepPlan
from dpslr_core.text.intervals import sweep as text
from dpslr_core.text.phrases import first_and_rest
from dpslr_core.text.sweep import settings_sentence

from .. import show
from ..areas.intervals import NONE
from ..cache import kept_by_origin
from ..compare.picture import room
from ..page import answer
from ..plain import plain
from ..settings import View
from ..takeaway.panel import Shown, take_away
from .controls import Plan, axis_label, drawn_values, frame_in_units, sweep_query


def draw(view: View, plan: Plan, heading: DeltaGenerator) -> None:
    """The sentence in its place, the curves, the numbers, and what is taken away."""
    try:
        planned = plan.planned()
        offer_intervals(planned)
    except ValueError:
        st.info(NONE)
        return
    datasets = min(plan.datasets, DATASETS)
    widths = _measured(plan, planned, datasets)
    words = text.sweep_widths_sentence(widths, plan, view)
    with heading.container():
        answer(*first_and_rest(words))
    frame = frame_in_units(widths.assign(width=widths["width"] * view.y.scale), view.x)
    values, unit = drawn_values(plan, view.x), f" ({view.y.unit})" if view.y.unit else ""
    title = f"{text.LABEL}{unit}"
    figure = width_curves(frame, (values[0], values[-1]), axis_label(plan.parameter, view.x), title, room())
    show.chart(figure, words, frame, "sweep_widths", text.made_sentence(datasets, RELEASES, plan.data is not None),
               told=False)  # fmt: skip
    st.caption(plain(settings_sentence(plan, view)))
    take_away(Shown(
        page="sweep", name="sweep_widths", scenario=plan.base, query=sweep_query(view, plan), table=frame,
        script=partial(sweep_script, plan, view, datasets), reproducible=view.grouped.reproducible,
        more={"varied": plan.parameter, "data sets": datasets, "releases": RELEASES},
    ))  # fmt: skip


def _measured(plan: Plan, planned: SweepPlan, datasets: int) -> pd.DataFrame:
    """One value after the other, so that a click interrupts."""
    bar, parts, private = st.progress(0.0), [], plan.data is not None
    for done, setting in enumerate(planned.settings):
        bar.progress(done / len(planned.settings))
        rest = (plan.parameter, setting.value, setting.budget, setting.mechanisms)
        parts.append(_at_value(private, setting.source, rest, plan.base.seed, datasets))
    bar.empty()
    return pd.concat(parts, ignore_index=True)


Rest = tuple[str, float, Budget, tuple[Mechanism, ...]]


@kept_by_origin(200)
def _at_value(source: LinearModel | Dataset, rest: Rest, seed: int, datasets: int) -> pd.DataFrame:
    parameter, value, budget, mechanisms = rest
    return widths_at(parameter, Setting(value, source, budget, mechanisms), seed, datasets)
