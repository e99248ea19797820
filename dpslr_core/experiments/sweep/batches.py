"""Sweeps: how the error of each algorithm changes with one parameter, batch by batch of simulated data sets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

import pandas as pd
from numpy.typing import ArrayLike

from ...dataset import Dataset
from ...mechanisms.base import Mechanism
from ...privacy import Budget
from ...privacy.accounting import Rule
from ...scenario import Scenario
from ...support import validate
from ...support.run import Run
from ...support.workers import in_order, one_thread
from .measure import error_ratios
from .plan import OF_DATA, Setting, SweepPlan, plan_sweep
from .results import BatchKey, Sweep, SweepBatch, combine

BLOCK = 5  # simulated data sets in one batch


def sweep(
    parameter: str,
    values: ArrayLike,
    base: Scenario,
    mechanisms: Sequence[Mechanism],
    datasets: int = 500,
    trials: int = 50,
    seed: int = 0,
    workers: int | str = 1,
    progress: Callable[[int, int], None] | None = None,
    *,
    data: Dataset | None = None,
    accounting: Rule | None = None,
) -> pd.DataFrame:
    """The error of each mechanism in standard errors as one parameter varies: a row per value and mechanism.

    parameter: one of PARAMETERS. x_new is the first point of base.at, where the error is measured; width that of
    [lower, upper] about its middle; a hyperparameter changes every mechanism that has it and no other.
    values: of the parameter, all different, shape (v,).
    base: the model of the data and the budget; only source, epsilon (for all points together), at and accounting are
    read.
    mechanisms: those to compare, with different names.
    datasets: the number of simulated data sets, 1 or more.
    trials: the number of draws where a mechanism has no law, 1 or more.
    seed: 0 or more.
    workers: as in by_group.
    progress: progress(done, all) is called as batches arrive; it counts data sets times values.
    data: the loaded data set where base.source is not "synthetic".
    accounting: what each algorithm may spend, as in compare; by default that of base.

    Simulated data (base.source "synthetic"): C_true(68) / sigma(p^) for each of ``datasets`` data sets, averaged.
    C_true(68) is the smallest c with P(|p~ - p| <= c) >= 68% for p = slope x_new + intercept, given the data set;
    sigma(p^) = sqrt(var_e (1/n + (x_new - mean x)^2 / nvar(x))) is the true standard deviation of the OLS prediction
    given x. The paper's figures say sigma, without the hat that Equation 3's estimate wears: the truth is known here,
    and an estimate from few records would add its own error to every curve. The truth is that of the line, whatever
    clipping y to [0, 1] does to the data. C_true is read off the exact law wherever there is one; otherwise (gradient
    descent, k random matchings) it is that of ``trials`` draws, as in the paper: of 50 the 34th smallest error, some 2%
    below C_true on average (the share of releases within it is 34/51 on average).

    Loaded data (``data``): C(68) about OLS / standard error (Equation 3), not averaged: low and high hold it with 95%
    confidence where it is drawn or where matchings are.

    Common random numbers: data set j has its own stream of uniforms and one of normals, the same for all values, so
    that n records are the first n of any larger set; its draws come from a third stream and its matchings from a
    fourth, the same for all values and mechanisms. So curves are compared on the same data sets, and a batch of the
    work depends on nothing but its value and its data sets. The numbers are the same bit for bit whatever the workers
    (see by_group).

    Columns: parameter, value, mechanism, mean, monte_carlo_error (standard error of the mean), low, high (its 95%
    interval), median, infinite_share (of the data sets where more than 32% of the releases fail), datasets, exact
    (read off exact laws). One infinite ratio makes the mean infinite, as it is; the median stays.
    Crossings are computed from the result of run_sweep. ValueError names the argument that cannot be.
    Source: Sections "Error Metric" and "Synthetic Data".

    >>> from dpslr_core.mechanisms import NoisyIntercept
    >>> frame = sweep("epsilon", [0.1, 10], Scenario(n=20), [NoisyIntercept()], datasets=2)
    >>> frame["value"].tolist(), bool(frame["mean"].is_monotonic_decreasing), frame["exact"].tolist()
    ([0.1, 10.0], True, [True, True])
    """
    if not isinstance(base, Scenario):
        raise ValueError(f"base must be a Scenario, got {base!r}")
    if data is None and base.source.kind != "synthetic":
        raise ValueError(f"data must be the loaded data set where base.source is {base.source.kind!r}")
    budget = Budget(base.epsilon, base.at, base.accounting if accounting is None else accounting)
    plan = plan_sweep(parameter, values, base.linear_model if data is None else data, budget, mechanisms)
    return run_sweep(plan, Run(trials, seed, workers), datasets, progress).frame


def run_sweep(
    plan: SweepPlan, run: Run, datasets: int = 500, progress: Callable[[int, int], None] | None = None
) -> Sweep:
    """What sweep measures, as the value from which crossings and leads are computed.

    ValueError where datasets is not a whole number, 1 or more, or the workers cannot be had.
    """
    batches: list[SweepBatch] = []
    done, wanted = 0, len(plan.settings) * (datasets if plan.averaged else 1)
    for batch in sweep_batches(plan, run, datasets):
        batches.append(batch)
        done += len(batch.ratios)
        if progress:
            progress(done, wanted)
    return combine(batches)


def sweep_batches(
    plan: SweepPlan, run: Run, datasets: int = 500, *, done: Collection[BatchKey] = (), block: int = BLOCK
) -> Iterator[SweepBatch]:
    """The batches of a sweep as they arrive: all values of a few data sets, then of the next.

    plan: the settings, see plan_sweep.
    run: trials where there is no law, seed and workers.
    datasets: the number of simulated data sets for each value.
    done: keys of batches that are there already and are left out.
    block: data sets in a batch; fewer arrive sooner.

    Closing the iterator stops the work; combine makes a Sweep of any batches. ValueError where datasets or block is
    not a whole number, 1 or more, at once.
    """
    validate.integer(1, datasets=datasets, block=block)
    shared = plan.averaged and plan.parameter not in OF_DATA
    groups = [plan.settings] if shared else [(setting,) for setting in plan.settings]
    ranges = batch_ranges(datasets if plan.averaged else 1, block)
    tasks = list(_tasks(groups, ranges, set(done)))
    arriving = in_order(partial(_measure, plan=plan, run=run), tasks, run.workers)
    return (batch for batches in arriving for batch in batches)


Task = tuple[tuple[Setting, ...], int, int]


def batch_ranges(datasets: int, block: int = BLOCK) -> list[tuple[int, int]]:
    """The number of the first data set of each batch of one value, and how many there are: ends of their keys."""
    return [(first, min(block, datasets - first)) for first in range(0, datasets, block)]


def _tasks(
    groups: Sequence[tuple[Setting, ...]], ranges: Sequence[tuple[int, int]], done: Collection[BatchKey]
) -> Iterator[Task]:
    """Settings that have their data in common, the number of the first data set, and how many there are."""
    for first, count in ranges:
        for group in groups:
            if left := tuple(setting for setting in group if (setting.value, first, count) not in done):
                yield left, first, count


def _measure(task: Task, plan: SweepPlan, run: Run) -> list[SweepBatch]:
    """The batches of one task, one for each of its settings."""
    group, first, count = task
    with one_thread():
        ratios = error_ratios(group, range(first, first + count), run)
    return [
        SweepBatch(plan.parameter, setting.value, first, plan.names, ratios[:, i], plan.averaged)
        for i, setting in enumerate(group)
    ]
