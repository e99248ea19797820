"""The error of algorithms on simulated data sets that resemble yours as public guesses describe them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

import numpy as np

from ..dataset import Dataset
from ..experiments.errors import measure, summarise
from ..experiments.sweep.measure import RATIO, error_ratios
from ..experiments.sweep.plan import Setting, SweepPlan
from ..experiments.sweep.results import SweepBatch
from ..mechanisms.base import Mechanism
from ..mechanisms.pairwise import MatchingMechanism
from ..pairs import is_complete
from ..privacy import Budget
from ..privacy.accounting import paid
from ..sources.linear import LinearModel
from ..support import validate
from ..support.run import Run, stream
from ..support.types import Floats
from ..support.workers import in_order, one_thread

DATASETS = 50
Simulate = Callable[[int], Dataset]
TRIALS = 50  # per data set, for algorithms without a law


def simulated_errors(
    plan: SweepPlan, run: Run, datasets: int = DATASETS, first: int = 0, simulate: Simulate | None = None
) -> list[SweepBatch]:
    """C_true(68) / sigma of each mechanism, averaged over the points of the budget, on each of so many data sets.

    plan: of plan_sweep with a LinearModel. One batch for each of its values, as sweep_batches makes them: combine
    makes a sweep of them, of which crossings can be asked. The data sets, numbered from ``first``, and the noise are
    those of sweep, the same for all values. simulate: the data set of this number, where there is one value and those
    are known; asked where one process does the work. ValueError where datasets is below 1.
    """
    validate.integer(1, datasets=datasets)
    groups = [plan.settings] if plan.parameter == "epsilon" else [(setting,) for setting in plan.settings]
    batches = []
    tasks = [(group, number) for group in groups for number in range(first, first + datasets)]
    ratios = list(
        in_order(
            partial(_averaged_ratios, run=run, simulate=simulate if run.workers == 1 else None), tasks, run.workers
        )
    )
    for place, group in enumerate(groups):
        of_group = np.array(ratios[place * datasets : (place + 1) * datasets])
        batches += [
            SweepBatch(plan.parameter, setting.value, first, plan.names, of_group[:, i], averaged=True)
            for i, setting in enumerate(group)
        ]
    return batches


def _averaged_ratios(task: tuple[tuple[Setting, ...], int], run: Run, simulate: Simulate | None = None) -> np.ndarray:
    """The ratios on one data set, the same for all settings, averaged over points; shape (settings, mechanisms)."""
    group, number = task
    model = group[0].source
    assert isinstance(model, LinearModel)  # what a plan without data has
    data = simulate(number) if simulate else model.replicate(run.seed, number)
    with one_thread():
        return np.array([
            [_averaged(_at_points(model, data, setting, mechanism, number, run)) for mechanism in setting.mechanisms]
            for setting in group
        ])  # fmt: skip


def _at_points(
    model: LinearModel, data: Dataset, setting: Setting, mechanism: Mechanism, number: int, run: Run
) -> np.ndarray:
    """The RATIO of one mechanism about the truth at each point, shape (m,)."""
    if isinstance(mechanism, MatchingMechanism) and not is_complete(data.n, mechanism.k):
        alone = replace(setting, mechanisms=(mechanism,))
        return error_ratios(tuple(_at_each_point(alone)), [number], run)[0, :, 0]
    epsilon, at = paid(mechanism, setting.budget).epsilon, setting.budget.at
    laws = mechanism.law(data, epsilon, at)
    trials = {}
    if any(law is None for law in laws):
        trials[0] = mechanism.release(data, epsilon, at, run.trials, rng=stream(run.seed, "trials", number))
    (errors,) = summarise([laws], trials, [model.truth(at)])
    units = model.standard_error(at, data).tolist()
    return np.array([(*e.ratios(unit), e.exact) for e, unit in zip(errors, units, strict=True)], dtype=RATIO)


def _at_each_point(setting: Setting) -> list[Setting]:
    """The setting with each of its points first in turn: the first is where the error is measured."""
    at = setting.budget.at
    orders = [(at[place], *at[:place], *at[place + 1 :]) for place in range(len(at))]
    return [replace(setting, budget=replace(setting.budget, at=order)) for order in orders]


def _averaged(ratios: np.ndarray) -> np.ndarray:
    """Ratios of shape (points,) and their intervals averaged over the points; exact only where all are."""
    mean = np.empty((), RATIO)
    for name in ("ratio", "low", "high"):
        mean[name] = ratios[name].mean()
    mean["exact"] = ratios["exact"].all()
    return mean


def simulated_error(
    model: LinearModel, budget: Budget, mechanism: Mechanism, datasets: Iterable[Dataset], run: Run
) -> Floats:
    """C(68) about OLS over sigma, averaged over the data sets, shape (m,); arguments as of error_and_noise."""
    return np.mean([_ratios(model, budget, mechanism, data, run)[0] for data in datasets], axis=0)


def error_and_noise(
    model: LinearModel, budget: Budget, mechanism: Mechanism, datasets: Iterable[Dataset], run: Run
) -> Floats:
    """C(68) over sigma about each data set's OLS prediction, and about the algorithm's own target.

    model: of the data sets, from which sigma, the true standard deviation of the OLS prediction, comes as in sweep.
    budget: epsilon and the m points.
    mechanism: the algorithm with its hyperparameters.
    datasets: simulated from the model, one or more.
    run: trials where there is no law, and the seed.

    Shape (data sets, 2, m). The first is the paper's error; the second is the noise alone, without the gap between the
    target and OLS. Infinite where too many releases have no answer.
    """
    return np.array([_ratios(model, budget, mechanism, data, run, noise=True) for data in datasets])


def _ratios(
    model: LinearModel, budget: Budget, mechanism: Mechanism, data: Dataset, run: Run, noise: bool = False
) -> Floats:
    """error_and_noise of one data set, shape (2, m), or the error alone, shape (1, m)."""
    (errors,) = measure([data], mechanism, budget, run, parts=noise)
    bounds = [[e.c68 for e in errors]]
    if noise:
        bounds.append([e.c68 if np.isnan(e.noise) else e.noise for e in errors])  # there is none without a target
    return np.array(bounds) / model.standard_error(budget.at, data)
