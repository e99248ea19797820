"""How often would the slope test find a slope, by the public guesses alone?"""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dpslr_core.charts.intervals import power_curves
from dpslr_core.experiments.how_sure import describing
from dpslr_core.experiments.power import COLUMNS, power_row, power_settings
from dpslr_core.guidance import Recommendation
from dpslr_core.mechanisms.centered.centered_stats import CenteredSums
from dpslr_core.privacy import Budget
from dpslr_core.sources.linear import LinearModel
from dpslr_core.text.intervals import slope as text
from dpslr_core.text.phrases import format_amount, in_full

from .. import show
from ..cache import kept_by_origin
from ..compare.picture import room
from ..inputs.number import Allowed, linked_number
from ..settings import View

MOST_SLOPE = 10.0  # of a line in the unit square


def draw(recommendation: Recommendation, view: View, looked: bool) -> None:
    """The power of the test on the first algorithm with centred sums; nothing where there is none."""
    mechanism = describing((*recommendation.candidates, *recommendation.mechanisms))
    if mechanism is None:
        return
    model, budget = recommendation.model, recommendation.budget
    slope = _slope(model, view)
    rows, bar = [], st.progress(0.0)
    settings = power_settings(model, budget, slope)
    for done, (changed, richer, datasets) in enumerate(settings):
        bar.progress(done / len(settings), f"The slope test at n = {changed.n:,} …")
        rows.append(_power(looked, changed, richer, mechanism, datasets, recommendation.run.seed))
    bar.empty()
    table = pd.DataFrame(rows, columns=COLUMNS)
    written = format_amount(slope * view.y.scale / view.x.scale)
    words = text.power_sentence(table, model.n, budget.epsilon, mechanism.name, written)
    shown = table.assign(slope=table["slope"] * view.y.scale / view.x.scale)
    show.chart(power_curves(table, mechanism.name, text.ENOUGH, room()), words, shown, "power", text.POWER_CAPTION)


def _slope(model: LinearModel, view: View) -> float:
    """The slope to be found, typed in the units of the view; at first that of the guesses."""
    left, _ = st.columns([1, 2])
    scale = view.y.scale / view.x.scale
    with left:
        typed = linked_number(
            f"Slope to find, {view.y.unit or view.y.name} per {view.x.unit or view.x.name}", key="power_slope",
            usual=None, allowed=Allowed(-MOST_SLOPE * scale, MOST_SLOPE * scale, optional=True, style=view.y.numbers),
            placeholder=in_full(model.slope * scale), help="At first that of the guesses.",
        )  # fmt: skip
    return model.slope if typed is None else float(typed) / scale


@kept_by_origin(400)
def _power(model: LinearModel, budget: Budget, mechanism: CenteredSums, datasets: int, seed: int) -> tuple[float, ...]:
    return power_row(model, budget, mechanism, datasets, seed)
