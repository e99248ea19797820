"""How much of a sweep is measured without asking: as many data sets as are cheap; the usual sweep as a whole."""

from __future__ import annotations

from functools import cache

from dpslr_core.experiments.cost.of_runs import affordable_count, sweep_cost
from dpslr_core.experiments.sweep.ranges import RANGES, USUAL_DATASETS, USUAL_TRIALS, USUAL_VALUES, spaced
from dpslr_core.mechanisms import USUAL
from dpslr_core.report.scripts import sweep_command
from dpslr_core.scenario import Scenario
from dpslr_core.support.run import Run
from dpslr_core.support.work.limits import AT_ONCE, Cost
from dpslr_core.sweeps import SweepPlan, plan_sweep

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
    if usual(planned, datasets, run.trials) or affordable(one.times(datasets - there), work):
        return datasets
    return affordable_count(one, AT_ONCE, datasets, block)


def rest(planned: SweepPlan, run: Run, datasets: int) -> Cost:
    """What so many data sets cost."""
    return sweep_cost(planned, run.trials).times(datasets)


def usual(planned: SweepPlan, datasets: int, trials: int) -> bool:
    """Whether this is what the page shows at first, which is measured once for all sessions, seed and budget aside."""
    first = _first()
    values = [setting.value for setting in planned.settings]
    return (
        datasets <= USUAL_DATASETS
        and trials <= USUAL_TRIALS
        and (planned.parameter, planned.names) == (first.parameter, first.names)
        and values == [setting.value for setting in first.settings]
        and [len(setting.budget.at) for setting in planned.settings] == [2] * len(values)
    )


@cache
def _first() -> SweepPlan:
    """The sweep of the page at its defaults."""
    base = Scenario()
    values = spaced("n", RANGES["n"].first, RANGES["n"].last, USUAL_VALUES)
    return plan_sweep("n", values, base.linear_model, base.budget, [algorithm() for algorithm in USUAL])
