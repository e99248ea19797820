"""Comparisons, kept in a table for each data set and budget, which holds each algorithm on its own."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd
import streamlit as st

from dpslr_core.dataset import Dataset
from dpslr_core.experiments import Comparison
from dpslr_core.experiments.comparison import ComparedMechanism, compare_one
from dpslr_core.experiments.cost.of_runs import compare_cost
from dpslr_core.experiments.curves import regression_lines
from dpslr_core.mechanisms import Mechanism
from dpslr_core.privacy import Budget
from dpslr_core.report.scripts import compare_command
from dpslr_core.support.run import Run
from dpslr_core.support.work.limits import Cost

from ..cache import Table, kept, kept_by_origin, key_of, metered
from ..sessions.private_names import end_page
from ..settings import View
from ..takeaway import warned
from ..work.ask import Work, within_budget

SLOW = 3_000  # records from which the page shows how far it is
FEW = 300  # records up to which all that is kept of fifteen algorithms takes about eight megabytes


def comparison(view: View) -> Comparison:
    """compare for this view: each algorithm on its own, so that a click changes only what it must."""
    within_budget(_cost(view), _work(view))
    with metered():
        parts = _parts(view)
    if not parts:
        end_page()
    return Comparison.of(parts)


def _parts(view: View) -> list[ComparedMechanism]:
    """Those of all algorithms that can be run; of many records with a bar."""
    table, parts = _table(view), []
    bar = st.progress(0.0) if view.data.n >= SLOW else None
    for done, mechanism in enumerate(view.scenario.admitted):
        if bar:
            bar.progress(done / len(view.scenario.admitted), f"{mechanism.name} on {view.data.n:,} records …")
        try:
            parts.append(_one(view, table, mechanism))
        except ValueError as problem:  # out of reach at this size; the others are shown
            st.warning(warned(str(problem)))
    if bar:
        bar.empty()
    return parts


def _cost(view: View) -> Cost:
    s = view.scenario
    return _cost_of(view.data.n, s.admitted, len(s.at), s.trials)


@lru_cache(64)
def _cost_of(n: int, mechanisms: tuple[Mechanism, ...], points: int, trials: int) -> Cost:
    return compare_cost(n, mechanisms, points, trials)


def _work(view: View) -> Work:
    """Algorithms and the budget are left out: a click holds for others."""
    s = view.scenario
    what = f"compare {key_of((view.data, s.at, s.trials, s.also_k))}"
    reduce = "the matchings k, the trials, the points x_new or the records n, or choose fewer algorithms"
    return Work(what, reduce, compare_command(view), s)


def _one(view: View, table: Table[ComparedMechanism], mechanism: Mechanism) -> ComparedMechanism:
    s = view.scenario
    run = Run(s.trials, s.seed)
    return table.result(key_of(mechanism), lambda: compare_one(view.data, mechanism, s.budget, run))


def _table(view: View) -> Table[ComparedMechanism]:
    """Where the algorithms of this view are kept."""
    s = view.scenario
    kept_table = _compared if view.data.n <= FEW else _compared_of_many
    table: Table[ComparedMechanism] = kept_table(
        not view.grouped.reproducible, view.data, s.budget, Run(s.trials, s.seed)
    )
    return table


@kept_by_origin(8)
def _compared(data: Dataset, budget: Budget, run: Run) -> Table[ComparedMechanism]:
    """The algorithms on one data set."""
    return Table()


@kept_by_origin(3)
def _compared_of_many(data: Dataset, budget: Budget, run: Run) -> Table[ComparedMechanism]:
    """The same of many records; fewer are kept, for at a thousand records the laws of one algorithm may take 23 MB."""
    return Table()


@kept(64)
def lines(data: Dataset) -> pd.DataFrame:
    """The regression lines of a data set."""
    return regression_lines(data)
