"""Comparisons, kept in a table for each data set and budget, which holds each algorithm on its own."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dpslr_core.dataset import Dataset
from dpslr_core.experiments import Comparison
from dpslr_core.experiments.comparison import ComparedMechanism, compare_one
from dpslr_core.experiments.curves import regression_lines
from dpslr_core.experiments.memory import compare_memory
from dpslr_core.mechanisms import Mechanism
from dpslr_core.privacy import Budget
from dpslr_core.report.scripts import compare_command
from dpslr_core.support.run import Run

from ..cache import Table, kept, kept_by_origin, key_of
from ..private_names import end_page
from ..settings import View
from ..takeaway import warned
from ..work import WAIT, Work, progress

SLOW = 3_000  # records from which the page shows at once how far it is
FEW = 300  # records up to which all that is kept of fifteen algorithms takes about eight megabytes


def comparison(view: View) -> Comparison:
    """compare for this view: each algorithm on its own, so that a click changes only what it must."""
    table, parts = _table(view), []
    wait = 0.0 if view.data.n >= SLOW else WAIT
    records = f"on {view.data.n:,} records …"
    for mechanism in progress(view.scenario.admitted, _work(view), lambda m: f"{m.name} {records}", wait=wait):
        try:
            parts.append(_one(view, table, mechanism))
        except ValueError as problem:  # out of reach at this size; the others are shown
            st.warning(warned(str(problem)))
    if not parts:
        end_page()
    return Comparison.of(parts)


def _work(view: View) -> Work:
    """Algorithms and the budget are left out: a click holds for others."""
    s = view.scenario
    return Work(
        f"compare {key_of((view.data, s.at, s.trials, s.also_k))}",
        "the matchings k, the trials, the points x_new or the records n, or choose fewer algorithms",
        compare_memory(view.data.n, s.admitted, len(s.at), s.trials),
        compare_command(view),
        s,
    )


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
