"""Comparisons, kept for each algorithm on its own."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dpslr_core.dataset import Dataset
from dpslr_core.experiments import Comparison, compare
from dpslr_core.experiments.cost.of_runs import compare_cost
from dpslr_core.experiments.curves import regression_lines
from dpslr_core.mechanisms import Mechanism
from dpslr_core.report.scripts import compare_command
from dpslr_core.support.run import Budget
from dpslr_core.support.work.limits import Cost

from ..cache import kept, kept_by_origin, key_of
from ..plain import plain
from ..settings import View
from ..work.ask import Work, within_budget

SLOW = 3_000  # records from which the page shows how far it is
FEW = 300  # records up to which all that is kept of an algorithm takes about half a megabyte


def comparison(view: View) -> Comparison:
    """compare for this view: each algorithm on its own, so that a click changes only what it must."""
    within_budget(_cost(view), _work(view))
    parts = []
    bar = st.progress(0.0) if view.data.n >= SLOW else None
    for done, mechanism in enumerate(view.scenario.admitted):
        if bar:
            bar.progress(done / len(view.scenario.admitted), f"{mechanism.name} on {view.data.n:,} records …")
        try:
            parts.append(_one(view, mechanism))
        except ValueError as problem:  # out of reach at this size; the others are shown
            st.warning(plain(problem))
    if bar:
        bar.empty()
    if not parts:
        st.stop()
    return Comparison.joined(parts)


def _cost(view: View) -> Cost:
    s = view.scenario
    return compare_cost(view.data.n, s.admitted, len(s.at), s.trials)


def _work(view: View) -> Work:
    """Algorithms and the budget are left out: a click holds for others."""
    s = view.scenario
    what = f"compare {key_of((view.data, s.at, s.trials, s.also_k))}"
    reduce = "the matchings k, the trials, the points x_new or the records n, or choose fewer algorithms"
    return Work(what, reduce, compare_command(view), s)


def _one(view: View, mechanism: Mechanism) -> Comparison:
    s = view.scenario
    compared = _compared if view.data.n <= FEW else _compared_of_many
    return compared(not view.grouped.reproducible, view.data, mechanism, s.budget, s.trials, s.seed)


@kept_by_origin(120)
def _compared(data: Dataset, mechanism: Mechanism, budget: Budget, trials: int, seed: int) -> Comparison:
    """One algorithm's comparison."""
    return compare(data, [mechanism], budget.epsilon, budget.at, trials, seed, accounting=budget.accounting)


@kept_by_origin(40)
def _compared_of_many(data: Dataset, mechanism: Mechanism, budget: Budget, trials: int, seed: int) -> Comparison:
    """The same of many records; fewer are kept, for at a thousand records the laws of one may take 23 MB."""
    return compare(data, [mechanism], budget.epsilon, budget.at, trials, seed, accounting=budget.accounting)


@kept(64)
def lines(data: Dataset) -> pd.DataFrame:
    """The regression lines of a data set."""
    return regression_lines(data)
