"""How much of a sweep is measured without asking: as many data sets as are cheap."""

from __future__ import annotations

from dpslr_core.experiments.cost.of_runs import affordable_count, sweep_cost
from dpslr_core.report.scripts import sweep_command
from dpslr_core.support.run import Run
from dpslr_core.support.work.limits import AT_ONCE, Cost
from dpslr_core.sweeps import SweepPlan

from ..cache import key_of
from ..settings import View
from ..work.ask import Work, affordable
from .controls import Plan

REDUCE = "the largest n, the values, the data sets, the trials or the matchings k, or choose fewer algorithms"


def sweep_work(plan: Plan, view: View) -> Work:
    """The sweep; the seed and the budget are left out, so that a click holds for others."""
    data = plan.data and plan.data.digest
    what = f"sweep {key_of((plan.parameter, plan.values, plan.base.at, plan.datasets, plan.trials, plan.base.also_k))}"
    return Work(f"{what} {plan.base.source} {data}", REDUCE, sweep_command(plan, view), plan.base)


def measured_at_once(planned: SweepPlan, run: Run, datasets: int, block: int, work: Work, there: int) -> int:
    """How many data sets to measure before the page asks: all, some, or 0.

    datasets: those wanted. there: those that are measured already. block: how many are measured at a time.
    """
    one = sweep_cost(planned, run.trials)
    if affordable(one.times(datasets - there), work):
        return datasets
    return affordable_count(one, AT_ONCE, datasets, block)


def rest(planned: SweepPlan, run: Run, datasets: int) -> Cost:
    """What so many data sets cost."""
    return sweep_cost(planned, run.trials).times(datasets)
