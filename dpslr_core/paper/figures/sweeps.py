"""Figures on synthetic data: the error as one parameter varies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...charts.base import error_range
from ...charts.paper.look import Curves, Look, Scale
from ...charts.paper.look import Panel as Drawn
from ...experiments.sweep.measure import error_ratios
from ...experiments.sweep.plan import OF_DATA, Setting, plan_sweep
from ...mechanisms.base import Mechanism
from ...sources.linear import LinearModel
from ...support.run import Budget, Run
from ...support.types import Floats
from ...support.workers import one_thread
from .figure import Settings

BLOCK = 5  # data sets in one part of the work
LABELS = {
    "n": "records n", "var_x": "variance of x", "var_e": "residual variance", "epsilon": "ε", "x_new": "point x",
    "theta": "widening θ", "beta": "smoothing β",
}  # fmt: skip
ERROR = "error / standard deviation of OLS"


class Panel(NamedTuple):
    """A sweep of one parameter about a model of the data and a budget."""

    title: str
    parameter: str
    values: Sequence[float]
    model: LinearModel
    budget: Budget
    mechanisms: tuple[Mechanism, ...]


class SweepTask(NamedTuple):
    """Settings that have their data in common, and the numbers of the data sets."""

    panel: str
    parameter: str
    group: tuple[Setting, ...]
    numbers: tuple[int, ...]
    run: Run


def tasks_of(panels: Sequence[Panel], settings: Settings) -> list[SweepTask]:
    """All panels, some data sets at a time."""
    return [task for panel in panels for task in _tasks(panel, settings)]


def _tasks(panel: Panel, settings: Settings) -> Iterator[SweepTask]:
    plan = plan_sweep(panel.parameter, panel.values, panel.model, panel.budget, panel.mechanisms)
    groups = [(setting,) for setting in plan.settings] if panel.parameter in OF_DATA else [plan.settings]
    run, datasets = Run(settings.amount.trials, settings.seed), settings.amount.datasets
    for group in groups:
        for first in range(0, datasets, BLOCK):
            numbers = tuple(range(first, min(first + BLOCK, datasets)))
            yield SweepTask(panel.title, panel.parameter, group, numbers, run)


def measure(task: SweepTask) -> pd.DataFrame:
    """A row for each data set, value and algorithm: panel, parameter, value, algorithm, number, error."""
    with one_thread():
        ratios = error_ratios(task.group, task.numbers, task.run)["ratio"]
    rows = [
        (task.panel, task.parameter, setting.value, mechanism.name, number, ratios[place, i, j])
        for place, number in enumerate(task.numbers)
        for i, setting in enumerate(task.group)
        for j, mechanism in enumerate(setting.mechanisms)
    ]
    return pd.DataFrame(rows, columns=["panel", "parameter", "value", "algorithm", "number", "error"])


def averaged(frame: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """Mean, Monte-Carlo error and median of the error over the data sets, by panel, value and algorithm."""
    by = ["panel", "parameter", "value", "algorithm"]
    rows = [(*key, *_summary(errors.to_numpy())) for key, errors in frame.groupby(by, sort=False)["error"]]
    return pd.DataFrame(rows, columns=[*by, "mean", "monte_carlo_error", "median", "infinite_share", "datasets"])


def _summary(errors: Floats) -> tuple[float, float, float, float, int]:
    infinite = float(np.isinf(errors).mean())
    spread = float(np.std(errors, ddof=1) / np.sqrt(errors.size)) if not infinite and errors.size > 1 else np.nan
    return float(np.mean(errors)), spread, float(np.median(errors)), infinite, errors.size


def panels_of(frame: pd.DataFrame, settings: Settings) -> dict[str, Drawn]:
    """The mean errors as curves; where a mean is infinite, an open circle at the median."""
    ends = error_range(np.append(frame["mean"], frame["median"]))
    return {str(title): _panel(rows, ends) for title, rows in frame.groupby("panel", sort=False)}


def _panel(rows: pd.DataFrame, ends: tuple[float, float]) -> Curves:
    parameter = str(rows["parameter"].iloc[0])
    values = rows["value"].to_numpy()
    linear = parameter == "x_new"
    x = Scale(LABELS[parameter], (float(values.min()), float(values.max())), log=not linear)
    look = replace(Look(x, Scale(ERROR, ends, log=True)), at_y=1.0)
    drawn = pd.DataFrame({"algorithm": rows["algorithm"], "x": values, "y": rows["mean"]})
    gaps = rows[~np.isfinite(rows["mean"]) & np.isfinite(rows["median"])]
    return Curves(drawn, look, pd.DataFrame({"algorithm": gaps["algorithm"], "x": gaps["value"], "y": gaps["median"]}))


def wide(frame: pd.DataFrame, panel: str | None = None) -> pd.DataFrame:
    """Mean errors with a row for each panel and value and a column for each algorithm."""
    rows = frame if panel is None else frame[frame["panel"] == panel]
    return rows.pivot(index=["panel", "value"], columns="algorithm", values="mean")
