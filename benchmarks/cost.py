"""Estimated against measured seconds of runs from small to large; ``python -m benchmarks cost``.

The last row gives the worst ratio of both. Run it after algorithms have become faster; ``measured_table`` prints the
table that the estimates are read off anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from dpslr_core import compare
from dpslr_core.dataset import Dataset
from dpslr_core.experiments.cost.of_runs import compare_cost, guidance_cost, sweep_cost
from dpslr_core.experiments.cost.table import FIRST, SIZES, TRIALS
from dpslr_core.experiments.errors import summarise
from dpslr_core.experiments.sweep import plan_sweep
from dpslr_core.guidance.recommendation import recommendations, sized_question
from dpslr_core.mechanisms import MECHANISMS, USUAL, DPExpTheilSen, Mechanism
from dpslr_core.privacy import Budget
from dpslr_core.scenario import Scenario
from dpslr_core.sources.linear import LinearModel
from dpslr_core.support.run import Run
from dpslr_core.support.work.limits import Cost
from dpslr_core.sweeps import run_sweep

from .timing import Row

USUAL_ALGORITHMS = tuple(algorithm() for algorithm in USUAL)
MATCHED = (DPExpTheilSen(k=10),)
AIM = 3.0  # of the worst ratio
REPEATED = 1_000  # records below which the table takes the best of several runs


@dataclass(frozen=True)
class Timed:
    """A run, what it is estimated to cost, and the work."""

    what: str
    cost: Cost
    task: Callable[[], object]


def rows() -> Iterator[Row]:
    """The runs from small to large, and the worst ratio."""
    ratios = []
    for timed in (*_comparisons(), *_sweeps(), _guidance()):
        start = time.process_time()
        timed.task()
        seconds = time.process_time() - start
        ratios.append(max(timed.cost.seconds / seconds, seconds / timed.cost.seconds))
        shown = f"{timed.cost.seconds:.2g} s / {seconds:.2g} s"
        yield Row(f"{timed.what}, estimated / measured", shown, f"factor {AIM:g}", ratios[-1] <= AIM)
    yield Row("worst ratio of estimated and measured seconds", f"{max(ratios):.2f}", f"at most {AIM:g}",
              max(ratios) <= AIM)  # fmt: skip


def _comparisons() -> Iterator[Timed]:
    for n, trials, points, mechanisms in (
        (100, 1000, 2, USUAL_ALGORITHMS),
        (250, 1000, 2, USUAL_ALGORITHMS),
        (250, 5000, 8, USUAL_ALGORITHMS),
        (1000, 1000, 2, USUAL_ALGORITHMS),
        (1000, 1000, 2, MATCHED),
        (3000, 1000, 2, USUAL_ALGORITHMS),
        (10_000, 1000, 2, USUAL_ALGORITHMS),
        (100_000, 1000, 2, USUAL_ALGORITHMS),
    ):
        at = tuple(np.linspace(0.2, 0.8, points).tolist())
        data = LinearModel(n, 0.03, 0.01).replicate(0, 0)

        def task(data: Dataset = data, mechanisms: tuple[Mechanism, ...] = mechanisms, at: tuple[float, ...] = at,
                 trials: int = trials) -> object:  # fmt: skip
            return compare(data, mechanisms, 2.0, at, trials)

        names = f"{len(mechanisms)} algorithms" if len(mechanisms) > 1 else mechanisms[0].name
        what = f"compare, n = {n:,}, {trials:,} trials, {points} points, {names}"
        yield Timed(what, compare_cost(n, mechanisms, points, trials), task)


def _sweeps() -> Iterator[Timed]:
    for values, datasets, mechanisms in (
        ((30.0, 100.0, 500.0), 10, USUAL_ALGORITHMS),
        ((100.0, 1000.0), 5, MATCHED),
        ((1000.0, 5000.0), 2, USUAL_ALGORITHMS),
    ):
        base = Scenario()
        plan = plan_sweep("n", values, base.linear_model, base.budget, mechanisms)

        def task(plan: object = plan, datasets: int = datasets) -> object:
            return run_sweep(plan, Run(50), datasets)  # type: ignore[arg-type]

        what = f"sweep, n to {values[-1]:,.0f}, {datasets} data sets, {len(mechanisms)} algorithms"
        yield Timed(what, sweep_cost(plan, 50).times(datasets), task)


def _guidance() -> Timed:
    asked = sized_question(Scenario())
    cost = guidance_cost(asked.model, asked.budget, asked.private, asked.datasets, asked.run.trials)
    return Timed("guidance, n = 250", cost, lambda: list(recommendations(asked, asked.measured, asked.noise)))


def measured_table() -> None:
    """Print the rows of cost.table: ``python -c "from benchmarks.cost import measured_table as m; m()"``."""
    for algorithm in MECHANISMS:
        print(f'    "{algorithm.__name__}": (')
        measured = np.array([_milliseconds(algorithm(), n) for n in SIZES]).T
        for row in measured:
            print(f"        ({', '.join(f'{value:.3g}' for value in row)}),", flush=True)
        print("    ),")


def _milliseconds(mechanism: Mechanism, n: int) -> tuple[float, float, float]:
    """Of the law with its errors, of the first draws, and of those up to TRIALS."""
    turns = range(5 if n < REPEATED else 1)
    best = [min(_timed(mechanism, n, size, turn) for turn in turns) for size in (0, FIRST, TRIALS)]
    return best[0], best[1], max(best[2] - best[1], 0.0)


def _timed(mechanism: Mechanism, n: int, size: int, turn: int) -> float:
    """Milliseconds of so many draws on a fresh data set; of the law for none, 0 where there is none."""
    data, budget = LinearModel(n, 0.03, 0.01).replicate(0, turn), Budget(2.0)
    start = time.process_time()
    if size:
        mechanism.release(data, budget.epsilon, budget.at, size, rng=np.random.default_rng(0))
    else:
        laws = mechanism.law(data, budget.epsilon, budget.at)
        if any(law is None for law in laws):
            return 0.0
        summarise([laws], {}, [data.predict(budget.at)])
    return 1000 * (time.process_time() - start)
