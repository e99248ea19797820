"""How much epsilon, or how many records, would be enough: curves with the crossings marked, and a table."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dpslr_core.charts.evidence import noise_curves
from dpslr_core.dataset import Dataset
from dpslr_core.guidance import Recommendation, required_values
from dpslr_core.guidance.required_values import NoiseCurve, RequiredValue
from dpslr_core.guidance.simulated_errors import TRIALS
from dpslr_core.guidance.sized.required import RATIOS, curve_tasks
from dpslr_core.mechanisms import Mechanism
from dpslr_core.privacy import Budget
from dpslr_core.sources.linear import LinearModel
from dpslr_core.support.run import Run
from dpslr_core.text.guidance import evidence as text

from .. import show
from ..cache import kept, kept_by_origin
from ..controls import BOUND
from ..plain import plain
from ..settings import View
from ..work.paced import paced
from . import power, runs, widths

MANY = 20_000  # records beyond which a law of all pairs takes seconds, and solving takes forty of them


def draw(recommendation: Recommendation, view: View, looked: bool) -> None:
    """The target, what to solve for, and the answer."""
    left, right = st.columns([2, 1])
    r = float(left.select_slider(
        "Target: error C(68) about OLS, in standard errors, at most", RATIOS, 1, key="r",
        help="1: as large as the sampling error.", **BOUND,
    ))  # fmt: skip
    solve_for = str(
        right.segmented_control("Solve for", ["ε", "n"], default="ε", key="solve_for", required=True, **BOUND)
    )
    if solve_for == "n":
        _records(recommendation, r, looked)
    else:
        _epsilon(recommendation, view, r, looked)
    widths.draw(recommendation, view)
    power.draw(recommendation, view, looked)


def _epsilon(recommendation: Recommendation, view: View, r: float, looked: bool) -> None:
    curves = _curves(recommendation, r, looked)
    values, now = [curve.required for curve in curves], recommendation.budget.epsilon
    sentence = text.required_sentence(values, "ε", r, now, recommendation.algorithm)
    show.vega(noise_curves(curves, r, now), sentence, "required", told=True)
    table = pd.DataFrame({
        "algorithm": [value.mechanism for value in values],
        "smallest ε, simulated data sets": [text.required_text(value) for value in values],
        "data sets": [curve.datasets for curve in curves],
    })  # fmt: skip
    loaded = view.scenario.source.kind != "synthetic"
    own = view.data.n <= MANY and (looked or not loaded)
    if own:
        table["smallest ε, the data set"] = [text.required_text(value) for value in _own(recommendation, view.data, r)]
    st.caption(text.columns_sentence(own, loaded))
    show.numbers(table, "enough", height="content")


def _records(recommendation: Recommendation, r: float, looked: bool) -> None:
    values, bar = [], st.progress(0.0)
    for number, mechanism in enumerate(paced(recommendation.mechanisms, runs.work_after(recommendation))):
        bar.progress(number / len(recommendation.mechanisms), f"{mechanism.name} …")
        run = Run(TRIALS, recommendation.run.seed)
        values.append(_required_n(looked, recommendation.model, recommendation.budget, mechanism, r, run))
    bar.empty()
    epsilon, name = recommendation.budget.epsilon, recommendation.algorithm
    st.markdown(plain(text.required_sentence(values, "n", r, epsilon, name)))
    st.caption(text.columns_sentence(False, False))
    table = pd.DataFrame({
        "algorithm": [value.mechanism for value in values],
        "smallest n, simulated data sets": [text.required_text(value) for value in values],
    })  # fmt: skip
    show.numbers(table, "enough", height="content")


def _curves(recommendation: Recommendation, r: float, looked: bool) -> list[NoiseCurve]:
    """The recommended algorithm on all data sets of the answer, so that its epsilon passes there; others on few."""
    bar, curves = st.progress(0.0), []
    tasks = curve_tasks(recommendation, r)
    for number, task in enumerate(paced(tasks, runs.work_after(recommendation))):
        bar.progress(number / len(tasks), f"{task[2].name} …")
        curves.append(_curve(looked, *task))
    bar.empty()
    return curves


@kept_by_origin(400)
def _curve(model: LinearModel, budget: Budget, mechanism: Mechanism, r: float, datasets: int, run: Run) -> NoiseCurve:
    return required_values.noise_curve(model, budget, mechanism, r, datasets, run)


@kept_by_origin(400)
def _required_n(model: LinearModel, budget: Budget, mechanism: Mechanism, r: float, run: Run) -> RequiredValue:
    return required_values.required_n(model, budget, mechanism, r, run=run)


def _own(recommendation: Recommendation, data: Dataset, r: float) -> list[RequiredValue]:
    """The smallest epsilon on the data set itself."""
    budget, run = recommendation.budget, Run(TRIALS, recommendation.run.seed)
    mechanisms = paced(recommendation.mechanisms, runs.work_after(recommendation))
    return [_on_data(data, budget, mechanism, r, run) for mechanism in mechanisms]


@kept(400)
def _on_data(data: Dataset, budget: Budget, mechanism: Mechanism, r: float, run: Run) -> RequiredValue:
    return required_values.required_epsilon(data, mechanism, r, budget.at, run, accounting=budget.accounting)
