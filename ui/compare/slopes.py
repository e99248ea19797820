"""Intervals for the slope that are releases of their own, below those for the line."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dpslr_core.dataset import Dataset
from dpslr_core.experiments.power import ols_slope_interval, slope_costs, slope_release, with_slope_intervals
from dpslr_core.intervals import Target
from dpslr_core.mechanisms import Mechanism
from dpslr_core.privacy import Budget
from dpslr_core.text.intervals import slope as text
from dpslr_core.text.phrases import SEEDED

from .. import show
from ..cache import kept_by_origin
from ..plain import bullets
from ..settings import View
from .coverage import held

METHOD = "quantiles"


def draw(view: View, number: int) -> None:
    """Release number of each algorithm that offers one, what it costs, and how often such intervals held the slope."""
    offering = with_slope_intervals(view.scenario.admitted)
    if not offering or not view.data.nvar > 0:
        return
    st.markdown(f"**{text.SLOPE}**")
    ols, rows, told = ols_slope_interval(view.data), [], []
    private, s = not view.grouped.reproducible, view.scenario
    for mechanism in offering:
        try:
            row = _released(private, view.data, mechanism, s.budget, s.seed, number)
        except ValueError as problem:  # too many records for all pairs
            told.append(f"{mechanism.name}: {problem}.")
            continue
        rows.append(row)
        told += [text.slope_interval_sentence(row.iloc[0], ols, view.x, view.y), _cost(view, mechanism)]
        told += held([(mechanism.name, METHOD)], Target.TRUE_SLOPE)
    st.markdown(bullets(dict.fromkeys(told)))
    if rows:
        with st.expander("The intervals for the slope"):
            show.numbers(_in_units(pd.concat(rows), ols, view, offering), "slope_intervals", height="content",
                         note=SEEDED)  # fmt: skip


def _cost(view: View, mechanism: Mechanism) -> str:
    return text.slope_cost_sentence(*slope_costs(mechanism, view.scenario.budget))


def _in_units(rows: pd.DataFrame, ols: tuple[float, float], view: View, offering: list[Mechanism]) -> pd.DataFrame:
    """The table in units of y per unit of x, that of OLS last."""
    scale = view.y.scale / view.x.scale
    ends = {m.name: slope_costs(m, view.scenario.budget)[1] for m in offering}
    costs = ["; ".join(f"{what}: {cost}" for what, cost in ends[name]) for name in rows["algorithm"]]
    usual = pd.DataFrame([("OLS, not private", *ols, ols[1] - ols[0], 1.0)], columns=rows.columns)
    table = pd.concat([rows, usual], ignore_index=True).assign(costs=[*costs, "none"])
    table[["low", "high", "width"]] *= scale
    return table.rename(columns={
        "low": "from", "high": "to", "width": "median width", "two_ends": "two ends",
        "costs": "what the budget pays for",
    })  # fmt: skip


@kept_by_origin(60)
def _released(data: Dataset, mechanism: Mechanism, budget: Budget, seed: int, number: int) -> pd.DataFrame:
    return slope_release(data, mechanism, budget, seed, number)
