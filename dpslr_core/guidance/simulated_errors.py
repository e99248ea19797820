"""The error of algorithms on simulated data sets that resemble yours as public guesses describe them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np

from .. import _validate
from .._types import Floats
from ..dataset import Dataset
from ..experiments import measure
from ..mechanisms import Mechanism
from ..run import Budget, Run
from ..sources import LinearModel
from ..sweeps import RATIO, SweepBatch, SweepPlan
from ..sweeps.measure import error_ratios
from ..sweeps.settings import Setting
from ..workers import in_order, one_thread

DATASETS = 50


def simulated_errors(plan: SweepPlan, run: Run, datasets: int = DATASETS, first: int = 0) -> list[SweepBatch]:
    """C_true(68) / sigma of each mechanism, averaged over the points of the budget, on each of so many data sets.

    plan: of plan_sweep with a LinearModel. One batch for each of its values, as sweep_batches makes them: combine
    makes a sweep of them, of which crossings can be asked. The data sets, numbered from ``first``, and the noise are
    those of sweep, the same for all values. ValueError where datasets is below 2.
    """
    _validate.integer(2, datasets=datasets)
    groups = [plan.settings] if plan.parameter == "epsilon" else [(setting,) for setting in plan.settings]
    batches = []
    tasks = [(group, number) for group in groups for number in range(first, first + datasets)]
    ratios = list(in_order(partial(_averaged_ratios, run=run), tasks, run.workers))
    for place, group in enumerate(groups):
        of_group = np.array(ratios[place * datasets : (place + 1) * datasets])
        batches += [
            SweepBatch(plan.parameter, setting.value, first, plan.names, of_group[:, i], averaged=True)
            for i, setting in enumerate(group)
        ]
    return batches


def _averaged_ratios(task: tuple[tuple[Setting, ...], int], run: Run) -> np.ndarray:
    """The ratios on one data set, the same for all settings, averaged over points; shape (settings, mechanisms)."""
    group, number = task
    by_point = [_at_each_point(setting) for setting in group]
    with one_thread():
        ratios = iter(error_ratios(tuple(s for settings in by_point for s in settings), number, run))
    return np.array([_averaged(np.array([next(ratios) for _ in settings])) for settings in by_point])


def _at_each_point(setting: Setting) -> list[Setting]:
    """The setting with each of its points first in turn: the first is where the error is measured."""
    epsilon, at = setting.budget.epsilon, setting.budget.at
    orders = [(at[place], *at[:place], *at[place + 1 :]) for place in range(len(at))]
    return [replace(setting, budget=Budget(epsilon, order)) for order in orders]


def _averaged(ratios: np.ndarray) -> np.ndarray:
    """Ratios of shape (points, mechanisms) and their intervals averaged over the points; exact only where all are."""
    mean = np.empty(ratios.shape[1], RATIO)
    for name in ("ratio", "low", "high"):
        mean[name] = ratios[name].mean(axis=0)
    mean["exact"] = ratios["exact"].all(axis=0)
    return mean


def simulated_noise(
    model: LinearModel, budget: Budget, mechanism: Mechanism, datasets: Iterable[Dataset], run: Run
) -> Floats:
    """C(68) of the noise alone, about each data set's OLS prediction, over sigma; averaged over data sets, shape (m,).

    sigma: the true standard deviation of the OLS prediction, as in sweep.
    """
    ratios = []
    for data in datasets:
        bounds = [errors.c68 for errors in measure(data, mechanism, budget, run)]
        ratios.append(np.array(bounds) / model.standard_error(budget.at, data))
    return np.mean(ratios, axis=0)
